/* ---- graph.js: where the nodes of a computation stand; nothing here touches the page ---- */
/* Sizes in pixels; an edge over at most `chain` ranks goes around the nodes between. */
const GRAPH = {
  rowHeight: 56,
  nodeHeight: 26,
  gap: 18,
  letter: 6.6,
  least: 46,
  most: 240,
  sweeps: 8,
  chain: 24
};

/* Places that are as near as can be to those wished for, in this order, and do not overlap: pools of
 * neighbours that would overlap are moved together to the mean of their wishes. */
function spread(nodes, wish) {
  const pools = [];
  let room = 0;
  nodes.forEach((node, k) => {
    if (k) room += (nodes[k - 1].width + node.width) / 2 + GRAPH.gap;
    pools.push({sum: wish[k] - room, n: 1});
    while (pools.length > 1) {
      const b = pools[pools.length - 1], a = pools[pools.length - 2];
      if (a.sum / a.n < b.sum / b.n) break;
      a.sum += b.sum;
      a.n += b.n;
      pools.pop();
    }
  });
  let k = 0;
  room = 0;
  for (const pool of pools)
    for (let j = 0; j < pool.n; j++, k++) {
      if (k) room += (nodes[k - 1].width + nodes[k].width) / 2 + GRAPH.gap;
      nodes[k].x = pool.sum / pool.n + room;
    }
}
/* The edges to the readers of a node. A long one passes places of its own in the ranks between, shared by all
 * readers. */
function layEdges(node, edges, places) {
  const via = [node];
  for (const user of node.users) {
    let from = node;
    for (let r = 1; user.rank - node.rank <= GRAPH.chain && r < user.rank - node.rank; r++) {
      if (!via[r]) {
        via[r] = {rank: node.rank + r, width: 4, x: 0, up: [from], down: [], place: true};
        from.down.push(via[r]);
        edges.push({from, to: via[r], source: node});
        places.push(via[r]);
      }
      from = via[r];
    }
    from.down.push(user);
    user.up.push(from);
    edges.push({from, to: user, source: node});
  }
}
/* Ranks by the longest way from the inputs; what reads nothing stands right above its first reader. Then each
 * rank in the order of the means of its neighbours, a few times downwards and upwards. */
function layGraph(computation) {
  const nodes =
      computation.instructions.map(i => ({i, rank: 0, users: [], operands: [], up: [], down: [], x: 0}));
  const of = new Map(nodes.map(n => [n.i.name, n]));
  for (const n of nodes) {
    for (const name of new Set(n.i.operands)) {
      const o = of.get(name);
      if (!o) continue;
      n.operands.push(o);
      o.users.push(n);
      n.rank = Math.max(n.rank, o.rank + 1);
    }
    n.label = n.i.opcode === 'fusion' || n.i.opcode === 'parameter' ? n.i.name : n.i.opcode + ' ' + n.i.name;
    if (n.i.name.startsWith(n.i.opcode)) n.label = n.i.name;
    n.width = Math.min(GRAPH.most, Math.max(GRAPH.least, n.label.length * GRAPH.letter + 14));
  }
  for (const n of nodes)
    if (!n.operands.length && n.users.length) n.rank = Math.max(0, Math.min(...n.users.map(u => u.rank)) - 1);
  const ranks = [], edges = [], places = [];
  for (const n of nodes) layEdges(n, edges, places);
  for (const n of nodes.concat(places)) (ranks[n.rank] = ranks[n.rank] || []).push(n);
  for (let k = 0; k < ranks.length; k++) ranks[k] = ranks[k] || [];
  const mean = list => list.reduce((sum, n) => sum + n.x, 0) / list.length;
  for (const rank of ranks) spread(rank, rank.map(() => 0));
  for (let sweep = 0; sweep < GRAPH.sweeps; sweep++) {
    const down = sweep % 2 === 0;
    for (let k = 0; k < ranks.length; k++) {
      const rank = ranks[down ? k : ranks.length - 1 - k], near = n => down ? n.up : n.down;
      const wish = new Map(rank.map(n => [n, near(n).length ? mean(near(n)) : n.x]));
      rank.sort((a, b) => wish.get(a) - wish.get(b));
      spread(rank, rank.map(n => wish.get(n)));
    }
  }
  const left = nodes.reduce((x, n) => Math.min(x, n.x - n.width / 2), Infinity);
  const right = nodes.reduce((x, n) => Math.max(x, n.x + n.width / 2), -Infinity);
  for (const n of nodes.concat(places)) {
    n.x -= left;
    n.y = n.rank * GRAPH.rowHeight;
  }
  return {
    nodes,
    edges,
    of,
    ranks,
    width: nodes.length ? right - left : 0,
    height: ranks.length * GRAPH.rowHeight
  };
}
