// The search of an archive that is read from a disk. A page of a disk can fetch nothing, but it can load scripts: each
// file of the index is one, and calls a function below (engine/export/search_index.py writes them).
"use strict";

const archiviste = (() => {
  const SHOWN = 20; // results at a time
  const MOST_WORDS = 12;
  const SHORTEST_PREFIX = 3;
  const LETTER = "[\\p{L}\\p{N}_]";
  const WORD = new RegExp(
    `(?<![\\p{L}\\p{N}_.,])\\p{Nd}+[.,]\\p{Nd}+(?![.,]?${LETTER})|${LETTER}+(?:'${LETTER}+)*`, "gu");
  const LIGATURES = { "œ": "oe", "æ": "ae", "ß": "ss", "’": "'", "ʼ": "'", "‘": "'", "´": "'", "′": "'" };
  const files = new Map(); // address → promise of what the file gives
  const given = new Map(); // address → what it gave, until somebody takes it
  let setup, elisions, whole, stop, starts;

  // --- words: the same as engine/export/search_terms.py ---

  function normalise(text) {
    const lowered = text.normalize("NFC").toLowerCase().replace(/[œæß’ʼ‘´′]/gu, (c) => LIGATURES[c]);
    return lowered.normalize("NFC");
  }

  function fold(word) {
    return normalise(word).normalize("NFD").replace(/\p{Mn}/gu, "");
  }

  function parts(token) {
    if (!token.includes("'")) return [token];
    if (setup.possessive) return [token.replace(/'s$/u, "").replaceAll("'", "")];
    if (whole.has(token)) return [whole.get(token)];
    const at = token.indexOf("'");
    const head = token.slice(0, at), rest = token.slice(at + 1);
    return elisions.has(head) ? parts(rest) : [head, ...parts(rest)];
  }

  function terms(text, keepAll = false) {
    const found = [];
    for (const [token] of normalise(text).matchAll(WORD)) {
      if (/[.,]/u.test(token)) {
        found.push(token.replace(".", ","));
        continue;
      }
      for (const word of parts(token)) {
        const kept = word && (keepAll || !stop.has(word)) && ([...word].length > 1 || /^\p{Nd}$/u.test(word));
        const folded = kept ? fold(word) : "";
        if (folded && [...folded].length <= setup.max) found.push(folded);
      }
    }
    return found;
  }

  // --- files ---

  function load(address) {
    if (!files.has(address)) {
      files.set(address, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = () => { script.remove(); done(given.get(address)); given.delete(address); };
        script.onerror = () => { script.remove(); failed(new Error(address)); };
        document.head.append(script);
      }));
    }
    return files.get(address);
  }

  function shard(term) {
    const start = [...term].slice(0, 2).join("");
    const plain = /^[a-z0-9]+$/u.test(start);
    return plain ? start : "x" + [...start].map((c) => c.codePointAt(0).toString(16)).join("-");
  }

  // Most of a vocabulary's shards exist; those of words that nobody wrote do not, and that is no failure.
  const shardOf = (term) => setup.shards.has(shard(term)) ? load(`search/w/${shard(term)}.js`) : Promise.resolve("");
  const block = (post) => load(`search/d/${Math.floor(post / setup.block)}.js`);

  // --- finding ---

  function* places(list) {
    let at = 0;
    for (const step of list ? list.split(",") : []) {
      const [distance, times] = step.split(".");
      at += parseInt(distance, 36);
      yield [at, times ? Number(times) : 1];
    }
  }

  // What remains of a word without the mark of its plural: its shortest form finds the longer ones.
  function stem(word) {
    const forms = [word.replace(/es$/u, ""), word.replace(/[sx]$/u, "")];
    return forms.find((form) => form !== word && form.length >= SHORTEST_PREFIX) || word;
  }

  function topicOf(post) {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= post) low = middle; else high = middle - 1;
    }
    return low;
  }

  async function find(text) {
    let words = [...new Set(terms(text))];
    if (!words.length) words = [...new Set(terms(text, true))];
    words = words.slice(0, MOST_WORDS);
    const total = setup.posts;
    const posts = new Map(), topics = new Map(); // number → [words found, score]
    const lines = await Promise.all(words.map(shardOf));
    words.forEach((word, n) => {
      const root = stem(word);
      for (const line of lines[n].split("\n")) {
        const end = line.indexOf(" ");
        const term = line.slice(0, end);
        const close = root.length >= SHORTEST_PREFIX ? term.startsWith(root) : term === word;
        if (end < 0 || !close) continue;
        const [, ofPosts, ofTopics] = line.split(" ");
        const found = [...places(ofPosts)], titles = [...places(ofTopics)];
        const rare = Math.log(1 + total / (1 + found.length));
        const weight = rare * (term === word ? 1 : stem(term) === root ? 0.9 : 0.35);
        for (const [post, times] of found) add(posts, post, n, weight * (1 + Math.log(times)));
        for (const [topic] of titles) add(topics, topic, n, weight * 2);
      }
    });
    const best = new Map(); // topic → [post, how many of the words, score]
    for (const [post, [mask, score]] of posts) {
      const topic = topicOf(post), title = topics.get(topic);
      keep(best, topic, [post, count(mask | (title ? title[0] : 0)), score + (title ? title[1] : 0)]);
    }
    for (const [topic, [mask, score]] of topics) {
      if (!best.has(topic)) best.set(topic, [starts[topic], count(mask), score]);
    }
    // Those that hold all of the words; when none does, those that hold the most of them.
    const most = Math.max(0, ...new Set([...best.values()].map(([, held]) => held)));
    const found = [...best.values()].filter(([, held]) => held === most);
    found.sort((a, b) => b[2] - a[2] || a[0] - b[0]);
    return { found: found.map(([post]) => post), whole: most === words.length };
  }

  const count = (mask) => mask.toString(2).replaceAll("0", "").length;

  // Several forms of one word count once, as the best of them.
  function add(scores, key, n, weight) {
    const held = scores.get(key);
    if (!held) scores.set(key, [1 << n, weight, { [n]: weight }]);
    else if (!(held[0] & (1 << n)) || held[2][n] < weight) {
      held[1] += weight - (held[2][n] || 0);
      held[2][n] = weight;
      held[0] |= 1 << n;
    }
  }

  function keep(best, topic, one) {
    const held = best.get(topic);
    if (!held || held[1] < one[1] || (held[1] === one[1] && held[2] < one[2])) best.set(topic, one);
  }

  // --- showing ---

  const byId = (id) => document.getElementById(id);

  function element(name, said, css) {
    const made = document.createElement(name);
    made.textContent = said; // never as HTML: it comes from members
    if (css) made.className = css;
    return made;
  }

  async function show(found, from) {
    const some = found.slice(from, from + SHOWN);
    const blocks = await Promise.all(some.map(block));
    const list = byId("results");
    some.forEach((post, n) => {
      const { rows, titles } = blocks[n];
      const [topic, number, author, date, excerpt] = rows[post % setup.block];
      const page = Math.floor(Math.max(0, number - 1) / setup.page) + 1;
      const link = element("a", titles.get(topic) || "…");
      link.href = `t/${topic}/${page}.html#post_${number}`;
      const item = document.createElement("li");
      const title = element("span", "", "title");
      title.append(link);
      const facts = [author, date, setup.said.message.replace("0", String(number))].join(" · ");
      item.append(title, element("p", excerpt, "excerpt"), element("span", facts, "counts"));
      list.append(item);
    });
    const more = byId("more");
    more.hidden = from + SHOWN >= found.length;
    more.onclick = async () => {
      const first = list.children.length;
      await show(found, from + SHOWN);
      list.children[first]?.querySelector("a")?.focus();
    };
  }

  async function start() {
    const text = (new URLSearchParams(location.search).get("q") || "").slice(0, 400).trim();
    byId("q").value = text;
    if (!text) return;
    const said = byId("said");
    if (!setup) return void (said.textContent = said.dataset.missing);
    document.title = `${text} — ${document.title}`;
    said.textContent = setup.said.loading;
    const list = byId("results");
    list.setAttribute("aria-busy", "true");
    try {
      const { found, whole } = await find(text);
      const { none, some, found: many, found_one: one } = setup.said;
      await show(found, 0);
      const total = new Intl.NumberFormat(document.documentElement.lang).format(found.length);
      said.textContent = !found.length ? none : !whole ? some
        : found.length === 1 ? one : many.replace("{n}", total);
    } catch {
      said.textContent = setup.said.missing;
    }
    list.setAttribute("aria-busy", "false");
  }

  document.addEventListener("DOMContentLoaded", start);

  return {
    setup(told) {
      setup = told;
      elisions = new Set(told.elisions);
      whole = new Map(told.whole);
      stop = new Set(told.stop);
      setup.shards = new Set(told.shards.split(" "));
      starts = [];
      setup.posts = 0;
      for (const size of told.sizes ? told.sizes.split(" ") : []) {
        starts.push(setup.posts);
        setup.posts += parseInt(size, 36);
      }
    },
    words(name, lines) { given.set(`search/w/${name}.js`, lines); },
    extracts(n, rows, titles) { given.set(`search/d/${n}.js`, { rows, titles: new Map(titles) }); },
    terms,
  };
})();
