// Strategies: open a certificate, play against it, see the source of each answer, and learn it by cards.

import { announce, banner, button, fill, h, letter, moveOfKey } from "./dom.js";
import { asset } from "./assets.js";
import { engine } from "./engine.js";
import { Latest } from "./reactive.js";
import { Board } from "./board.js";
import { dueCards, repeated } from "./cards.js";
import { readCertificate } from "./certificate.js";
import { play as playSound } from "./sounds.js";

const SHIPPED = "certificates/connect4.json";
const WHY = {
  wins: "It completes a line.",
  blocks: "It must block.",
  known: "This answer is in the certificate.",
  rule: "A rule has closed the position: no more answers are needed.",
};

/** @param {HTMLElement} view @param {string[]} path */
export function strategyPage(view, path) {
  const page = new StrategyPage(view);
  return { page, opened: page.open() };
}

class StrategyPage {
  /** @param {HTMLElement} view */
  constructor(view) {
    this.board = new Board((move) => this.made(move));
    this.panel = h("section", { class: "panel", "aria-label": "Strategy" });
    /** @type {ReturnType<typeof readCertificate>} */
    this.strategies = [];
    this.chosen = 0;
    this.name = "";
    /** @type {number[]} */
    this.moves = [];
    this.says = "";
    this.learning = false;
    /** @type {import("./certificate.js").Card | null} */
    this.card = null;
    this.missed = this.done = false;
    this.latest = new Latest();
    /** @type {Api.PositionInfo | null} */
    this.position = null;
    this.file = h("input", { type: "file", id: "certificate", "aria-label": "Open a certificate" });
    this.file.addEventListener("change", () => this.load(this.file.files[0]));
    view.replaceChildren(h("div", { class: "desk" }, h("div", { class: "stage" }, this.board.element), this.panel));
  }

  async open() {
    this.position = await engine.positionOf("connect4", []);
    this.draw();
  }

  close() {
    this.latest.close();
  }

  get strategy() {
    return this.strategies[this.chosen];
  }

  /** @param {File} file */
  async load(file) {
    if (file) await this.read(() => file.text(), file.name);
  }

  /** Open the certificate of Connect 4, which is among the page's files. */
  shipped() {
    return this.read(async () => new TextDecoder().decode(await asset(SHIPPED)), "Connect 4");
  }

  /** @param {() => Promise<string>} text @param {string} name */
  async read(text, name) {
    try {
      this.strategies = readCertificate(await text());
      banner("");
    } catch (error) {
      banner(error.message);
      return;
    }
    this.name = name;
    this.choose(0);
  }

  /** Show a claim's strategy from its start. @param {number} index */
  choose(index) {
    this.chosen = index;
    this.learning = false;
    return this.restart();
  }

  restart() {
    this.card = null;
    return this.go(this.strategy.opening, "");
  }

  /**
   * Go to a position; where the strategy's player is to move, it answers. @param {number[]} moves @param {string} says
   */
  async go(moves, says) {
    const { strategy } = this;
    const current = this.latest.ask();
    let position = await engine.positionOf(strategy.game, moves);
    if (!this.learning && !position.outcome && strategy.turn(moves)) {
      const answer = strategy.answer(moves);
      if (answer) {
        says = `${letter(strategy.player)} plays ${answer.move + 1}. ${WHY[answer.why]}`;
        moves = [...moves, answer.move];
        position = await engine.positionOf(strategy.game, moves);
      } else says = "The strategy has no answer here: it never reaches this position.";
    }
    if (!current()) return;
    this.moves = moves;
    this.position = position;
    this.says = says;
    if (says) announce(says);
    this.draw();
  }

  /** @param {number} move */
  made(move) {
    if (this.learning) this.guess(move);
    else if (this.strategy) this.go([...this.moves, move], "");
  }

  back() {
    const { opening } = this.strategy;
    const least = opening.length + (this.strategy.turn(opening) ? 1 : 0);
    if (this.moves.length - 2 >= least) this.go(this.moves.slice(0, -2), "");
    else this.restart();
  }

  // Cards.

  learn() {
    this.learning = true;
    return this.next();
  }

  next() {
    const due = dueCards(this.strategy.cards).filter((one) => one !== this.card);
    this.card = due[0] || null;
    this.missed = this.done = false;
    if (this.card) return this.go(this.card.moves, "");
    this.says = "No card is due. Come back tomorrow.";
    return this.draw();
  }

  /** @param {number} move */
  guess(move) {
    if (!this.card || this.done) return;
    const right = move === this.card.answer;
    playSound(right ? "win" : "loss");
    if (right) this.finish(`Yes: ${move + 1}.`);
    else {
      if (!this.missed) repeated(this.card, false);
      this.missed = true;
      this.says = `${move + 1} is not the strategy's answer. Try again.`;
      announce(this.says);
      this.draw();
    }
  }

  give() {
    if (!this.missed) repeated(this.card, false);
    this.missed = true;
    this.finish(`The answer is ${this.card.answer + 1}.`);
  }

  /** @param {string} says */
  finish(says) {
    if (!this.missed) repeated(this.card, true);
    this.done = true;
    this.says = says;
    announce(says);
    this.draw();
    document.getElementById("next").focus();
  }

  draw() {
    const { position, strategy } = this;
    const active = Boolean(strategy) && !position.outcome && !(this.learning && (this.done || !this.card));
    this.board.show(position, {}, active);
    fill(this.panel, h("h2", {}, "Strategy"), ...this.opening(), ...(strategy ? this.shown() : []));
  }

  /** An explanation of certificates, and a button to open one. */
  opening() {
    const { strategy } = this;
    const label = h("label", {}, "Open a certificate", this.file);
    if (strategy) return [label];
    return [
      h(
        "p",
        {},
        "A certificate is a complete strategy: one answer to every reply, until a stated rule decides the rest. ",
        h("code", {}, "inarow solve 6x4x4 --certificate FILE"),
        " writes one, ",
        h("code", {}, "inarow verify FILE"),
        " checks it. Open it here to play against it and to learn it.",
      ),
      label,
      h(
        "div",
        { class: "actions" },
        button("shipped", "Open the certificate of Connect 4: X wins", () => this.shipped()),
      ),
    ];
  }

  shown() {
    const { strategy } = this;
    const side = (one) => `${letter(one.player)} ${one.win ? "wins" : "at least draws"}`;
    return [
      h(
        "p",
        { class: "note", id: "claim" },
        `${this.name}: ${side(strategy)} on ${strategy.game}. ` +
          `${strategy.cards.length.toLocaleString("en")} answers to learn, ` +
          `${strategy.closed.size.toLocaleString("en")} positions closed by a rule.`,
      ),
      this.strategies.length > 1
        ? h(
            "div",
            { class: "actions", role: "group", "aria-label": "Player" },
            ...this.strategies.map((one, index) =>
              button(`claim-${index}`, side(one), () => this.choose(index), { pressed: index === this.chosen }),
            ),
          )
        : null,
      h(
        "div",
        { class: "actions", role: "group", "aria-label": "What to do" },
        button("explore", "Play against it", () => this.explore(), { pressed: !this.learning }),
        button("learn", "Learn it by cards", () => this.learn(), { pressed: this.learning }),
      ),
      h("p", { class: "status", id: "task" }, this.task()),
      this.says ? h("p", { role: "status", id: "says" }, this.says) : null,
      this.ruleNote(),
      this.learning ? this.cardActions() : this.playActions(),
    ];
  }

  explore() {
    this.learning = false;
    return this.restart();
  }

  task() {
    const { strategy, position } = this;
    if (this.learning) return this.card ? `${letter(strategy.player)} to move: what does the strategy play?` : "";
    if (position.outcome) return `The match is over: ${position.outcome}.`;
    return `Play any move of ${letter(1 - strategy.player)}.`;
  }

  /** The rule that decides the rest, once there is one. */
  ruleNote() {
    const { strategy, moves } = this;
    if (this.learning || this.position.outcome) return null;
    for (let length = strategy.opening.length; length <= moves.length; length++) {
      const found = strategy.ruleOf(strategy.after(moves.slice(0, length)));
      if (!found) continue;
      const side = letter(strategy.player);
      const column = typeof found.rule === "number" ? found.rule : 0;
      const first = found.turned ? strategy.columns - 1 - column : column;
      const words =
        typeof found.rule === "number"
          ? `${side} follows up: it completes a line if it can, blocks if it must, else plays right above your stone` +
            `; where that is not good, in the next good column from ${first + 1} ${found.turned ? "leftwards" : "on"}.`
          : `${side} answers in pairs of cells: to one cell of a pair with the other.`;
      return h("p", { class: "good", id: "rule" }, `Closed after move ${length}. ${words}`);
    }
    return null;
  }

  playActions() {
    return h(
      "div",
      { class: "actions big" },
      button("back", "Take back", () => this.back(), { key: "B" }),
      button("restart", "Start again", () => this.restart(), { key: "R" }),
    );
  }

  cardActions() {
    return h(
      "div",
      { class: "actions big" },
      this.done ? button("next", "Next card", () => this.next(), { key: "N", kind: "primary" }) : null,
      this.card && !this.done ? button("show", "Show the answer", () => this.give(), { key: "V" }) : null,
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.strategy) return false;
    const move = moveOfKey(event, this.position.game.moves);
    const key = event.key.toLowerCase();
    if (move !== null && this.position.legal.includes(move)) this.made(move);
    else if (key === "n" && this.learning && this.done) this.next();
    else if (key === "v" && this.learning && this.card && !this.done) this.give();
    else if (key === "b" && !this.learning) this.back();
    else if (key === "r" && !this.learning) this.restart();
    else return false;
    return true;
  }

  keys = [
    ["1 – 9", "play a move, or answer a card"],
    ["B, R", "take back, start again"],
    ["V, N", "show the answer, next card"],
  ];
}
