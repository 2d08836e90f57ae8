// The moves of a match, two to a line; choosing one shows the position after it.

import { h, letter, roving } from "./dom.js";
import { signed } from "./values.js";

/**
 * @param {Api.SessionInfo} state @param {number} shown how many moves the board shows
 * @param {(ply: number) => void} onSelect @returns {HTMLElement | null} null before the first move
 */
export function scoresheet(state, shown, onSelect) {
  const all = [...state.opening.map((move) => ({ move })), ...state.played];
  if (!all.length) return null;
  const list = h("div", { class: "scoresheet", role: "group", "aria-label": "Moves" });
  for (const [index, one] of all.entries()) {
    if (index % 2 === 0) list.append(h("span", { class: "turn-number" }, `${index / 2 + 1}.`));
    list.append(entry(one, index, index + 1 === shown, () => onSelect(index + 1)));
  }
  requestAnimationFrame(() => reveal(list));
  return roving(list, { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2 });
}

/** Scroll the list, but not the page, to the current move. @param {HTMLElement} list */
function reveal(list) {
  const here = list.querySelector("[aria-current=true]");
  if (!here) return;
  const [outer, inner] = [list.getBoundingClientRect(), here.getBoundingClientRect()];
  list.scrollTop += Math.max(0, inner.bottom - outer.bottom) + Math.min(0, inner.top - outer.top);
  list.scrollLeft += Math.max(0, inner.right - outer.right) + Math.min(0, inner.left - outer.left);
}

function entry(one, index, here, onclick) {
  const value = one.value === null || one.value === undefined ? null : signed(one.value);
  const known = value !== null || one.effort;
  const thought = known
    ? [value === null ? "" : `value ${value}`, one.effort, `${one.seconds.toFixed(2)} s`].filter(Boolean).join(", ")
    : "";
  const title = [thought, one.note].filter(Boolean).join(". ");
  return h(
    "button",
    {
      type: "button",
      id: `ply-${index + 1}`,
      class: "ply",
      title: title || null,
      "aria-current": String(here),
      "aria-label": `Move ${index + 1}: ${letter(index % 2)} ${one.move + 1}${title ? `, ${title}` : ""}`,
      onclick,
    },
    h("span", { class: `tiny player${index % 2}` }, letter(index % 2)),
    ` ${one.move + 1}`,
    value === null ? null : h("small", {}, value),
    one.note ? h("small", {}, "*") : null,
  );
}
