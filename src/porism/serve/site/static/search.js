// Porism's search for a static site: words and formulas, without a server. It fills the element #porism-search.
"use strict";
(() => {
  const script = document.currentScript;
  const folder = new URL(".", script?.src ?? location.href).href;

  // -- parts of the index: scripts, which load from a disk too -------------------------------------------------------
  const parts = new Map();
  const arriving = new Map();
  window.porism = (kind, number, value) => arriving.set(`${kind}-${number}`, value);

  function part(kind, number = 0) {
    const name = `${kind}-${number}`;
    if (!parts.has(name)) {
      parts.set(name, new Promise((done, failed) => {
        const element = document.createElement("script");
        element.src = `${folder}part-${name}.js`;
        element.onload = () => { element.remove(); done(arriving.get(name)); arriving.delete(name); };
        element.onerror = () => { parts.delete(name); failed(new Error(`${element.src} cannot be loaded`)); };
        document.head.append(element);
      }));
    }
    return parts.get(name);
  }

  // The number of the last part that begins at or before a key.
  function place(firsts, key) {
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (firsts[middle] <= key) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  }

  const partOfKey = async (key) => part("terms", place((await part("manifest")).terms, key));

  async function entry(key) {
    const entries = await partOfKey(key);
    return Object.hasOwn(entries, key) ? entries[key] : undefined;
  }

  // -- words ---------------------------------------------------------------------------------------------------------
  const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:_+|\.)[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu;
  const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
  const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
  const spelling = (word) => word.toLowerCase().normalize("NFKD").replace(/\p{Mn}/gu, "");

  // The terms of a word; of one that no unit has, those of the spelling most like it.
  async function termsOfWord(word) {
    const key = `w${spelling(word)}`;
    const known = await entry(key);
    if (known) return known[2] ?? [key.slice(1)];
    let best = [];
    let least = key.length;
    for (const [other, [, , terms]] of Object.entries(await partOfKey(key))) {
      let shared = 0;
      while (shared < key.length && key[shared] === other[shared]) shared += 1;
      const rest = key.length + other.length - 2 * shared;
      if (shared < 5 || rest > least || rest > shared / 2) continue;
      if (rest < least) best = [];
      least = rest;
      best.push(...(terms ?? [other.slice(1)]));
    }
    return [...new Set(best)];
  }

  // The words of a text as the index counts them: names of several words whole, and their parts.
  function wordsOf(text) {
    const words = [];
    for (const [run] of text.matchAll(RUN)) {
      const pieces = [...run.matchAll(WORD)].map(([piece]) => piece);
      if (pieces.length > 1) words.push(run, run.slice(run.lastIndexOf(".") + 1));
      for (const piece of pieces) {
        if (UNSPACED.test(piece)) { // characters and pairs of them
          const letters = [...piece];
          words.push(...letters, ...letters.slice(1).map((letter, number) => letters[number] + letter));
          continue;
        }
        const humps = piece.split(/(?<=[^\p{Lu}\d])(?=\p{Lu})|(?<=\d)(?=\p{Lu}\p{Ll})|(?<=\p{Lu})(?=\p{Lu}(?!s$)\p{Ll})/u);
        words.push(...(humps.length > 1 ? [piece, ...humps] : [piece]));
      }
    }
    return words;
  }

  // -- formulas ------------------------------------------------------------------------------------------------------
  const TOKEN = new RegExp([
    String.raw`\\(?:begin|end)\s*\{[^{}]*\}`, String.raw`\\[a-zA-Z]+\*?`, String.raw`\\\\(?:\[[^\]]*\])?`,
    String.raw`\\[\s\S]`, String.raw`\d+(?:(?:\{,\}|\\,)\d{3}(?!\d))*(?:(?:\.|\{,\})\d+)?`, String.raw`\.\d+|\.\.\.`,
    String.raw`:=|<=|>=|->`, String.raw`'+`, String.raw`\s+`, String.raw`[\s\S]`,
  ].join("|"), "gu");
  const MAX_DEPTH = 100;

  // Reads LaTeX to the terms of the channel "tokens": x^2 is x ^ { 2 }.
  class Reader {
    constructor(latex, tables) {
      this.tokens = latex.replace(/(^|[^\\])%[^\n]*\n?/g, "$1").match(TOKEN) ?? [];
      this.breaks = [...new Set(this.tokens.filter((token) => token.startsWith("\\\\"))), "\\cr"];
      this.at = this.depth = 0;
      this.tables = tables;
    }

    read() {
      let tokens = [];
      while (this.at < this.tokens.length) {
        tokens = tokens.concat(this.row(""));
        this.at += 1; // an end without a beginning
      }
      return ended(tokens);
    }

    // The tokens of a row up to one of the ends, which is not taken.
    row(font, ends = ["}"]) {
      let nodes = [];
      let numerator = null;
      let fraction = "";
      this.depth += 1;
      while (this.at < this.tokens.length) {
        const token = this.tokens[this.at];
        if (ends.includes(token) || (token.startsWith("\\end") && ends.includes("\\end"))) break;
        this.at += 1;
        const name = token[0] === "\\" ? token.slice(1) : "";
        if (this.tables.infix[name]) {
          [numerator, fraction, nodes] = [written(nodes), this.tables.infix[name], []];
        } else if (this.tables.switches[name] !== undefined) {
          font = this.tables.switches[name];
        } else {
          this.add(nodes, token, name, font);
        }
      }
      this.depth -= 1;
      return numerator ? [fraction, "{", ...numerator, "}", "{", ...written(nodes), "}"] : written(nodes);
    }

    add(nodes, token, name, font) {
      if (token === "^" || token === "_" || token[0] === "'" || token === "’" || token === "′" || name === "prime") {
        const last = nodes.at(-1);
        const node = last ?? { base: [] };
        if (!last) nodes.push(node);
        if (token === "_") node.below = (node.below ?? []).concat(this.argument(font));
        else {
          const more = token === "^" ? this.argument(font) : Array(name ? 1 : token.length).fill("′");
          node.above = (node.above ?? []).concat(more);
        }
        return;
      }
      let base = this.base(token, name, font);
      if (base === null) return;
      const [open, inner] = nodes.slice(-2);
      if (inner?.isMatrix && this.tables.fences.includes(open.base[0] + base.base[0])) { // its own fences
        nodes.splice(-2);
        base = { base: [`\\matrix${open.base[0]}${base.base[0]}`, ...inner.base.slice(1)] };
      }
      const last = nodes.at(-1);
      const joins = this.tables.wordFonts.includes(font) && /^\p{L}$/u.test(base.base.join(""));
      if (joins && last?.word === font && !last.above && !last.below) last.base = [last.base[0] + base.base[0]];
      else nodes.push(joins ? { ...base, word: font } : base);
    }

    // The node that a token begins, null for what is not seen.
    base(token, name, font) {
      const tables = this.tables;
      if (/^\\?\s/.test(token) || token === "\\" || token === "~" || token === "&" || token === "$" || token.startsWith("\\\\")) return null;
      if (token === "{") {
        const inner = this.depth < MAX_DEPTH ? this.row(font) : [];
        this.at += 1;
        return { base: inner };
      }
      if (token.startsWith("\\begin")) return this.environment(token.replace(/^\\begin\s*\{\s*|\s*\}$/g, ""), font);
      if (/^\d|^\.\d/.test(token)) return { base: [number(token)] };
      if (!name) return { base: [this.letter(token, font)] };
      const plain = name.replace(/\*$/, "");
      if (plain === "left" || plain === "right" || plain === "middle") {
        if (this.peek() === ".") this.at += 1;
        return null;
      }
      if (tables.fractions[plain]) {
        this.arguments(tables.layout[plain] ?? "");
        return { base: [tables.fractions[plain], ...this.braced(font), ...this.braced(font)] };
      }
      if (plain === "sqrt") {
        const index = this.option(font);
        return { base: ["\\sqrt", ...(index ? ["[", ...index, "]"] : []), ...this.braced(font)] };
      }
      if (tables.accents[plain]) {
        const [side, mark] = tables.accents[plain];
        const inner = this.braced(font);
        const notes = [];
        while (tables.braces.includes(mark) && /^[\^_]$/.test(this.peek())) {
          notes.push(this.tokens[this.at++], ...this.braced(font));
        }
        return { base: [`\\${side}`, mark, ...notes, ...inner] };
      }
      if (plain === "overset" || plain === "stackrel" || plain === "underset") {
        const [side, slot] = plain === "underset" ? ["\\under", "below"] : ["\\over", "above"];
        const [note, inner] = [this.argument(font), this.argument(font)];
        if (inner.length === 1 && tables.limits.includes(inner[0])) return { base: inner, [slot]: note };
        return { base: [side, ...note, "{", ...inner, "}"] };
      }
      if (tables.arrows[plain]) {
        const [below, above] = [this.option(font), this.argument(font)];
        const arrow = ["{", tables.arrows[plain], "}"];
        return { base: [...(above.length ? ["\\over", ...above] : []), ...(below ? ["\\under", ...below] : []), ...arrow] };
      }
      if (tables.fonts[plain] !== undefined) return { base: this.argument(tables.fonts[plain]) };
      if (tables.names.includes(plain)) return { base: [this.text().replace(/\s|\\[,;:! ]/g, "").replace(/\\/g, "")] };
      if (tables.texts.includes(plain)) return { base: this.words(this.text()) };
      if (plain === "pmod") return { base: ["(", "mod", ...this.argument(font), ")"] };
      if (plain === "not") return { base: this.argument(font).map((label) => (label === "|" ? "∤" : `${label}\u0338`.normalize("NFC"))) };
      if (tables.braced[plain] && this.peek() === "{") {
        this.at += 1;
        return this.environment(tables.braced[plain], font, ["}"]);
      }
      const symbol = tables.symbols[token] ?? tables.symbols[`\\${plain}`];
      if (symbol !== undefined) return { base: [symbol] };
      if (tables.layout[plain] !== undefined) { this.arguments(tables.layout[plain]); return null; }
      return { base: [name.length === 1 && !/\p{L}/u.test(name) ? name : `\\${plain}`] };
    }

    letter(token, font) {
      const symbol = this.tables.symbols[token] ?? token;
      const styled = this.tables.letters[font]?.[symbol];
      return styled ?? symbol.normalize(symbol.length > 1 || symbol > "\u024f" ? "NFC" : "NFKC");
    }

    environment(written, font, ends = null) {
      const name = written.replace(/\*$/, "");
      const fences = this.tables.environments[name];
      if (!ends) this.arguments(this.tables.columns[written] ?? this.tables.columns[name] ?? "");
      const lines = [];
      let cells = [];
      const stops = ["&", ...(ends ?? ["\\end"]), ...this.breaks];
      for (;;) {
        cells.push(this.depth < MAX_DEPTH ? ended(this.row(font, stops)) : []);
        const stop = this.tokens[this.at++];
        if (stop === "&") continue;
        lines.push(cells);
        cells = [];
        if (!stop?.startsWith("\\\\") && stop !== "\\cr") break;
        while (/^\s/.test(this.peek())) this.at += 1;
        if (this.peek().startsWith("\\end")) { this.at += 1; break; }
      }
      if (fences === null || (fences === "lines" && lines.length === 1)) return { base: lines.flat(2) };
      const made = [`\\matrix${fences ?? ""}`];
      for (const line of lines) {
        line.forEach((cell, number) => made.push(...(number && fences !== "lines" ? ["&"] : []), ...cell));
        made.push("\\\\");
      }
      return { base: [...made, "\\end"], isMatrix: !fences };
    }

    peek() { return this.tokens[this.at] ?? ""; }
    skipSpace() { while (/^\s/.test(this.peek())) this.at += 1; }

    // An argument: a group, or the next symbol.
    argument(font) {
      this.skipSpace();
      const token = this.peek();
      if (!token || token === "}" || token === "&") return [];
      this.at += 1;
      if (/^\d{2,}/.test(token)) { // a digit, not a number
        this.tokens.splice(this.at, 0, token.slice(1));
        return [token[0]];
      }
      const node = this.base(token, token[0] === "\\" ? token.slice(1) : "", font);
      return node ? node.base : this.argument(font);
    }

    braced(font) { return ["{", ...this.argument(font), "}"]; }

    option(font) {
      this.skipSpace();
      if (this.peek() !== "[") return null;
      this.at += 1;
      const inner = this.row(font, ["]", "}"]);
      if (this.peek() === "]") this.at += 1;
      return inner;
    }

    // The text of an argument as it is written.
    text() {
      this.skipSpace();
      if (this.peek() !== "{") return this.tokens[this.at++] ?? "";
      let text = "";
      let depth = 0;
      while (this.at < this.tokens.length) {
        const token = this.tokens[this.at++];
        if (token === "{" && !depth++) continue;
        if (token === "}" && !--depth) break;
        text += token;
      }
      return text;
    }

    // The words of a text, and the tokens of formulas in it.
    words(text) {
      return text.split("$").flatMap((piece, number) => (
        number % 2 ? new Reader(piece, this.tables).read()
          : piece.replace(/\\[a-zA-Z]+|~/g, " ").replaceAll("\\", "").split(/\s+/).filter(Boolean)));
    }

    // Passes over arguments that are layout.
    arguments(kinds) {
      for (const kind of kinds) {
        if (kind === "m") this.text();
        else if (kind === "o") this.option("");
        else if (kind === "d" || kind === "v") {
          this.skipSpace();
          while (/^[-+.=\d\sa-z]/.test(this.peek())) { if (/^[a-z]$/.test(this.tokens[this.at++])) { this.at += 1; break; } }
        } else if (kind === "*" && this.peek() === "*") this.at += 1;
      }
    }
  }

  const number = (token) => {
    const plain = token.replace(/\\,|\s/g, "").replace(/\{,\}(?=\d{3}(?!\d))/g, "").replace("{,}", ".");
    return plain[0] === "." ? `0${plain}` : plain;
  };

  // A row without the punctuation of its sentence.
  function ended(tokens) {
    while (/^[,.;:]$/.test(tokens.at(-1) ?? "")) tokens = tokens.slice(0, -1);
    return tokens;
  }

  function written(nodes) {
    const tokens = [];
    for (const { base, below, above } of nodes) {
      tokens.push(...base);
      if (below) tokens.push("_", "{", ...below, "}");
      if (above?.length && above.every((token) => token === "′")) tokens.push(...above);
      else if (above) tokens.push("^", "{", ...above, "}");
    }
    return tokens;
  }

  async function tokensOf(latex) { return new Reader(latex.normalize("NFC"), await part("notation")).read(); }

  // -- a question ----------------------------------------------------------------------------------------------------
  const DELIMITED = /\$\$([\s\S]+?)\$\$|\$([^$]+)\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]/g;
  const SIGNS = String.raw`(?=\S*[\\^={}]|\S*?(?<![\p{L}\p{N}])\p{L}_)\S+`; // but no name such as sum_comm
  const BARE = new RegExp(String.raw`(?<=^|\s)${SIGNS}(?:\s+(?:${SIGNS}|\S*[-+*/=<>]\S*|[a-zA-Z\d](?=\s|$)))*`, "gu");

  // The words and the formulas of a question; without delimiters, what has signs of LaTeX is a formula.
  function parse(question) {
    const formulas = [];
    const take = (match, ...groups) => { formulas.push(groups.slice(0, 4).find(Boolean) ?? match); return " \ufffc "; };
    let text = question.replace(DELIMITED, take);
    if (!formulas.length) text = text.replace(BARE, (match) => take(match));
    return { words: wordsOf(text), formulas };
  }

  const idf = (documents, df) => Math.log1p((documents - df + 0.5) / (df + 0.5));

  // Key of a term → what it counts in the question, as the model of the index weights it.
  async function weigh({ words, formulas }, manifest) {
    const sums = new Map();
    const unknown = [];
    const add = (key, weight) => sums.set(key, (sums.get(key) ?? 0) + weight);
    await Promise.all(words.map(async (word) => {
      const terms = await termsOfWord(word);
      if (!terms.length && !/[._]/.test(word) && !(await entry(`w${spelling(word)}`))) unknown.push(word);
      for (const term of terms) add(`w${term}`, 1);
    }));
    for (const latex of new Set(formulas)) {
      const times = formulas.filter((other) => other === latex).length;
      const tokens = await tokensOf(latex);
      await Promise.all([1, 2, 3].map(async (length) => { // tokens, pairs and triples of them
        const starts = tokens.slice(0, Math.max(0, tokens.length - length + 1));
        const keys = starts.map((_, start) => length + tokens.slice(start, start + length).join(" "));
        const known = await Promise.all(keys.map(postings));
        const mass = known.reduce((sum, found) => sum + idf(manifest.documents[length], found.length / 2), 0);
        const share = times * (mass + manifest.massOffset) ** -manifest.massExponent;
        for (const key of keys) add(key, share);
      }));
    }
    for (const [key, sum] of sums) sums.set(key, sum ** (key[0] === "w" ? manifest.wordsPower : manifest.formulasPower));
    return { weights: sums, unknown };
  }

  const unpacked = new Map();

  // The units of a term and what it weighs there, one after the other.
  async function postings(key) {
    if (!unpacked.has(key)) {
      const [largest, packed] = (await entry(key)) ?? [0, ""];
      const bytes = atob(packed);
      const found = [];
      for (let at = 0, unit = -1; at < bytes.length; at += 2) {
        let distance = 0;
        for (let shift = 0; ; shift += 7) {
          const byte = bytes.charCodeAt(at++);
          distance |= (byte & 127) << shift;
          if (byte < 128) break;
        }
        unit += distance;
        found.push(unit, largest * (bytes.charCodeAt(at) + 256 * bytes.charCodeAt(at + 1)) / 65535);
      }
      unpacked.set(key, found);
    }
    return unpacked.get(key);
  }

  // The units with the highest scores, best first, equal ones by their ids as in all runs.
  async function search(question, most = 10) {
    const manifest = await part("manifest");
    const read = parse(question);
    const { weights, unknown } = await weigh(read, manifest);
    const scores = new Map();
    const lists = await Promise.all([...weights].map(async ([key, weight]) => [weight, await postings(key)]));
    for (const [weight, list] of lists) {
      for (let at = 0; at < list.length; at += 2) scores.set(list[at], (scores.get(list[at]) ?? 0) + weight * list[at + 1]);
    }
    const best = [...scores].sort(([a, x], [b, y]) => y - x || b - a).slice(0, most);
    const hits = await Promise.all(best.map(async ([unit, score]) => {
      const number = place(manifest.units, unit);
      const [title, text, url, where] = (await part("units", number))[unit - manifest.units[number]];
      return { unit, score, title, text, url, where };
    }));
    return { hits, count: scores.size, unknown, weights };
  }

  // -- the page ------------------------------------------------------------------------------------------------------
  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // Marks the words of a shown text that have a term of the question.
  async function mark(element, weights) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) => (
      node.parentElement.closest("math") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const words = new Set([...weights.keys()].filter((key) => key[0] === "w"));
    const first = new Set([...words].map((key) => key.slice(0, 3)));
    for (const node of texts) {
      const pieces = node.data.split(/([\p{L}\p{N}\p{M}]+)/u);
      for (let number = 1; number < pieces.length; number += 2) {
        const key = `w${spelling(pieces[number])}`;
        if (!first.has(key.slice(0, 3))) continue;
        const terms = (await entry(key))?.[2] ?? [key.slice(1)];
        if (terms.some((term) => words.has(`w${term}`))) pieces[number] = make("mark", {}, pieces[number]);
      }
      node.replaceWith(...pieces);
    }
  }

  function start(root) {
    const label = root.dataset.label ?? "Search words and $formulas$";
    const input = make("input", { type: "search", id: "porism-question", name: "q", autocomplete: "off" });
    const status = make("p", { className: "porism-status" });
    status.setAttribute("role", "status"); // is announced as it changes
    const list = make("ol", { className: "porism-results" });
    const form = make("form", {}, make("label", { htmlFor: input.id }, label), " ", input, " ", make("button", {}, "Search"));
    form.setAttribute("role", "search");
    root.replaceChildren(form, status, list);

    let latest = 0;
    async function ask() {
      const question = input.value.trim();
      const own = latest += 1;
      if (!question) { list.replaceChildren(); status.textContent = ""; return; }
      status.textContent = "Searching …";
      try {
        const { hits, count, unknown, weights } = await search(question);
        if (own !== latest) return; // another question came after it
        const shown = hits.map(({ title, text, url, where }) => {
          const head = make(url ? "a" : "span", url ? { href: url, innerHTML: title } : { innerHTML: title });
          const place = where ? [make("p", { className: "porism-place" }, where)] : [];
          return make("li", {}, make("h2", {}, head), make("p", { innerHTML: text }), ...place);
        });
        await Promise.all(shown.flatMap((item) => [...item.children].slice(0, 2)).map((part) => mark(part, weights)));
        if (own !== latest) return;
        list.replaceChildren(...shown);
        const missing = unknown.length ? ` Not on this site: ${[...new Set(unknown)].join(", ")}.` : "";
        status.textContent = `${count ? `${count} results${count > hits.length ? `, the best ${hits.length}` : ""}.` : "No results."}${missing}`;
      } catch (error) {
        if (own === latest) status.textContent = `The search does not work here: ${error.message}.`;
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask();
      try { history.replaceState(null, "", `?q=${encodeURIComponent(input.value)}`); } catch { /* not of this page */ }
    });
    input.addEventListener("focus", () => part("manifest").catch(() => {}), { once: true });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) { input.value = asked; ask(); }
  }

  window.porismSearch = { search, tokensOf, start };
  const begin = () => { const root = document.getElementById("porism-search"); if (root) start(root); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin); else begin();
})();
