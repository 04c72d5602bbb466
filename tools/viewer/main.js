/* ---- main.js: the list at the side, keys, and what the address says is shown ---- */
const VIEWS = [
  ['overview', 'Overview', viewOverview], ['graph', 'Graph', viewGraph],
  ['fusions', 'Fusions and ways', viewFusions], ['kernels', 'Kernels', viewKernels],
  ['buffers', 'Memory over time', viewBuffers], ['time', 'Time and roofline', viewTime]
];
const HELP = '1 to 6: views; j k: next, previous of the list; /: find; n p: lines of a kernel; ' +
             '+ - 0 and arrows: the picture; w: the whole text of a stage; t: light or dark; ?: this';
let active = {route: ''}, listed = [];

/* Entries of the list: {title} or {text, note, route}. */
function entriesOf(wanted) {
  const entries = VIEWS.map(([name, text], k) => ({text, note: String(k + 1), route: name}));
  const weight = f => f === 'module' ? 0 : f.startsWith('kernel ') ? 2 : 1;
  const sorted = [...model.families].sort((a, b) => weight(a[0]) - weight(b[0]));
  const label = s => {
    const m = /[.]after_(.*?)([.]before_.*)?$/.exec(s.name) || /after_[0-9]*_?(.*)$/.exec(s.name);
    return m ? m[1] : s.name.replace(/^.*[/]/, '');
  };
  let texts = false;
  for (const [family, all] of sorted) {
    if (/^(ir_lines|ptx_lines)\//.test(family)) continue;
    const kernel = /^kernel (.*)/.exec(family);
    const some = all.filter(s => !wanted || s.name.toLowerCase().includes(wanted));
    if (!some.length) continue;
    if (weight(family) !== 1)
      entries.push({title: family === 'module' ? 'what passes changed' : family});
    else if (!texts) {
      texts = true;
      entries.push({title: 'texts'});
    }
    if (kernel && thunks.kernels.has(kernel[1]))
      entries.push(
          {text: 'HLO | IR | PTX', note: usOf(kernelNamed.get(kernel[1]).us), route: 'kernel/' + kernel[1]});
    for (const s of some)
      entries.push({
        text: label(s),
        route: 'stage/' + model.stages.indexOf(s),
        note: s.before ? '+' + (s.lines.length - s.head - s.tail) + ' -' +
                             (s.before.lines.length - s.head - s.tail)
                       : s.lines.length + ' lines'
      });
  }
  return entries;
}
let side = null;
function fillList() {
  const entries = entriesOf($('find').value.toLowerCase());
  listed = entries.map((e, k) => ({route: e.route, k})).filter(e => e.route);
  side = new Rows(entries.length, 0, k => {
    const e = entries[k];
    if (e.title) return make('h2', '', e.title);
    const a = make('a', e.route === active.route ? 'on' : '');
    a.append(make('span', '', e.text), make('span', 'dim', e.note));
    a.onclick = () => go(e.route);
    a.style.width = '100%';
    return a;
  }, 24);
  side.box.className = '';
  side.box.style.cssText = 'flex: 1; min-height: 0; overflow: auto; position: relative';
  side.inner.style.position = 'relative';
  $('list').replaceChildren(side.box);
  side.draw(true);
}
function show(route) {
  const [name, ...words] = route.split('/'), main = $('main');
  const view = VIEWS.find(v => v[0] === name);
  active = {route};
  readColors();
  const title = view                      ? view[1]
                : name === 'kernel'       ? 'kernel ' + words.join('/')
                : model.stages[+words[0]] ? model.stages[+words[0]].name
                                          : route;
  const head = make('header');
  head.append(make('h2', '', title));
  main.replaceChildren(head);
  if (view)
    view[2](main, ...words);
  else if (name === 'kernel')
    viewKernel(main, words.join('/'));
  else {
    const s = model.stages[+words[0]];
    if (s && s.before) {
      const b = make('button', words[1] ? 'on' : '', 'whole text (w)');
      b.onclick = () => go('stage/' + words[0] + (words[1] ? '' : '/whole'));
      head.append(b);
    }
    viewStage(main, words[0], words[1]);
  }
  side.draw(true);
  const at = listed.find(e => e.route === route);
  if (at) {
    const y = at.k * 24, box = side.box;
    if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - 24)
      box.scrollTop = Math.max(0, y - box.clientHeight / 2);
  }
}
function go(route) {
  const encoded = '#' + encodeURI(route);
  if (location.hash === encoded)
    show(route);
  else
    location.hash = encoded;
}
const shown = () => decodeURI(location.hash.slice(1)) || 'overview';
function onKey(e) {
  if (e.target && (e.target === $('find') || e.target.id === 'search')) {
    if (e.key === 'Escape' || e.key === 'Enter') $('main').focus();
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const at = listed.findIndex(x => x.route === active.route), board = active.board;
  const step = d => go(listed[Math.min(listed.length - 1, Math.max(0, at + d))].route);
  const pan = (x, y) => {
    board.view.x += x;
    if (!board.flat) board.view.y += y;
    board.paint();
  };
  if (e.key >= '1' && e.key <= String(VIEWS.length))
    go(VIEWS[e.key - 1][0]);
  else if (e.key === 'j')
    step(1);
  else if (e.key === 'k')
    step(-1);
  else if (e.key === '/')
    $('find').focus();
  else if (e.key === 't') {
    document.documentElement.classList.toggle('dark');
    readColors();
    show(active.route);
  } else if (e.key === 'w' && active.route.startsWith('stage/'))
    go(active.route.endsWith('/whole') ? active.route.slice(0, -6) : active.route + '/whole');
  else if ((e.key === 'n' || e.key === 'p') && active.choose) {
    const [column, line] = active.chosen || [2, 0];
    active.choose(column,
        Math.min(active.columns[column].rows.count - 1, Math.max(0, line + (e.key === 'n' ? 1 : -1))));
  } else if (board && (e.key === '+' || e.key === '='))
    board.zoom(1.3);
  else if (board && e.key === '-')
    board.zoom(1 / 1.3);
  else if (board && e.key === '0')
    board.fit(0, board.flat ? Infinity : 1.2);
  else if (board && e.key === 'ArrowLeft')
    pan(80, 0);
  else if (board && e.key === 'ArrowRight')
    pan(-80, 0);
  else if (board && e.key === 'ArrowUp')
    pan(0, 80);
  else if (board && e.key === 'ArrowDown')
    pan(0, -80);
  else if (!board && e.key === 'ArrowDown')
    step(1);
  else if (!board && e.key === 'ArrowUp')
    step(-1);
  else if (e.key === '?') {
    $('help').textContent = $('help').textContent ? '' : HELP;
  } else
    return;
  e.preventDefault();
}
$('name').textContent = data.module;
$('what').textContent =
    (device.part ? device.part + ', ' : '') + data.target + ', xlagpu ' + data.version + '; ?: keys';
$('find').oninput = fillList;
addEventListener('keydown', onKey);
addEventListener('hashchange', () => show(shown()));
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
fillList();
show(shown());
