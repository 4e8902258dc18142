// Which key does what where documents are graded.
// Keys are shown on the buttons, changed in the dialog behind "?" and stored in this browser.
const STORE = "jurypool keys";
const ALIASES = "asdfjk"; // the home row, for the grades from the lowest up
const DEFAULTS = {
  undo: "u",
  on: "o",
  later: "l",
  cannot: "x",
  comment: "c",
  evidence: "e",
  guidelines: "g",
  keys: "?",
  "next-hit": "n",
  "previous-hit": "N",
  "find-hit": "/",
  "page-down": " ",
  "densest-hit": "b",
  marks: "m",
};
const written = (key) => (key === " " ? "space" : key);
const own = () => JSON.parse(localStorage.getItem(STORE) ?? "{}");

/** action -> its keys. A grade has its number and a key of the home row. */
export function keymap(grades, defaults = DEFAULTS) {
  const map = Object.fromEntries(Object.entries(defaults).map(([action, key]) => [action, [key]]));
  grades
    .toSorted((one, other) => one - other)
    .forEach((grade, place) => {
      map[`grade-${grade}`] = [String(grade), ALIASES[place]].filter(Boolean);
    });
  for (const [action, key] of Object.entries(own())) if (map[action]) map[action][map[action].length - 1] = key;
  return map;
}

/**
 * The keys that a keydown event may mean, the likeliest first: the key itself, whatever Caps Lock says; then the
 * key at the same place of a US keyboard, for layouts without Latin letters or with the digits under Shift.
 */
export function keysOf({ key, code, shiftKey }) {
  if (key.length > 1) return [key];
  const main = shiftKey ? key.toUpperCase() : key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(code)?.[1],
    digit = /^Digit(\d)$/.exec(code)?.[1];
  const keys = [main];
  if (digit && !shiftKey) keys.push(digit);
  if (letter && !/^[a-z]$/i.test(key)) keys.push(shiftKey ? letter : letter.toLowerCase());
  if (code === "Slash" && key > "~") keys.push(shiftKey ? "?" : "/");
  return keys;
}

/** The action that a keydown event stands for, or undefined. */
export function actionOf(event, map) {
  for (const key of keysOf(event)) {
    const action = Object.keys(map).find((each) => map[each].includes(key));
    if (action) return action;
  }
}

/** Write the keys on everything that has one. */
export function show(map) {
  for (const element of document.querySelectorAll("kbd[data-of]")) {
    element.textContent = written(map[element.dataset.of]?.at(-1) ?? "");
  }
  for (const field of document.querySelectorAll("#keys input")) {
    field.value = written(map[field.name]?.at(-1) ?? "");
  }
}

/** In the dialog a field takes the key that is pressed in it, unless another action has it. */
export function remap(field, key, map) {
  const taken = Object.keys(map).find((action) => action !== field.name && map[action].includes(key));
  field.setCustomValidity(taken ? `"${written(key)}" is taken` : "");
  if (field.reportValidity()) localStorage.setItem(STORE, JSON.stringify({ ...own(), [field.name]: key }));
}

export const restore = () => localStorage.removeItem(STORE);
