// web.js PAGE.html -- what packages/web/demo.js does in a browser, over the page's own texts: each example goes
// through each tab; those that are right end with exit status 0, the mistake with 2 and a place.
'use strict';
process.setMaxListeners(0); // each instance of the module adds some
const fs = require('fs'), zlib = require('zlib');
const html = fs.readFileSync(process.argv[2], 'utf8');
const bytes = zlib.gunzipSync(Buffer.from(/id="wasm">([\s\S]*?)<\/script>/.exec(html)[1].trim(), 'base64'));
const scripts = [...html.matchAll(/<script>\n([\s\S]*?)<\/script>/g)].map(m => m[1]);
const check = (what, holds) => {
  if (!holds) throw new Error(what);
};
check('the page loads something from elsewhere', !/<(script|link|img|iframe)[^>]+(src|href)=/.test(html));
// the tool's script, and of the page's the tables and what runs a command
const page = scripts[1].slice(0, scripts[1].indexOf('let shown'));
const make = new Function('require', '__dirname', '__filename', 'module', 'process', 'document',
    scripts[0] + ';' + page.replace(/^'use strict';/, '') +
        '; compiled = WebAssembly.compile(arguments[6]); return {TABS, EXAMPLES, command};');
const {TABS, EXAMPLES, command} = make(require, __dirname, __filename, {}, process, {}, bytes);
(async () => {
  let ran = 0;
  for (const [name, text] of Object.entries(EXAMPLES))
    for (const [tab, , words, file] of TABS) {
      const made = await command(words.concat(['--target=sm_90a']), text, file);
      const bad = name === 'A mistake';
      check(name + ', ' + tab + ': exit status ' + made.status + ' ' + made.error, made.status === (bad ? 2 : 0));
      if (bad)
        check('a mistake without its place', made.error.includes('m.hlo:3:7'));
      else if (file)
        check('no page', made.file.includes('id=\'data\''));
      else
        check(name + ', ' + tab + ': nothing is printed', (made.text + made.error).length > 20);
      ran++;
      if (bad) break;
    }
  console.log(ran + ' commands ran');
})().catch(e => {
  console.error(e);
  process.exit(1);
});
