// Offers the judge a break after many documents or much time, between two cards.
const MAX_DOCUMENTS = 50;
const MAX_MINUTES = 45;
const BREAK_MINUTES = 5; // a pause of so many minutes without a label starts a new session
const STORAGE_KEY = "jurypool sitting";
const dialog = document.getElementById("break");
const startSession = () => ({ began: Date.now(), last: Date.now(), documents: 0 });
const loadSession = () => JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? startSession();
const storeSession = (session) => sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));

/** Count a labelled document and offer a break when one is due. */
export function countLabel() {
  if (!dialog) return; // this campaign offers no breaks
  let session = loadSession();
  if (Date.now() - session.last > BREAK_MINUTES * 60_000) session = startSession();
  session = { ...session, last: Date.now(), documents: session.documents + 1 };
  const minutes = Math.round((session.last - session.began) / 60_000);
  if (session.documents >= MAX_DOCUMENTS || minutes >= MAX_MINUTES) {
    const duration = minutes > 1 ? `${minutes} minutes` : "one minute";
    const summary = `${session.documents} documents in ${duration}.`;
    dialog.querySelector("[data-of=session]").textContent = summary;
    dialog.showModal();
    session = startSession();
  }
  storeSession(session);
}
