// Sends a file that is dropped or chosen to the application, as it is on the disk, and shows how far it is.
// Every sentence comes from the server (app/components/job_drop.py), in a data attribute.
(() => {
  "use strict";
  const SHOWN_EVERY_MS = 250;
  const lang = () => document.documentElement.lang || "fr";
  const fill = (sentence, facts) => sentence.replace(/\{(\w+)\}/g, (whole, name) => facts[name] ?? whole);

  function size(bytes, units) {
    let rank = 0;
    while (bytes >= 999.5 && rank < units.length - 1) [bytes, rank] = [bytes / 1000, rank + 1];
    return `${bytes.toLocaleString(lang(), { maximumFractionDigits: rank > 2 ? 1 : 0 })}\u00a0${units[rank]}`;
  }

  function time(seconds) {
    const whole = Math.max(1, Math.round(seconds));
    return whole < 60 ? `${whole}\u00a0s` : `${Math.round(whole / 60)}\u00a0min`;
  }

  function send(place, file) {
    if (place.dataset.busy) return;
    const words = JSON.parse(place.dataset.words);
    const units = words.units;
    const bar = place.querySelector(".drop-bar");
    const line = place.querySelector(".drop-line");
    const stop = place.querySelector(".drop-stop");
    const request = new XMLHttpRequest();
    const began = Date.now();
    let shown = 0;
    const end = (sentence, wrong) => {
      delete place.dataset.busy;
      bar.hidden = stop.hidden = true;
      line.classList.toggle("notice", wrong);
      line.textContent = sentence;
    };
    place.dataset.busy = "1";
    bar.value = 0;
    bar.hidden = stop.hidden = false;
    line.classList.remove("notice");
    line.textContent = file.name;
    stop.onclick = () => request.abort();
    request.upload.onprogress = (event) => {
      const now = Date.now();
      if (now - shown < SHOWN_EVERY_MS || !event.total) return;
      shown = now;
      const share = event.loaded / event.total;
      bar.value = Math.round(1000 * share);
      const facts = {
        name: file.name,
        share: share.toLocaleString(lang(), { style: "percent", maximumFractionDigits: 1 }),
        done: size(event.loaded, units),
        total: size(event.total, units),
      };
      const left = ((now - began) / 1000) * (1 / share - 1);
      line.textContent = `${fill(words.progress, facts)} — ${fill(words.left, { time: time(left) })}`;
    };
    request.onload = () => {
      if (request.status !== 200) return end(request.responseText || words.failed, true);
      end(fill(words.arrived, { name: file.name }), false);
      place.dispatchEvent(new CustomEvent("received", { detail: JSON.parse(request.responseText).name }));
    };
    request.onerror = () => end(words.failed, true);
    request.onabort = () => end(words.stopped, false);
    request.open("PUT", `${place.dataset.to}?nom=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  }

  const placeOf = (event) => event.target.closest?.(".drop");

  addEventListener("change", (event) => {
    const place = placeOf(event);
    if (!place || event.target.type !== "file" || !event.target.files.length) return;
    const [file] = event.target.files;
    event.target.value = ""; // so that the same file can be chosen again
    send(place, file);
  });
  for (const kind of ["dragover", "dragleave", "drop"])
    addEventListener(kind, (event) => {
      const place = placeOf(event);
      if (!place || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      place.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) send(place, event.dataTransfer.files[0]);
    });
})();
