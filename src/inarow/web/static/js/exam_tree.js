// Game trees for exams: read, drawn at random and solved by kernels; in words, pictures and pages by the sentences and
// parts that Python uses.

import { refuse } from "./rules.js";
import { Stream, derive } from "./seeds.js";
import { escaped, say } from "./words.js";

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** A node; `children` are its children's places in the list of all nodes, parents first, from the left.
 * @typedef {{name: string, max: boolean, value: number | null, children: number[], level: number}} Node */
/** @typedef {Api.ExamStep & {kind: string, simulation: number | null}} Step */
/** @typedef {number | {name: string, below: Raw[]}} Raw a leaf's value, or an inner node */
/**
 * Data of exams from Python. @typedef {Object} Known
 * @property {Record<string, string>} parts of pictures and pages @property {Record<string, any>} shapes of random trees
 * @property {Record<string, string[]>} tasks by algorithm @property {Record<string, string>} labels of algorithms
 * @property {string[]} steps names of kernels' steps @property {[number, number, number]} sizes
 * @property {number} scale the smallest of a picture
 */

const TOKEN = /\s*(?:([([])|([)\]])|([+\-−]?\d+(?:\.\d+)?)|([\p{L}_][\p{L}\p{N}_]*))[,;]?/uy;
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** A coordinate. @param {number} x */
const numberOf = (x) => String(Number(x.toPrecision(6)));

/** One exam: a tree, an algorithm, and the steps to the solution. */
export class Exam {
  /** @param {Kernels} kernels with the bundles rules and exam @param {Known} known @param {Api.ExamRequest} request */
  constructor(kernels, known, { tree = "", algorithm, root = "max", difficulty = "medium", seed = 0, ...rest }) {
    this.kernels = kernels;
    this.known = known;
    this.codes = kernels.constants.exam;
    this.algorithm = algorithm;
    /** @type {Node[]} */
    this.nodes = [];
    this.name(tree.trim() ? this.parse(tree.trim()) : this.draw(difficulty, root, seed), root);
    this.text = this.written(0);
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Record<string, string>} */
    this.marks = {};
    /** @type {Set<string>} */
    this.pruned = new Set();
    /** @type {Record<string, number>} */
    this.playouts = {};
    this.simulations = rest.simulations ?? 8;
    this.exploration = rest.exploration ?? Math.SQRT2;
    const mark = kernels.mark();
    this.line = algorithm === "uct" ? this.simulate(seed) : this.search();
    kernels.release(mark);
  }

  // The tree.

  /** @param {string} text @returns {Raw} */
  parse(text) {
    const stack = [{ name: "", below: /** @type {Raw[]} */ ([]) }];
    /** @type {string[]} */
    const opened = [];
    let name = "";
    const unreadable = (/** @type {number} */ at, /** @type {string} */ code, /** @type {any} */ values = {}) => {
      const before = text.slice(0, at).slice(-20);
      const where = before ? say("tree", "after", { text: `'${before}'` }) : say("tree", "at_start");
      return refuse(say("tree", "unreadable", { where, why: say("tree", code, values) }));
    };
    let at = 0;
    while (at < text.length) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text);
      if (!token) {
        const [piece] = text.slice(at, at + 10).trim().split(/\s/); // prettier-ignore
        return unreadable(at, "no_token", { token: `'${piece}'` });
      }
      const [, open, close, number, named] = token;
      if (name && !open) unreadable(at, "no_bracket", { name });
      if (named) name = named;
      else if (number) stack.at(-1).below.push(Number(number.replace("−", "-")));
      else if (open) {
        const inner = { name, below: [] };
        stack.at(-1).below.push(inner);
        stack.push(inner);
        opened.push(open === "(" ? ")" : "]");
        name = "";
      } else {
        if (opened.pop() !== close) unreadable(at, "closes_nothing", { bracket: close });
        if (!stack.pop().below.length) unreadable(at, "empty");
      }
      at = TOKEN.lastIndex;
    }
    if (name) unreadable(at, "no_children", { name });
    if (opened.length) unreadable(at, "not_closed", { bracket: opened.at(-1) });
    const [{ below }] = stack;
    if (!below.length || (below.length === 1 && typeof below[0] === "number"))
      refuse(say("tree", "no_inner", { text: `'${text.slice(0, 40)}'` }));
    return below.length === 1 ? below[0] : stack[0];
  }

  /** @returns {never} */
  tooDeep() {
    return refuse(say("tree", "too_deep", { most: this.codes.MAX_DEPTH }));
  }

  /** Draw a tree at random. @param {string} difficulty @param {string} root @param {number} seed @returns {Raw} */
  draw(difficulty, root, seed) {
    const { kernels, algorithm } = this;
    const mark = kernels.mark();
    const tree = this.room(this.codes.MAX_NODES);
    const { state } = new Stream(kernels, derive(seed, "exam tree", difficulty, algorithm));
    const shape = this.known.shapes[`${difficulty} ${algorithm}`];
    const steps = this.stepRoom(this.codes.MAX_NODES);
    kernels.call("exam.draw", tree, shape, root === "max" ? 1 : 0, kernels.copied("int64", [state]), steps);
    const [children, siblings] = [tree.children.data, tree.siblings.data].map((one) => Array.from(one, Number));
    const values = Array.from(tree.values.data);
    kernels.release(mark);
    const raw = (/** @type {number} */ node) => {
      /** @type {Raw[]} */
      const below = [];
      for (let child = children[node]; child >= 0; child = siblings[child]) below.push(raw(child));
      return below.length ? { name: "", below } : values[node];
    };
    return raw(0);
  }

  /** Make nodes: unnamed inner ones get letters in breadth-first order, leaves are numbered below their parent.
   * @param {Raw} raw @param {string} root */
  name(raw, root) {
    /** @type {{name: string, below: Raw[]}[]} */
    const inner = [];
    for (let level = [raw]; level.length;) {
      const found = level.flatMap((one) => (typeof one === "number" ? [] : [one]));
      inner.push(...found);
      level = found.flatMap((one) => one.below);
    }
    const given = inner.map((one) => one.name).filter(Boolean);
    const twice = given.find((name, at) => given.indexOf(name) < at);
    if (twice) refuse(say("tree", "same_name", { name: twice }));
    const letters = [...LETTERS, ...LETTERS.flatMap((one) => LETTERS.map((two) => one + two))];
    const free = letters.filter((name) => !given.includes(name));
    const names = new Map(inner.map((one) => [one, one.name || free.shift()]));
    const build = (/** @type {Raw} */ one, /** @type {string} */ name, /** @type {number} */ level) => {
      const leaf = typeof one === "number";
      if (!leaf && level >= this.codes.MAX_DEPTH) this.tooDeep();
      const own = leaf ? name : names.get(one);
      const max = (level % 2 === 0) === (root === "max");
      const node = { name: own, max, value: leaf ? one : null, children: /** @type {number[]} */ ([]), level };
      const at = this.nodes.push(node) - 1;
      if (!leaf) node.children = one.below.map((child, i) => build(child, `${own}${i + 1}`, level + 1));
      return at;
    };
    build(raw, "", 0);
    const [count, most] = [this.nodes.length, this.codes.MAX_NODES];
    if (count > most) refuse(say("tree", "too_large", { count, most }));
  }

  /** A subtree in bracket notation. @param {number} at @returns {string} */
  written(at) {
    const { value, children } = this.nodes[at];
    return value === null ? `(${children.map((child) => this.written(child)).join(" ")})` : this.shown(value);
  }

  /** @param {number} [at] @returns {Node[]} the leaves below a node, from the left */
  leaves(at = 0) {
    const { children } = this.nodes[at];
    return children.length ? children.flatMap((child) => this.leaves(child)) : [this.nodes[at]];
  }

  // The algorithms.

  /** @param {number} nodes */
  room(nodes) {
    const { kernels } = this;
    const ints = () => kernels.copied("int64", new Array(nodes).fill(-1));
    return { children: ints(), siblings: ints(), turns: ints(), values: kernels.array("float64", nodes) };
  }

  /** @param {number} nodes */
  stepRoom(nodes) {
    const { kernels } = this;
    const rows = 5 * nodes + 4 * this.codes.MAX_DEPTH;
    const [ints, reals] = [() => kernels.array("int64", rows), () => kernels.array("float64", rows)];
    const columns = { kinds: ints(), nodes: ints(), others: ints(), values: reals(), lows: reals(), highs: reals() };
    return { ...columns, used: kernels.array("int64", 1) };
  }

  /** The tree as kernels read it. */
  arrays() {
    const { nodes } = this;
    const tree = this.room(nodes.length);
    nodes.forEach(({ max, value, children }, at) => {
      tree.turns.data[at] = BigInt(max);
      tree.values.data[at] = value ?? this.playouts[nodes[at].name] ?? 0;
      if (children.length) tree.children.data[at] = BigInt(children[0]);
      children.slice(1).forEach((child, i) => (tree.siblings.data[children[i]] = BigInt(child)));
    });
    return tree;
  }

  /** Minimax, optionally with pruning. @returns {string[]} best play */
  search() {
    const { kernels, nodes } = this;
    const { INFINITE } = this.codes;
    const [tree, steps] = [this.arrays(), this.stepRoom(nodes.length)];
    kernels.call("exam.search", tree, 0, this.algorithm === "alphabeta", -INFINITE, INFINITE, steps);
    this.tell(steps, null);
    const line = [0];
    while (nodes[line.at(-1)].children.length) line.push(Number(kernels.call("exam.best_child", tree, line.at(-1))));
    return line.map((at) => nodes[at].name);
  }

  /** UCT. @param {number} seed of the playouts @returns {string[]} the root and its best child */
  simulate(seed) {
    const { kernels, nodes } = this;
    nodes.slice(1).forEach(({ name, children }, i) => {
      if (!children.length) return;
      const leaves = this.leaves(i + 1);
      this.playouts[name] = leaves[new Stream(kernels, derive(seed, "playout", name)).below(leaves.length)].value;
    });
    const [tree, steps] = [this.arrays(), this.stepRoom(nodes.length)];
    const counts = [kernels.array("int64", nodes.length), kernels.array("float64", nodes.length)];
    for (let number = 1; number <= this.simulations; number++) {
      steps.used.data[0] = 0n;
      kernels.call("exam.simulate", tree, ...counts, ...this.rewards, this.exploration, steps);
      this.tell(steps, number);
    }
    return [nodes[0].name, nodes[Number(kernels.call("exam.most_visited", tree, ...counts))].name];
  }

  /** The values that map to rewards 0 and 1: 0 and 1 if all leaves are between them. */
  get rewards() {
    const values = this.leaves().map(({ value }) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low >= 0 && high <= 1 ? [0, 1] : low < high ? [low, high] : [low - 1, high];
  }

  /** A value: at most three decimals, or exactly three, and a real minus sign. @param {number} value
   * @param {boolean} [fixed] */
  shown(value, fixed = false) {
    if (Math.abs(value) >= this.codes.INFINITE) return value > 0 ? "∞" : "−∞";
    const rounded = (Math.sign(value) * Math.floor(Math.abs(value) * 1000 + 0.5)) / 1000;
    return (fixed ? rounded.toFixed(3) : String(rounded + 0)).replace("-", "−");
  }

  /** A value, or its bound. @param {number} low @param {number} high */
  bounds(low, high) {
    const { INFINITE } = this.codes;
    if (low === high) return this.shown(low);
    if (low <= -INFINITE) return `≤ ${this.shown(high)}`;
    return high >= INFINITE ? `≥ ${this.shown(low)}` : `${this.shown(low)} to ${this.shown(high)}`;
  }

  /** Add a kernel's recorded steps, in words. @param {any} steps @param {number | null} simulation */
  tell(steps, simulation) {
    /** @type {Record<string, string>} bounds of children, or marks of a path, for the step that follows them */
    let waiting = {};
    const listed = () => Object.entries(waiting).map((one) => one.join(" ")).join(", "); // prettier-ignore
    const columns = ["kinds", "nodes", "others", "values", "lows", "highs"].map((name) => steps[name].data);
    for (let row = 0; row < Number(steps.used.data[0]); row++) {
      const [code, at, other, value, low, high] = columns.map((column) => Number(column[row]));
      const node = this.nodes[at];
      const { name, max } = node;
      let kind = this.known.steps[code];
      /** @type {Step} */
      const step = { kind, node: name, text: "", simulation, marks: {}, pruned: [] };
      /** @type {Record<string, string>} */
      const values = { node: name, player: max ? "MAX" : "MIN", value: this.shown(value) };
      if (kind === "bound" || kind === "mark") {
        waiting[name] = kind === "mark" ? `${other} · ${this.shown(value)}` : this.shown(value, true);
        continue;
      }
      if (kind === "enter") {
        if (this.algorithm === "alphabeta") kind = "window";
        Object.assign(values, { alpha: this.shown(low), beta: this.shown(high) });
      } else if (kind === "update") {
        values.child = this.nodes[other].name;
        step.marks = { [name]: max ? `≥ ${this.shown(low)}` : `≤ ${this.shown(high)}` };
      } else if (kind === "cutoff") {
        const children = node.children.map((child) => this.nodes[child].name);
        step.pruned = children.slice(children.indexOf(this.nodes[other].name));
        step.pruned.forEach((one) => this.pruned.add(one));
        kind = max ? "cut_max" : "cut_min";
        Object.assign(values, { other: this.shown(low), pruned: step.pruned.join(" and ") });
      } else if (kind === "return") {
        values.mark = this.marks[name] = this.bounds(low, high);
        step.marks = { [name]: values.mark };
      } else if (kind === "expand" || kind === "select") {
        const parent = this.nodes[other];
        Object.assign(values, { parent: parent.name, player: parent.max ? "MAX" : "MIN", bounds: listed() });
      } else if (kind === "playout") {
        kind = (node.children.length ? "playout" : "leaf") + (value === high ? "" : "_reward");
        values.reward = this.shown(high);
      } else if (kind === "backup") {
        values.marks = listed();
        step.marks = waiting;
        Object.assign(this.marks, waiting);
      }
      if (kind === "select" || kind === "backup") waiting = {};
      step.text = say("exam", kind, values);
      this.steps.push(step);
    }
  }

  // Words and pictures.

  get title() {
    return say("exam", "title", { algorithm: this.known.labels[this.algorithm] });
  }

  /** The description of the tree and the algorithm in the question. */
  get given() {
    const [root] = this.nodes;
    const sentences = [say("exam", "given", { player: root.max ? "MAX" : "MIN", root: root.name })];
    if (this.algorithm === "alphabeta") sentences.push(say("exam", "given_alphabeta", { root: root.name }));
    if (this.algorithm === "uct") {
      const [low, high] = this.rewards;
      const shift = low > 0 ? `− ${this.shown(low)}` : `+ ${this.shown(-low)}`;
      const plain = low === 0 && high === 1;
      const scaled = { shift, range: this.shown(high - low) };
      const reward = plain ? say("exam", "its_value") : say("exam", "scaled", scaled);
      sentences.push(say("exam", "given_uct", { runs: this.simulations, c: this.shown(this.exploration), reward }));
    }
    return sentences;
  }

  /** The questions with their answers, and the number of lines that an answer needs. */
  get tasks() {
    const [root] = this.nodes;
    const marked = this.nodes.filter(({ name }) => name in this.marks);
    const cut = this.nodes.flatMap(({ name }, at) => (this.pruned.has(name) ? this.leaves(at) : []));
    const leaves = this.leaves().length;
    const values = {
      player: root.max ? "MAX" : "MIN",
      root: root.name,
      best: this.line[1],
      marks: marked.map(({ name }) => `${name}: ${this.marks[name]}`).join("; "),
      value: this.marks[root.name],
      line: this.line.join(" – "),
      pruned: [...this.pruned].sort().join(", ") || say("exam", "none"),
      visited: String(leaves - cut.length),
      leaves: String(leaves),
    };
    /** @type {Record<string, number>} */
    const lines = { path: this.simulations, move: 1, count: 1, root_value: 1 };
    return this.known.tasks[this.algorithm].map((one) => ({
      question: say("exam", `ask_${one}`, values),
      answer: say("exam", `answer_${one}`, values),
      lines: lines[one] || 0,
    }));
  }

  /** A part of a picture or a page. @param {string} name @param {Record<string, any>} [values] */
  part(name, values = {}) {
    return this.known.parts[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
  }

  /** The tree. @param {"question" | "solution" | "steps"} view */
  picture(view) {
    const { nodes } = this;
    const [step, level, size] = this.known.sizes;
    const leaves = this.leaves();
    /** @type {number[]} */
    const xs = [];
    const place = (/** @type {number} */ at) => {
      const places = nodes[at].children.map(place);
      xs[at] = places.length ? (places[0] + places.at(-1)) / 2 : step * (leaves.indexOf(nodes[at]) + 0.8);
      return xs[at];
    };
    place(0);
    const deepest = Math.max(...nodes.map((node) => node.level));
    const [width, height] = [Math.round(step * (leaves.length + 0.9)), Math.round(level * deepest + 2.6 * size + 14)];
    const numbers = (/** @type {Record<string, number>} */ values) =>
      Object.fromEntries(Object.entries(values).map(([name, x]) => [name, numberOf(x)]));
    const strikes = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ u) => {
      const [across, down] = [u - x, level];
      const length = Math.hypot(across, down);
      const [dx, dy] = [(8 * across) / length, (8 * down) / length];
      return [0.47, 0.53]
        .map((share) => [x + share * across, y + share * down])
        .map(([a, b]) => this.part("strike", numbers({ x: a - dy, y: b + dx, x2: a + dy, y2: b - dx })))
        .join("");
    };
    const line = view === "solution" ? this.line : [];
    const draw = (/** @type {number} */ at, edge = "") => {
      const { name, max, value, children } = nodes[at];
      const [x, y] = [xs[at], size + 8 + level * nodes[at].level];
      const below = children.map((child) => {
        const other = nodes[child].name;
        const best = line.includes(name) && line.includes(other) ? " g" : "";
        const path = this.part("edge", { best, ...numbers({ x, y, x2: xs[child], y2: y + level }) });
        const cut = this.pruned.has(other) && view !== "question";
        return draw(child, path) + (cut ? this.part("cut", { name: other, strikes: strikes(x, y, xs[child]) }) : "");
      });
      const up = max ? -1 : 1;
      const shape =
        value === null
          ? this.part("inner", {
              name,
              ...numbers({ x, left: x - size, right: x + size, tip: y + up * size }),
              ...numbers({ base: y - up * size * 0.8, middle: y + 4 - up * 4 }),
            })
          : this.part("leaf", {
              name,
              value: this.shown(value),
              ...numbers({ x, left: x - 16, top: y - 13, base: y + 5, below: y + 25 }),
            });
      const faded = view === "solution" && this.pruned.has(name) ? ' class="d"' : "";
      const inside = [edge, ...below, shape, ...this.marksAt(nodes[at], x, y, view)].join("");
      return this.part("node", { name, faded, inside });
    };
    const style = view === "steps" ? "" : `<style>${this.known.parts.style}</style>`;
    return { width, text: this.part("svg", { width, height, text: this.text, style, nodes: draw(0) }) };
  }

  /** The marks of a node: its value, or visits and mean; in a question a box to fill in.
   * @param {Node} node @param {number} x @param {number} y @param {string} view @returns {string[]} */
  marksAt({ name, children }, x, y, view) {
    const right = x + this.known.sizes[2] + 3;
    const uct = this.algorithm === "uct";
    if (view === "question")
      return children.length && !uct ? [this.part("box", { left: numberOf(right), top: numberOf(y - 10) })] : [];
    const inner = uct ? [[right, y - 4], [right, y + 10]] : [[right, y + 4]]; // prettier-ignore
    const places = children.length ? inner : uct ? [[x + 13, y - 17]] : [];
    const texts = view === "solution" ? (this.marks[name] || "").split(" · ") : places.map(() => "");
    return places.slice(0, texts.length).map(([left, top], at) => {
      const values = { kind: uct ? "m v" : "m", name, x: numberOf(left), y: numberOf(top), text: texts[at] };
      return this.part("mark", values);
    });
  }

  /** The page of the question, or of its solution. @param {boolean} solved */
  page(solved) {
    const { width, text: picture } = this.picture(solved ? "solution" : "question");
    const playouts = Object.entries(this.playouts).sort(([a], [b]) => (a < b ? -1 : 1));
    const cells = (/** @type {string} */ name, /** @type {string[]} */ texts) =>
      texts.map((text) => this.part(name, { text: escaped(text) })).join("");
    const tasks = this.tasks.map(({ question, answer, lines }) => {
      const below = solved ? this.part("answer", { text: escaped(answer) }) : this.part("line").repeat(lines);
      return this.part("task", { question: escaped(question), below });
    });
    const names = cells("playout_name", playouts.map(([name]) => name)); // prettier-ignore
    const results = cells("playout_result", playouts.map(([, value]) => this.shown(value))); // prettier-ignore
    return this.part("page", {
      title: escaped(solved ? say("exam", "solution_title", { title: this.title }) : this.title),
      least_width: Math.round(width * this.known.scale),
      given: cells("paragraph", this.given),
      picture,
      playouts: playouts.length ? this.part("playouts", { names, results }) : "",
      tasks: tasks.join(""),
      steps: solved ? this.stepTable() : "",
    });
  }

  /** The table of steps; an update belongs to the leaf or the value that it follows. */
  stepTable() {
    /** @type {{kind: string, text: string, number: number | string}[]} */
    const rows = [];
    let last = /** @type {number | null} */ (0);
    for (const { kind, text, simulation } of this.steps) {
      if (kind === "update") {
        rows.at(-1).text += ` ${escaped(text)}`;
        continue;
      }
      const number = !simulation ? rows.length + 1 : simulation === last ? "" : simulation;
      last = simulation;
      rows.push({ kind, text: escaped(text), number });
    }
    return this.part("steps", {
      number: Object.keys(this.playouts).length ? "simulation" : "step",
      rows: rows.map((row) => this.part("step", row)).join(""),
      text: this.text,
    });
  }

  /** @returns {Api.ExamInfo} */
  get info() {
    const playouts = Object.entries(this.playouts).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      tree: this.text,
      title: this.title,
      given: this.given,
      playouts: Object.fromEntries(playouts.map(([name, value]) => [name, this.shown(value)])),
      tasks: this.tasks.map(({ question, answer }) => ({ question, answer })),
      steps: this.steps.map(({ text, node, marks, pruned }) => ({ text, node, marks, pruned })),
      picture: this.picture("steps").text,
      question: this.page(false),
      solution: this.page(true),
    };
  }
}
