// Drafts: what a judge typed or selected for a document and no label has sent yet. They are in the browser's storage,
// one of each kind for each judge and document: another document, a reload or a closed tab does not lose them.
const unstoredDrafts = new Map(); // drafts that did not fit into the storage; they are lost with this page

/** Return the key of a draft. kind: "comment" or "evidence"; entry: of the document in the judge's queue. */
export const createKey = (kind, judge, entry) => `jurypool ${kind} ${judge} ${entry}`;

/** Return a draft, or null. */
export const readDraft = (key) => localStorage.getItem(key) ?? unstoredDrafts.get(key) ?? null;

/** Whether closing the page would lose a draft. */
export const hasUnstoredDrafts = () => unstoredDrafts.size > 0;

export function storeDraft(key, text) {
  removeDraft(key);
  try {
    localStorage.setItem(key, text);
  } catch {
    unstoredDrafts.set(key, text);
  }
}

export function removeDraft(key) {
  localStorage.removeItem(key);
  unstoredDrafts.delete(key);
}

/** Make the comment of a label that the server refused a draft again, unless a newer draft exists. */
export function restoreComment(judge, { entry, comment }) {
  const key = createKey("comment", judge, entry);
  if (comment && readDraft(key) === null) storeDraft(key, comment);
}
