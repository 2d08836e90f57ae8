// Agents in the worker: each mind keeps its state between moves.

import { foldedBoard, judged } from "./learning.js";
import { shippedNetwork } from "./network.js";
import { Stream, derive } from "./seeds.js";
import { Solver } from "./solving.js";
import { KernelArray, members, setOf } from "./wasm.js";

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./sessions.js").Decision} Decision */
/**
 * A position to decide in; without seconds there is no limit but the agent's own.
 * @typedef {{board: import("./solving.js").Board, own: bigint, opp: bigint, player: number, seconds?: number}} Task
 */
/** @typedef {Partial<Decision> & {points?: number}} Found */
/** @typedef {(task: Task, say: ((found: Partial<Decision>) => void) | null) => Found} Mind */
/** @typedef {import("./specs.js").Agent} Agent */

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

  /** The moves of a set with the highest value. @param {bigint} moves @param {Record<number, number>} values */
  highest(moves, values) {
    const list = Array.from({ length: members(moves).at(-1) + 1 }, (_, move) => values[move] ?? 0);
    return this.kernels.call("decisions.highest", moves, list);
  }

  /** @param {bigint} occupied @param {number} move @returns {bigint} */
  stone(occupied, move) {
    return this.kernels.call("rules.stone_of", this.layout, occupied, move);
  }

  /** @param {number | bigint} index of a bit */
  moveOfBit(index) {
    return Number(this.kernels.call("rules.move_to", this.layout, 1n << BigInt(index)));
  }

  /** The constants of a game and an evaluator that a search reads. @param {boolean} centre @param {number} player
   * @param {Agent["evaluator"]} evaluator */
  setup(centre, player, { name, weights }) {
    const setup = this.kernels.record("SearchSetup");
    this.kernels.call("evaluate.set_up", setup, this.layout, centre, player);
    if (weights.length) this.kernels.call(`evaluate.set_${name}`, setup, this.layout, ...weights);
    return setup;
  }
}

const UNLIMITED = 1n << 60n;
const EXACT_MB = 16; // memory of a search's solver
const EXACT_NODES = 100_000; // limit if neither nodes nor seconds are given
const SHARE = 0.9; // the solver's share of the budget
const PREVIEW = 6;
const PREVIEW_SHARE = 0.05;
const LARGE = 42; // cells from which perfect play has a limit
const LARGE_NODES = 10_000_000;
const STRONGEST = 10;
const MIN_TEMPERATURE = 0.03;
const PER_LEVEL = 1.7;
const USUAL_DEPTH = 6;
const USUAL_SIMULATIONS = 1000;
const ORDERINGS = ["none", "centre", "threats", "history"];
const ROOTS = ["proven", "full", "carried"];

/** The limit of a decision; empty for none.
 * @typedef {{depth?: number, nodes?: number, seconds?: number}} Limit */

/** Minimax and alpha–beta, depth by depth. */
class Search {
  /** @param {Work} work @param {Agent} agent @param {Task} first @param {Table} table */
  constructor(work, { name, values, evaluator }, first, table) {
    const { kernels } = table;
    const prunes = name === "alphabeta";
    this.work = work;
    this.table = table;
    this.values = values;
    this.network = evaluator.name === "ntuple" ? shippedNetwork(work, first.board) : null;
    this.setup = table.setup(prunes && values.ordering !== "none", first.player, evaluator);
    if (prunes) {
      this.setup.prune = true;
      this.setup.ordering = ORDERINGS.indexOf(values.ordering);
      this.setup.use_tt = values.tt;
      this.setup.use_symmetry = values.symmetry;
      this.setup.root = ROOTS.indexOf(values.root);
    }
    this.search = kernels.record("SearchState");
    const room = values.tt ? (values.tt_mb * 2 ** 20) / kernels.manifest.records.Entry.size : 1;
    this.search.tt = kernels.array("Entry", 2 ** Math.floor(Math.log2(room)));
    this.search.stop = kernels.array("int64", 1);
    this.root = kernels.record("Root");
  }

  /** Convert points to a value; wins are ±1. @param {number} points */
  value(points) {
    const { kernels, cells } = this.table;
    const { POINTS } = kernels.constants["evaluate"];
    const won = Math.abs(points) >= (kernels.constants["evaluate"].WIN - cells) * POINTS;
    return won ? Math.sign(points) : this.estimate(points);
  }

  /** Convert points of the evaluator to a value. @param {number} points */
  estimate(points) {
    const { EVEN_ODDS } = this.table.kernels.constants["evaluate"];
    return this.network ? this.network.value(points) : points / (Math.abs(points) + EVEN_ODDS);
  }

  /** @param {boolean} peeks true to leave the random numbers unchanged @returns {Found} */
  decision(peeks) {
    const { table, search, root, values } = this;
    const { state } = table.stream;
    const found = { nodes: Number(search.nodes), depth: Number(root.depth) };
    if (root.best === 0n) return { ...found, move: table.pick(root.candidates, "centre"), depth: 0 };
    const move = table.pick(root.best, values.ties);
    if (peeks) table.stream.state = state;
    const all = root.points.data;
    const points = Object.fromEntries(members(root.exact).map((one) => [one, Number(all[one])]));
    const knowsAll = (values.root ?? "full") === "full" && found.depth > 0;
    const unreached = knowsAll ? members(root.candidates).filter((one) => !(one in points)) : [];
    const earlier = Object.fromEntries(unreached.map((one) => [one, this.value(Number(all[one]))]));
    const width = root.lines.shape[1];
    const row = Number(root.rows.data[move]) * width;
    const bits = root.lines.data.subarray(row, row + width);
    return {
      ...found,
      move,
      points: points[move],
      value: this.value(points[move]),
      values: Object.fromEntries(Object.entries(points).map(([one, p]) => [one, this.value(p)])),
      by_move: unreached.length ? { points, earlier } : { points },
      line: Array.from(bits.subarray(0, bits.indexOf(-1n)), (bit) => table.moveOfBit(bit)),
      details: { leaves: Number(search.leaves), cutoffs: Number(search.cutoffs) },
    };
  }

  /** Search some moves within a limit. @param {Task} task @param {Limit} limit @param {bigint} moves
   * @param {((found: Partial<Decision>) => void) | null} say */
  deepen({ own, opp }, { depth = 64, nodes, seconds }, moves, say) {
    const { table, setup, search, root, values } = this;
    const { kernels, layout } = table;
    const deepest = Math.min(depth, table.cells - members(own | opp).length);
    const deepens = values.iterative_deepening || nodes !== undefined || seconds !== undefined;
    const bestFirst = Boolean(values.iterative_deepening) || values.root !== "carried";
    within(kernels, seconds ?? Infinity);
    kernels.call("alphabeta.begin_search", search, root, moves, nodes ?? UNLIMITED);
    const board = this.network ? this.network.board(own, opp) : null;
    const run = (/** @type {number} */ low, /** @type {number} */ high) =>
      this.work.call("alphabeta.deepen", setup, search, root, layout, own, opp, low, high, bestFirst, board);
    const from = deepens ? 1 : deepest;
    if (!say) run(from, deepest);
    else
      for (let one = from; one <= deepest && !search.stopped; one++) {
        run(one, one);
        if (Number(root.depth) === one) say(this.decision(true));
      }
    return this.decision(false);
  }
}

/** The narrower of two bounds. @param {number | null | undefined} a @param {number | null | undefined} b
 * @returns {number | undefined} */
const least = (a, b) => (a == null ? (b ?? undefined) : b == null ? a : Math.min(a, b));

/** The remainder of a limit. @param {Limit} limit @param {number} nodes @param {number} begun @returns {Limit} */
function without(limit, nodes, begun) {
  const left = (performance.now() - begun) / 1000;
  return {
    depth: limit.depth,
    nodes: limit.nodes === undefined ? undefined : Math.max(1, limit.nodes - nodes),
    seconds: limit.seconds === undefined ? undefined : Math.max(0.001, limit.seconds - left),
  };
}

/** The limit that the agent's parameters set, without the maximum time of any decision. @param {Agent["values"]} values
 * @param {Task} task @returns {Limit} */
const ownLimit = ({ nodes, seconds }, task) => ({
  nodes: nodes ?? undefined,
  seconds: seconds == null ? undefined : least(seconds, task.seconds),
});

/** A share of nodes and seconds. @param {Limit} limit @param {number} share @returns {Limit} */
const part = ({ nodes, seconds }, share) => ({
  nodes: nodes === undefined ? undefined : Math.max(1, Math.floor(share * nodes)),
  seconds: seconds === undefined ? undefined : share * seconds,
});

/** The proven bounds of a position's moves. */
class Proof {
  /** @param {Table} table @param {bigint} legal @param {number[][]} verdicts bounds by move
   * @param {number[][] | null} scores
   * @param {number} nodes @param {number} [verdict] of the position, 1 if it is not known */
  constructor(table, legal, verdicts, scores, nodes, verdict = 1) {
    const columns = (/** @type {number[][]} */ bounds) =>
      [0, 1].map((end) => Array.from(bounds, (one) => one?.[end] ?? 0));
    const [low, high] = columns(verdicts);
    const [scoreLow, scoreHigh] = columns(scores || verdicts);
    const given = [legal, verdict, low, high, Boolean(scores), scoreLow, scoreHigh];
    const [candidates, safest, keeps, settled] = table.kernels.call("decisions.proven_choice", ...given);
    this.table = table;
    this.candidates = candidates;
    this.safest = safest;
    this.keepsVerdict = keeps;
    this.settled = settled;
    this.nodes = nodes;
    const moves = members(legal);
    const solved = (/** @type {number[][]} */ bounds) => moves.filter((move) => bounds[move][0] === bounds[move][1]);
    this.values = Object.fromEntries(solved(verdicts).map((move) => [move, verdicts[move][0]]));
    this.scores = scores ? Object.fromEntries(solved(scores).map((move) => [move, scores[move][0]])) : {};
  }

  /** The decision by the solver alone. @param {string} ties @param {number} nodes @returns {Partial<Decision>} */
  decision(ties, nodes) {
    const { values, scores, settled } = this;
    const move = this.table.pick(this.safest, ties);
    const by_move = Object.keys(scores).length ? { score: scores } : {};
    return { move, value: values[move] ?? null, values, by_move, nodes, line: [move], details: { solved: settled } };
  }

  /** The decision of a search, with proven results in place of its values. @param {Partial<Decision>} found
   * @param {number} nodes @returns {Partial<Decision>} */
  addedTo(found, nodes) {
    const values = { ...found.values, ...this.values };
    const value = values[found.move] ?? found.value;
    const details = { ...found.details, solved: false };
    return { ...found, value, values, nodes: found.nodes + nodes, details };
  }
}

/** Minimax and alpha–beta, optionally with the solver first. @param {Work} work @param {Agent} agent
 * @param {Task} first @param {bigint} seed @returns {Mind} */
function searchMind(work, agent, first, seed) {
  const { values, evaluator } = agent;
  const table = new Table(work, first, seed);
  const search = new Search(work, agent, first, table);
  const asks =
    values.solver === "on" || (values.solver === "auto" && evaluator.name === "ntuple" && values.seconds !== null);
  const solver = asks ? new Solver(work, first.board, EXACT_MB) : null;
  return (task, say) => {
    const { own, opp } = task;
    const unlimited = values.nodes === null && values.seconds === null;
    /** @type {Limit} */
    const limit = { depth: values.depth ?? (unlimited ? USUAL_DEPTH : undefined), ...ownLimit(values, task) };
    const timed = (/** @type {Limit} */ one) => ({ ...one, seconds: least(one.seconds, task.seconds) });
    const legal = table.legal(own, opp);
    if (!solver) return search.deepen(task, timed(limit), legal, say);
    solver.readBooks();
    const begun = performance.now();
    const short = part(limit, PREVIEW_SHARE);
    const preview = search.deepen(task, { ...short, depth: PREVIEW }, legal, null);
    const rest = without(limit, preview.nodes, begun);
    const proof = proven(table, solver, task, legal, rest, preview.move);
    const nodes = preview.nodes + proof.nodes;
    if (proof.settled || (limit.nodes !== undefined && nodes >= limit.nodes)) return proof.decision(values.ties, nodes);
    return proof.addedTo(search.deepen(task, timed(without(limit, nodes, begun)), proof.candidates, say), nodes);
  };
}

/** The solver's proof of a decision. @param {Table} table @param {Solver} solver @param {Task} task
 * @param {bigint} legal @param {Limit} limit @param {number} favourite */
function proven(table, solver, { own, opp, seconds: most }, legal, limit, favourite) {
  const bounded = limit.nodes !== undefined || limit.seconds !== undefined;
  const { nodes, seconds } = bounded ? part(limit, SHARE) : { nodes: EXACT_NODES, seconds: undefined };
  const found = solver.prove(own, opp, { nodes, seconds: least(seconds, most) }, favourite);
  return new Proof(table, legal, found.verdicts, found.scores, found.nodes, found.verdict);
}

/** Plays by the exact score. @param {Work} work @param {Agent} agent @param {Task} first @param {bigint} seed
 * @returns {Mind} */
function perfectMind(work, { values, search: other }, first, seed) {
  const table = new Table(work, first, derive(seed, "ties"));
  const errors = new Stream(work.kernels, derive(seed, "errors"));
  const solver = new Solver(work, first.board, values.tt_mb);
  /** @type {Search | null} */
  let search = null;
  return (task, say) => {
    solver.readBooks();
    const { own, opp } = task;
    const begun = performance.now();
    /** @type {Limit} */
    const limit = ownLimit(values, task);
    if (first.board.cells > LARGE && limit.nodes === undefined && limit.seconds === undefined)
      limit.nodes = LARGE_NODES;
    const weak = values.resist === "any";
    const legal = table.legal(own, opp);
    const { nodes, seconds } = part(limit, SHARE);
    const found = solver.analyse(own, opp, ["moves"], { nodes, seconds: least(seconds, task.seconds), weak });
    const moves = members(legal);
    /** @type {number[][]} */
    const scores = [];
    for (const move of moves) scores[move] = found.moves[move];
    const verdicts = scores.map((bounds) => bounds.map(Math.sign));
    const proof = new Proof(table, legal, verdicts, weak ? null : scores, found.nodes);
    /** @type {Partial<Decision>} */
    let decision;
    if (proof.keepsVerdict) decision = proof.decision(values.ties, proof.nodes);
    else {
      search ??= new Search(work, other, first, table);
      const rest = without({ ...limit, seconds: least(limit.seconds, task.seconds) }, proof.nodes, begun);
      decision = proof.addedTo(search.deepen(task, rest, proof.candidates, say), proof.nodes);
      decision.note = "unproven";
    }
    const solved = moves.every((move) => scores[move][0] === scores[move][1]);
    const others = moves.filter((move) => move !== decision.move);
    const erred = values.error > 0 && errors.uniform() < values.error && others.length > 0;
    if (erred) {
      const move = others[errors.below(others.length)];
      decision = { ...decision, move, value: decision.values[move] ?? null, line: [move] };
    }
    return { ...decision, details: { ...decision.details, solved, erred } };
  };
}

/** The strongest search within a time, or a weaker one by level. @param {Work} work @param {Agent} agent
 * @param {Task} first @param {bigint} seed @returns {Mind} */
function bestMind(work, { values, search }, first, seed) {
  const inner = searchMind(work, search, first, derive(seed, "search"));
  const stream = new Stream(work.kernels, seed);
  const below = STRONGEST - values.level;
  const temperature = below ? MIN_TEMPERATURE * PER_LEVEL ** (below - 1) : 0;
  return (task, say) => {
    const found = inner(task, say);
    const moves = Object.keys(found.values || {}).map(Number);
    if (!temperature || moves.length < 2) return found;
    const list = moves.map((move) => found.values[move]);
    const index = Number(work.kernels.call("decisions.drawn_by_value", list, temperature, stream.uniform()));
    const move = index >= 0 ? moves[index] : found.move;
    return { ...found, move, value: found.values[move], line: move === found.move ? found.line : [move] };
  };
}

/** Stop kernels after some seconds. @param {Kernels} kernels @param {number} seconds */
function within(kernels, seconds) {
  const end = performance.now() + 1000 * seconds;
  let asked = 0;
  kernels.raised = () => ++asked % 16 === 0 && performance.now() > end;
}

const FARTHEST = 8; // maximum plies from the old root to look for the new one
const FIRST_PART = 256;
const PART_SECONDS = 0.09;

/** The leaves of an agent's tree. @param {Agent["values"]} values */
export const nodeKind = ({ prior, leaf }) =>
  prior !== "none" ? "GuidedNode" : leaf === "rollout" ? "Node" : "ValuedNode";

/** Monte Carlo tree search. @param {Work} work @param {Agent} agent @param {Task} first @param {bigint} seed
 * @returns {Mind} */
function treeMind(work, { values, evaluator }, first, seed) {
  const table = new Table(work, first, seed);
  const { kernels } = table;
  const { LOST, WON, DRAWN, MAX_VISITS, ROOTS: KEPT_ROOTS } = kernels.constants.mcts;
  const network = values.prior === "none" ? null : shippedNetwork(work, first.board);
  const solver = values.solver ? new Solver(work, first.board, EXACT_MB) : null;
  const kind = nodeKind(values);
  const setup = table.setup(false, 0, evaluator);
  const tree = kernels.record("TreeState");
  tree.random = table.stream.number();
  const { size } = kernels.manifest.records[kind];
  const room = Math.floor((values.tree_mb * 2 ** 20) / size);
  // Every node is written before it is read, so that there is no need to clear the memory.
  const pool = () => new KernelArray(kernels, kind, kernels.allocate(room * size), [room]);
  let nodes = pool();
  /** @type {KernelArray | null} */
  let spare = null;
  const stop = kernels.array("int64", 1);
  const roots = kernels.array("float64", KEPT_ROOTS);
  /** @type {Task | null} at the root */
  let root = null;
  const plyOf = (/** @type {Task} */ { own, opp }) => members(own | opp).length;
  /** The stones of both players. @param {Task} task */
  const stonesOf = ({ own, opp, player }) => (player ? [opp, own] : [own, opp]);
  const children = (/** @type {number} */ node) => {
    const { first: at, count } = nodes.at(node);
    return Array.from({ length: count }, (_, i) => at + i);
  };

  const restart = (/** @type {Task} */ task) => {
    root = task;
    tree.used = 1;
    tree.deepest = plyOf(task);
    new Uint8Array(kernels.memory.buffer, nodes.address, size).fill(0);
  };
  const keep = (/** @type {number} */ node, /** @type {number} */ ply, /** @type {bigint} */ least) => {
    spare ??= pool();
    if (!kernels.call("mcts.keep_below", tree, nodes, spare, node, ply, least, stop)) return false;
    [nodes, spare] = [spare, nodes];
    return true;
  };
  const moveTo = (/** @type {Task} */ task) => {
    const near = root && plyOf(task) - plyOf(root) <= FARTHEST;
    const node = near ? Number(kernels.call("mcts.find_node", nodes, ...stonesOf(root), ...stonesOf(task))) : -1;
    if (node < 0) return restart(task);
    if (node > 0) keep(node, plyOf(task), 0n);
    root = task;
  };
  const isFull = () => Number(tree.used) + kernels.constants["evaluate"].MAX_MOVES > room;
  const prune = () => keep(0, plyOf(root), kernels.call("mcts.least_visits", tree, nodes, Math.floor(room / 2), stop));

  const valueOf = (/** @type {any} */ node) =>
    values.prove && node.status ? { [WON]: -1, [LOST]: 1, [DRAWN]: 0 }[node.status] : node.total / node.visits - 1;

  /** @param {Task} task @param {bigint} among @param {number} simulations @param {number} kept
   * @param {boolean} peeks */
  const decision = (task, among, simulations, kept, peeks) => {
    const { own, opp } = task;
    const { state } = table.stream;
    const found = children(0).map((child) => [table.moveOfBit(nodes.at(child).cell), child]);
    found.sort(([a], [b]) => a - b);
    const all = Object.fromEntries(found.map(([move, child]) => [move, nodes.at(child)]));
    const best = found.length
      ? kernels.call("mcts.best_moves", nodes, table.layout, own, opp, among, values.prove, network !== null)
      : among;
    const move = table.pick(best, "random");
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
        tree_depth: Number(tree.deepest) - plyOf(task),
        proven: proven !== undefined,
      },
    };
  };

  /** The decision of the tree among some moves. @param {Task} task @param {bigint} among
   * @param {((found: Partial<Decision>) => void) | null} say */
  const simulated = (task, among, say) => {
    const { own, opp, seconds } = task;
    const wanted = values.simulations ?? (values.seconds === null ? USUAL_SIMULATIONS : null);
    within(kernels, seconds ?? Infinity);
    if (values.reuse_tree) moveTo(task);
    else restart(task);
    if (nodes.at(0).visits + (wanted || 0) > MAX_VISITS) restart(task);
    const kept = nodes.at(0).visits;
    tree.visited = 0;
    const total = wanted ?? MAX_VISITS - kept;
    const options = {
      c: values.c,
      rules: values.rollouts === "rules",
      prove: values.prove,
      until_proven: wanted === null,
      roots,
    };
    const guide = network
      ? { network: network.board(own, opp), temperature: values.temperature, rollouts: values.leaf === "rollout" }
      : kind === "Node"
        ? null
        : { custom: null };
    const simulate = (/** @type {number} */ count) =>
      Number(work.call("mcts.simulate", setup, tree, nodes, own, opp, count, UNLIMITED, options, guide, stop));
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
        say(decision(task, among, done, kept, true));
        const took = Math.max((performance.now() - begun) / 1000, 1e-6);
        size = Math.max(1, Math.min(4 * size, Math.floor((size * PART_SECONDS) / took)));
      }
    return decision(task, among, done, kept, false);
  };

  return (task, say) => {
    const { own, opp } = task;
    const legal = table.legal(own, opp);
    const limit = ownLimit(values, task);
    const timed = (/** @type {Limit} */ { seconds }) => ({ ...task, seconds: least(seconds, task.seconds) });
    if (!solver) return simulated(timed(limit), legal, say);
    solver.readBooks();
    const begun = performance.now();
    const favourite = network ? members(table.highest(legal, network.judge(own, opp)))[0] : -1;
    const proof = proven(table, solver, task, legal, limit, favourite);
    if (proof.settled) return proof.decision("random", proof.nodes);
    const rest = timed(without(limit, proof.nodes, begun));
    return proof.addedTo(simulated(rest, proof.candidates, say), proof.nodes);
  };
}

/** The best evaluation after its own move. @param {Work} work @param {Agent} agent @param {Task} first
 * @param {bigint} seed @returns {Mind} */
function greedyMind(work, agent, first, seed) {
  const table = new Table(work, first, seed);
  const search = new Search(work, agent, first, table);
  const { kernels } = work;
  return ({ own, opp }) => {
    const legal = table.legal(own, opp);
    const moves = members(legal);
    const network = search.network?.board(own, opp); // allocated before the mark, so that it is kept
    const mark = kernels.mark();
    const stones = moves.map((move) => table.stone(own | opp, move));
    const found = kernels.array("int64", moves.length);
    if (network) kernels.call("ntuple.points_after", network.net, network.board, own, opp, stones, found);
    else kernels.call("evaluate.points_after", search.setup, own, opp, stones, found);
    const points = Object.fromEntries(moves.map((move, at) => [move, Number(found.data[at])]));
    kernels.release(mark);
    const won = kernels.call("rules.winning_moves", table.layout, own, own | opp);
    const wins = members(won);
    const move = table.pick(won || table.highest(legal, points), agent.values.ties);
    const values = Object.fromEntries(moves.map((one) => [one, wins.includes(one) ? 1 : search.estimate(points[one])]));
    const rest = { nodes: moves.length, depth: 1, line: [move], details: { leaves: moves.length } };
    return { move, value: values[move], values, points: points[move], by_move: { points }, ...rest };
  };
}

/** The highest value in a learned table. @param {Work} work @param {Agent} agent @param {Task} first
 * @param {bigint} seed @returns {Mind} */
function tableMind(work, { values }, first, seed) {
  const table = new Table(work, first, seed);
  const { kernels } = work;
  const name = `models/qlearning-${first.board.name}`;
  const file = work.files[name];
  const [rows, moves] = new Uint32Array(file, 0, 2);
  const [share, start] = new Float64Array(file, 8, 2);
  const record = kernels.record("TableRecord");
  Object.assign(record, { rows, moves, start });
  record.keys = kernels.keep(`${name} keys`, () => kernels.copied("int64", new BigInt64Array(file, 24, 2 * rows)));
  record.values = kernels.keep(`${name} values`, () =>
    kernels.copied("float32", new Float32Array(file, 24 + 16 * rows, moves * rows)),
  );
  if (!values.use_table) {
    record.keys = kernels.array("int64", 2 * rows);
    record.keys.data.fill(-1n);
  }
  const { NONE, RULES, THREATS, HEURISTIC } = kernels.constants["qlearning"];
  const kind = { none: NONE, rules: RULES, threats: THREATS, heuristic: HEURISTIC }[values.guide];
  const model = [record, foldedBoard(kernels, table.layout, moves), { kind, share }];
  const bounded = (/** @type {number} */ value) => Math.max(-1, Math.min(1, value));
  return ({ own, opp, player }) => {
    const [one, two] = player ? [opp, own] : [own, opp];
    const { values: q, forced, known } = judged(kernels, table.layout, model, one, two);
    const all = Object.keys(q).map(Number);
    let move = table.pick(table.highest(setOf(forced.length ? forced : all), q), "random");
    if (values.noise && table.stream.uniform() < values.noise) move = all[table.stream.below(all.length)];
    const estimates = Object.fromEntries(all.map((other) => [other, bounded(q[other])]));
    const details = { known, guided: forced.length > 0 };
    return { move, value: estimates[move], values: estimates, by_move: { q }, depth: 0, line: [move], details };
  };
}

/** The best move by a network, one ply ahead. @param {Work} work @param {Agent} agent @param {Task} first
 * @param {bigint} seed @returns {Mind} */
function networkMind(work, { values }, first, seed) {
  const table = new Table(work, first, seed);
  const network = shippedNetwork(work, first.board);
  return ({ own, opp }, say) => {
    const legal = table.legal(own, opp);
    const moves = members(legal);
    const judged = network.judge(own, opp);
    const part = (/** @type {number} */ move) =>
      network.takeApart(own, opp, table.stone(own | opp, move), judged[move]);
    const details = say ? { taken_apart: Object.fromEntries(moves.map((move) => [move, part(move)])) } : {};
    const estimates = Object.fromEntries(moves.map((move) => [move, judged[move]]));
    let move = table.pick(table.highest(legal, judged), "random");
    if (values.noise && table.stream.uniform() < values.noise) move = moves[table.stream.below(moves.length)];
    return { move, value: judged[move], values: estimates, nodes: moves.length, depth: 1, line: [move], details };
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
  perfect: perfectMind,
  best: bestMind,
  ntuple: networkMind,
  greedy: greedyMind,
  qlearning: tableMind,
};

/**
 * Decide, with the mind of this owner. @param {Work} work
 * @param {Task & {owner: string, agent: Agent, seed: bigint, watch?: boolean}} args @returns {Decision}
 */
export function decide(work, { owner, agent, seed, watch, ...task }) {
  const begun = performance.now();
  const mind = work.resident(owner, () => MINDS[agent.name](work, agent, task, seed));
  const nothing = { value: null, values: {}, by_move: {}, nodes: 0, depth: null, line: [], details: {}, note: "" };
  const whole = (/** @type {Partial<Decision>} */ found) =>
    /** @type {Decision} */ ({ ...nothing, ...found, seconds: (performance.now() - begun) / 1000 });
  return whole(mind(task, watch ? (found) => work.say(whole(found)) : null));
}
