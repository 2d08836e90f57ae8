// Positions that measure a learner, in the worker: those of Python's `random_positions`.

import { Stream, derive } from "./seeds.js";
import { solverOf } from "./solving.js";
import { members } from "./wasm.js";

/** Random positions in which some moves keep the verdict and some don't, fewer than `count` if time runs out.
 * @param {import("./worker.js").Work} work
 * @param {{owner: string, board: import("./solving.js").Board, count: number, firstPly: number, seconds: number}} args
 * @returns {import("./learning.js").Known[]} */
export function sample(work, { owner, board, count, firstPly, seconds }) {
  const { kernels } = work;
  const { layout, cells } = board;
  const solver = solverOf(work, owner, board);
  const stream = new Stream(kernels, derive(1, "positions"));
  const end = performance.now() + 1000 * seconds;
  const plies = cells - 1 - firstPly;
  /** @type {Map<string, import("./learning.js").Known | null>} by stones; null if all moves keep it */
  const drawn = new Map();
  const found = () => [...drawn.values()].filter((known) => known);
  for (let number = 0; number < 20 * count; number++) {
    let [own, opp] = [0n, 0n];
    const ply = firstPly + (number % plies);
    let [over, legal] = kernels.call("rules.look", layout, own, opp);
    for (let played = 0; played < ply && !over; played++) {
      const moves = members(legal);
      const stone = kernels.call("rules.stone_of", layout, own | opp, moves[stream.below(moves.length)]);
      [own, opp] = [opp, own | stone];
      [over, legal] = kernels.call("rules.look", layout, ...(played % 2 ? [own, opp] : [opp, own]));
    }
    const [first, second] = ply % 2 ? [opp, own] : [own, opp];
    if (over || drawn.has(`${first} ${second}`)) continue;
    const left = (end - performance.now()) / 1000;
    if (left <= 0) break;
    const solved = Object.entries(solver.analyse(own, opp, ["moves"], { seconds: left }).moves);
    if (solved.some(([, [low, high]]) => low !== high)) break;
    const best = Math.max(...solved.map(([, [score]]) => Math.sign(score)));
    const kept = solved.filter(([, [score]]) => Math.sign(score) === best).map(([move]) => Number(move));
    drawn.set(`${first} ${second}`, kept.length < solved.length ? [String(first), String(second), kept] : null);
    if (found().length === count) break;
  }
  return found();
}
