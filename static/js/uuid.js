// The identity of a label, a decision or a vote: the server recognises one that it gets twice.

/** Return a random UUID; over plain HTTP the browser has no crypto.randomUUID. */
export function createUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return "10000000-1000-4000-8000-100000000000".replaceAll(/[018]/g, (digit) => {
    const [random] = crypto.getRandomValues(new Uint8Array(1));
    return (digit ^ (random & (15 >> (digit / 4)))).toString(16);
  });
}
