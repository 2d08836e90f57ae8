// Recorded searches, in the worker: the events of traced kernels become the columns of a trace. All values are for the
// side to move at the root, MAX; see Python's `tracing`.

import { MINDS, nodeKind } from "./deciding.js";

/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./specs.js").Agent} Agent */
/** @typedef {Record<string, number>} Codes */

const NODES_PER_EVENT = 8;
const NONE = -1;

/** Thrown when the trace has reached its maximum length, which is the message. */
class TraceFull extends Error {}

/** A trace under way: columns for nodes and for events. */
class Recorder {
  /** @param {number} limit @param {Codes} kinds */
  constructor(limit, kinds) {
    this.limit = limit;
    this.last = kinds.decide;
    this.parents = /** @type {number[]} */ ([]);
    this.moves = /** @type {number[]} */ ([]);
    /** @type {{kind: number, node: number, value: number, low: number, high: number, best: number, detail: number,
     * improved: boolean, moves: number[]}[]} */
    this.events = [];
    this.root = NONE;
  }

  /** Add a node; return its number. @param {number} parent @param {number} move */
  node(parent, move) {
    if (this.parents.length >= NODES_PER_EVENT * this.limit)
      throw new TraceFull(`${this.parents.length.toLocaleString("en")} nodes`);
    this.parents.push(parent);
    this.moves.push(move);
    if (parent === NONE) this.root = this.parents.length - 1;
    return this.parents.length - 1;
  }

  /** @param {number} kind @param {number} node @param {number} value
   * @param {{low?: number, high?: number, best?: number, detail?: number, improved?: boolean, moves?: number[]}} [more]
   */
  add(kind, node, value, { low = 0, high = 0, best = 0, detail = 0, improved = false, moves = [] } = {}) {
    if (this.events.length >= this.limit && kind !== this.last)
      throw new TraceFull(`${this.limit.toLocaleString("en")} events`);
    this.events.push({ kind, node, value, low, high, best, detail, improved, moves });
  }

  /** The number of moves that lead to a node. @param {number} node */
  depth(node) {
    let found = 0;
    for (; this.parents[node] !== NONE; node = this.parents[node]) found++;
    return found;
  }
}

/** Codes of events by name: kinds, details, templates.
 * @typedef {{kinds: Codes, details: Codes, said: Codes}} Words */

/** The events of alpha–beta. Its values are for the side to move; here they are for MAX. @param {Recorder} record
 * @param {Words} words @param {any} kernels @param {any} layout */
function searchEvents(record, { kinds, details }, kernels, layout) {
  const { EXACT, LOWER, INFINITE } = kernels.constants.alphabeta;
  const { PROVEN, FULL } = kernels.constants["evaluate"];
  const infinite = Number(INFINITE);
  const opposite = { [details.at_least]: details.at_most, [details.at_most]: details.at_least };
  const turned = (/** @type {number} */ detail) => opposite[detail] ?? detail;
  const boundOf = (/** @type {number} */ bound) =>
    bound === EXACT ? details.exact : bound === LOWER ? details.at_least : details.at_most;
  const moveOf = (/** @type {bigint} */ cell) => Number(kernels.call("rules.move_to", layout, cell));
  /** @type {{node: number, own: bigint, opp: bigint, alpha: number, beta: number, tried: bigint, best: number}[]} */
  let path = [];
  let answer = 0;
  /** @type {any} */
  let setup = null;
  /** @param {number} node @param {bigint} own @param {bigint} opp */
  const open = (node, own, opp, alpha = -infinite, beta = infinite) => {
    return { node, own, opp, alpha, beta, tried: 0n, best: -infinite };
  };
  const forMax = (/** @type {number} */ below, /** @type {number[]} */ [low, high]) =>
    below % 2 ? { low: -high, high: -low } : { low, high };
  const windowOf = (/** @type {number} */ below) => {
    const here = path[below];
    if (!setup.prune) return [-infinite, infinite];
    if (below > 0) return [Math.max(here.alpha, here.best), here.beta];
    const narrow = Number(setup.root) !== FULL && here.best > -infinite;
    return [narrow ? here.best - (Number(setup.root) === PROVEN ? 1 : 0) : -infinite, infinite];
  };
  const endOf = (/** @type {bigint} */ own, /** @type {bigint} */ opp) => {
    const over = Number(kernels.call("rules.look", layout, own, opp)[0]);
    return [details.horizon, details.full, details.line, details.line][over];
  };
  return {
    begin(/** @type {any} */ at, /** @type {bigint} */ own, /** @type {bigint} */ opp, /** @type {bigint} */ depth) {
      setup = kernels.at("SearchSetup", Number(at));
      const root = record.node(NONE, NONE);
      path = [open(root, own, opp)];
      answer = 0;
      record.add(kinds.begin, root, Number(depth));
    },
    enter(
      /** @type {bigint} */ own,
      /** @type {bigint} */ opp,
      /** @type {bigint} */ depth,
      /** @type {bigint} */ alpha,
      /** @type {bigint} */ beta,
    ) {
      const above = path[path.length - 1];
      const node = record.node(above.node, moveOf(opp & ~above.own));
      path.push(open(node, own, opp, Number(alpha), Number(beta)));
      record.add(kinds.enter, node, Number(depth), forMax(path.length - 1, [Number(alpha), Number(beta)]));
    },
    known(/** @type {bigint} */ bound) {
      answer = boundOf(Number(bound));
    },
    backup(
      /** @type {bigint} */ level,
      /** @type {bigint} */ cell,
      /** @type {bigint} */ found,
      /** @type {bigint} */ before,
    ) {
      const [below, value, best] = [Number(level), Number(found), Number(before)];
      const here = path[below];
      let node, kind, detail;
      if (path.length > below + 1) {
        const child = path.pop();
        node = child.node;
        kind = kinds.return;
        detail = -value <= child.alpha ? details.at_least : -value >= child.beta ? details.at_most : details.exact;
      } else {
        node = record.node(here.node, moveOf(cell));
        kind = answer ? kinds.known : kinds.leaf;
        detail = turned(answer) || endOf(here.own | cell, here.opp);
      }
      answer = 0;
      here.tried |= cell;
      here.best = Math.max(best, value);
      const sign = below % 2 ? -1 : 1;
      if (below % 2) detail = turned(detail);
      const window = forMax(below, windowOf(below));
      record.add(kind, node, sign * value, { ...window, best: sign * here.best, detail, improved: value > best });
    },
    cutoff(/** @type {bigint} */ level, /** @type {bigint[]} */ ...cells) {
      const below = Number(level);
      const here = path[below];
      const sign = below % 2 ? -1 : 1;
      const masks = Array.from(setup.order.data.subarray(0, Number(setup.moves)));
      const left = cells.flatMap((part) => masks.map((mask) => part & mask & ~here.tried).filter((cell) => cell));
      const { low, high } = forMax(below, windowOf(below));
      const best = sign > 0 ? high : low === windowOf(0)[0] ? path[0].best : low;
      record.add(kinds.cut, here.node, sign * here.best, { low, high, best, moves: left.map(moveOf) });
    },
  };
}

/** The events of MCTS. A node's number is its place in the kernel's pool. @param {Recorder} record
 * @param {Words} words @param {any} kernels @param {any} layout @param {string} nodes their kind */
function treeEvents(record, { kinds, details }, kernels, layout, nodes) {
  const { WON, LOST } = kernels.constants.mcts;
  let [path, played, selected, simulation] = [[0], /** @type {number[]} */ ([]), 0, 1];
  /** @type {[number, number][]} */
  let proven = [];
  const moveOf = (/** @type {bigint} */ cell) => Number(kernels.call("rules.move_to", layout, cell & -cell));
  const forMax = (/** @type {number} */ depth, /** @type {number} */ result) => (depth % 2 ? -result : result) || 0;
  const resultOf = (/** @type {number} */ status) => (status === WON ? 1 : status === LOST ? -1 : 0);
  const reach = () => {
    if (path[path.length - 1] === selected) return;
    selected = path[path.length - 1];
    record.add(kinds.select, selected, simulation);
  };
  const end = (/** @type {number} */ kind, /** @type {any} */ result, detail = 0) => {
    reach();
    record.add(kind, selected, forMax(path.length - 1, Number(result)), { detail, moves: played });
  };
  return {
    begin() {
      if (record.events.length) throw new TraceFull(`${record.parents.length.toLocaleString("en")} nodes`);
      record.add(kinds.begin, record.node(NONE, NONE), 0);
    },
    select: (/** @type {bigint} */ child) => void path.push(Number(child)),
    expand(/** @type {any} */ at, /** @type {bigint} */ index) {
      reach();
      const { size } = kernels.manifest.records[nodes];
      const nodeAt = (/** @type {number} */ one) => kernels.at(nodes, Number(at) + one * size);
      const node = Number(index);
      const { first, count } = nodeAt(node);
      for (let child = first; child < first + count; child++)
        record.node(node, moveOf(1n << BigInt(nodeAt(child).cell)));
      record.add(kinds.expand, node, count, { low: first });
      for (const [child, status] of proven) record.add(kinds.prove, child, forMax(path.length, resultOf(status)));
      proven = [];
    },
    prove(/** @type {bigint} */ index, /** @type {bigint} */ status) {
      reach();
      const at = path.indexOf(Number(index));
      if (at >= 0) record.add(kinds.prove, path[at], forMax(at, resultOf(Number(status))));
      else proven.push([Number(index), Number(status)]);
    },
    play: (/** @type {bigint} */ cell) => void played.push(moveOf(cell)),
    known: (/** @type {any} */ result) => end(kinds.known, result, details.exact),
    rollout: (/** @type {any} */ result) => end(kinds.rollout, result),
    evaluate: (/** @type {any} */ value) => end(kinds.leaf, value),
    backup(/** @type {any} */ result) {
      const gain = forMax(path.length - 1, Number(result));
      record.add(kinds.backup, path[path.length - 1], 0, { low: 1 + gain, high: 1 - gain });
      [path, played, selected] = [[0], [], 0];
      simulation += 1;
    },
  };
}

/** The template of an event. @param {Recorder} record @param {Recorder["events"][0]} event @param {Words} words
 * @param {boolean} simulated @param {number} infinite */
function saidOf(record, { kind, node, low, high, detail, moves }, { kinds, details, said }, simulated, infinite) {
  const named = (/** @type {Codes} */ codes, /** @type {number} */ code) =>
    Object.keys(codes).find((one) => codes[one] === code);
  const name = named(kinds, kind);
  const ofTrees = {
    select: said.selects,
    expand: said.expands,
    prove: said.proves,
    known: said.settled,
    rollout: said.rolls_out,
    leaf: said.evaluates,
    backup: said.backs_up,
    begin: said.tree,
    decide: said.decides,
  };
  if (simulated) return ofTrees[name];
  if (name === "leaf" || name === "return") return said[named(details, detail)];
  if (name === "enter") return high - low >= 2 * infinite ? said.open : said.window;
  if (name !== "cut") return { begin: said.depth, known: said.known, decide: said.decides }[name];
  return said[`${record.depth(node) % 2 ? "min" : "max"}_${moves.length ? "cuts" : "done"}`];
}

/**
 * Record an agent's search. @param {Work} work
 * @param {import("./deciding.js").Task & {agent: Agent, events: number, seed: number, words: Words}} args
 */
export function record(work, { agent, events, seed, words, ...task }) {
  const { kernels } = work;
  work.clear();
  const { layout, cells } = task.board;
  const simulated = agent.name === "mcts";
  const recorder = new Recorder(events, words.kinds);
  const listen = simulated
    ? treeEvents(recorder, words, kernels, layout, nodeKind(agent.values))
    : searchEvents(recorder, words, kernels, layout);
  const mark = kernels.mark();
  const traced = { ...work, call: kernels.traced.bind(kernels, listen) };
  let [move, truncated, whole] = [/** @type {number | null} */ (null), "", /** @type {any} */ (null)];
  try {
    const found = MINDS[agent.name](traced, agent, task, BigInt(seed))(task, null);
    move = found.move;
    recorder.add(words.kinds.decide, recorder.root, found.points || 0, { moves: [found.move] });
  } catch (error) {
    if (!(error instanceof TraceFull)) throw error;
    truncated = error.message;
    kernels.release(mark);
    const found = MINDS[agent.name](work, agent, task, BigInt(seed))(task, null);
    whole = { move: found.move, nodes: found.nodes };
  }
  kernels.release(mark);
  const infinite = Number(kernels.constants.alphabeta.INFINITE);
  const finite = (/** @type {number} */ value) => (Math.abs(value) >= infinite ? null : value);
  const column = (/** @type {keyof Recorder["events"][0]} */ name) => recorder.events.map((event) => event[name]);
  const lists = recorder.events.flatMap(({ moves }, index) => (moves.length ? [[index, moves]] : []));
  const { WIN } = kernels.constants["evaluate"];
  const { POINTS } = kernels.constants["evaluate"];
  return {
    simulated,
    exploration: simulated ? agent.values.c : null,
    length: recorder.events.length,
    node_count: recorder.parents.length,
    truncated,
    move,
    whole,
    unit: POINTS,
    win: (WIN - cells) * POINTS,
    win_at_start: WIN * POINTS,
    page: {
      first: 0,
      first_node: 0,
      parents: recorder.parents,
      moves: recorder.moves,
      cells: cellsOf(kernels, layout, recorder, task.own | task.opp),
      kinds: column("kind"),
      nodes: column("node"),
      values: column("value"),
      lows: recorder.events.map((event) => finite(event.low)),
      highs: recorder.events.map((event) => finite(event.high)),
      bests: column("best"),
      improved: recorder.events.map((event) => Number(event.improved)),
      said: recorder.events.map((event) => saidOf(recorder, event, words, simulated, infinite)),
      lists: Object.fromEntries(lists),
    },
  };
}

/** The cell that each node's move fills; −1 for a root. @param {import("./wasm.js").Kernels} kernels
 * @param {any} layout
 * @param {Recorder} recorder @param {bigint} start */
function cellsOf(kernels, layout, { parents, moves }, start) {
  /** @type {bigint[]} */
  const occupied = [];
  return parents.map((parent, node) => {
    const stone = parent < 0 ? 0n : kernels.call("rules.stone_of", layout, occupied[parent], moves[node]);
    occupied.push(parent < 0 ? start : occupied[parent] | stone);
    return parent < 0 ? -1 : Number(kernels.call("rules.cell_of", layout, stone));
  });
}
