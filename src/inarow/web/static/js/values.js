// The value of every move as a picture: bars over columns where stones fall, else a board of coloured cells.

import { h, s } from "./dom.js";

const STEP = 44;
const HEIGHT = 96;

/**
 * @typedef {Object} Seen
 * @property {Record<number, number>} values for the side to move, from −1 to 1
 * @property {{depth: number, values: Record<number, number>}} [earlier] values of other moves at a lower depth, in grey
 * @property {Record<number, number>} [visits] how often a move was simulated; its disc grows with their logarithm
 * @property {number} [move] the move that is chosen
 * @property {Record<number, string>} [labels] a few letters for each move, instead of its value
 */

/** A value with its sign; one that rounds to 0 has none. @param {number} value */
export function signed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;
}

/** @param {number} share from 0 to 1 */
export const percent = (share) => `${Math.round(100 * share)} %`;

/** The picture for a position. @param {Api.PositionInfo} position @param {Seen} seen */
export function valuesPicture(position, seen) {
  const game = position.game;
  const words = position.legal
    .map((move) => ({ move, ...shown(seen, move) }))
    .map(({ move, text, before }) => `${move + 1}: ${text || "not known"}${before ? ` at depth ${before}` : ""}`)
    .join(", ");
  const draw = game.gravity ? bars : cells;
  return draw(position, seen, `${seen.move === undefined ? "" : `Chooses ${seen.move + 1}. `}${words}`);
}

/** A move's value; its depth, if that is an earlier one; what is written, and the classes of its colour and words.
 * @param {Seen} seen @param {number} move */
function shown(seen, move) {
  const value = seen.values[move] ?? seen.earlier?.values[move];
  const before = value === seen.values[move] ? undefined : seen.earlier?.depth;
  const text = seen.labels ? seen.labels[move] || "" : value === undefined ? "" : signed(value);
  const tone = before ? "earlier" : value > 0 ? "plus" : value < 0 ? "minus" : "even";
  return { value, before, text, tone, kind: `value-text ${tone}${text.length > 5 ? " small" : ""}` };
}

/** Bars up from the middle for a value above 0, down for one below. */
function bars(position, seen, words) {
  const game = position.game;
  const width = game.columns * STEP;
  const middle = HEIGHT / 2;
  const picture = s("svg", {
    class: "values",
    viewBox: `0 0 ${width} ${HEIGHT + 40}`,
    role: "img",
    "aria-label": words,
  });
  picture.append(s("line", { class: "axis", x1: 0, x2: width, y1: middle, y2: middle }));
  const most = Math.log1p(Math.max(1, ...Object.values(seen.visits || {})));
  for (const move of position.legal) {
    const x = (move + 0.5) * STEP;
    const { value, text, tone, kind } = shown(seen, move);
    if (move === seen.move)
      picture.append(
        s("rect", { class: "chosen", x: x - STEP / 2 + 1, y: 1, width: STEP - 2, height: HEIGHT + 37, rx: 8 }),
      );
    if (value !== undefined) {
      const size = Math.max(1.5, Math.abs(value) * (middle - 6));
      picture.append(
        s("rect", {
          class: `value ${tone}`,
          x: x - 8,
          y: value > 0 ? middle - size : middle,
          width: 16,
          height: size,
          rx: 3,
        }),
      );
      if (seen.visits) {
        const y = value > 0 ? middle - size : middle + size;
        picture.append(
          s("circle", {
            class: `visits ${tone}`,
            cx: x,
            cy: y,
            r: 3 + 14 * (Math.log1p(seen.visits[move] || 0) / most),
          }),
        );
      }
    }
    picture.append(words_at(x, HEIGHT + 14, text, kind), words_at(x, HEIGHT + 32, String(move + 1), "move-text"));
  }
  return picture;
}

/** A cell for every move, coloured by its value. */
function cells(position, seen, words) {
  const game = position.game;
  const picture = s("svg", {
    class: "values cells-values",
    viewBox: `0 0 ${game.columns * STEP} ${game.rows * STEP}`,
    role: "img",
    "aria-label": words,
  });
  const most = Math.log1p(Math.max(1, ...Object.values(seen.visits || {})));
  for (let cell = 0; cell < game.columns * game.rows; cell++) {
    const x = (cell % game.columns) * STEP;
    const y = Math.floor(cell / game.columns) * STEP;
    const stone = position.rows[Math.floor(cell / game.columns)][cell % game.columns];
    const { value, before, text, tone, kind } = shown(seen, cell);
    const box = s("rect", {
      class: `cell ${cell === seen.move ? "chosen" : ""}`,
      x: x + 1.5,
      y: y + 1.5,
      width: STEP - 3,
      height: STEP - 3,
      rx: 6,
    });
    picture.append(box);
    if (stone !== ".")
      picture.append(words_at(x + STEP / 2, y + 30, stone, `stone-text player${stone === "X" ? 0 : 1}`));
    else if (position.landing[cell] !== undefined) {
      if (value !== undefined) box.style.fill = shade(before ? 0 : value);
      if (seen.visits && seen.visits[cell])
        picture.append(
          s("circle", {
            class: `visits ${tone}`,
            cx: x + STEP / 2,
            cy: y + STEP / 2,
            r: 3 + 15 * (Math.log1p(seen.visits[cell]) / most),
          }),
        );
      picture.append(words_at(x + STEP / 2, y + 27, text, kind));
    }
  }
  return picture;
}

/** The strength of a colour, which grows with the distance from 0. @param {number} value */
function shade(value) {
  const colour = value > 0 ? "good" : value < 0 ? "bad" : "even";
  return `color-mix(in srgb, var(--${colour}) ${Math.round(8 + 42 * Math.min(1, Math.abs(value)))}%, var(--panel))`;
}

function words_at(x, y, words, kind) {
  const element = s("text", { class: kind, x, y, "aria-hidden": "true" });
  element.textContent = words;
  return element;
}

/**
 * A measure over episodes, on a logarithmic axis so that early learning is visible.
 * @param {{name: string, points: number[][]}[]} runs the one under way is the last
 * @param {{low: number, high: number, title: string, unit?: string}} axes
 */
export function curve(runs, { low, high, title, unit = "" }) {
  const [width, height, left, bottom] = [360, 170, 40, 22];
  const last = Math.max(10, ...runs.flatMap(({ points }) => points.map((point) => point[0])));
  const x = (value) => left + (Math.log1p(value) / Math.log1p(last)) * (width - left - 12);
  const y = (value) => 8 + (1 - (value - low) / (high - low || 1)) * (height - bottom - 8);
  const now = runs.length ? runs[runs.length - 1].points : [];
  const says = now.length
    ? `now ${now[now.length - 1][1].toFixed(2)} after ${last.toLocaleString("en")} ${unit}`
    : "nothing yet";
  const picture = s("svg", {
    class: "graph",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${title}: ${says}`,
  });
  for (const value of [low, (low + high) / 2, high]) {
    const line = { class: "axis", x1: left, x2: width - 12, y1: y(value), y2: y(value) };
    picture.append(
      s("line", line),
      words_at(left - 4, y(value) + 4, String(Number(value.toFixed(2))), "axis-text end"),
    );
  }
  for (let count = 1; count <= last; count *= 10) {
    const text = count >= 1e6 ? `${count / 1e6} M` : count >= 1000 ? `${count / 1000} k` : String(count);
    if (count !== 10) picture.append(words_at(x(count), height - 5, text, "axis-text middle"));
  }
  for (const [index, { name, points }] of runs.entries()) {
    const kind = index === runs.length - 1 ? "curve" : `curve earlier run${index % 4}`;
    const line = s("polyline", {
      class: kind,
      points: points.map((point) => `${x(point[0])},${y(point[1])}`).join(" "),
    });
    const tip = s("title");
    tip.textContent = name;
    line.append(tip);
    if (points.length) picture.append(line);
  }
  const key = (run, index) => h("li", { class: `run${index % 4}${index === runs.length - 1 ? " now" : ""}` }, run.name);
  const names = runs.length > 1 ? h("ol", { class: "runs", "aria-label": "Runs" }, ...runs.map(key)) : null;
  return h("figure", {}, h("figcaption", {}, `${title}, by ${unit}`), picture, names || "");
}
