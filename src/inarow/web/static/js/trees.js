// Trees: step through minimax, alpha–beta and MCTS on a position of your choice, forward, back, at any speed.

import { act, announce, banner, button, carry, download, h, s, setAddress } from "./dom.js";
import { engine } from "./engine.js";
import { Quiz } from "./guess.js";
import { Part } from "./reactive.js";
import { Trace } from "./trace.js";
import { Transport } from "./transport.js";
import { NodePanel } from "./tree_node.js";
import { searchForm } from "./treeform.js";
import { drawTree, rowOf, standalone } from "./treeview.js";
import { drawWhole, layOut, Lens } from "./wholetree.js";

const PATIENCE = 150; // milliseconds without a step after which the board follows

/** @param {HTMLElement} view @param {string[]} path */
export function treesPage(view, path) {
  const page = new Trees(view, path);
  return { page, opened: page.record(page.step) };
}

class Trees {
  /** @param {HTMLElement} view @param {string[]} path */
  constructor(view, path) {
    const [game = "tictactoe", moves = "17354", spec = "alphabeta:depth=4,root=carried", step = "1"] = path;
    this.search = { game, text: moves, spec, events: 10000 };
    this.step = path.length ? Math.max(0, (Number(step) || 1) - 1) : Infinity; // a finished example on the first visit
    this.whole = path.length < 3; // the whole tree, or the path to one node
    /** @type {Set<number>} nodes that were folded by hand */
    this.folded = new Set();
    this.focus = null; // the selected node; else that of the step
    this.abort = new AbortController();
    this.trace = null;
    this.panel = new NodePanel((move) => this.play(move));
    this.build(view);
    this.width = 600; // of the picture, cached: reading it in every frame would force a layout
    this.resized = new ResizeObserver(() => {
      this.width = Math.max(300, this.frame.clientWidth - 14);
      this.part.later();
    });
    this.resized.observe(this.frame);
  }

  build(view) {
    this.said = h("p", { class: "said", id: "said" }, "Recording …");
    this.picture = s("svg", { class: "tree-picture", role: "img", "aria-labelledby": "said" });
    this.frame = h(
      "div",
      { class: "picture-frame", tabIndex: 0, role: "group", "aria-label": "The tree" },
      this.picture,
    );
    this.part = new Part(this.frame, () => this.trace && !this.closed && this.draw());
    this.lens = new Lens(this.picture, () => this.part.later());
    this.picture.addEventListener("click", (event) => this.clicked(event));
    this.picture.addEventListener("dblclick", (event) => {
      const group = /** @type {Element} */ (event.target).closest("[data-node]");
      if (group) this.fold(Number(group.getAttribute("data-node")));
    });
    this.views = [
      button("whole", "Whole tree", () => this.showWhole(true), { key: "W" }),
      button("path", "Path", () => this.showWhole(false), { key: "W", says: "Path to the node of the step" }),
    ];
    this.zooming = [
      button("nearer", "+", () => this.lens.zoom(1.5), { key: "+", says: "Nearer" }),
      button("farther", "−", () => this.lens.zoom(1 / 1.5), { key: "−", says: "Farther" }),
      button("fit", "Fit", () => this.lens.all(), { key: "0", says: "Fit" }),
    ];
    this.transport = new Transport({
      step: () => this.step,
      last: () => this.last,
      go: (step) => this.go(step),
      forward: () => this.forward(),
      paused: () => this.trace && this.changed(true),
    });
    this.quiz = new Quiz((index) => this.answer(index));
    this.guess = button("guess", "Guess the next step", () => this.toggleGuess(), { key: "G", pressed: false });
    this.next = button("nextcut", "Next cut-off", () => this.nextCut(), { key: "C" });
    this.saving = button("save", "Save as SVG", () => this.save(), { key: "S" });
    this.actions = h("div", { class: "actions" }, ...this.views, ...this.zooming, this.guess, this.next, this.saving);
    this.legend = h("div", { class: "legend note" });
    for (const button of this.actions.children) button.disabled = true; // until something is recorded
    this.form = searchForm(this.search, (search) => {
      this.search = search;
      this.record();
    });
    this.note = h("p", { class: "note", id: "note" });
    const side = h(
      "section",
      { class: "panel", "aria-label": "Search and node" },
      this.form.element,
      h("p", { class: "note" }, h("a", { href: "#/exam" }, "A tree of your own, for an exam")),
      this.note,
      this.panel.details,
      this.panel.board.element,
    );
    view.replaceChildren(
      h(
        "div",
        { class: "desk trees" },
        h(
          "div",
          { class: "stage" },
          this.transport.element,
          this.actions,
          this.said,
          this.quiz.element,
          this.frame,
          this.legend,
        ),
        side,
      ),
    );
  }

  get last() {
    return this.trace ? this.trace.length - 1 : 0;
  }

  /** Record the search, and show one of its steps. @param {number} step */
  async record(step = 0) {
    this.transport.pause();
    this.abort.abort();
    this.abort = new AbortController();
    const signal = this.abort.signal;
    this.note.textContent = "Recording …";
    try {
      const { game, text, spec, events } = this.search;
      const position = await engine.position({ game, text }, signal);
      if (!position.moves) throw new Error("No order of moves leads to this position.");
      const loading = (had, all) =>
        (this.note.textContent = `Loading ${had.toLocaleString("en")} of ${all.toLocaleString("en")} steps …`);
      const search = { game, moves: position.moves, agent: spec, events };
      const { info, pages } = await engine.trace(search, signal, loading);
      if (signal.aborted) return;
      this.form.show(position.text, text);
      this.trace = new Trace(info, pages);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.note.textContent = "";
      if (!this.trace) this.said.textContent = "Nothing was recorded.";
      banner(error.message);
      return;
    }
    banner("");
    this.step = Math.min(step, this.last);
    this.focus = null;
    this.quiz.question = null;
    this.panel.forget();
    carry(this.trace.info.position.game.name, this.trace.info.position.text);
    this.note.textContent = this.summary();
    for (const button of this.actions.children) button.disabled = false;
    this.next.hidden = !this.trace.cutAt.some((at) => at >= 0);
    this.folded.clear();
    this.showWhole(this.whole);
  }

  /** Show the whole tree, or the path to one node. @param {boolean} whole */
  showWhole(whole) {
    this.whole = whole;
    this.lens.view = null;
    this.views[0].setAttribute("aria-pressed", String(whole));
    this.views[1].setAttribute("aria-pressed", String(!whole));
    for (const button of this.zooming) button.hidden = !whole;
    this.legend.replaceChildren(...legend(this.trace.simulated, whole));
    this.changed(true);
  }

  /** Fold or unfold the subtree of a node. @param {number} node */
  fold(node) {
    if (!this.whole) return;
    if (!this.folded.delete(node)) this.folded.add(node);
    this.focus = node;
    this.reason = "";
    this.changed(true);
  }

  summary() {
    const { info } = this.trace;
    const max = "XO"[info.position.to_move];
    const [steps, nodes] = [info.length.toLocaleString("en"), info.node_count.toLocaleString("en")];
    const figures = `${steps} steps, ${nodes} nodes. MAX is ${max}, MIN is ${max === "X" ? "O" : "X"}.`;
    if (!info.truncated) return `${info.agent}: ${figures} It plays ${info.move + 1}.`;
    const whole = info.whole
      ? ` The agent itself, not shown, plays ${info.whole.move + 1} after ` +
        `${info.whole.nodes.toLocaleString("en")} nodes.`
      : "";
    return `${info.agent}: ${figures} Truncated after ${info.truncated}; the search continues.${whole}`;
  }

  /** The node in focus. */
  get node() {
    return this.focus === null ? this.trace.nodes[this.step] : this.focus;
  }

  /** Go to a step. @param {number} step */
  go(step) {
    if (!this.trace) return;
    this.step = Math.max(0, Math.min(this.last, step));
    this.focus = null;
    this.quiz.question = null;
    this.changed(false);
  }

  /** One step forward; while guessing, to the next question. */
  forward() {
    if (!this.trace || this.quiz.question) return;
    if (!this.quiz.on) {
      this.go(this.step + 1);
      return;
    }
    this.step = this.quiz.ask(this.trace, this.step);
    this.focus = null;
    this.changed(true);
  }

  /** Draw at the next frame, and announce the step once it stays. @param {boolean} now */
  changed(now) {
    this.part.later();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), now ? 0 : PATIENCE);
  }

  /** Draw everything that changes with each step, in at most 8 ms. */
  draw() {
    const { trace, step, width } = this;
    trace.seek(step);
    const drawn = this.whole ? this.drawAll(width) : drawTree(trace, step, this.node, width);
    const box = "box" in drawn ? drawn.box : `0 0 ${width} ${drawn.height}`;
    if (this.size !== `${width} ${drawn.height} ${box}`) {
      this.size = `${width} ${drawn.height} ${box}`;
      const attributes = { width, height: drawn.height, viewBox: box };
      for (const [name, value] of Object.entries(attributes)) this.picture.setAttribute(name, String(value));
    }
    this.picture.innerHTML = drawn.content;
    this.said.textContent = this.sentence();
    this.transport.show(step, trace.length);
    this.quiz.draw(step);
  }

  /** @param {number} width @returns {{height: number, box: string, content: string}} */
  drawAll(width) {
    const { trace, step, node } = this;
    const layout = layOut(trace, step, node, this.folded);
    this.lens.fit(layout.width, layout.height);
    const { x, y, width: wide, height: high } = this.lens.shown;
    const height = Math.max(
      160,
      Math.min(0.62 * window.innerHeight, (width * this.lens.whole.height) / this.lens.whole.width),
    );
    return { height, box: `${x} ${y} ${wide} ${high}`, content: drawWhole(trace, layout, node) };
  }

  sentence() {
    if (this.focus !== null && this.reason) return this.reason;
    return this.trace.words(this.step);
  }

  /** Announce a step that has stayed for a moment, and show the node's position and exact values. */
  settle() {
    if (this.closed || !this.trace) return;
    const { trace, node, step } = this;
    const { running } = this.transport;
    if (!running && !this.quiz.question) announce(`${this.sentence()} ${this.transport.where.textContent}`);
    const { agent, position: start } = trace.info;
    if (!running)
      setAddress(this.frame, `#/trees/${start.game.name}/${start.text}/${agent}${step ? `/${step + 1}` : ""}`);
    if (!this.whole) this.frame.scrollTop = rowOf(trace.depth[node]) - this.frame.clientHeight / 2;
    this.panel.show(trace, node, step, running);
  }

  clicked(event) {
    const group = event.target.closest("[data-node], [data-cut]");
    if (!group) return;
    this.transport.pause();
    if (group.dataset.node !== undefined) this.choose(Number(group.dataset.node));
    else this.choose(Number(group.dataset.cut), this.trace.words(this.trace.cutAt[Number(group.dataset.cut)]));
  }

  /**
   * Select a node, at any step. @param {number} node @param {string} [reason] why something at it was cut off
   */
  choose(node, reason = "") {
    if (node < 0 || this.trace.born[node] > this.step) return;
    this.focus = node;
    this.reason = reason || `${this.trace.pathText(node)}: ${this.trace.side(node)} is to move.`;
    this.changed(true);
  }

  /** Go from the selected node to its parent, child or sibling. @param {"up" | "down" | "left" | "right"} where */
  wander(where) {
    const { trace, step, node } = this;
    trace.seek(step);
    if (where === "up") return this.choose(trace.parents[node]);
    if (where === "down") return this.choose(trace.children(node, step)[0] ?? -1);
    const row = trace.parents[node] < 0 ? [node] : trace.children(trace.parents[node], step);
    return this.choose(row[row.indexOf(node) + (where === "left" ? -1 : 1)] ?? -1);
  }

  /** Play a move at the selected node, and search that position. @param {number} move */
  play(move) {
    const { moves, game } = this.panel.board.position;
    const text = [...moves, move].map((one) => one + 1).join(game.moves <= 9 ? "" : ",");
    this.search = { ...this.search, game: game.name, text };
    this.form.show(text);
    this.record();
  }

  nextCut() {
    const { trace } = this;
    for (let step = this.step + 1; step < trace.length; step++)
      if (trace.kind(step) === "cut" && trace.lists[step]) return this.go(step);
    announce("No cut-off follows.");
  }

  // Guessing.

  toggleGuess() {
    this.transport.pause();
    this.quiz.on = !this.quiz.on;
    this.guess.setAttribute("aria-pressed", String(this.quiz.on));
    this.quiz.reset();
    if (this.quiz.on) this.forward();
    else this.changed(true);
  }

  /** @param {number} index of the answer */
  answer(index) {
    const better = this.quiz.answer(index);
    this.go(this.step + 1);
    this.quiz.showVerdict(better, this.step, () => this.forward());
  }

  /** The picture as a file for a slide. */
  save() {
    this.trace.seek(this.step);
    const wide = Math.max(640, this.width);
    const picture = this.whole
      ? { width: wide, ...this.drawAll(wide) }
      : drawTree(this.trace, this.step, this.node, wide);
    const rules = [...document.styleSheets]
      .filter((sheet) => (sheet.href || "").endsWith("trees.css"))
      .flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText).filter((text) => text.startsWith(".t-")));
    download("inarow-tree.svg", standalone(picture, this.sentence(), rules.join(" ")), "image/svg+xml");
  }

  key(event) {
    if (!this.trace) return false;
    const key = event.key;
    const number = Number(key);
    if (this.quiz.question && number >= 1 && number <= this.quiz.question.options.length) {
      this.answer(number - 1);
      return true;
    }
    if ((key === " " || key === "Enter") && event.target instanceof HTMLButtonElement) return false;
    const actions = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.forward(),
      PageUp: () => this.go(this.step - 100),
      PageDown: () => this.go(this.step + 100),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      ArrowUp: () => this.wander("up"),
      ArrowDown: () => this.wander("down"),
      "[": () => this.wander("left"),
      "]": () => this.wander("right"),
      " ": () => this.transport.toggle(),
      w: () => this.showWhole(!this.whole),
      "+": () => this.lens.zoom(1.5),
      "-": () => this.lens.zoom(1 / 1.5),
      0: () => this.lens.all(),
      g: () => this.toggleGuess(),
      c: () => this.nextCut(),
      f: () => this.fold(this.node),
      s: () => this.save(),
    };
    return act(actions, event);
  }

  keys = [
    ["← →", "one step back, one forward"],
    ["Page Up, Page Down", "100 steps back, 100 forward"],
    ["Home, End", "to the start, to the end"],
    ["Space", "play or pause"],
    ["↑ ↓ [ ]", "look at the parent, a child, the siblings"],
    ["W", "the whole tree, or the path to one node"],
    ["+ − 0", "zoom in, zoom out, fit the tree"],
    ["F, double click", "fold or unfold a node"],
    ["C", "to the next cut-off"],
    ["G", "guess the next step; 1 – 9 answer"],
    ["S", "save the tree as SVG"],
  ];

  close() {
    this.closed = true;
    this.transport.pause();
    clearTimeout(this.timer);
    this.abort.abort();
    this.panel.forget();
    this.resized.disconnect();
  }
}

/** The legend of the picture, and the phases of the search. @param {boolean} simulated @param {boolean} whole */
function legend(simulated, whole) {
  const shapes = "Sharp corners: MAX to move; round: MIN. Green is good for MAX, red for MIN.";
  const folded = whole ? " A triangle stands for folded nodes; a double click folds and unfolds." : "";
  const phases = simulated
    ? "Each simulation selects a path by its confidence bounds, expands a leaf, plays a random rollout from there, " +
      "and backs its result up along the path. A thicker line was visited more often."
    : "Depth first: a value is passed up as soon as all moves of a node are tried. α is the value that MAX is " +
      "already sure of, β that of MIN; once α ≥ β, the rest of a node is cut off.";
  return [h("p", {}, shapes + folded), h("p", {}, phases)];
}
