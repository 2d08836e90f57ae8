// Play: a session on the server, drawn here.

import { announce, banner, carry, download, fill, h, keepFocus, letter } from "./dom.js";
import { api, follow } from "./api.js";
import { Board } from "./board.js";
import { moveList } from "./movelist.js";
import { Queue } from "./queue.js";
import { recall, remember } from "./state.js";
import { speedSlider } from "./pace.js";
import { startReview } from "./review.js";
import { SetupForm } from "./setup.js";

const hinted = (state) => `Hint: ${state.hint.why || state.hint.move + 1}.`;
const failed = (state) => `That failed (${state.failure}); try again.`;

/** @param {HTMLElement} view @param {string[]} path */
export async function playPage(view, path) {
  const page = new Play(view);
  await page.open(path[0] || recall().session);
  return page;
}

const GONE = "Your match is no longer on the server. Start a new one.";

class Play {
  /** @param {HTMLElement} view */
  constructor(view) {
    /** @type {any} the session as the server last described it */
    this.state = null;
    /** @type {{close: () => void} | null} */
    this.connection = null;
    /** @type {any} */
    this.review = null;
    /** @type {number | null} the ply of the move that the server has not answered yet */
    this.sent = null;
    this.queue = new Queue();
    /** @type {SetupForm | null} */
    this.form = null;
    this.lost = false;
    this.board = new Board((move) => this.move(move));
    this.speed = speedSlider((delay) => this.set({ delay }));
    this.panel = h("section", { class: "panel", "aria-label": "Match" });
    view.replaceChildren(h("div", { class: "desk" }, h("div", { class: "stage" }, this.board.element), this.panel));
  }

  /** Show a session of the server, or the form for a new one. @param {string | null} [id] */
  async open(id) {
    if (id) {
      try {
        this.take(await api.get(`sessions/${encodeURIComponent(id)}`));
        return;
      } catch (error) {
        if (error.status === 0) throw error;
        remember({ session: null });
        banner(GONE);
      }
    }
    await this.choose();
  }

  close() {
    if (this.form) this.form.close();
    if (this.connection) this.connection.close();
    if (this.review) this.review.close();
  }

  /** The form for a new session. @param {string} [back] the session that is left, and can be gone back to */
  async choose(back) {
    this.close();
    this.connection = this.review = this.state = null;
    this.form = new SetupForm((position) => this.board.show(position), async (setup) => this.take(await api.post("sessions", setup)), back ? () => this.open(back) : null);
    this.panel.replaceChildren(this.form.element);
    await this.form.build();
    this.form.submit.focus();
  }

  /** Show a session and follow it. @param {any} state */
  take(state) {
    banner("");
    remember({ session: state.id });
    this.state = this.sent = null;
    this.update(state);
    if (this.connection) this.connection.close();
    this.connection = follow(`sessions/${state.id}/live`, (next) => this.update(next), (problem) => this.connected(problem));
    this.board.focus();
  }

  /** @param {string} problem lost, gone, or nothing */
  connected(problem) {
    if (problem === "lost") {
      this.lost = true;
      banner("The connection is lost; trying again …");
    } else if (problem === "gone") {
      remember({ session: null });
      banner(GONE);
      this.choose().catch((error) => banner(error.message));
    } else if (this.lost) {
      this.lost = false;
      banner("");
    }
  }

  /** @param {any} state */
  update(state) {
    if (this.state && this.state.id === state.id && state.version < this.state.version) return;
    const before = this.state;
    this.state = state;
    if (this.review && (!before || before.ending === null || state.ending === null)) {
      this.review.close();
      this.review = null;
    }
    if (!this.review) this.draw();
    carry(state.position.game.name, state.position.text);
    this.tell(before, state);
  }

  draw() {
    const state = this.state;
    const last = state.played.length ? state.played[state.played.length - 1].cell : null;
    const hints = state.hint ? [state.hint.move] : [];
    this.board.show(state.position, { last, hints }, state.awaits_person);
    this.drawPanel();
  }

  drawPanel() {
    keepFocus(() => this.fillPanel(), () => this.board.focus());
  }

  fillPanel() {
    const state = this.state;
    const button = (id, label, key, action, enabled = true) =>
      h("button", { type: "button", id, disabled: !enabled, onclick: () => action(), "aria-keyshortcuts": key || null }, label, key ? h("kbd", {}, key) : null);
    const over = state.ending !== null;
    const people = state.seats.some((seat) => seat.person);
    const series = state.matches > 1 || state.number > 1;
    fill(
      this.panel,
      h("h2", {}, state.position.game.title, series ? h("small", {}, ` match ${state.number} of ${Math.max(state.matches, state.number)}${state.score[2] ? `, ${state.score[2]} drawn` : ""}`) : null),
      h("ul", { class: "players" }, ...state.seats.map((seat, player) => this.seat(seat, player))),
      h("p", { class: over ? "status over" : "status" }, this.status()),
      state.failure ? h("p", { class: "problem" }, failed(state)) : null,
      state.failure && state.paused && !over ? h("div", { class: "actions big" }, button("retry", "Try again", "P", () => this.set({ paused: false }))) : null,
      state.hint ? h("p", { class: "note" }, hinted(state)) : null,
      over && people
        ? h("div", { class: "actions big" }, button("again", "Play again", "N", () => this.command("new")), button("learn", "Review mistakes", "R", () => this.learn()))
        : over
          ? h("div", { class: "actions big" }, button("again", "Play again", "N", () => this.command("new")))
          : null,
      state.watched && !state.series_over ? this.pace() : null,
      h(
        "div",
        { class: "actions" },
        button("undo", "Undo", "U", () => this.command("undo"), state.can_undo),
        button("redo", "Redo", "Y", () => this.command("redo"), state.can_redo),
        people ? button("hint", state.hinting ? "Thinking …" : "Hint", "H", () => this.command("hint"), state.awaits_person && !state.hinting) : null,
        over ? null : button("new", "New match", "N", () => this.command("new")),
        button("setup", "Change players", "", () => this.choose(state.id)),
        h("a", { class: "button", id: "analyse", href: `#/analyse/${state.position.game.name}/${state.position.text}` }, "Analyse", h("kbd", {}, "A")),
        button("save", "Save", "S", () => this.save(), state.played.length > 0),
      ),
      moveList(state),
    );
  }

  seat(seat, player) {
    const state = this.state;
    const turn = state.ending === null && state.position.to_move === player;
    return h(
      "li",
      { class: turn ? "turn" : "" },
      h("span", { class: `disc player${player}`, "aria-hidden": "true" }, letter(player)),
      h("span", { class: "who" }, this.called(seat)),
      state.matches > 1 || state.number > 1 ? h("span", { class: "points", title: "matches won" }, String(state.score[seat.participant]), h("span", { class: "hidden" }, " matches won")) : null,
    );
  }

  /** Whether one person plays, and not two or none. */
  get alone() {
    return this.state.seats.filter((seat) => seat.person).length === 1;
  }

  /** What a participant is called. @param {{person: boolean, name: string, participant: number}} seat */
  called(seat) {
    if (!seat.person || seat.name !== "human") return seat.name;
    return this.alone ? "You" : `Player ${["one", "two"][seat.participant]}`;
  }

  status() {
    const state = this.state;
    if (state.ending) {
      const winner = state.ending.winner;
      if (winner !== null && this.alone) return state.seats[winner].person ? "You win." : `${state.seats[winner].name} wins.`;
      return state.ending.text;
    }
    const seat = state.seats[state.position.to_move];
    if (state.paused && !state.failure) return "Paused.";
    if (state.thinking !== null) return `${state.seats[state.thinking].name} is thinking …`;
    if (seat.person && !this.alone) return `${this.called(seat)} (${letter(state.position.to_move)}) is to move.`;
    return seat.person ? `Your move (${letter(state.position.to_move)}).` : `${seat.name} is to move.`;
  }

  pace() {
    const state = this.state;
    this.speed.show(state.delay);
    return h(
      "div",
      { class: "pace" },
      h("button", { type: "button", id: "pause", onclick: () => this.pause() }, state.paused ? "Go on" : "Pause", h("kbd", {}, "P")),
      this.speed.element,
    );
  }

  async command(name) {
    await this.ask(() => api.post(`sessions/${this.state.id}/${name}`));
  }

  async set(pace) {
    await this.ask(() => api.put(`sessions/${this.state.id}/pace`, pace));
  }

  /** Pause or go on: the opposite of what the answer to the command before says. */
  async pause() {
    await this.ask(() => api.put(`sessions/${this.state.id}/pace`, { paused: !this.state.paused }));
  }

  async move(move) {
    const { id, position } = this.state;
    if (this.sent === position.ply) return; // a second click
    this.sent = position.ply;
    await this.ask(() => api.post(`sessions/${id}/move`, { move, ply: position.ply }));
    if (this.sent === position.ply) this.sent = null;
  }

  /** Send commands one after the other. @param {() => Promise<any>} request */
  async ask(request) {
    await this.queue.add(() => this.answer(request));
  }

  /** @param {() => Promise<any>} request */
  async answer(request) {
    try {
      if (!this.state) return;
      const { id } = this.state;
      const state = await request();
      if (!this.state || this.state.id !== id) return; // the match was left meanwhile
      this.update(state);
      banner("");
    } catch (error) {
      if (error.status === 404) this.connected("gone");
      else {
        banner(error.message);
        announce(error.message);
      }
    }
  }

  async save() {
    try {
      download("inarow-match.txt", await api.get(`sessions/${this.state.id}/record`));
    } catch (error) {
      banner(error.message);
    }
  }

  learn() {
    const state = this.state;
    this.review = startReview(this.board, this.panel, state, () => {
      this.review = null;
      this.draw();
    });
  }

  /** The score of a series in words. */
  scores() {
    const state = this.state;
    if (state.matches <= 1 && state.number <= 1) return "";
    return `Matches won: ${state.seats.map((seat) => `${this.called(seat)} ${state.score[seat.participant]}`).join(", ")}.`;
  }

  /** Say what happened to a screen reader. */
  tell(before, state) {
    if (!before || before.id !== state.id || before.version === state.version) return;
    const words = [];
    const fresh = state.number !== before.number;
    const shorter = state.played.length < before.played.length;
    if (fresh || (shorter && !state.can_redo)) words.push(`New match: ${state.seats.map((seat, player) => `${letter(player)} is ${this.called(seat)}`).join(", ")}.`);
    else if (shorter) words.push(`Taken back to move ${state.position.ply}.`);
    if (state.paused !== before.paused && !state.failure && !state.ending) words.push(state.paused ? "Paused." : "Going on.");
    for (const one of state.played.slice(fresh ? 0 : before.played.length)) {
      const seat = state.seats[one.player];
      words.push(`${this.called(seat)} played ${one.move + 1}.`);
    }
    if (state.ending && (fresh || !before.ending)) words.push(this.status(), this.scores());
    else if (state.awaits_person && words.length) words.push(this.status());
    if (state.hint && !before.hint) words.push(hinted(state));
    if (state.failure && !before.failure) words.push(failed(state));
    announce(words.join(" "));
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was used */
  key(event) {
    if (this.review) return this.review.key(event);
    const state = this.state;
    if (!state && event.key === "Escape" && this.form && this.form.onBack) {
      this.form.onBack();
      return true;
    }
    if (!state) return false;
    const key = event.key.toLowerCase();
    const number = Number(event.key);
    if (number >= 1 && number <= 9 && number <= state.position.game.moves) {
      if (state.awaits_person) this.move(number - 1);
      return true;
    }
    const actions = {
      u: () => this.command("undo"),
      y: () => this.command("redo"),
      h: () => this.command("hint"),
      n: () => this.command("new"),
      p: () => (state.watched || state.paused) && this.pause(),
      s: () => this.save(),
      r: () => state.ending && this.learn(),
      a: () => (location.hash = `#/analyse/${state.position.game.name}/${state.position.text}`),
    };
    if (!actions[key]) return false;
    actions[key]();
    return true;
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["← → Enter", "choose a move on the board"],
    ["U, Y", "undo, redo"],
    ["H", "hint"],
    ["N", "new match"],
    ["P", "pause or go on, when agents play"],
    ["R", "review your mistakes, after the end"],
    ["A", "analyse this position"],
    ["S", "save the match"],
  ];
}
