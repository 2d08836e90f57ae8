// Play: a match and its form, drawn here.

import {
  act,
  announce,
  banner,
  button,
  carry,
  confirmed,
  download,
  fill,
  h,
  hideBanner,
  letter,
  moveOfKey,
  setAddress,
} from "./dom.js";
import { engine } from "./engine.js";
import { Board } from "./board.js";
import { called, changes, failed, hinted, noted, status } from "./match_words.js";
import { Part, Queue } from "./reactive.js";
import { recall, remember } from "./state.js";
import { speedSlider } from "./pace.js";
import { startReview } from "./review.js";
import { scoresheet } from "./scoresheet.js";
import { SetupForm } from "./setup.js";
import { play as playSound } from "./sounds.js";

/**
 * `#/play/ID` is a match, `#/play/ID/o` a shared one for a guest who moves O, `#/play/from/GAME/MOVES` a position to
 * play from, and `#/play/start/SETUP` begins a match at once.
 * @param {HTMLElement} view @param {string[]} path
 */
export function playPage(view, path) {
  const page = new Play(view);
  const [id, seat] = path;
  if (id === "from") return { page, opened: page.playFrom(path[1] || "connect4", path[2] || "") };
  if (id === "start") return { page, opened: page.start(seat || "") };
  page.seat = seat === "x" || seat === "o" ? "xo".indexOf(seat) : null;
  return { page, opened: page.open(id || recall().session) };
}

const GONE = "This match no longer exists. Start a new one.";
const RESUMED = "The server lost this match; it was resumed from the moves that this page has.";
const LOST = "Connection lost; reconnecting …";

class Play {
  /** @param {HTMLElement} view */
  constructor(view) {
    /** @type {Api.SessionInfo | null} the match as the engine last described it */
    this.state = null;
    /** @type {{close: () => void} | null} */
    this.connection = null;
    /** @type {any} */
    this.review = null;
    /** @type {{ply: number, move: number} | null} the move that the engine has not answered yet */
    this.sent = null;
    /** @type {number | null} number of moves on the board while an earlier position is shown */
    this.shown = null;
    /** @type {number | null} the seat of this page, if the other is a guest's */
    this.seat = null;
    this.closed = false;
    this.queue = new Queue();
    /** @type {SetupForm | null} */
    this.form = null;
    this.lost = false;
    this.board = new Board((move) => this.move(move));
    this.speed = speedSlider((delay) => this.set({ delay }));
    this.panel = h("section", { class: "panel", "aria-label": "Match" });
    this.shownPanel = new Part(
      this.panel,
      () => this.state && !this.review && this.fillPanel(),
      () => this.board.focus(),
    );
    view.replaceChildren(h("div", { class: "desk" }, h("div", { class: "stage" }, this.board.element), this.panel));
  }

  /** Show a match, or the form for a new one. @param {string | null} [id] */
  async open(id) {
    if (id) {
      try {
        this.take(await engine.match(id));
        return;
      } catch (error) {
        if (this.closed) return;
        if (error.status === 0) throw error;
        const kept = recall().match;
        if (kept && kept.id === id && (await this.resume(kept))) return;
        remember({ session: null });
        banner(GONE);
      }
    }
    await this.choose();
  }

  /** Begin a match at once. @param {string} setup as JSON */
  async start(setup) {
    try {
      this.take(await engine.startMatch(JSON.parse(setup)));
    } catch (error) {
      if (this.closed) return;
      banner(`This link can't be opened: ${error.message}`);
      await this.choose();
    }
  }

  /** The form for a match that begins with a position. @param {string} game @param {string} text */
  async playFrom(game, text) {
    let from = null;
    try {
      const position = await engine.position({ game, text });
      from = { game: position.game.name, moves: position.moves || [] };
    } catch (error) {
      if (this.closed || error.status === 0) throw error;
      banner(`This link can't be opened: ${error.message}`);
    }
    await this.choose(undefined, from);
  }

  /**
   * Restart a match that was lost, by a reload or by the server, from the players and moves that this page knows.
   * @param {Api.SessionInfo} state
   */
  async resume(state) {
    const moves = state.played.map((one) => one.move);
    try {
      this.take(await engine.startMatch({ ...setupOf(state), opening: state.opening, moves }));
    } catch {
      return false;
    }
    if (state.shared) banner(RESUMED);
    return true;
  }

  close() {
    this.closed = true;
    this.queue.close();
    this.leave();
  }

  /** Drops answers that arrive too late for the match or form shown. */
  leave() {
    if (this.form) this.form.close();
    if (this.connection) this.connection.close();
    if (this.review) this.review.close();
  }

  /** The form for a new session. @param {string} [back] the session to return to */
  async choose(back, from = null) {
    this.leave();
    this.connection = this.review = this.state = this.shown = null;
    const start = async (setup) => {
      this.seat = null;
      this.take(await engine.startMatch(setup));
      if (back) engine.endMatch(back);
    };
    this.form = new SetupForm(
      (position) => this.board.show(position),
      start,
      back ? () => this.open(back) : null,
      from,
    );
    this.panel.replaceChildren(this.form.element);
    await this.form.build();
    this.form.submit.focus({ preventScroll: true });
  }

  /** Show a session and follow it. @param {Api.SessionInfo} state */
  take(state) {
    remember({ session: state.id });
    if (this.closed) return;
    if (this.form) this.form.close();
    banner("");
    this.state = this.sent = this.shown = null;
    setAddress(this.panel, `#/play/${state.id}${this.seat === null ? "" : `/${"xo"[this.seat]}`}`);
    this.update(state);
    if (this.connection) this.connection.close();
    this.connection = engine.followMatch(
      state.id,
      (next) => this.update(next),
      (problem) => this.connected(problem),
    );
    this.board.focus();
  }

  /** @param {string} problem lost, gone, or nothing */
  connected(problem) {
    if (problem === "lost") {
      this.lost = true;
      banner(LOST);
    } else if (problem === "gone") {
      this.recover().catch((error) => banner(error.message));
    } else if (this.lost) {
      this.lost = false;
      hideBanner(LOST);
    }
  }

  /** The server no longer knows the match. */
  async recover() {
    if (this.state && (await this.resume(this.state))) return;
    remember({ session: null });
    banner(GONE);
    await this.choose();
  }

  /** @param {Api.SessionInfo} state */
  update(state) {
    if (this.state && this.state.id === state.id && state.version < this.state.version) return;
    const before = this.state;
    this.state = state;
    if (this.sent && state.position.ply !== this.sent.ply) this.sent = null;
    if (before && before.played.length !== state.played.length) this.shown = null;
    remember({ match: state });
    this.sound(before);
    if (this.review && (!before || before.ending === null || state.ending === null)) {
      this.review.close();
      this.review = null;
    }
    if (!this.review) this.draw();
    carry(state.position.game.name, state.position.text);
    announce(changes(before, state));
  }

  /** Play the sounds for the changes since a state. @param {Api.SessionInfo} before */
  sound(before) {
    const { state } = this;
    if (!before || before.id !== state.id || state.position.ply <= before.position.ply) return;
    const { ending } = state;
    const people = state.seats.filter((seat) => seat.person).length;
    if (!ending) playSound("move");
    else if (ending.winner === null) playSound("draw");
    else playSound(people === 1 && !state.seats[ending.winner].person ? "loss" : "win");
  }

  /** Return true if it is this page's turn. */
  get mine() {
    const { awaits_person: awaits, position } = this.state;
    return awaits && this.shown === null && !this.sent && (this.seat === null || this.seat === position.to_move);
  }

  draw() {
    if (this.shown !== null) this.drawEarlier();
    else {
      const { state } = this;
      const last = state.played.length ? state.played[state.played.length - 1].cell : null;
      this.board.show(state.position, { last, hints: state.hint ? [state.hint.move] : [] }, this.mine);
    }
    this.shownPanel.draw();
  }

  /** Drop the own stone immediately; the engine's answer confirms it. @param {number} move */
  foresee(move) {
    const { position } = this.state;
    const cell = position.landing[move];
    const { columns } = position.game;
    const rows = position.rows.map((row, at) => {
      const column = cell - at * columns;
      return column >= 0 && column < columns
        ? row.slice(0, column) + letter(position.to_move) + row.slice(column + 1)
        : row;
    });
    this.board.show({ ...position, rows, landing: {}, to_move: 1 - position.to_move }, { last: cell }, false);
  }

  async drawEarlier() {
    const { state, shown } = this;
    const moves = state.position.moves.slice(0, shown);
    const game = state.position.game.name;
    const [position, before] = await Promise.all([
      engine.positionOf(game, moves),
      engine.positionOf(game, moves.slice(0, -1)),
    ]);
    if (this.shown !== shown || this.state !== state || this.review) return;
    this.board.show(position, { last: moves.length ? before.landing[moves[moves.length - 1]] : null }, false);
  }

  /** Show the position after some moves. @param {number} ply */
  look(ply) {
    const { ply: last } = this.state.position;
    const wanted = Math.max(0, Math.min(last, ply));
    this.shown = wanted === last ? null : wanted;
    this.draw();
    announce(this.shown === null ? status(this.state) : `Position after ${wanted} of ${last} moves.`);
  }

  fillPanel() {
    const state = this.state;
    const over = state.ending !== null;
    const people = state.seats.filter((seat) => seat.person).length;
    const series = state.matches > 1 || state.number > 1;
    const drawn = state.score[2] ? `, ${state.score[2]} drawn` : "";
    const shown = this.shown ?? state.position.ply;
    fill(
      this.panel,
      h(
        "h2",
        {},
        state.position.game.title,
        series ? h("small", {}, ` match ${state.number} of ${Math.max(state.matches, state.number)}${drawn}`) : null,
      ),
      state.mode ? h("p", { class: "note", id: "mode" }, state.mode) : null,
      h("ul", { class: "players" }, ...state.seats.map((seat, player) => this.seatRow(seat, player))),
      h("p", { class: over ? "status over" : "status" }, status(state, this.seat)),
      state.failure ? h("p", { class: "problem" }, failed(state)) : null,
      state.failure && state.paused && !over
        ? h(
            "div",
            { class: "actions big" },
            button("retry", "Try again", () => this.set({ paused: false }), { key: "P", kind: "primary" }),
          )
        : null,
      noted(state) ? h("p", { class: "note" }, noted(state)) : null,
      state.hint ? h("p", { class: "note" }, hinted(state)) : null,
      over
        ? h(
            "div",
            { class: "actions big" },
            button("again", people ? "Rematch" : "Play again", () => this.command("new"), {
              key: "N",
              kind: "primary",
            }),
            people ? button("learn", "Review", () => this.learn(), { key: "R" }) : null,
            people && !series && !state.shared ? button("swap", "Swap sides", () => this.swap(), { key: "W" }) : null,
          )
        : null,
      state.watched && !state.series_over ? this.pace() : null,
      scoresheet(state, shown, (ply) => this.look(ply)),
      state.position.ply ? this.steps(shown) : null,
      h(
        "div",
        { class: "actions" },
        button("undo", "Take back", () => this.command("undo"), { key: "U", enabled: state.can_undo }),
        button("redo", "Redo", () => this.command("redo"), { key: "Y", enabled: state.can_redo }),
        people
          ? button("hint", state.hinting ? "Thinking …" : "Hint", () => this.command("hint"), {
              key: "H",
              enabled: this.mine && !state.hinting,
            })
          : null,
        h(
          "a",
          { class: "button", id: "analyse", href: this.analyseAddress, title: "Analyse this position (A)" },
          "Analyse",
        ),
        over ? null : button("new", "New match", () => this.newMatch(), { key: "N" }),
        button("setup", "Change players", () => this.choose(state.id)),
        people === 2 && this.seat === null ? button("invite", "Invite a friend", () => this.invite()) : null,
        button("save", "Save", () => this.save(), { key: "S", enabled: state.played.length > 0 }),
        button("picture", "Picture", () => this.picture(), { key: "I" }),
      ),
    );
  }

  get analyseAddress() {
    const { position } = this.state;
    return `#/analyse/${position.game.name}/${position.text}${this.shown === null ? "" : `/${this.shown}`}`;
  }

  /** Buttons that step through the moves. @param {number} shown */
  steps(shown) {
    const { ply } = this.state.position;
    const step = (id, text, says, to, key = "") =>
      button(id, text, () => this.look(to), { says, key, enabled: to >= 0 && to <= ply && to !== shown });
    return h(
      "div",
      { class: "actions steps" },
      step("first", "«", "To the start", 0),
      step("earlier", "‹", "One move back", shown - 1, "["),
      step("later", "›", "One move forward", shown + 1, "]"),
      step("last", "»", "To the current position", ply),
    );
  }

  /** Start a match of the same players with sides swapped. */
  async swap() {
    const { state } = this;
    const setup = setupOf(state);
    try {
      this.take(await engine.startMatch({ ...setup, starts: setup.starts === "one" ? "two" : "one" }));
      engine.endMatch(state.id);
    } catch (error) {
      if (!this.closed) banner(error.message);
    }
  }

  /** Copy a link for a friend, who plays O; this page then moves X only. */
  async invite() {
    try {
      const state = this.state.shared ? this.state : await engine.share(this.state.id);
      if (this.closed) return;
      this.seat = 0;
      this.take(state);
    } catch (error) {
      if (!this.closed) banner(error.message);
      return;
    }
    const link = new URL(`#/play/${this.state.id}/o`, document.baseURI).href;
    try {
      await navigator.clipboard.writeText(link);
      banner("The link is copied. Whoever opens it plays O; you play X.");
    } catch {
      banner(`Send this link; whoever opens it plays O: ${link}`);
    }
  }

  seatRow(seat, player) {
    const state = this.state;
    const turn = state.ending === null && state.position.to_move === player;
    return h(
      "li",
      { class: turn ? "turn" : "" },
      h("span", { class: `disc player${player}`, "aria-hidden": "true" }, letter(player)),
      h("span", { class: "who" }, called(state, seat)),
      state.matches > 1 || state.number > 1
        ? h(
            "span",
            { class: "points", title: "matches won" },
            String(state.score[seat.participant]),
            h("span", { class: "hidden" }, " matches won"),
          )
        : null,
    );
  }

  pace() {
    const state = this.state;
    this.speed.show(state.delay);
    return h(
      "div",
      { class: "pace" },
      button("pause", state.paused ? "Go on" : "Pause", () => this.pause(), { key: "P" }),
      this.speed.element,
    );
  }

  async command(name) {
    this.sent = null; // a later move is not a second click
    await this.ask(() => engine.command(this.state.id, name));
  }

  /** Start a new match; during a match, ask first. */
  newMatch() {
    if (this.state.ending || !this.state.played.length) this.command("new");
    else
      confirmed(
        this.panel.parentElement,
        "This match is not over. Abandon it?",
        "Keep playing",
        "New match",
        () => this.state && this.command("new"),
      );
  }

  async set(pace) {
    await this.ask(() => engine.pace(this.state.id, pace));
  }

  /** Pause or continue: the opposite of the last answer. */
  async pause() {
    await this.ask(() => engine.pace(this.state.id, { paused: !this.state.paused }));
  }

  async move(move) {
    const { id, position } = this.state;
    if (!this.mine || position.landing[move] === undefined) return; // such as a second click
    const mine = (this.sent = { ply: position.ply, move });
    this.foresee(move);
    playSound("move");
    await this.ask(() => engine.move(id, move, position.ply));
    if (this.sent !== mine) return;
    this.sent = null; // refused
    if (!this.closed && this.state && !this.review) this.draw();
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

  /** Download the current board as SVG in the colours of the page. */
  async picture() {
    const theme =
      document.documentElement.dataset.theme ||
      (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    try {
      download("inarow-match.svg", await engine.picture(this.state.id, theme), "image/svg+xml");
    } catch (error) {
      if (!this.closed) banner(error.message);
    }
  }

  async save() {
    try {
      download("inarow-match.txt", await engine.saved(this.state.id));
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

  /** @param {KeyboardEvent} event @returns {boolean} true if the key was used */
  key(event) {
    if (this.review) return this.review.key(event);
    const state = this.state;
    if (!state && event.key === "Escape" && this.form && this.form.onBack) {
      this.form.onBack();
      return true;
    }
    if (!state) return false;
    const move = moveOfKey(event, state.position.game.moves);
    if (move !== null) this.move(move);
    const ply = this.shown ?? state.position.ply;
    const actions = {
      "[": () => this.look(ply - 1),
      "]": () => this.look(ply + 1),
      ArrowLeft: () => this.look(ply - 1),
      ArrowRight: () => this.look(ply + 1),
      Home: () => this.look(0),
      End: () => this.look(state.position.ply),
      w: () => state.ending && !state.shared && this.swap(),
      u: () => this.command("undo"),
      y: () => this.command("redo"),
      h: () => this.command("hint"),
      n: () => this.newMatch(),
      p: () => (state.watched || state.paused) && this.pause(),
      s: () => this.save(),
      i: () => this.picture(),
      r: () => state.ending && this.learn(),
      a: () => (location.hash = this.analyseAddress),
    };
    return move !== null || act(actions, event);
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["← → Enter", "choose a move on the board"],
    ["[ ]", "step back and forward through the moves"],
    ["U, Y", "take back, redo"],
    ["H", "hint"],
    ["N", "new match"],
    ["W", "swap sides, after the end"],
    ["P", "pause or continue, between agents"],
    ["R", "review your mistakes, after the end"],
    ["A", "analyse this position"],
    ["S", "save the match"],
    ["I", "save a picture of the board"],
  ];
}

/** The setup of a match with the same players. @param {Api.SessionInfo} state */
function setupOf(state) {
  const [one, two] = [...state.seats].sort((a, b) => a.participant - b.participant);
  const spec = (seat) => (seat.person ? "human" : seat.spec);
  return {
    game: state.position.game.name,
    one: spec(one),
    two: spec(two),
    starts: state.seats[0].participant === 0 ? "one" : "two",
    delay: state.delay,
    names: [one, two].map((seat) => (seat.person ? seat.name : "")),
    mode: state.mode,
  };
}
