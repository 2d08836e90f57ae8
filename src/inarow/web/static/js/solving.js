// Exact scores in the worker: the solver's kernels, with a table and the opening books, asked step by step.

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {import("./worker.js").Work} Work */
/** @typedef {{name: string, cells: number, layout: any}} Board a game as kernels take it */
/**
 * The proven bounds of a position's score and of its moves.
 * @typedef {Object} Proven
 * @property {number} low @property {number} high @property {Record<string, [number, number]>} moves
 * @property {number[]} line @property {number} nodes @property {number} seconds @property {string} looking_for
 */

const TT_MB = 32;
const NAMES = ["score", "moves", "line", ""];

/** The solver of one board, with its memory. */
export class Solver {
  /** @param {Work} work @param {Board} board @param {number} [megabytes] */
  constructor({ kernels }, board, megabytes = TT_MB) {
    this.kernels = kernels;
    const { layout } = board;
    this.layout = layout;
    this.codes = kernels.constants["solver.analyse"];
    const kind = layout.misere ? "misere" : layout.gravity ? "gravity" : "free";
    this.advance = `solver.analyse.advance_${kind}`;
    const module = kind === "gravity" ? "solver.solve" : "solver.solve_free";
    this.search = kernels.record(kind === "gravity" ? "Search" : "FreeSearch");
    this.search.tt = kernels.array("int64", Number(kernels.call(`${module}.table_words`, layout, megabytes)));
    this.search.stop = kernels.array("int64", 1);
    if (kind === "gravity") kernels.call("solver.solve.set_up", this.search, layout, megabytes);
    else {
      this.search.images = kernels.array("int64", Number(kernels.call("solver.solve_free.image_words", layout)));
      kernels.call("solver.solve_free.set_up_free", this.search, layout);
    }
    this.board = board.name;
    this.books = { scores: emptyBook(kernels), openings: emptyBook(kernels), verdicts: emptyBook(kernels) };
    this.state = kernels.record("AnalysisState");
    /** @type {any} */
    this.proof = null;
  }

  /** Use those books of this board that the worker has loaded. */
  readBooks() {
    for (const name of /** @type {const} */ (["scores", "verdicts"]))
      this.books[name] = this.kernels.kept.made.get(`books/${this.board}.${name}`) ?? this.books[name];
  }

  /**
   * Solve a position within a limit; report intermediate results.
   * @param {bigint} own @param {bigint} opp @param {string[]} parts of "score", "moves", "line"
   * @param {{seconds?: number, nodes?: number, weak?: boolean}} limit @param {(found: Proven) => void} [say]
   * @returns {Proven}
   */
  analyse(own, opp, parts, { seconds = Infinity, nodes, weak = false }, say) {
    const { kernels, state, codes } = this;
    const begun = performance.now();
    const wanted = parts.reduce((set, part) => set | (1 << NAMES.indexOf(part)), 0);
    const limit = nodes ?? codes.UNLIMITED;
    kernels.call("solver.analyse.begin", state, this.layout, this.books, own, opp, limit, weak, wanted);
    this.run(seconds, say && (() => say(this.proven(begun))));
    return this.proven(begun);
  }

  /** Continue the analysis. @param {number} seconds @param {() => void} [answered] */
  run(seconds, answered) {
    const { kernels, state, codes } = this;
    const end = performance.now() + 1000 * seconds;
    kernels.raised = () => performance.now() > end;
    state.stepwise = Boolean(answered);
    for (let code = codes.ANSWERED; code !== codes.DONE;) {
      if (answered && code === codes.ANSWERED && Number(state.looking_for) !== codes.NOTHING) answered();
      code = Number(kernels.call(this.advance, state, this.layout, this.search, this.books, codes.UNLIMITED));
    }
  }

  /**
   * Prove which moves keep the verdict, then their scores. @param {bigint} own @param {bigint} opp
   * @param {{nodes?: number, seconds?: number}} limit @param {number} favourite the move to solve first
   */
  prove(own, opp, { nodes, seconds = Infinity }, favourite) {
    const { kernels, state, layout, books, codes } = this;
    const proof = (this.proof ??= kernels.record("ProofState"));
    const end = performance.now() + 1000 * seconds;
    const limit = nodes ?? codes.UNLIMITED;
    kernels.call("solver.prove.begin_proof", proof, state, layout, books, own, opp, limit, favourite);
    const left = () => (end - performance.now()) / 1000;
    while (kernels.call("solver.prove.prove", proof, state, layout, books, left())) this.run(Number(proof.seconds));
    const bounds = (/** @type {any} */ low, /** @type {any} */ high) =>
      Array.from(low.data, (_, move) => [Number(low.data[move]), Number(high.data[move])]);
    const { NOT_KNOWN } = kernels.constants["solver.prove"];
    return {
      verdicts: bounds(proof.low, proof.high),
      scores: proof.scored ? bounds(proof.score_low, proof.score_high) : null,
      nodes: Number(proof.nodes),
      verdict: Number(proof.verdict) === NOT_KNOWN ? undefined : Number(proof.verdict),
    };
  }

  /** @param {number} begun @returns {Proven} */
  proven(begun) {
    const { state } = this;
    const [low, high, line] = [state.move_low.data, state.move_high.data, state.line.data];
    /** @type {Record<string, [number, number]>} */
    const moves = {};
    const legal = state.legal;
    for (let move = 0; state.wants_moves && legal >> BigInt(move); move++)
      if ((legal >> BigInt(move)) & 1n) moves[move] = [Number(low[move]), Number(high[move])];
    return {
      low: Number(state.low),
      high: Number(state.high),
      moves,
      line: Array.from(line.subarray(0, Number(state.length)), Number),
      nodes: Number(state.nodes),
      seconds: (performance.now() - begun) / 1000,
      looking_for: NAMES[Number(state.looking_for)],
    };
  }
}

/** @param {Kernels} kernels @param {number} [count] positions */
function emptyBook(kernels, count = 0) {
  const book = kernels.record("BookTable");
  book.last_ply = -1;
  book.keys = kernels.array("int64", count);
  book.values = kernels.array("uint8", count);
  return book;
}

/** A packed book for kernels. @param {Kernels} kernels @param {ArrayBuffer} bytes */
export function readBook(kernels, bytes) {
  const [count, first, last] = new Int32Array(bytes, 0, 3);
  const book = emptyBook(kernels, count);
  book.first_ply = first;
  book.last_ply = last;
  kernels.call("solver.analyse.unpack_keys", new Uint8Array(bytes, 12, 8 * count), book.keys);
  book.values.data.set(new Uint8Array(bytes, 12 + 8 * count, count));
  return book;
}

/** The solver of a board, whose table is kept between its jobs, with its books. @param {Work} work
 * @param {string} owner @param {Board} board @returns {Solver} */
export function solverOf(work, owner, board) {
  const solver = work.resident(owner, () => new Solver(work, board));
  solver.readBooks();
  return solver;
}

/**
 * Solve a position. @param {Work} work
 * @param {{owner: string, board: Board, own: bigint, opp: bigint, seconds: number, line: boolean}} args
 * @returns {Proven}
 */
export function analyse(work, { owner, board, own, opp, seconds, line }) {
  const parts = ["score", "moves", ...(line ? ["line"] : [])];
  return solverOf(work, owner, board).analyse(own, opp, parts, { seconds }, work.say);
}

/**
 * The scores of all moves of each position, in order, within a time limit; null where one is not known.
 * @param {Work} work @param {{owner: string, board: Board, positions: [bigint, bigint][], seconds: number}} args
 */
export function review(work, { owner, board, positions, seconds }) {
  const solver = solverOf(work, owner, board);
  const end = performance.now() + 1000 * seconds;
  return positions.map(([own, opp]) => {
    const left = (end - performance.now()) / 1000;
    if (left <= 0) return null;
    const { moves } = solver.analyse(own, opp, ["moves"], { seconds: left });
    const known = Object.values(moves).every(([low, high]) => low === high);
    return known ? Object.fromEntries(Object.entries(moves).map(([move, [low]]) => [move, low])) : null;
  });
}
