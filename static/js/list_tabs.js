// Two lists side by side on a narrow window: tabs show one of them at a time, and each keeps its place. Both stay in
// the page; the style sheet hides one where they do not fit beside each other (data-list of the card).
import { getCard } from "./card/screen.js";

const KEYS = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]);
let places = {}; // list -> scroll position when it was left

const listTabs = () => [...getCard().querySelectorAll("[role=tab]")];

/** Show the first list of a card. */
export function showFirstList(card) {
  places = {};
  markList(card, card.querySelector("[role=tab]").value);
}

function markList(card, list) {
  card.dataset.list = list;
  for (const tab of card.querySelectorAll("[role=tab]")) {
    const isSelected = tab.value === list;
    tab.setAttribute("aria-selected", isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
  }
}

/** Show a list where it was left, or from its beginning if the window is past it. */
function showList(list) {
  const card = getCard();
  if (card.dataset.list === list) return;
  places[card.dataset.list] = scrollY;
  const lists = card.querySelector(".columns").getBoundingClientRect();
  const beginning = lists.top + scrollY - card.querySelector("[role=tablist]").offsetHeight;
  const place = places[list] ?? Math.min(scrollY, beginning);
  markList(card, list);
  scrollTo(0, place);
}

/** Whether a key belongs to the tab that has the focus; it then shows the other list. */
export function takesKey({ key, target }) {
  if (!target.matches("[role=tab]") || !KEYS.has(key)) return false;
  const tabs = listTabs();
  const other = { Home: tabs[0], End: tabs.at(-1) }[key] ?? tabs.find((tab) => tab !== target);
  showList(other.value);
  other.focus({ preventScroll: true });
  return true;
}

document.addEventListener("click", ({ target }) => {
  const tab = target.closest("[role=tab]");
  if (tab) showList(tab.value);
});
