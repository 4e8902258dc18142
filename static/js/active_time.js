// The time that a judge spends on the card on screen: while the page is visible, up to the idle limit of the document
// after each event.
let maxIdle = 60_000; // ms
let active = 0;
let lastEvent = performance.now();
let wasVisible = true;

/** Start the time of a new card. idleLimit: in seconds. */
export function startTime(idleLimit) {
  maxIdle = idleLimit * 1000;
  active = 0;
  lastEvent = performance.now();
}

/** Add the time since the last event; return the milliseconds of the card so far. */
export function measureTime() {
  const now = performance.now();
  if (wasVisible) active += Math.min(now - lastEvent, maxIdle);
  lastEvent = now;
  wasVisible = !document.hidden;
  return active;
}

for (const event of ["keydown", "pointermove", "wheel", "touchmove", "visibilitychange"]) {
  document.addEventListener(event, measureTime, { passive: true });
}
