// The adjudicator's page: the keys of the judging screen settle a case. Without this script it is a plain form.
// htmx puts the next case into the page, so everything here is looked up when it is needed.
import { actionOf, keymap, show } from "./keys.js";

const ASLEEP = 250; // ms after a new case in which no press counts: nobody has read it yet
const KEYS = { undo: "u", later: "l", comment: "c", whole: "o", take: "t" };
const grades = () => [...document.querySelectorAll("#settle [name=relevance]")];
const keys = () =>
  keymap(
    grades().map(({ value }) => Number(value)),
    KEYS,
  );
let waking;

function sleep(asleep) {
  for (const button of grades()) button.disabled = asleep;
  document.querySelector(".case")?.toggleAttribute("data-awake", !asleep);
}

/** A case is on screen. */
function begin() {
  clearTimeout(waking);
  sleep(true);
  waking = setTimeout(sleep, ASLEEP, false);
  show(keys());
}

const ACTIONS = {
  comment: () => document.getElementById("why")?.focus(),
  whole: () =>
    document
      .querySelector("[data-do=whole]")
      ?.setAttribute("aria-expanded", document.getElementById("text").classList.toggle("whole")),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select")) return event.key === "Escape" && event.target.blur();
  const action = actionOf(event, keys());
  if (!action) return;
  event.preventDefault();
  if (ACTIONS[action]) ACTIONS[action]();
  else if (action.startsWith("grade-"))
    grades()
      .find(({ value }) => value === action.slice(6))
      ?.click(); // asleep: no click
  else document.querySelector(`[data-do="${action}"]`)?.click();
});
document.addEventListener("click", ({ target }) => target.closest("[data-do=whole]") && ACTIONS.whole());
document.addEventListener("submit", ({ target }) => {
  if (target.id === "settle") waking = setTimeout(sleep, 0, true); // once; the pressed button's value goes along first
});
document.addEventListener("htmx:afterSwap", ({ detail }) => detail.boosted && begin()); // before the old timer can wake the new case
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.boosted || detail.successful) return;
  document.getElementById("unsent")?.removeAttribute("hidden");
  clearTimeout(waking); // it may have failed before the buttons went to sleep
  sleep(false); // the same press again is the same decision
});
addEventListener("pageshow", begin);
