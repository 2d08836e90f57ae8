// Puzzles: find the only winning move. Missed ones return after 1, 3, 7 and 21 days, together with your own mistakes.

import { announce, banner, button, download, fill, h, letter, moveOfKey } from "./dom.js";
import { engine } from "./engine.js";
import { Latest } from "./reactive.js";
import { Board } from "./board.js";
import { labelsOf } from "./evaluation.js";
import { dueCards, mistakeCards, repeated, solvedCount, streak } from "./cards.js";
import { play as playSound } from "./sounds.js";
import { forgetful, recall, remember } from "./state.js";

const LEVELS = ["Win in 2", "Win in 3", "Win in 4–5", "Win in 6–8", "Longer"];
const MINE = 0; // the level with the player's own mistakes

/** @param {HTMLElement} view @param {string[]} path */
export function puzzlesPage(view, path) {
  const page = new Puzzles(view);
  return { page, opened: page.open() };
}

class Puzzles {
  /** @param {HTMLElement} view */
  constructor(view) {
    this.board = new Board((move) => this.answer(move));
    this.panel = h("section", { class: "panel", "aria-label": "Puzzle" });
    this.level = recall().puzzleLevel ?? 1;
    /** @type {any[]} */
    this.all = [];
    /** @type {any} the puzzle that is shown */
    this.puzzle = null;
    this.result = "";
    this.done = false;
    this.missed = false;
    this.latest = new Latest();
    view.replaceChildren(h("div", { class: "desk" }, h("div", { class: "stage" }, this.board.element), this.panel));
  }

  async open() {
    this.all = await engine.puzzles();
    await this.next();
  }

  close() {
    this.latest.close();
  }

  /** The puzzles of the chosen level: the ones to repeat first, then new ones. */
  choose() {
    const pool = this.level === MINE ? mistakeCards() : this.all.filter((one) => one.level === this.level);
    const due = dueCards(pool);
    const rest = due.length > 1 && this.puzzle ? due.filter((one) => one !== this.puzzle) : due;
    return rest[0] || null;
  }

  next() {
    return this.turn().catch((error) => banner(error.message));
  }

  async turn() {
    const puzzle = this.choose();
    const current = this.latest.ask();
    const position = puzzle ? await engine.positionOf(puzzle.game || "connect4", puzzle.moves) : null;
    if (!current()) return;
    this.current = current;
    this.puzzle = puzzle;
    this.position = position;
    this.result = "";
    this.done = this.missed = false;
    this.labels = {};
    this.draw();
    if (this.position) announce(this.task());
    this.board.focus();
  }

  task() {
    const { puzzle, position } = this;
    const side = `${letter(position.to_move)} to move.`;
    if (puzzle.words) return `${side} You gave this one away. Find a move that keeps it.`;
    return `${side} Only one move wins${puzzle.length ? ` (in ${puzzle.length} moves)` : ""}. Find it.`;
  }

  draw() {
    const { position, puzzle } = this;
    if (position) this.board.show(position, { labels: this.labels }, !this.done);
    const level = (index, text) =>
      button(`level-${index}`, text, () => this.setLevel(index), { pressed: this.level === index });
    const counts = {
      solved: solvedCount(),
      due: dueCards(
        this.all.filter((one) => one.level === this.level),
        true,
      ).length,
    };
    fill(
      this.panel,
      h("h2", {}, "Puzzles"),
      h(
        "div",
        { class: "puzzle-levels", role: "group", "aria-label": "Difficulty" },
        ...LEVELS.map((text, index) => level(index + 1, text)),
        mistakeCards().length ? level(MINE, "Your mistakes") : null,
      ),
      puzzle
        ? h("p", { class: "status", id: "task" }, this.task())
        : h("p", { class: "status" }, "No puzzle is due at this level. Come back tomorrow, or choose another level."),
      this.result
        ? h("p", { class: this.done && !this.missed ? "good" : "problem", role: "status", id: "result" }, this.result)
        : null,
      h(
        "div",
        { class: "actions big" },
        this.done ? button("next", "Next puzzle", () => this.next(), { key: "N", kind: "primary" }) : null,
        puzzle && !this.done ? button("show", "Show the answer", () => this.give(), { key: "V" }) : null,
        puzzle && this.done
          ? h("a", { class: "button", href: `#/analyse/${position.game.name}/${position.text}` }, "Analyse")
          : null,
      ),
      h(
        "div",
        { class: "tiles" },
        tile(counts.solved, "solved"),
        tile(streak(), "in a row"),
        tile(counts.due, "to repeat"),
      ),
      forgetful()
        ? h("p", { class: "note" }, "This browser does not store data, so your progress is lost when you leave.")
        : null,
      h(
        "details",
        {},
        h("summary", {}, "Export"),
        h("p", { class: "note" }, "All puzzles of this level, as a file that Anki imports (tab-separated) or as CSV."),
        h(
          "div",
          { class: "actions" },
          button("anki", "Save for Anki", () => this.save("\t")),
          button("csv", "Save as CSV", () => this.save(",")),
        ),
      ),
    );
  }

  /** @param {number} level */
  setLevel(level) {
    this.level = level;
    remember({ puzzleLevel: level });
    this.next();
  }

  /** @param {number} move */
  answer(move) {
    const { puzzle } = this;
    if (!puzzle || this.done) return;
    const right = [puzzle.answer].flat().includes(move);
    playSound(right ? "win" : "loss");
    if (right) this.finish(`Yes: ${move + 1}.`);
    else {
      if (!this.missed) repeated(puzzle, false);
      this.missed = true;
      this.result = `${move + 1} ${puzzle.words ? "does not keep it" : "does not win"}. Try again.`;
      announce(this.result);
      this.draw();
    }
  }

  give() {
    if (!this.missed) repeated(this.puzzle, false);
    this.missed = true;
    this.finish(
      `The answer is ${[this.puzzle.answer]
        .flat()
        .map((move) => move + 1)
        .join(" or ")}.`,
    );
  }

  /** @param {string} words */
  async finish(words) {
    if (!this.missed) repeated(this.puzzle, true);
    this.done = true;
    this.result = words;
    announce(words);
    const { current, position } = this;
    this.draw();
    document.getElementById("next").focus();
    try {
      const truth = await engine.solve({ game: position.game.name, moves: position.moves, seconds: 5 });
      if (!current()) return;
      this.labels = labelsOf(truth);
      this.board.show(position, { labels: this.labels }, false);
    } catch {
      // the values are an extra
    }
  }

  /** @param {string} separator */
  save(separator) {
    const pool = this.level === MINE ? mistakeCards() : this.all.filter((one) => one.level === this.level);
    const answer = (one) =>
      [one.answer]
        .flat()
        .map((move) => move + 1)
        .join(" or ");
    const question = (one) => `${one.game || "connect4"} ${one.moves.map((move) => move + 1).join(" ")}`;
    const rows = pool.map((one) => `${question(one)}${separator}${answer(one)}`);
    const head = separator === "," ? ["position,answer"] : ["#separator:tab", "#columns:Position\tAnswer"];
    download(
      separator === "," ? "inarow-puzzles.csv" : "inarow-puzzles.txt",
      [...head, ...rows, ""].join("\n"),
      "text/plain",
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = this.position ? moveOfKey(event, this.position.game.moves) : null;
    if (move !== null) this.answer(move);
    else if (event.key.toLowerCase() === "v" && this.puzzle && !this.done) this.give();
    else if (event.key.toLowerCase() === "n" && this.done) this.next();
    else return false;
    return true;
  }

  keys = [
    ["1 – 9", "answer"],
    ["V", "show the answer"],
    ["N", "next puzzle"],
  ];
}

const tile = (number, text) => h("div", {}, h("span", { class: "big-number" }, String(number)), h("small", {}, text));
