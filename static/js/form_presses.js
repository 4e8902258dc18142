// A form is sent once: presses of its button are ignored while the browser waits for the answer to the first.
const LONGEST_WAIT = 10_000; // ms, after which it can be sent again, for example after the browser's Stop

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return; // a script sends it, or it only reads
  if ("sent" in form.dataset) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "";
  setTimeout(() => delete form.dataset.sent, LONGEST_WAIT);
});

// The page may come back from the browser's cache as it was left.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
