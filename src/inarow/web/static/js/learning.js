// Q-learning with a table and temporal differences with a network, in the worker, at a chosen pace, while a page
// watches.

import { untrained } from "./layout.js";
import { Network } from "./network.js";
import { Stream, derive } from "./seeds.js";
import { members } from "./wasm.js";

/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {[string, string, number[]]} Known own stones, the other's, and the moves that keep the verdict */

const ROWS = 1 << 19; // of the table; three quarters of them may be used
const MAX_NODES = 20_000; // positions of a game that is listed as a graph
const GRAPH_ROWS = 1 << 16; // of such a game's table
const LIMITS = { minutes: 10, episodes: 1_000_000_000 };
const TICK = 100; // milliseconds
const MEASURE = 1000; // minimum milliseconds between measurements, which take at most a tenth of the time
const GAMMA = 0.95;
const BITS = 63;

/** A board with its symmetries, as tables read it.
 * @param {Kernels} kernels @param {any} layout @param {number} moves */
export function foldedBoard(kernels, layout, moves) {
  const symmetries = Number(kernels.call("rules.symmetries", layout));
  const bitImages = kernels.array("int64", symmetries * BITS);
  const moveImages = kernels.array("int64", symmetries * moves);
  const moveOfBit = kernels.array("int64", BITS);
  const weights = kernels.array("int64", BITS);
  for (let bit = 0; bit < BITS; bit++) {
    if (!((layout.board >> BigInt(bit)) & 1n)) continue;
    const move = kernels.call("rules.move_to", layout, 1n << BigInt(bit));
    moveOfBit.data[bit] = move;
    for (let which = 0; which < symmetries; which++) {
      const image = kernels.call("rules.image_of", layout, which, bit);
      bitImages.data[which * BITS + bit] = image;
      moveImages.data[which * moves + Number(move)] = kernels.call("rules.move_to", layout, image);
    }
  }
  const { k, stride, board: cells, bottom, gravity } = layout;
  const images = { bit_images: bitImages, move_images: moveImages, move_of_bit: moveOfBit, centre_weights: weights };
  return { k, stride, cells, bottom, gravity, centre: 0, corners: 0, moves, symmetries, bits: BITS, ...images };
}

/** A table's entry for a position: the value of every legal move, the moves that a guide chooses from, and whether the
 * table knows it. @param {Kernels} kernels @param {any} layout @param {any[]} table record, board and guide
 * @param {bigint} first @param {bigint} second */
export function judged(kernels, layout, table, first, second) {
  const { moves } = table[1];
  const mark = kernels.mark();
  const [values, forced] = [kernels.array("float64", moves), kernels.array("int64", moves)];
  const known = Boolean(kernels.call("qlearning.judge", ...table, first, second, values, forced));
  const legal = kernels.call("rules.look", layout, first, second)[1];
  const all = members(legal);
  const found = {
    values: /** @type {Record<string, number>} */ (Object.fromEntries(all.map((move) => [move, values.data[move]]))),
    forced: all.filter((move) => forced.data[move]),
    known,
  };
  kernels.release(mark);
  return found;
}

/** Settings of a training: the request, the board, and the settings of networks from Python.
 * @typedef {Api.LearnRequest & {board: import("./solving.js").Board, moves: number, known: Known[], settings: any,
 * coherence: number, average: number, round: number}} Plan */

/** A small game as a graph, whose kernel learns several times as fast; the table has a row for each position. */
class Graph {
  /** @param {Kernels} kernels @param {any} board as tables read it @param {number} moves */
  constructor(kernels, board, moves) {
    const [perNode, perMove] = [MAX_NODES, moves * MAX_NODES];
    const numbers = (/** @type {number} */ length) => kernels.array("int32", length);
    this.moves = moves;
    this.keys = kernels.array("int64", 2 * GRAPH_ROWS);
    this.keys.data.fill(-1n);
    this.arrays = {
      moves,
      legal: numbers(perNode),
      choices: numbers(perNode),
      choice_of_move: numbers(perMove),
      slots: numbers(perMove),
      following: numbers(perMove),
      values: kernels.array("float32", perMove),
      visits: numbers(perMove),
    };
    const rows = numbers(GRAPH_ROWS);
    const nodes = kernels.array("int64", MAX_NODES, 2);
    this.nodes = Number(kernels.call("qgraph.list_positions", board, this.arrays, nodes, this.keys, rows));
    this.isListed = this.nodes !== kernels.constants.qgraph.TOO_MANY;
    if (!this.isListed) return;
    this.rowOf = new Int32Array(this.nodes);
    this.met = new Uint8Array(this.nodes);
    this.visited = 0; // positions
    // The keys of visited positions; those of others are no position's.
    this.visitedKeys = kernels.array("int64", 2 * GRAPH_ROWS);
    this.visitedKeys.data.set(this.keys.data);
    const [all, visited, nodeOf] = [this.keys.data, this.visitedKeys.data, rows.data];
    for (let row = 0; row < GRAPH_ROWS; row++) {
      if (all[2 * row] < 0n) continue;
      this.rowOf[nodeOf[row]] = row;
      visited[2 * row] = visited[2 * row + 1] = board.cells;
    }
  }

  /** Copy values and visits to a table, or back from it. @param {any} table @param {boolean} back */
  copy(table, back) {
    const { moves, nodes, rowOf, met } = this;
    const { choices, slots, values, visits } = this.arrays;
    const [lengths, slotOf, here, counts] = [choices, slots, values, visits].map((array) => array.data);
    const [there, countsThere] = [table.values.data, table.visits.data];
    const [keys, visited] = [this.keys.data, this.visitedKeys.data];
    for (let node = 0; node < nodes; node++)
      for (let at = node * moves, end = at + lengths[node]; at < end; at++) {
        const row = rowOf[node];
        const slot = row * moves + slotOf[at];
        if (back) [here[at], counts[at]] = [there[slot], countsThere[slot]];
        else [there[slot], countsThere[slot]] = [here[at], counts[at]];
        if (met[node] || !counts[at]) continue;
        met[node] = 1;
        this.visited++;
        visited.set(keys.subarray(2 * row, 2 * row + 2), 2 * row);
      }
  }
}

/** A Q-table for a board, which learns from episodes of self-play. */
class TableLearner {
  /** @param {Work} work @param {Plan} plan */
  constructor({ kernels }, { board, moves, seed = 0 }) {
    this.kernels = kernels;
    this.layout = board.layout;
    this.gamma = GAMMA;
    this.board = foldedBoard(kernels, board.layout, moves);
    const mark = kernels.mark();
    const graph = new Graph(kernels, this.board, moves);
    /** @type {Graph | null} */
    this.graph = graph.isListed ? graph : null;
    if (!this.graph) kernels.release(mark);
    const rows = this.graph ? GRAPH_ROWS : ROWS;
    const table = kernels.record("TableRecord");
    this.table = table;
    table.rows = rows;
    table.moves = moves;
    table.most = (rows / 4) * 3;
    table.keys = this.graph ? graph.keys : kernels.array("int64", 2 * rows);
    if (!this.graph) table.keys.data.fill(-1n);
    table.values = kernels.array("float32", moves * rows);
    table.visits = kernels.array("int32", moves * rows);
    this.shown = kernels.record("TableRecord"); // without the positions that were not visited
    Object.assign(this.shown, { rows, moves, keys: graph.visitedKeys ?? table.keys, values: table.values });
    this.path = kernels.array("int32", kernels.constants.qgraph.STEP * board.cells);
    this.progress = kernels.record("Progress");
    this.progress.random = derive(seed, "qlearning");
    const column = () => kernels.array("int64", board.cells);
    this.episode = { stones: column(), rows: column(), slots: column(), legal: column() };
    this.opponents = kernels.copied("int64", [kernels.constants["qlearning"].SELF]);
    this.stop = kernels.array("int64", 1);
  }

  get episodes() {
    return Number(this.progress.episodes);
  }

  get entries() {
    return this.graph ? this.graph.visited : Number(this.table.used);
  }

  /** The mean error of the updates since the last reading; null without any. */
  get error() {
    const { progress } = this;
    const error = progress.updates ? progress.errors / progress.updates : null;
    for (const name of ["wins", "draws", "losses", "plies", "rewards", "errors", "updates"]) progress[name] = 0;
    return error;
  }

  /** Learn from episodes. @param {number} count @param {number} alpha @param {number} epsilon
   * @returns {any[]} the updates of the last one, each with the moves that led to it */
  run(count, alpha, epsilon) {
    if (count > 1) this.play(count - 1, alpha, epsilon);
    /** @type {number[][]} */
    const seen = [];
    this.graph?.copy(this.table, false);
    this.play(1, alpha, epsilon, { update: (/** @type {any[]} */ ...values) => seen.push(values.map(Number)) });
    this.graph?.copy(this.table, true);
    const most = Math.max(...seen.map(([ply]) => ply));
    const stones = this.episode.stones.data;
    const moves = Array.from({ length: most + 1 }, (_, ply) =>
      Number(this.kernels.call("rules.move_to", this.layout, stones[ply])),
    );
    return seen.map(([ply, old, target, now]) => ({
      moves: moves.slice(0, ply),
      move: moves[ply],
      old,
      target,
      new: now,
    }));
  }

  /** @param {number} count @param {number} alpha @param {number} epsilon @param {Record<string, Function>} [seen] */
  play(count, alpha, epsilon, seen) {
    const { kernels, graph, table, board, progress, episode, opponents, path, stop } = this;
    const rate = (/** @type {number} */ start) => ({ kind: 0, start, pace: 0, end: 0, by_move: 0 });
    const learning = {
      alpha: rate(alpha),
      gamma: GAMMA,
      win: 1,
      draw: 0,
      loss: -1,
      per_move: 0,
      together: true,
      backward: true,
    };
    const exploration = { epsilon: rate(epsilon), longest_opening: 0 };
    const { BOTH_SEATS } = kernels.constants["qlearning"];
    const given = [table, board, { kind: 0, share: 0 }, exploration, learning, progress, episode, opponents];
    const rest = [...given, BOTH_SEATS, 0, count, stop];
    const name = "qlearning.episodes";
    if (seen) kernels.traced(seen, name, ...rest);
    else if (graph) kernels.call("qgraph.episodes", graph.arrays, exploration, learning, progress, path, count, stop);
    else kernels.call(name, ...rest);
  }

  /** The values of a position's moves, and true if it was visited. @param {bigint} first @param {bigint} second */
  judge(first, second) {
    return judged(this.kernels, this.layout, [this.shown, this.board, { kind: 0, share: 0 }], first, second);
  }
}

/** A network that learns by temporal differences. It plays with the average of its latest weights. */
class NetworkLearner {
  /** @param {Work} work @param {Plan} plan @param {Omit<import("./network.js").Parts, "gamma">} parts */
  constructor({ kernels }, { board, settings, coherence, average, round, seed = 0 }, parts) {
    const { name, cells, layout } = board;
    this.kernels = kernels;
    this.layout = layout;
    this.settings = { ...settings, longest_opening: Math.floor(cells / 5) };
    this.gamma = null; // not shown
    this.round = round;
    this.average = average;
    this.episodes = 0;
    const network = new Network(kernels, name, { ...parts, gamma: settings.gamma }, cells);
    this.network = network;
    const { net, board: work } = network.made("float32", cells);
    this.net = net;
    this.work = work;
    this.log = { index: work.index, targets: kernels.array("float64", cells), sides: kernels.array("int64", cells) };
    const { STEP_LEVELS, TALLY, TRACE, TINY } = kernels.constants["td"];
    const traces = kernels.array("float32", TRACE * net.weights.length);
    traces.data.fill(TINY);
    const rates = Array.from({ length: STEP_LEVELS }, (_, at) => Math.exp(coherence * (at / (STEP_LEVELS - 1) - 1)));
    this.coherence = { traces, rates: kernels.copied("float32", rates) };
    this.random = kernels.copied("int64", [derive(seed, "ntuple", 0)]);
    this.stop = kernels.array("int64", 1);
    this.tally = kernels.array("float64", TALLY);
    network.realNet = { net, board: network.boardOf("float32") };
  }

  get entries() {
    const { data } = this.net.weights;
    let count = 0;
    for (let at = 0; at < data.length; at++) if (data[at]) count++;
    return count;
  }

  get error() {
    const { ERRORS, UPDATES } = this.kernels.constants["td"];
    const { data } = this.tally;
    const error = data[UPDATES] ? data[ERRORS] / data[UPDATES] : null;
    data.fill(0);
    return error;
  }

  /** Learn from episodes. @param {number} count @param {number} alpha @param {number} epsilon @returns {any[]} */
  run(count, alpha, epsilon) {
    const { kernels, net, work, log, coherence, random, stop, tally, round } = this;
    const settings = { ...this.settings, alpha, epsilon };
    for (let left = count; left > 0;) {
      const part = Math.min(left, round - (this.episodes % round));
      kernels.call("td.self_play", net, work, log, coherence, settings, random, part, 0, stop, tally);
      this.episodes += part;
      left -= part;
      if (this.episodes % round === 0) this.blend();
    }
    return [];
  }

  /** At the end of a round, include the weights in their average, once it covers a round or more. */
  blend() {
    const { kernels, net, network } = this;
    const rounds = this.episodes / this.round;
    if (rounds * this.average < 1) return;
    const averaged = network.real.net.weights !== net.weights;
    if (!averaged) network.realNet.net = { ...net, weights: kernels.array("float32", net.weights.length) };
    const { weights } = network.real.net;
    kernels.call("td.blend", weights, net.weights, averaged ? 1 / (rounds * this.average) : 1);
  }

  /** @param {bigint} first @param {bigint} second */
  judge(first, second) {
    const { kernels, layout } = this;
    const player = members(first | second).length % 2;
    const values = player ? this.network.judge(second, first) : this.network.judge(first, second);
    const legal = members(kernels.call("rules.look", layout, first, second)[1]);
    return { values: Object.fromEntries(legal.map((move) => [move, values[move]])), known: true };
  }
}

/**
 * Train until a limit is reached; return why it ended. @param {Work} work
 * @param {Plan} args
 * @returns {Promise<[string, any]>} the name of a sentence, and its values
 */
export async function learn(work, args) {
  work.clear();
  const { layout } = args.board;
  const { parts, refused } = args.kind === "ntuple" ? untrained(work.kernels, args.board) : {};
  if (refused) return refused;
  const learner = parts ? new NetworkLearner(work, args, parts) : new TableLearner(work, args);
  let { alpha, epsilon, known } = args;
  const begun = performance.now();
  let [paused, speed, pace, due] = [false, args.speed || 0, 10, 0];
  let [measured, costs] = [begun, 0];
  /** @type {{moves: number[], first: bigint, second: bigint}} the position whose values are shown */
  let shown = { moves: [], first: 0n, second: 0n };
  /** @type {any[]} */
  let updates = [];

  /** The move with the highest value. @param {bigint} first @param {bigint} second @param {number} seed */
  const replyTo = (first, second, seed) => {
    const { values } = learner.judge(first, second);
    const best = Math.max(...Object.values(values));
    const moves = Object.keys(values).map(Number).filter((move) => values[move] === best); // prettier-ignore
    return moves[new Stream(work.kernels, BigInt(seed)).below(moves.length)];
  };
  const score = () => {
    if (!known.length) return null;
    const start = performance.now();
    const kept = known.filter(([first, second, moves]) => {
      return moves.includes(replyTo(BigInt(first), BigInt(second), 1));
    });
    measured = performance.now();
    costs = 10 * (measured - start);
    return kept.length / known.length;
  };
  const say = (/** @type {{score?: number | null, reply?: number | null}} */ { score = null, reply = null }) => {
    const { error, episodes, gamma, entries } = learner;
    const over = work.kernels.call("rules.look", layout, shown.first, shown.second)[0] !== 0n;
    const found = over ? { values: {}, known: true } : learner.judge(shown.first, shown.second);
    work.say({
      ...{ episodes, seconds: Math.round((performance.now() - begun) / 10) / 100, paused },
      ...{ alpha, epsilon, gamma, speed, entries, error },
      ...{ shown: { moves: shown.moves, ...found }, updates, score, reply },
    });
  };
  /** @param {Api.LearnCommand & {first?: bigint, second?: bigint, known?: Known[]}} command */
  const obey = (command) => {
    paused = command.paused ?? paused;
    speed = command.speed ?? speed;
    [alpha, epsilon] = [command.alpha ?? alpha, command.epsilon ?? epsilon];
    known = command.known ?? known;
    if (command.moves) shown = { moves: command.moves, first: command.first, second: command.second };
    if (command.step && paused) updates = learner.run(1, alpha, epsilon);
    const over = work.kernels.call("rules.look", layout, shown.first, shown.second)[0] !== 0n;
    const asks = command.reply && !over;
    say({ reply: asks ? replyTo(shown.first, shown.second, learner.episodes) : null });
  };

  say({ score: score() });
  for (;;) {
    if (performance.now() - begun > 60_000 * LIMITS.minutes) return ["time", LIMITS];
    if (learner.episodes >= LIMITS.episodes) return ["episodes", LIMITS];
    const start = performance.now();
    while (work.commands.length) obey(work.commands.shift());
    if (!paused) {
      let wanted = pace;
      if (speed) {
        due = Math.min(due + (speed * TICK) / 1000, Math.max(1, speed));
        wanted = Math.min(wanted, Math.floor(due));
        due -= wanted;
      }
      if (wanted) {
        updates = learner.run(wanted, alpha, epsilon);
        const took = Math.max(performance.now() - start, 0.001);
        if (wanted >= pace) pace = Math.max(1, Math.min(4 * pace, Math.floor((pace * TICK) / took)));
        const late = performance.now() - measured > Math.max(MEASURE, costs);
        say({ score: late ? score() : null });
      }
    }
    const rest = speed || paused ? TICK - (performance.now() - start) : 0;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
  }
}
