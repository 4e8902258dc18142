// The judge's last labels of the topic: their grades below the buttons, and on a wide screen a list with titles at the
// side, in which each line shows its document again.
const MAX_GRADES = 8;
const MAX_LINES = 20;
const grades = document.querySelector(".last-grades");
const list = document.querySelector("#history ol");
const template = document.getElementById("history-line");

/** Put the label of a card first. button: the pressed grade or reason. It replaces an earlier label of the card. */
export function addLabel(card, button) {
  const { entry } = card.dataset;
  removeLabel(entry);
  const symbol = createSymbol(button, entry);
  if (button.name === "relevance") {
    const older = copyFirst(grades.querySelectorAll(".grade-symbol"), MAX_GRADES);
    for (const old of grades.querySelectorAll(".grade-symbol")) old.remove();
    grades.querySelector("span").after(symbol.cloneNode(true), ...older);
  }
  list.replaceChildren(createLine(card, symbol), ...copyFirst(list.children, MAX_LINES));
  htmx.process(list);
}

/** Return copies of the elements before the last one of a full list: an element that moves is a shift of the layout. */
const copyFirst = (elements, limit) => [...elements].slice(0, limit - 1).map((element) => element.cloneNode(true));

/** Remove the label of a document: it was refused. */
export function removeLabel(entry) {
  for (const old of document.querySelectorAll(`:is(.last-grades, #history) [data-entry="${entry}"]`)) old.remove();
}

/** Return the symbol of a grade, or that of "cannot judge". */
function createSymbol(button, entry) {
  const source = button.querySelector(".grade-symbol") ?? template.content.querySelector(".grade-symbol");
  const symbol = source.cloneNode(true);
  if (button.name === "relevance") symbol.textContent = button.value;
  symbol.dataset.entry = entry;
  return symbol;
}

function createLine(card, symbol) {
  const { entry, url } = card.dataset;
  const line = template.content.firstElementChild.cloneNode(true);
  const link = line.querySelector("a");
  line.dataset.entry = entry;
  link.href = `?document=${entry}`;
  link.setAttribute("hx-get", url);
  link.querySelector(".grade-symbol").replaceWith(symbol);
  link.querySelector("span:last-child").textContent = card.querySelector("h1").textContent.trim();
  return line;
}
