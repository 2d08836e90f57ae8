// Analyse: any position, with the exact score of every move, the best line, threats, variations, and a shared address.

import { announce, banner, download, fill, h, letter } from "./dom.js";
import { api, positionOf } from "./api.js";
import { Board } from "./board.js";
import { stoneEditor } from "./editor.js";
import { gamePicker } from "./agents.js";
import { recall, remember } from "./state.js";
import { Tree } from "./tree.js";
import { accuracyGraph } from "./graph.js";

const NOTATIONS = {
  pons: "moves and a score",
  zero: "moves counted from 0",
  uci: "a board of the UCI data",
  kaggle: "a ConnectX board",
  drawing: "rows of stones",
};
const BUDGETS = [0.5, 3, 15]; // seconds; the next is tried if a position is not solved

/** @param {HTMLElement} view @param {string[]} path */
export async function analysePage(view, path) {
  const page = new Analyse(view);
  await page.open(path[0] || "connect4", path[1] || "");
  return page;
}

class Analyse {
  /** @param {HTMLElement} view */
  constructor(view) {
    this.board = new Board((move) => this.play(move), false);
    this.truth = null;
    this.review = null;
    this.abort = new AbortController();
    this.asked = 0;
    const options = recall().analysis || {};
    this.options = { evaluation: true, threats: false, ...options };
    this.preview = [];
    this.editing = null;
    this.bar = h("div", { class: "bar", role: "img" }, h("div", { class: "fill" }), h("span", { class: "value" }));
    this.side = h("section", { class: "panel", "aria-label": "Analysis" });
    view.replaceChildren(h("div", { class: "desk" }, h("div", { class: "stage with-bar" }, this.bar, this.board.element), this.side));
  }

  async open(game, text) {
    try {
      const position = await api.post("position", { game, text: decodeURIComponent(text) });
      this.tree = new Tree(position.game.name, position.moves);
    } catch (error) {
      if (error.status === 0) throw error;
      banner(`This link can't be opened: ${error.message}`);
      this.tree = new Tree("connect4", []);
    }
    await this.refresh();
    this.board.focus();
  }

  close() {
    this.abort.abort();
  }

  /** Show the position of the current node, and begin to find out the truth about it. */
  async refresh() {
    const turn = ++this.asked;
    this.abort.abort();
    this.abort = new AbortController();
    this.truth = null;
    this.preview = [];
    try {
      const position = await positionOf(this.tree.game, this.tree.moves());
      if (turn !== this.asked) return;
      this.position = position;
    } catch (error) {
      if (turn === this.asked) banner(error.message);
      return;
    }
    this.address();
    this.draw();
    if (!this.position.outcome) this.search(turn);
  }

  /** Find out the truth, with more time if it is needed; keys and clicks go on meanwhile. @param {number} turn */
  async search(turn) {
    for (const seconds of BUDGETS) {
      try {
        const truth = await api.post("solve", { game: this.tree.game, moves: this.tree.moves(), seconds, line: true }, this.abort.signal);
        if (turn !== this.asked) return;
        this.truth = truth;
      } catch (error) {
        if (error.name === "AbortError" || turn !== this.asked) return;
        this.problem = error.message;
        this.draw();
        return;
      }
      this.draw();
      if (!this.truth || this.truth.solved) break;
    }
    if (this.truth && this.options.evaluation) announce(this.sentence());
  }

  address() {
    const hash = `#/analyse/${this.tree.game}/${this.position.text}`;
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }

  draw() {
    this.drawBoard();
    this.drawBar();
    this.drawSide();
  }

  drawBoard() {
    const position = this.position;
    const marks = { last: this.tree.lastCell, labels: {}, threats: this.options.threats ? position.threats : [], ghosts: this.preview, hints: [] };
    if (this.truth && this.options.evaluation) {
      for (const [move, one] of Object.entries(this.truth.moves)) marks.labels[move] = label(one, this.truth.best.includes(Number(move)));
    }
    this.board.show(position, marks, !position.outcome && !this.editing);
  }

  drawBar() {
    const shown = this.options.evaluation;
    this.bar.classList.toggle("off", !shown);
    const value = this.bar.querySelector(".value");
    const fill = /** @type {HTMLElement} */ (this.bar.querySelector(".fill"));
    let share = 0.5;
    let words = "not known yet";
    if (this.position.outcome) {
      share = { first: 1, second: 0, draw: 0.5 }[this.position.outcome];
      words = { first: "X has won", second: "O has won", draw: "a draw" }[this.position.outcome];
    } else if (this.truth && this.truth.verdict) {
      const sign = this.position.to_move === 0 ? 1 : -1;
      const verdict = { win: 1, draw: 0, loss: -1 }[this.truth.verdict] * sign;
      const most = (this.position.game.columns * this.position.game.rows) / 2;
      const size = this.truth.low === this.truth.high ? Math.abs(this.truth.low) / most : 0.5;
      share = 0.5 + verdict * (0.25 + 0.25 * Math.min(1, size));
      words = verdict > 0 ? "X wins" : verdict < 0 ? "O wins" : "a draw";
    }
    fill.style.height = `${100 * share}%`;
    value.classList.toggle("above", share < 0.5);
    value.textContent = shown ? { "X wins": "X", "O wins": "O", "X has won": "X", "O has won": "O", "a draw": "=" }[words] || "…" : "";
    this.bar.setAttribute("aria-label", shown ? `With perfect play: ${words}` : "Evaluation is hidden");
  }

  sentence() {
    const position = this.position;
    if (position.outcome) return { first: "X has won.", second: "O has won.", draw: "The game is a draw." }[position.outcome];
    const truth = this.truth;
    const me = letter(position.to_move);
    if (!truth) return this.problem ? "" : "Solving …";
    if (!truth.verdict) return `${me} to move. Not solved yet: the score is from ${truth.low} to ${truth.high}.`;
    if (!truth.words) return `${me} to move: a ${truth.verdict}.`;
    const verb = { win: `${me} wins`, draw: "A draw", loss: `${me} loses` }[truth.verdict];
    const length = truth.words.includes(" in ") ? ` in ${truth.words.split(" in ")[1]}` : "";
    return `${me} to move. ${verb}${length} with best play.`;
  }

  drawSide() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const shown = this.options.evaluation;
    const truth = this.truth;
    const button = (id, label, key, action, enabled = true, pressed = null) =>
      h("button", { type: "button", id, disabled: !enabled, onclick: () => action(), "aria-pressed": pressed === null ? null : String(pressed) }, label, key ? h("kbd", {}, key) : null);
    const content = [
      h("h2", {}, this.position.game.title),
      h("p", { class: "status", id: "truth" }, shown || this.position.outcome ? this.sentence() : `${letter(this.position.to_move)} to move. The evaluation is hidden.`),
      this.problem ? h("p", { class: "problem" }, this.problem) : null,
      shown && truth && truth.why ? h("p", { class: "why" }, truth.why) : null,
      shown && truth && truth.line.length ? this.line(truth) : null,
      h(
        "div",
        { class: "actions" },
        button("first", "«", "Home", () => this.go("first"), this.tree.current.parent !== null),
        button("back", "‹", "←", () => this.go("back"), this.tree.current.parent !== null),
        button("forward", "›", "→", () => this.go("forward"), this.tree.current.children.length > 0),
        button("last", "»", "End", () => this.go("last"), this.tree.current.children.length > 0),
        button("evaluation", "Evaluation", "E", () => this.toggle("evaluation"), true, shown),
        button("threats", "Threats", "T", () => this.toggle("threats"), true, this.options.threats),
      ),
      this.tree.view((node) => this.select(node)),
      this.graph(),
      this.keptTools(button),
    ];
    this.problem = "";
    fill(this.side, ...content);
    if (!focused || document.activeElement !== document.body) return;
    const again = focused.isConnected ? focused : focused.id && document.getElementById(focused.id);
    if (again) again.focus();
  }

  /** The best line; pointing at it, or focusing it, shows it on the board. */
  line(truth) {
    const cells = truth.line_cells;
    const preview = (count) => {
      this.preview = cells.slice(0, count).map((cell, index) => ({ cell, player: (this.position.to_move + index) % 2, number: index + 1 }));
      this.drawBoard();
    };
    const items = truth.line.map((move, index) =>
      h(
        "button",
        { type: "button", class: `step player${(this.position.to_move + index) % 2}`, onpointerenter: () => preview(index + 1), onpointerleave: () => preview(0), onfocus: () => preview(index + 1), onblur: () => preview(0), onclick: () => this.follow(truth.line.slice(0, index + 1)), "aria-label": `Best line, move ${index + 1}: ${move + 1}` },
        String(move + 1),
      ),
    );
    return h("div", { class: "line", "aria-label": "Best line" }, h("span", {}, "Best line"), ...items);
  }

  async follow(moves) {
    for (const move of moves) await this.tree.add(move);
    await this.refresh();
  }

  graph() {
    const make = h("button", { type: "button", id: "review", onclick: () => this.loadReview(), disabled: this.tree.mainline().length === 0 }, "Check every move", h("kbd", {}, "C"));
    if (!this.review || this.review.key !== this.tree.key()) return h("div", { class: "actions" }, make);
    return accuracyGraph(this.review.found, this.tree, (index) => this.select(this.tree.nodeAt(index)));
  }

  async loadReview() {
    const key = this.tree.key();
    try {
      const found = await api.post("review", { game: this.tree.game, moves: this.tree.mainline(), seconds: 15 });
      this.review = { key, found };
      this.drawSide();
    } catch (error) {
      banner(error.message);
    }
  }

  nextMistake() {
    if (!this.review || this.review.key !== this.tree.key()) return this.loadReview();
    const here = this.tree.depth();
    const mistakes = this.review.found.moves.filter((one) => one.mistake);
    const next = mistakes.find((one) => one.index > here) || mistakes[0];
    if (!next) announce("No mistake was found.");
    if (next) this.select(this.tree.nodeAt(next.index));
  }

  /** The tools, made anew only where they change: what is being typed there stays. */
  keptTools(button) {
    const key = [this.tree.game, Boolean(this.editing), this.tree.mainline().length > 0].join();
    if (this.toolsKey !== key) {
      const before = this.toolsShown;
      this.toolsKey = key;
      this.toolsShown = this.tools(button);
      this.toolsShown.open = Boolean(before && before.open);
    }
    return this.toolsShown;
  }

  tools(button) {
    const text = h("textarea", { id: "paste", rows: "1", placeholder: "4455, or a board", "aria-label": "Moves or a board to open", spellcheck: "false", autocomplete: "off" });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) open(event);
    });
    const open = async (event) => {
      event.preventDefault();
      try {
        const position = await api.post("position", { game: this.tree.game, text: text.value });
        if (!position.moves) throw new Error("No order of moves leads to this position.");
        this.tree = new Tree(this.tree.game, position.moves);
        banner(position.notation === "moves" ? "" : `Read as ${NOTATIONS[position.notation]}.`);
        await this.refresh();
      } catch (error) {
        banner(error.message);
      }
    };
    const games = gamePicker(this.tree.game);
    games.changed(async (name) => {
      try {
        await api.get(`games/${encodeURIComponent(name)}`);
        this.tree = new Tree(name, []);
        banner("");
        await this.refresh();
      } catch (error) {
        banner(error.message);
      }
    });
    const file = h("input", { type: "file", id: "load", accept: ".txt,.jsonl,.json,text/plain", "aria-label": "Open a saved match" });
    file.addEventListener("change", () => this.load(file.files[0]));
    return h(
      "details",
      { class: "tools" },
      h("summary", {}, "Position, link, files"),
      games.element,
      h("form", { class: "row", onsubmit: open }, text, h("button", { type: "submit" }, "Open")),
      h(
        "div",
        { class: "actions" },
        button("copy", "Copy link", "L", () => this.copy()),
        button("edit", "Set up stones", "", () => this.edit(), true, Boolean(this.editing)),
        button("page", "Save as a page", "", () => this.savePage(), this.tree.mainline().length > 0),
        h("label", { class: "button" }, "Open a file", file),
      ),
      this.editing,
    );
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      announce("The link was copied.");
      banner("The link was copied.");
    } catch {
      banner(`Copy this address: ${location.href}`);
    }
  }

  async load(file) {
    try {
      const found = await api.post("records", { text: await file.text() });
      const one = found[found.length - 1];
      this.tree = new Tree(one.game, one.moves);
      banner(found.length > 1 ? `The last of ${found.length} matches was opened.` : "");
      await this.refresh();
    } catch (error) {
      banner(error.message);
    }
  }

  async savePage() {
    try {
      download("inarow-match.html", await api.post("page", { game: this.tree.game, moves: this.tree.mainline() }), "text/html");
    } catch (error) {
      banner(error.message);
    }
  }

  /** Let stones be set by hand. */
  edit() {
    this.editing = this.editing
      ? null
      : stoneEditor(this.position, async (position) => {
          this.editing = null;
          this.tree = new Tree(this.tree.game, position.moves);
          await this.refresh();
        });
    this.draw();
  }

  async play(move) {
    await this.tree.add(move);
    await this.refresh();
  }

  async go(where) {
    this.tree.go(where);
    await this.refresh();
  }

  async select(node) {
    this.tree.select(node);
    await this.refresh();
  }

  toggle(option) {
    this.options[option] = !this.options[option];
    remember({ analysis: this.options });
    this.draw();
  }

  key(event) {
    const key = event.key;
    const number = Number(key);
    if (number >= 1 && number <= 9 && this.position && this.position.landing[number - 1] !== undefined) {
      this.play(number - 1);
      return true;
    }
    const actions = {
      ArrowLeft: () => this.go("back"),
      ArrowRight: () => this.go("forward"),
      Home: () => this.go("first"),
      End: () => this.go("last"),
      u: () => this.go("back"),
      e: () => this.toggle("evaluation"),
      t: () => this.toggle("threats"),
      m: () => this.nextMistake(),
      c: () => this.loadReview(),
      l: () => this.copy(),
    };
    const action = actions[key] || actions[key.toLowerCase()];
    if (!action) return false;
    action();
    return true;
  }

  keys = [
    ["1 – 9", "play in this column or cell"],
    ["↑ ↓, Enter", "choose a move on the board, and play it"],
    ["← →", "one move back, one forward"],
    ["Home, End", "to the start, to the end"],
    ["E", "show or hide the evaluation"],
    ["T", "show or hide threats"],
    ["C", "check every move of the match"],
    ["M", "go to the next mistake"],
    ["L", "copy a link to this position"],
  ];
}

/** A move's exact value as a few letters: a sign and the number of moves, so that colour is not needed. */
export function label(one, best) {
  if (!one.verdict) return { text: "?", kind: "unknown", title: "not solved yet" };
  const length = one.words.includes(" in ") ? one.words.split(" in ")[1] : "";
  const text = { win: `+${length}`, draw: "=", loss: `−${length}` }[one.verdict];
  return { text, kind: `${one.verdict}${best ? " best" : ""}`, title: `${one.words || one.verdict}${best ? ", best" : ""}` };
}
