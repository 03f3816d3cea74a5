// Judging: grades are saved as they are given, by click or by key, and the page says how far one has come.

const $ = (selector, within = document) => within.querySelector(selector);
const form = $("form[action='/judge/topic']");
const cards = [...form.querySelectorAll(".card")];
const button = $(".save button", form);
let current = -1;

function show() {
  const done = cards.filter((card) => $(":checked", card).value !== "").length;
  $("progress", form).value = done;
  $(".progress", form).textContent = `${done} of ${cards.length} judged`;
}

async function save(input) {
  const own = new URLSearchParams({ [input.name]: input.value });
  for (const field of form.querySelectorAll("input[type=hidden]")) own.set(field.name, field.value);
  try {
    const answer = await fetch(form.action, { method: "POST", body: own, headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`${answer.status}`);
    input.closest(".card").classList.remove("unsaved");
    show();
  } catch {
    input.closest(".card").classList.add("unsaved");
    $(".progress", form).textContent = "A grade could not be saved. Press Save judgments to try again.";
  }
}

function go(number) {
  current = Math.max(0, Math.min(cards.length - 1, number));
  cards.forEach((card, place) => card.classList.toggle("current", place === current));
  cards[current].scrollIntoView({ block: "center" });
  $(":checked", cards[current]).focus({ preventScroll: true });
}

function give(value) {
  if (current < 0) go(0);
  const input = $(`input[value="${value}"]`, cards[current]);
  if (!input) return;
  input.checked = true;
  save(input);
  if (value !== "") go(current + 1);
}

form.addEventListener("change", (event) => save(event.target));
form.addEventListener("focusin", (event) => {
  const place = cards.indexOf(event.target.closest(".card"));
  if (place >= 0) current = place;
});
document.addEventListener("keydown", (event) => {
  const isText = event.target.closest("textarea, select, math-field, input:not([type=radio])");
  if (event.ctrlKey || event.metaKey || event.altKey || isText) return;
  if (/^[0-9]$/.test(event.key)) give(event.key);
  else if (event.key === "x") give("");
  else if (event.key === "j") go(current + 1);
  else if (event.key === "k") go(current - 1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation(); // j and k of results go elsewhere
}, true);
button.title = "Grades are saved as they are given; this saves all of the page once more.";
