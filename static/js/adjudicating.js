// The adjudicator's page: the keys of the judging screen settle a case. Without this script it is a plain form.
import { keymap, show } from "./keys.js";

const ASLEEP = 250; // ms after a new case in which no press counts: nobody has read it yet
const KEYS = { undo: "u", later: "l", comment: "c", whole: "o" };
const form = document.getElementById("settle"), text = document.getElementById("text");
const buttons = [...(form?.querySelectorAll("[name=relevance]") ?? [])];
const map = keymap(buttons.map(({ value }) => Number(value)), KEYS);

function sleep(asleep) {
  for (const button of buttons) button.disabled = asleep;
  document.querySelector(".case")?.toggleAttribute("data-awake", !asleep);
}

const ACTIONS = {
  comment: () => document.getElementById("why")?.focus(),
  whole: () => document.querySelector("[data-do=whole]")?.setAttribute("aria-expanded", text.classList.toggle("whole")),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select")) return event.key === "Escape" && event.target.blur();
  const action = Object.keys(map).find((each) => map[each].includes(event.key));
  if (!action) return;
  event.preventDefault();
  if (ACTIONS[action]) ACTIONS[action]();
  else if (action.startsWith("grade-")) buttons.find(({ value }) => value === action.slice(6))?.click(); // asleep: no click
  else document.querySelector(`[data-do="${action}"]`)?.click();
});
document.querySelector("[data-do=whole]")?.addEventListener("click", ACTIONS.whole);
form?.addEventListener("submit", () => setTimeout(() => sleep(true))); // once; the pressed button's value goes along first
addEventListener("pageshow", () => (sleep(true), setTimeout(sleep, ASLEEP, false)));
show(map);
