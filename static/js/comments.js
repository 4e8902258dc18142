// The judge's comment on the document on screen. It is a draft in the browser's storage, one for each judge and
// document, until a label sends it: another document, a reload or a closed tab does not lose it.
const field = document.getElementById("comment");
const state = document.getElementById("comment-state");
const unstoredDrafts = new Map(); // drafts that did not fit into the storage; they are lost with this page
let storageKey = "";
let sentComment = "";

/** Show the draft of the document on screen, or else the comment of its last label. */
export function showComment(judge, { dataset }) {
  storageKey = `jurypool comment ${judge} ${dataset.entry}`;
  sentComment = dataset.comment;
  field.value = localStorage.getItem(storageKey) ?? unstoredDrafts.get(storageKey) ?? sentComment;
  showState();
}

export const readComment = () => field.value;
export const isDraft = () => field.value !== sentComment;

/** Whether closing the page would lose a draft. */
export const hasUnstoredDrafts = () => unstoredDrafts.size > 0;

/** Delete the draft, because a label sends the comment. */
export function discardDraft() {
  removeDraft();
  sentComment = field.value;
  showState();
}

function removeDraft() {
  localStorage.removeItem(storageKey);
  unstoredDrafts.delete(storageKey);
}

function storeDraft() {
  removeDraft();
  if (!isDraft()) return;
  try {
    localStorage.setItem(storageKey, field.value);
  } catch {
    unstoredDrafts.set(storageKey, field.value);
  }
}

function showState() {
  state.textContent = isDraft() ? "draft, sent with your label" : "";
}

field.addEventListener("input", () => {
  storeDraft();
  showState();
});
