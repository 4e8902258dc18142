// The judge's comment on the document on screen: a draft until a label sends it.
import { createKey, readDraft, removeDraft, storeDraft } from "./drafts.js";

const field = document.getElementById("comment");
const state = document.getElementById("comment-state");
let article = null;
let draftKey = "";
let sentComment = "";

/** Show the draft of the document on screen, or else the comment of its last label. */
export function showComment(judge, card) {
  article = card;
  draftKey = createKey("comment", judge, card.dataset.entry);
  showText();
}

function showText() {
  field.value = article.dataset.comment;
  sentComment = field.value; // the field has changed the line ends
  field.value = readDraft(draftKey) ?? sentComment;
  showState();
}

export const readComment = () => field.value;
export const isDraft = () => field.value !== sentComment;

/** Forget the draft, because a label sends it. */
export function discardDraft() {
  removeDraft(draftKey);
  showText();
}

function showState() {
  state.textContent = isDraft() ? "draft, sent with your label" : "";
}

field.addEventListener("input", () => {
  if (isDraft()) storeDraft(draftKey, field.value);
  else removeDraft(draftKey);
  showState();
});
addEventListener("storage", ({ key }) => {
  if (key === draftKey && document.activeElement !== field) showText(); // another tab has changed the draft
});
