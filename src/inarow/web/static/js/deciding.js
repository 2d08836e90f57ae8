// Agents at work in the worker: each mind keeps what lasts between its moves.

import { Stream } from "./seeds.js";
import { KernelArray } from "./wasm.js";

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./sessions.js").Decision} Decision */
/**
 * A position to decide in; without seconds there is no limit but the agent's own.
 * @typedef {{board: import("./solving.js").Board, own: bigint, opp: bigint, player: number, seconds?: number}} Task
 */
/** @typedef {(task: Task, say: ((found: Partial<Decision>) => void) | null) => Partial<Decision>} Mind */
/** @typedef {import("./specs.js").Agent} Agent */

/** @param {bigint} set @returns {number[]} */
function members(set) {
  const found = [];
  for (let index = 0; set !== 0n; index++, set >>= 1n) if (set & 1n) found.push(index);
  return found;
}

/** @param {number[]} moves @returns {bigint} */
const setOf = (moves) => moves.reduce((set, move) => set | (1n << BigInt(move)), 0n);

/** A board, its kernels and the random numbers of a mind. */
class Table {
  /** @param {Work} work @param {Task} task @param {bigint} seed */
  constructor({ kernels }, { board }, seed) {
    this.kernels = kernels;
    this.cells = board.cells;
    this.layout = board.layout;
    this.stream = new Stream(kernels, seed);
    this.ways = kernels.constants.decisions;
  }

  /** @param {bigint} own @param {bigint} opp @returns {bigint} */
  legal(own, opp) {
    return this.kernels.call("rules.look", this.layout, own, opp)[1];
  }

  /** One of the moves of a set. @param {bigint} moves @param {string} ties first, centre or random */
  pick(moves, ties) {
    const { kernels, layout, ways } = this;
    const how = { first: ways.FIRST, centre: ways.CENTRE, random: ways.ANY }[ties];
    const number = ties === "random" ? this.stream.number() : 0;
    return Number(kernels.call("decisions.choose", layout, moves, how, number)[0]);
  }

  /** @param {bigint} stones @param {bigint} occupied @returns {number[]} */
  winningMoves(stones, occupied) {
    return members(this.kernels.call("rules.winning_moves", this.layout, stones, occupied));
  }

  /** @param {bigint} occupied @param {number} move @returns {bigint} */
  stone(occupied, move) {
    return this.kernels.call("rules.stone_of", this.layout, occupied, move);
  }

  /** @param {number | bigint} index of a bit */
  moveOfBit(index) {
    return Number(this.kernels.call("rules.move_to", this.layout, 1n << BigInt(index)));
  }

  /** What a search reads of the game. @param {boolean} centre @param {number} player */
  setup(centre, player) {
    const setup = this.kernels.record("SearchSetup");
    this.kernels.call("common.setup.set_up", setup, this.layout, centre, player);
    return setup;
  }
}

const UNLIMITED = 1n << 60n;
const USUAL_DEPTH = 6;
const USUAL_SIMULATIONS = 1000;
const ORDERINGS = ["none", "centre", "threats", "history"];
const ROOTS = ["proven", "full", "carried"];

/** Minimax and alpha–beta. @param {Work} work @param {Agent} agent @param {Task} first @param {bigint} seed
 * @returns {Mind} */
export function searchMind(work, { name, values, evaluator }, first, seed) {
  const table = new Table(work, first, seed);
  const { kernels, layout } = table;
  const prunes = name === "alphabeta";
  const setup = table.setup(prunes && values.ordering !== "none", first.player);
  if (evaluator.weights.length) kernels.call(`common.setup.set_${evaluator.name}`, setup, layout, ...evaluator.weights);
  if (prunes) {
    setup.prune = true;
    setup.ordering = ORDERINGS.indexOf(values.ordering);
    setup.use_tt = values.tt;
    setup.use_symmetry = values.symmetry;
    setup.root = ROOTS.indexOf(values.root);
  }
  const search = kernels.record("SearchState");
  const room = values.tt ? (values.tt_mb * 2 ** 20) / kernels.manifest.records.Entry.size : 1;
  search.tt = kernels.array("Entry", 2 ** Math.floor(Math.log2(room)));
  search.stop = kernels.array("int64", 1);
  const root = kernels.record("Root");
  const { WIN } = kernels.constants["common.setup"];
  const { POINTS, EVEN_ODDS } = kernels.constants["common.evaluate"];
  const value = (/** @type {number} */ points) =>
    Math.abs(points) >= (WIN - table.cells) * POINTS ? Math.sign(points) : points / (Math.abs(points) + EVEN_ODDS);

  const decision = (/** @type {Stream | null} */ peeked) => {
    const { state } = table.stream;
    const found = { nodes: Number(search.nodes), depth: Number(root.depth) };
    if (root.best === 0n) return { move: table.pick(root.candidates, "centre"), ...found, depth: 0 };
    const move = table.pick(root.best, values.ties);
    if (peeked) table.stream.state = state;
    const all = root.points.data;
    const points = Object.fromEntries(members(root.exact).map((one) => [one, Number(all[one])]));
    const width = root.lines.shape[1];
    const row = Number(root.rows.data[move]) * width;
    const bits = root.lines.data.subarray(row, row + width);
    return {
      ...found,
      move,
      points: points[move],
      value: value(points[move]),
      values: Object.fromEntries(Object.entries(points).map(([one, p]) => [one, value(p)])),
      by_move: { points },
      line: Array.from(bits.subarray(0, bits.indexOf(-1n)), (bit) => table.moveOfBit(bit)),
      details: { leaves: Number(search.leaves), cutoffs: Number(search.cutoffs) },
    };
  };

  return ({ own, opp, seconds }, say) => {
    const own_limit = values.nodes === null && values.seconds === null;
    const plies = values.depth ?? (own_limit ? USUAL_DEPTH : 64);
    const deepest = Math.min(plies, table.cells - members(own | opp).length);
    const deepens = values.iterative_deepening || !own_limit || seconds !== undefined;
    const bestFirst = Boolean(values.iterative_deepening) || values.root !== "carried";
    within(kernels, Math.min(values.seconds ?? Infinity, seconds ?? Infinity));
    kernels.call("deepening.begin_search", search, root, table.legal(own, opp), values.nodes ?? UNLIMITED);
    const from = deepens ? 1 : deepest;
    const run = (/** @type {number} */ low, /** @type {number} */ high) =>
      work.call("deepening.deepen", setup, search, root, layout, own, opp, low, high, bestFirst, null);
    if (!say) run(from, deepest);
    else
      for (let depth = from; depth <= deepest && !search.stopped; depth++) {
        run(depth, depth);
        if (Number(root.depth) === depth) say(decision(table.stream));
      }
    return decision(null);
  };
}

/** Have kernels stop after a time. @param {Kernels} kernels @param {number} seconds */
function within(kernels, seconds) {
  const end = performance.now() + 1000 * seconds;
  kernels.raised = () => performance.now() > end;
}

const FARTHEST = 8; // plies from a root within which the tree is searched for a position
const FIRST_PART = 256;
const PART_SECONDS = 0.09;

/** Monte Carlo tree search. @param {Work} work @param {Agent} agent @param {Task} first @param {bigint} seed
 * @returns {Mind} */
export function treeMind(work, { values }, first, seed) {
  const table = new Table(work, first, seed);
  const { kernels } = table;
  const { LOST, WON, DRAWN, MOST_VISITS, ROOTS: KEPT_ROOTS } = kernels.constants.mcts;
  if (values.leaf !== "rollout" || values.prior !== "none")
    throw new Error("mcts with a network or an evaluator needs the server");
  const setup = table.setup(false, first.player);
  const tree = kernels.record("TreeState");
  tree.random = table.stream.number();
  const { size } = kernels.manifest.records.Node;
  const room = Math.floor((values.tree_mb * 2 ** 20) / size);
  // Every node is written before it is read, so that there is no need to clear the memory.
  const pool = () => new KernelArray(kernels, "Node", kernels.allocate(room * size), [room]);
  let nodes = pool();
  /** @type {KernelArray | null} */
  let spare = null;
  const stop = kernels.array("int64", 1);
  const roots = kernels.array("float64", KEPT_ROOTS);
  /** @type {{own: bigint, opp: bigint} | null} the position of the root */
  let root = null;
  const plyOf = (/** @type {bigint} */ stones) => members(stones).length;
  const children = (/** @type {number} */ node) => {
    const { first: at, count } = nodes.at(node);
    return Array.from({ length: count }, (_, i) => at + i);
  };

  const restart = (/** @type {Task} */ { own, opp }) => {
    root = { own, opp };
    tree.used = 1;
    tree.deepest = plyOf(own | opp);
    new Uint8Array(kernels.memory.buffer, nodes.address, size).fill(0);
  };
  /** The node of a position below another one. @param {number} node @param {bigint} own @param {bigint} opp
   * @param {bigint} wanted own stones of the side to move there @param {bigint} other @returns {number | null} */
  const find = (node, own, opp, wanted, other) => {
    if (own === wanted && opp === other) return node;
    for (const child of children(node)) {
      const cell = 1n << BigInt(nodes.at(child).cell);
      const mine = (plyOf(own | opp) - plyOf(wanted | other)) % 2 === 0 ? wanted : other;
      if ((cell & mine) === 0n) continue;
      const found = find(child, opp, own | cell, wanted, other);
      if (found !== null) return found;
    }
    return null;
  };
  const keep = (/** @type {number} */ node, /** @type {number} */ ply, /** @type {bigint} */ least) => {
    spare ??= pool();
    if (!kernels.call("mcts.keep_below", tree, nodes, spare, node, ply, least, stop)) return false;
    [nodes, spare] = [spare, nodes];
    return true;
  };
  const moveTo = (/** @type {Task} */ task) => {
    const { own, opp } = task;
    const near = root && plyOf(own | opp) - plyOf(root.own | root.opp) <= FARTHEST;
    const node = near ? find(0, root.own, root.opp, own, opp) : null;
    if (node === null) return restart(task);
    if (node > 0) keep(node, plyOf(own | opp), 0n);
    root = { own, opp };
  };
  const isFull = () => Number(tree.used) + kernels.constants["common.evaluate"].MAX_MOVES > room;
  const prune = () =>
    keep(0, plyOf(root.own | root.opp), kernels.call("mcts.least_visits", tree, nodes, Math.floor(room / 2), stop));

  const valueOf = (/** @type {any} */ node) =>
    values.prove && node.status ? { [WON]: -1, [LOST]: 1, [DRAWN]: 0 }[node.status] : node.total / node.visits - 1;

  /** @param {Task} task @param {Record<number, any>} all the children by move @returns {number} */
  const choose = ({ own, opp }, all) => {
    const moves = Object.keys(all).map(Number);
    const status = (/** @type {number} */ move) => (values.prove ? all[move].status : 0);
    const loses = (/** @type {number} */ move) => {
      const after = own | table.stone(own | opp, move);
      return table.winningMoves(opp, after | opp).length > 0;
    };
    const first_of = (/** @type {(() => number[])[]} */ lists) => {
      for (const list of lists) {
        const found = list();
        if (found.length) return found;
      }
      return moves;
    };
    const candidates = first_of([
      () => moves.filter((move) => status(move) === LOST),
      () => moves.filter((move) => status(move) !== WON),
      () => moves.filter((move) => !loses(move)),
      () => table.winningMoves(opp, own | opp),
    ]);
    const most = Math.max(...candidates.map((move) => all[move].visits));
    return table.pick(setOf(candidates.filter((move) => all[move].visits === most)), "random");
  };

  /** @param {Task} task @param {number} simulations @param {number} kept @param {boolean} peeks */
  const decision = (task, simulations, kept, peeks) => {
    const { state } = table.stream;
    const found = children(0).map((child) => [table.moveOfBit(nodes.at(child).cell), child]);
    found.sort(([a], [b]) => a - b);
    const all = Object.fromEntries(found.map(([move, child]) => [move, nodes.at(child)]));
    const move = found.length ? choose(task, all) : table.pick(table.legal(task.own, task.opp), "random");
    if (peeks) table.stream.state = state;
    if (!found.length) return { move, nodes: Number(tree.visited) };
    const estimates = Object.fromEntries(
      found.filter(([one]) => all[one].visits).map(([one]) => [one, valueOf(all[one])]),
    );
    const proven = { [WON]: 1, [LOST]: -1, [DRAWN]: 0 }[nodes.at(0).status];
    const mark = kernels.mark();
    const bits = kernels.array("int64", 64);
    const length = Number(kernels.call("mcts.expected_line", nodes, found.find(([one]) => one === move)[1], bits));
    const line = [move, ...Array.from(bits.data.subarray(0, length), (bit) => table.moveOfBit(bit))];
    kernels.release(mark);
    return {
      move,
      value: proven ?? estimates[move] ?? null,
      values: estimates,
      by_move: { visits: Object.fromEntries(found.map(([one]) => [one, all[one].visits])) },
      nodes: Number(tree.visited),
      line,
      details: {
        simulations,
        simulations_kept: kept,
        tree_nodes: Number(tree.used),
        tree_depth: Number(tree.deepest) - plyOf(task.own | task.opp),
        proven: proven !== undefined,
      },
    };
  };

  return (task, say) => {
    const { own, opp, seconds } = task;
    const wanted = values.simulations ?? (values.seconds === null ? USUAL_SIMULATIONS : null);
    within(kernels, Math.min(values.seconds ?? Infinity, seconds ?? Infinity));
    if (values.reuse_tree) moveTo(task);
    else restart(task);
    if (nodes.at(0).visits + (wanted || 0) > MOST_VISITS) restart(task);
    const kept = nodes.at(0).visits;
    tree.visited = 0;
    const total = wanted ?? MOST_VISITS - kept;
    const options = {
      c: values.c,
      rules: values.rollouts === "rules",
      prove: values.prove,
      until_proven: wanted === null,
      roots,
    };
    const simulate = (/** @type {number} */ count) =>
      Number(work.call("mcts.simulate", setup, tree, nodes, own, opp, count, UNLIMITED, options, null, stop));
    const run = (/** @type {number} */ count) => {
      let done = simulate(count);
      while (done < count && isFull() && !kernels.raised() && prune()) done += simulate(count - done);
      return done;
    };
    let done = 0;
    if (!say) done = run(total);
    else
      for (let size = FIRST_PART; done < total;) {
        const begun = performance.now();
        const part = Math.min(size, total - done);
        const made = run(part);
        done += made;
        if (made < part) break;
        say(decision(task, done, kept, true));
        const took = Math.max((performance.now() - begun) / 1000, 1e-6);
        size = Math.max(1, Math.min(4 * size, Math.floor((size * PART_SECONDS) / took)));
      }
    return decision(task, done, kept, false);
  };
}

/** @type {Record<string, (work: Work, agent: Agent, task: Task, seed: bigint) => Mind>} */
export const MINDS = {
  random: (work, _agent, first, seed) => {
    const table = new Table(work, first, seed);
    return ({ own, opp }) => ({ move: table.pick(table.legal(own, opp), "random") });
  },
  rules: (work, { values }, first, seed) => {
    const table = new Table(work, first, seed);
    const { kernels, layout, ways, stream } = table;
    const style = { random: ways.ANY, centre: ways.WEIGHTED, corners: ways.CORNERS }[values.style];
    return ({ own, opp }) => ({
      move: Number(kernels.call("decisions.rules_move", layout, own, opp, style, stream.number())[0]),
    });
  },
  minimax: searchMind,
  alphabeta: searchMind,
  mcts: treeMind,
};

/** @type {Mind | null} the mind of this worker: a worker has one seat */
let mind = null;

/**
 * Decide. @param {Work} work @param {Task & {agent: Agent, seed: bigint, watch?: boolean}} args
 * @returns {Decision}
 */
export function decide(work, { agent, seed, watch, ...task }) {
  const make = MINDS[agent.name];
  if (!make) throw new Error(`${agent.name} is not there yet`);
  mind ??= make(work, agent, task, seed);
  const nothing = { value: null, values: {}, by_move: {}, nodes: 0, depth: null, line: [], details: {}, note: "" };
  const begun = performance.now();
  const whole = (/** @type {Partial<Decision>} */ found) =>
    /** @type {Decision} */ ({ ...nothing, ...found, seconds: (performance.now() - begun) / 1000 });
  return whole(mind(task, watch ? (found) => work.say(whole(found)) : null));
}
