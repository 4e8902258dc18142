// Which key does what where documents are graded. Shown on the buttons, changed in the dialog behind "?", kept in this browser.
const STORE = "jurypool keys";
const ALIASES = "asdfjk"; // the home row, for the grades from the lowest up
const DEFAULTS = { undo: "u", on: "o", later: "l", cannot: "x", comment: "c", evidence: "e", guidelines: "g", keys: "?",
  "next-hit": "n", "previous-hit": "N", "find-hit": "/", "page-down": " ", "densest-hit": "b", marks: "m" };
const written = (key) => (key === " " ? "space" : key);
const own = () => JSON.parse(localStorage.getItem(STORE) ?? "{}");

/** action -> its keys. A grade has its number and a key of the home row. */
export function keymap(grades, defaults = DEFAULTS) {
  const map = Object.fromEntries(Object.entries(defaults).map(([action, key]) => [action, [key]]));
  grades.toSorted((one, other) => one - other).forEach((grade, place) => (map[`grade-${grade}`] = [String(grade), ALIASES[place]].filter(Boolean)));
  for (const [action, key] of Object.entries(own())) if (map[action]) map[action][map[action].length - 1] = key;
  return map;
}

/** Write the keys on everything that has one. */
export function show(map) {
  for (const element of document.querySelectorAll("kbd[data-of]")) element.textContent = written(map[element.dataset.of]?.at(-1) ?? "");
  for (const field of document.querySelectorAll("#keys input")) field.value = written(map[field.name]?.at(-1) ?? "");
}

/** In the dialog a field takes the key that is pressed in it, unless another action has it. */
export function remap(field, key, map) {
  const taken = Object.keys(map).find((action) => action !== field.name && map[action].includes(key));
  field.setCustomValidity(taken ? `"${written(key)}" is taken` : "");
  if (field.reportValidity()) localStorage.setItem(STORE, JSON.stringify({ ...own(), [field.name]: key }));
}

export const restore = () => localStorage.removeItem(STORE);
