// Results are asked for when one stops typing, so that they are there when the question is sent: the server remembers its
// answers, and the address is the one that the form goes to.

const PAUSE = 700;
const form = document.querySelector("form.box");

if (form && !navigator.connection?.saveData) {
  let timer;
  let running;
  const ask = async () => {
    const text = form.elements.q.value.trim();
    if (text.length < 3 || text.split("$").length % 2 === 0 || document.hidden) return; // a formula is still open
    running = new AbortController();
    const asked = new URLSearchParams(new FormData(form));
    const headers = { "x-purpose": "prefetch" };
    try { await fetch(`/search?${asked}`, { headers, signal: running.signal, priority: "low" }); } catch { /* typed on */ }
  };
  const restart = () => { clearTimeout(timer); running?.abort(); timer = setTimeout(ask, PAUSE); };
  form.addEventListener("input", restart);
  form.addEventListener("submit", () => { clearTimeout(timer); running?.abort(); });
}
