// Agents at work in the worker: each mind keeps what lasts between its moves.

import { Stream } from "./seeds.js";

/** @typedef {import("./worker.js").Work} Work */
/** @typedef {import("./sessions.js").Decision} Decision */
/** @typedef {{board: import("./solving.js").Board, own: bigint, opp: bigint, player: number, seconds: number}} Task */
/** @typedef {(task: Task, say: (found: Decision) => void) => Partial<Decision>} Mind */
/** @typedef {{name: string, values: Record<string, any>, spec: string}} Agent */

/** @type {Record<string, (work: Work, agent: Agent, task: Task, seed: bigint) => Mind>} */
const MINDS = {
  random: ({ kernels }, _agent, { board }, seed) => {
    const [stream, layout] = [new Stream(kernels, seed), layoutOf(kernels, board)];
    return ({ own, opp }) => {
      const legal = kernels.call("rules.look", layout, own, opp)[1];
      return {
        move: chosen(kernels.call("decisions.choose", layout, legal, kernels.constants.decisions.ANY, stream.number())),
      };
    };
  },
  rules: ({ kernels }, { values }, { board }, seed) => {
    const { ANY, WEIGHTED, CORNERS } = kernels.constants.decisions;
    const style = { random: ANY, centre: WEIGHTED, corners: CORNERS }[values.style];
    const [stream, layout] = [new Stream(kernels, seed), layoutOf(kernels, board)];
    return ({ own, opp }) => ({
      move: chosen(kernels.call("decisions.rules_move", layout, own, opp, style, stream.number())),
    });
  },
};

/** @param {import("./wasm.js").Kernels} kernels @param {import("./solving.js").Board} board */
function layoutOf(kernels, { columns, rows, k, gravity }) {
  return kernels.call("rules.layout_of", columns, rows, k, gravity);
}

/** @param {[bigint, bigint]} found a move, and among how many it was drawn */
const chosen = ([move]) => Number(move);

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
  const end = begun + 1000 * task.seconds;
  work.kernels.raised = () => performance.now() > end;
  const whole = (/** @type {Partial<Decision>} */ found) =>
    /** @type {Decision} */ ({ ...nothing, ...found, seconds: (performance.now() - begun) / 1000 });
  return whole(mind(task, watch ? (found) => work.say(whole(found)) : () => {}));
}
