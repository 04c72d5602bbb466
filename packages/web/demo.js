'use strict';
/* demo.js -- each command of the tool is a fresh instance of the module with a file system of its own: in goes the text
 * at the left, out comes what the command prints and writes. */
const $ = id => document.getElementById(id);
const TABS = [
  ['passes', 'Passes, graph, kernels', ['compile', 'm.hlo', '--viewer=page.html'], 'page.html'],
  ['ptx', 'PTX', ['compile', 'm.hlo', '--emit=ptx']],
  ['result', 'Result on the simulator', ['run', 'm.hlo', '--platform=host', '--summary']],
  ['stats', 'What it executed', ['run', 'm.hlo', '--platform=host', '--stats', '--quiet']],
  ['hlo', 'Optimized HLO', ['compile', 'm.hlo', '--emit=hlo']],
  ['memory', 'Buffers', ['compile', 'm.hlo', '--emit=buffers']],
];
const EXAMPLES = {
  'RMS norm': `HloModule rms_norm

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY main {
  x = f32[32,128] parameter(0)
  gain = f32[128] parameter(1)
  squares = f32[32,128] multiply(x, x)
  zero = f32[] constant(0)
  sum = f32[32] reduce(squares, zero), dimensions={1}, to_apply=add
  width = f32[] constant(128)
  widths = f32[32] broadcast(width), dimensions={}
  mean = f32[32] divide(sum, widths)
  factor = f32[32] rsqrt(mean)
  factors = f32[32,128] broadcast(factor), dimensions={0}
  scaled = f32[32,128] multiply(x, factors)
  gains = f32[32,128] broadcast(gain), dimensions={1}
  ROOT y = f32[32,128] multiply(scaled, gains)
}
`,
  'Matrix product and tanh': `HloModule dense

ENTRY main {
  x = bf16[64,128] parameter(0)
  w = bf16[128,64] parameter(1)
  y = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[64,64] tanh(y)
}
`,
  'Sort': `HloModule sort

less {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT l = pred[] compare(p, q), direction=LT
}

ENTRY main {
  x = f32[8,256] parameter(0)
  ROOT s = f32[8,256] sort(x), dimensions={1}, to_apply=less
}
`,
  'StableHLO': `module @jit_f {
  func.func public @main(%arg0: tensor<16x64xf32>) -> tensor<16x64xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<16x64xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
`,
  'A mistake': `ENTRY main {
  x = f32[4,8] parameter(0)
  b = float32[8] parameter(1)
  ROOT y = f32[4,8] add(x, b)
}
`,
};

/* The module's bytes: base64 of gzip, which browsers unpack themselves. */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
let compiled = null; /* a promise of the WebAssembly.Module */
const prepare = () => compiled || (compiled = unpack($('wasm').textContent).then(b => WebAssembly.compile(b)));

/* Runs a command on the text: {text, error, status, file}. */
async function command(words, text, file) {
  const module = await prepare(), out = [], errors = [];
  let status = 0;
  const tool = await xlagpu({
    noInitialRun: true,
    print: line => out.push(line),
    printErr: line => errors.push(line),
    quit: code => { status = code; },
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(module, imports).then(i => done(i, module));
      return {};
    },
  });
  tool.FS.writeFile('m.hlo', text);
  try {
    const code = tool.callMain(words);
    if (code) status = code;
  } catch (e) {
    if (e && e.name === 'ExitStatus') status = e.status;
    else errors.push(String(e));
  }
  let made = null;
  try { made = file ? tool.FS.readFile(file, {encoding: 'utf8'}) : null; } catch (e) { /* it was not written */ }
  return {text: out.join('\n'), error: errors.join('\n'), status, file: made};
}

let shown = 'passes', made = {};
function show() {
  const out = $('out'), m = made[shown];
  for (const b of $('tabs').children) b.className = b.id === 'tab-' + shown ? 'on' : '';
  out.textContent = '';
  if (!m) return;
  if (m.file && !m.status) {
    const frame = document.createElement('iframe');
    const dark = document.documentElement.classList.contains('dark');
    frame.srcdoc = dark ? m.file.replace('<html', '<html class="dark"') : m.file;
    frame.title = 'stages of the compilation';
    out.append(frame);
    return;
  }
  const pre = document.createElement('pre');
  pre.textContent = m.text + (m.text && m.error ? '\n\n' : '') + m.error;
  if (m.status) pre.className = 'bad';
  out.append(pre);
}
async function go() {
  const begin = performance.now(), text = $('text').value, target = '--target=' + $('target').value;
  made = {};
  $('say').textContent = 'working ...';
  for (const [name, , words, file] of TABS) {
    made[name] = await command(words.concat([target]), text, file);
    if (name === shown) show();
    if (made[name].status && words[0] === 'compile') { /* one message is enough */
      for (const [other] of TABS) made[other] = made[name];
      break;
    }
  }
  show();
  const bad = Object.values(made).find(m => m.status);
  const took = (performance.now() - begin).toFixed(0) + ' ms';
  $('say').textContent = (bad ? 'exit status ' + bad.status : 'done') + ' in ' + took;
}

for (const [name, title] of TABS) {
  const b = document.createElement('button');
  b.id = 'tab-' + name;
  b.textContent = title;
  b.onclick = () => { shown = name; show(); };
  $('tabs').append(b);
}
for (const name in EXAMPLES) $('example').append(new Option(name));
$('example').onchange = () => { $('text').value = EXAMPLES[$('example').value]; go(); };
$('text').value = EXAMPLES['RMS norm'];
$('go').onclick = go;
$('target').onchange = go;
addEventListener('keydown', e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) go(); });
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
if (location.hash) shown = location.hash.slice(1);
const ready = go();
