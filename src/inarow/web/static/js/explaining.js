// Values of positions and moves in words: facts from kernels, sentences from the shared templates.

import { formatMove, say } from "./words.js";
import { members, setOf } from "./wasm.js";

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./sessions.js").Decision} Decision */
/** @typedef {Record<string, number>} Scores the exact score of every move */

/** @type {import("./wasm.js").Kernels} */
let kernels;

/** @param {import("./wasm.js").Kernels} given with the bundle "rules" */
export function setFacts(given) {
  kernels = given;
}

/** @param {bigint} moves */
const listed = (moves) => members(moves).map(formatMove);

/** @param {Position} position @param {number} score @returns {number} the winner's moves to its win; 0 for a draw */
function movesToEnd({ game, ply }, score) {
  return score ? Number(kernels.call("rules.moves_to_end", game.layout, ply, score)) : 0;
}

/** @param {number} score */
const resultOf = (score) => Number(kernels.call("facts.result", score));

/** A score as "win in 4 moves", "draw" or "loss in 12 moves". @param {Position} position @param {number} score */
function describe(position, score) {
  return say("score", resultOf(score), { number: movesToEnd(position, score) });
}

/** Describe the proven bounds of a score. @param {Position} position @param {number} low @param {number} high
 * @returns {Api.MoveScore} */
export function known(position, low, high) {
  const solved = low === high;
  return {
    low,
    high,
    verdict: low > 0 ? "win" : high < 0 ? "loss" : solved ? "draw" : null,
    words: solved ? describe(position, low) : "",
    length: solved && low ? movesToEnd(position, low) : null,
  };
}

/** Explain why a position is won or drawn, by a line of perfect play. @param {Position} position
 * @param {number[]} line @returns {string} */
export function explain(position, line) {
  const { game, first, second, toMove } = position;
  if (game.layout.misere) return ""; // the facts hold for the usual rules only
  const found = kernels.call("facts.why", game.layout, first, second, line);
  const fact = (/** @type {string} */ name) => Number(found[name]);
  const cell = fact("cell");
  const row = game.rows - Math.floor(cell / game.columns); // from the bottom, as players count
  const winner = fact("winner");
  const values = {
    mover: "XO"[toMove],
    other: "XO"[1 - toMove],
    winner: winner === 0 ? "X" : "O",
    loser: winner === 0 ? "O" : "X",
    moves: listed(found.moves),
    others: listed(found.others),
    move: formatMove(fact("move")),
    column: formatMove(((cell % game.columns) + game.columns) % game.columns),
    row,
    above: row + 1,
    parity: row % 2 ? "odd" : "even",
    made: fact("made"),
    proven: fact("proven"),
    number: fact("number"),
  };
  return ["urgent", "threat", "reason"]
    .map((kind) => say(kind, fact(kind), values))
    .filter(Boolean)
    .join(" ");
}

/** A short reason for a move. @param {Position} position @param {number} move @param {number | null} score */
function reason(position, move, score) {
  const { layout } = position.game;
  const [code, number] = kernels.call(
    "facts.hint",
    layout,
    position.own,
    position.opp,
    move,
    score !== null,
    score ?? 0,
  );
  return say("hint", code, { move: formatMove(move), number: Number(number) });
}

/** The reason for a hint. @param {Position} position @param {Decision} hint */
export function reasonOf(position, hint) {
  const scores = hint.details.solved ? hint.by_move.score || {} : {};
  return reason(position, hint.move, scores[hint.move] ?? null);
}

/** Grade a move of a match. @param {Position} position @param {number} index @param {number} move
 * @param {Scores | null} scores of all moves, if they are known @returns {Api.ReviewMove} */
export function reviewMove(position, index, move, scores) {
  const common = { index, player: position.toMove, move };
  if (!scores) return { ...common, solved: false, score: null, best_score: null, best: [], mistake: false, words: "" };
  const top = Math.max(...Object.values(scores));
  const mistake = Math.sign(scores[move]) < Math.sign(top);
  const keeps = (/** @type {number} */ score) => (mistake ? Math.sign(score) === Math.sign(top) : score === top);
  const words = { before: describe(position, top), after: describe(position, scores[move]) };
  return {
    ...common,
    solved: true,
    score: scores[move],
    best_score: top,
    best: Object.keys(scores).map(Number).filter((other) => keeps(scores[other])), // prettier-ignore
    mistake,
    words: mistake ? say("phrase", "became", words) : "",
  };
}

/** Return true if a move gives away a win or a draw. @param {number} move @param {Scores} scores */
export const givesAway = (move, scores) => Math.sign(scores[move]) < Math.sign(Math.max(...Object.values(scores)));

const KINDS = { minimax: 0, alphabeta: 0, mcts: 1, qlearning: 2, ntuple: 3 };
const TREE = 1;
const ANOTHER = 4;

/** The cause of an agent's mistake; null if its move keeps the result. @param {string} agent its name
 * @param {Position} position @param {Decision} decision @param {Scores} scores
 * @param {Scores} replies to its move, if they are known @returns {{cause: string, why: string} | null} */
export function misled(agent, position, decision, scores, replies) {
  const { move, details, line, values } = decision;
  const { game, ply } = position;
  const kind = KINDS[agent] ?? ANOTHER;
  const depth = kind === TREE ? Number(details.tree_depth || 0) : (decision.depth ?? -1);
  const expected = line.length > 1 ? line[1] : -1;
  const list = (/** @type {Scores} */ given) => Array.from({ length: game.moves }, (_, one) => given[one] ?? 0);
  const set = (/** @type {Scores} */ given) => setOf(Object.keys(given).map(Number));
  const found = kernels.call(
    "facts.misled",
    ...[game.layout, ply, set(scores), list(scores), move, kind, depth, expected, set(replies), list(replies)],
    ...[details.known !== false, Boolean(details.guided)],
  );
  const cause = Number(found.cause);
  if (cause === 0) return null;
  const [better, decisive] = [Number(found.better), Number(found.decisive)];
  const names = { move: formatMove(move), better: formatMove(better) };
  const signed = (/** @type {number} */ value) => (value < 0 ? "" : "+") + value.toFixed(2);
  const valued = [move, better]
    .filter((one) => one in values)
    .map((one) => say("phrase", "valued", { move: formatMove(one), value: signed(values[one]) }));
  const compared = valued.join(" and ") || say("phrase", "no_values");
  const simulations = Number(details.simulations || 0) + Number(details.simulations_kept || 0);
  const does = (/** @type {number} */ score) => say("result", resultOf(score), { number: movesToEnd(position, score) });
  const why = say("misled", cause, {
    ...names,
    depth,
    decisive: formatMove(decisive),
    outcome: scores[decisive] > 0 ? "win" : "loss",
    expected: formatMove(expected),
    refutations: listed(found.refutations),
    compared,
    simulated: say("phrase", "simulated", { simulations, compared }),
    truth: say("phrase", "truth", { ...names, does: does(scores[move]), better_does: does(scores[better]) }),
  });
  return { cause: say("cause", cause), why };
}
