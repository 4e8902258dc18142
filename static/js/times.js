// Rewrites the times of a page to the time zone of the browser. Their titles keep the time in UTC. Without this script
// a page shows times in the time zone of the campaign.
const DAY = { day: "numeric", month: "short", year: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const OPTIONS = {
  minute: { ...DAY, ...CLOCK },
  second: { ...DAY, ...CLOCK, second: "2-digit" },
  clock: CLOCK,
  day: DAY,
};
const formats = Object.fromEntries(
  Object.entries(OPTIONS).map(([precision, options]) => [precision, new Intl.DateTimeFormat("en-GB", options)]),
);

/** Rewrite the times inside an element. */
function showLocalTimes(element) {
  for (const time of element.querySelectorAll("time[data-precision]")) {
    time.textContent = formats[time.dataset.precision].format(new Date(time.dateTime));
  }
}

showLocalTimes(document);
document.addEventListener("htmx:load", ({ detail }) => showLocalTimes(detail.elt.parentElement ?? detail.elt));
