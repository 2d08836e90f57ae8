// Tabular Q-learning in the worker, at a chosen pace, while a page watches.

import { Stream, derive } from "./seeds.js";
import { members } from "./wasm.js";

/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {[string, string, number[]]} Known own stones, the other's, and the moves that keep the verdict */

const ROWS = 1 << 19; // of the table; three quarters of them may be used
const MOST_SECONDS = 600;
const MOST_EPISODES = 5_000_000;
const TICK = 100; // milliseconds
const MEASURE = 1000; // between two measurements, at least; they take a tenth of the time at most
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

/** What a table says of a position: the value of every legal move, the moves that a guide chooses from, and whether the
 * table knows it. @param {Kernels} kernels @param {any} layout @param {any[]} table record, board and guide
 * @param {bigint} first @param {bigint} second */
export function judged(kernels, layout, table, first, second) {
  const { moves } = table[1];
  const mark = kernels.mark();
  const [values, forced] = [kernels.array("float64", moves), kernels.array("int64", moves)];
  const known = Boolean(kernels.call("qlearning.table.judge", ...table, first, second, values, forced));
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

/** A table of Q-values for a board, and what learns from episodes of self-play. */
class Learner {
  /** @param {Kernels} kernels @param {any} layout @param {number} moves @param {Api.LearnRequest} request */
  constructor(kernels, layout, moves, { alpha, epsilon, seed = 0 }) {
    this.kernels = kernels;
    this.layout = layout;
    this.moves = moves;
    const table = kernels.record("TableRecord");
    this.table = table;
    table.rows = ROWS;
    table.moves = moves;
    table.most = (ROWS / 4) * 3;
    table.keys = kernels.array("int64", 2 * ROWS);
    table.keys.data.fill(-1n);
    table.values = kernels.array("float32", moves * ROWS);
    table.visits = kernels.array("int32", moves * ROWS);
    this.board = foldedBoard(kernels, layout, moves);
    this.progress = kernels.record("Progress");
    this.progress.random = derive(seed, "qlearning");
    const cells = Number(layout.columns * layout.rows);
    const column = () => kernels.array("int64", cells);
    this.episode = { stones: column(), rows: column(), slots: column(), legal: column() };
    this.opponents = kernels.copied("int64", [kernels.constants["qlearning.learning"].SELF]);
    this.stop = kernels.array("int64", 1);
    this.setRates(alpha, epsilon);
  }

  /** @param {number} alpha @param {number} epsilon */
  setRates(alpha, epsilon) {
    this.alpha = alpha;
    this.epsilon = epsilon;
  }

  /** Learn from episodes; those of the last one are recorded. @param {number} count
   * @param {Record<string, Function>} [seen]
   * @returns {number} how many were played */
  run(count, seen) {
    const { kernels, table, board, progress, episode, opponents, stop } = this;
    const rate = (/** @type {number} */ start) => ({ kind: 0, start, pace: 0, end: 0, by_move: 0 });
    const learning = {
      alpha: rate(this.alpha),
      gamma: GAMMA,
      win: 1,
      draw: 0,
      loss: -1,
      per_move: 0,
      together: true,
      backward: true,
    };
    const exploration = { epsilon: rate(this.epsilon), longest_opening: 0 };
    const { BOTH_SEATS } = kernels.constants["qlearning.learning"];
    const given = [table, board, { kind: 0, share: 0 }, exploration, learning, progress, episode, opponents];
    const rest = [...given, BOTH_SEATS, 0, count, stop];
    const name = "qlearning.learning.episodes";
    return Number(seen ? kernels.traced(seen, name, ...rest) : kernels.call(name, ...rest));
  }

  /** Play one episode and return its updates, each with the moves that led to it. */
  observe() {
    /** @type {number[][]} */
    const seen = [];
    this.run(1, { update: (/** @type {any[]} */ ...values) => seen.push(values.map(Number)) });
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

  /** The values of a position's moves, and whether the table knows it. @param {bigint} first @param {bigint} second */
  judge(first, second) {
    return judged(this.kernels, this.layout, [this.table, this.board, { kind: 0, share: 0 }], first, second);
  }

  /** The move with the highest value. @param {bigint} first @param {bigint} second @param {bigint} seed */
  reply(first, second, seed) {
    const { values } = this.judge(first, second);
    const best = Math.max(...Object.values(values));
    const moves = Object.keys(values).map(Number).filter((move) => values[move] === best); // prettier-ignore
    return moves[new Stream(this.kernels, seed).below(moves.length)];
  }
}

/**
 * Train until a limit is reached; why it ended. @param {Work} work
 * @param {Api.LearnRequest & {board: import("./solving.js").Board, moves: number, known: Known[]}} args
 * @returns {Promise<string>} the name of a sentence
 */
export async function learn(work, args) {
  const { layout } = args.board;
  const learner = new Learner(work.kernels, layout, args.moves, args);
  const { progress } = learner;
  const begun = performance.now();
  let [paused, speed, pace, due] = [false, args.speed || 0, 10, 0];
  let [measured, costs] = [begun, 0];
  /** @type {{moves: number[], first: bigint, second: bigint}} the position whose values are shown */
  let shown = { moves: [], first: 0n, second: 0n };
  /** @type {any[]} */
  let updates = [];

  const score = () => {
    if (!args.known.length) return null;
    const start = performance.now();
    const kept = args.known.filter(([first, second, moves]) => {
      return moves.includes(learner.reply(BigInt(first), BigInt(second), 1n));
    });
    measured = performance.now();
    costs = 10 * (measured - start);
    return kept.length / args.known.length;
  };
  const say = (/** @type {{score?: number | null, reply?: number | null}} */ { score = null, reply = null }) => {
    const changes = progress.updates;
    const error = changes ? progress.errors / changes : null;
    for (const name of ["wins", "draws", "losses", "plies", "rewards", "errors", "updates"]) progress[name] = 0;
    const over = work.kernels.call("rules.look", layout, shown.first, shown.second)[0] !== 0n;
    const { values, known } = over ? { values: {}, known: true } : learner.judge(shown.first, shown.second);
    work.say({
      ...{ episodes: Number(progress.episodes), seconds: Math.round((performance.now() - begun) / 10) / 100, paused },
      ...{ alpha: learner.alpha, epsilon: learner.epsilon, gamma: GAMMA, speed, entries: Number(learner.table.used) },
      ...{ error, shown: { moves: shown.moves, values, known }, updates, score, reply },
    });
  };
  const episodes = (/** @type {number} */ count) => {
    const done = count > 1 ? learner.run(count - 1) : 0;
    updates = learner.observe();
    return done + 1;
  };
  const obey = (/** @type {Api.LearnCommand & {first?: bigint, second?: bigint}} */ command) => {
    paused = command.paused ?? paused;
    speed = command.speed ?? speed;
    learner.setRates(command.alpha ?? learner.alpha, command.epsilon ?? learner.epsilon);
    if (command.moves) shown = { moves: command.moves, first: command.first, second: command.second };
    if (command.step && paused) episodes(1);
    const over = work.kernels.call("rules.look", layout, shown.first, shown.second)[0] !== 0n;
    const asks = command.reply && !over;
    say({ reply: asks ? learner.reply(shown.first, shown.second, progress.episodes) : null });
  };

  say({ score: score() });
  for (;;) {
    if (performance.now() - begun > 1000 * MOST_SECONDS) return "time";
    if (Number(progress.episodes) >= MOST_EPISODES) return "episodes";
    const start = performance.now();
    while (work.told.length) obey(work.told.shift());
    if (!paused) {
      let wanted = pace;
      if (speed) {
        due = Math.min(due + (speed * TICK) / 1000, Math.max(1, speed));
        wanted = Math.min(wanted, Math.floor(due));
        due -= wanted;
      }
      if (wanted) {
        const done = episodes(wanted);
        const took = Math.max(performance.now() - start, 0.001);
        if (done >= pace) pace = Math.max(1, Math.min(4 * pace, Math.floor((pace * 0.8 * TICK) / took)));
        const late = performance.now() - measured > Math.max(MEASURE, costs);
        say({ score: late ? score() : null });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, TICK - (performance.now() - start))));
  }
}
