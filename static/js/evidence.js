// The evidence for a label: words that the judge selects in the document. It is a draft until a label sends it.
import { createKey, readDraft, removeDraft, storeDraft } from "./drafts.js";

const quoteBox = document.getElementById("evidence");
const details = document.getElementById("evidence-box");
let article = null;
let draftKey = "";

/** Show the draft of the document on screen, or else the evidence of its last label. */
export function showEvidence(judge, card) {
  article = card;
  const { entry, textHash } = card.dataset; // evidence is a place in a text: a new text begins without a draft
  draftKey = createKey("evidence", judge, `${entry} ${textHash}`);
  showQuote();
}

function showQuote() {
  const evidence = readEvidence();
  quoteBox.textContent = evidence ? `“${evidence.quote}”` : "";
  details.open = Boolean(evidence);
  document.querySelector("[data-do=clear-evidence]").hidden = !evidence;
}

const readText = () => readDraft(draftKey) ?? article.dataset.evidence;
export const isDraft = () => readText() !== article.dataset.evidence;

/** Return the evidence for the document on screen, or null. */
export const readEvidence = () => JSON.parse(readText() || "null");

/** Forget the draft, because a label sends it. */
export const discardDraft = () => removeDraft(draftKey);

/** Store the selected words as evidence. Returns whether any words of the document are selected. */
export function storeSelection() {
  const selection = getSelection();
  const range = selection.rangeCount ? selection.getRangeAt(0) : null;
  const start = range?.startContainer;
  const paragraph = (start?.closest ? start : start?.parentElement)?.closest("[data-paragraph]");
  const quote = paragraph && readQuote(selection, range, paragraph).trim();
  if (!quote) return false;
  const before = document.createRange();
  before.setStart(paragraph, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const place = { paragraph: Number(paragraph.dataset.paragraph), start: before.toString().length };
  storeDraft(draftKey, JSON.stringify({ quote, ...place }));
  showQuote();
  return true;
}

/**
 * Return the selected words. A selection that begins in the title (paragraph -1) ends with it.
 * Beside formulas, the range has the letters of the document; the selection has those drawn, italic ones.
 */
function readQuote(selection, range, paragraph) {
  if (paragraph.querySelector("math")) return range.toString();
  if (paragraph.localName !== "h1" || paragraph.contains(range.endContainer)) return selection.toString();
  const inTitle = range.cloneRange();
  inTitle.setEnd(paragraph, paragraph.childNodes.length);
  return inTitle.toString();
}

export function clearEvidence() {
  if (article.dataset.evidence) storeDraft(draftKey, "");
  else removeDraft(draftKey);
  showQuote();
}

addEventListener("storage", ({ key }) => key === draftKey && showQuote()); // another tab has changed the draft
