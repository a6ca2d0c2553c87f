// Reading a topic: keeps the place while messages come and go, follows the reading in the address, jumps and comes back.
// The server sends windows of messages (app/components/thread.py); every sentence comes from it, in data attributes.
(() => {
  "use strict";
  const AHEAD = "1200px 0px"; // more messages are asked for when an end comes this near
  const SETTLED_MS = 400; // what scrolls right after an arrival is not the reader
  const FOLLOW_MS = 150;
  const TOPIC = /^\/t\/(?:[^/]+\/)?(\d+)\/(\d+)$/;

  let root, column, range, here, moments;
  let current = 0; // number of the message being read
  let anchor = null; // the message that stays where it is, and where that is
  let quietUntil = 0;
  let wanted = 0; // the message asked from the server, until it has come
  let moved = false; // whether its arrival takes the focus along
  let stepped = null; // the "more" button that the keyboard pressed
  let following = 0;
  const origins = []; // numbers of the messages that jumps started from

  const numberOf = (article) => Number(article?.id.replace("message-", "")) || 0;
  const articles = () => [...column.querySelectorAll("article.post")];
  const say = (sentence) => (root.querySelector(".reading-status").textContent = sentence);
  const count = (n) => n.toLocaleString(document.documentElement.lang);
  const path = (n) => `${root.dataset.path}/${n}${location.search}`;

  function start() {
    root = document.querySelector(".reading");
    column = root?.querySelector(".posts");
    if (!column) return;
    range = root.querySelector(".timeline input[type=range]");
    here = root.querySelector(".timeline .here");
    moments = JSON.parse(root.dataset.moments || "[]");
    history.scrollRestoration = "manual";
    new MutationObserver(stay).observe(column, { childList: true, subtree: true });
    new ResizeObserver(stay).observe(column);
    root.addEventListener("click", clicked);
    root.addEventListener("submit", submitted);
    root.addEventListener("keydown", pressed);
    range?.addEventListener("input", () => tell(Number(range.value)));
    range?.addEventListener("change", () => jump(Number(range.value), { focus: false }));
    window.addEventListener("popstate", cameBack);
    window.addEventListener("scroll", scrolled, { passive: true });
    for (const by of ["wheel", "touchmove", "keydown"]) {
      window.addEventListener(by, () => (quietUntil = 0), { passive: true }); // from now on it is the reader
    }
    reachable();
    const target = Number(root.dataset.target);
    if (target) arrive(target, { focus: false });
    else read(numberOf(articles()[0]));
  }

  // --- keeping the place ---

  function atTop() {
    const shown = articles();
    if (!shown.length) return undefined;
    const header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const edge = header + parseFloat(getComputedStyle(shown[0]).scrollMarginTop) + 8; // where an arrival puts a message
    return shown.find((article) => article.getBoundingClientRect().bottom > edge);
  }

  // Browsers keep the place themselves, and best while a scroll goes on; not at the very top, and Safari never.
  const ANCHORED = CSS.supports("overflow-anchor", "auto");

  function hold(article) {
    anchor = article ? { article, top: article.getBoundingClientRect().top } : null;
  }

  // Called after the page has changed and before it is painted: what was being read has not moved, nor what has the focus.
  function stay() {
    if (anchor?.article.isConnected && (window.scrollY === 0 || !ANCHORED) && !elsewhere()) {
      const shift = anchor.article.getBoundingClientRect().top - anchor.top;
      if (Math.abs(shift) > 1) window.scrollBy({ top: shift, behavior: "instant" });
    }
    if (performance.now() > quietUntil) hold(atTop());
    if (stepped) focusNew();
    reachable();
    watch();
  }

  // What scrolls sideways is reached by the keyboard too.
  function reachable() {
    for (const wide of column.querySelectorAll(".post-body :is(pre, .table)")) {
      if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
    }
  }

  function focusNew() {
    const { later, edge } = stepped;
    const beyond = articles().filter((article) => (later ? numberOf(article) > edge : numberOf(article) < edge));
    const next = later ? beyond[0] : beyond.at(-1);
    if (!next) return;
    stepped = null;
    next.focus();
  }

  // --- more messages at both ends ---

  let ends = null;

  function watch() {
    if (!ends) return;
    for (const button of root.querySelectorAll("button.more")) {
      ends.unobserve(button); // so that one which is still near is told again
      ends.observe(button);
    }
  }

  // Whoever walks by keyboard above or below the messages is not sent away by messages that come: the button is there.
  function elsewhere() {
    const focus = document.activeElement;
    if (!focus || focus === document.body || column.contains(focus) || focus.matches(".more")) return false;
    const seen = focus.getBoundingClientRect();
    return root.contains(focus) && seen.bottom > 0 && seen.top < innerHeight;
  }

  function scrolled() {
    if (performance.now() < quietUntil) return;
    if (!ends) {
      ends = new IntersectionObserver(
        (seen) => seen.forEach((one) => one.isIntersecting && !elsewhere() && one.target.click()),
        { rootMargin: AHEAD },
      );
      watch();
    }
    hold(atTop());
    following ||= setTimeout(follow, FOLLOW_MS);
  }

  function follow() {
    following = 0;
    const n = numberOf(atTop());
    if (!n || n === current || performance.now() < quietUntil) return;
    read(n);
    history.replaceState(null, "", path(n));
  }

  function read(n) {
    current = n;
    if (range && document.activeElement !== range) range.value = n;
    tell(n);
  }

  // Where this number stands: "no. 1,900 of 2,700" and its date.
  function tell(n) {
    if (!here) return;
    let day = moments[0]?.[1] ?? "";
    for (const [number, said] of moments) {
      if (number > n) break;
      day = said;
    }
    // Not every date is among those moments; that of a message on the page is.
    day = document.getElementById(`message-${n}`)?.querySelector(".date")?.textContent ?? day;
    here.querySelector(".here-number").textContent = here.dataset.number.replace("{n}", count(n));
    here.querySelector(".here-date").textContent = day;
    range.setAttribute("aria-valuetext", [...here.children].map((part) => part.textContent).join(", "));
  }

  // --- jumping and coming back ---

  function jump(n, { from = current, focus = true } = {}) {
    if (n !== from) {
      history.replaceState(null, "", path(from));
      history.pushState(null, "", path(n));
      origins.push(from);
      offerReturn();
    }
    go(n, focus);
  }

  function go(n, focus) {
    wanted = n;
    moved = focus;
    if (document.getElementById(`message-${n}`)) arrive(n, { focus });
    else emitEvent("topic_go", n);
  }

  // The server has shown the messages around `asked`, which is `there` or was not held.
  function came(asked, there) {
    if (asked === wanted) arrive(there, { focus: moved });
    else if (wanted) go(wanted, moved); // meanwhile the reader went elsewhere
  }

  function arrive(n, { focus }) {
    const article = document.getElementById(`message-${n}`);
    if (!article) return;
    for (const other of articles()) other.classList.toggle("is-target", other === article);
    quietUntil = performance.now() + SETTLED_MS;
    article.scrollIntoView({ block: "start", behavior: "instant" });
    if (focus) article.focus({ preventScroll: true });
    hold(article);
    read(numberOf(article));
    history.replaceState(null, "", path(current));
  }

  function cameBack() {
    const n = Number(location.pathname.match(TOPIC)?.[2]);
    if (location.hash || !n) return;
    if (origins.at(-1) === n) origins.pop();
    offerReturn();
    go(n, true);
  }

  function offerReturn() {
    const button = root.querySelector("button.return");
    const back = origins.at(-1);
    button.hidden = back === undefined;
    if (back !== undefined) button.textContent = button.dataset.said.replace("{n}", count(back));
  }

  // --- what is clicked ---

  function clicked(event) {
    const at = (selector) => event.target.closest(selector);
    const more = at("button.more");
    if (more && event.detail === 0 && event.isTrusted) {
      const later = more.classList.contains("later");
      stepped = { later, edge: numberOf(later ? articles().at(-1) : articles()[0]) };
    }
    if (at("button.return")) return history.back();
    const quoted = at("[data-source]");
    if (quoted) return cite(quoted);
    const hidden = at(".spoiler[role]");
    if (hidden) {
      event.preventDefault();
      return reveal(hidden);
    }
    const link = at("a[href]");
    if (!link) return;
    // DOMPurify, the second wall, drops `target`: links that leave the forum get it back when they are followed.
    if (link.classList.contains("outside")) link.target = "_blank";
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    if (link.classList.contains("lightbox")) {
      event.preventDefault();
      return enlarge(link);
    }
    const [, topic, number] = link.pathname.match(TOPIC) ?? [];
    if (topic !== root.dataset.topic || link.target === "_blank") return;
    if (link.origin !== location.origin || link.search !== location.search) return;
    event.preventDefault();
    jump(Number(number), { from: numberOf(link.closest("article")) || current });
  }

  function submitted(event) {
    const field = event.target.querySelector("input[name=message]");
    if (!field) return;
    event.preventDefault();
    if (Number(field.value) > 0) jump(Number(field.value));
  }

  function pressed(event) {
    const hidden = event.target.closest?.(".spoiler[role]");
    if (hidden && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      reveal(hidden);
    }
  }

  function reveal(hidden) {
    for (const name of ["role", "tabindex", "aria-label"]) hidden.removeAttribute(name);
  }

  function enlarge(link) {
    const dialog = root.querySelector("dialog.lightbox");
    const small = link.querySelector("img");
    const image = dialog.querySelector("img");
    image.src = link.href;
    image.alt = small?.alt ?? "";
    dialog.querySelector("figcaption").textContent = image.alt;
    dialog.showModal(); // Esc closes it, and the focus goes back to the link
  }

  // The chosen words of the message, else its beginning, as a Markdown quotation with its source.
  async function cite(button) {
    const chosen = getSelection();
    const body = button.closest("article").querySelector(".post-body");
    const inside = !chosen.isCollapsed && body.contains(chosen.anchorNode) && body.contains(chosen.focusNode);
    const said = (inside ? chosen.toString() : button.dataset.words).trim();
    const lines = said ? [...said.split("\n"), ""] : [];
    const written = [...lines, button.dataset.source].map((line) => `> ${line}`.trimEnd()).join("\n");
    say((await copy(written)) ? root.dataset.copied : root.dataset.notCopied);
  }

  async function copy(words) {
    if (window.isSecureContext && navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(words);
        return true;
      } catch {
        // refused by the browser: the older way below may still do
      }
    }
    const area = Object.assign(document.createElement("textarea"), { value: words, readOnly: true });
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }

  window.archiviste = { ...window.archiviste, topic: { start, came } };
})();
