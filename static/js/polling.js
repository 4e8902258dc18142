// What a page asks for again and again rests while nobody looks, comes at once when somebody does, and stays where it was scrolled to.
const asking = "[hx-trigger*='every']";
const scrolled = new Map(); // the name of a box -> how far

document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.target.matches(asking)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.querySelectorAll(asking).forEach((each) => htmx.trigger(each, "seen"));
});
document.addEventListener("htmx:beforeSwap", ({ target }) => {
  for (const box of target.querySelectorAll(".scroll[aria-label]"))
    scrolled.set(box.ariaLabel, [box.scrollLeft, box.scrollTop]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const box of document.querySelectorAll(".scroll[aria-label]")) {
    if (scrolled.has(box.ariaLabel)) [box.scrollLeft, box.scrollTop] = scrolled.get(box.ariaLabel);
  }
  scrolled.clear();
});
