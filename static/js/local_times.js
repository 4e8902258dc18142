// Adds the reader's own time to deadlines, where the campaign is in another time zone.
const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

function addOwnTime(element) {
  const moment = new Date(element.dateTime);
  const own = -moment.getTimezoneOffset(); // minutes ahead of UTC, at that moment
  if (element.dataset.own || own === Number(element.dataset.offset)) return;
  element.dataset.own = format.format(moment).replace(",", "");
  const note = document.createElement("span");
  note.className = "muted";
  note.textContent = ` = ${element.dataset.own} in your time zone`;
  element.after(note);
}

function addOwnTimes(root) {
  for (const element of root.querySelectorAll("time[data-offset]")) addOwnTime(element);
}

addOwnTimes(document);
document.addEventListener("htmx:load", (event) => addOwnTimes(event.target));
