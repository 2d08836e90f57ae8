// The moves of a match that is played, with what the agents thought of them.

import { h, letter } from "./dom.js";

/** @param {any} state a session, as the server describes it @returns {HTMLElement | null} null before the first move */
export function moveList(state) {
  const all = [...state.opening.map((move) => ({ move, given: true })), ...state.played];
  if (!all.length) return null;
  const items = all.map((one, index) => {
    const thought = one.value !== null && one.value !== undefined ? `value ${one.value.toFixed(2)}${one.nodes ? `, ${one.nodes.toLocaleString()} nodes` : ""}, ${one.seconds.toFixed(2)} s` : "";
    return h("li", { title: [thought, one.note].filter(Boolean).join(". ") || null }, h("span", { class: `tiny player${index % 2}` }, letter(index % 2)), ` ${one.move + 1}`, thought ? h("small", {}, ` ${one.value > 0 ? "+" : ""}${one.value.toFixed(2)}`) : null, one.note ? h("span", { class: "note" }, " *") : null);
  });
  const list = h("ol", { class: "movelist", "aria-label": "Moves", tabindex: "0" }, ...items);
  requestAnimationFrame(() => (list.scrollTop = list.scrollHeight));
  return list;
}
