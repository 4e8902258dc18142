// The tabs of two answers on a narrow screen: which answer is on screen, and which of them were opened.
const IS_NARROW = matchMedia("(max-width: 48rem)"); // as in ballots.css
const SIDES = ["left", "right"];
const END = 8; // px from the end of an answer that count as its end

const findTab = (card, side) => card.querySelector(`#show-${side}`);
const findText = (card, side) => card.querySelector(`.ballot-side.${side} .ballot-text`);
const listOpened = ({ dataset }) => (dataset.opened ?? "").split(" ").filter(Boolean);

/** Return the side whose answer is on screen: the tab, or on a wide screen the one that was used last. */
export function getSide(card) {
  if (IS_NARROW.matches) return SIDES.find((side) => findTab(card, side)?.checked) ?? SIDES[0];
  return card.dataset.active ?? "left";
}

/** Whether votes wait until both answers were opened. */
export const isWaiting = (card) => IS_NARROW.matches && listOpened(card).length < SIDES.length;

/** Show the other answer, or on a wide screen use it. Returns its side. */
export function switchSide(card) {
  const side = SIDES.find((each) => each !== getSide(card));
  card.dataset.active = side;
  const tab = findTab(card, side);
  if (!tab.checked) tab.click();
  return side;
}

/** Note that the answer on screen is opened, and say so on the tabs. */
export function showTabs(card) {
  const opened = new Set([...listOpened(card), getSide(card)]);
  card.dataset.opened = [...opened].join(" ");
  for (const side of SIDES) describeTab(card, side, opened.has(side));
}

function describeTab(card, side, isOpened) {
  const { scrollTop, clientHeight, scrollHeight } = findText(card, side);
  const state = card.querySelector(`[data-state-of="${side}"]`);
  if (!isOpened) state.textContent = "not opened yet";
  else if (scrollTop + clientHeight >= scrollHeight - END || state.textContent === "read to the end") {
    state.textContent = "read to the end";
  } else state.textContent = "opened";
}

/** onChange is called when another answer was opened, or the screen became narrow or wide. */
export function listenForTabs(onChange) {
  const update = () => {
    showTabs(document.getElementById("judgment-card"));
    onChange();
  };
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "side-on-screen") return;
    if (!target.matches(":focus-visible")) target.blur(); // a pressed tab is no field in use
    update();
  });
  document.addEventListener("scroll", ({ target }) => target.closest?.(".ballot-text") && update(), true);
  document.addEventListener("pointerdown", ({ target }) => {
    const side = target.closest?.(".ballot-side");
    if (side) side.closest(".ballot-card").dataset.active = side.dataset.side;
  });
  IS_NARROW.addEventListener("change", update);
}
