// Analyse: any position, with the exact score of every move, the best line, threats, variations, and a shared address.

import { act, announce, banner, button, carry, fill, h, letter, moveOfKey, roving, setAddress } from "./dom.js";
import { engine } from "./engine.js";
import { AnalyseTools } from "./analyse_tools.js";
import { Board } from "./board.js";
import { EvaluationBar, labelsOf, verdict } from "./evaluation.js";
import { accuracyGraph } from "./graph.js";
import { Latest, Part, Queue } from "./reactive.js";
import { recall, remember } from "./state.js";
import { Tree } from "./tree.js";

const SECONDS = 18; // for one position

/** @param {HTMLElement} view @param {string[]} path */
export function analysePage(view, path) {
  const page = new Analyse(view);
  return { page, opened: page.open(path[0] || "connect4", path[1] || "", path[2]) };
}

export class Analyse {
  /** @param {HTMLElement} view @param {boolean} alone true without other pages and matches to open */
  constructor(view, alone = false) {
    this.alone = alone;
    this.board = new Board((move) => this.play(move), false);
    this.bar = new EvaluationBar();
    this.queue = new Queue();
    this.closed = false;
    this.tools = new AnalyseTools(this);
    this.tree = new Tree("connect4", []);
    /** @type {string[]} the players of a match from a file */
    this.names = [];
    this.position = null;
    this.last = null;
    this.truth = null;
    /** @type {{key: string, found: Api.ReviewInfo | null, done: Promise<void>} | null} the review of the match */
    this.review = null;
    this.problem = "";
    this.abort = new AbortController();
    this.latest = new Latest();
    this.options = { evaluation: true, threats: false, ...recall().analysis };
    this.preview = [];
    this.side = h("section", { class: "panel", "aria-label": "Analysis" });
    this.shownSide = new Part(
      this.side,
      () => this.drawSide(),
      () => this.board.focus(),
    );
    this.judged = h("div", { class: "judged" });
    view.replaceChildren(
      h(
        "div",
        { class: "desk" },
        h("div", { class: "stage with-bar" }, this.bar.element, this.board.element),
        this.side,
      ),
    );
  }

  /**
   * @param {string} game @param {string} text moves, or a board @param {string} [ply] number of moves to show
   */
  async open(game, text, ply) {
    try {
      const position = await engine.position({ game, text });
      if (!position.moves) throw new Error("no order of moves leads to this position.");
      if (this.closed) return;
      this.tree = new Tree(position.game.name, position.moves);
      const kept = history.state && history.state.analysis; // variations saved before a reload or "back"
      if (kept) this.tree.restore(kept);
      this.names = (history.state && history.state.names) || [];
      this.tree.select(this.tree.find(position.moves.slice(0, /^\d+$/.test(ply || "") ? Number(ply) : undefined)));
    } catch (error) {
      if (this.closed) return;
      if (error.status === 0) throw error;
      banner(`This link can't be opened: ${error.message}`);
    }
    await this.refresh();
    this.board.focus();
  }

  close() {
    this.closed = true;
    this.queue.close();
    this.latest.close();
    this.abort.abort();
  }

  /** Analyse other moves. @param {string} game @param {number[]} moves @param {string[]} names */
  async begin(game, moves, names = []) {
    this.tree = new Tree(game, moves);
    this.names = names;
    await this.refresh();
  }

  /** Show the position of the current node, and start solving it. */
  async refresh() {
    if (this.closed) return;
    const current = this.latest.ask();
    this.abort.abort();
    this.abort = new AbortController();
    const { game } = this.tree;
    const [moves, line] = [this.tree.moves(), this.tree.line()];
    try {
      const [position, before, end] = await Promise.all([
        engine.positionOf(game, moves),
        engine.positionOf(game, moves.slice(0, -1)),
        engine.positionOf(game, line),
      ]);
      if (!current()) return;
      this.position = position;
      this.last = moves.length ? before.landing[moves[moves.length - 1]] : null;
      this.address(end.text, moves.length < line.length ? `/${moves.length}` : "");
    } catch (error) {
      if (current()) banner(error.message);
      return;
    }
    this.truth = null;
    this.problem = "";
    this.preview = [];
    carry(game, this.position.text);
    announce(
      moves.length
        ? `Move ${moves.length}: ${letter((moves.length - 1) % 2)} ${moves[moves.length - 1] + 1}.`
        : "The start.",
    );
    this.draw();
    if (!this.position.outcome) this.search(current);
  }

  /** Solve the position: first the score, then every move, then the line. @param {() => boolean} current */
  async search(current) {
    const question = { game: this.tree.game, moves: this.tree.moves(), seconds: SECONDS, line: true };
    try {
      for await (const truth of engine.solving(question, this.abort.signal)) {
        if (!current()) return;
        this.truth = truth;
        this.draw();
      }
    } catch (error) {
      if (error.name === "AbortError" || !current()) return;
      this.problem = error.message;
      this.draw();
      return;
    }
    if (this.options.evaluation) announce(verdict(this.position, this.truth));
  }

  /** Write the line and the current ply to the address, and the variations to the history state. */
  address(text, ply) {
    if (this.alone) return;
    const hash = `#/analyse/${this.tree.game}/${text}${ply}`;
    setAddress(this.side, hash, { analysis: this.tree.saved(), names: this.names });
  }

  draw() {
    this.drawBoard();
    this.bar.show(this.position, this.truth, this.options.evaluation);
    this.shownSide.draw();
  }

  drawBoard() {
    const position = this.position;
    const marks = {
      last: this.last,
      labels: labelsOf(this.options.evaluation ? this.truth : null),
      threats: this.options.threats ? position.threats : [],
      ghosts: this.preview,
      hints: [],
    };
    this.board.show(position, marks, !position.outcome && !this.tools.editing);
  }

  drawSide() {
    const shown = this.options.evaluation;
    const { current } = this.tree;
    const step = (id, text, key, says, enabled) => button(id, text, () => this.go(id), { key, says, enabled });
    this.drawJudged();
    this.tools.show();
    fill(
      this.side,
      h(
        "h2",
        {},
        this.position.game.title,
        this.names.length ? h("small", {}, ` ${this.names.join(" against ")}`) : null,
      ),
      h(
        "div",
        { class: "actions steps" },
        step("first", "«", "Home", "To the start", current.parent !== null),
        step("back", "‹", "←", "One move back", current.parent !== null),
        step("forward", "›", "→", "One move forward", current.children.length > 0),
        step("last", "»", "End", "To the end", current.children.length > 0),
      ),
      h(
        "div",
        { class: "actions" },
        button("evaluation", "Evaluation", () => this.toggle("evaluation"), { key: "E", pressed: shown }),
        button("threats", "Threats", () => this.toggle("threats"), { key: "T", pressed: this.options.threats }),
        !this.alone &&
          h(
            "a",
            { class: "button", id: "practise", href: `#/play/from/${this.tree.game}/${this.position.text}` },
            "Play from here",
          ),
      ),
      this.judged,
      this.tree.view((node) => this.select(node)),
      this.graph(),
      !this.alone && this.tools.element,
    );
  }

  /**
   * The evaluation. Its box keeps its height while the next position is solved, so that the layout does not jump.
   */
  drawJudged() {
    const { truth, position, judged } = this;
    const shown = this.options.evaluation;
    const solving = shown && !truth && !position.outcome && !this.problem;
    judged.style.minHeight = solving && judged.isConnected ? `${judged.offsetHeight}px` : "";
    fill(
      judged,
      h(
        "p",
        { class: "status", id: "truth" },
        shown || position.outcome
          ? this.problem
            ? ""
            : verdict(position, truth)
          : `${letter(position.to_move)} to move. The evaluation is hidden.`,
      ),
      this.problem ? h("p", { class: "problem" }, this.problem) : null,
      shown && truth && truth.why ? h("p", { class: "why" }, truth.why) : null,
      shown && truth && truth.line.length ? this.line(truth) : null,
      this.options.threats ? h("p", { class: "note", id: "threat-words" }, this.threatWords()) : null,
    );
  }

  /** The threats that the board shows, in words. */
  threatWords() {
    const { threats, game } = this.position;
    const name = (cell) =>
      game.gravity
        ? `column ${(cell % game.columns) + 1}, row ${game.rows - Math.floor(cell / game.columns)}`
        : `cell ${cell + 1}`;
    const sentences = threats.map((cells, player) =>
      cells.length ? `${letter(player)} would complete a line in ${cells.map(name).join("; ")}.` : "",
    );
    return sentences.filter(Boolean).join(" ") || "No player threatens to complete a line.";
  }

  /** The best line; pointing at it, or focusing it, shows it on the board. */
  line(truth) {
    const cells = truth.line_cells;
    const preview = (count) => {
      this.preview = cells
        .slice(0, count)
        .map((cell, index) => ({ cell, player: (this.position.to_move + index) % 2, number: index + 1 }));
      this.drawBoard();
    };
    const items = truth.line.map((move, index) =>
      h(
        "button",
        {
          type: "button",
          id: `line-${index}`,
          class: `step player${(this.position.to_move + index) % 2}`,
          onpointerenter: () => preview(index + 1),
          onpointerleave: () => preview(0),
          onfocus: () => preview(index + 1),
          onblur: () => preview(0),
          onclick: () => this.follow(truth.line.slice(0, index + 1)),
          "aria-label": `Best line, move ${index + 1}: ${move + 1}`,
        },
        String(move + 1),
      ),
    );
    const group = { class: "line", role: "group", "aria-label": "Best line" };
    return roving(h("div", group, h("span", {}, "Best line"), ...items));
  }

  follow(moves) {
    return this.queue.add(async () => {
      const { tree } = this;
      for (const move of moves) await tree.add(move);
      this.refresh();
    });
  }

  graph() {
    const reviewed = this.review && this.review.key === this.tree.key() ? this.review : null;
    const empty = this.tree.mainline().length === 0;
    const check = button("review", reviewed ? "Checking every move …" : "Check every move", () => this.check(), {
      key: "C",
      enabled: !empty && !reviewed,
    });
    if (!reviewed || !reviewed.found) return h("div", { class: "actions" }, check);
    const enabled = this.mistakes().length > 0;
    const next = button("next-mistake", "Next mistake", () => this.nextMistake(), { key: "M", enabled });
    return accuracyGraph(reviewed.found, this.tree, (index) => this.select(this.tree.nodeAt(index)), next);
  }

  mistakes() {
    return this.review && this.review.key === this.tree.key() && this.review.found
      ? this.review.found.moves.filter((one) => one.mistake)
      : [];
  }

  /** Grade every move of the main line. */
  async check() {
    const key = this.tree.key();
    if (this.review && this.review.key === key) return this.review.done;
    if (!this.tree.mainline().length) return;
    this.review = { key, found: null, done: this.judge(key) };
    this.draw();
    await this.review.done;
  }

  /** Request the review of the main line. @param {string} key the line's */
  async judge(key) {
    let [found, problem] = [null, ""];
    try {
      found = await engine.review({ game: this.tree.game, moves: this.tree.mainline(), seconds: 15 });
    } catch (error) {
      problem = error.message;
    }
    if (this.closed || !this.review || this.review.key !== key) return; // another line is being checked
    this.review = found && { ...this.review, found };
    if (problem) banner(problem);
    const count = this.mistakes().length;
    if (found) announce(count === 1 ? "One mistake was found." : `${count || "No"} mistakes were found.`);
    this.draw();
  }

  /** Go to the position of the next mistake. */
  async nextMistake() {
    await this.check();
    await this.queue.add(() => {
      const mistakes = this.mistakes();
      const next = mistakes.find((one) => one.index > this.tree.depth()) || mistakes[0];
      if (!next) return;
      this.tree.select(this.tree.nodeAt(next.index));
      this.refresh();
    });
  }

  /** @param {number} move */
  play(move) {
    return this.follow([move]);
  }

  /** @param {string} where */
  go(where) {
    return this.queue.add(() => void (this.tree.go(where) && this.refresh()));
  }

  select(node) {
    return this.queue.add(() => {
      this.tree.select(node);
      this.refresh();
    });
  }

  toggle(option) {
    this.options[option] = !this.options[option];
    remember({ analysis: this.options });
    this.draw();
    const message =
      option === "threats"
        ? this.options.threats
          ? this.threatWords()
          : "Threats are hidden."
        : this.options.evaluation
          ? verdict(this.position, this.truth)
          : "The evaluation is hidden.";
    announce(message);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.position) return false;
    const move = this.tools.editing ? null : moveOfKey(event, this.position.game.moves);
    if (move !== null) this.play(move);
    const actions = {
      ArrowLeft: () => this.go("back"),
      ArrowRight: () => this.go("forward"),
      Home: () => this.go("first"),
      End: () => this.go("last"),
      u: () => this.go("back"),
      e: () => this.toggle("evaluation"),
      t: () => this.toggle("threats"),
      m: () => this.nextMistake(),
      c: () => this.check(),
      l: () => this.tools.copy(),
      s: () => this.tools.saveRecord(),
    };
    return move !== null || act(actions, event);
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["↑ ↓, Enter", "choose a move on the board, and play it"],
    ["← →", "one move back, one forward"],
    ["Home, End", "to the start, to the end"],
    ["E", "show or hide the evaluation"],
    ["T", "show or hide threats"],
    ["C", "check every move of the match"],
    ["M", "go to the next mistake"],
    ["L", "copy a link to this position"],
    ["S", "save the match"],
  ];
}
