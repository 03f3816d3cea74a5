// Turns LaTeX into MathML with MathJax. Reads one JSON object {packages, latex: [...]} a line from standard input, and
// writes one JSON list of MathML a line: an empty string where MathJax reports an error. {packages, symbols: true} lists
// the commands of these packages that are one symbol.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(process.cwd() + '/'));
const load = (path) => require('@mathjax/src/cjs/' + path);
const { mathjax } = load('mathjax.js');
const { TeX } = load('input/tex.js');
const { liteAdaptor } = load('adaptors/liteAdaptor.js');
const { RegisterHTMLHandler } = load('handlers/html.js');
const { SerializedMmlVisitor } = load('core/MmlTree/SerializedMmlVisitor.js');
const { STATE } = load('core/MathItem.js');
const { MapHandler } = load('input/tex/MapHandler.js');
const { ConfigurationHandler } = load('input/tex/Configuration.js');

RegisterHTMLHandler(liteAdaptor());
const visitor = new SerializedMmlVisitor();

const readers = new Map();
function reader(packages) {
  const key = packages.join(' ');
  if (!readers.has(key)) {
    for (const name of packages) {
      if (name === 'base' || name === 'ams') {
        load(`input/tex/${name}/${name === 'ams' ? 'Ams' : 'Base'}Configuration.js`);
      } else {
        const folder = `input/tex/${name}/`;
        const file = require('node:fs').readdirSync(
          require.resolve('@mathjax/src/cjs/mathjax.js').replace('mathjax.js', folder)
        ).find((entry) => entry.endsWith('Configuration.js'));
        load(folder + file);
      }
    }
    const tex = new TeX({ packages, tags: 'none', formatError: (_jax, error) => { throw error; } });
    readers.set(key, mathjax.document('', { InputJax: tex, compileError: (_doc, _math, error) => { throw error; } }));
  }
  return readers.get(key);
}

function convert(packages, latex) {
  try {
    const tree = reader(packages).convert(latex, { display: true, end: STATE.CONVERT });
    return visitor.visitTree(tree).replace(/ data-latex="[^"]*"/g, '');
  } catch (error) {
    return '';
  } finally {
    if (/\\(?:\w*def|let|\w+command|begingroup|Declare\w+|\w+environment)\b/.test(latex)) {
      readers.delete(packages.join(' '));  // its definitions end with the formula
    }
  }
}

function symbols(packages) {
  reader(packages);
  const found = new Set();
  for (const name of packages) {
    const handlers = ConfigurationHandler.get(name)?.handler ?? {};
    for (const map of [...(handlers.macro ?? []), ...(handlers.delimiter ?? [])]) {
      for (const [command, token] of MapHandler.getMap(map)?.map ?? []) {
        const text = token.char ?? token.args?.[0];  // textcomp has commands that insert one character
        if (token.char !== undefined || (typeof text === 'string' && [...text].length === 1)) {
          found.add(command.startsWith('\\') ? command : '\\' + command);
        }
      }
    }
  }
  return [...found].filter((command) => /^\\[a-zA-Z]+$/.test(command));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { packages, latex, symbols: list } = JSON.parse(line);
  const result = list ? symbols(packages) : latex.map((formula) => convert(packages, formula));
  process.stdout.write(JSON.stringify(result) + '\n');
}
