// Fragments that htmx requests at an interval: none is requested while the tab is hidden, all are when it becomes
// visible again, and scrolling boxes keep their scroll position when a fragment is replaced.
const POLLING = "[hx-trigger*='every']";
const SCROLLING = ".scroll[aria-label]";
const positions = new Map(); // label of a box -> [scrollLeft, scrollTop]

document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.target.matches(POLLING)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const fragment of document.querySelectorAll(POLLING)) htmx.trigger(fragment, "seen");
});
document.addEventListener("htmx:beforeSwap", ({ target }) => {
  for (const box of target.querySelectorAll(SCROLLING)) positions.set(box.ariaLabel, [box.scrollLeft, box.scrollTop]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const box of document.querySelectorAll(SCROLLING)) {
    if (positions.has(box.ariaLabel)) [box.scrollLeft, box.scrollTop] = positions.get(box.ariaLabel);
  }
  positions.clear();
});
