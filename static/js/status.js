// The status of the judging screen: the counts, whether labels are saved, the alert.
const NOTE_DURATION = 2000; // ms
const byId = (id) => document.getElementById(id);
const alertBar = byId("alert");
const alertText = alertBar.querySelector("p");
let noteTimer;

/**
 * Show the counts. judged: labels that the server has; fresh: documents with an unsent label; unsent: unsent labels;
 * isOpen: the document on screen has no label; isBlocked: no more labels are taken until some are sent; isRefused: the
 * server takes none.
 */
export function showStatus({ judged, total, fresh, unsent, isOpen, outbox, isBlocked, isRefused }) {
  const level = outbox.failures ? "warning" : "muted";
  byId("place").textContent = Math.min(judged + fresh + (isOpen ? 1 : 0), total);
  byId("total").textContent = total;
  Object.assign(byId("progress"), { max: total, value: judged + fresh });
  byId("save").className = `save ${isBlocked ? "alert" : level}`;
  byId("save").textContent = (unsent ? `${unsent} not sent yet` : "All saved") + (isBlocked ? ", judging stopped" : "");
  byId("leave").hidden = !isRefused;
  if (outbox.error) showAlert([outbox.error, ...describeUnsent(unsent, outbox, isBlocked)].join(" "), "unsent");
  else if (alertBar.dataset.kind === "unsent") clearAlert();
}

/** Show the number of unsent answers of another screen, and why they are not sent. noun: such as "vote". */
export function showUnsent(outbox, noun) {
  const { length } = outbox.listUnsent();
  const answers = `${length} ${noun}${length === 1 ? "" : "s"}`;
  const place = outbox.unstored.size ? "only in this page: leave it open until all are sent" : "stored in this browser";
  byId("save").className = `save ${outbox.failures ? "warning" : "muted"}`;
  byId("save").textContent = length ? `${length} not sent yet` : "All saved";
  if (outbox.error) showAlert(`${outbox.error} Not sent yet: ${answers}, ${place}.`, "unsent");
  else if (alertBar.dataset.kind === "unsent") clearAlert();
}

/** Describe where the unsent labels are, and whether judging can go on. */
function describeUnsent(unsent, { unstored, isRefused }, isBlocked) {
  const goOn = isBlocked ? [] : ["You can go on judging."];
  if (unstored.size) {
    const labels = unstored.size === 1 ? "1 label is" : `${unstored.size} labels are`;
    return [
      `${labels} in this page only, because the browser storage is full: leave the page open until all are sent.`,
      ...goOn,
    ];
  }
  if (!unsent) return goOn;
  const place = unsent === 1 ? "1 label is stored in this browser" : `${unsent} labels are stored in this browser`;
  const sent = unsent === 1 ? "is sent" : "are sent";
  return [isRefused ? `${place}.` : `${place} and ${sent} when the server answers again.`, ...goOn];
}

/**
 * Show a message above the document. kind: "problem", "note", or "unsent" when labels cannot be sent. The next label
 * clears a message; "unsent" is cleared when all labels are sent. Each can be closed.
 */
export function showAlert(text, kind = "problem") {
  if (alertText.textContent !== text) alertText.textContent = text; // a screen reader reads an unchanged text once
  else if (kind === "unsent") return; // the judge has closed it
  alertBar.dataset.kind = kind;
  alertBar.hidden = false;
  byId("try-now").hidden = kind !== "unsent";
}

/** Clear the message of the last label. */
export function clearOldAlert() {
  if (alertBar.dataset.kind !== "unsent") clearAlert();
}

/** Hide the message; showAlert does not show the same "unsent" message again before labels were sent. */
export function closeAlert() {
  alertBar.hidden = true;
}

function clearAlert() {
  closeAlert();
  alertBar.dataset.kind = "";
  alertText.textContent = "";
}

/** Show a note beside the last grades, for a moment or until the next one. */
export function showNote(text, stays = false) {
  byId("press-note").textContent = text;
  clearTimeout(noteTimer);
  if (!stays) noteTimer = setTimeout(clearNote, NOTE_DURATION);
}

export function clearNote() {
  showNote("", true);
}
