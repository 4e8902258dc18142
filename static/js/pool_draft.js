// Keeps what a person types while a draft is being computed: the answer to earlier values is dropped, because it would
// put these values back into the form. A request for the new values follows.
const DRAFT = "#pool-draft";
let changes = 0; // of the form
let requested = 0; // the changes that the last request includes

document.addEventListener("input", ({ target }) => {
  if (target.closest(DRAFT)) changes += 1;
});
document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target.matches(`${DRAFT} form`)) requested = changes;
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.matches(DRAFT) && requested !== changes) event.detail.shouldSwap = false;
});
