// What the page remembers from one visit to the next; where the browser stores nothing, until the page is closed.

const KEY = "inarow";
/** @type {Record<string, any> | null} what the browser does not store */
let unstored = null;

/** Whether all is forgotten when the page is closed. */
export const forgetful = () => unstored !== null;

/** @returns {Record<string, any>} */
export function recall() {
  if (unstored) return unstored;
  try {
    return JSON.parse(localStorage.getItem(KEY) || "{}");
  } catch {
    return {};
  }
}

/** @param {Record<string, any>} changes */
export function remember(changes) {
  const all = { ...recall(), ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
    unstored = null;
  } catch {
    unstored = all; // it is full, or this is a private window
  }
}
