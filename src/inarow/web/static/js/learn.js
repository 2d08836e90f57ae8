// Learn: watch an agent learn from scratch, change its rates, step through its updates, and play against it meanwhile.

import { act, announce, banner, button, fill, h, letter, moveOfKey } from "./dom.js";
import { engine } from "./engine.js";
import { Board } from "./board.js";
import { gamePicker } from "./agents.js";
import { frameWords, updatesTable, updateWords, valueLabels } from "./learn_words.js";
import { rateSlider } from "./pace.js";
import { Latest, Part, Queue } from "./reactive.js";
import { recall, remember } from "./state.js";
import { curve } from "./values.js";

const KINDS = { qlearning: "Q-learning: a table of values", ntuple: "An n-tuple network" };
const RATES = { qlearning: { alpha: 0.5, epsilon: 0.3 }, ntuple: { alpha: 0.026, epsilon: 0.05 } };
const MAX_RUNS = 4; // maximum number of runs to compare
/** A position where learning shows quickly: from the empty board of Tic Tac Toe all moves draw, and values stay 0. */
const FIRST = { tictactoe: [0] };
const EXAMPLES = [
  { name: "Answer a corner", kind: "qlearning", game: "tictactoe", alpha: 0.5, epsilon: 0.3, speed: 1000 },
  { name: "No exploration", kind: "qlearning", game: "tictactoe", alpha: 0.5, epsilon: 0, speed: 1000 },
  { name: "Too low a rate", kind: "qlearning", game: "tictactoe", alpha: 0.01, epsilon: 0.3, speed: 1000 },
  { name: "A network learns Connect 4", kind: "ntuple", game: "connect4", alpha: 0.026, epsilon: 0.05, speed: 0 },
];
const SPEEDS = [
  [1, "1 episode a second"],
  [10, "10 a second"],
  [100, "100 a second"],
  [1000, "1,000 a second"],
  [0, "no limit"],
];

/** @param {HTMLElement} view */
export function learnPage(view) {
  const page = new Learn(view);
  return { page, opened: page.turnTo(() => page.first) };
}

class Learn {
  /** @param {HTMLElement} view */
  constructor(view) {
    const kept = recall().learn || {};
    this.setup = { kind: "qlearning", game: "tictactoe", speed: 1000, ...RATES.qlearning, ...kept };
    /** @type {ReturnType<typeof engine.learn> | null} while it is open */
    this.training = null;
    this.latest = new Latest();
    this.board = new Board((move) => this.play(move));
    /** @type {Record<string, (value: number) => void>} set the value that a slider shows */
    this.setters = {};
    this.queue = new Queue();
    this.forget();
    this.panel = h("section", { class: "panel", "aria-label": "Training" });
    this.updates = h("section", { class: "panel", "aria-label": "Updates" });
    this.shownUpdates = new Part(this.updates, () => this.fillUpdates());
    view.replaceChildren(
      h(
        "div",
        { class: "desk learn" },
        h("div", { class: "learn-side" }, h("div", { class: "stage" }, this.board.element), this.updates),
        this.panel,
      ),
    );
    this.build();
    this.drawButtons();
  }

  forget() {
    /** @type {Api.LearnFrame | null} the last message of the server */
    this.frame = null;
    /** @type {{name: string, points: number[][]}[]} those of this game that are compared */
    this.runs = this.runs || [];
    this.ended = "";
    /** @type {number[]} the moves to the position that is shown */
    this.moves = [];
    this.position = null;
    this.replies = this.replies ?? true;
    /** true if the learner's move in this position was requested */
    this.awaits = false;
    /** set by this page alone: frames may be older than the last press */
    this.paused = false;
    /** @type {number | null} the selected update */
    this.at = null;
    this.kept = [];
    /** frames without more episodes than this are older than the last step; their updates are not shown */
    this.seen = -1;
    this.latest.close();
  }

  /** The moves to the first position shown. */
  get first() {
    return FIRST[this.setup.game] || [];
  }

  close() {
    this.latest.close();
    this.queue.close();
    this.hangUp();
  }

  /** End the training. */
  hangUp() {
    if (this.training) this.training.close();
    this.training = null;
  }

  // The controls are made once, so that a slider is not replaced while it is dragged.
  build() {
    const games = gamePicker(this.setup.game);
    games.changed((name) => this.change({ game: name }));
    const examples = EXAMPLES.map(({ name, ...setup }) =>
      h("button", { type: "button", onclick: () => this.example(setup) }, name),
    );
    const kind = h(
      "select",
      { id: "kind", "aria-label": "Who learns" },
      ...Object.entries(KINDS).map(([value, text]) => h("option", { value }, text)),
    );
    kind.value = this.setup.kind;
    kind.addEventListener("change", () => this.change({ kind: kind.value, ...RATES[kind.value] }));
    const slider = (name, text) => {
      const made = rateSlider(name, text, this.setup[name], (value) => this.rate(name, value));
      this.setters[name] = made.show;
      return made.element;
    };
    const speed = h(
      "select",
      { id: "speed" },
      ...SPEEDS.map(([value, text]) => h("option", { value: String(value) }, String(text))),
    );
    speed.value = String(this.setup.speed);
    speed.addEventListener("change", () => this.rate("speed", Number(speed.value)));
    this.start = button("start", "Start", () => this.begin(), { key: "S", kind: "primary" });
    this.pause = button("pause", "Pause", () => this.toggle(), { key: "P" });
    this.step = button("step", "Next update", () => this.next(), { key: "U" });
    this.again = button("newgame", "Empty board", () => this.turnTo(() => []), { key: "N" });
    this.answer = button("answer", "It moves", () => this.ask(), { key: "M" });
    this.back = button("back", "Back", () => this.turnTo((moves) => moves.slice(0, -1)), { key: "←" });
    this.reply = button("replies", "It replies", () => this.toggleReplies(), { key: "R" });
    this.facts = h("p", { class: "status", id: "facts", role: "status" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.graph = h("div", {});
    this.says = h("p", { id: "says" });
    this.kind = kind;
    this.games = games;
    this.pace = speed;
    fill(
      this.panel,
      h("h2", {}, "Learning from scratch"),
      h("div", { class: "actions big" }, this.start, this.pause),
      h("div", { class: "actions examples", role: "group", "aria-label": "Examples" }, ...examples),
      this.problem,
      this.facts,
      this.graph,
      slider("epsilon", "ε, random moves"),
      slider("alpha", "α, learning rate"),
      h("label", { class: "rate" }, h("span", {}, "Speed"), speed),
      h(
        "details",
        {},
        h("summary", {}, "Another game or learner"),
        h("fieldset", {}, h("legend", {}, "Who learns"), kind),
        games.element,
      ),
      h("h2", {}, "The position on the board"),
      this.says,
      h("div", { class: "actions" }, this.reply, this.answer, this.back, this.again),
    );
  }

  /** Start one of the examples. @param {any} setup */
  async example(setup) {
    await this.change(setup, setup.game === this.setup.game);
    [this.kind.value, this.pace.value] = [setup.kind, String(setup.speed)];
    this.games.choose(setup.game);
    this.begin();
  }

  /** Start another game or learner; the training is lost. @param {any} changes @param {boolean} compare with others */
  async change(changes, compare = false) {
    this.hangUp();
    if (!compare) this.runs = [];
    Object.assign(this.setup, changes);
    if (changes.alpha !== undefined) this.setters.alpha(changes.alpha);
    if (changes.epsilon !== undefined) this.setters.epsilon(changes.epsilon);
    this.forget();
    this.remember();
    this.drawButtons();
    await this.turnTo(() => this.first);
  }

  remember() {
    remember({ learn: this.setup });
  }

  /** Change a rate or the speed, also while it trains. @param {string} name @param {number} value */
  rate(name, value) {
    this.setup[name] = value;
    this.remember();
    this.send({ [name]: value });
  }

  begin() {
    this.hangUp();
    this.forget();
    banner("");
    const { kind: who, alpha: rate, epsilon: share } = this.setup;
    this.runs = [
      ...this.runs.filter((run) => run.points.length > 1),
      { name: `${who}, α ${rate}, ε ${share}`, points: [] },
    ].slice(-MAX_RUNS);
    const { kind, game, alpha, epsilon, speed } = this.setup;
    const request = { kind, game, alpha, epsilon, speed, seed: Math.floor(Math.random() * 1e9) };
    const ended = (reason) => {
      const lost = "The connection was lost, which ended the training.";
      this.ended ||= reason ? `Training has ended: ${reason}.` : lost;
      this.training = null;
      this.awaits = false;
      announce(this.ended);
      this.draw();
    };
    this.training = engine.learn(request, (frame) => this.hear(frame), ended);
    this.drawButtons();
    this.turnTo(() => this.first);
  }

  send(command) {
    if (this.training) this.training.send(command);
  }

  hear(frame) {
    if (frame.ended) {
      this.ended = frame.ended;
      return;
    }
    const first = !this.frame;
    this.frame = frame;
    if (first && this.moves.length) this.send({ moves: this.moves, reply: this.awaits });
    if (frame.score !== null) this.runs[this.runs.length - 1].points.push([frame.episodes, frame.score]);
    if (frame.updates.length && this.at === null && frame.episodes > this.seen) this.kept = frame.updates;
    if (frame.reply !== null) this.queue.add(() => same(frame.shown.moves, this.moves) && this.answered(frame.reply));
    this.draw();
  }

  /** Show a position, and ask for its values. @param {number[]} moves @param {boolean} [reply] */
  async show(moves, reply = false) {
    const current = this.latest.ask();
    this.at = null;
    try {
      const position = await engine.positionOf(this.setup.game, moves);
      if (!current()) return;
      this.problem.textContent = "";
      this.moves = moves;
      this.position = position;
    } catch (error) {
      if (current()) this.problem.textContent = error.message;
      return;
    }
    this.awaits = reply && !this.position.outcome;
    this.send({ moves, reply: this.awaits });
    this.draw();
  }

  /** Queue a change of the moves that lead to the position. @param {(moves: number[]) => number[]} change */
  turnTo(change) {
    return this.queue.add(() => this.show(change(this.moves)));
  }

  /** Play the person's move, unless it is the learner's turn. @param {number} move */
  play(move) {
    return this.queue.add(() => {
      const possible = this.position && this.position.landing[move] !== undefined && this.at === null && !this.awaits;
      return possible && this.show([...this.moves, move], this.replies && this.training !== null);
    });
  }

  answered(move) {
    announce(`It plays ${move + 1}.`);
    return this.show([...this.moves, move]);
  }

  /** Let the learner move in the position on the board. */
  ask() {
    return this.queue.add(() => this.send({ moves: this.moves, reply: true }));
  }

  toggleReplies() {
    this.replies = !this.replies;
    this.draw();
  }

  /** @param {boolean} paused */
  halt(paused) {
    if (paused === this.paused) return;
    this.paused = paused;
    this.send({ paused });
  }

  toggle() {
    if (!this.frame || !this.training) return;
    this.at = null;
    this.halt(!this.paused);
    this.draw();
  }

  /** Show the next update of the last episode; after the last one, play another episode. */
  next() {
    if (!this.frame) return;
    this.halt(true);
    if (this.at === null && this.kept.length) this.at = 0;
    else if (this.at !== null && this.at + 1 < this.kept.length) this.at++;
    else {
      this.at = null;
      this.kept = [];
      this.seen = this.frame.episodes;
      this.send({ step: true });
    }
    this.draw();
    if (this.at !== null) announce(updateWords(this.kept[this.at]));
  }

  draw() {
    if (!this.position) return;
    this.drawButtons();
    this.drawFacts();
    this.drawBoard();
    this.drawUpdates();
  }

  drawButtons() {
    const running = this.training !== null && this.position !== null;
    this.start.firstChild.textContent = this.frame || this.training ? "Start again" : "Start";
    this.pause.disabled = !running || !this.frame;
    this.pause.firstChild.textContent = this.paused ? "Go on" : "Pause";
    this.step.disabled = !running || this.setup.kind !== "qlearning" || !this.frame;
    this.answer.disabled = !running || Boolean(this.position.outcome);
    this.back.disabled = !this.moves.length;
    this.reply.setAttribute("aria-pressed", String(this.replies));
  }

  drawFacts() {
    const progress = this.frame
      ? frameWords(this.frame, this.setup.kind)
      : this.training
        ? "Preparing …"
        : "It knows nothing yet.";
    this.facts.textContent = this.ended ? `${progress} ${this.ended}` : progress;
    const title = "Share of solved positions in which its move keeps the result";
    fill(this.graph, curve(this.runs, { low: 0, high: 1, title, unit: "episodes" }));
  }

  drawBoard() {
    const update = this.at === null ? null : this.kept[this.at];
    if (update) {
      this.board.show(update.position, {
        labels: valueLabels({ [update.move]: update.new }),
        hints: [update.move],
        heat: { [update.move]: update.new },
      });
      this.says.textContent = updateWords(update);
      return;
    }
    const shown = this.frame && same(this.frame.shown.moves, this.moves) ? this.frame.shown : null;
    const values = shown && shown.known ? shown.values : {};
    this.board.show(this.position, { labels: valueLabels(values), heat: values }, !this.position.outcome);
    const me = letter(this.position.to_move);
    const over =
      this.position.outcome && { first: "X has won.", second: "O has won.", draw: "A draw." }[this.position.outcome];
    const unknown = shown && !shown.known ? " It has not seen this position yet." : "";
    this.says.textContent =
      over || `${me} to move. Each move shows its value for ${me}: play, and see what it has learned.${unknown}`;
  }

  drawUpdates() {
    this.updates.hidden = this.setup.kind !== "qlearning";
    this.shownUpdates.draw();
  }

  fillUpdates() {
    const { kept } = this;
    fill(
      this.updates,
      h("h2", {}, "Updates of the last episode"),
      h(
        "p",
        { class: "note" },
        "Learned from its end backwards: each value moves by α towards the reward, or towards −γ times the value of ",
        `the best reply${this.frame && this.frame.gamma !== null ? ` (γ = ${this.frame.gamma})` : ""}.`,
      ),
      h("div", { class: "actions" }, this.step),
      updatesTable(kept, this.at, (index) => this.look(kept, index)),
    );
  }

  /** Select an update. @param {any[]} kept those that are shown @param {number} index */
  look(kept, index) {
    if (this.frame) this.halt(true);
    this.kept = kept;
    this.at = this.at === index ? null : index;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = moveOfKey(event);
    if (move !== null) this.play(move);
    const actions = {
      s: () => this.begin(),
      p: () => this.toggle(),
      u: () => this.next(),
      m: () => this.ask(),
      r: () => this.toggleReplies(),
      n: () => this.turnTo(() => []),
      ArrowLeft: () => this.turnTo((moves) => moves.slice(0, -1)),
      Escape: () => this.turnTo((moves) => moves),
    };
    return move !== null || act(actions, event);
  }

  keys = [
    ["S", "start, or restart from scratch"],
    ["P", "pause or continue"],
    ["U", "the next update"],
    ["1 – 9", "play in this column or cell"],
    ["M", "let the agent move"],
    ["R", "turn its replies to your moves on or off"],
    ["←, N", "one move back, empty board"],
    ["Esc", "from an update back to the position"],
  ];
}

const same = (one, two) => one.length === two.length && one.every((value, index) => value === two[index]);
