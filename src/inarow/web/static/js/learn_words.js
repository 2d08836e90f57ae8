// A learner in words and numbers: its progress, its values, and the updates of an episode.

import { h, letter } from "./dom.js";
import { signed } from "./values.js";

const COLUMNS = ["#", "Move", "Old value", "Target", "New value"];

/** Describe the progress of a training. @param {Api.LearnFrame} frame @param {string} kind of learner */
export function frameWords(frame, kind) {
  const number = (value) => value.toLocaleString("en");
  const entries = kind === "qlearning" ? "positions in its table" : "weights";
  return `${number(frame.episodes)} episodes, ${number(frame.entries)} ${entries}.`;
}

const tone = (value) => (value > 0.005 ? "win" : value < -0.005 ? "loss" : "draw");

/** Values as labels of a board. @param {Record<number, number>} values */
export function valueLabels(values) {
  return Object.fromEntries(
    Object.entries(values).map(([move, value]) => [
      move,
      { text: signed(value), kind: tone(value), title: `value ${signed(value)}` },
    ]),
  );
}

/** Describe an update. @param {Api.UpdateInfo} update */
export function updateWords(update) {
  const me = letter(update.position.to_move);
  const [old, target, now] = [update.old, update.target, update.new].map((value) => signed(value, 3));
  return `${me} played ${update.move + 1}: its value went from ${old} towards ${target} and is ${now} now.`;
}

/**
 * @param {Api.UpdateInfo[]} updates @param {number | null} at the selected one
 * @param {(index: number) => void} onLook
 */
export function updatesTable(updates, at, onLook) {
  if (!updates.length) return h("p", { class: "note" }, "None yet.");
  const rows = updates.map((one, index) => {
    const cells = [
      String(index + 1),
      `${letter(one.position.to_move)} ${one.move + 1}`,
      signed(one.old, 3),
      signed(one.target, 3),
      signed(one.new, 3),
    ];
    return h(
      "tr",
      { class: index === at ? "here" : "", "aria-current": index === at ? "true" : null, onclick: () => onLook(index) },
      ...cells.map((text) => h("td", { class: "number-cell" }, text)),
    );
  });
  const head = h("thead", {}, h("tr", {}, ...COLUMNS.map((name) => h("th", { scope: "col" }, name))));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of the updates" },
    h("table", { class: "depths updates" }, head, h("tbody", {}, ...rows)),
  );
}
