// The evaluation bar, and exact values as short labels or sentences.

import { h, letter } from "./dom.js";

const HAS_WON = { first: "X has won", second: "O has won", draw: "a draw" };
const SIGNS = { "X wins": "X", "O wins": "O", "X has won": "X", "O has won": "O", "a draw": "=" };

/**
 * A move's exact value as a short label: a sign and the number of moves, so that colour is not needed.
 * @param {Api.MoveScore} one @param {boolean} best
 */
export function label(one, best) {
  if (!one.verdict) return { text: "?", kind: "unknown", title: "not solved yet" };
  const length = one.length ?? "";
  const text = { win: `+${length}`, draw: "=", loss: `−${length}` }[one.verdict];
  return {
    text,
    kind: `${one.verdict}${best ? " best" : ""}`,
    title: `${one.verdict}${inMoves(one)}${best ? ", best" : ""}`,
  };
}

/** The labels of all moves. @param {Api.SolutionInfo | null} truth */
export function labelsOf(truth) {
  const moves = Object.entries(truth ? truth.moves : {});
  return Object.fromEntries(moves.map(([move, one]) => [move, label(one, truth.best.includes(Number(move)))]));
}

/** The length of a win, in moves of the winner. @param {{length: number | null}} one */
export const inMoves = ({ length }) => (length ? ` in ${length} ${length === 1 ? "move" : "moves"}` : "");

/**
 * Describe the exact value. @param {Api.PositionInfo} position @param {Api.SolutionInfo | null} truth
 */
export function verdict(position, truth) {
  if (position.outcome) return `${HAS_WON[position.outcome].replace("a draw", "The game is a draw")}.`;
  const me = letter(position.to_move);
  if (!truth) return `${me} to move. Solving …`;
  if (!truth.verdict) {
    const known = truth.low >= 0 ? `: ${me} draws at least` : truth.high <= 0 ? `: ${me} draws at best` : "";
    return `${me} to move. Not solved yet${known}.`;
  }
  const verb = { win: `${me} wins`, draw: "A draw", loss: `${me} loses` }[truth.verdict];
  return `${me} to move. ${verb}${inMoves(truth)} with best play.`;
}

export class EvaluationBar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    this.value = h("span", { class: "value" });
    this.element = h("div", { class: "bar", role: "img" }, this.fill, this.value);
  }

  /** @param {Api.PositionInfo} position @param {Api.SolutionInfo | null} truth @param {boolean} shown */
  show(position, truth, shown) {
    let share = 0.5;
    let words = "not known yet";
    if (position.outcome) {
      share = { first: 1, second: 0, draw: 0.5 }[position.outcome];
      words = HAS_WON[position.outcome];
    } else if (truth && truth.verdict) {
      const sign = position.to_move === 0 ? 1 : -1;
      const who = { win: 1, draw: 0, loss: -1 }[truth.verdict] * sign;
      const most = (position.game.columns * position.game.rows) / 2;
      const size = truth.low === truth.high ? Math.abs(truth.low) / most : 0.5;
      share = 0.5 + who * (0.25 + 0.25 * Math.min(1, size));
      words = who > 0 ? "X wins" : who < 0 ? "O wins" : "a draw";
    }
    this.element.classList.toggle("off", !shown);
    this.fill.style.height = `${100 * share}%`;
    this.value.classList.toggle("above", share < 0.5);
    this.value.textContent = shown ? SIGNS[words] || "…" : "";
    this.element.setAttribute("aria-label", shown ? `With perfect play: ${words}` : "Evaluation is hidden");
  }
}
