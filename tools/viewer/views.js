/* ---- views.js: one function a view; each fills the main part of the page ---- */
const data = JSON.parse($('data').textContent), model = readStages(data), device = data.device || {};
const hlo = {
  after: readHlo((model.last('hlo/after_optimizations') || model.last('module')).lines),
  before: null
};
const times = readTimes(model.last('times')), thunks = readThunks(model.last('thunk_sequence'));
const buffers = readBuffers(model.last('buffer-assignment')),
      fusionLog = readFusionLog(model.last('fusion_log'));
const total = times.reduce((sum, t) => sum + t.us, 0);

/* A kernel's row of the listing, its times, the instructions that it is made of and for. */
const kernels = [...thunks.kernels.values()].map(k => {
  const ptx = kernelPtx(model.last('ptx'), k.name), own = times.filter(t => t.kernel === k.name);
  const steps = thunks.thunks.filter(t => t && t.kernel === k.name);
  return Object.assign({}, k, occupancyOf(k, ptx, device), {
    ptx,
    steps,
    us: own.reduce((s, t) => s + t.us, 0),
    runs: own.reduce((s, t) => s + t.runs, 0),
    limited: own.length ? own[0].limit : '',
    peak: own.length ? own[0].peak : null,
    flops: steps.length ? steps[0].flops : 0,
    bytes: steps.length ? steps[0].bytes : 0,
    hlo: steps.map(s => s.hlo)
  });
});
const kernelNamed = new Map(kernels.map(k => [k.name, k]));
const kernelOfHlo = new Map(kernels.flatMap(k => k.hlo.map(h => [h, k])));
const instructionOf = name => {
  for (const c of hlo.after.computations)
    if (c.byName.has(name)) return c.byName.get(name);
  return null;
};
const limitsSeen = [...new Set(times.map(t => t.limit))];

function tiles(list) {
  const box = make('div', 'tiles');
  for (const [value, what] of list) {
    const tile = make('div', 'tile');
    tile.append(make('b', '', value), make('span', 'dim', what));
    box.append(tile);
  }
  return box;
}
const kernelColumns = [
  ['kernel', k => k.name], ['predicted', k => k.us, usOf, 'm'], ['runs', k => k.runs, null, 'n'],
  ['limited by', k => k.limited], ['% of peak', k => k.peak, null, 'n'], ['grid', k => sizeOf(k.grid)],
  ['block', k => sizeOf(k.block)], ['shared', k => k.shared, bytesOf, 'n'],
  ['resident blocks', k => k.resident, null, 'n'],
  ['occupancy', k => k.occupancy, v => (100 * v).toFixed(0) + '%', 'n'],
  ['waves', k => k.waves, v => v.toFixed(2), 'n'], ['flops', k => k.flops, v => si(v, ''), 'n'],
  ['bytes', k => k.bytes, bytesOf, 'n'], ['PTX lines', k => k.ptx.length, null, 'n']
];

function viewOverview(main) {
  const temp = buffers.notes.find(n => n.startsWith('Temporary')) || '';
  const changed = model.families.get('module') ? model.families.get('module').length - 1 : 0;
  main.append(tiles([
    [String(kernels.length), 'kernels'], [usOf(total), 'predicted, ' + (device.part || data.target)],
    [bytesOf(+(/bytes: (\d+)/.exec(temp) || [0, 0])[1]), 'temporary memory'],
    [String(changed), 'passes changed the module'],
    [String(hlo.after.entry ? hlo.after.entry.instructions.length : 0), 'instructions scheduled'],
    [String((model.last('ptx') || {lines: []}).lines.length), 'lines of PTX']
  ]));
  const bar = make('div');
  bar.style.display = 'flex';
  for (const limit of limitsSeen) {
    const part = make('div');
    part.style.cssText =
        `height: 14px; background: ${limitColor(limit)}; width: ` +
        100 * times.filter(t => t.limit === limit).reduce((s, t) => s + t.us, 0) / (total || 1) + '%';
    part.title = limit;
    bar.append(part);
  }
  main.append(make('h3', '', 'What limits the predicted time'), bar, legendOf(limitsSeen));
  main.append(make('h3', '', 'Kernels, the slowest first'));
  main.append(
      tableOf(kernelColumns, kernels.slice().sort((a, b) => b.us - a.us), k => go('kernel/' + k.name)));
}

/* ---- the graph ---- */
let graphNow = null;
function nodeColor(n) {
  const k = kernelOfHlo.get(n.i.name);
  return k && hlo.shown === 'after' ? limitColor(k.limited)
         : n.i.opcode === 'fusion'  ? colors.bar
                                    : colors.node;
}
function drawGraph(c, board) {
  const v = board.view, g = graphNow, half = GRAPH.nodeHeight / 2;
  const top = (-v.y) / v.sy - GRAPH.rowHeight, bottom = (board.h - v.y) / v.sy + GRAPH.rowHeight;
  c.setTransform(...[v.sx, 0, 0, v.sy, v.x, v.y].map(n => n * (window.devicePixelRatio || 1)));
  c.lineWidth = Math.max(1, 0.7 / v.sx);
  const strokeEdges = (color, wanted) => {
    c.strokeStyle = color;
    c.beginPath();
    for (const e of g.edges) {
      if (e.to.y < top || e.from.y > bottom || !wanted(e)) continue;
      const y = e.from.y + (e.from.place ? 0 : half), end = e.to.y - (e.to.place ? 0 : half),
            middle = (y + end) / 2;
      c.moveTo(e.from.x, y);
      if (v.sx > 0.35)
        c.bezierCurveTo(e.from.x, middle, e.to.x, middle, e.to.x, end);
      else
        c.lineTo(e.to.x, end);
    }
    c.stroke();
  };
  strokeEdges(colors.edge, () => true);
  if (g.chosen) strokeEdges(colors.bar5, e => e.to === g.chosen || e.source === g.chosen);
  c.font = '11px system-ui, sans-serif';
  c.textBaseline = 'middle';
  const first = Math.max(0, Math.floor(top / GRAPH.rowHeight)),
        end = Math.min(g.ranks.length, Math.ceil(bottom / GRAPH.rowHeight) + 1);
  for (let r = first; r < end; r++)
    for (const n of g.ranks[r]) {
      if (n.place) continue;
      const left = n.x - n.width / 2, right = (n.x + n.width / 2) * v.sx + v.x;
      if (right < 0 || left * v.sx + v.x > board.w) continue;
      const strong = n.i.opcode === 'fusion' || kernelOfHlo.has(n.i.name) && hlo.shown === 'after';
      c.fillStyle = nodeColor(n);
      c.fillRect(left, n.y - half, n.width, GRAPH.nodeHeight);
      if (n === g.chosen || n.i.root || g.found.has(n)) {
        c.strokeStyle = g.found.has(n) ? colors.bar3 : n === g.chosen ? colors.bar5 : colors.fg;
        c.lineWidth = 2 / Math.min(1, v.sx);
        c.strokeRect(left, n.y - half, n.width, GRAPH.nodeHeight);
      }
      if (v.sx < 0.4) continue;
      c.fillStyle = strong ? '#fff' : colors.fg;
      c.fillText(cut(n.label, Math.floor((n.width - 8) / 5.6)), left + 6, n.y);
    }
}
function graphPanel(panel, n) {
  const i = n.i, k = hlo.shown === 'after' ? kernelOfHlo.get(i.name) : null;
  panel.replaceChildren(make('b', '', i.name + ' '), make('span', 'dim', i.opcode + ', ' + i.type + ' '));
  if (k)
    panel.append(link('kernel ' + k.name, 'kernel/' + k.name),
        make('span', 'dim', ' ' + usOf(k.us) + ', ' + k.limited));
  for (const name of calledBy(i))
    panel.append(' ', link('inside: ' + name, 'graph/' + hlo.shown + '/' + name));
  panel.append(make('pre', '', hlo.text[i.line].trim()));
  const list = (what, nodes) => {
    if (!nodes.length) return;
    const p = make('div', 'dim', what + ': ');
    nodes.slice(0, 40).forEach(o => {
      const a = make('a', '', o.label);
      a.onclick = () => chooseNode(o, true);
      p.append(a, ' ');
    });
    panel.append(p);
  };
  list('reads', n.operands);
  list('read by', n.users);
}
function chooseNode(n, center) {
  graphNow.chosen = n;
  graphPanel(graphNow.panel, n);
  if (center)
    graphNow.board.center(n.x, n.y);
  else
    graphNow.board.paint();
}
function viewGraph(main, shown = 'after', name = '', instruction = '') {
  if (shown === 'before' && !hlo.before) hlo.before = readHlo(model.families.get('module')[0].lines);
  const module = hlo[shown] || hlo.after, c = module.byName.get(name) || module.entry;
  hlo.shown = shown === 'before' ? 'before' : 'after';
  hlo.text = hlo.shown === 'before' ? model.families.get('module')[0].lines
                                    : (model.last('hlo/after_optimizations') || model.last('module')).lines;
  if (!c) {
    main.append(make('p', 'dim', 'there is no computation'));
    return;
  }
  const pick = make('select'), which = make('select'), panel = make('div', 'panel');
  for (const o of module.computations.slice().reverse()) {
    const option = make('option', '', o.name + ' (' + o.instructions.length + ')');
    option.value = o.name;
    option.selected = o === c;
    pick.append(option);
  }
  for (const o of ['after', 'before']) {
    const option = make('option', '', o + ' optimizations');
    option.value = o;
    option.selected = o === hlo.shown;
    which.append(option);
  }
  pick.onchange = () => go('graph/' + hlo.shown + '/' + pick.value);
  which.onchange = () => go('graph/' + which.value);
  const search = make('input');
  search.placeholder = 'find an instruction';
  search.id = 'search';
  const box = make('div');
  box.append(which, ' ', pick, ' ', search, ' ');
  const legend = legendOf(limitsSeen);
  graphNow = Object.assign(layGraph(c), {chosen: null, found: new Set(), panel});
  const g = graphNow;
  const board = new Board({
    draw: drawGraph,
    width: g.width,
    height: g.height,
    hit: (x, y) => (g.ranks[Math.round(y / GRAPH.rowHeight)] || [])
                       .find(n => !n.place && Math.abs(n.x - x) <= n.width / 2 &&
                                  Math.abs(n.y - y) <= GRAPH.nodeHeight / 2),
    text: n => cut(hlo.text[n.i.line].trim(), 160),
    open: n => chooseNode(n)
  });
  g.board = board;
  search.oninput = () => {
    const wanted = search.value.toLowerCase(),
          all = wanted ? g.nodes.filter(n => n.label.toLowerCase().includes(wanted)) : [];
    g.found = new Set(all);
    if (all.length)
      chooseNode(all[0], true);
    else
      board.paint();
  };
  panel.append(make('span', 'dim',
      c.instructions.length + ' instructions; drag, wheel or + - 0, click; colors: what limits a kernel'));
  main.append(box, legend, board.box, panel);
  board.fit(0.5);
  if (g.width * board.view.sx > board.w) board.center(g.ranks[0][0].x, board.h / 2 / board.view.sy - 20);
  if (g.of.get(instruction)) chooseNode(g.of.get(instruction), true);
  active.board = board;
}

/* ---- fusions, and the ways that were tried ---- */
function viewFusions(main) {
  const made =
      hlo.after.computations.flatMap(c => c.instructions).map(i => [i, recordOf(i)]).filter(([, r]) => r);
  main.append(make('p', 'dim',
      'How each kernel is made, by the record in its backend_config. Where several ways were ' +
          'tried, their predicted times stand beside each other.'));
  const row = ([i, r]) => ({
    name: i.name,
    kind: r.emitter || r.rule || '',
    form: wordOf(r.form || {}),
    launch: wordOf(r.launch || {}),
    ways: Object.entries(r.estimates || {}).map(([k, v]) => [k, +v / 1e6]).sort((a, b) => a[1] - b[1])
  });
  const ways = (w, r) => {
    const cell = make('span');
    for (const [name, us] of w) {
      const way = make('span', 'dim', name + ' ' + usOf(us) + ' '), bar = make('i', 'meter');
      bar.style.width = 50 * us / w[w.length - 1][1] + 'px';
      if (name !== r.kind && !(r.kind && name === 'emitter' && !w.some(x => x[0] === r.kind)))
        bar.style.background = colors.edge;
      cell.append(bar, ' ', way);
    }
    return cell;
  };
  main.append(tableOf(
      [
        ['instruction', r => r.name], ['made by', r => r.kind], ['form', r => r.form],
        ['launch', r => r.launch], ['ways tried', r => r.ways, ways]
      ],
      made.map(row), r => {
        const k = kernelOfHlo.get(r.name);
        if (k) go('kernel/' + k.name);
      }));
  main.append(make('h3', '', 'What fusion passes tried (' + fusionLog.length + ')'));
  main.append(tableOf(
      [
        ['pass', r => r.pass], ['computation', r => r.computation], ['what', r => r.what],
        ['verdict', r => r.verdict], ['saves', r => r.gain, (v, r) => r.apart ? usOf(v / 1000) : '', 'n'],
        ['why', r => r.why]
      ],
      fusionLog));
}

/* ---- kernels ---- */
function viewKernels(main) {
  main.append(make('p', 'dim',
      'Resident blocks by threads, shared memory and the bound that the kernel gives ptxas; its ' +
          'registers are known to ptxas alone.'));
  main.append(tableOf(kernelColumns, kernels, k => go('kernel/' + k.name)));
}
function viewKernel(main, name) {
  const k = kernelNamed.get(name), final = model.last('kernel ' + name);
  if (!final) {
    main.append(make('p', 'dim', 'there is no kernel ' + name));
    return;
  }
  const ir = final.lines, ptx = kernelPtx(model.last('ptx'), name), links = linksOf(model, name, ir, ptx);
  if (k) {
    main.append(tiles([
      [usOf(k.us), 'predicted, ' + k.runs + (k.runs === 1 ? ' run' : ' runs')],
      [k.limited || '-', k.peak === null ? 'limits it' : 'limits it, ' + k.peak + '% of peak'],
      [sizeOf(k.grid) + ' / ' + sizeOf(k.block), 'grid / block'],
      [bytesOf(k.shared), 'shared memory a block'],
      [
        (100 * k.occupancy).toFixed(0) + '%',
        'resident blocks a multiprocessor: ' + k.resident + ', by ' + k.limit
      ],
      [k.waves.toFixed(2), 'waves of ' + (device.sm_count || '?') + ' multiprocessors']
    ]));
    const for_ = make('div', 'dim', 'for ');
    k.hlo.slice(0, 12).forEach(h => {
      const c = instructionOf(h);
      for_.append(link(h, 'graph/after/' + (c ? c.computation.name : '') + '/' + h), ' ');
    });
    for_.append(
        '· ', link('its passes', 'stage/' + model.stages.indexOf(model.families.get('kernel ' + name)[0])));
    main.append(for_);
  }
  /* the HLO that the kernel's lines come from, in the order of the text */
  const keys = [...new Set(links.hlo.filter(h => h))]
                   .map(h => h.split('\t'))
                   .map(([c, i]) => (hlo.after.byName.get(c) || {byName: new Map()}).byName.get(i))
                   .filter(i => i);
  const comps = new Set(keys.map(i => i.computation).filter(c => !c.entry)), text = [], keyOf = [];
  const lines = (model.last('hlo/after_optimizations') || model.last('module')).lines;
  for (const c of hlo.after.computations) {
    const own = c.entry || !comps.has(c) ? keys.filter(i => i.computation === c) : c.instructions;
    if (!own.length) continue;
    text.push(lines[c.begin]);
    keyOf.push('');
    for (const i of own) {
      text.push(lines[i.line]);
      keyOf.push(c.name + '\t' + i.name);
    }
    text.push('}');
    keyOf.push('');
  }
  const used = new Set(links.hlo);
  const columns = [
    textColumn('HLO', text, n => used.has(keyOf[n]) && keyOf[n] ? 'linked' : ''),
    textColumn('last kernel IR', ir, n => links.hlo[n] ? 'linked' : ''),
    textColumn('PTX', ptx, n => links.irOf[n] >= 0 ? 'linked' : '')
  ];
  const where = (list, test) => list.reduce((all, x, n) => {
    if (test(x, n)) all.push(n);
    return all;
  }, []);
  /* side: 0 HLO, 1 IR, 2 PTX */
  const choose = (side, n) => {
    const irs = side === 0 ? where(links.hlo, h => h && h === keyOf[n]) : side === 1 ? [n] : [links.irOf[n]];
    const of = new Set(irs), hlos = new Set(irs.map(x => links.hlo[x]).filter(h => h));
    columns[0].rows.mark(where(keyOf, h => hlos.has(h)), side !== 0);
    columns[1].rows.mark(irs.filter(x => x >= 0), side !== 1);
    columns[2].rows.mark(where(links.irOf, x => x >= 0 && of.has(x)), side !== 2);
    active.chosen = [side, n];
  };
  columns.forEach((c, side) => c.rows.box.addEventListener('click', e => {
    const y = e.clientY - c.rows.inner.getBoundingClientRect().top, n = Math.floor(y / ROW);
    if (n >= 0 && n < c.rows.count) choose(side, n);
  }));
  const box = make('div', 'columns');
  columns.forEach(c => box.append(c.column));
  main.append(make('div', 'dim',
                  'a click on a line marks what belongs to it on the other sides; n p: next, previous line'),
      box);
  columns.forEach(c => c.rows.draw(true));
  active.choose = choose;
  active.columns = columns;
  const first = links.irOf.findIndex(x => x >= 0 && links.hlo[x]);
  if (first >= 0) choose(2, first);
}

/* ---- memory ---- */
function viewBuffers(main, number = '') {
  const all = buffers.allocations;
  const chosen = all.find(a => String(a.number) === number) ||
                 all.reduce((a, b) => b.values.length > a.values.length ||
                                              b.values.length === a.values.length && /temp/.test(b.kind)
                                          ? b
                                          : a,
                     all[0]);
  if (!chosen) {
    main.append(make('p', 'dim', 'there are no buffers'));
    return;
  }
  const pick = make('select');
  for (const a of all) {
    const option = make('option', '', 'allocation ' + a.number + ': ' + bytesOf(a.size) + ', ' + a.kind);
    option.value = a.number;
    option.selected = a === chosen;
    pick.append(option);
  }
  pick.onchange = () => go('buffers/' + pick.value);
  const end = Math.max(1, ...all.flatMap(a => a.values.map(v => v.to))) + 1, tall = 400;
  const live = new Float64Array(end + 1);
  /* Values that share a place, as where a result is made in its operand's, count once. */
  const until = new Map();
  for (const v of [...chosen.values].sort((a, b) => a.from - b.from)) {
    const place = v.offset + ':' + v.size, from = Math.max(v.from, (until.get(place) ?? -1) + 1);
    if (v.to < from) continue;
    until.set(place, v.to);
    live[from] += v.size;
    if (v.to + 1 <= end) live[v.to + 1] -= v.size;
  }
  let sum = 0, peak = 0, peakAt = 0;
  for (let t = 0; t <= end; t++) {
    sum += live[t];
    live[t] = sum;
    if (sum > peak) {
      peak = sum;
      peakAt = t;
    }
  }
  const y = offset => offset / chosen.size * tall, shades = ['bar', 'bar2', 'bar3', 'bar4', 'bar6'];
  const boxes = chosen.values.map((v, k) => ({
    v,
    x: v.from,
    w: v.to - v.from + 1,
    y: y(v.offset),
    h: Math.max(0.5, y(v.size)),
    color: shades[k % shades.length]
  }));
  const board = new Board({
    width: end,
    height: tall,
    flat: true,
    hit: (x, py) => {
      const at = py / board.tallness;
      return boxes.find(b => x >= b.x && x < b.x + b.w && at >= b.y && at < b.y + b.h);
    },
    text: b => b.v.name + '\n' + b.v.type + '\n' + bytesOf(b.v.size) + ' at ' + b.v.offset + ', steps ' +
               b.v.from + ' to ' + b.v.to,
    open: b => {
      const i = instructionOf(b.v.name.replace(/\{.*/, ''));
      if (i) go('graph/after/' + i.computation.name + '/' + i.name);
    },
    draw: (c, b) => {
      const s = b.view.sx, h = b.tallness = (b.h - 90) / tall;
      for (const r of boxes) {
        const x = r.x * s + b.view.x, w = r.w * s, top = r.y * h + b.view.y;
        if (x + w < 0 || x > b.w) continue;
        c.fillStyle = colors[r.color];
        c.fillRect(x, top, Math.max(1, w - (w > 4 ? 1 : 0)), Math.max(1, r.h * h - (r.h * h > 4 ? 1 : 0)));
        if (w < 40 || r.h * h < 13) continue;
        c.fillStyle = '#fff';
        c.font = '11px system-ui, sans-serif';
        c.fillText(cut(r.v.name, Math.floor(w / 6.5)), Math.max(x, 0) + 4, top + Math.min(r.h * h - 3, 13));
      }
      const base = b.h - 14, high = 50;
      c.beginPath();
      c.moveTo(b.view.x, base);
      for (let t = 0; t <= end; t++) {
        c.lineTo(t * s + b.view.x, base - high * live[t] / (peak || 1));
        c.lineTo((t + 1) * s + b.view.x, base - high * live[t] / (peak || 1));
      }
      c.lineTo((end + 1) * s + b.view.x, base);
      c.fillStyle = colors.edge;
      c.fill();
      c.fillStyle = colors.dim;
      c.font = '11px system-ui, sans-serif';
      c.fillText(
          'bytes in use of this allocation: at most ' + bytesOf(peak) + ', at step ' + peakAt, 8, b.h - 3);
    }
  });
  board.tallness = 1;
  const head = make('div', 'dim',
      buffers.notes.join('; ') + '. Across: the schedule; downwards: the place in the allocation. ');
  head.append(pick);
  main.append(head, board.box);
  board.fit(0, Infinity);
  active.board = board;
}

/* ---- time ---- */
let measured = null; /* of a trace: hlo -> microseconds, and how often; xlagpu run --viewer brings one along */
let simulated = false; /* it is the simulator's: how long this machine took, not a GPU */
function readTrace(text) {
  const by = new Map();
  simulated = false;
  for (const e of JSON.parse(text).traceEvents || []) {
    if (e.ph !== 'X') continue;
    if (e.args && e.args.warp_instructions) simulated = true;
    const m = by.get(e.name) || {us: 0, runs: 0};
    m.us += e.dur;
    m.runs++;
    by.set(e.name, m);
  }
  return by;
}
if (model.last('trace')) measured = readTrace(model.last('trace').lines.join('\n'));
/* What runs inside of what, with times from below: of a measured run where there is one. */
function flameOf(root) {
  const waiting = new Map();
  for (const t of times) {
    const key = t.hlo + ' ' + t.kernel;
    waiting.set(key, (waiting.get(key) || []).concat(t));
  }
  const seen = new Set();
  return (function node(number) {
    const t = thunks.thunks[number];
    if (!t || seen.has(number)) return {name: '?', us: 0, own: 0, children: []};
    seen.add(number);
    const row = (waiting.get(t.hlo + ' ' + (t.kernel || t.kind)) || []).shift(),
          m = measured && measured.get(t.hlo);
    const children = t.children.map(node), inside = children.reduce((s, c) => s + c.us, 0);
    const own = measured ? children.length ? 0 : m ? m.us : 0 : row ? row.us : 0;
    return {
      name: t.hlo,
      kind: t.kind,
      kernel: t.kernel,
      us: own + inside,
      own,
      predicted: row ? row.us : 0,
      limit: row ? row.limit : '',
      measured: m ? m.us : null,
      runs: row ? row.runs : 1,
      flops: t.flops,
      bytes: t.bytes,
      children
    };
  })(root);
}
function flameBoard(top) {
  const boxes = [];
  let deep = 0;
  (function lay(n, x, depth) {
    boxes.push({n, x, depth});
    deep = Math.max(deep, depth);
    let at = x + n.own;
    for (const c of n.children) {
      lay(c, at, depth + 1);
      at += c.us;
    }
  })(top, 0, 0);
  const high = 24;
  const board = new Board({
    width: top.us || 1,
    height: (deep + 1) * high,
    flat: true,
    hit: (x, y) =>
        boxes.find(b => x >= b.x && x < b.x + b.n.us && y >= b.depth * high && y < (b.depth + 1) * high),
    text: b => b.n.name + ' (' + b.n.kind + ')\n' + usOf(b.n.us) + ', ' +
               (100 * b.n.us / (top.us || 1)).toFixed(1) + '%' + (b.n.limit ? ', ' + b.n.limit : '') +
               (b.n.measured !== null ? '\npredicted ' + usOf(b.n.predicted) : ''),
    open: b => {
      if (b.n.kernel) go('kernel/' + b.n.kernel);
    },
    draw: (c, b) => {
      c.font = '11px system-ui, sans-serif';
      for (const r of boxes) {
        const x = r.x * b.view.sx + b.view.x, w = r.n.us * b.view.sx, y = r.depth * high + b.view.y;
        if (x + w < 0 || x > b.w || w < 0.3) continue;
        c.fillStyle = r.n.children.length ? colors.node : limitColor(r.n.limit);
        c.fillRect(x, y, Math.max(0.6, w - (w > 3 ? 1 : 0)), high - 2);
        if (w < 30) continue;
        c.fillStyle = r.n.children.length ? colors.fg : '#fff';
        c.fillText(cut(r.n.name, Math.floor((Math.min(x + w, b.w) - Math.max(x, 0)) / 6.5)),
            Math.max(x, 0) + 4, y + 15);
      }
    }
  });
  board.box.style.flex = 'none';
  board.box.style.height = Math.min(220, (deep + 1) * high + 44) + 'px';
  return board;
}
/* Operations a byte against operations a second, both as powers of ten; the roof: memory, then arithmetic. */
function rooflineBoard() {
  const bandwidth = (device.bandwidth || 0) * (device.read_permille || 1000) / 1000;
  const roofs = [
    [
      'matrix units, 16 bits',
      2 * (device.tensor_f16 || 0) * (device.sm_count || 0) * (device.tensor_mhz || 0) * 1e6
    ],
    ['f32', 2 * (device.f32_rate || 0) * (device.sm_count || 0) * (device.clock_mhz || 0) * 1e6]
  ].filter(r => r[1]);
  const points =
      kernels.filter(k => k.flops && k.bytes && k.us && k.runs)
          .map(k => ({k, x: Math.log10(k.flops / k.bytes), y: Math.log10(k.flops / (k.us / k.runs * 1e-6))}));
  const top = Math.log10(Math.max(1e9, ...roofs.map(r => r[1]))) + 0.4;
  const bottom = Math.min(top - 3, ...points.map(p => p.y)) - 0.3,
        left = Math.min(-2, ...points.map(p => p.x)) - 0.2;
  const right = Math.max(3.4, ...points.map(p => p.x)) + 0.2;
  const px = (b, x) => 60 + (x - left) / (right - left) * (b.w - 80),
        py = (b, y) => 14 + (top - y) / (top - bottom) * (b.h - 50);
  const board = new Board({
    width: 1,
    height: 1,
    flat: true,
    hit: (x, y) => points.find(p => Math.hypot(px(board, p.x) - x, py(board, p.y) - y) < 7),
    text: p => p.k.name + '\n' + (p.k.flops / p.k.bytes).toPrecision(3) + ' flops a byte, ' +
               si(10 ** p.y, 'flops/s') + ', ' + usOf(p.k.us / p.k.runs) + ', ' + p.k.limited,
    open: p => go('kernel/' + p.k.name),
    draw: (c, b) => {
      c.font = '11px system-ui, sans-serif';
      c.lineWidth = 1;
      for (let x = Math.ceil(left); x <= right; x++) {
        c.fillStyle = colors.line;
        c.fillRect(px(b, x), 14, 1, b.h - 50);
        c.fillStyle = colors.dim;
        c.fillText(x < 0 ? (10 ** x).toFixed(-x) : String(10 ** x), px(b, x) - 8, b.h - 20);
      }
      for (let y = Math.ceil(bottom); y <= top; y++) {
        c.fillStyle = colors.line;
        c.fillRect(60, py(b, y), b.w - 80, 1);
        c.fillStyle = colors.dim;
        c.fillText(si(10 ** y, '').replace('.00', ''), 8, py(b, y) + 4);
      }
      c.fillText(
          'flops a byte across, flops a second upwards; a point: a kernel, bytes of its whole buffers',
          60, b.h - 5);
      for (const [name, peak] of roofs) {
        const ridge = Math.log10(peak / bandwidth);
        c.strokeStyle = colors.fg;
        c.beginPath();
        const start = Math.max(left, bottom - Math.log10(bandwidth || 1));
        if (bandwidth) c.moveTo(px(b, start), py(b, start + Math.log10(bandwidth)));
        c.lineTo(px(b, ridge), py(b, Math.log10(peak)));
        c.lineTo(px(b, right), py(b, Math.log10(peak)));
        c.stroke();
        c.fillStyle = colors.dim;
        c.fillText(name + ': ' + si(peak, 'flops/s'), px(b, right) - 190, py(b, Math.log10(peak)) - 4);
      }
      for (const p of points) {
        c.fillStyle = limitColor(p.k.limited);
        c.beginPath();
        c.arc(px(b, p.x), py(b, p.y), 4, 0, 7);
        c.fill();
      }
    }
  });
  return board;
}
function viewTime(main) {
  const top = flameOf(thunks.root), flame = flameBoard(top), roof = rooflineBoard();
  const pick = make('input');
  pick.type = 'file';
  pick.onchange = () => pick.files[0].text().then(text => {
    measured = readTrace(text);
    go('time');
  });
  const head = make('div', 'dim',
      measured ? (simulated ? 'simulated in ' : 'measured ') + usOf(top.us) + ', predicted ' + usOf(total) + '; trace: '
               : 'predicted ' + usOf(total) +
                     '; a trace (xlagpu run M.hlo --trace=T.json) puts measured times beside: ');
  head.append(pick);
  const rows = times.map(
      t => Object.assign({measured: measured && measured.get(t.hlo) ? measured.get(t.hlo).us : null}, t));
  const columns = [
    ['instruction', r => r.hlo], ['predicted', r => r.us, usOf, 'm'], ['limited by', r => r.limit],
    ['% of peak', r => r.peak, null, 'n'], ['runs', r => r.runs, null, 'n'], ['kernel', r => r.kernel]
  ];
  const taken = simulated ? 'simulated in' : 'measured';
  if (measured) columns.splice(2, 0, [taken, r => r.measured || 0, v => v ? usOf(v) : '-', 'm']);
  main.append(head, legendOf(limitsSeen), flame.box, roof.box, tableOf(columns, rows, r => {
    if (kernelNamed.has(r.kernel)) go('kernel/' + r.kernel);
  }));
  flame.fit(0, Infinity);
  roof.view = {x: 0, y: 0, sx: 1, sy: 1};
  roof.zoom = () => {};
  roof.canvas.addEventListener('pointerdown', () => { roof.view.x = roof.view.y = 0; });
  roof.paint();
  active.board = flame;
}

/* ---- one stage ---- */
function viewStage(main, number, whole = '') {
  const s = model.stages[+number];
  if (!s) {
    main.append(make('p', 'dim', 'there is no stage ' + number));
    return;
  }
  const box = make('div', 'columns');
  if (s.before && !whole) {
    const rows = changesOf(s), lines = side => rows.map(r => r[side] === null ? '' : r[side]);
    const classOf = side => k => {
      const [old, now, skip] = rows[k];
      return skip ? 'skip' : old === now || rows[k][side] === null ? '' : 'da'[side];
    };
    const two = [textColumn('before', lines(0), classOf(0)), textColumn('after', lines(1), classOf(1))];
    two.forEach((c, k) => c.rows.box.addEventListener('scroll', () => {
      const other = two[1 - k].rows.box;
      if (other.scrollTop !== c.rows.box.scrollTop) other.scrollTop = c.rows.box.scrollTop;
    }));
    two.forEach(c => { box.append(c.column); });
    main.append(box);
    two.forEach(c => c.rows.draw(true));
    const first = rows.findIndex(r => r[0] !== r[1] && !r[2]);
    if (first > 8) two[0].rows.box.scrollTop = two[1].rows.box.scrollTop = (first - 4) * ROW;
  } else {
    const one = textColumn(s.name, s.lines);
    box.append(one.column);
    main.append(box);
    one.rows.draw(true);
  }
}
