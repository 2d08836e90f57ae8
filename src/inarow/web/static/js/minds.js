// Minds: one position through several agents side by side, live, and the truth beside them.

import { announce, banner, carry, fill, h, keepFocus, letter, setAddress } from "./dom.js";
import { api, once, openSocket, positionOf } from "./api.js";
import { Board } from "./board.js";
import { agentForm, gamePicker } from "./agents.js";
import { label } from "./evaluation.js";
import { MindCard } from "./mind_card.js";
import { Queue } from "./queue.js";
import { recall, remember } from "./state.js";
import { valuesPicture } from "./values.js";

/** The agents that are shown at first; T is the time that is chosen. */
const USUAL = ["minimax:seconds=T", "alphabeta:root=full,table=on,seconds=T", "mcts:seconds=T", "qlearning", "ntuple"];
const TIMES = [1, 3, 8];
const MOST = 8;
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
    /** @type {WebSocket | null} */
    this.socket = null;
    this.timer = 0;
    this.asked = 0;
    this.closed = false;
    /** @type {{game: string, element: HTMLElement} | null} made once for a game, so that what is being typed stays */
    this.tools = null;
    this.queue = new Queue();
    this.panel = h("section", { class: "panel", "aria-label": "Position" });
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
      const position = await api.post("position", { game, text });
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
    this.asked++;
    this.queue.close();
    this.stop();
  }

  /** End all thinking. */
  stop() {
    clearTimeout(this.timer);
    if (this.socket) {
      this.socket.onclose = this.socket.onmessage = null;
      this.socket.close();
    }
    this.socket = null;
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
    this.stop(); // what is still said is for other cards
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
    const turn = ++this.asked;
    this.stop();
    try {
      const position = await positionOf(this.game, this.moves);
      if (turn !== this.asked) return;
      this.position = position;
    } catch (error) {
      if (turn !== this.asked) return;
      if (this.position) [this.game, this.moves, this.undone] = [this.position.game.name, this.position.moves, []];
      throw error;
    }
    setAddress(this.grid, `#/minds/${this.game}/${this.position.text}`);
    carry(this.game, this.position.text);
    this.truth = null;
    this.marks = { ghosts: [], cells: [] };
    for (const card of this.cards) card.reset(this.position);
    this.draw();
    if (!this.position.outcome) this.timer = setTimeout(() => this.think(turn), PAUSE);
  }

  think(turn) {
    const socket = openSocket("minds/live");
    this.socket = socket;
    socket.onopen = () =>
      socket.send(JSON.stringify({ game: this.game, moves: this.moves, agents: this.cards.map((card) => card.spec) }));
    socket.onmessage = (event) => turn === this.asked && this.hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (turn !== this.asked || event.code === 1000) return;
      banner(
        event.reason
          ? `Thinking ended: ${event.reason}.`
          : "The connection is lost. Play a move, or open the page again, to think on.",
      );
      this.socket = null;
      this.drawPanel();
    };
    this.drawPanel();
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
      this.drawPanel();
      announce(this.summary());
    }
  }

  summary() {
    const said = this.cards
      .filter((card) => card.info)
      .map(
        (card) =>
          `${card.name} plays ${card.info.move + 1}${card.judgement ? (card.judgement.right ? ", right" : ", wrong") : ""}`,
      );
    return `${said.join("; ")}.`;
  }

  draw() {
    this.drawBoard();
    this.drawTruth();
    this.drawPanel();
  }

  drawBoard() {
    const labels = {};
    if (this.truth)
      for (const [move, one] of Object.entries(this.truth.moves))
        labels[move] = label(one, this.truth.best.includes(Number(move)));
    this.board.show(
      this.position,
      { labels, ghosts: this.marks.ghosts, cells: this.marks.cells },
      !this.position.outcome,
    );
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
    const words =
      truth && truth.verdict
        ? `${me} to move: a ${truth.words || truth.verdict}.`
        : "";
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

  drawPanel() {
    keepFocus(
      this.panel,
      () => this.fillPanel(),
      () => this.board.focus(),
    );
  }

  fillPanel() {
    const position = this.position;
    if (!this.tools || this.tools.game !== this.game) this.tools = { game: this.game, element: this.makeTools() };
    const button = (id, text, key, action, enabled = true) =>
      h("button", { type: "button", id, disabled: !enabled, onclick: action }, text, h("kbd", {}, key));
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
        position.outcome ? "" : this.socket ? "The agents are thinking …" : "",
      ),
      h(
        "p",
        { class: "note" },
        "Play on the board, and see how each agent judges every move: bars up are good for the side to move. A disc grows with the simulations of its move.",
      ),
      h(
        "div",
        { class: "actions" },
        button("back", "Back", "←", () => this.back(), this.moves.length > 0),
        button("forward", "Forward", "→", () => this.forward(), this.undone.length > 0),
        button("again", "Think again", "T", () => this.again()),
        button("stop", "Stop", "S", () => this.halt(), this.socket !== null),
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
    const text = h("input", {
      type: "text",
      id: "paste",
      placeholder: "4455",
      "aria-label": "Moves or a board to open",
      spellcheck: "false",
      autocomplete: "off",
    });
    const open = (event) => {
      event.preventDefault();
      this.queue.add(async () => {
        const position = await api.post("position", { game: this.game, text: text.value });
        if (!position.moves) throw new Error("No order of moves leads to this position.");
        await this.go(position.moves);
        banner("");
      });
    };
    const games = gamePicker(this.game);
    games.changed((name) =>
      this.queue.add(async () => {
        this.game = (await api.get(`games/${encodeURIComponent(name)}`)).name;
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
      h("form", { class: "row", onsubmit: open }, text, h("button", { type: "submit" }, "Open")),
      adding,
    );
  }

  /** The form for another agent is made when it is first looked at. */
  async opened(open, place) {
    this.toolsOpen = open;
    if (!open || place.firstChild) return;
    const form = agentForm(await once("agents"), "greedy");
    const add = () =>
      this.specs.length < MOST
        ? this.change([...this.specs, form.spec()])
        : banner(`At most ${MOST} agents can be shown.`);
    place.replaceChildren(
      form.element,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", id: "add", onclick: add }, "Add this agent"),
        h("button", { type: "button", id: "usual", onclick: () => this.change(USUAL) }, "The usual five"),
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
      this.drawPanel();
      announce("Stopped.");
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const number = Number(event.key);
    if (!this.position) return false;
    if (number >= 1 && number <= 9 && number <= this.position.game.moves) {
      this.play(number - 1);
      return true;
    }
    const actions = {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      u: () => this.back(),
      t: () => this.again(),
      s: () => this.halt(),
    };
    const action = actions[event.key] || actions[event.key.toLowerCase()];
    if (!action) return false;
    action();
    return true;
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["← →", "one move back, one forward"],
    ["T", "think again"],
    ["S", "stop thinking"],
  ];
}
