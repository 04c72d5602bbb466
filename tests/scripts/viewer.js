// viewer.js PAGE.html TEXT STAGE -- opens a page of --viewer without a browser: over a small stand-in of the document
// its script must show every stage, draw a bar a step, and give back the text of STAGE as it stands in the file TEXT.
'use strict';
const fs = require('fs');
const [page, text, stage] = process.argv.slice(2);
const html = fs.readFileSync(page, 'utf8');
const json = /<script type='application\/json' id='data'>([\s\S]*?)<\/script>/.exec(html)[1];
const code = /<script>\n([\s\S]*?)<\/script>/.exec(html)[1];
if (/https?:|src=|@import/.test(html.replace(json, ''))) throw new Error('the page loads something from elsewhere');

class Element {
  constructor(tag) { Object.assign(this, { tag, children: [], style: {}, own: '', value: '', classes: new Set() }); }
  append(...all) { this.children.push(...all); }
  get textContent() { return this.own + this.children.map(c => c.textContent).join('\n'); }
  set textContent(t) { this.own = t; this.children = []; }
  get classList() {
    const all = this.classes;
    return { toggle: (c, on) => (on ? all.add(c) : all.delete(c)), add: c => all.add(c) };
  }
  querySelectorAll(tag) {
    return this.children.flatMap(c => (c.tag === tag ? [c] : []).concat(c.querySelectorAll(tag)));
  }
  scrollIntoView() {}
  remove() {}
  focus() {}
}
const ids = { data: Object.assign(new Element('script'), { own: json }) };
const $ = id => ids[id] || (ids[id] = new Element(id));
const document = { getElementById: $, createElement: t => new Element(t), documentElement: new Element('html') };
let key;
const listen = (what, f) => { if (what === 'keydown') key = f; };
const run = new Function('document', 'addEventListener', 'matchMedia', code + '; return { stages, show, last };');
const { stages, show, last } = run(document, listen, () => ({ matches: true }));
if (!document.documentElement.classes.has('dark')) throw new Error('a dark system gets a light page');

for (const s of stages) {
  show(s);
  if (!$('main').textContent.includes(s.name)) throw new Error('not shown: ' + s.name);
}
const found = stages.find(s => s.name === stage);
const wanted = fs.readFileSync(text, 'utf8').trimEnd();
if (!found || found.lines.join('\n') !== wanted) throw new Error(stage + ' is another text');
show(last('times'));
const steps = last('times').lines.slice(1).filter(l => l).length;
if ($('main').querySelectorAll('i').length !== steps || !steps) throw new Error('a step without its bar');
const press = k => key({ key: k, target: null, preventDefault() {} });
show(stages[0]);
press('j');
press('j');
press('k');
const on = $('list').querySelectorAll('a').filter(a => a.classes.has('on'));
if (on.length !== 1 || on[0] !== $('list').querySelectorAll('a')[1]) throw new Error('j and k do not go on and back');
const kernel = stages.find(s => s.name.endsWith('/final'));
show(kernel);
if (!$('main').textContent.includes('.entry')) throw new Error('a kernel without its PTX');
console.log(stages.length + ' stages, ' + steps + ' steps: shown');
