// A chart of the exact score after each move, for the first player, with mistakes marked.

import { h, letter, roving, s } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 90;

/**
 * @param {Api.ReviewInfo} found @param {any} tree @param {(index: number) => void} onSelect
 * @param {HTMLElement} next the button for the next mistake
 */
export function accuracyGraph(found, tree, onSelect, next) {
  const count = tree.mainline().length;
  const x = (index) => 8 + (index * (WIDTH - 16)) / Math.max(1, count - 1);
  const most = Math.max(1, ...found.moves.filter((one) => one.solved).map((one) => Math.abs(one.score)));
  const y = (score) => HEIGHT / 2 - (score / most) * (HEIGHT / 2 - 10);
  const points = found.moves
    .filter((one) => one.solved)
    .map((one) => ({ one, x: x(one.index), y: y(one.player === 0 ? one.score : -one.score) }));
  const picture = s("svg", {
    class: "graph",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": "The exact score after each move, for X above, for O below",
  });
  picture.append(s("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  picture.append(s("polyline", { class: "curve", points: points.map((p) => `${p.x},${p.y}`).join(" ") }));
  const here = tree.depth() - 1;
  if (here >= 0) picture.append(s("line", { class: "here", x1: x(here), x2: x(here), y1: 0, y2: HEIGHT }));
  for (const p of points) {
    const dot = s("circle", {
      class: p.one.mistake ? "mistake" : "point",
      cx: p.x,
      cy: p.y,
      r: p.one.mistake ? 5 : 2.5,
    });
    const title = s("title");
    const { index, player, move, mistake, words } = p.one;
    title.textContent = `Move ${index + 1}: ${letter(player)} ${move + 1}${mistake ? `, ${words}` : ""}`;
    dot.append(title);
    dot.addEventListener("click", () => onSelect(p.one.index));
    picture.append(dot);
  }
  const mistakes = found.moves.filter((one) => one.mistake);
  const items = mistakes.map((one) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", onclick: () => onSelect(one.index) },
        `Move ${one.index + 1}: ${letter(one.player)} played ${one.move + 1}`,
      ),
      ` ${one.words}; better ${one.best.map((move) => move + 1).join(" or ")}`,
    ),
  );
  const share = (value) => (value === null ? "–" : `${Math.round(100 * value)} %`);
  const unknown = found.moves.filter((one) => !one.solved).length;
  return h(
    "div",
    { class: "accuracy" },
    picture,
    h(
      "p",
      {},
      `Moves that kept the result: X ${share(found.accuracy[0])}, O ${share(found.accuracy[1])}.`,
      unknown ? ` ${unknown} moves were not solved in time.` : "",
    ),
    h("div", { class: "actions" }, next),
    mistakes.length
      ? roving(h("ol", { class: "mistakes", "aria-label": "Mistakes" }, ...items))
      : h("p", { class: "note" }, "No mistakes were found."),
  );
}
