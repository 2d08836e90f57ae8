// Matches of the local engine: seats, turns, undo, hints, the pace of agents and the score of a
// series; the same turn-taking as in Python's `play.session`.

import { counted, say } from "./words.js";
import { Position, refuse } from "./rules.js";
import { recordText } from "./records.js";

/**
 * An agent's decision; see Python's `Decision`.
 * @typedef {Object} Decision
 * @property {number} move @property {number | null} value @property {Record<string, number>} values
 * @property {Record<string, Record<string, number>>} by_move @property {number} nodes @property {number | null} depth
 * @property {number[]} line @property {number} seconds @property {Record<string, any>} details @property {string} note
 */
/**
 * An agent in one seat of one match.
 * @typedef {Object} Seat
 * @property {(position: Position, moves: number[]) => {found: Promise<Decision>, cancel: () => void}} ask
 * @property {() => void} leave
 */
/**
 * @typedef {Object} Setup
 * @property {import("./rules.js").Game} game @property {string[]} participants specs, or human
 * @property {string} starts @property {number} matches @property {number} delay @property {number} pause in seconds
 * @property {number[]} opening @property {number} seed @property {string} mode @property {string[]} names of people
 */
/** A move that was made. @typedef {{move: number, decision: Decision | null, seconds: number}} Played */
/** The interface of a session to the engine.
 * @typedef {Object} Host
 * @property {(spec: string, game: import("./rules.js").Game, seed: bigint, match: string) => Seat} seat
 * @property {(seed: number | bigint, ...names: (string | number)[]) => bigint} derive
 * @property {(seed: bigint, n: number) => number} below a random number below n
 * @property {(spec: string, game: import("./rules.js").Game) => string} label
 * @property {(position: Position, hint: Decision) => string} reason
 */

export const PERSON = "human";
/** @param {string} text */
export const isPerson = (text) => /^(human|person)$/i.test(text.trim());
export const ADVISER = "perfect:ties=centre,seconds=2";

/** Refuse a command that is not allowed now. @param {string} code
 * @param {Record<string, string>} [values] */
const notNow = (code, values = {}) => refuse(say("not_now", code, values), 409);

/** The effort of a decision, such as 20,000 simulations. @param {Decision} decision */
function effortOf(decision) {
  const { simulations } = decision.details;
  if (simulations) return counted(simulations, "simulation", "simulations");
  return decision.nodes ? counted(decision.nodes, "node", "nodes") : "";
}

/** A series of matches between two participants, one at a time. */
export class Session {
  /**
   * @param {string} id @param {Setup} setup @param {Host} host
   * @param {Played[][]} saved the moves of each match so far, the current one last @param {Played[]} [undone]
   */
  constructor(id, setup, host, saved, undone = []) {
    this.id = id;
    this.setup = setup;
    this.host = host;
    this.version = 0;
    this.paused = false;
    this.closed = false;
    /** @type {Set<(state: Api.SessionInfo | null) => void>} */
    this.watchers = new Set();
    /** @type {{winner: number | null, record: import("./records.js").Match}[]} */
    this.finished = [];
    /** @type {Played[][]} the moves of the matches that were begun before this one */
    this.earlier = [];
    this.asked = 0;
    /** @type {Record<number, Seat>} */
    this.seats = {};
    /** @type {{cancel: () => void, decision?: Decision, problem?: string} | null} the agent's pending decision */
    this.thought = null;
    /** @type {{cancel: () => void, seat: Seat} | null} */
    this.hinting = null;
    /** @type {Decision | null} */
    this.hint = null;
    /** @type {string | null} */
    this.failure = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    for (const moves of saved) this.begin(moves);
    this.undone = undone;
  }

  // State.

  get position() {
    return this.positions[this.positions.length - 1];
  }

  get watched() {
    return !this.setup.participants.includes(PERSON);
  }

  get seriesOver() {
    return this.ending !== null && this.finished.length >= this.setup.matches;
  }

  get awaitsPerson() {
    return !this.closed && this.ending === null && this.spec(this.position.toMove) === PERSON;
  }

  get moves() {
    return [...this.setup.opening, ...this.played.map((one) => one.move)];
  }

  /** The participant in a seat in this match. @param {number} player */
  index(player) {
    return player === 0 ? this.first : 1 - this.first;
  }

  /** @param {number} player */
  spec(player) {
    return this.setup.participants[this.index(player)];
  }

  /** The name to show; empty for a person without one. @param {number} player */
  name(player) {
    const spec = this.spec(player);
    return spec === PERSON ? this.setup.names[this.index(player)] || "" : this.host.label(spec, this.setup.game);
  }

  /** @returns {Api.SessionInfo} */
  get state() {
    const { setup, position, hint } = this;
    return {
      id: this.id,
      version: this.version,
      position: position.info(this.moves),
      opening: setup.opening,
      played: this.played.map(({ move, decision, seconds }, index) => ({
        move,
        cell: this.positions[index].cell(move),
        player: this.positions[index].toMove,
        value: decision ? decision.value : null,
        nodes: decision ? decision.nodes : 0,
        depth: decision ? decision.depth : null,
        seconds,
        effort: decision ? effortOf(decision) : "",
        note: decision ? decision.note : "",
      })),
      seats: [0, 1].map((player) => ({
        name: this.name(player),
        spec: this.spec(player),
        person: this.spec(player) === PERSON,
        participant: this.index(player),
      })),
      mode: setup.mode,
      number: this.finished.length + (this.ending === null ? 1 : 0),
      matches: setup.matches,
      score: [0, 1, null].map((who) => this.finished.filter((one) => one.winner === who).length),
      thinking: this.thought ? position.toMove : null,
      awaits_person: this.awaitsPerson,
      hinting: this.hinting !== null,
      hint: hint && { move: hint.move, line: hint.line, why: this.host.reason(position, hint) },
      can_undo: this.backTo() >= 0,
      can_redo: this.undone.length > 0,
      paused: this.paused,
      delay: setup.delay,
      watched: this.watched,
      series_over: this.seriesOver,
      ending: this.ending && { ...this.ending, text: this.endingText() },
      failure: this.failure,
      shared: false,
    };
  }

  endingText() {
    const { winner } = this.ending;
    if (winner === null) return say("ending", "draw");
    const name = this.name(winner) || say("ending", this.index(winner) ? "player_two" : "player_one");
    return say("ending", "win", { name, letter: "XO"[winner] });
  }

  /** The finished matches, and the one on the board if it has moves, as a file. */
  get file() {
    const records = this.finished.map((one) => one.record);
    if (this.ending === null && this.played.length) records.push(this.record());
    return records.map(recordText).join("\n");
  }

  // Commands.

  /** @param {number} move */
  play(move) {
    if (this.ending) notNow("over");
    if (!this.awaitsPerson) {
      const { participants } = this.setup;
      const index = this.index(this.position.toMove);
      const same = participants[0] === participants[1];
      notNow("other_turn", { name: participants[index] + (same ? ` ${index + 1}` : "") });
    }
    const why = this.position.whyIllegal(move, 1);
    if (why) refuse(why);
    this.undone = [];
    this.failure = null;
    this.make({ move, decision: null, seconds: (performance.now() - this.turnBegan) / 1000 });
    this.proceed();
  }

  undo() {
    const back = this.backTo();
    if (back < 0) notNow("nothing_to_undo");
    this.cancel();
    if (this.ending) {
      this.ending = null;
      this.finished.pop();
    }
    this.paused = this.paused || this.watched;
    while (this.played.length > back) {
      this.undone.push(this.played.pop());
      this.positions.pop();
    }
    this.hint = this.failure = null;
    this.turnBegan = performance.now();
  }

  redo() {
    if (!this.undone.length) notNow("nothing_to_redo");
    this.cancel();
    this.failure = null;
    do this.make(this.undone.pop());
    while (this.undone.length && !this.watched && !this.awaitsPerson);
    this.proceed();
  }

  askHint() {
    if (!this.awaitsPerson) notNow("no_hint");
    if (this.hinting) return;
    const seat = this.seat(ADVISER);
    const { found, cancel } = seat.ask(this.position, this.moves);
    const mine = (this.hinting = { seat, cancel });
    const end = (/** @type {Decision | null} */ hint, /** @type {string | null} */ failure) => {
      if (this.hinting !== mine) return;
      this.dropHint();
      this.hint = hint;
      if (failure) this.failure = failure;
      this.changed();
    };
    found.then((hint) => end(hint, null)).catch((error) => end(null, error.message));
  }

  /** @param {boolean} on */
  pause(on) {
    this.paused = on;
    if (!on && !this.thought) this.proceed();
  }

  close() {
    this.leaveSeats();
    clearTimeout(this.timer);
    this.closed = true;
    for (const watcher of this.watchers) watcher(null);
  }

  /** Run a command, which also ends the pause after a failure. @param {() => void} command */
  command(command) {
    command();
    if (this.failure !== null && this.paused && !this.watched) this.pause(false);
    this.changed();
    return this.state;
  }

  // Progress.

  /** Notify the watchers, and wait for the next timer. */
  changed() {
    this.version += 1;
    if (this.watchers.size) {
      const state = this.state;
      for (const watcher of this.watchers) watcher(state);
    }
    clearTimeout(this.timer);
    if (this.paused || this.closed) return;
    const ready = this.thought && (this.thought.decision || this.thought.problem);
    const next = this.ending && !this.seriesOver;
    if (!ready && !next) return;
    const due = this.turnBegan + 1000 * (ready ? this.setup.delay : this.setup.pause);
    this.timer = setTimeout(() => this.go(), Math.max(0, due - performance.now()));
  }

  /** Show an agent's move, or begin the next match. */
  go() {
    const { thought } = this;
    if (!thought) this.begin();
    else {
      this.thought = null;
      if (thought.decision) {
        this.undone = [];
        this.make({ move: thought.decision.move, decision: thought.decision, seconds: thought.decision.seconds });
        this.proceed();
      } else {
        this.paused = true;
        this.failure = thought.problem;
      }
    }
    this.changed();
  }

  /** Ask the agent whose turn it is. */
  proceed() {
    const player = this.position.toMove;
    const spec = this.spec(player);
    if (this.ending || spec === PERSON) return;
    this.seats[player] ??= this.seat(spec);
    const { found, cancel } = this.seats[player].ask(this.position, this.moves);
    /** @type {{cancel: () => void, decision?: Decision, problem?: string}} */
    const mine = (this.thought = { cancel });
    this.failure = null;
    found
      .then((decision) => (mine.decision = decision))
      .catch((error) => (mine.problem = error.message))
      .then(() => this.thought === mine && this.changed());
  }

  /** @param {string} spec */
  seat(spec) {
    this.asked += 1;
    return this.host.seat(spec, this.setup.game, this.host.derive(this.setup.seed, "mind", this.asked), this.id);
  }

  /** Cancel the pending decision; a busy mind is replaced. */
  cancel() {
    this.dropHint();
    const { thought } = this;
    this.thought = null;
    if (!thought || thought.decision) return;
    thought.cancel();
    this.seats[this.position.toMove].leave();
    delete this.seats[this.position.toMove];
  }

  dropHint() {
    if (!this.hinting) return;
    this.hinting.cancel();
    this.hinting.seat.leave();
    this.hinting = null;
  }

  leaveSeats() {
    if (this.positions) this.cancel();
    for (const seat of Object.values(this.seats)) seat.leave();
    this.seats = {};
  }

  // The match.

  /** @param {Played[]} [saved] */
  begin(saved = []) {
    this.leaveSeats();
    if (this.played) this.earlier.push(this.played);
    this.first = this.starter();
    /** @type {{winner: number | null, termination: string} | null} */
    this.ending = null;
    this.positions = [Position.start(this.setup.game, this.setup.opening)];
    /** @type {Played[]} */
    this.played = [];
    /** @type {Played[]} */
    this.undone = [];
    this.hint = this.failure = null;
    this.turnBegan = performance.now();
    for (const one of saved) this.make(one);
    this.proceed();
  }

  /** The participant who moves first. */
  starter() {
    const { starts, seed } = this.setup;
    if (starts === "random") return this.host.below(this.host.derive(seed, "lot", this.earlier.length), 2);
    return starts === "alternate" ? this.finished.length % 2 : Number(starts === "two");
  }

  /** @param {Played} one */
  make(one) {
    this.dropHint();
    this.hint = null;
    this.positions.push(this.position.play(one.move));
    this.played.push(one);
    this.turnBegan = performance.now();
    const { over } = this.position;
    if (!over) return;
    this.ending = { winner: over === 1 ? null : over - 2, termination: over === 1 ? "full board" : "line" };
    const { winner } = this.ending;
    this.finished.push({ winner: winner === null ? null : this.index(winner), record: this.record() });
  }

  /** The number of moves left after an undo; −1 if there is nothing to undo. */
  backTo() {
    for (let left = this.played.length - 1; left >= 0; left--)
      if (this.watched || this.spec(this.positions[left].toMove) === PERSON) return left;
    return -1;
  }

  /** @returns {import("./records.js").Match} */
  record() {
    const decisions = this.played.map((one) => one.decision);
    return {
      game: this.setup.game,
      first: this.spec(0),
      second: this.spec(1),
      seed: this.setup.seed,
      opening: this.setup.opening,
      moves: this.played.map((one) => one.move),
      result: this.ending ? ["draw", "first", "second"][this.position.over - 1] : "none",
      termination: this.ending ? this.ending.termination : "interrupted",
      nodes: decisions.map((one) => (one ? one.nodes : 0)),
      values: decisions.map((one) => (one ? one.value : null)),
      seconds: this.played.map((one) => Math.round(one.seconds * 1e7) / 1e7),
    };
  }
}
