// viewer_probe.js -- what a browser runs behind a page of --viewer: every view, kernels, stages and keys, and how
// long a frame takes. It ends with a line "probe: ..." in the page, which viewer.sh reads.
'use strict';
(() => {
  const problems = [], say = [];
  const check = (what, holds) => {
    if (!holds) problems.push(what);
  };
  const press = (k, target) => onKey({key: k, target, preventDefault() {}});
  const median = list => list.sort((a, b) => a - b)[list.length >> 1];
  const frames = (n, paint) => {
    const took = [];
    for (let k = 0; k < n; k++) {
      const begin = performance.now();
      paint(k);
      took.push(performance.now() - begin);
    }
    return median(took).toFixed(1) + ' ms';
  };
  try {
    const main = document.getElementById('main');
    for (const [name] of VIEWS) {
      show(name);
      check('view ' + name + ' is empty', main.textContent.length > 20 && main.children.length > 1);
      check('view ' + name + ' is wider than the page', document.body.scrollWidth <= innerWidth);
      if (active.board) active.board.now();
    }
    press('2');
    check('key 2 shows another view', location.hash === '#graph');
    const theme = document.documentElement.className;
    show('overview');
    press('t');
    check('key t changes nothing', document.documentElement.className !== theme);

    // the graph: what is drawn is found again, and colors stand where a node is
    show('graph');
    const board = active.board, nodes = graphNow.nodes;
    board.now();
    for (const n of [nodes[0], nodes[nodes.length >> 1], nodes[nodes.length - 1]]) {
      board.view.sx = board.view.sy = 1;
      board.center(n.x, n.y);
      board.now();
      check('node ' + n.label + ' is not where it is drawn', board.find(board.w / 2, board.h / 2) === n);
      const c = board.canvas.getContext('2d'), scale = devicePixelRatio || 1;
      const dot = c.getImageData(board.w / 2 * scale - n.width / 2 * scale + 3, board.h / 2 * scale, 1, 1).data;
      check('node ' + n.label + ' is not drawn', dot[3] > 0);
    }
    for (const r of graphNow.ranks)
      for (let k = 1; k < r.length; k++)
        check('nodes overlap', r[k].x - r[k - 1].x >= (r[k].width + r[k - 1].width) / 2 - 0.01);
    for (const n of nodes)
      for (const o of n.operands) check('an edge goes upwards', o.rank < n.rank);
    say.push('graph of ' + nodes.length + ': ' + frames(20, k => {
      board.view.y -= 40;
      board.now();
    }));
    board.fit(0);
    say.push('all of it ' + frames(10, k => {
      board.view.x += 1;
      board.now();
    }));

    // lines of HLO, IR and PTX belong together
    for (const k of kernels.slice(0, 3)) {
      show('kernel/' + k.name);
      const [hlo_, ir, ptx] = active.columns.map(c => c.rows);
      const linked = ptx.inner.querySelectorAll('.linked').length;
      check(
          'no line of ' + k.name + ' is linked', linked > 0 || data.stages.every(s => !s[0].startsWith('ptx_lines')));
      if (linked)
        check('a PTX line of ' + k.name + ' marks none', ptx.marks.size && ir.marks.size && hlo_.marks.size);
    }
    const long = model.stages.reduce((a, b) => b.lines.length > a.lines.length ? b : a);
    show('stage/' + model.stages.indexOf(long) + '/whole');
    const rows = main.querySelector('.rows');
    say.push('text of ' + long.lines.length + ' lines ' + frames(20, k => {
      rows.scrollTop += 900;
      rows.dispatchEvent(new Event('scroll'));
      rows.getBoundingClientRect();
    }));
    check('more lines are made than are seen', rows.querySelectorAll('.row').length < 400);
    const changed = model.stages.filter(s => s.before), begin = performance.now();
    for (const s of changed.slice(0, 60)) {
      show('stage/' + model.stages.indexOf(s));
      check(s.name + ' is not shown', main.querySelectorAll('.row').length > 0);
    }
    say.push(Math.min(60, changed.length) + ' differences in ' + (performance.now() - begin).toFixed(0) + ' ms');
  } catch (e) {
    problems.push(e.stack || String(e));
  }
  const end = document.createElement('pre');
  end.textContent =
      'probe: ' + (problems.length ? 'FAILED: ' + [...new Set(problems)].slice(0, 5).join('; ') : 'ok') + '; ' +
      say.join('; ');
  document.body.append(end);
})();
