// The page of the visual editor: hands the formula to the page around it.
"use strict";
const editor = window.MathfieldElement;
if (editor) { // before there is a field, and as a whole address: else the editor asks where its own script came from
  editor.fontsDirectory = new URL("/editor/fonts", location.origin).href;
  editor.soundsDirectory = null;
}
const field = document.createElement("math-field");
field.id = "field";
field.setAttribute("aria-label", "Formula");
field.mathVirtualKeyboardPolicy = "sandboxed"; // its keyboard belongs into this frame: the page around it has none
const take = document.getElementById("take");
take.before(field);
const send = (taken) => parent.postMessage({ porism: taken ? "take" : "change", latex: field.value }, location.origin);
field.addEventListener("input", () => send(false));
field.addEventListener("change", () => send(false));
take.addEventListener("click", () => send(true));
if (matchMedia("(pointer: coarse)").matches) {
  const show = () => window.mathVirtualKeyboard?.show({ animate: true });
  for (const event of ["focusin", "click"]) field.addEventListener(event, show);
}
field.focus();
