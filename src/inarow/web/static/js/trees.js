// Trees: step through minimax, alpha–beta and MCTS on a position of your choice, forward, back, at any speed.

import { announce, banner, carry, download, fill, h, s, setAddress } from "./dom.js";
import { api, positionOf } from "./api.js";
import { Board } from "./board.js";
import { label } from "./evaluation.js";
import { recall, remember } from "./state.js";
import { Trace } from "./trace.js";
import { drawTree, rowOf, standalone } from "./treeview.js";
import { Quiz } from "./guess.js";
import { searchForm } from "./treeform.js";

const SPEEDS = [1, 3, 10, 30, 100, 300]; // steps a second
const PATIENCE = 150; // milliseconds without a step after which the board follows
const SOLVING = 2; // seconds that the truth of a node may take

/** @param {HTMLElement} view @param {string[]} path */
export async function treesPage(view, path) {
  const page = new Trees(view, path);
  await page.record(page.step);
  return page;
}

class Trees {
  /** @param {HTMLElement} view @param {string[]} path */
  constructor(view, path) {
    const [game = "tictactoe", moves = "159", spec = "alphabeta:depth=3,root=carried", step = "1"] = path.map(decodeURIComponent);
    this.search = { game, text: moves, spec, events: 10000 };
    this.step = Math.max(0, (Number(step) || 1) - 1);
    this.focus = null; // a node that was chosen; else the one of the step
    this.speed = recall().treeSpeed || 3;
    this.abort = new AbortController();
    this.trace = null;
    this.board = new Board((move) => this.play(move));
    this.build(view);
    this.width = 600; // of the picture; asking the page for it at every frame would make it lay itself out
    this.resized = new ResizeObserver(() => {
      this.width = Math.max(300, this.frame.clientWidth - 14);
      this.later();
    });
    this.resized.observe(this.frame);
  }

  build(view) {
    const button = (id, text, title, action) => h("button", { type: "button", id, title, "aria-label": title, onclick: action }, text);
    this.said = h("p", { class: "said", id: "said" }, "Recording …");
    this.picture = s("svg", { class: "tree-picture", role: "img", "aria-labelledby": "said" });
    this.frame = h("div", { class: "picture-frame", tabIndex: 0, role: "group", "aria-label": "The tree" }, this.picture);
    this.picture.addEventListener("click", (event) => this.clicked(event));
    this.slider = h("input", { type: "range", id: "step", min: "0", max: "0", value: "0", "aria-label": "Step" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.where = h("span", { class: "where", id: "where" });
    this.pace = h("select", { id: "pace", "aria-label": "Steps a second", onchange: () => this.setSpeed(Number(this.pace.value)) }, ...SPEEDS.map((speed) => h("option", { value: String(speed) }, `${speed} a second`)));
    this.pace.value = String(this.speed);
    this.playing = button("play", "▶", "Play or pause (space)", () => this.toggle());
    this.quiz = new Quiz((index) => this.answer(index));
    const transport = h(
      "div",
      { class: "transport" },
      button("first", "«", "To the start (Home)", () => this.go(0)),
      button("back", "‹", "One step back (←)", () => this.go(this.step - 1)),
      this.playing,
      button("forward", "›", "One step forward (→)", () => this.forward()),
      button("last", "»", "To the end (End)", () => this.go(this.last)),
      this.slider,
      this.where,
      this.pace,
    );
    this.guess = h("button", { type: "button", id: "guess", "aria-pressed": "false", onclick: () => this.toggleGuess() }, "Guess the next step", h("kbd", {}, "G"));
    this.actions = h(
      "div",
      { class: "actions" },
      this.guess,
      h("button", { type: "button", id: "nextcut", onclick: () => this.nextCut() }, "Next cut-off", h("kbd", {}, "C")),
      h("button", { type: "button", id: "save", onclick: () => this.save() }, "Save as SVG", h("kbd", {}, "S")),
    );
    this.details = h("div", { id: "node" });
    this.form = searchForm(this.search, (search) => {
      this.search = search;
      this.record();
    });
    this.note = h("p", { class: "note", id: "note" });
    const side = h("section", { class: "panel", "aria-label": "Search and node" }, this.form.element, this.note, this.details, this.board.element);
    view.replaceChildren(h("div", { class: "desk trees" }, h("div", { class: "stage" }, transport, this.actions, this.said, this.quiz.element, this.frame), side));
  }

  get last() {
    return this.trace ? this.trace.length - 1 : 0;
  }

  /** Have the search recorded, and show one of its steps. @param {number} step */
  async record(step = 0) {
    this.pause();
    this.abort.abort();
    this.abort = new AbortController();
    const signal = this.abort.signal;
    this.note.textContent = "Recording …";
    try {
      const { game, text, spec, events } = this.search;
      const position = await api.post("position", { game, text }, signal);
      if (!position.moves) throw new Error("No order of moves leads to this position.");
      const info = await api.post("traces", { game, moves: position.moves, agent: spec, events }, signal);
      const pages = [info.page];
      for (let had = info.page.kinds.length; had < info.length; had += pages[pages.length - 1].kinds.length) {
        this.note.textContent = `Loading ${had.toLocaleString("en")} of ${info.length.toLocaleString("en")} steps …`;
        pages.push(await api.get(`traces/${info.id}?first=${had}`, signal));
      }
      if (signal.aborted) return;
      this.form.show(position.text);
      this.trace = new Trace(info, pages);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.note.textContent = "";
      if (!this.trace) this.said.textContent = "Nothing is recorded.";
      banner(error.message);
      return;
    }
    banner("");
    this.slider.max = String(this.last);
    this.step = Math.min(step, this.last);
    this.focus = null;
    this.quiz.question = null;
    this.shownAt = "";
    carry(this.trace.info.position.game.name, this.trace.info.position.text);
    this.note.textContent = this.summary();
    document.getElementById("nextcut").hidden = !this.trace.cutAt.some((at) => at >= 0);
    this.changed(true);
  }

  summary() {
    const { info } = this.trace;
    const max = "XO"[info.position.to_move];
    const figures = `${info.length.toLocaleString("en")} steps, ${info.node_count.toLocaleString("en")} nodes. MAX is ${max}, MIN is ${max === "X" ? "O" : "X"}.`;
    if (!info.truncated) return `${info.agent}: ${figures} It plays ${info.move + 1}.`;
    const whole = info.whole ? ` The agent itself, not shown, plays ${info.whole.move + 1} after ${info.whole.nodes.toLocaleString("en")} nodes.` : "";
    return `${info.agent}: ${figures} Truncated after ${info.truncated}: the search goes on.${whole}`;
  }

  /** The node that the picture leads to. */
  get node() {
    return this.focus === null ? this.trace.nodes[this.step] : this.focus;
  }

  /** Go to a step. @param {number} step */
  go(step) {
    if (!this.trace) return;
    this.step = Math.max(0, Math.min(this.last, step));
    this.focus = null;
    this.quiz.question = null;
    this.changed(false);
  }

  /** One step forward; while guessing, to the next question. */
  forward() {
    if (!this.trace || this.quiz.question) return;
    if (!this.quiz.on) {
      this.go(this.step + 1);
      return;
    }
    this.step = this.quiz.ask(this.trace, this.step);
    this.focus = null;
    this.changed(true);
  }

  /** Something else is to be seen: draw at the next frame, and say it when it stays. @param {boolean} now */
  changed(now) {
    this.later();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), now ? 0 : PATIENCE);
  }

  later() {
    if (this.frameAsked || this.closed) return;
    this.frameAsked = true;
    requestAnimationFrame(() => {
      this.frameAsked = false;
      if (this.trace && !this.closed) this.draw();
    });
  }

  /** All that changes with every step; at most 8 ms. */
  draw() {
    const { trace, step, width } = this;
    trace.seek(step);
    const drawn = drawTree(trace, step, this.node, width);
    if (this.size !== `${width} ${drawn.height}`) {
      this.size = `${width} ${drawn.height}`;
      for (const [name, value] of Object.entries({ width, height: drawn.height, viewBox: `0 0 ${width} ${drawn.height}` })) this.picture.setAttribute(name, String(value));
    }
    this.picture.innerHTML = drawn.content;
    this.said.textContent = this.sentence();
    this.slider.value = String(step);
    this.where.textContent = `step ${(step + 1).toLocaleString("en")} of ${trace.length.toLocaleString("en")}`;
    this.slider.setAttribute("aria-valuetext", this.where.textContent);
    this.quiz.draw(step);
  }

  sentence() {
    if (this.focus !== null && this.reason) return this.reason;
    return this.trace.words(this.step);
  }

  /** The step stays for a moment: say it, and show the node's position and truth. */
  async settle() {
    if (this.closed || !this.trace) return;
    if (!this.running && !this.quiz.question) announce(`${this.sentence()} ${this.where.textContent}`);
    const { trace } = this;
    const node = this.node;
    const { agent, position: start } = trace.info;
    const hash = `#/trees/${start.game.name}/${start.text}/${agent}${this.step ? `/${this.step + 1}` : ""}`;
    if (!this.running) setAddress(this.frame, hash);
    this.frame.scrollTop = rowOf(trace.depth[node]) - this.frame.clientHeight / 2;
    const key = `${trace.info.id}/${node}`;
    this.drawDetails(node);
    if (this.shownAt === key) return;
    this.shownAt = key;
    try {
      const moves = [...trace.info.position.moves, ...trace.line(node)];
      const position = await positionOf(trace.info.position.game.name, moves);
      if (this.closed || this.shownAt !== key) return;
      this.showBoard(position, null);
      if (this.running || position.outcome) return;
      const truth = await api.post("solve", { game: position.game.name, moves, seconds: SOLVING }, this.abort.signal);
      if (!this.closed && this.shownAt === key) this.showBoard(position, truth);
    } catch (error) {
      if (error.name !== "AbortError" && !this.closed) banner(error.message);
    }
  }

  showBoard(position, truth) {
    const labels = {};
    for (const [move, one] of Object.entries((truth && truth.moves) || {})) labels[move] = label(one, truth.best.includes(Number(move)));
    this.board.show(position, { labels, last: null }, !position.outcome);
    const me = "XO"[position.to_move];
    const truthText = position.outcome
      ? { first: "X has won", second: "O has won", draw: "a draw" }[position.outcome]
      : truth && truth.verdict
        ? { win: `${me} wins`, draw: "a draw", loss: `${"OX"[position.to_move]} wins` }[truth.verdict] + (truth.words.includes(" in ") ? ` in ${truth.words.split(" in ")[1]}` : "")
        : truth ? "not found in time" : "solving …";
    this.truth = truthText;
    const place = this.details.querySelector("#truth");
    if (place) place.textContent = truthText;
  }

  /** The numbers of a node. @param {number} node */
  drawDetails(node) {
    const { trace, step } = this;
    trace.seek(step);
    const facts = [["node", trace.pathText(node)], ["to move", trace.side(node)]];
    if (trace.simulated) {
      facts.push(["visits", trace.state.visits[node].toLocaleString("en")]);
      const value = trace.short(node);
      if (value) facts.push(["value for MAX", value]);
      if (trace.kind(step) === "rollout") facts.push(["roll-out", trace.lists[step].map((move) => move + 1).join(" ")]);
    } else {
      const value = trace.points(trace.state.value[node]);
      if (value) facts.push(["value for MAX", trace.sign(node) + value]);
      if (trace.state.low[node] > -Infinity || trace.state.high[node] < Infinity) facts.push(["window", `${trace.points(trace.state.low[node])} to ${trace.points(trace.state.high[node])}${trace.state.low[node] >= trace.state.high[node] ? " (closed)" : ""}`]);
      facts.push(["nodes below", trace.below(node, step).toLocaleString("en")]);
      const cut = trace.cutMoves(node, step);
      if (cut.length) facts.push(["cut off", cut.map((move) => move + 1).join(" ")]);
    }
    const rows = facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
    const known = this.shownAt === `${trace.info.id}/${node}` ? this.truth : "solving …";
    fill(this.details, h("dl", { class: "facts" }, ...rows, h("dt", {}, "truth"), h("dd", { id: "truth" }, known || "solving …")));
  }

  clicked(event) {
    const group = event.target.closest("[data-node], [data-cut]");
    if (!group) return;
    this.pause();
    if (group.dataset.node !== undefined) this.choose(Number(group.dataset.node));
    else this.choose(Number(group.dataset.cut), this.trace.words(this.trace.cutAt[Number(group.dataset.cut)]));
  }

  /** Look at a node, whatever the step. @param {number} node @param {string} [reason] why something at it was cut off */
  choose(node, reason = "") {
    if (node < 0 || this.trace.born[node] > this.step) return;
    this.focus = node;
    this.reason = reason || `${this.trace.pathText(node)}: ${this.trace.side(node)} is to move.`;
    this.changed(true);
  }

  /** Go from the chosen node to a relative. @param {"up" | "down" | "left" | "right"} where */
  wander(where) {
    const { trace, step, node } = this;
    trace.seek(step);
    if (where === "up") return this.choose(trace.parents[node]);
    if (where === "down") return this.choose(trace.children(node, step)[0] ?? -1);
    const row = trace.parents[node] < 0 ? [node] : trace.children(trace.parents[node], step);
    return this.choose(row[row.indexOf(node) + (where === "left" ? -1 : 1)] ?? -1);
  }

  /** Play on from the shown node: that position is searched next. @param {number} move */
  play(move) {
    const { moves, game } = this.board.position;
    const text = [...moves, move].map((one) => one + 1).join(game.moves <= 9 ? "" : ",");
    this.search = { ...this.search, game: game.name, text };
    this.record();
  }

  nextCut() {
    const { trace } = this;
    for (let step = this.step + 1; step < trace.length; step++) if (trace.kind(step) === "cut" && trace.lists[step]) return this.go(step);
    announce("No cut-off follows.");
  }

  // Playing.

  toggle() {
    if (this.running) this.pause();
    else {
      if (this.step >= this.last) this.go(0);
      this.begun = performance.now();
      this.from = this.step;
      this.running = true;
      this.playing.textContent = "❚❚";
      this.tick();
    }
  }

  tick() {
    if (!this.running || this.closed) return;
    const wanted = this.from + Math.floor(((performance.now() - this.begun) / 1000) * this.speed);
    if (wanted > this.step) this.go(wanted);
    if (this.step >= this.last) this.pause();
    else requestAnimationFrame(() => this.tick());
  }

  pause() {
    this.running = false;
    this.playing.textContent = "▶";
    if (this.trace) this.changed(true);
  }

  setSpeed(speed) {
    this.speed = speed;
    [this.begun, this.from] = [performance.now(), this.step];
    remember({ treeSpeed: speed });
  }

  // Guessing.

  toggleGuess() {
    this.pause();
    this.quiz.on = !this.quiz.on;
    this.guess.setAttribute("aria-pressed", String(this.quiz.on));
    this.quiz.reset();
    if (this.quiz.on) this.forward();
    else this.changed(true);
  }

  /** @param {number} index of the answer */
  answer(index) {
    const better = this.quiz.answer(index);
    this.go(this.step + 1);
    this.quiz.showVerdict(better, this.step, () => this.forward());
  }

  /** The picture as a file for a slide. */
  save() {
    this.trace.seek(this.step);
    const picture = drawTree(this.trace, this.step, this.node, Math.max(640, this.width));
    const rules = [...document.styleSheets].filter((sheet) => (sheet.href || "").endsWith("trees.css")).flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText).filter((text) => text.startsWith(".t-")));
    download("inarow-tree.svg", standalone(picture, this.sentence(), rules.join(" ")), "image/svg+xml");
  }

  key(event) {
    if (!this.trace) return false;
    const key = event.key;
    const number = Number(key);
    if (this.quiz.question && number >= 1 && number <= this.quiz.question.options.length) {
      this.answer(number - 1);
      return true;
    }
    if ((key === " " || key === "Enter") && event.target instanceof HTMLButtonElement) return false;
    const actions = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.forward(),
      PageUp: () => this.go(this.step - 100),
      PageDown: () => this.go(this.step + 100),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      ArrowUp: () => this.wander("up"),
      ArrowDown: () => this.wander("down"),
      "[": () => this.wander("left"),
      "]": () => this.wander("right"),
      " ": () => this.toggle(),
      g: () => this.toggleGuess(),
      c: () => this.nextCut(),
      s: () => this.save(),
    };
    const action = actions[key] || actions[key.toLowerCase()];
    if (!action) return false;
    action();
    return true;
  }

  keys = [
    ["← →", "one step back, one forward"],
    ["Page Up, Page Down", "100 steps back, 100 forward"],
    ["Home, End", "to the start, to the end"],
    ["Space", "play or pause"],
    ["↑ ↓ [ ]", "look at the parent, a child, the siblings"],
    ["C", "to the next cut-off"],
    ["G", "guess the next step; 1 – 9 answer"],
    ["S", "save the tree as SVG"],
  ];

  close() {
    this.closed = true;
    this.running = false;
    clearTimeout(this.timer);
    this.abort.abort();
    this.resized.disconnect();
  }
}
