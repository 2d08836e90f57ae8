// Minds: several agents think about one position, live and side by side, next to the exact values.

import { act, announce, banner, button, carry, fill, h, letter, moveOfKey, setAddress } from "./dom.js";
import { engine } from "./engine.js";
import { Board } from "./board.js";
import { agentForm, gamePicker, positionField } from "./agents.js";
import { inMoves, label, labelsOf } from "./evaluation.js";
import { MindCard } from "./mind_card.js";
import { Latest, Part, Queue } from "./reactive.js";
import { recall, remember } from "./state.js";
import { valuesPicture } from "./values.js";

/** The default agents; T is the chosen time. */
const USUAL = ["minimax:seconds=T", "alphabeta:root=full,tt=on,seconds=T", "mcts:seconds=T", "qlearning", "ntuple"];
const TIMES = [1, 3, 8];
const MAX_AGENTS = 8;
const PAUSE = 150; // milliseconds that a position must last before agents think about it

/** @param {HTMLElement} view @param {string[]} path */
export function mindsPage(view, path) {
  const page = new Minds(view);
  return { page, opened: page.open(path[0] || "connect4", path[1] || "") };
}

class Minds {
  /** @param {HTMLElement} view */
  constructor(view) {
    const kept = recall().minds || {};
    this.specs = Array.isArray(kept.specs) && kept.specs.length ? kept.specs : USUAL;
    this.seconds = TIMES.includes(kept.seconds) ? kept.seconds : 3;
    this.board = new Board((move) => this.play(move), false);
    this.game = "connect4";
    /** @type {number[]} */
    this.moves = [];
    this.position = null;
    /** @type {number[]} moves that were taken back */
    this.undone = [];
    this.truth = null;
    this.marks = { ghosts: [], cells: [] };
    /** @type {import("./engine.js").Connection | null} while agents think */
    this.thinking = null;
    this.timer = 0;
    this.latest = new Latest();
    this.closed = false;
    this.waits = false; // to be seen, before it thinks
    this.turned = () => this.turn();
    document.addEventListener("visibilitychange", this.turned);
    /** @type {{game: string, element: HTMLElement} | null} made once per game, to keep typed text */
    this.tools = null;
    this.queue = new Queue();
    this.panel = h("section", { class: "panel", "aria-label": "Position" });
    this.shownPanel = new Part(
      this.panel,
      () => this.fillPanel(),
      () => this.board.focus(),
    );
    this.truthCard = h("section", { class: "panel mind truth", "aria-label": "The truth" });
    this.grid = h("div", { class: "minds-grid" });
    view.replaceChildren(
      h(
        "div",
        { class: "minds" },
        h("div", { class: "minds-top" }, h("div", { class: "stage" }, this.board.element), this.panel),
        this.grid,
      ),
    );
    this.deal();
  }

  async open(game, text) {
    try {
      const position = await engine.position({ game, text });
      this.game = position.game.name;
      this.moves = position.moves;
    } catch (error) {
      if (this.closed) return;
      if (error.status === 0) throw error;
      banner(`This link can't be opened: ${error.message}`);
      this.game = "connect4";
      this.moves = [];
    }
    await this.refresh();
    this.board.focus();
  }

  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.turned);
    this.latest.close();
    this.queue.close();
    this.stop();
  }

  /** End all thinking. */
  stop() {
    clearTimeout(this.timer);
    if (this.thinking) this.thinking.close();
    this.thinking = null;
  }

  /** Stop thinking while the page is hidden, and think again when it is seen. */
  turn() {
    if (document.hidden && this.thinking) {
      this.stop();
      this.waits = true;
    } else if (!document.hidden && this.waits) this.again();
  }

  /** A card for every agent. */
  deal() {
    this.cards = this.specs.map((spec, index) => {
      const real = spec.replace("seconds=T", `seconds=${this.seconds}`);
      return new MindCard(real, spec.split(":")[0], {
        ghosts: (cells) => this.preview(cells),
        cells: (cells) => this.frame(cells),
        remove: () => this.change(this.specs.filter((_, other) => other !== index)),
      });
    });
    this.grid.replaceChildren(this.truthCard, ...this.cards.map((card) => card.element));
  }

  change(specs) {
    this.specs = specs.length ? specs : USUAL;
    remember({ minds: { specs: this.specs, seconds: this.seconds } });
    this.stop(); // later messages would be for other cards
    this.deal();
    this.again();
  }

  /** Think about the same position again. */
  again() {
    return this.queue.add(() => this.refresh());
  }

  /** Show the position, and let the agents think about it. */
  async refresh() {
    if (this.closed) return;
    const current = this.latest.ask();
    this.stop();
    try {
      const position = await engine.positionOf(this.game, this.moves);
      if (!current()) return;
      this.position = position;
    } catch (error) {
      if (!current()) return;
      if (this.position) [this.game, this.moves, this.undone] = [this.position.game.name, this.position.moves, []];
      throw error;
    }
    setAddress(this.grid, `#/minds/${this.game}/${this.position.text}`);
    carry(this.game, this.position.text);
    this.truth = null;
    this.marks = { ghosts: [], cells: [] };
    for (const card of this.cards) card.reset(this.position);
    this.draw();
    if (!this.position.outcome) this.timer = setTimeout(() => this.think(current), PAUSE);
  }

  /** @param {() => boolean} current */
  think(current) {
    this.waits = document.hidden;
    if (this.waits) return;
    const question = { game: this.game, moves: this.moves, agents: this.cards.map((card) => card.spec) };
    const ended = (reason, done) => {
      if (!current() || done) return;
      banner(reason ? `Thinking ended: ${reason}.` : "The connection was lost. Choose “Think again” to continue.");
      this.thinking = null;
      this.shownPanel.draw();
    };
    this.thinking = engine.think(question, (frame) => current() && this.hear(frame), ended);
    this.shownPanel.draw();
  }

  hear(frame) {
    if (frame.mind) this.cards[frame.mind.agent].hear(frame.mind);
    if (frame.judgement) this.cards[frame.judgement.agent].judge(frame.judgement);
    if (frame.truth) {
      this.truth = frame.truth;
      this.drawTruth();
      this.drawBoard();
    }
    if (frame.problem && frame.agent !== null) this.cards[frame.agent].fail(frame.problem);
    else if (frame.problem) banner(frame.problem);
    if (frame.finished) {
      this.stop();
      this.shownPanel.draw();
      announce(this.summary());
    }
  }

  summary() {
    const judged = ({ judgement }) => (judgement ? (judgement.right ? ", right" : ", wrong") : "");
    const choices = this.cards
      .filter((card) => card.info)
      .map((card) => `${card.name} plays ${card.info.move + 1}${judged(card)}`);
    return `${choices.join("; ")}.`;
  }

  draw() {
    this.drawBoard();
    this.drawTruth();
    this.shownPanel.draw();
  }

  drawBoard() {
    this.board.show(this.position, { labels: labelsOf(this.truth), ...this.marks }, !this.position.outcome);
  }

  preview(cells) {
    this.marks = {
      ...this.marks,
      ghosts: cells.map((cell, index) => ({ cell, player: (this.position.to_move + index) % 2, number: index + 1 })),
    };
    this.drawBoard();
  }

  frame(cells) {
    this.marks = { ...this.marks, cells };
    this.drawBoard();
  }

  drawTruth() {
    const truth = this.truth;
    const over = this.position.outcome;
    const labels = {};
    const values = {};
    for (const [move, one] of Object.entries(truth ? truth.moves : {})) {
      labels[move] = label(one, false).text;
      if (one.verdict) values[move] = { win: 1, draw: 0, loss: -1 }[one.verdict];
    }
    const me = letter(this.position.to_move);
    const words = truth && truth.verdict ? `${me} to move: a ${truth.verdict}${inMoves(truth)}.` : "";
    fill(
      this.truthCard,
      h(
        "header",
        {},
        h("h2", {}, "The truth"),
        h(
          "span",
          { class: "badge" },
          over ? "over" : truth ? (truth.solved ? "exact" : "not solved in time") : "solving",
        ),
      ),
      truth ? valuesPicture(this.position, { values, labels, move: truth.best[0] }) : null,
      words ? h("p", { class: "facts" }, words) : null,
      truth && truth.why ? h("p", { class: "why" }, truth.why) : null,
      truth && !truth.solved ? h("p", { class: "note" }, "Not every move could be solved in time.") : null,
    );
  }

  fillPanel() {
    const position = this.position;
    if (!this.tools || this.tools.game !== this.game) this.tools = { game: this.game, element: this.makeTools() };
    const says = position.outcome
      ? { first: "X has won.", second: "O has won.", draw: "The game is a draw." }[position.outcome]
      : `${letter(position.to_move)} to move.`;
    fill(
      this.panel,
      h("h2", {}, position.game.title),
      h(
        "p",
        { class: "status", id: "says" },
        says,
        " ",
        position.outcome ? "" : this.thinking ? "The agents are thinking …" : "",
      ),
      h(
        "p",
        { class: "note" },
        "Play on the board and see how each agent values every move: upward bars are good for the side to move. ",
        "A disc grows with the simulations of its move.",
      ),
      h(
        "div",
        { class: "actions" },
        button("back", "Back", () => this.back(), { key: "←", enabled: this.moves.length > 0 }),
        button("forward", "Forward", () => this.forward(), { key: "→", enabled: this.undone.length > 0 }),
        button("again", "Think again", () => this.again(), { key: "T" }),
        button("stop", "Stop", () => this.halt(), { key: "S", enabled: this.thinking !== null }),
      ),
      this.time(),
      this.tools.element,
    );
  }

  time() {
    const select = h(
      "select",
      { id: "seconds" },
      ...TIMES.map((seconds) => h("option", { value: String(seconds) }, `${seconds} s`)),
    );
    select.value = String(this.seconds);
    select.addEventListener("change", () => {
      this.seconds = Number(select.value);
      this.change(this.specs);
    });
    return h("label", { class: "inline" }, h("span", {}, "Each search thinks for"), select);
  }

  makeTools() {
    const games = gamePicker(this.game);
    games.changed((name) =>
      this.queue.add(async () => {
        this.game = (await engine.game(name)).name;
        await this.go([]);
        banner("");
      }),
    );
    const adding = h("div", {});
    return h(
      "details",
      { open: this.toolsOpen, ontoggle: (event) => this.opened(event.target.open, adding) },
      h("summary", {}, "Position and agents"),
      games.element,
      positionField(
        () => this.game,
        this.queue,
        (moves) => this.go(moves),
      ),
      adding,
    );
  }

  /** The form for another agent is made when it is first opened. */
  async opened(open, place) {
    this.toolsOpen = open;
    if (!open || place.firstChild) return;
    const form = agentForm(await engine.agents(), "greedy");
    const add = () =>
      this.specs.length < MAX_AGENTS
        ? this.change([...this.specs, form.spec()])
        : banner(`At most ${MAX_AGENTS} agents can be shown.`);
    place.replaceChildren(
      form.element,
      h(
        "div",
        { class: "actions" },
        button("add", "Add this agent", add),
        button("usual", "The usual five", () => this.change(USUAL)),
      ),
    );
  }

  /** Show another position. @param {number[]} moves @param {number[]} undone */
  go(moves, undone = []) {
    this.moves = moves;
    this.undone = undone;
    return this.refresh();
  }

  play(move) {
    return this.queue.add(() => this.position.landing[move] !== undefined && this.go([...this.moves, move]));
  }

  back() {
    return this.queue.add(
      () => this.moves.length && this.go(this.moves.slice(0, -1), [this.moves[this.moves.length - 1], ...this.undone]),
    );
  }

  forward() {
    return this.queue.add(() => this.undone.length && this.go([...this.moves, this.undone[0]], this.undone.slice(1)));
  }

  halt() {
    return this.queue.add(() => {
      this.stop();
      this.shownPanel.draw();
      announce("Stopped.");
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.position) return false;
    const move = moveOfKey(event, this.position.game.moves);
    if (move !== null) this.play(move);
    const actions = {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      u: () => this.back(),
      t: () => this.again(),
      s: () => this.halt(),
    };
    return move !== null || act(actions, event);
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["← →", "one move back, one forward"],
    ["T", "think again"],
    ["S", "stop thinking"],
  ];
}
