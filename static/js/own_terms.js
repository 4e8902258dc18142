// The judge's own search terms: marked in every document of this browser tab, and listed in the sidebar.
import { loadAllParts } from "./document_parts.js";
import { markTerm, unmarkTerm } from "./highlights.js";

const STORAGE_KEY = "jurypool terms";
const LOAD_DELAY = 500; // ms after a new card until the rest of its text is loaded, if there are terms
const COLOURS = [5, 6, 7]; // the topic's terms begin at 0
const list = document.getElementById("own-terms");
const chooseColour = (index) => COLOURS[index % COLOURS.length];
let article = null;
let terms = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]");

/** Mark the terms in the card on screen. */
export function showTerms(card) {
  article = card;
  markTerms();
  listTerms();
  if (terms.length) setTimeout(() => card === article && loadAllParts(card), LOAD_DELAY);
}

function markTerms() {
  for (const [index, term] of terms.entries()) markTerm(article, term, chooseColour(index));
}

function listTerms() {
  list.replaceChildren(...terms.map(createButton));
}

/** Return the button of a term: it shows the number of hits, and removes the term. */
function createButton(term, index) {
  const count = article.querySelectorAll(`mark[data-own="${CSS.escape(term)}"]`).length;
  const button = document.createElement("button");
  button.type = "button";
  button.className = `text term-${chooseColour(index)}`;
  const more = article.querySelector(".pending-part") ? "+" : "";
  button.textContent = `${term} ${count}${more} ×`;
  button.title = "Remove";
  button.addEventListener("click", () => {
    unmarkTerm(article, term);
    storeTerms(terms.filter((each) => each !== term));
  });
  return button;
}

function storeTerms(newTerms) {
  terms = newTerms;
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(terms));
  listTerms();
}

document.getElementById("own-term").addEventListener("change", ({ target }) => {
  const term = target.value.trim();
  if (term && !terms.includes(term)) {
    markTerm(article, term, chooseColour(terms.length));
    storeTerms([...terms, term]);
    loadAllParts(article);
  }
  target.value = "";
});
/** Mark the terms in parts of the text that were loaded. */
function handleParts({ target }) {
  if (!terms.length || !target.closest?.("#judgment-card")) return;
  markTerms();
  listTerms();
}

document.addEventListener("htmx:afterSwap", handleParts);
document.addEventListener("partsloaded", handleParts);
