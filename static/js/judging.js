// Keys and manners of the judging screen. Everything works without it too: the card is a plain form.
const ASLEEP = 250; // ms after a new card in which no press counts: nobody has read it yet
const SIGNED_OUT = "Not saved: you are signed out. Sign in again in another tab, then press the grade again.";
let awakeAt = 0;
const card = () => document.getElementById("judgment-card");
const writing = (element) => element.matches("input, textarea, select, [contenteditable]");

/** A new card is on screen: let its buttons sleep, put the focus where Space and arrows scroll the text. */
function settle() {
  card().querySelector(".reader h1")?.focus({ preventScroll: true });
  awakeAt = performance.now() + ASLEEP;
  const grades = card().querySelectorAll(".grades button");
  grades.forEach((button) => (button.disabled = true));
  setTimeout(() => {
    grades.forEach((button) => (button.disabled = false));
    card().dataset.awake = "";
  }, ASLEEP);
}

function press(event) {
  if (performance.now() < awakeAt || event.ctrlKey || event.metaKey || event.altKey || event.repeat || writing(event.target)) return;
  const target = card().querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  const source = card().querySelector("[name=source]");
  if (source && target.name === "relevance") source.value = "key";
  target.click();
  if (event.key === "c") document.getElementById("comment").focus();
}

/** Say plainly that a label did not arrive. The card stays; pressing again sends the same label, once. */
function report(text) {
  const strip = document.getElementById("strip");
  strip.querySelector("p").textContent = text;
  strip.hidden = false;
}

/** Signed out meanwhile: keep the card, so that the label is still there to be sent after signing in. */
function keepCard(event) {
  if (!new URL(event.detail.xhr.responseURL).pathname.startsWith("/sign-in/")) return;
  event.detail.shouldSwap = false;
  report(SIGNED_OUT);
}

/** Signing in changes the token against forged requests; the card on screen still holds the old one. */
function renewToken(event) {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
  if (token && event.detail.verb === "post") event.detail.parameters.csrfmiddlewaretoken = token;
}

document.addEventListener("keydown", press);
document.addEventListener("htmx:configRequest", renewToken);
document.addEventListener("htmx:beforeSwap", keepCard);
document.addEventListener("htmx:afterSwap", (event) => event.detail.target.id === "judgment-card" && settle());
document.addEventListener("htmx:sendError", () => report("Not saved: the server does not answer. Press the grade again."));
document.addEventListener("htmx:responseError", ({ detail: { xhr } }) =>
  report(xhr.status === 403 ? SIGNED_OUT : `Not saved: the server answered ${xhr.status}. Press the grade again.`));
settle();
