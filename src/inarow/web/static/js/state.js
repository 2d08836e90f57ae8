// What the page remembers from one visit to the next. A browser that forbids it is no reason to stop.

const KEY = "inarow";

/** @returns {Record<string, any>} */
export function recall() {
  try {
    return JSON.parse(localStorage.getItem(KEY) || "{}");
  } catch {
    return {};
  }
}

/** @param {Record<string, any>} changes */
export function remember(changes) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...recall(), ...changes }));
  } catch {
    // private windows may refuse
  }
}
