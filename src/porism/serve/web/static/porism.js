// What scripts add to pages that work without them: one function for each thing.
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

const remembered = {
  get(name) { try { return JSON.parse(localStorage.getItem(name)) ?? []; } catch { return []; } },
  set(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* not allowed here */ } },
};

async function fragment(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}

function debounced(act, milliseconds) {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => act(...given), milliseconds); };
}

const box = $("#q");
const form = box?.form;
const chosenMode = () => form.elements.mode.value;
const chosenIndex = () => form.elements.index?.value ?? "";

// -- the preview: how the question is read -----------------------------------------------------------------------------

function startPreview() {
  const place = $("#preview");
  let running;
  const shown = box.value;
  const told = $(".understood, .message[role=alert]");
  const update = debounced(async () => {
    running?.abort();
    running = new AbortController();
    const text = box.value;
    if (!text.trim() || (text === shown && told)) { place.replaceChildren(); return; }
    const wanted = new URLSearchParams({ q: text, mode: chosenMode(), index: chosenIndex() });
    try { place.innerHTML = await fragment(`/preview?${wanted}`, running.signal); } catch { /* the next key asks again */ }
  }, 120);
  box.addEventListener("input", update);
  form.addEventListener("change", update);
  if ($(".hero")) update(); // elsewhere it would move the page
}

// -- completions ---------------------------------------------------------------------------------------------------------

function startCompletions() {
  const list = $("#completions");
  let found = [];
  let at = -1;
  let running;
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", "completions");
  box.setAttribute("aria-expanded", "false");

  const close = () => {
    list.hidden = true; found = []; at = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const choose = (number) => {
    at = number;
    $$("li", list).forEach((item, n) => item.setAttribute("aria-selected", String(n === at)));
    if (at >= 0) { box.setAttribute("aria-activedescendant", `completion-${at}`); $(`#completion-${at}`).scrollIntoView({ block: "nearest" }); }
  };
  const take = (number) => {
    const one = found[number];
    if (one.id) { // a title is a whole result
      location.href = `/document?${new URLSearchParams({ id: one.id, ...(chosenIndex() && { index: chosenIndex() }) })}`;
      return;
    }
    box.value = box.value.slice(0, one.start) + one.text;
    close();
    box.focus();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  };
  const show = (completions) => {
    found = completions; at = -1;
    list.replaceChildren(...completions.map((one, number) => {
      const item = document.createElement("li");
      item.id = `completion-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      const text = document.createElement("span");
      const isCommand = one.kind === "command";
      if (one.formula && !isCommand) text.innerHTML = one.formula.mathml; else text.textContent = one.text;
      if (isCommand) text.className = "command";
      const note = document.createElement("small");
      const unit = one.kind === "formula" || isCommand ? "place" : "document";
      note.textContent = one.kind === "title" ? "opens" : one.documents ? `${one.documents.toLocaleString("en")} ${unit}${one.documents === 1 ? "" : "s"}` : "";
      const glyph = document.createElement("span");
      glyph.className = "glyph";
      if (isCommand && one.formula) glyph.innerHTML = one.formula.mathml;
      item.append(text, ...(isCommand ? [glyph] : []), note);
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(number); });
      return item;
    }));
    list.hidden = completions.length === 0;
    box.setAttribute("aria-expanded", String(!list.hidden));
  };
  const update = debounced(async () => {
    running?.abort();
    running = new AbortController();
    const text = box.value;
    if (document.activeElement !== box) return;
    if (text.trim().length < 2 || box.selectionStart !== text.length) { close(); return; }
    const wanted = new URLSearchParams({ q: text, index: chosenIndex() });
    try {
      const answer = await fetch(`/api/v1/suggest?${wanted}`, { signal: running.signal });
      if (answer.ok && text === box.value) show((await answer.json()).completions);
    } catch { /* typed on, or offline: nothing to complete with */ }
  }, 140);
  box.addEventListener("input", update);
  box.addEventListener("blur", () => setTimeout(close, 100));
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") { event.preventDefault(); choose((at + 1) % found.length); }
    else if (event.key === "ArrowUp") { event.preventDefault(); choose((at + found.length - (at < 0 ? 0 : 1)) % found.length); }
    else if (event.key === "Escape") { event.preventDefault(); close(); }
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) { event.preventDefault(); take(at); }
  });
}

// -- palette and editor ----------------------------------------------------------------------------------------------------

function insert(latex) {
  const cursor = latex.indexOf("|");
  let text = cursor < 0 ? latex : latex.slice(0, cursor) + latex.slice(cursor + 1);
  let start = box.selectionStart ?? box.value.length;
  const end = box.selectionEnd ?? start;
  let after = start + (cursor < 0 ? text.length : cursor);
  const dollars = (box.value.slice(0, start).match(/(?<!\\)\$/g) ?? []).length;
  if (dollars % 2 === 0) { text = `$${text.trimEnd()}$`; after = cursor < 0 ? start + text.length - 1 : after + 1; }
  box.setRangeText(text, start, end, "end");
  box.focus();
  box.setSelectionRange(after, after);
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

function toggles(button, panel, opened = () => {}) {
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) opened();
  });
}

function nextBraces(event) { // Tab goes on to the next empty braces of the formula
  const after = box.value.slice(box.selectionEnd);
  const place = after.search(/\{\}|\$/);
  if (event.key !== "Tab" || event.shiftKey || event.defaultPrevented || after[place] !== "{") return;
  const before = box.value.slice(0, box.selectionStart);
  if ((before.match(/(?<!\\)\$/g) ?? []).length % 2 === 0) return;
  event.preventDefault();
  const cursor = box.selectionEnd + place + 1;
  box.setSelectionRange(cursor, cursor);
}

function startPalette() {
  box.addEventListener("keydown", nextBraces);
  const panel = $("#palette");
  toggles($("#palette-button"), panel);
  panel.addEventListener("click", (event) => {
    const key = event.target.closest("[data-insert]");
    if (key) insert(key.dataset.insert);
  });
}

function startEditor() {
  const button = $("#editor-button");
  const panel = $("#editor");
  toggles(button, panel, async () => {
    if (!button.dataset.frame) { await build(button, panel); return; }
    if (panel.firstChild) return;
    const frame = document.createElement("iframe");
    frame.src = button.dataset.frame;
    frame.title = "Formula editor";
    panel.append(frame);
  });
  addEventListener("message", (event) => {
    if (event.origin !== location.origin || event.source !== $("iframe", panel)?.contentWindow) return;
    if (event.data?.porism === "take" && typeof event.data.latex === "string") {
      insert(event.data.latex.replaceAll("|", "\\vert "));
      panel.hidden = true;
      button.setAttribute("aria-expanded", "false");
    }
  });
}

async function build(button, panel) { // the editor of boxes: what it has written is replaced with every change
  const { openBuilder } = await import("/static/builder.js");
  if (!$("link[href='/static/builder.css']")) {
    const styles = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/builder.css" });
    document.head.append(styles);
    await new Promise((go) => { styles.onload = styles.onerror = go; });
  }
  let start = box.selectionStart ?? box.value.length;
  let written = "";
  const write = (latex) => {
    if (box.value.slice(start, start + written.length) !== written) { start = box.value.length; written = ""; } // typed over
    const text = latex.trim() ? `$${latex.trim()}$` : "";
    box.setRangeText(text, start, start + written.length, "end");
    written = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  openBuilder(panel, $("#palette"), write, () => {
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    box.focus();
    box.setSelectionRange(start + written.length, start + written.length);
  });
}

// -- pasting: formulas of web pages, of Word and of pictures become LaTeX ------------------------------------------------------

const HAS_FORMULAS = /<(?:\w+:)?(?:math|omath)\b|<img\b[^>]*\balt=|math\/tex|class="[^"]*(?:katex|math)/i;

function startPasting() {
  box.addEventListener("paste", async (event) => {
    const plain = event.clipboardData.getData("text/plain");
    const html = /^\s*<(?:\w+:)?math\b/i.test(plain) ? plain : event.clipboardData.getData("text/html");
    if (!HAS_FORMULAS.test(html)) return;
    event.preventDefault();
    const [start, end] = [box.selectionStart, box.selectionEnd];
    let text = plain;
    try { // an answer without content: there is no formula
      const answer = await fetch("/paste", { method: "POST", headers: { "Content-Type": "text/html" }, body: html });
      if (!answer.ok) throw new Error(`${answer.status}`);
      if (answer.status === 200) text = await answer.text();
    } catch { say("The formulas could not be read: pasted as text"); }
    box.setRangeText(text.replace(/\s+/g, " "), start, end, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// -- recent questions, in this browser only ------------------------------------------------------------------------------------

function startRecent() {
  form.addEventListener("submit", () => {
    const text = box.value.trim();
    if (!text) return;
    const mode = chosenMode();
    const others = remembered.get("porism-recent").filter((one) => one.q !== text || one.mode !== mode);
    remembered.set("porism-recent", [{ q: text, mode }, ...others].slice(0, 12));
  });
  const place = $("#recent");
  const recent = remembered.get("porism-recent");
  if (!place || !recent.length) return;
  $("ul", place).replaceChildren(...recent.slice(0, 8).map((one) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const wanted = new URLSearchParams({ q: one.q });
    if (one.mode === "formulas") wanted.set("mode", "formulas");
    if ($("main").dataset.index) wanted.set("index", $("main").dataset.index);
    link.href = `/search?${wanted}`;
    const text = document.createElement("code");
    text.textContent = one.q;
    link.append(text);
    item.append(link);
    return item;
  }));
  place.hidden = false;
  $("#forget").addEventListener("click", () => { remembered.set("porism-recent", []); place.hidden = true; });
}

// -- results: parts of the question and their matches, why, comparing -------------------------------------------------------------

function startParts() {
  let lit = null;
  const light = (part) => {
    if (part === lit) return;
    lit = part;
    document.body.classList.toggle("focusing", part !== null);
    $$(".lit").forEach((one) => one.classList.remove("lit"));
    if (part !== null) $$(`[data-part="${CSS.escape(part)}"], [data-part="${CSS.escape(part)}"] .hit, [data-part="${CSS.escape(part)}"] mark`).forEach((one) => one.classList.add("lit"));
  };
  const over = (event) => light(event.target.closest?.(".understood [data-part]")?.dataset.part ?? null);
  document.addEventListener("mouseover", over);
  document.addEventListener("focusin", over);
}

function startPanels() { // why a result is there, and what else is of its group
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a.why, a.group");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const isGroup = link.matches(".group");
    const panel = $(isGroup ? ".group-panel" : ".why-panel", link.closest("article"));
    panel.hidden = !panel.hidden;
    link.setAttribute("aria-expanded", String(!panel.hidden));
    if (panel.hidden || panel.childElementCount) return;
    try { panel.innerHTML = await fragment(`${link.href}&fragment=true`); } catch { location.href = link.href; return; }
    if (isGroup) $(".card", panel)?.remove(); // the best one, which is shown already
    reachable(panel);
  });
}

function startComparing() {
  let first = null;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.compare");
    if (!button) return;
    const index = new URLSearchParams(location.search).get("index") ?? "";
    if (first && first !== button.dataset.id) {
      location.href = `/compare?${new URLSearchParams({ left: first, right: button.dataset.id, ...(index && { index }) })}`;
      return;
    }
    first = button.dataset.id;
    $(".tray")?.remove();
    const tray = document.createElement("div");
    tray.className = "tray";
    tray.setAttribute("role", "status");
    const text = document.createElement("span");
    text.textContent = "Choose the document to compare it with.";
    const stop = document.createElement("button");
    stop.type = "button"; stop.className = "quiet"; stop.textContent = "Cancel";
    stop.addEventListener("click", () => { tray.remove(); first = null; });
    tray.append(text, stop);
    document.body.append(tray);
  });
}

function startTrees() {
  let panel = null;
  let link = null;
  const close = () => { panel?.remove(); panel = null; };
  document.addEventListener("click", async (event) => {
    const pressed = event.target.closest("a.tree-link");
    if (!pressed) { if (panel && !panel.contains(event.target)) close(); return; }
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    close();
    link = pressed;
    panel = document.createElement("div");
    panel.className = "tree-panel";
    panel.tabIndex = -1;
    try { panel.innerHTML = await fragment(`${link.href}&fragment=true`); } catch { location.href = link.href; return; }
    document.body.append(panel);
    const under = link.getBoundingClientRect();
    panel.style.top = `${under.bottom + scrollY + 8}px`;
    panel.style.left = `${Math.max(16, Math.min(under.left, innerWidth - panel.offsetWidth - 16))}px`;
    reachable(panel);
    panel.focus();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && panel) { close(); link.focus(); } });
}

// -- what is wider than its place: reached by keyboard, and trees from their root on ---------------------------------------------

function reachable(within = document) {
  const look = (one) => { if (one.scrollWidth > one.clientWidth + 1) one.tabIndex = 0; else one.removeAttribute("tabindex"); };
  const sizes = new ResizeObserver((changes) => changes.forEach((change) => look(change.target)));
  const places = $$(".snippet, .found, .alignment, .relation, .part.formula, .asked, figcaption, h1", within);
  places.forEach((one) => sizes.observe(one));
  document.fonts.ready.then(() => places.forEach(look)); // formulas are wider in their own font
  $$(".tree-figure .scroll", within).forEach((one) => {
    const root = $("g", one)?.getBoundingClientRect();
    if (root) one.scrollLeft = root.x + root.width / 2 - one.getBoundingClientRect().x - one.clientWidth / 2;
  });
}

// -- documents: formulas that can be picked --------------------------------------------------------------------------------------

function startFormulas() {
  const menu = $("#formula-menu");
  if (!menu) return;
  let picked = null;
  const close = () => { menu.hidden = true; picked?.setAttribute("aria-expanded", "false"); };
  $$("[data-formulas] .pick").forEach((one) => { one.setAttribute("aria-haspopup", "menu"); one.setAttribute("aria-expanded", "false"); });
  document.addEventListener("click", (event) => {
    const formula = event.target.closest(".pick");
    if (!formula) { if (!menu.contains(event.target)) close(); return; }
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    close();
    picked = formula;
    formula.setAttribute("aria-expanded", "true");
    $("[data-do=find]", menu).href = formula.href;
    const index = new URL(formula.href).searchParams.get("index");
    const own = new URLSearchParams({ formula: formula.dataset.latex, ...(index && { index }) });
    $("[data-do=places]", menu).href = `/occurrences?${own}`;
    $("[data-do=equal]", menu).href = `/equal?${new URLSearchParams({ first: formula.dataset.latex, ...(index && { index }) })}`;
    $("[data-do=tree]", menu).href = `/formula?${own}`;
    menu.hidden = false;
    const under = formula.getBoundingClientRect();
    menu.style.top = `${under.bottom + scrollY + 6}px`;
    menu.style.left = `${Math.max(8, Math.min(under.left + scrollX, innerWidth - menu.offsetWidth - 8))}px`;
    $("[data-do=find]", menu).focus();
  });
  menu.addEventListener("click", async (event) => {
    const item = event.target.closest("button[data-do]");
    if (!item) return;
    const texts = { latex: picked.dataset.latex, text: picked.dataset.text, mathml: $("math", picked).outerHTML };
    try {
      await navigator.clipboard.writeText(texts[item.dataset.do]);
      $("[role=status]", menu).textContent = "Copied";
      item.textContent = "Copied";
      setTimeout(() => { item.textContent = { latex: "Copy as LaTeX", text: "Copy as Unicode", mathml: "Copy as MathML" }[item.dataset.do]; close(); picked.focus(); }, 700);
    } catch { $("[role=status]", menu).textContent = "The browser does not allow copying"; }
  });
  menu.addEventListener("keydown", (event) => {
    const items = $$("[role=menuitem]", menu);
    const now = items.indexOf(document.activeElement);
    if (event.key === "ArrowDown") { event.preventDefault(); items[(now + 1) % items.length].focus(); }
    if (event.key === "ArrowUp") { event.preventDefault(); items[(now + items.length - 1) % items.length].focus(); }
    if (event.key === "Escape") { close(); picked?.focus(); }
  });
  menu.addEventListener("focusout", (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) close(); });
}

function startLinks() {
  const over = (event) => {
    const one = event.target.closest?.("[data-links]");
    $$(".sides .lit, tr.lit").forEach((other) => other.classList.remove("lit"));
    if (!one) return;
    const names = new Set(one.dataset.links.split(" "));
    $$("[data-links]").filter((other) => other.dataset.links.split(" ").some((name) => names.has(name))).forEach((other) => other.classList.add("lit"));
  };
  if (!$(".sides")) return;
  document.addEventListener("mouseover", over);
  document.addEventListener("focusin", over);
}

// -- copying: links, BibTeX, and the LaTeX of any formula by click or by the key c -------------------------------------------------

function say(text) {
  $(".tray.said")?.remove();
  const tray = document.createElement("div");
  tray.className = "tray said";
  tray.setAttribute("role", "status");
  document.body.append(tray);
  tray.textContent = text; // after it is there, so that it is read out
  setTimeout(() => tray.remove(), 2500);
}

async function copy(text, told) {
  try { await navigator.clipboard.writeText(text); say(told); } catch { say("The browser does not allow copying"); }
}

function startCopying() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) {
      if (button.dataset.copy) copy($(`.${button.dataset.copy}`).textContent, "Copied BibTeX");
      else copy(new URL(button.dataset.copyLink, location.href).href, "Copied the link");
      return;
    }
    const formula = event.target.closest("span.f[data-latex]");
    if (formula && !formula.closest("a, button, summary") && getSelection().isCollapsed) copy(formula.dataset.latex, `Copied ${formula.dataset.latex}`);
  });
}

let lastCopied = null;

function copyNextFormula(place) { // the focused formula, else those of the result one after the other
  const focused = document.activeElement.closest("[data-latex]");
  const formulas = focused ? [focused] : $$("[data-latex]", place);
  if (!formulas.length) return;
  const number = (formulas.indexOf(lastCopied) + 1) % formulas.length;
  lastCopied = formulas[number];
  const which = formulas.length > 1 ? ` (${number + 1} of ${formulas.length}, c for the next)` : "";
  copy(lastCopied.dataset.latex, `Copied ${lastCopied.dataset.latex}${which}`);
}

// -- new commits: a page says when it would look different, and changes nothing by itself -----------------------------------------

function shownIn(main) {
  const cards = $$(".card", main).filter((card) => !card.closest(".group-panel")).map((card) => card.dataset.id ?? $("h2", card).textContent);
  if (cards.length || $(".summary", main)) return { cards, text: $(".summary strong", main)?.textContent ?? "" };
  return { cards, text: $$(".reading > :not(.neighbours), .facts", main).map((one) => one.textContent).join("\n") };
}

function startLive() {
  const main = $("main[data-generation]");
  if (!main) return;
  const usual = 3000;
  let known = main.dataset.generation;
  let pause = usual;
  let timer;
  const tell = (text) => {
    $(".tray.live")?.remove();
    const tray = document.createElement("div");
    tray.className = "tray live";
    tray.setAttribute("role", "status");
    const show = document.createElement("a");
    show.href = location.href; show.textContent = "Show";
    show.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
    const leave = document.createElement("button");
    leave.type = "button"; leave.className = "quiet"; leave.textContent = "Not now";
    leave.addEventListener("click", () => tray.remove());
    const words = document.createElement("span");
    tray.append(words, show, leave);
    document.body.append(tray);
    words.textContent = text; // after it is there, so that it is read out
  };
  const compare = async () => {
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (answer.status === 404) { tell("This document is not there any more."); return; }
    if (!answer.ok) throw new Error(`${answer.status}`);
    const fresh = $("main", new DOMParser().parseFromString(await answer.text(), "text/html"));
    const before = shownIn(main);
    const after = shownIn(fresh);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    if ($(".hero", main)) { $(".facts", main).replaceWith($(".facts", fresh)); return; }
    if (!$(".summary, .card", main)) { tell("This document has changed."); return; }
    const fewer = new Set(before.cards);
    const count = after.cards.filter((card) => !fewer.has(card)).length;
    tell(count ? `${count} new result${count === 1 ? "" : "s"} on this page.` : "These results have changed.");
  };
  const look = async () => {
    clearTimeout(timer);
    if (!document.hidden) {
      try {
        const wanted = new URLSearchParams({ index: main.dataset.index });
        const { generation } = JSON.parse(await fragment(`/generation?${wanted}`));
        if (String(generation) !== known) { await compare(); known = String(generation); }
        pause = usual;
      } catch { pause = Math.min(60000, 2 * pause); /* the server is away, or busy: later */ }
    }
    timer = setTimeout(look, pause);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  timer = setTimeout(look, usual);
}

// -- keys and theme ----------------------------------------------------------------------------------------------------------------

function startKeys() {
  let current = -1;
  const matches = $$("article.reading .text .hit");
  const step = (stops, by) => {
    const here = stops.findIndex((one) => one.contains(document.activeElement));
    current = Math.max(0, Math.min(stops.length - 1, (here < 0 ? current : here) + by));
    stops.forEach((one, number) => one.classList.toggle("current", number === current));
    return stops[current];
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, math-field")) return;
    const cards = $$(".card");
    if (event.key === "/" && box) { event.preventDefault(); box.focus(); box.select(); }
    else if ((event.key === "j" || event.key === "k") && cards.length) {
      const card = step(cards, event.key === "j" ? 1 : -1);
      card.scrollIntoView({ block: "nearest" });
      $("h2 a, .places a", card)?.focus({ preventScroll: true });
    } else if ((event.key === "j" || event.key === "k") && matches.length) {
      const match = step(matches, event.key === "j" ? 1 : -1);
      if (!match.matches("a")) match.tabIndex = -1;
      match.scrollIntoView({ block: "center" });
      match.focus({ preventScroll: true });
    } else if (event.key === "c") {
      copyNextFormula(document.activeElement.closest(".card") ?? cards[Math.max(0, current)] ?? $("main"));
    } else if (event.key === "w") {
      const card = document.activeElement.closest(".card") ?? cards[current];
      if (card) $("a.why, .why-details summary", card)?.click();
    }
  });
}

function startTheme() {
  $(".theme")?.addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("porism-theme", root.dataset.theme); } catch { /* only for this page then */ }
  });
}

if (box) { startPreview(); startCompletions(); startPalette(); startEditor(); startPasting(); startRecent(); }
startParts(); startPanels(); startComparing(); startCopying(); startTrees(); startFormulas(); startLinks(); startKeys(); startTheme(); startLive(); reachable();
