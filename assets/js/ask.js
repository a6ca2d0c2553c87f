// What only the browser can do for the page of a question: its own history, the clipboard, printing, focus, goodbyes.
(() => {
  "use strict";
  const KEPT = "archiviste.questions"; // in this browser only: nothing of it goes to the server
  const MOST = 30;
  const ABOVE_PX = 120; // of what stands above the message that a panel opens on

  function kept() {
    try {
      const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
      return found.filter((each) => typeof each?.q === "string" && typeof each?.path === "string");
    } catch {
      return []; // storage that is refused, or that somebody edited
    }
  }

  function keep(questions) {
    try {
      localStorage.setItem(KEPT, JSON.stringify(questions.slice(0, MOST)));
    } catch {
      // a private window: the page works without its history
    }
  }

  // The question of this address, first in the history.
  function remember() {
    const query = new URLSearchParams(location.search);
    const q = query.get("q")?.trim();
    const path = location.pathname + location.search;
    if (q) keep([{ q, path }, ...kept().filter((each) => each.q !== q)]);
  }

  // The history, as links in the list of a block that hides while there is none.
  function showHistory(id) {
    const block = document.getElementById(id);
    const list = block?.querySelector("ul");
    if (!list) return;
    const links = kept().filter((each) => each.path.startsWith("/demander?")).map((each) => {
      const link = Object.assign(document.createElement("a"), { href: each.path, textContent: each.q });
      link.className = "example";
      const item = document.createElement("li");
      item.append(link);
      return item;
    });
    list.replaceChildren(...links);
    block.hidden = !links.length;
  }

  function forget(id) {
    keep([]);
    showHistory(id);
    document.getElementById("question")?.focus();
  }

  // Without the clipboard of the browser, which plain http on a local network does not have, the old way.
  async function copy(words) {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      const field = Object.assign(document.createElement("textarea"), { value: words });
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }

  let opener = null; // what gets the focus back when the panel closes

  function panelOpened(id) {
    const panel = document.getElementById(id);
    if (!panel) return;
    if (!panel.contains(document.activeElement)) opener = document.activeElement;
    // The panel scrolls on a phone, the column that holds it on a wide screen; the page itself stays.
    const scroller = getComputedStyle(panel).position === "fixed" ? panel : panel.parentElement;
    const target = panel.querySelector(".is-target");
    scroller.scrollTop = 0;
    if (target) scroller.scrollTop = target.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ABOVE_PX;
    panel.querySelector("h2")?.focus({ preventScroll: true });
  }

  function panelClosed() {
    if (opener?.isConnected) opener.focus();
    opener = null;
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy], [data-print]");
    if (!button) return;
    if (button.dataset.print !== undefined) return window.print();
    await copy(button.dataset.copy);
    const said = button.textContent;
    if (said === button.dataset.copied) return;
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = said), 2000);
  });

  // Whoever leaves the page does not want its answer any more; a computer that sleeps does not say goodbye.
  window.addEventListener("pagehide", () => window.emitEvent?.("left"));

  window.archiviste = { remember, showHistory, forget, panelOpened, panelClosed };
})();
