// Before anything is drawn: the theme that the reader chose, and that scripts run.
"use strict";
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("porism-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage is not allowed: the system's theme counts */ }
