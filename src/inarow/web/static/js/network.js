// N-tuple networks in the worker: the file of a model, the board that kernels work with, and values.

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {import("./solving.js").Board} Board */
/** The arguments of kernels: a network and the board. @typedef {{net: any, board: any}} NetBoard */
/** A part of a value: its cells, as sets.
 * @typedef {{part: string, cells: bigint[], columns: number[], share: number}} Part */

const MARGIN = 32;
const TINY_SUM = 1e-9;
const SHOWN_PARTS = 8;

/** The values of 16-bit floats, by their bits. */
function halves() {
  return Float32Array.from({ length: 1 << 16 }, (_, bits) => {
    const [sign, power, part] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
  });
}

/** Round to the nearest integer, ties to even. @param {number} x */
function rounded(x) {
  const near = Math.round(x);
  return near - x === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

/** The parts of a network: the fields of its rules, its tables, the cells of its features, and its weights at half
 * precision, if it was trained.
 * @typedef {{gamma: number, fields: ArrayLike<bigint>, tables: Int32Array, images: ArrayLike<bigint>,
 * halves?: Uint16Array}} Parts */

/** The parts of a network in a file. @param {ArrayBuffer} file @returns {Parts} */
function readParts(file) {
  const [fields, tables, weights, features] = new Uint32Array(file, 0, 4);
  const images = 24 + 8 * fields;
  const begin = images + 8 * features;
  return {
    gamma: new Float64Array(file, 16, 1)[0],
    fields: new BigInt64Array(file, 24, fields),
    tables: new Int32Array(file, begin, tables),
    images: new BigInt64Array(file, images, features),
    halves: new Uint16Array(file, begin + 4 * tables, weights),
  };
}

/** A network; missing weights are 0. */
export class Network {
  /** @param {Kernels} kernels @param {string} name @param {Parts} parts @param {number} cells of the board */
  constructor(kernels, name, { gamma, fields: numbers, tables, images, halves = new Uint16Array() }, cells) {
    this.kernels = kernels;
    this.name = name;
    this.cells = cells;
    this.gamma = gamma;
    const rules = kernels.record("NetworkRules");
    Object.keys(kernels.manifest.records.NetworkRules.fields).forEach((name, at) => {
      rules[name] = typeof rules[name] === "boolean" ? numbers[at] !== 0n : numbers[at];
    });
    this.rules = rules;
    this.images = images;
    this.tables = kernels.copied("int32", tables);
    this.halves = halves;
    this.moves = Number(rules.units);
    this.features = images.length;
    this.wide = Number(rules.pairs) + (rules.memory ? 1 : 0);
    this.constants = kernels.constants["ntuple"];
    /** @type {NetBoard | null} */
    this.wholeNet = null;
    /** @type {NetBoard | null} */
    this.realNet = null;
  }

  /** The arguments of the kernels. @param {"float32" | "int32"} type @param {number} [rows] of a log */
  made(type, rows = 0) {
    const { kernels, rules, halves: bits } = this;
    const empty = () => kernels.array(type, 2 * Number(rules.size));
    const filled = () => {
      const value = halves();
      const { SCALE } = this.constants;
      const of = type === "int32" ? value.map((one) => rounded(one * SCALE)) : value;
      const weights = empty();
      const { data } = weights;
      for (let at = 0; at < bits.length; at++) data[at] = of[bits[at]];
      return weights;
    };
    const weights = bits.length ? kernels.keep(`${this.name} ${type}`, filled) : empty();
    return { net: { weights, tables: this.tables, rules }, board: this.boardOf(type, rows) };
  }

  /** Work buffers. @param {"float32" | "int32"} type of the weights @param {number} [rows] of a log */
  boardOf(type, rows = 0) {
    const { kernels, features, wide } = this;
    return {
      index: kernels.array("int32", (2 + rows) * features + (1 + rows) * wide + MARGIN),
      contents: kernels.array("int64", 2 * this.moves + MARGIN),
      forced: kernels.array("int64", this.cells + 1 + MARGIN),
      held: kernels.array(type, 2 * features + MARGIN),
    };
  }

  /** The network as it was trained. */
  get real() {
    return (this.realNet ??= this.made("float32"));
  }

  /** Convert points to a value. @param {number} points */
  value(points) {
    const { LARGEST, SCALE } = this.constants;
    return Math.abs(points) > LARGEST ? Math.sign(points) : Math.tanh(points / SCALE);
  }

  /** A network's board with a position on it. @param {NetBoard} made @param {bigint} own @param {bigint} opp */
  placed(made, own, opp) {
    this.kernels.call("ntuple.set_board", made.net, made.board, own, opp);
    return made;
  }

  /** A search's arguments: the network with integer weights. @param {bigint} own @param {bigint} opp @returns {any} */
  board(own, opp) {
    this.wholeNet ??= this.made("int32");
    return this.placed(this.wholeNet, own, opp);
  }

  /** The value of every legal move. @param {bigint} own @param {bigint} opp @returns {number[]} by move */
  judge(own, opp) {
    const { kernels } = this;
    const { net, board } = this.placed(this.real, own, opp);
    const mark = kernels.mark();
    const values = kernels.array("float64", this.moves);
    kernels.call("ntuple.judge", net, board, own, opp, this.gamma, values);
    const found = Array.from(values.data);
    kernels.release(mark);
    return found;
  }

  /** The largest contributions to the value of a move, or the result of tactics.
   * @param {bigint} own @param {bigint} opp @param {bigint} stone @param {number} value
   * @returns {{settled: string, parts: Part[]}} */
  takeApart(own, opp, stone, value) {
    const { kernels, rules, features, wide } = this;
    const { net, board } = this.placed(this.real, own, opp);
    const mark = kernels.mark();
    const cells = () => kernels.array("int64", features + wide);
    const room = { weights: kernels.array("float64", features + wide), first: cells(), second: cells() };
    const found = { ...room, blocks: kernels.array("int64", this.cells + 1) };
    const [estimated, blocks] = kernels.call("ntuple.take_apart", net, board, own, opp, stone, found);
    const [weights, first, second] = [room.weights, room.first, room.second].map((one) => Array.from(one.data));
    kernels.release(mark);
    if (!estimated) return { settled: value === 0 ? "draw" : value > 0 ? "win" : "loss", parts: [] };
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const scale = Math.abs(total) > TINY_SUM ? value / total : this.gamma ** (1 + Number(blocks));
    const { PAIR, PAIR_LEFT, PAIR_RIGHT } = kernels.constants["ntuple"];
    const entry = (/** @type {number} */ pair) => Number(rules.pair_of) + PAIR * pair;
    const pairs = Number(rules.pairs);
    /** @type {Map<string, Part>} */
    const merged = new Map();
    weights.forEach((weight, at) => {
      const pair = at - features;
      const [part, sets, columns] =
        pair < 0
          ? ["tuple", [this.images[at]], []]
          : pair < pairs
            ? [
                "threats",
                [first[at], second[at]],
                [PAIR_LEFT, PAIR_RIGHT].map((i) => this.tables.data[entry(pair) + i]),
              ]
            : ["memory", [], []];
      columns.sort((a, b) => a - b);
      const key = [part, ...sets, ...columns].join();
      const before = merged.get(key)?.share || 0;
      merged.set(key, { part, cells: sets, columns, share: before + weight * scale });
    });
    const size = (/** @type {Part} */ { share }) => Math.abs(share);
    const all = [...merged.values()].filter(({ share }) => share).sort((a, b) => size(b) - size(a));
    return { settled: "", parts: all.slice(0, SHOWN_PARTS) };
  }
}

/** The shipped network of a board. @param {import("./worker.js").Work} work @param {Board} board */
export function shippedNetwork({ kernels, files }, board) {
  const name = `models/ntuple-${board.name}`;
  return new Network(kernels, name, readParts(files[name]), board.cells);
}
