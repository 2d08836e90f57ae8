// The selected node of the page Trees: its numbers, its position and the exact values.

import { banner, fill, h } from "./dom.js";
import { engine } from "./engine.js";
import { Board } from "./board.js";
import { inMoves, labelsOf } from "./evaluation.js";
import { percent } from "./values.js";

const SOLVING = 2; // seconds to solve a node's position
const OVER = { first: "X has won", second: "O has won", draw: "a draw" };

export class NodePanel {
  /** @param {(move: number) => void} onMove a move is made on the node's board */
  constructor(onMove) {
    this.board = new Board(onMove);
    this.details = h("div", { id: "node" });
    this.forget();
  }

  /** Reset for another search. */
  forget() {
    if (this.abort) this.abort.abort();
    this.abort = new AbortController();
    this.key = ""; // the node whose position is shown
    this.truth = "solving …";
    this.solved = false; // whether it is solved or being solved
  }

  /**
   * Show a node; its position is not solved while the search is playing.
   * @param {import("./trace.js").Trace} trace @param {number} node @param {number} step @param {boolean} playing
   */
  async show(trace, node, step, playing) {
    const key = `${trace.info.id}/${node}`;
    if (this.key !== key) {
      this.forget();
      this.key = key;
    }
    this.drawNumbers(trace, node, step);
    if (this.solved) return;
    this.solved = !playing;
    const { signal } = this.abort;
    try {
      const { game, moves: start } = trace.info.position;
      const moves = [...start, ...trace.line(node)];
      const position = await engine.positionOf(game.name, moves);
      if (signal.aborted) return;
      this.drawPosition(position, null);
      if (playing || position.outcome) return;
      const truth = await engine.solve({ game: game.name, moves, seconds: SOLVING }, signal);
      if (!signal.aborted) this.drawPosition(position, truth);
    } catch (error) {
      if (signal.aborted) return;
      this.solved = false;
      banner(error.message);
    }
  }

  drawPosition(position, truth) {
    this.board.show(position, { labels: labelsOf(truth), last: null }, !position.outcome);
    this.truth = position.outcome ? OVER[position.outcome] : truth ? truthWords(position, truth) : "solving …";
    const place = this.details.querySelector("#truth");
    if (place) place.textContent = this.truth;
  }

  drawNumbers(trace, node, step) {
    trace.seek(step);
    const facts = [
      ["node", trace.pathText(node)],
      ["to move", trace.side(node)],
      ...(trace.simulated ? simulationFacts(trace, node, step) : searchFacts(trace, node, step)),
    ];
    const rows = facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
    fill(
      this.details,
      h("dl", { class: "facts" }, ...rows, h("dt", {}, "truth"), h("dd", { id: "truth" }, this.truth)),
      trace.simulated ? confidence(trace, node, step) : "",
    );
  }
}

function truthWords(position, truth) {
  if (!truth.verdict) return "not found in time";
  const words = { win: `${"XO"[position.to_move]} wins`, draw: "a draw", loss: `${"OX"[position.to_move]} wins` }[
    truth.verdict
  ];
  return words + inMoves(truth);
}

function simulationFacts(trace, node, step) {
  const facts = [["visits", trace.state.visits[node].toLocaleString("en")]];
  const value = trace.short(node);
  if (value) facts.push(["value for MAX", value]);
  if (trace.kind(step) === "rollout") facts.push(["rollout", trace.lists[step].map((move) => move + 1).join(" ")]);
  return facts;
}

function searchFacts(trace, node, step) {
  const facts = [];
  const value = trace.points(trace.state.value[node]);
  const [low, high] = [trace.state.low[node], trace.state.high[node]];
  if (value) facts.push(["value for MAX", trace.sign(node) + value]);
  if (low > -Infinity || high < Infinity)
    facts.push(["window", `${trace.points(low)} to ${trace.points(high)}${low >= high ? " (closed)" : ""}`]);
  facts.push(["nodes below", trace.below(node, step).toLocaleString("en")]);
  const cut = trace.cutMoves(node, step);
  if (cut.length) facts.push(["cut off", cut.map((move) => move + 1).join(" ")]);
  return facts;
}

/**
 * The children of a node: how the visits are distributed, and the two terms of their confidence bound as bars, what
 * they have won, and exploration. The one with the largest sum is selected next, except proven ones.
 */
function confidence(trace, node, step) {
  const { visits } = trace.state;
  const children = trace.children(node, step).filter((child) => visits[child]);
  if (children.length < 2 || trace.info.exploration === null) return "";
  const sign = trace.depth[node] % 2 ? -1 : 1;
  const terms = children.map((child) => ({
    child,
    won: (1 + sign * trace.tint(child)) / 2,
    explored: trace.info.exploration * Math.sqrt(Math.log(Math.max(1, visits[node])) / visits[child]),
  }));
  const bound = ({ child, won, explored }) => (trace.state.proven[child] ? 0 : won + explored);
  const most = Math.max(...terms.map(bound));
  const all = children.reduce((sum, child) => sum + visits[child], 0);
  const bar = (kind, share) => {
    const element = h("span", { class: `term ${kind}` });
    element.style.width = `${100 * share}%`;
    return element;
  };
  const row = ({ child, won, explored }) => {
    const open = !trace.state.proven[child];
    return h(
      "tr",
      { class: open && won + explored === most ? "here" : "" },
      h("th", { scope: "row" }, String(trace.moves[child] + 1)),
      h("td", { class: "number-cell" }, visits[child].toLocaleString("en")),
      h("td", { class: "terms share", title: percent(visits[child] / all) }, bar("visited", visits[child] / all)),
      h("td", { class: "number-cell" }, open ? (won + explored).toFixed(2) : "proven"),
      open
        ? h(
            "td",
            { class: "terms", title: `${won.toFixed(2)} won + ${explored.toFixed(2)} exploration` },
            bar("won", won / most),
            bar("explored", explored / most),
          )
        : h("td", {}, trace.short(child)),
    );
  };
  const head = h(
    "tr",
    {},
    ...["Move", "Visits", "Share", "Bound", "Won + exploration"].map((name) => h("th", { scope: "col" }, name)),
  );
  return h("table", { class: "depths confidence" }, h("thead", {}, head), h("tbody", {}, ...terms.map(row)));
}
