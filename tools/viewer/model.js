/* ---- model.js: what the compiler wrote, read into tables; nothing here touches the page ---- */

/* A stage is [name, family, lines kept at the head and at the tail of the stage before it, runs of lines
 * between]: a run is where it begins in the list of all lines, and how many lines it has. */
function readStages(data) {
  const stages = [], families = new Map();
  for (const [name, family, head, tail, runs] of data.stages) {
    const all = families.get(family) || [], before = all.length ? all[all.length - 1] : null;
    const old = before ? before.lines : [], lines = old.slice(0, head);
    for (let k = 0; k < runs.length; k += 2)
      for (let line = runs[k]; line < runs[k] + runs[k + 1]; line++) lines.push(data.lines[line]);
    for (let k = old.length - tail; k < old.length; k++) lines.push(old[k]);
    const stage = {name, family, before, lines, head, tail};
    all.push(stage);
    families.set(family, all);
    stages.push(stage);
  }
  return {
    stages,
    families,
    last: f => {
      const all = families.get(f);
      return all ? all[all.length - 1] : null;
    }
  };
}

/* The end of what begins at `at`: up to a separator outside of all brackets and strings. */
function spanOf(text, at, ends) {
  let depth = 0;
  for (; at < text.length; at++) {
    const c = text[at];
    if (c === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++)
        if (text[at] === '\\') at++;
      continue;
    }
    if (depth === 0 && ends.includes(c)) return at;
    if (c === '(' || c === '[' || c === '{')
      depth++;
    else if (c === ')' || c === ']' || c === '}')
      depth--;
  }
  return at;
}
function splitOutside(text, separator) {
  const parts = [];
  for (let at = 0; at < text.length;) {
    const end = spanOf(text, at, separator);
    parts.push(text.slice(at, end).trim());
    at = end + 1;
  }
  return parts;
}
/* `  ROOT x.1 = f32[8]{0} add(a, b), metadata={...}`: null where the line is no instruction. */
function readInstruction(line) {
  const m = /^\s*(ROOT )?%?([^\s=]+) = /.exec(line);
  if (!m) return null;
  const typeEnd = spanOf(line, m[0].length, ' '), open = line.indexOf('(', typeEnd);
  if (open < 0) return null;
  const close = spanOf(line, open + 1, ')'), inner = line.slice(open + 1, close);
  const attributes = {};
  for (const part of splitOutside(line.slice(close + 1).replace(/^,/, ''), ',')) {
    const equals = part.indexOf('=');
    if (equals > 0) attributes[part.slice(0, equals)] = part.slice(equals + 1);
  }
  const opcode = line.slice(typeEnd, open).trim();
  const operands = opcode === 'constant' || opcode === 'parameter'
                       ? []
                       : splitOutside(inner.replace(/\/\*.*?\*\//g, ''), ',')
                             .map(o => o.split(' ').pop().replace(/^%/, ''))
                             .filter(o => o);
  return {
    root: !!m[1],
    name: m[2],
    type: line.slice(m[0].length, typeEnd),
    opcode,
    operands,
    attributes,
    inner
  };
}
/* Computations by name, in their order, each with its instructions; `line`: where they stand in the text. */
function readHlo(lines) {
  const all = [];
  let now = null;
  for (let k = 0; k < lines.length; k++) {
    const line = lines[k];
    if (now && line.startsWith('}')) {
      now.end = k;
      now = null;
      continue;
    }
    const m = now ? null : /^(ENTRY )?%?([^\s(]+)\s.*\{$/.exec(line);
    if (m && !line.startsWith('HloModule')) {
      now = {name: m[2], entry: !!m[1], begin: k, end: lines.length, instructions: [], byName: new Map()};
      all.push(now);
    } else if (now) {
      const i = readInstruction(line);
      if (!i) continue;
      i.line = k;
      i.computation = now;
      now.instructions.push(i);
      now.byName.set(i.name, i);
    }
  }
  return {
    computations: all,
    byName: new Map(all.map(c => [c.name, c])),
    entry: all.find(c => c.entry) || all[all.length - 1]
  };
}
const calledBy = i => ['calls', 'to_apply', 'body', 'condition', 'true_computation', 'false_computation']
                          .filter(k => i.attributes[k])
                          .map(k => i.attributes[k].replace(/^%/, ''))
                          .concat(i.attributes.branch_computations
                                      ? splitOutside(i.attributes.branch_computations.slice(1, -1), ',')
                                            .map(n => n.replace(/^%/, ''))
                                      : []);

/* How a kernel is made: {rule or emitter, form, launch, estimates in picoseconds}; null: there is no record.
 */
function recordOf(i) {
  try {
    return JSON.parse(i.attributes.backend_config || '{}').xlagpu_kernel || null;
  } catch (e) {
    return null;
  }
}
const wordOf = v => Array.isArray(v) ? v.map(wordOf).join('x')
                    : v && typeof v === 'object'
                        ? Object.entries(v).map(([k, x]) => k + ' ' + wordOf(x)).join(', ')
                        : String(v);

/* predicted_us limited_by %_of_peak runs hlo kernel */
const readTimes = stage =>
    (stage ? stage.lines.slice(1) : []).filter(l => l).map(l => l.split('\t')).map(c => ({
      us: +c[0],
      limit: c[1],
      peak: c[2] === '-' ? null : +c[2],
      runs: +c[3],
      hlo: c[4],
      kernel: c[5]
    }));

/* The listing of the executable: launches of kernels, and what runs inside of what. */
function readThunks(stage) {
  const kernels = new Map(), thunks = [];
  let root = 0;
  for (const line of stage ? stage.lines : []) {
    let m = /^kernel \d+: (\S+), grid (\d+) (\d+) (\d+), block (\d+) (\d+) (\d+), shared (\d+)/.exec(line);
    if (m)
      kernels.set(
          m[1], {name: m[1], grid: [+m[2], +m[3], +m[4]], block: [+m[5], +m[6], +m[7]], shared: +m[8]});
    m = /^thunk (\d+): (\S+) (\S+)/.exec(line);
    if (m) {
      const number = what => {
        const n = new RegExp(', ' + what + ' (\\d+)').exec(line);
        return n ? +n[1] : 0;
      };
      const inside = /\{([\d, ]+)\}/.exec(line.replace(/\([^)]*\)/g, ''));
      thunks[+m[1]] = {
        kind: m[2],
        hlo: m[3].replace(/,$/, ''),
        flops: number('flops'),
        bytes: number('bytes'),
        kernel: [...kernels.keys()][number('run')],
        children: inside ? inside[1].split(/[ ,]+/).map(Number) : []
      };
      if (m[2] !== 'kernel') thunks[+m[1]].kernel = '';
    }
    m = /, root (\d+)/.exec(line);
    if (m) root = +m[1];
  }
  return {kernels, thunks, root};
}
/* Which memory each value has, and from which to which place of the schedule. */
function readBuffers(stage) {
  const allocations = [], notes = [];
  for (const line of stage ? stage.lines : []) {
    let m = /^allocation (\d+): size (\d+), (.*?):?$/.exec(line);
    if (m) {
      allocations.push({number: +m[1], size: +m[2], kind: m[3], values: []});
      continue;
    }
    m = /^ value: <(.*)> \(size=(\d+),offset=(\d+),live=(\d+)-(\d+)\): (.*)$/.exec(line);
    if (m)
      allocations[allocations.length - 1].values.push(
          {name: m[1], size: +m[2], offset: +m[3], from: +m[4], to: +m[5], type: m[6]});
    else if (/^(Total|Temporary)/.test(line))
      notes.push(line);
  }
  return {allocations, notes};
}
/* pass computation: what: verdict, numbers in ns */
const readFusionLog = stage => (stage ? stage.lines : []).map(line => {
  const m = /^(\S+) (\S+): (.*?): (fused|refused|[a-z]+), ?(.*)$/.exec(line);
  if (!m) return {pass: '', computation: '', what: line, verdict: '', why: '', gain: 0};
  const t = /apart (\d+) ns, together (\d+) ns/.exec(m[5]);
  return {
    pass: m[1],
    computation: m[2],
    what: m[3],
    verdict: m[4],
    why: m[5],
    apart: t && +t[1],
    together: t && +t[2],
    gain: t ? t[1] - t[2] : 0
  };
});

/* The text of one kernel in that of all; from, to: its lines. */
function kernelPtx(ptx, name) {
  const text = ptx ? ptx.lines : [];
  const from = text.findIndex(l => l.startsWith('.visible .entry ' + name + '('));
  if (from < 0) return [];
  let to = from;
  while (to < text.length && text[to] !== '}') to++;
  return text.slice(from, to + 1);
}
/* What may be resident on a multiprocessor, and what limits it. Registers are known to ptxas alone: the bound
 * that the kernel asks for (.minnctapersm) stands for them. */
function occupancyOf(kernel, ptx, device) {
  const threads = kernel.block[0] * kernel.block[1] * kernel.block[2],
        blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
  let fixed = 0, asked = 0;
  for (const line of ptx) {
    const m = /\.shared .*\.b(\d+) [^\[]+\[(\d+)\]/.exec(line), r = /^\.minnctapersm (\d+)/.exec(line);
    if (m) fixed += m[1] / 8 * m[2];
    if (r) asked = +r[1];
  }
  const shared = kernel.shared + fixed, limits = [];
  const warps = Math.ceil(threads / 32) * 32;
  if (device.threads_per_sm) limits.push(['threads', Math.floor(device.threads_per_sm / warps)]);
  if (device.blocks_per_sm) limits.push(['blocks', device.blocks_per_sm]);
  if (shared && device.shared_per_sm)
    limits.push(
        ['shared memory', Math.floor(device.shared_per_sm / (shared + (device.shared_reserved || 0)))]);
  if (asked) limits.push(['.minnctapersm (registers)', asked]);
  limits.sort((a, b) => a[1] - b[1]);
  const resident = limits.length ? limits[0][1] : 0, slots = resident * (device.sm_count || 1);
  return {
    threads,
    blocks,
    shared,
    resident,
    limits,
    limit: limits.length ? limits[0][0] : '',
    occupancy: device.threads_per_sm ? resident * warps / device.threads_per_sm : 0,
    waves: slots ? blocks / slots : 0
  };
}
/* Lines of the last IR of a kernel, of its PTX and of the HLO that belong together: ir[k], ptx[k] are keys of
 * HLO instructions ("computation name") and, for PTX, the line of the IR. */
function linksOf(model, name, irLines, ptxLines) {
  const of = model.last('ir_lines/' + name), to = model.last('ptx_lines/' + name);
  const hlo = irLines.map(() => ''), lineOf = [], irOf = ptxLines.map(() => -1);
  let op = 0, inside = false;
  irLines.forEach((line, k) => {
    if (!inside || /^\s*\}/.test(line)) {
      inside = inside || line.startsWith('func.func');
      return;
    }
    hlo[k] = of && of.lines[op] ? of.lines[op] : '';
    lineOf[++op] = k;
  });
  /* the rows are those of the last lines: declarations stand in front of them */
  const rows = to ? to.lines : [], first = ptxLines.length - rows.length;
  rows.forEach((n, k) => {
    if (+n && lineOf[+n] !== undefined && first + k >= 0) irOf[first + k] = lineOf[+n];
  });
  return {hlo, irOf};
}

/* What changed between two lists of lines, as pairs of lines. Lines that stand once in either list are
 * anchors where they come in the same order (patience); between anchors, the longest common subsequence; what
 * is too long for that is shown one behind the other. */
function difference(a, b) {
  const rows = [];
  (function part(i, iEnd, j, jEnd) {
    while (i < iEnd && j < jEnd && a[i] === b[j]) rows.push([a[i++], b[j++]]);
    const tail = [];
    while (i < iEnd && j < jEnd && a[iEnd - 1] === b[jEnd - 1]) tail.push([a[--iEnd], b[--jEnd]]);
    if (i < iEnd && j < jEnd) {
      const anchors = (iEnd - i) * (jEnd - j) > 4e4 ? anchorsOf(a, i, iEnd, b, j, jEnd) : [];
      if (anchors.length) {
        for (const [x, y] of anchors) {
          part(i, x, j, y);
          rows.push([a[x], b[y]]);
          i = x + 1;
          j = y + 1;
        }
        part(i, iEnd, j, jEnd);
      } else
        subsequence(a, i, iEnd, b, j, jEnd, rows);
    } else {
      while (i < iEnd) rows.push([a[i++], null]);
      while (j < jEnd) rows.push([null, b[j++]]);
    }
    while (tail.length) rows.push(tail.pop());
  })(0, a.length, 0, b.length);
  return rows;
}
function anchorsOf(a, i, iEnd, b, j, jEnd) {
  const seen = new Map();
  for (let k = i; k < iEnd; k++) seen.set(a[k], seen.has(a[k]) ? -1 : k);
  const places = new Map();
  for (let k = j; k < jEnd; k++)
    if (seen.get(b[k]) >= 0) places.set(b[k], places.has(b[k]) ? -1 : k);
  const pairs = [...places].filter(([, y]) => y >= 0).map(([text, y]) => [seen.get(text), y]); /* by y */
  const piles = [], before = new Array(pairs.length);
  pairs.forEach(([x], k) => { /* the longest increasing run of x */
    let low = 0, high = piles.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (pairs[piles[mid]][0] < x)
        low = mid + 1;
      else
        high = mid;
    }
    before[k] = low ? piles[low - 1] : -1;
    piles[low] = k;
  });
  const run = [];
  for (let k = piles.length ? piles[piles.length - 1] : -1; k >= 0; k = before[k]) run.push(pairs[k]);
  return run.reverse();
}
function subsequence(a, i, iEnd, b, j, jEnd, rows) {
  const n = iEnd - i, m = jEnd - j, w = m + 1;
  if (n * m > 4e6) {
    while (i < iEnd) rows.push([a[i++], null]);
    while (j < jEnd) rows.push([null, b[j++]]);
    return;
  }
  const best = new Uint16Array((n + 1) * w);
  for (let x = n - 1; x >= 0; x--)
    for (let y = m - 1; y >= 0; y--)
      best[x * w + y] = a[i + x] === b[j + y] ? best[(x + 1) * w + y + 1] + 1
                                              : Math.max(best[(x + 1) * w + y], best[x * w + y + 1]);
  let x = 0, y = 0;
  while (x < n || y < m) {
    if (x < n && y < m && a[i + x] === b[j + y])
      rows.push([a[i + x++], b[j + y++]]);
    else if (y < m && (x === n || best[x * w + y + 1] > best[(x + 1) * w + y]))
      rows.push([null, b[j + y++]]);
    else
      rows.push([a[i + x++], null]);
  }
}
/* The rows of a stage against the one before it; [text, '', 1] stands for lines that are the same. Lines that
 * went stand beside those that came for them. */
function changesOf(stage) {
  const rows = [], around = 3;
  const all = difference(stage.before.lines, stage.lines);
  let k = 0;
  while (k < all.length) {
    let end = k;
    while (end < all.length && all[end][0] === all[end][1]) end++;
    const first = k ? k + around : k, last = end < all.length ? end - around : end;
    if (last - first < 2)
      rows.push(...all.slice(k, end));
    else {
      const skip = ['... ' + (last - first) + ' lines are the same', '', 1];
      rows.push(...all.slice(k, first), skip, ...all.slice(last, end));
    }
    const went = [], came = [];
    for (k = end; k < all.length && all[k][0] !== all[k][1]; k++) {
      if (all[k][0] !== null) went.push(all[k][0]);
      if (all[k][1] !== null) came.push(all[k][1]);
    }
    for (let n = 0; n < went.length || n < came.length; n++)
      rows.push([n < went.length ? went[n] : null, n < came.length ? came[n] : null]);
  }
  return rows;
}

/* ---- numbers as text ---- */
const si = (n, unit) => {
  const steps = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']].find(s => Math.abs(n) >= s[0]);
  return (steps      ? (n / steps[0]).toPrecision(3) + ' ' + steps[1]
             : n % 1 ? n.toPrecision(3) + ' '
                     : n + ' ') +
         unit;
};
const bytesOf = n => n < 1024         ? n + ' B'
                     : n < 1048576    ? (n / 1024).toFixed(1) + ' KiB'
                     : n < 1073741824 ? (n / 1048576).toFixed(1) + ' MiB'
                                      : (n / 1073741824).toFixed(2) + ' GiB';
/* A grid or block without sizes of 1 at its end. */
const sizeOf = d => d.slice(0, d[2] > 1 ? 3 : d[1] > 1 ? 2 : 1).join(' x ');
const usOf = us => us >= 1000 ? (us / 1000).toFixed(2) + ' ms' : us.toFixed(us < 10 ? 2 : 1) + ' us';
