"use strict";
/* What every page needs: its data, the theme, the tooltip, buttons that copy. Everything else hangs on `page`. */
const page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;

  /** Return a new element with attributes, and children that are elements or plain text; never markup. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (key === "class") element.className = value;
      else element.setAttribute(key, value === true ? "" : String(value));
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /* The theme: the system's, unless somebody chose; a choice is kept where the browser lets a file keep one. */
  const themes = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  function recall() {
    try { return localStorage.getItem("acidtest-theme"); } catch { return null; }
  }
  function paint(theme) {
    if (theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    button.textContent = `Theme: ${theme}`;
    try { localStorage.setItem("acidtest-theme", theme); } catch { /* it holds for this visit */ }
  }
  let theme = themes.includes(recall()) ? recall() : "system";
  paint(theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    paint(theme);
  });

  /* The tooltip: the text of `data-tip`, for the pointer and for the focus. */
  const tip = document.getElementById("tip");
  function show(target) {
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const top = box.top - tip.offsetHeight - 8;
    tip.style.top = `${top > 4 ? top : Math.min(box.bottom + 8, innerHeight - tip.offsetHeight - 4)}px`;
    const left = box.left + box.width / 2 - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4))}px`;
  }
  const hide = () => { tip.hidden = true; };
  for (const [enter, leave] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    document.addEventListener(enter, (event) => {
      const target = event.target.closest?.("[data-tip]");
      if (target) show(target);
    });
    document.addEventListener(leave, hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("scroll", hide, { passive: true, capture: true });

  /** Copy a text: by the clipboard where a page from a file may, else by a selection. */
  async function copy(text, source) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      getSelection().selectAllChildren(source);
      return document.execCommand("copy");
    }
  }
  for (const one of document.querySelectorAll("[data-copy]")) {
    const label = one.textContent;
    one.addEventListener("click", async () => {
      const source = document.getElementById(one.dataset.copy);
      one.textContent = (await copy(source.textContent, source)) ? "Copied" : "Selected: press Ctrl-C";
      setTimeout(() => { one.textContent = label; }, 2500);
    });
  }

  /** One tab stop for several buttons: the arrow keys go on. `step` says by how many places a key moves. */
  function roving(group, items, onFocus = () => {}) {
    items.forEach((item, place) => {
      item.tabIndex = place ? -1 : 0;
      item.addEventListener("focus", () => {
        items.forEach((other) => { other.tabIndex = other === item ? 0 : -1; });
        onFocus(item, place);
      });
    });
    group.addEventListener("keydown", (event) => {
      const place = items.indexOf(document.activeElement);
      if (place < 0) return;
      const moves = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 };
      if (!(event.key in moves)) return;
      event.preventDefault();
      items[Math.max(0, Math.min(items.length - 1, moves[event.key]))].focus();
    });
  }

  return { data, make, copy, roving, tip: { show, hide } };
})();
