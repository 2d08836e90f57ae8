// "Guess the next step": a question about the next recorded event, and a score.

import { announce, fill, h } from "./dom.js";

const NEW = ["enter", "leaf", "known"]; // a move is tried

/**
 * The question that the next event answers; null if there is nothing to guess.
 * @param {import("./trace.js").Trace} trace whose state is the one after the step @param {number} step
 * @returns {{text: string, options: string[], right: number} | null}
 */
function questionAt(trace, step) {
  const next = step + 1;
  if (next >= trace.length) return null;
  return trace.simulated ? simulationQuestion(trace, step, next) : searchQuestion(trace, step, next);
}

function searchQuestion(trace, step, next) {
  const kind = trace.kind(next);
  const node = trace.nodes[next];
  const here = NEW.includes(kind) ? trace.parents[node] : node;
  const place = trace.pathText(here);
  if (kind === "return") {
    const values = trace.children(node, step).map((child) => trace.points(trace.state.value[child]));
    return choice(
      `Which value does ${trace.side(node)} pass up from ${place}?`,
      trace.points(trace.values[next]),
      values,
    );
  }
  const narrow = trace.state.low[here] > -Infinity || trace.state.high[here] < Infinity;
  const left = untried(trace, here, step);
  if (
    kind === "cut" ||
    (narrow && NEW.includes(kind) && trace.improved[step] && trace.parents[trace.nodes[step]] === here)
  ) {
    if (!left.length) return null;
    return yesNo(
      `${trace.side(here)} has ${trace.points(trace.state.value[here])} at ${place}. ` +
        "Are the remaining moves there cut off now?",
      kind === "cut",
    );
  }
  if (NEW.includes(kind)) {
    return choice(
      `Which move does ${trace.side(here)} try next at ${place}?`,
      String(trace.moves[node] + 1),
      left.map((move) => String(move + 1)),
    );
  }
  return null;
}

/** The moves at a node that have not been tried yet: those to be tried, and those to be cut off. */
function untried(trace, node, step) {
  const moves = [];
  for (let one = trace.firstChild[node]; one >= 0; one = trace.nextSibling[one])
    if (trace.born[one] > step) moves.push(trace.moves[one]);
  const cut = trace.cutAt[node];
  return cut > step ? moves.concat(trace.lists[cut] || []) : moves;
}

function simulationQuestion(trace, step, next) {
  const kind = trace.kind(next);
  if (kind === "select" && ["backup", "expand", "begin"].includes(trace.kind(step))) {
    const path = trace.path(trace.nodes[next]);
    const from = trace.kind(step) === "expand" ? trace.nodes[step] : path[0];
    const child = path[trace.depth[from] + 1];
    if (child === undefined) return null;
    const options = trace.children(from, step).map((one) => String(trace.moves[one] + 1));
    return choice(
      `Where does the simulation go from ${trace.pathText(from)}?`,
      String(trace.moves[child] + 1),
      options,
    );
  }
  if (kind === "backup" && trace.nodes[next] !== 0) {
    const names = ["those MAX moved to", "those MIN moved to", "all alike"];
    const [low, high] = [trace.lows[next], trace.highs[next]];
    return {
      text: "For which nodes of the path is this result good?",
      options: names,
      right: low > high ? 0 : low < high ? 1 : 2,
    };
  }
  return null;
}

const yesNo = (text, yes) => ({ text, options: ["Yes", "No"], right: yes ? 0 : 1 });

/** A multiple-choice question of at most nine distinct answers; null if there is only one. */
function choice(text, right, others) {
  const options = [...new Set(others.includes(right) ? others : [...others, right])];
  const shown = options.length <= 9 ? options : [...options.filter((one) => one !== right).slice(0, 8), right];
  shown.sort((a, b) => Number(a.replace("−", "-")) - Number(b.replace("−", "-")) || a.localeCompare(b));
  return shown.length > 1 ? { text, options: shown, right: shown.indexOf(right) } : null;
}

/** The exercise: a question, the feedback on the answer, the score. */
export class Quiz {
  /** @param {(index: number) => void} onAnswer */
  constructor(onAnswer) {
    this.onAnswer = onAnswer;
    this.element = h("div", {});
    this.on = false;
    this.reset();
  }

  reset() {
    this.question = null; // waiting for an answer
    this.verdictAt = -1; // the step at which the feedback is shown
    this.shown = undefined;
    this.score = { right: 0, asked: 0 };
  }

  /**
   * Find the next question. @param {import("./trace.js").Trace} trace @param {number} step
   * @returns {number} the step at which it is asked
   */
  ask(trace, step) {
    trace.seek(step);
    let found = questionAt(trace, step);
    while (!found && step < trace.length - 1) {
      trace.seek(++step);
      found = questionAt(trace, step);
    }
    this.question = found;
    if (found) announce(`${found.text} ${found.options.map((one, index) => `${index + 1}: ${one}`).join(", ")}`);
    return step;
  }

  /** Show a step. @param {number} step */
  draw(step) {
    const wanted = this.question || (this.on && this.verdictAt === step ? "verdict" : null);
    if (wanted === this.shown) return;
    this.shown = wanted;
    if (!this.question) fill(this.element);
    else
      this.show(
        h("p", { id: "question" }, this.question.text),
        h(
          "div",
          { class: "actions" },
          ...this.question.options.map((option, index) =>
            h(
              "button",
              { type: "button", onclick: () => this.onAnswer(index) },
              option,
              h("kbd", {}, String(index + 1)),
            ),
          ),
        ),
      );
  }

  show(...content) {
    const score = h("p", { class: "note", id: "score" }, `${this.score.right} of ${this.score.asked} right`);
    fill(this.element, h("section", { class: "guess", "aria-label": "Guess the next step" }, ...content, score));
  }

  /**
   * Count an answer. @param {number} index @returns {string} an empty string if it is right, else the right answer
   */
  answer(index) {
    const { options, right } = this.question;
    this.score.asked++;
    if (index === right) this.score.right++;
    this.question = null;
    return index === right ? "" : options[right];
  }

  /** Show whether an answer was right. @param {string} better @param {number} step @param {() => void} onNext */
  showVerdict(better, step, onNext) {
    const verdict = better ? `No: ${better}.` : "Right.";
    [this.shown, this.verdictAt] = ["verdict", step];
    this.show(
      h("p", { class: better ? "problem" : "good", id: "verdict" }, verdict),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "primary", onclick: onNext }, "Next question", h("kbd", {}, "→")),
      ),
    );
    announce(`${verdict} ${this.score.right} of ${this.score.asked} right.`);
  }
}
