// The page of the visual editor: hands the formula to the page around it.
"use strict";
const field = document.getElementById("field");
const send = (taken) => parent.postMessage({ porism: taken ? "take" : "change", latex: field.value }, location.origin);
if (window.MathfieldElement) {
  window.MathfieldElement.fontsDirectory = "/editor/fonts";
  window.MathfieldElement.soundsDirectory = null;
}
field.addEventListener("input", () => send(false));
field.addEventListener("change", () => send(false));
document.getElementById("take").addEventListener("click", () => send(true));
