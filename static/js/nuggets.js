// The list of nuggets beside an answer: one of them is open, the others show their labels.
const WORDS = { support: "support", partial_support: "partial", not_support: "none", contradicts: "contradicts" };

export const listNuggets = (card) => [...card.querySelectorAll("[data-nugget]")];
export const findOpen = (card) => card.querySelector("[data-nugget][aria-current]");

/** Return the nugget whose link an element belongs to, or undefined. */
export const closestNugget = (element) => element.closest("[data-nugget] a")?.closest("[data-nugget]");

/** Open one nugget of a card, and show its text over the buttons. */
export function openNugget(card, nugget) {
  for (const each of listNuggets(card)) each.removeAttribute("aria-current");
  nugget.setAttribute("aria-current", "true");
  nugget.scrollIntoView({ block: "nearest" });
  document.getElementById("open-nugget").textContent = nugget.querySelector("a").textContent.trim();
}

/** Show the label of a nugget, or none. */
export function showLabel(nugget, { assignment = "", sentence = null, uuid = "" }) {
  Object.assign(nugget.dataset, { assignment, sentence: sentence ?? "", uuid });
  const place = sentence ? ` · sentence ${sentence}` : "";
  nugget.querySelector(".given").textContent = assignment ? WORDS[assignment] + place : "";
}
