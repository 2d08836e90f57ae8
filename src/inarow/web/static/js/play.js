// Play: a session on the server, drawn here.

import { announce, banner, carry, confirmed, download, fill, h, hideBanner, keepFocus, letter } from "./dom.js";
import { api, follow } from "./api.js";
import { Board } from "./board.js";
import { called, changes, failed, hinted, noted, status } from "./match_words.js";
import { moveList } from "./movelist.js";
import { Queue } from "./queue.js";
import { recall, remember } from "./state.js";
import { speedSlider } from "./pace.js";
import { startReview } from "./review.js";
import { SetupForm } from "./setup.js";

/** @param {HTMLElement} view @param {string[]} path */
export function playPage(view, path) {
  const page = new Play(view);
  return { page, opened: page.open(path[0] || recall().session) };
}

const GONE = "Your match is no longer on the server. Start a new one.";
const LOST = "The connection is lost; trying again …";

class Play {
  /** @param {HTMLElement} view */
  constructor(view) {
    /** @type {any} the session as the server last described it */
    this.state = null;
    /** @type {{close: () => void} | null} */
    this.connection = null;
    /** @type {any} */
    this.review = null;
    /** @type {{ply: number} | null} the move that the server has not answered yet */
    this.sent = null;
    this.closed = false;
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
        if (this.closed) return;
        if (error.status === 0) throw error;
        remember({ session: null });
        banner(GONE);
      }
    }
    await this.choose();
  }

  close() {
    this.closed = true;
    this.queue.close();
    this.leave();
  }

  /** What comes late for the match or the form that is shown is dropped. */
  leave() {
    if (this.form) this.form.close();
    if (this.connection) this.connection.close();
    if (this.review) this.review.close();
  }

  /** The form for a new session. @param {string} [back] the session that is left, and can be gone back to */
  async choose(back) {
    this.leave();
    this.connection = this.review = this.state = null;
    this.form = new SetupForm((position) => this.board.show(position), async (setup) => this.take(await api.post("sessions", setup)), back ? () => this.open(back) : null);
    this.panel.replaceChildren(this.form.element);
    await this.form.build();
    this.form.submit.focus();
  }

  /** Show a session and follow it. @param {any} state */
  take(state) {
    remember({ session: state.id });
    if (this.closed) return;
    if (this.form) this.form.close();
    banner("");
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
      banner(LOST);
    } else if (problem === "gone") {
      remember({ session: null });
      banner(GONE);
      this.choose().catch((error) => banner(error.message));
    } else if (this.lost) {
      this.lost = false;
      hideBanner(LOST);
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
    announce(changes(before, state));
  }

  draw() {
    const state = this.state;
    const last = state.played.length ? state.played[state.played.length - 1].cell : null;
    const hints = state.hint ? [state.hint.move] : [];
    this.board.show(state.position, { last, hints }, state.awaits_person);
    this.drawPanel();
  }

  drawPanel() {
    keepFocus(this.panel, () => this.state && !this.review && this.fillPanel(), () => this.board.focus());
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
      h("p", { class: over ? "status over" : "status" }, status(state)),
      state.failure ? h("p", { class: "problem" }, failed(state)) : null,
      state.failure && state.paused && !over ? h("div", { class: "actions big" }, button("retry", "Try again", "P", () => this.set({ paused: false }))) : null,
      noted(state) ? h("p", { class: "note" }, noted(state)) : null,
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
        over ? null : button("new", "New match", "N", () => this.newMatch()),
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
      h("span", { class: "who" }, called(state, seat)),
      state.matches > 1 || state.number > 1 ? h("span", { class: "points", title: "matches won" }, String(state.score[seat.participant]), h("span", { class: "hidden" }, " matches won")) : null,
    );
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
    this.sent = null; // a move after it is not a second click
    await this.ask(() => api.post(`sessions/${this.state.id}/${name}`));
  }

  /** Begin a new match, after a question if one is under way. */
  newMatch() {
    if (this.state.ending || !this.state.played.length) this.command("new");
    else confirmed(this.panel.parentElement, "This match is not over. Abandon it?", "Keep playing", "New match", () => this.state && this.command("new"));
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
    if (this.sent && this.sent.ply === position.ply) return; // a second click
    const mine = (this.sent = { ply: position.ply });
    await this.ask(() => api.post(`sessions/${id}/move`, { move, ply: position.ply }));
    if (this.sent === mine) this.sent = null;
  }

  /** Send commands one after the other. @param {() => Promise<any>} request */
  async ask(request) {
    await this.queue.add(() => this.answer(request));
  }

  /** @param {() => Promise<any>} request */
  async answer(request) {
    if (!this.state) return;
    const { id } = this.state;
    const left = () => this.closed || !this.state || this.state.id !== id;
    try {
      const state = await request();
      if (left()) return;
      this.update(state);
      banner("");
    } catch (error) {
      if (left()) return;
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
      if (!this.closed) banner(error.message);
    }
  }

  learn() {
    const state = this.state;
    this.review = startReview(this.board, this.panel, state, () => {
      this.review = null;
      this.draw();
    });
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
      n: () => this.newMatch(),
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
