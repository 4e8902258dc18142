// What the judging screen says of itself: the counts, the badge, the strip that wants attention, the last labels.
const byId = (id) => document.getElementById(id);

export function show({ judged, total, fresh, waiting, open, outbox, stuck }) {
  byId("place").textContent = Math.min(judged + fresh + (open ? 1 : 0), total);
  byId("progress").value = judged + fresh;
  byId("save").textContent = stuck ? `Not saved: ${waiting} waiting, judging stopped` : `Saved ${judged}, waiting ${waiting}`;
  byId("save").className = `save ${stuck ? "want" : outbox.failures ? "look" : "quiet"}`;
  if (outbox.trouble) report(`${outbox.trouble} ${waiting} ${waiting === 1 ? "label is" : "labels are"} kept in this browser.`, true);
  else if (byId("strip").dataset.trouble) byId("strip").hidden = true;
}

/** trouble: labels do not get through; the strip goes away by itself when they do. */
export function report(text, trouble = false) {
  const strip = byId("strip"), said = strip.querySelector("p");
  strip.dataset.trouble = trouble || "";
  byId("try-now").hidden = !trouble;
  if (said.textContent !== text) said.textContent = text; // said once, not every second
  strip.hidden = false;
}

/** The strip of the judge's own last labels. */
export function recall(button) {
  const tape = document.querySelector(".tape"), gauge = button.querySelector(".g")?.cloneNode(true);
  if (gauge) tape.querySelector("span").after(Object.assign(gauge, { textContent: button.value }));
  for (const old of [...tape.querySelectorAll(".g")].slice(8)) old.remove();
}
