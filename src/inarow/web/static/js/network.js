// N-tuple networks in the worker: the file of a model, the board that kernels work with, and values.

/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./solving.js").Board} Board */

const MARGIN = 32;

/** What floats of 16 bits are, by their bits. */
function halves() {
  return Float32Array.from({ length: 1 << 16 }, (_, bits) => {
    const [sign, power, part] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
  });
}

/** The nearest whole number, the even one of two. @param {number} x */
function rounded(x) {
  const near = Math.round(x);
  return near - x === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

/** The network that ships for a board. */
export class Network {
  /** @param {Work} work @param {Board} board */
  constructor({ kernels, opened }, board) {
    const file = opened[`models/ntuple-${board.name}`];
    const [fields, tables, weights] = new Uint32Array(file, 0, 3);
    this.gamma = new Float64Array(file, 16, 1)[0];
    const rules = kernels.record("NetworkRules");
    const numbers = new BigInt64Array(file, 24, fields);
    Object.keys(kernels.manifest.records.NetworkRules.fields).forEach((name, at) => {
      rules[name] = typeof rules[name] === "boolean" ? numbers[at] !== 0n : numbers[at];
    });
    const begin = 24 + 8 * fields;
    const table = kernels.copied("int32", new Int32Array(file, begin, tables));
    const bits = new Uint16Array(file, begin + 4 * tables, weights);
    this.kernels = kernels;
    this.moves = Number(rules.units);
    this.constants = kernels.constants["ntuple.points"];
    const value = halves();
    const { SCALE } = this.constants;
    const features = Number(rules.features);
    const wide = Number(rules.pairs) + (rules.memory ? 1 : 0);
    /** @param {"float32" | "int32"} type */
    const made = (type) => {
      const all = kernels.array(type, weights);
      const { data } = all;
      for (let at = 0; at < weights; at++)
        data[at] = type === "int32" ? rounded(value[bits[at]] * SCALE) : value[bits[at]];
      const work = {
        index: kernels.array("int32", 2 * features + wide + MARGIN),
        contents: kernels.array("int64", 2 * this.moves + MARGIN),
        forced: kernels.array("int64", board.cells + 1 + MARGIN),
        held: kernels.array(type, 2 * features + MARGIN),
      };
      return { net: { weights: all, tables: table, rules }, board: work };
    };
    this.made = made;
    /** @type {{net: any, board: any} | null} */
    this.wholeNet = null;
    /** @type {{net: any, board: any} | null} */
    this.realNet = null;
  }

  /** The network as searches read it, with whole weights. */
  get whole() {
    return (this.wholeNet ??= this.made("int32"));
  }

  /** The network as it was trained. */
  get real() {
    return (this.realNet ??= this.made("float32"));
  }

  /** Points as a value. @param {number} points */
  value(points) {
    const { LARGEST, SCALE } = this.constants;
    return Math.abs(points) > LARGEST ? Math.sign(points) : Math.tanh(points / SCALE);
  }

  /** A network's board with a position on it. @param {{net: any, board: any}} made @param {bigint} own
   * @param {bigint} opp */
  placed(made, own, opp) {
    this.kernels.call("ntuple.points.set_board", made.net, made.board, own, opp);
    return made;
  }

  /** What a search takes. @param {bigint} own @param {bigint} opp @returns {any} */
  board(own, opp) {
    return this.placed(this.whole, own, opp);
  }

  /** The value of every legal move. @param {bigint} own @param {bigint} opp @returns {number[]} by move */
  judge(own, opp) {
    const { kernels } = this;
    const { net, board } = this.placed(this.real, own, opp);
    const mark = kernels.mark();
    const values = kernels.array("float64", this.moves);
    kernels.call("ntuple.network.judge", net, board, own, opp, this.gamma, values);
    const found = Array.from(values.data);
    kernels.release(mark);
    return found;
  }
}
