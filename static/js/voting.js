// Side by side: one key is one vote. Without this script the three buttons are a plain form.
const ASLEEP = 500; // ms after the page in which no key counts: nobody has read two lists yet
const KEYS = { ArrowLeft: "left", a: "left", ArrowRight: "right", b: "right", e: "equal" };
const form = document.getElementById("vote");
let sent = false,
  awakeAt = performance.now() + ASLEEP;

const uuid = () => crypto.randomUUID?.() ?? form.elements.uuid.value; // plain http has none: the page's own will do

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select")) return event.key === "Escape" && event.target.blur();
  const choice = KEYS[event.key];
  if (!choice) return;
  event.preventDefault();
  if (performance.now() < awakeAt) return;
  form.elements.source.value = "key";
  form.querySelector(`[value="${choice}"]`).click();
});

form.addEventListener("submit", (event) => {
  if (sent) return event.preventDefault(); // the second press of a double click
  sent = true;
  form.elements.uuid.value = uuid();
});

/** Back to a page that the browser kept: it may vote again. */
addEventListener("pageshow", ({ persisted }) => persisted && ([sent, awakeAt] = [false, performance.now() + ASLEEP]));
