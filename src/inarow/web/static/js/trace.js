// A recorded search: its tree and events as typed arrays, and its state at any step, from the nearest checkpoint
// and the few events after it. All numbers were recorded by the engine.

const NONE = 0; // the status of a node of a search
export const OPEN = 1;
export const DONE = 2;
const CHECKPOINTS = 40;
const SHORTEST = 200; // events between two checkpoints, at least

export class Trace {
  /** @param {any} info the server's description of the trace @param {any[]} pages its events */
  constructor(info, pages) {
    this.info = info;
    this.simulated = info.simulated;
    this.length = pages.reduce((sum, page) => sum + page.kinds.length, 0);
    this.names = info.kinds;
    const nodes = pages.reduce((sum, page) => sum + page.parents.length, 0);
    this.nodeCount = nodes;
    const join = (Type, name, length, absent = 0) => {
      const whole = new Type(length);
      let at = 0;
      for (const page of pages) for (const value of page[name]) whole[at++] = value === null ? absent : value;
      return whole;
    };
    this.parents = join(Int32Array, "parents", nodes);
    this.moves = join(Int8Array, "moves", nodes);
    this.cells = join(Int8Array, "cells", nodes);
    this.kinds = join(Uint8Array, "kinds", this.length);
    this.nodes = join(Int32Array, "nodes", this.length);
    this.values = join(Float64Array, "values", this.length);
    this.lows = join(Float64Array, "lows", this.length, -Infinity);
    this.highs = join(Float64Array, "highs", this.length, Infinity);
    this.bests = join(Float64Array, "bests", this.length);
    this.improved = join(Uint8Array, "improved", this.length);
    this.said = join(Uint8Array, "said", this.length);
    this.lists = Object.assign({}, ...pages.map((page) => page.lists));
    this.index();
    this.prepare();
  }

  /** The name of the kind of an event. @param {number} step */
  kind(step) {
    return this.names[this.kinds[step]];
  }

  /** Compute what does not depend on the step: depths, children, the step that creates or cuts each node. */
  index() {
    const count = this.nodeCount;
    this.depth = new Uint8Array(count);
    this.firstChild = new Int32Array(count).fill(-1);
    this.nextSibling = new Int32Array(count).fill(-1);
    const last = new Int32Array(count).fill(-1);
    for (let node = 0; node < count; node++) {
      const parent = this.parents[node];
      if (parent < 0) continue;
      this.depth[node] = this.depth[parent] + 1;
      if (last[parent] < 0) this.firstChild[parent] = node;
      else this.nextSibling[last[parent]] = node;
      last[parent] = node;
    }
    this.end = Int32Array.from({ length: count }, (_, node) => node); // the last descendant of each node, in a search
    for (let node = count - 1; node > 0; node--) {
      const parent = this.parents[node];
      if (parent >= 0) this.end[parent] = Math.max(this.end[parent], this.end[node]);
    }
    this.born = new Int32Array(count).fill(this.length);
    this.cutAt = new Int32Array(count).fill(-1);
    this.made = new Int32Array(this.length); // number of nodes after each step
    let made = 0;
    for (let step = 0; step < this.length; step++) {
      const kind = this.kind(step);
      const until = kind === "expand" ? this.lows[step] + this.values[step] : this.nodes[step] + 1;
      while (made < until) this.born[made++] = step;
      this.made[step] = made;
      if (kind === "cut") this.cutAt[this.nodes[step]] = step;
    }
  }

  /** Allocate the state and its checkpoints. */
  prepare() {
    const count = this.nodeCount;
    this.state = this.simulated
      ? { visits: new Int32Array(count), totals: new Float64Array(count), proven: new Int8Array(count) }
      : {
          value: new Float64Array(count).fill(NaN),
          low: new Float64Array(count).fill(-Infinity),
          high: new Float64Array(count).fill(Infinity),
          status: new Uint8Array(count),
          how: new Uint8Array(count),
        };
    this.columns = Object.values(this.state);
    this.empty = this.simulated ? [0, 0, 0] : [NaN, -Infinity, Infinity, NONE, 0];
    this.every = Math.max(SHORTEST, Math.ceil(this.length / CHECKPOINTS));
    this.checkpoints = [];
    this.at = -1; // the last step applied to the state
    for (let step = 0; step < this.length; step++) {
      if (step % this.every === 0)
        this.checkpoints.push({
          made: step ? this.made[step - 1] : 0,
          columns: this.columns.map((column) => column.slice(0, step ? this.made[step - 1] : 0)),
        });
      this.apply(step);
    }
    this.at = this.length - 1;
  }

  /** Set the state to the one after a step. @param {number} step */
  seek(step) {
    if (step < this.at || step - this.at > this.every) {
      const number = Math.floor(step / this.every);
      const saved = this.checkpoints[number];
      this.columns.forEach((column, index) => {
        column.set(saved.columns[index]);
        column.fill(this.empty[index], saved.made);
      });
      this.at = number * this.every - 1;
    }
    while (this.at < step) this.apply(++this.at);
  }

  /** Apply one event. @param {number} step */
  apply(step) {
    const node = this.nodes[step];
    const kind = this.kind(step);
    if (this.simulated) {
      const { visits, totals, proven } = this.state;
      if (kind === "prove") proven[node] = this.values[step] + 2;
      if (kind !== "backup") return;
      for (let one = node; one >= 0; one = this.parents[one]) {
        visits[one]++;
        if (this.parents[one] >= 0) totals[one] += this.depth[one] % 2 ? this.lows[step] : this.highs[step];
      }
      return;
    }
    const { value, low, high, status, how } = this.state;
    if (kind === "begin" || kind === "enter") {
      status[node] = OPEN;
      if (kind === "enter") [low[node], high[node]] = [this.lows[step], this.highs[step]];
    } else if (kind === "leaf" || kind === "known" || kind === "return") {
      const parent = this.parents[node];
      value[node] = this.values[step];
      how[node] = this.said[step];
      status[node] = DONE;
      [value[parent], low[parent], high[parent]] = [this.bests[step], this.lows[step], this.highs[step]];
    } else if (kind === "decide") status[node] = DONE;
  }

  /**
   * A node's children after a step, in the order of their creation. @param {number} node
   * @param {number} step
   */
  children(node, step) {
    const found = [];
    for (let one = this.firstChild[node]; one >= 0 && this.born[one] <= step; one = this.nextSibling[one])
      found.push(one);
    return found;
  }

  /** The moves at a node that are cut off after a step. @param {number} node @param {number} step */
  cutMoves(node, step) {
    const cut = this.cutAt[node];
    return cut >= 0 && cut <= step ? this.lists[cut] || [] : [];
  }

  /** The nodes from the root to a node. @param {number} node */
  path(node) {
    const nodes = [];
    for (let one = node; one >= 0; one = this.parents[one]) nodes.unshift(one);
    return nodes;
  }

  /** The moves from the root to a node. @param {number} node */
  line(node) {
    return this.path(node)
      .slice(1)
      .map((one) => this.moves[one]);
  }

  /**
   * The number of nodes below a node after a step; a search creates them one after the other. @param {number} node
   * @param {number} step
   */
  below(node, step) {
    if (this.simulated)
      return this.firstChild[node] >= 0 && this.born[this.firstChild[node]] <= step ? this.state.visits[node] : 0;
    return Math.max(0, Math.min(this.end[node], this.made[step] - 1) - node);
  }

  /** The player to move at a node. @param {number} node */
  side(node) {
    return this.depth[node] % 2 ? "MIN" : "MAX";
  }

  /** The value of a node for MAX in [−1, 1]; NaN if unknown. @param {number} node */
  tint(node) {
    if (this.simulated) {
      if (this.state.proven[node]) return this.state.proven[node] - 2;
      const visits = this.state.visits[node];
      if (!visits || this.parents[node] < 0) return NaN;
      const mean = this.state.totals[node] / visits - 1;
      return this.depth[node] % 2 ? mean : -mean;
    }
    const value = this.state.value[node];
    return value / (Math.abs(value) + 20 * this.info.unit);
  }

  /** A short label of a node's value. @param {number} node */
  short(node) {
    if (this.simulated) {
      const proven = this.state.proven[node];
      if (proven) return ["MIN wins", "draw", "MAX wins"][proven - 1];
      const tint = this.tint(node);
      return Number.isNaN(tint) ? "" : signed(tint.toFixed(2));
    }
    return this.sign(node) + this.points(this.state.value[node], true);
  }

  /** The sign before a node's value, which may be a bound. @param {number} node */
  sign(node) {
    return this.info.signs[this.state.how[node]];
  }

  /** Format points as the server does. @param {number} points @param {boolean} short */
  points(points, short = false) {
    if (Number.isNaN(points)) return "";
    if (!Number.isFinite(points)) return points > 0 ? "+∞" : "−∞";
    const { win, win_at_start: start, unit } = this.info;
    if (Math.abs(points) >= win) {
      const side = points > 0 ? "MAX" : "MIN";
      return short ? `${side} wins` : `a win for ${side} with stone ${Math.floor((start - Math.abs(points)) / unit)}`;
    }
    return signed(String(Number((points / unit).toPrecision(10))));
  }

  /** An event as a sentence, from the server's templates. @param {number} step */
  words(step) {
    const node = this.nodes[step];
    const moves = this.lists[step] || [];
    const kind = this.kind(step);
    const fields = {
      path: this.pathText(node),
      side: this.side(node),
      parent: this.side(node) === "MAX" ? "MIN" : "MAX",
      count: kind === "rollout" ? moves.length : this.values[step],
      moves: listed(moves.map((move) => String(move + 1))),
      result: this.info.results[this.values[step]] || signed(this.values[step].toFixed(2)),
      value: this.points(this.values[step]),
      low: this.points(this.lows[step]),
      high: this.points(this.highs[step]),
      best: this.points(this.bests[step]),
    };
    fields.effect = filled(this.info.effects[this.improved[step]], fields);
    const text = filled(this.info.templates[this.said[step]], fields);
    return text[0].toUpperCase() + text.slice(1);
  }

  /** @param {number} node */
  pathText(node) {
    return (
      this.line(node)
        .map((move) => move + 1)
        .join(" ") || "the root"
    );
  }
}

const filled = (template, fields) => template.replace(/\{(\w+)\}/g, (_, name) => fields[name]);

const listed = (words) => [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ");

/** A number with its sign. @param {string} text */
export function signed(text) {
  if (Number(text) === 0) return text.replace("-", "");
  return text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
}
