// Search hits in a document: moves from one to the next, and marks the judge's own terms. It only exports functions.
// The article contains the text alone, with data-densest="17" (the number of a hit) and data-count="id" (of the
// role=status element that reads "3 of 17"). A hit is <mark class="term-3" data-hit="0">, numbered over the whole
// text; other marks are no hits. A part of the text that is not loaded yet, whose first hit is 12, is
// <div class="pending-part" data-first="12" data-hits="4" hx-trigger="intersect once, wanted" ...>.
import { loadPart } from "./document_parts.js";

const NOT_DOCUMENT = "mark, .facts, .snippets, .note, nav"; // marked already, or no text of the document
const LETTER = "[\\p{L}\\p{N}\\p{M}]";

/**
 * Return the hits in the order of the text: { marks, hit, hits: 1 } for a hit (several marks where an inline element
 * divides a word), { part, first, hits } for a part that is not loaded yet.
 */
function listHits(article) {
  const list = [];
  for (const element of article.querySelectorAll("mark[data-hit], mark[data-own], .pending-part")) {
    const { hit, hits, first } = element.dataset;
    if (element.localName !== "mark") list.push({ part: element, first: Number(first), hits: Number(hits) });
    else if (hit !== undefined && list.at(-1)?.hit === hit) list.at(-1).marks.push(element);
    else list.push({ marks: [element], hit, hits: 1 });
  }
  return list.filter(({ hits }) => hits > 0);
}

const isCurrent = ({ marks }) => marks?.some((each) => each.classList.contains("current"));
const countHits = (list) => list.reduce((total, { hits }) => total + hits, 0);

function showStatus(article, text) {
  const status = document.getElementById(article.dataset.count);
  if (status) status.textContent = text;
}

/** Scroll to a hit of the list, outline it and show its number. Returns its first mark. */
function showHit(article, list, index) {
  for (const current of article.querySelectorAll("mark.current")) current.classList.remove("current");
  for (const part of list[index].marks) part.classList.add("current");
  list[index].marks[0].scrollIntoView({ block: "center" });
  showStatus(article, `${countHits(list.slice(0, index)) + 1} of ${countHits(list)}`);
  return list[index].marks[0];
}

/** Go to a hit by its number; load the part that contains it if necessary. Returns its mark, or null. */
export async function goToHit(article, hit) {
  const number = Number(hit);
  const missing = listHits(article).find(({ part, first, hits }) => part && first <= number && number < first + hits);
  if (missing) await loadPart(missing.part);
  const list = listHits(article);
  const index = list.findIndex((each) => each.hit === String(number));
  if (index >= 0) return showHit(article, list, index);
  showStatus(article, missing ? "The rest of the text could not be loaded. Try again." : "No hits");
  return null;
}

/** Go `step` hits on (1) or back (-1); after the last comes the first. Returns the mark, or null. */
async function goByStep(article, step) {
  if (article.classList.contains("unmarked")) return null;
  const list = listHits(article);
  if (!list.length) return goToHit(article, NaN);
  const current = list.findIndex(isCurrent);
  const index = current < 0 && step < 0 ? list.length - 1 : (current + step + list.length) % list.length;
  const { part, first, hits } = list[index];
  return part ? goToHit(article, step > 0 ? first : first + hits - 1) : showHit(article, list, index);
}

export const goToNextHit = (article) => goByStep(article, 1);
export const goToPreviousHit = (article) => goByStep(article, -1);
export const goToDensestHit = (article) => goToHit(article, article.dataset.densest);

/** Show or hide the marks. A label records whether they were shown, because they may bias it. Returns that. */
export function toggleMarks(article) {
  return !article.classList.toggle("unmarked");
}

/**
 * Return the pattern of a term: words that begin with it if it has four characters or more; whole words if it is
 * shorter or in quotation marks. Null if the term has no words.
 */
function compilePattern(term) {
  const isQuoted = /^["“„].*/.test(term);
  const words = term
    .replaceAll(/["“”„]/g, " ")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  if (!words.length) return null;
  const escaped = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[\\s\\-‐‑–]+");
  const end = isQuoted || term.trim().length < 4 ? `(?!${LETTER})` : `${LETTER}*`;
  return new RegExp(`(?<!${LETTER})${escaped}${end}`, "giu");
}

/** Return [text node, match] for every match in title and text outside of a mark. */
function findMatches(article, pattern) {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const matches = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest(NOT_DOCUMENT)) continue;
    for (const match of node.data.matchAll(pattern)) matches.push([node, match]);
  }
  return matches;
}

/** Mark a judge's own term in the loaded text, except inside of other marks. Returns the number of matches. */
export function markTerm(article, term, colour) {
  const pattern = compilePattern(term);
  if (!pattern) return 0;
  const matches = findMatches(article, pattern);
  // From the last to the first: splitting a text node keeps the offsets before the split.
  for (const [node, { index, 0: text }] of matches.toReversed()) {
    node.splitText(index + text.length);
    const mark = Object.assign(document.createElement("mark"), { className: `term-${colour}` });
    mark.dataset.own = term;
    const match = node.splitText(index);
    match.replaceWith(mark);
    mark.append(match);
  }
  return matches.length;
}

/** Remove the marks of a judge's own term. */
export function unmarkTerm(article, term) {
  for (const mark of article.querySelectorAll("mark[data-own]")) {
    if (mark.dataset.own !== term) continue;
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
}
