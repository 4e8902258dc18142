// The sentences of two answers, and the documents that they cite: each opens at the foot of its own answer, so that the
// other answer stays in sight.
import { getSide } from "./side_tabs.js";

const findSide = (card, side) => card.querySelector(`.ballot-side.${side}`);
const listSentences = (side) => [...side.querySelectorAll(".sentence")];
const openers = new WeakMap(); // side -> the citation mark that was pressed last

function markCurrent(side) {
  for (const each of side.querySelectorAll(".sentence.current, .citation.current")) {
    each.classList.remove("current");
    each.removeAttribute("aria-current");
  }
  const mark = openers.get(side);
  if (!mark?.isConnected || side.querySelector(".ballot-source").hidden) return;
  mark.classList.add("current");
  mark.setAttribute("aria-current", "true");
  mark.closest(".sentence").classList.add("current");
  mark.closest(".sentence").scrollIntoView({ block: "nearest" });
}

/** Mark the sentence that keys move, in one of the answers: the one that was marked there before, or the first. */
export function markReading(card, name) {
  const side = findSide(card, name);
  const sentence = side.querySelector(".sentence[data-read]") ?? listSentences(side)[0];
  if (sentence) showReading(card, sentence);
}

function showReading(card, sentence) {
  for (const each of card.querySelectorAll(".sentence.reading")) each.classList.remove("reading");
  for (const each of listSentences(sentence.closest(".ballot-side"))) each.removeAttribute("data-read");
  sentence.classList.add("reading");
  sentence.dataset.read = "";
  sentence.scrollIntoView({ block: "nearest" });
}

/** Move the mark by some sentences of the answer in use. */
export function moveReading(card, step) {
  const sentences = listSentences(findSide(card, getSide(card)));
  const index = sentences.findIndex((each) => each.classList.contains("reading"));
  const next = sentences[index < 0 ? 0 : Math.min(sentences.length - 1, Math.max(0, index + step))];
  if (next) showReading(card, next);
}

/** Open the first document that the marked sentence cites, or the one after the open one. */
export function openNextSource(card) {
  const side = findSide(card, getSide(card));
  const sentence = side.querySelector(".sentence.reading");
  const marks = [...(sentence ?? side).querySelectorAll("a.citation")];
  const index = marks.findIndex((mark) => mark.classList.contains("current"));
  marks[(index + 1) % marks.length]?.click();
}

/** Close the document of the answer in use, otherwise that of the other answer. */
export function closeSource(card) {
  const open = [...card.querySelectorAll(".ballot-source:not([hidden])")];
  const isUsed = (source) => source.contains(document.activeElement) || source.matches(`[id$=${getSide(card)}]`);
  const source = open.find(isUsed) ?? open[0];
  if (source) close(source);
}

function close(source) {
  const side = source.closest(".ballot-side");
  source.hidden = true;
  source.replaceChildren();
  markCurrent(side);
  openers.get(side)?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const mark = event.target.closest(".ballot-card a.citation");
  if (mark) openers.set(mark.closest(".ballot-side"), mark);
  if (!event.target.closest(".ballot-source .close")) return;
  event.preventDefault();
  close(event.target.closest(".ballot-source"));
});

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const source = document.getElementById(detail.target.id);
  if (!source?.matches(".ballot-source")) return;
  markCurrent(source.closest(".ballot-side"));
  source.querySelector(".ballot-source-text").focus({ preventScroll: true });
});

// The document that the server has put on the page
for (const source of document.querySelectorAll(".ballot-source[data-number]")) {
  const { sentence, number } = source.dataset;
  const side = source.closest(".ballot-side");
  const marks = [...side.querySelectorAll(`.sentence[data-sentence="${sentence}"] .citation`)];
  openers.set(
    side,
    marks.find((mark) => mark.textContent === number),
  );
  markCurrent(side);
}
