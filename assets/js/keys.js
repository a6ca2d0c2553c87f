// The keyboard of every page: / search, ? help, j and k in a list of results, Esc.
// Nothing happens while somebody types, nor with Ctrl, Alt or Cmd.
(() => {
  "use strict";
  const TYPING = "input, textarea, select, [contenteditable=''], [contenteditable='true']";
  const visible = (element) => element.getClientRects().length > 0;
  const seen = (selector) => [...document.querySelectorAll(selector)].filter(visible);

  function search() {
    const field = seen("main input[type=search]")[0] ?? seen("input[type=search]")[0];
    field?.focus();
    field?.select();
    return Boolean(field);
  }

  function help() {
    const button = document.querySelector("[data-help]");
    const dialog = button && document.getElementById(button.dataset.help);
    if (dialog?.open) dialog.close();
    else dialog?.showModal();
    return Boolean(dialog);
  }

  function move(step) {
    const results = seen(".result-list > li");
    if (!results.length) return false;
    const here = results.findIndex((result) => result.contains(document.activeElement));
    const next = here < 0 ? (step > 0 ? 0 : results.length - 1) : here + step;
    const result = results[Math.max(0, Math.min(results.length - 1, next))];
    result.querySelector("a[href]")?.focus({ preventScroll: true });
    result.scrollIntoView({ block: "nearest" });
    return true;
  }

  // The last thing opened that says how it closes: <button data-escape>.
  function escape() {
    const closer = seen("[data-escape]").at(-1);
    closer?.click();
    return Boolean(closer);
  }

  const KEYS = { "/": search, "?": help, j: () => move(1), k: () => move(-1), Escape: escape };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const field = event.target.closest?.(TYPING);
    if (field) {
      if (event.key === "Escape" && !field.value) field.blur();
      return;
    }
    if (document.querySelector("dialog[open]") && event.key !== "?") return; // the dialog has its own Esc
    if (KEYS[event.key]?.()) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-help]")) help();
  });
})();
