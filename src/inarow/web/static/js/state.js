// Data that the page stores between visits, or until it is closed if the browser stores nothing.

const KEY = "inarow";
/** @type {Record<string, any> | null} data that the browser does not store */
let unstored = null;

/** Return true if nothing is kept when the page is closed. */
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
    unstored = all; // the storage is full, or this is a private window
  }
}
