// The front page: a position with its exact values, and links to the other pages.

import { banner, h, letter, moveOfKey } from "./dom.js";
import { engine } from "./engine.js";
import { Latest } from "./reactive.js";
import { Board } from "./board.js";
import { inMoves, labelsOf, verdict } from "./evaluation.js";

const START = [4, 5, 5, 3, 6, 3, 5, 5, 3, 3, 3, 1]; // one move wins, two draw, four lose sooner or later
const DOORS = [
  [
    "#/play",
    "Play",
    "Eight opponents, from random moves to perfect play, or a friend. Review your mistakes afterwards.",
  ],
  ["#/puzzles", "Solve puzzles", "Find the only winning move. Graded by depth, and repeated until you know them."],
  ["#/analyse", "Analyse", "The exact value of every move of any position, the best line, and the reason."],
  ["#/trees", "Watch agents think", "Step through minimax, alpha–beta and tree search, and watch Q-learning learn."],
];

/** @param {HTMLElement} view @param {string[]} path */
export function homePage(view, path) {
  const page = new Home(view);
  return { page, opened: page.show(START) };
}

class Home {
  /** @param {HTMLElement} view */
  constructor(view) {
    this.board = new Board((move) => this.play(move));
    /** @type {number[]} */
    this.moves = START;
    this.latest = new Latest();
    this.says = h("p", { class: "truth-line", role: "status" });
    const door = ([href, title, text]) => h("li", {}, h("a", { href }, h("b", {}, title), h("span", {}, text)));
    this.board.element.addEventListener("pointerover", (event) => this.point(event.target));
    this.board.element.addEventListener("focusin", (event) => this.point(event.target));
    view.replaceChildren(
      h(
        "div",
        { class: "home" },
        h(
          "section",
          { class: "hero" },
          h(
            "div",
            {},
            h("h1", {}, "Connect 4, with the exact value of every move"),
            h(
              "p",
              { class: "lead" },
              "Play the classic algorithms, watch them think, and let a perfect solver show what each move is worth.",
            ),
            h(
              "div",
              { class: "actions" },
              h("a", { class: "button primary", href: "#/play" }, "Play a match"),
              h("a", { class: "button", href: "#/analyse" }, "Analyse a position"),
            ),
          ),
          h("div", {}, this.board.element, this.says),
        ),
        h("ul", { class: "doors", "aria-label": "What you can do here" }, ...DOORS.map(door)),
        h(
          "p",
          { class: "note" },
          "Or learn ",
          h("a", { href: "#/strategy" }, "a proven strategy"),
          " with flash cards.",
        ),
      ),
    );
  }

  /** @param {number} move */
  play(move) {
    this.show([...this.moves, move]).catch((error) => {
      this.moves = this.position.moves;
      banner(error.message);
    });
  }

  /** Show a position and the value of each move. @param {number[]} moves */
  async show(moves) {
    const current = this.latest.ask();
    this.moves = moves;
    this.truth = null;
    const [position, before] = await Promise.all([
      engine.positionOf("connect4", moves),
      engine.positionOf("connect4", moves.slice(0, -1)),
    ]);
    if (!current()) return;
    this.position = position;
    this.last = before.landing[moves[moves.length - 1]];
    this.draw();
    if (position.outcome) return;
    const truth = await engine.solve({ game: "connect4", moves, seconds: 5, line: false });
    if (!current()) return;
    this.truth = truth;
    this.draw();
  }

  draw() {
    this.board.show(this.position, { last: this.last, labels: labelsOf(this.truth) }, !this.position.outcome);
    this.says.textContent = verdict(this.position, this.truth);
  }

  /** Show the value of the move under the pointer, or with the focus. @param {any} target */
  point(target) {
    const button = target.closest && target.closest(".move");
    const one = button && this.truth && this.truth.moves[button.dataset.move];
    if (!one || !one.verdict) return;
    const column = Number(button.dataset.move) + 1;
    this.says.textContent = `Column ${column}: a ${one.verdict}${inMoves(one)} for ${letter(this.position.to_move)}.`;
  }

  close() {
    this.latest.close();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = moveOfKey(event);
    if (!this.position || move === null || this.position.landing[move] === undefined) return false;
    this.play(move);
    return true;
  }

  keys = [["1 – 7", "play in this column"]];
}
