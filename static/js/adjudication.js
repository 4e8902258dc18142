// The adjudication page: the keys of the judging screen settle a case. Without this script the page is a plain form.
// htmx replaces the case on the page, so each function looks its elements up again.
import { ADJUDICATION_KEYS, createKeymap, findAction, isModified, showKeys } from "./keymap.js";

const READING_DELAY = 250; // ms after a new case in which the grade buttons are disabled, against accidental presses
const findGradeButtons = () => [...document.querySelectorAll("#settle [name=relevance]")];
const createCaseKeymap = () =>
  createKeymap(
    findGradeButtons().map(({ value }) => Number(value)),
    ADJUDICATION_KEYS,
  );
let timer;

function setEnabled(enabled) {
  for (const button of findGradeButtons()) button.disabled = !enabled;
  document.querySelector(".case")?.toggleAttribute("data-enabled", enabled);
}

/** Prepare the page for the case that it shows. */
function prepareCase() {
  clearTimeout(timer);
  setEnabled(false);
  timer = setTimeout(setEnabled, READING_DELAY, true);
  showKeys(createCaseKeymap());
}

function toggleWholeText() {
  const isWhole = document.getElementById("text").classList.toggle("whole");
  document.querySelector("[data-do=whole]")?.setAttribute("aria-expanded", isWhole);
}

const ACTIONS = {
  comment: () => document.getElementById("why")?.focus(),
  whole: () => document.querySelector("[data-do=whole]") && toggleWholeText(),
};

function handleKey(event) {
  if (isModified(event)) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = findAction(event, createCaseKeymap());
  if (!action) return;
  event.preventDefault();
  if (ACTIONS[action]) {
    ACTIONS[action]();
  } else if (action.startsWith("grade-")) {
    // A disabled button ignores the click.
    findGradeButtons()
      .find(({ value }) => value === action.slice(6))
      ?.click();
  } else {
    document.querySelector(`[data-do="${action}"]`)?.click();
  }
}

document.addEventListener("keydown", handleKey);
document.addEventListener("click", ({ target }) => target.closest("[data-do=whole]") && toggleWholeText());
document.addEventListener("submit", ({ target }) => {
  // Disable the buttons after the browser has read the value of the pressed one: a decision is sent once.
  if (target.id === "settle") timer = setTimeout(setEnabled, 0, false);
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.boosted) prepareCase(); // at once, so that the timer of the last case does not enable this one
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.boosted || detail.successful) return;
  document.getElementById("unsent")?.removeAttribute("hidden");
  clearTimeout(timer); // the request may fail before the submit handler's timer runs
  setEnabled(true); // the form's UUID makes a second request the same decision
});
addEventListener("pageshow", prepareCase);
