// Offers the judge a break between two cards, after as many documents or minutes as the judge chose in this browser.
const BREAK_MINUTES = 5; // a pause of so many minutes without a label starts a new session
const STORAGE_KEY = "jurypool sitting";
const dialog = document.getElementById("break");
const LIMITS = ["documents", "minutes"];
const byId = (id) => document.getElementById(id);
const startSession = () => ({ began: Date.now(), last: Date.now(), documents: 0 });
const readLimit = (name) => byId(`break-${name}`).valueAsNumber || Infinity;
const loadSession = () => JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? startSession();
const storeSession = (session) => sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));

/** Count a labelled document and offer a break when one is due. */
export function countLabel() {
  if (!dialog) return; // this campaign offers no breaks
  let session = loadSession();
  if (Date.now() - session.last > BREAK_MINUTES * 60_000) session = startSession();
  session = { ...session, last: Date.now(), documents: session.documents + 1 };
  const minutes = Math.round((session.last - session.began) / 60_000);
  if (session.documents >= readLimit("documents") || minutes >= readLimit("minutes")) {
    const duration = minutes > 1 ? ` in ${minutes} minutes` : "";
    const summary = `${session.documents} document${session.documents > 1 ? "s" : ""}${duration}.`;
    dialog.querySelector("[data-of=session]").textContent = summary;
    dialog.showModal();
    session = startSession();
  }
  storeSession(session);
}

for (const name of dialog ? LIMITS : []) {
  const field = byId(`break-${name}`);
  const key = `jurypool break ${name}`;
  field.value = localStorage.getItem(key) ?? field.value;
  field.addEventListener("change", () => field.reportValidity() && localStorage.setItem(key, field.value));
}
