// A standalone page of matches with the exact value of every move: saved as one file, and embedded in the pages of
// leagues and reports.

import { Analyse } from "./analyse.js";
import { banner, h } from "./dom.js";
import { Tree } from "./tree.js";

/**
 * @typedef {Object} Match
 * @property {string} game @property {number[]} moves @property {number} [at] the ply shown first, else the last
 * @property {string} [first] @property {string} [second] @property {string} [said] how it ended
 * @property {Api.ReviewInfo} [review] the graded moves
 */

const place = h("div");
const said = h("p", { class: "which" });
const page = new Analyse(place, true);

/** The matches in the address, else those in the page. @returns {Match[]} */
function given() {
  return JSON.parse(decodeURIComponent(location.hash.slice(1)) || document.getElementById("matches").textContent);
}

/** @param {Match} match */
const players = ({ first, second }) => (first || second ? [first || "human", second || "human"] : []);

/** @param {Match} match */
function show(match) {
  banner("");
  said.textContent = match.said || "";
  page.tree = new Tree(match.game, match.moves);
  page.tree.select(page.tree.nodeAt(match.at ?? match.moves.length));
  page.names = players(match);
  page.review = match.review ? { key: page.tree.key(), found: match.review, done: Promise.resolve() } : null;
  page.refresh();
}

function open() {
  try {
    const matches = given();
    const choice = h("select", { id: "match", onchange: () => show(matches[choice.selectedIndex]) });
    for (const [index, match] of matches.entries()) {
      const words = [players(match).join(" against "), match.said].filter(Boolean).join(": ");
      choice.append(h("option", {}, `${index + 1} ${words}`));
    }
    const label = matches.length > 1 ? h("label", { class: "which" }, "Match", choice) : said;
    document.getElementById("view").replaceChildren(label, place);
    show(matches[0]);
  } catch {
    banner("There is no match in this link.");
  }
}

document.addEventListener("keydown", (event) => {
  document.documentElement.classList.add("by-keys");
  const { target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || target instanceof HTMLSelectElement) return;
  if (page.key(event)) event.preventDefault();
});
document.addEventListener("pointerdown", () => document.documentElement.classList.remove("by-keys"));
window.addEventListener("hashchange", open);
open();
