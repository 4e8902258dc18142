// A judge's comment on the document on screen. What is typed is a draft in this browser, stored for each judge and
// document, until it goes to the server with a label: it outlives "Later", another document, a reload and a pause.
const field = document.getElementById("comment"),
  state = document.getElementById("comment-state");
const unstored = new Map(); // drafts for which the browser has no room: they live as long as this page
let name = "",
  sent = "";

/** A document is on screen: show its draft, or the comment of its last label. */
export function turnTo(judge, { dataset }) {
  name = `jurypool comment ${judge} ${dataset.entry}`;
  sent = dataset.comment;
  field.value = localStorage.getItem(name) ?? unstored.get(name) ?? sent;
  showState();
}

export const text = () => field.value;
export const isDraft = () => field.value !== sent;

/** Whether a draft would be lost with this page. */
export const isAnyUnstored = () => unstored.size > 0;

/** The comment goes out with a label. */
export function takeDraft() {
  localStorage.removeItem(name);
  unstored.delete(name);
  sent = field.value;
  showState();
  return sent;
}

function storeDraft() {
  localStorage.removeItem(name);
  unstored.delete(name);
  if (!isDraft()) return;
  try {
    localStorage.setItem(name, field.value);
  } catch {
    unstored.set(name, field.value);
  }
}

function showState() {
  state.textContent = isDraft() ? "draft, sent with your label" : "";
}

field.addEventListener("input", () => {
  storeDraft();
  showState();
});
