// The evidence for a label: words that the judge selects in the document. It is stored in the card's data-evidence,
// so it is shown again when the judge returns to the card.
const quoteBox = document.getElementById("evidence");
const details = document.getElementById("evidence-box");
let article = null;

/** Show the evidence of the card on screen. */
export function showEvidence(card = article) {
  article = card;
  const evidence = readEvidence();
  quoteBox.textContent = evidence ? `“${evidence.quote}”` : "";
  details.open = Boolean(evidence);
  document.querySelector("[data-do=clear-evidence]").hidden = !evidence;
}

/** Return the evidence of the card on screen, or null. */
export const readEvidence = () => JSON.parse(article.dataset.evidence || "null");

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
  article.dataset.evidence = JSON.stringify({
    quote,
    paragraph: Number(paragraph.dataset.paragraph),
    start: before.toString().length,
  });
  showEvidence();
  return true;
}

/** Return the selected words. A selection that begins in the title (paragraph -1) ends with it. */
function readQuote(selection, range, paragraph) {
  if (paragraph.localName !== "h1" || paragraph.contains(range.endContainer)) return selection.toString();
  const inTitle = range.cloneRange();
  inTitle.setEnd(paragraph, paragraph.childNodes.length);
  return inTitle.toString();
}

export function clearEvidence() {
  article.dataset.evidence = "";
  showEvidence();
}
