// What a card screen says about answers that are not sent. Pure. words: the noun of an answer, such as "label", the
// activity, such as "judging", and what a card shows, such as "document".

/**
 * Return the text and the level of the save badge. An answer that has only just been given does not count as unsent.
 * unsent: number of answers; isLate: the first of them has waited for some time.
 */
export function describeBadge({ unsent, isLate, failures, isBlocked }, { activity }) {
  const text = unsent && (isLate || failures) ? `${unsent} not sent yet` : "All saved";
  if (isBlocked) return { text: `${text}, ${activity} stopped`, level: "alert" };
  return { text, level: failures ? "warning" : "muted" };
}

/**
 * Return why requests fail, where the unsent answers are, and whether the person can go on. more: number of cards on
 * the page besides the one on screen.
 */
export function describeFailure({ error, unsent, unstored, more, isRefused, isBlocked }, words) {
  const goOn = isBlocked ? [] : [`You can go on ${words.activity}: ${describeRest(more, words.card)}.`];
  return [error, ...describePlace({ unsent, unstored, isRefused }, words.noun), ...goOn].join(" ");
}

function describeRest(more, card) {
  if (!more) return `this is the last ${card} here`;
  return more === 1 ? `1 more ${card} is here` : `${more} more ${card}s are here`;
}

/** Return what waits on a page that takes no answers itself. error: why the last request failed, or "". */
export function describeUnsent(count, error, noun) {
  const sentence = count === 1 ? `1 ${noun} is not sent yet.` : `${count} ${noun}s are not sent yet.`;
  return error ? `${sentence} ${error}` : sentence;
}

function describePlace({ unsent, unstored, isRefused }, noun) {
  const count = (number) => `${number} ${noun}${number === 1 ? " is" : "s are"}`;
  if (unstored) {
    const reason = "because the browser storage is full: leave the page open until all are sent";
    return [`${count(unstored)} in this page only, ${reason}.`];
  }
  if (!unsent) return [];
  const place = `${count(unsent)} stored in this browser`;
  const sent = unsent === 1 ? "is sent" : "are sent";
  return [isRefused ? `${place}.` : `${place} and ${sent} when the server answers again.`];
}
