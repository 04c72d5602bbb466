/* ---- page.js: parts of the page that all views are made of ---- */
const $ = id => document.getElementById(id);
const make = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const link = (text, where) => {
  const a = make('a', '', text);
  a.onclick = event => {
    if (event.stopPropagation) event.stopPropagation();
    go(where);
  };
  return a;
};
const colors = {};
function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['bg', 'fg', 'dim', 'line', 'on', 'mark', 'node', 'edge', 'bar', 'bar2', 'bar3', 'bar4',
           'bar5', 'bar6'])
    colors[name] = style.getPropertyValue('--' + name).trim();
}
/* What limits a step has one color everywhere. */
const LIMITS = {
  memory: 'bar2',
  launch: 'bar3',
  latency: 'bar4',
  tensor: 'bar5',
  shared: 'bar6',
  links: 'bar2'
};
const limitColor = limit => colors[LIMITS[limit] || 'bar'];
function legendOf(limits) {
  const box = make('div', 'legend dim');
  for (const limit of limits) {
    const entry = make('span'), spot = make('i');
    spot.style.background = limitColor(limit);
    entry.append(spot, limit);
    box.append(entry);
  }
  return box;
}

/* Lines of which only those are made that can be seen: paint(k) gives the element of line k. */
const ROW = 18;
class Rows {
  constructor(count, letters, paint, height = ROW) {
    Object.assign(this, {count, paint, height, marks: new Set(), first: -1, last: -1});
    this.box = make('div', 'rows');
    this.inner = make('div');
    this.inner.style.height = count * height + 'px';
    if (letters) this.inner.style.width = `calc(${letters}ch + 12px)`;
    this.box.append(this.inner);
    this.box.addEventListener('scroll', () => this.draw());
  }
  draw(always) {
    const top = this.box.scrollTop, seen = this.box.clientHeight || 800, spare = 20;
    const first = Math.max(0, Math.floor(top / this.height) - spare);
    const last = Math.min(this.count, Math.ceil((top + seen) / this.height) + spare);
    if (!always && first >= this.first && last <= this.last && this.first >= 0) return;
    this.first = Math.max(0, first - spare);
    this.last = Math.min(this.count, last + spare);
    const made = [];
    for (let k = this.first; k < this.last; k++) {
      const row = this.paint(k);
      row.style.position = 'absolute';
      row.style.top = k * this.height + 'px';
      if (this.marks.has(k)) row.classList.add('mark');
      made.push(row);
    }
    this.inner.replaceChildren(...made);
  }
  /* Marks lines and brings the first of them into sight. */
  mark(lines, scroll) {
    this.marks = new Set(lines);
    if (scroll && lines.length) {
      const y = lines[0] * this.height;
      if (y < this.box.scrollTop || y > this.box.scrollTop + this.box.clientHeight - this.height)
        this.box.scrollTop = Math.max(0, y - this.box.clientHeight / 3);
    }
    this.draw(true);
  }
}
const TAB = 4; /* letters, as in style.css */
const widest = lines => lines.reduce((n, l) => Math.max(n, l ? l.length + (l[0] === '\t' ? TAB : 0) : 0), 0);
/* A line with its names, numbers and words in their colors. */
const TOKENS = new RegExp(
    [
      /(\/\/.*$|"(?:[^"\\]|\\.)*")/, /(%[\w.$#-]+)/, /\b(-?(?:0[xfd])?\d[\w.+]*)/,
      /\b([a-z][a-z0-9]*[._][a-z0-9._]*[a-z0-9]|ROOT|ENTRY|func|module)\b/
    ].map(r => r.source)
        .join('|'),
    'g');
function paintText(row, text) {
  if (text.length > 4000) {
    row.textContent = text;
    return row;
  }
  let at = 0;
  for (const m of text.matchAll(TOKENS)) {
    if (m.index > at) row.append(text.slice(at, m.index));
    row.append(make(m[1] ? 's' : m[2] ? 'b' : m[3] ? 'i' : 'u', '', m[0]));
    at = m.index + m[0].length;
  }
  if (at < text.length) row.append(text.slice(at));
  return row;
}
function textColumn(title, lines, classOf) {
  const column = make('div', 'column');
  const rows = new Rows(lines.length, widest(lines),
      k => paintText(make('div', 'row ' + (classOf ? classOf(k) : '')), lines[k]));
  column.append(make('small', 'dim', title), rows.box);
  return {column, rows};
}

/* A table that a click on its head sorts. columns: [title, value of a row, text of the value, kind]; kind: n
 * is a number, m one with a bar. */
function tableOf(columns, rows, onRow) {
  const box = make('div', 'fill'), table = make('table'), most = 2000;
  let by = -1, down = true;
  function fill() {
    const sorted = rows.slice(), head = make('tr'), value = by >= 0 ? columns[by][1] : null;
    if (value)
      sorted.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
    columns.forEach(([title, , , kind], k) => {
      const th = make('th', kind ? 'n' : '', title + (by === k ? down ? ' v' : ' ^' : ''));
      th.onclick = () => {
        down = by === k ? !down : true;
        by = k;
        fill();
      };
      head.append(th);
    });
    const largest = columns.map(c => c[3] === 'm' ? rows.reduce((m, r) => Math.max(m, c[1](r)), 0) : 0);
    table.replaceChildren(head, ...sorted.slice(0, most).map(row => {
      const tr = make('tr', onRow ? 'go' : '');
      columns.forEach(([, of, text, kind], k) => {
        const td = make('td', kind ? 'n' : 'long'), v = of(row);
        td.append(text ? text(v, row) : v === null || v === undefined ? '' : String(v));
        if (kind === 'm' && largest[k]) {
          const bar = make('i', 'meter');
          bar.style.width = 60 * v / largest[k] + 'px';
          td.append(' ', bar);
        }
        if (!kind) td.title = String(v);
        tr.append(td);
      });
      if (onRow) tr.onclick = () => onRow(row);
      return tr;
    }));
  }
  fill();
  box.append(table);
  if (rows.length > most) box.append(make('p', 'dim', rows.length - most + ' more rows are not shown'));
  return box;
}

/* A picture that is dragged and zoomed: draw(context, view) paints what is in sight, hit(x, y) says what
 * stands there. view: scale and place; where flat is set, only the horizontal is zoomed. */
class Board {
  constructor({draw, hit, text, open, width, height, flat}) {
    Object.assign(this, {draw, hit, text, open, width, height, flat, asked: false});
    this.view = {x: 0, y: 0, sx: 1, sy: 1};
    this.box = make('div', 'board');
    this.canvas = make('canvas');
    this.tip = make('div', 'tip');
    this.box.append(this.canvas, this.tip);
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    const at = e => {
      const r = this.canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    let held = null, moved = 0;
    this.canvas.addEventListener('pointerdown', e => {
      held = at(e);
      moved = 0;
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener('pointermove', e => {
      const [x, y] = at(e);
      if (held) {
        moved += Math.abs(x - held[0]) + Math.abs(y - held[1]);
        this.view.x += x - held[0];
        if (!this.flat) this.view.y += y - held[1];
        held = [x, y];
        this.paint();
      } else
        this.point(x, y);
    });
    this.canvas.addEventListener('pointerup', e => {
      held = null;
      if (moved < 4 && this.open) {
        const found = this.find(...at(e));
        if (found) this.open(found);
      }
    });
    this.canvas.addEventListener('pointerleave', () => { this.tip.style.display = 'none'; });
    this.canvas.addEventListener('wheel', e => {
      e.preventDefault();
      this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...at(e));
    }, {passive: false});
  }
  zoom(by, x = this.w / 2, y = this.h / 2) {
    const v = this.view, s = Math.min(1e6, Math.max(1e-6, v.sx * by)), real = s / v.sx;
    v.x = x - (x - v.x) * real;
    v.sx = s;
    if (!this.flat) {
      v.y = y - (y - v.y) * real;
      v.sy = s;
    }
    this.paint();
  }
  /* All of it; a graph not smaller than can be read. */
  fit(least = 0, most = 1.2) {
    this.size();
    const margin = 20,
          s = Math.max(least, Math.min(most, (this.w - 2 * margin) / (this.width || 1),
                                  this.flat ? Infinity : (this.h - 2 * margin) / (this.height || 1)));
    this.view = {sx: s, sy: this.flat ? 1 : s, x: Math.max(margin, (this.w - this.width * s) / 2), y: margin};
    if (this.width * s > this.w) this.view.x = least && s === least ? (this.w - this.width * s) / 2 : margin;
    this.paint();
  }
  center(x, y) {
    this.view.x = this.w / 2 - x * this.view.sx;
    this.view.y = this.h / 2 - y * this.view.sy;
    this.paint();
  }
  find(x, y) { return this.hit((x - this.view.x) / this.view.sx, (y - this.view.y) / this.view.sy); }
  point(x, y) {
    const found = this.find(x, y);
    this.tip.style.display = found ? 'block' : 'none';
    if (!found) return;
    this.tip.textContent = this.text(found);
    this.tip.style.left = Math.min(x + 14, Math.max(0, this.w - this.tip.offsetWidth - 8)) + 'px';
    this.tip.style.top = Math.min(y + 14, Math.max(0, this.h - this.tip.offsetHeight - 8)) + 'px';
  }
  size() {
    const scale = window.devicePixelRatio || 1;
    this.w = this.canvas.clientWidth || 800;
    this.h = this.canvas.clientHeight || 400;
    if (this.canvas.width !== Math.round(this.w * scale)) this.canvas.width = Math.round(this.w * scale);
    if (this.canvas.height !== Math.round(this.h * scale)) this.canvas.height = Math.round(this.h * scale);
    return scale;
  }
  paint() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.now();
    });
  }
  now() {
    const scale = this.size(), c = this.canvas.getContext('2d');
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.clearRect(0, 0, this.w, this.h);
    this.draw(c, this);
  }
}
const cut = (text, letters) => text.length <= letters ? text
                               : letters < 3          ? ''
                                                      : text.slice(0, letters - 1) + '…';
