// What the judging screen says of itself: the counts, the badge, the strip that wants attention, the last labels.
const NOTE = 2000; // ms for which the tape says that a press was ignored
const byId = (id) => document.getElementById(id);
let forgetting;

export function show({ judged, total, fresh, waiting, open, outbox, stuck }) {
  byId("place").textContent = Math.min(judged + fresh + (open ? 1 : 0), total);
  byId("progress").value = judged + fresh;
  const words = stuck ? `Not saved: ${waiting} waiting, judging stopped` : `Saved ${judged}, waiting ${waiting}`;
  byId("save").textContent = words;
  byId("save").className = `save ${stuck ? "want" : outbox.failures ? "look" : "quiet"}`;
  if (outbox.trouble) report(`${outbox.trouble} ${whereKept(waiting, outbox.unkept.size)}`, "trouble");
  else if (byId("strip").dataset.kind === "trouble") clear();
}

/** Where the labels are that the server does not have. unkept: how many of them are in this page only. */
function whereKept(waiting, unkept) {
  if (unkept) {
    const labels = unkept === 1 ? "1 label is" : `${unkept} labels are`;
    return `${labels} in this page only, because this browser stores no more: leave the page open until it is sent.`;
  }
  return `${waiting} ${waiting === 1 ? "label is" : "labels are"} kept in this browser.`;
}

/**
 * Show a message above the document. kind: "problem", "note", or "trouble" for labels that do not get through.
 * Trouble goes when they do; the others go with the next press. Each can be closed.
 */
export function report(text, kind = "problem") {
  const strip = byId("strip"),
    said = strip.querySelector("p");
  if (said.textContent !== text) said.textContent = text; // read aloud once, not every second
  else if (kind === "trouble") return; // it was closed
  strip.dataset.kind = kind;
  strip.hidden = false;
  byId("try-now").hidden = kind !== "trouble";
}

/** The next press was made: what was said before it has been read. */
export const passOn = () => byId("strip").dataset.kind === "trouble" || clear();

/** Hide the message on the judge's wish; the same words do not come back until they were cleared. */
export const close = () => (byId("strip").hidden = true);

function clear() {
  close();
  byId("strip").dataset.kind = "";
  byId("strip").querySelector("p").textContent = "";
}

/** The strip of the judge's own last labels. */
export function recall(button) {
  const tape = document.querySelector(".tape"),
    gauge = button.querySelector(".g")?.cloneNode(true);
  if (gauge) tape.querySelector("span").after(Object.assign(gauge, { textContent: button.value }));
  for (const old of [...tape.querySelectorAll(".g")].slice(8)) old.remove();
}

/** Say for a moment, beside the last labels, that a press was ignored. */
export function note(text) {
  byId("tape-note").textContent = text;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (byId("tape-note").textContent = ""), NOTE);
}
