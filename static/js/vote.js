// Two lists side by side: one key is one vote. Without this script the three buttons are a plain form.
const READING_DELAY = 500; // ms after the page is shown in which keys are ignored, against accidental votes
const KEYS = { ArrowLeft: "left", a: "left", ArrowRight: "right", b: "right", e: "equal" };
const form = document.getElementById("vote");
let isSent = false;
let enabledAt = performance.now() + READING_DELAY;

// Over plain HTTP the browser has no randomUUID; the form has a UUID of its own.
const createUuid = () => crypto.randomUUID?.() ?? form.elements.uuid.value;

function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const choice = KEYS[event.key];
  if (!choice) return;
  event.preventDefault();
  if (performance.now() < enabledAt) return;
  form.elements.source.value = "key";
  form.querySelector(`[value="${choice}"]`).click();
}

document.addEventListener("keydown", handleKey);
form.addEventListener("submit", (event) => {
  if (isSent) return event.preventDefault(); // the second click of a double click
  isSent = true;
  form.elements.uuid.value = createUuid();
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  // The page comes from the back/forward cache: it can vote again.
  isSent = false;
  enabledAt = performance.now() + READING_DELAY;
});
