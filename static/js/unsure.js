// The mark *unsure* of the label on screen: the judge wants to look at the document again.
const button = document.querySelector("[data-do=unsure]");
let isStored = false;

const showMark = (isUnsure) => button.setAttribute("aria-pressed", isUnsure);

/** Show the mark of the label that a card has. */
export function showUnsure({ dataset }) {
  isStored = dataset.unsure === "true";
  showMark(isStored);
}

export const readUnsure = () => button.getAttribute("aria-pressed") === "true";
export const isDraft = () => readUnsure() !== isStored;
export const toggleUnsure = () => showMark(!readUnsure());
