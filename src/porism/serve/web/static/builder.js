// The formula editor for those who write no LaTeX: structures with boxes to fill. Tab goes from box to box.
// A row is fields with structures between them; a structure has rows of its own. What is written is LaTeX.

const made = (name, className = "", ...children) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
};
const mark = (text, className = "") => {
  const element = made("span", className, text);
  element.setAttribute("aria-hidden", "true");
  return element;
};

// name → what its boxes are called, how they lie, and the LaTeX of their contents
const large = (sign) => (rows) => [made("span", "b-stack b-upward", made("span", "b-small", rows[0]), mark(sign, "b-big"), made("span", "b-small", rows[1])), rows[2]];
const between = (left, right) => (rows) => [mark(left, "b-tall"), rows[0], mark(right, "b-tall")];
const STRUCTURES = {
  fraction: { boxes: ["numerator", "denominator"], lay: (rows) => [made("span", "b-stack b-fraction", ...rows)], write: (a, b) => `\\frac{${a}}{${b}}` },
  power: { boxes: ["exponent"], lay: (rows) => rows, className: "b-power", write: (a) => `^{${a}}` },
  index: { boxes: ["index"], lay: (rows) => rows, className: "b-index", write: (a) => `_{${a}}` },
  "square root": { boxes: ["under the root"], lay: (rows) => [mark("√"), made("span", "b-under-root", ...rows)], write: (a) => `\\sqrt{${a}}` },
  root: { boxes: ["degree", "under the root"], lay: (rows) => [made("span", "b-degree", rows[0]), mark("√"), made("span", "b-under-root", rows[1])], write: (a, b) => `\\sqrt[${a}]{${b}}` },
  sum: { boxes: ["from", "to", "of"], lay: large("∑"), write: (a, b, c) => `\\sum_{${a}}^{${b}} ${c}` },
  product: { boxes: ["from", "to", "of"], lay: large("∏"), write: (a, b, c) => `\\prod_{${a}}^{${b}} ${c}` },
  integral: { boxes: ["from", "to", "of", "variable"], lay: (rows) => [...large("∫")(rows), mark("d"), rows[3]], write: (a, b, c, d) => `\\int_{${a}}^{${b}} ${c}\\,d${d}` },
  limit: { boxes: ["variable", "tends to", "of"], lay: (rows) => [made("span", "b-stack", mark("lim"), made("span", "b-small", rows[0], mark("→"), rows[1])), rows[2]], write: (a, b, c) => `\\lim_{${a}\\to ${b}} ${c}` },
  binomial: { boxes: ["above", "below"], lay: (rows) => between("(", ")")([made("span", "b-stack", ...rows)]), write: (a, b) => `\\binom{${a}}{${b}}` },
  "absolute value": { boxes: ["inside"], lay: between("|", "|"), write: (a) => `\\left|${a}\\right|` },
  brackets: { boxes: ["inside"], lay: between("(", ")"), write: (a) => `\\left(${a}\\right)`, shown: "( )" },
  matrix: matrix(2, 2), "3 × 3 matrix": matrix(3, 3), vector: matrix(3, 1),
};
const TYPED = { "^": "power", _: "index", "/": "fraction" };

function matrix(rows, columns) {
  const boxes = Array.from({ length: rows * columns }, (_, n) => `row ${Math.floor(n / columns) + 1}, column ${(n % columns) + 1}`);
  const lay = (cells) => {
    const grid = made("span", "b-matrix", ...cells);
    grid.style.gridTemplateColumns = `repeat(${columns}, auto)`;
    return [grid];
  };
  const write = (...cells) => `\\begin{pmatrix}${Array.from({ length: rows }, (_, n) => cells.slice(n * columns, (n + 1) * columns).join("&")).join("\\\\")}\\end{pmatrix}`;
  return { boxes, lay, write };
}

const INVITATION = "type, or choose a structure";

function field(label, value = "") {
  const input = made("input");
  input.type = "text"; input.value = value; input.placeholder = " ";
  input.autocomplete = "off"; input.autocapitalize = "off"; input.spellcheck = false;
  input.setAttribute("aria-label", label);
  sized(input);
  return input;
}

const sized = (input) => { input.size = Math.max(1, input.value.length); };
const row = (label, value = "") => { const made_row = made("span", "b-row", field(label, value)); made_row.dataset.label = label; return made_row; };

function structure(name, first = "") {
  const { boxes, lay, className = "" } = STRUCTURES[name];
  const rows = boxes.map((label, number) => row(label, number ? "" : first));
  const element = made("span", `b-structure ${className}`, ...lay(rows));
  element.dataset.structure = name;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", name);
  element.rows = rows;
  return element;
}

// what two letters beside each other would make of a command: \alpha and x are two words
const joined = (parts) => parts.reduce((text, part) => text + (/\\[A-Za-z]+$/.test(text) && /^[A-Za-z]/.test(part) ? " " : "") + part, "");
const latex = (own) => joined([...own.children].map((child) => (child.matches("input") ? child.value : STRUCTURES[child.dataset.structure].write(...child.rows.map(latex)))));

/** Fills a panel; `write(latex)` is called with every change, `done()` at the end. */
export function openBuilder(panel, palette, write, done) {
  const root = row("formula");
  const start = root.firstChild;
  start.placeholder = INVITATION;
  const formula = made("div", "builder-formula", root);
  const builder = made("div", "builder", formula);
  let current = start;
  const changed = () => write(latex(root));
  const fields = () => [...formula.querySelectorAll("input")];
  const go = (input, place) => { if (input) { input.focus(); input.setSelectionRange(place ?? input.value.length, place ?? input.value.length); } };

  const put = (name, taken = null) => {
    const from = taken ?? current.selectionStart;
    const to = current.selectionEnd;
    const before = current.value.slice(0, from);
    const element = structure(name, current.value.slice(from, to));
    const after = field(current.getAttribute("aria-label"), current.value.slice(to));
    current.value = before;
    current.placeholder = start.placeholder = " ";
    sized(current);
    current.after(element, after);
    changed();
    go(element.rows.map((own) => own.firstChild).find((input) => !input.value) ?? element.rows[0].firstChild);
  };
  const type = (text) => { // a symbol
    current.setRangeText(text, current.selectionStart, current.selectionEnd, "end");
    sized(current);
    current.focus();
    changed();
  };
  const remove = (element) => { // the structure before the current field
    const [before, after] = [element.previousSibling, element.nextSibling];
    const place = before.value.length;
    before.value += after.value;
    sized(before);
    element.remove(); after.remove();
    if (root.childElementCount === 1) start.placeholder = INVITATION;
    changed();
    go(before, place);
  };

  formula.addEventListener("focusin", (event) => { if (event.target.matches("input")) current = event.target; });
  formula.addEventListener("input", (event) => { event.stopPropagation(); sized(event.target); changed(); });
  formula.addEventListener("keydown", (event) => {
    const input = event.target;
    const atStart = input.selectionEnd === 0;
    const atEnd = input.selectionStart === input.value.length;
    const all = fields();
    const here = all.indexOf(input);
    if (event.key === "Enter") { event.preventDefault(); done(); }
    else if (event.key in TYPED && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const before = input.value.slice(0, input.selectionStart);
      const term = event.key === "/" ? /(\\?[\p{L}\p{N}.]+)\s*$/u.exec(before) : null;
      put(TYPED[event.key], term ? before.length - term[0].length : null);
    }
    else if (event.key === "Backspace" && atStart && input.previousSibling) { event.preventDefault(); remove(input.previousSibling); }
    else if (event.key === "Backspace" && atStart && !latex(input.parentElement) && input.closest(".b-structure")) { event.preventDefault(); remove(input.closest(".b-structure")); }
    else if (event.key === "ArrowLeft" && atStart && here > 0) { event.preventDefault(); go(all[here - 1]); }
    else if (event.key === "ArrowRight" && atEnd && here < all.length - 1) { event.preventDefault(); go(all[here + 1], 0); }
  });

  const key = (text, label, act, className = "") => {
    const button = made("button", className);
    button.type = "button";
    if (typeof text === "string") button.textContent = text; else button.append(text);
    button.title = label;
    button.setAttribute("aria-label", label);
    button.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps its selection
    button.addEventListener("click", act);
    return button;
  };
  const shown = (name) => palette.querySelector(`[aria-label="${name}"] math`)?.cloneNode(true) ?? STRUCTURES[name].shown ?? name;
  const structures = made("div", "keys", ...Object.keys(STRUCTURES).map((name) => key(shown(name), name, () => put(name))), key("Done", "Done", done, "take"));
  structures.setAttribute("role", "group");
  structures.setAttribute("aria-label", "Structures");
  const symbols = [...palette.querySelectorAll("[role=group]:not(:first-child)")].map((group) => {
    const keys = made("div", "keys", ...[...group.querySelectorAll("button")].map((button) => {
      const glyph = button.textContent.trim();
      const text = glyph.length === 1 || !/^[a-z]+$/.test(glyph) ? glyph : button.dataset.insert;
      return key(button.firstElementChild.cloneNode(true), button.getAttribute("aria-label"), () => type(text), "symbol");
    }));
    keys.setAttribute("role", "group");
    keys.setAttribute("aria-label", group.getAttribute("aria-label"));
    return made("details", "", made("summary", "", group.getAttribute("aria-label")), keys);
  });
  const help = made("p", "builder-help", "Tab goes to the next box. / makes a fraction, ^ a power, _ an index.");
  builder.append(help, structures, ...symbols);
  panel.replaceChildren(builder);
  start.focus();
}
