// Words that are selected in the document become the quotation of the form beside it.
const article = document.getElementById("document");
const quotation = document.getElementById("id_quotation");

function quoteSelection() {
  const selection = getSelection();
  const words = selection.toString().trim();
  if (words && article.contains(selection.anchorNode) && article.contains(selection.focusNode)) {
    quotation.value = words;
  }
}

document.addEventListener("pointerup", quoteSelection);
document.addEventListener("keyup", quoteSelection);
