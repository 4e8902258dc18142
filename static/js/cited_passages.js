// Citation marks of an answer: the mark and the sentence of the document that is shown are marked; Close and Escape
// remove the document and return the focus to the mark. Without this script the links show the page with the document.
const EMPTY = "Select a citation to read the document that it names.";
const IS_SHEET = matchMedia("(max-width: 59.99rem)"); // as in answers.css: the document lies over the answer
let opener = null; // the citation mark that was pressed last

const passage = () => document.getElementById("cited-passage");

function unmark() {
  for (const each of document.querySelectorAll(".sentence.current, .citation.current")) {
    each.classList.remove("current");
    each.removeAttribute("aria-current");
  }
}

function markCurrent() {
  unmark();
  if (!opener?.isConnected) return;
  opener.classList.add("current");
  opener.setAttribute("aria-current", "true");
  opener.closest(".sentence")?.classList.add("current");
  if (IS_SHEET.matches) opener.closest(".sentence")?.scrollIntoView({ block: "start" });
}

/** Find the mark of the document that the server has put on the page. */
function findOpener() {
  const { sentence, number } = passage()?.dataset ?? {};
  if (!sentence) return null;
  const marks = document.querySelectorAll(`.sentence[data-sentence="${sentence}"] .citation`);
  return [...marks].find((mark) => mark.textContent === number) ?? null;
}

function close() {
  const shown = passage();
  if (!shown?.dataset.sentence) return;
  delete shown.dataset.sentence;
  const note = Object.assign(document.createElement("p"), { className: "muted no-passage", textContent: EMPTY });
  shown.replaceChildren(note);
  unmark();
  opener?.focus();
}

document.addEventListener("click", (event) => {
  const mark = event.target.closest(".answer a.citation");
  if (mark) opener = mark;
  if (!event.target.closest("#cited-passage .close")) return;
  event.preventDefault();
  close();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "cited-passage" && event.target.id !== "cited-passage") return;
  markCurrent();
  passage()?.querySelector("h2")?.focus({ preventScroll: true });
});

opener = findOpener();
markCurrent();
