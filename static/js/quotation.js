// Words that are selected in the document become the quotation of the form beside it. If the document has numbered
// texts, the form also gets the number and the place in that text, because the words may stand there more than once.
const article = document.getElementById("document");
const quotation = document.getElementById("id_quotation");

function quoteSelection() {
  const selection = getSelection();
  const words = selection.toString().trim();
  if (!words || !article.contains(selection.anchorNode) || !article.contains(selection.focusNode)) return;
  quotation.value = words;
  const { place, start } = quotation.form.elements;
  if (place) [place.value, start.value] = findPlace(selection.getRangeAt(0));
}

/** Return the number of the text in which a range begins, and the number of characters before it there. */
function findPlace(range) {
  const node = range.startContainer;
  const text = (node.closest ? node : node.parentElement).closest("[data-place]");
  if (!text) return ["", ""];
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return [text.dataset.place, before.toString().length];
}

document.addEventListener("pointerup", quoteSelection);
document.addEventListener("keyup", quoteSelection);
