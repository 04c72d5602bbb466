// viewer.js PAGE.html TEXT STAGE -- opens a page of --viewer without a browser: over a small stand-in of the document
// its script must show every view, stage and kernel, and give back the text of STAGE as it stands in the file TEXT;
// what it reads out of the texts must agree with them. viewer.sh does the same in a browser.
'use strict';
const fs = require('fs');
const [page, text, stage] = process.argv.slice(2);
const html = fs.readFileSync(page, 'utf8');
const json = /<script type='application\/json' id='data'>([\s\S]*?)<\/script>/.exec(html)[1];
const code = /<script>\n([\s\S]*?)<\/script>/.exec(html)[1];
if (/https?:|src=|@import/.test(html.replace(json, ''))) throw new Error('the page loads something from elsewhere');
const check = (what, holds) => {
  if (!holds) throw new Error(what);
};

class Element {
  constructor(tag) {
    Object.assign(this, {tag, children: [], style: {}, own: '', value: '', classes: new Set(), scrollTop: 0});
    this.listeners = {};
  }
  append(...all) {
    this.children.push(...all.map(c => typeof c === 'string' ? Object.assign(new Element('text'), {own: c}) : c));
  }
  replaceChildren(...all) {
    this.own = '';
    this.children = [];
    this.append(...all);
  }
  get textContent() { return this.own + this.children.map(c => c.textContent).join(''); }
  set textContent(t) {
    this.own = t;
    this.children = [];
  }
  set className(c) { this.classes = new Set(c.split(' ').filter(x => x)); }
  get className() { return [...this.classes].join(' '); }
  get classList() {
    const all = this.classes;
    return {toggle: c => (all.has(c) ? all.delete(c) : all.add(c)), add: c => all.add(c)};
  }
  all(test) { return this.children.flatMap(c => (test(c) ? [c] : []).concat(c.all(test))); }
  addEventListener(what, f) { this.listeners[what] = f; }
  getBoundingClientRect() { return {left: 0, top: 0}; }
  getContext() {
    return new Proxy({}, {
      get: (t, k) => k in t ? t[k] : () => {},
      set: (t, k, v) => {
        t[k] = v;
        return true;
      }
    });
  }
  focus() {}
}
const ids = {
  data: Object.assign(new Element('script'), {own: json})
};
const $ = id => ids[id] || (ids[id] = new Element(id));
const root = new Element('html'), location = {
  hash: ''
};
const names = {
  document: {getElementById: $, createElement: t => new Element(t), documentElement: root},
  location,
  window: {},
  addEventListener: () => {},
  matchMedia: () => ({matches: true}),
  requestAnimationFrame: f => f(),
  ResizeObserver: class { observe() {} },
  getComputedStyle: () => ({getPropertyValue: () => '#123456'})
};
const app = new Function(...Object.keys(names), code + `; return { model, show, onKey, difference, changesOf, linksOf,
  kernels, thunks, times, flameOf, buffers, hlo, layGraph, readInstruction, VIEWS, active: () => active };`)(
    ...Object.values(names));
const {model, show} = app, main = $('main');
check('a dark system gets a light page', root.classes.has('dark'));

// the texts come back
const found = model.last('ptx').name === stage ? model.last('ptx') : model.stages.find(s => s.name === stage);
check(stage + ' is another text', found && found.lines.join('\n') === fs.readFileSync(text, 'utf8').trimEnd());
for (const s of model.stages) {
  if (!s.before) continue;
  const rows = app.difference(s.before.lines, s.lines);
  check('a difference loses lines of ' + s.name,
      rows.filter(r => r[0] !== null).map(r => r[0]).join('\n') === s.before.lines.join('\n') &&
          rows.filter(r => r[1] !== null).map(r => r[1]).join('\n') === s.lines.join('\n'));
  check('a difference pairs lines that differ', rows.every(r => r[0] === null || r[1] === null || r[0] === r[1]));
}

// every view, stage and kernel is shown
for (const [name] of app.VIEWS) {
  show(name);
  check('view ' + name + ' is empty', main.children.length > 1);
}
model.stages.forEach((s, k) => {
  show('stage/' + k);
  check('not shown: ' + s.name,
      main.textContent.includes(s.name) && (!s.lines.length || main.all(e => e.classes.has('row')).length > 0));
});

// a step of the program is a row of times, a bar of the flame and a launch
const sum = app.times.reduce((s, t) => s + t.us, 0), flame = app.flameOf(app.thunks.root);
check('no step has a time', sum > 0);
check('the flame is ' + flame.us + ' us, the steps are ' + sum, Math.abs(flame.us - sum) < 1e-6 * sum);
check('a kernel without its launch',
    app.kernels.length && app.kernels.every(k => k.threads > 0 && k.blocks > 0 && k.resident > 0));
check('no buffer has a lifetime', app.buffers.allocations.some(a => a.values.length));

// lines of a kernel belong together: each PTX line that adds comes from an addition
for (const k of app.kernels) {
  show('kernel/' + k.name);
  check('a kernel without its PTX', main.textContent.includes('.entry ' + k.name));
  const ir = model.last('kernel ' + k.name).lines, links = app.linksOf(model, k.name, ir, k.ptx);
  let linked = 0;
  k.ptx.forEach((line, n) => {
    const from = links.irOf[n] >= 0 ? ir[links.irOf[n]] : '';
    linked += from !== '';
    for (const [ptx, op] of [
             ['bar.sync', 'barrier'], ['st.global', 'store'], ['ld.global.nc', 'load'], ['tid.x', 'thread_id']])
      check(line + ' comes from ' + from, !line.includes(ptx) || !from || from.includes(op));
  });
  check('no line of ' + k.name + ' is linked', linked > 5);
  links.hlo.filter(h => h).forEach(h => {
    const [c, i] = h.split('\t');
    check('no instruction ' + h, app.hlo.after.byName.has(c) && app.hlo.after.byName.get(c).byName.has(i));
  });
}
// every instruction of the text is read, and stands below what it reads
for (const c of app.hlo.after.computations) {
  check('instructions of ' + c.name, c.instructions.length === c.end - c.begin - 1);
  const g = app.layGraph(c);
  for (const n of g.nodes)
    check('edge of ' + n.i.name,
        n.operands.every(o => o.rank < n.rank) && n.operands.length === new Set(n.i.operands).size);
}
const i = app.readInstruction(
    '  ROOT t = (f32[2]{0}, s32[]) fusion(a, /*index=1*/b), kind=kLoop, calls=c, metadata={op_name="x, (y"}');
check('an instruction is misread', i.root && i.type === '(f32[2]{0}, s32[])' && i.opcode === 'fusion' &&
                                       i.operands.join() === 'a,b' && i.attributes.calls === 'c' &&
                                       i.attributes.metadata === '{op_name="x, (y"}');

const press = k => app.onKey({key: k, target: null, preventDefault() {}});
show('overview');
press('j');
check('j does not go on', location.hash === '#graph');
show('graph');
press('k');
check('k does not go back', location.hash === '#overview');
console.log(model.stages.length + ' stages, ' + app.times.length + ' steps: shown');
