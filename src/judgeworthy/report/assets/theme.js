"use strict";
// Light or dark: as the reader's system is set, or as the switch was last set here.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try { return localStorage.getItem("judgeworthy-theme"); } catch { return null; }
  };
  const store = (theme) => {
    try { localStorage.setItem("judgeworthy-theme", theme); } catch { /* not kept then */ }
  };
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  if (stored()) root.dataset.theme = stored();
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => { button.textContent = dark() ? "Light" : "Dark"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      store(root.dataset.theme);
      label();
    });
    system.addEventListener("change", label);
    label();
  });
})();
