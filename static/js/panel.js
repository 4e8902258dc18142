// The panel beside the document: evidence, the judge's own terms, the size of the text, and what is open or closed.
import { mark, unmark } from "./highlights.js";

const byId = (id) => document.getElementById(id);
const OWN_COLOURS = [5, 6, 7]; // the topic's terms begin at 0
let article = null;
let terms = JSON.parse(sessionStorage.getItem("jurypool terms") ?? "[]"); // the judge's own, for this tab

/** A new document is on screen. */
export function turnTo(card) {
  article = card;
  showEvidence();
  terms.forEach(markOwn);
  showTerms();
}

export function open(details, field) {
  if (byId(details)) byId(details).open = true;
  field?.focus();
}

/** The evidence of the document on screen; its card holds it, so it is there again after undo. */
export const evidence = () => JSON.parse(article.dataset.evidence || "null");

/** The words that are selected in the document. Returns whether there were any. */
export function takeEvidence() {
  const selection = getSelection(),
    range = selection.rangeCount ? selection.getRangeAt(0) : null;
  const quote = selection.toString().trim(),
    paragraph = range?.startContainer.parentElement?.closest("[data-paragraph]");
  if (!quote || !paragraph) return false;
  const before = document.createRange();
  before.setStart(paragraph, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const found = { quote, paragraph: Number(paragraph.dataset.paragraph), start: before.toString().length };
  article.dataset.evidence = JSON.stringify(found);
  showEvidence();
  return true;
}

export function clearEvidence() {
  article.dataset.evidence = "";
  showEvidence();
}

function showEvidence() {
  const found = evidence();
  byId("evidence").textContent = found ? `“${found.quote}”` : "";
  byId("evidence-box").open = Boolean(found);
  document.querySelector("[data-do=clear-evidence]").hidden = !found;
}

const markOwn = (term, place) => mark(article, term, OWN_COLOURS[place % OWN_COLOURS.length]);

function showTerms() {
  byId("own-terms").replaceChildren(
    ...terms.map((term, place) => {
      const count = article.querySelectorAll(`mark[data-own="${CSS.escape(term)}"]`).length;
      const chip = Object.assign(document.createElement("button"), {
        type: "button",
        textContent: `${term} ${count} ×`,
        title: "Take away",
      });
      chip.className = `text term-${OWN_COLOURS[place % OWN_COLOURS.length]}`;
      chip.addEventListener("click", () =>
        keep(
          terms.filter((each) => each !== term),
          unmark(article, term),
        ),
      );
      return chip;
    }),
  );
}

function keep(wanted) {
  terms = wanted;
  sessionStorage.setItem("jurypool terms", JSON.stringify(terms));
  showTerms();
}

byId("own-term").addEventListener("change", ({ target }) => {
  const term = target.value.trim();
  if (term && !terms.includes(term)) {
    markOwn(term, terms.length);
    keep([...terms, term]);
  }
  target.value = "";
});
document.addEventListener(
  "htmx:afterSwap",
  ({ target }) => target.closest?.("#judgment-card") && terms.forEach(markOwn),
); // a later part came

for (const details of document.querySelectorAll(".topic details[id]")) {
  // open or closed: as this judge left it
  details.open = (localStorage.getItem(`jurypool ${details.id}`) ?? String(details.open)) === "true";
  details.addEventListener("toggle", () => localStorage.setItem(`jurypool ${details.id}`, details.open));
}
const size = (value) => (
  (document.documentElement.className = `read-${value}`),
  localStorage.setItem("jurypool size", value)
);
byId("size").value = localStorage.getItem("jurypool size") ?? "m";
byId("size").addEventListener("change", ({ target }) => size(target.value));
size(byId("size").value);
