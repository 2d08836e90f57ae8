// The bar that says who wins, and exact values in a few letters or words.

import { h, letter } from "./dom.js";

const HAS_WON = { first: "X has won", second: "O has won", draw: "a draw" };
const SIGNS = { "X wins": "X", "O wins": "O", "X has won": "X", "O has won": "O", "a draw": "=" };

/** A move's exact value as a few letters: a sign and the number of moves, so that colour is not needed. */
export function label(one, best) {
  if (!one.verdict) return { text: "?", kind: "unknown", title: "not solved yet" };
  const length = one.words.includes(" in ") ? parseInt(one.words.split(" in ")[1]) : "";
  const text = { win: `+${length}`, draw: "=", loss: `−${length}` }[one.verdict];
  return {
    text,
    kind: `${one.verdict}${best ? " best" : ""}`,
    title: `${one.words || one.verdict}${best ? ", best" : ""}`,
  };
}

/** The truth about a position in a sentence. @param {any} position @param {any} truth null while it is looked for */
export function verdict(position, truth) {
  if (position.outcome) return `${HAS_WON[position.outcome].replace("a draw", "The game is a draw")}.`;
  const me = letter(position.to_move);
  if (!truth) return `${me} to move. Solving …`;
  if (!truth.verdict) return `${me} to move. Not solved yet: the score is from ${truth.low} to ${truth.high}.`;
  if (!truth.words) return `${me} to move: a ${truth.verdict}.`;
  const verb = { win: `${me} wins`, draw: "A draw", loss: `${me} loses` }[truth.verdict];
  const length = truth.words.includes(" in ") ? ` in ${truth.words.split(" in ")[1]}` : "";
  return `${me} to move. ${verb}${length} with best play.`;
}

export class EvaluationBar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    this.value = h("span", { class: "value" });
    this.element = h("div", { class: "bar", role: "img" }, this.fill, this.value);
  }

  /** @param {any} position @param {any} truth @param {boolean} shown or hidden, as a trainer */
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
