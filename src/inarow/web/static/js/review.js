// Review of a match: the position of each mistake of a person, with the answer hidden until a move is tried.

import { act, announce, button, fill, h, letter, moveOfKey } from "./dom.js";
import { engine } from "./engine.js";
import { Latest } from "./reactive.js";
import { keepMistake } from "./cards.js";

/**
 * @param {import("./board.js").Board} board @param {HTMLElement} panel
 * @param {Api.SessionInfo} state the finished session
 * @param {() => void} done
 */
export function startReview(board, panel, state, done) {
  const review = new Review(board, panel, state, done);
  review.load();
  return review;
}

class Review {
  /**
   * @param {import("./board.js").Board} board @param {HTMLElement} panel @param {Api.SessionInfo} state
   * @param {() => void} done
   */
  constructor(board, panel, state, done) {
    this.board = board;
    this.panel = panel;
    this.state = state;
    this.done = done;
    /** @type {any[] | null} */
    this.mistakes = null;
    this.unknown = 0;
    this.at = 0;
    this.result = "";
    this.solved = false;
    this.latest = new Latest();
    this.abort = new AbortController();
    this.ownMove = board.onMove;
    board.onMove = (move) => this.try(move);
  }

  close() {
    this.latest.close();
    this.abort.abort();
    this.board.onMove = this.ownMove;
  }

  leave() {
    this.close();
    this.done();
  }

  async load() {
    this.show(h("p", { class: "note" }, "Looking for mistakes …"));
    const { position, opening, seats } = this.state;
    try {
      const found = await engine.review(
        { game: position.game.name, moves: position.moves, first: opening.length, seconds: 10 },
        this.abort.signal,
      );
      const people = seats.map((seat) => seat.person);
      this.mistakes = found.moves.filter((one) => one.mistake && (people[one.player] || !people.includes(true)));
      this.unknown = found.moves.filter((one) => !one.solved).length;
      for (const one of this.mistakes) {
        const before = position.moves.slice(0, one.index);
        if (people[one.player])
          keepMistake({ game: position.game.name, moves: before, answer: one.best, words: one.words });
      }
      await this.draw();
    } catch (error) {
      if (error.name !== "AbortError") this.show(h("p", { class: "problem" }, error.message));
    }
  }

  show(...content) {
    const back = button("back", "Back to the match", () => this.leave(), { key: "Esc" });
    fill(this.panel, h("h2", {}, "Review mistakes"), ...content, h("div", { class: "actions" }, back));
  }

  /** Draw the current page, or the error if that fails. */
  async draw() {
    try {
      await this.drawMistake();
    } catch (error) {
      if (!this.abort.signal.aborted) this.show(h("p", { class: "problem" }, error.message));
    }
  }

  async drawMistake() {
    const unknown = this.unknown ? `${this.unknown} early moves were not solved in time and are omitted.` : "";
    if (!this.mistakes.length) {
      this.show(
        h("p", { class: "status" }, "No mistakes: no move gave away a win or a draw."),
        unknown ? h("p", { class: "note" }, unknown) : null,
      );
      announce("No mistakes were found.");
      return;
    }
    const one = this.mistakes[this.at];
    const current = this.latest.ask();
    const position = await engine.positionOf(
      this.state.position.game.name,
      this.state.position.moves.slice(0, one.index),
    );
    if (!current()) return; // another mistake, or the match, is shown now
    const [had, got] = one.words.split(" became ");
    const played = `Move ${one.index + 1}: ${letter(one.player)} played ${one.move + 1}`;
    const task = `${played}, and a ${had} became a ${got}. Find a better move.`;
    this.board.show(
      position,
      { hints: this.solved ? one.best : [], labels: { [one.move]: { text: "?", kind: "loss", title: "the mistake" } } },
      true,
    );
    this.show(
      h("p", { class: "status" }, `Mistake ${this.at + 1} of ${this.mistakes.length}`),
      h("p", {}, task),
      h("p", { class: this.solved ? "good" : "problem", role: "status" }, this.result),
      h(
        "div",
        { class: "actions" },
        button("answer", "Show the answer", () => this.answer(), { key: "V", enabled: !this.solved }),
        button("previous", "Previous", () => this.go(-1), { key: "←", enabled: this.at > 0 }),
        button("next", "Next", () => this.go(1), { key: "→", enabled: this.at + 1 < this.mistakes.length }),
        h("a", { class: "button", href: `#/play/from/${position.game.name}/${position.text}` }, "Play from here"),
      ),
      unknown ? h("p", { class: "note" }, unknown) : null,
    );
  }

  try(move) {
    const one = this.mistakes && this.mistakes[this.at];
    if (!one) return;
    const had = one.words.split(" became ")[0];
    this.solved = one.best.includes(move);
    this.result = this.solved
      ? `Yes: ${move + 1} keeps the ${had.split(" ")[0]}.`
      : move === one.move
        ? "That was the mistake. Try another move."
        : `${move + 1} does not keep it. Try again.`;
    announce(this.result);
    this.draw();
  }

  answer() {
    const one = this.mistakes && this.mistakes[this.at];
    if (!one) return;
    this.solved = true;
    this.result = `Better: ${one.best.map((move) => move + 1).join(" or ")}.`;
    announce(this.result);
    this.draw();
  }

  go(step) {
    const to = this.at + step;
    if (!this.mistakes || to < 0 || to >= this.mistakes.length) return;
    this.at = to;
    this.solved = false;
    this.result = "";
    this.draw();
  }

  key(event) {
    const move = moveOfKey(event);
    if (move !== null) this.try(move);
    const actions = {
      Escape: () => this.leave(),
      v: () => this.answer(),
      ArrowLeft: () => this.go(-1),
      ArrowRight: () => this.go(1),
    };
    return move !== null || act(actions, event);
  }
}
