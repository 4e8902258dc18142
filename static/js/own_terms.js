// The judge's own terms of the topic: marked in every document, and stored on the server. Until the server has
// confirmed a change, it stays in the browser.
import { readCsrfToken } from "./csrf.js";
import { loadAllParts } from "./document_parts.js";
import { createKey, readDraft, removeDraft, storeDraft } from "./drafts.js";
import { markTerm, unmarkTerm } from "./highlights.js";
import { showAlert } from "./card/status.js";

const LOAD_DELAY = 500; // ms after a new card until the rest of its text is loaded, if there are terms
const COLOURS = [5, 6, 7]; // the topic's terms begin at 0
const list = document.getElementById("own-terms");
const chooseColour = (index) => COLOURS[index % COLOURS.length];
const { judge } = document.getElementById("judging-screen").dataset;
const { url } = list.dataset;
const changesKey = createKey("terms", judge, url);
let article = null;
const changes = JSON.parse(readDraft(changesKey) ?? "{}"); // term -> whether it is wanted, not confirmed yet
let terms = JSON.parse(list.dataset.terms).filter((term) => changes[term] !== false);
terms.push(...Object.keys(changes).filter((term) => changes[term] && !terms.includes(term)));

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
    terms = terms.filter((each) => each !== term);
    changeTerm(term, false);
  });
  return button;
}

function changeTerm(term, isWanted) {
  changes[term] = isWanted;
  storeChanges();
  listTerms();
  sendChanges();
}

function storeChanges() {
  if (Object.keys(changes).length) storeDraft(changesKey, JSON.stringify(changes));
  else removeDraft(changesKey);
}

/** Send the changes one after the other. What the server refuses is forgotten; without an answer they stay. */
async function sendChanges() {
  for (const [term, isWanted] of Object.entries(changes)) {
    const body = new URLSearchParams({ term, ...(isWanted && { wanted: "on" }) });
    try {
      const answer = await fetch(url, { method: "POST", headers: { "X-CSRFToken": readCsrfToken() }, body });
      if (answer.status >= 500 || answer.redirected) return;
      if (!answer.ok) showAlert((await answer.json()).problem);
    } catch {
      return;
    }
    if (changes[term] === isWanted) delete changes[term];
    storeChanges();
  }
}

document.getElementById("own-term").addEventListener("change", ({ target }) => {
  const term = target.value.trim();
  if (term && !terms.includes(term)) {
    markTerm(article, term, chooseColour(terms.length));
    terms.push(term);
    changeTerm(term, true);
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
addEventListener("online", sendChanges);
sendChanges();
