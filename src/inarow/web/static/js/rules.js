// Games and positions of the local engine. The kernels know the rules; this module has the names, notations and
// messages.

import { EngineError } from "./errors.js";
import { members } from "./wasm.js";
import { formatMoves, say } from "./words.js";

/** @typedef {import("./wasm.js").Kernels} Kernels */

/** @type {Kernels} */
let kernels;

/** @param {Kernels} given with the bundle "rules" */
export function setRules(given) {
  kernels = given;
}

/** Throw an error with a message. @param {string} message @param {number} [status] @returns {never} */
export function refuse(message, status = 422) {
  throw new EngineError(message, status);
}

const NAMED = { tictactoe: "3x3x3-free", connect4: "7x6x4" };
const TITLES = { tictactoe: "Tic Tac Toe", connect4: "Connect 4" };
const MAX_BITS = 63;

/** The rules of one game; on a cylinder the last column is next to the first, in misère a completed line loses. */
export class Game {
  /** @param {number} columns @param {number} rows @param {number} k
   * @param {{gravity: boolean, cylinder?: boolean, misere?: boolean}} kind */
  constructor(columns, rows, k, { gravity, cylinder = false, misere = false }) {
    const longest = Math.max(columns, rows);
    const bits = columns * (rows + 1);
    const values = { columns, rows, k, longest, bits, most: MAX_BITS };
    if (columns < 1 || rows < 1) refuse(say("board", "no_cells", values));
    if (longest < 2) refuse(say("board", "too_small", values));
    if (bits > MAX_BITS) refuse(say("board", "too_large", values));
    if (k < 2 || k > longest) refuse(say("board", "does_not_fit", values));
    if (cylinder && k > columns) refuse(say("board", "cylinder", values));
    const variant = `${gravity ? "" : "-free"}${cylinder ? "-cylinder" : ""}${misere ? "-misere" : ""}`;
    const size = `${columns}x${rows}x${k}${variant}`;
    this.name = Object.keys(NAMED).find((name) => NAMED[name] === size) || size;
    this.title = TITLES[this.name] || this.name;
    this.columns = columns;
    this.rows = rows;
    this.k = k;
    this.gravity = gravity;
    this.variant = misere ? "misère" : cylinder ? "cylinder" : "";
    this.cells = columns * rows;
    this.moves = gravity ? columns : this.cells;
    const usual = kernels.call("rules.layout_of", columns, rows, k, gravity);
    /** The arguments of the kernels. */
    this.layout = { ...usual, width: BigInt(cylinder ? bits : 0), misere };
  }

  /** @param {string} name such as connect4, 5x4x4, 4x4x3-free or 5x4x4-misere */
  static of(name) {
    const [, board, cylinder, misere] = /^(.*?)(-cylinder)?(-misere)?$/.exec(name);
    const [, columns, rows, k, free] = /^(\d+)x(\d+)x(\d+)(-free)?$/.exec(NAMED[board] || board) || [];
    if (columns === undefined) refuse(say("board", "unknown", { name: name.slice(0, 40) }));
    const [c, r, n] = [columns, rows, k].map((one) => Number(one.slice(0, 4)));
    return new Game(c, r, n, { gravity: !free, cylinder: Boolean(cylinder), misere: Boolean(misere) });
  }

  /** @returns {Api.GameInfo} */
  get info() {
    const { name, title, columns, rows, k, gravity, moves } = this;
    return { name, title, columns, rows, k, gravity, moves };
  }

  /** The cells of a set, row by row from the top left, in ascending order. @param {bigint} set @returns {number[]} */
  cellsOf(set) {
    return members(set)
      .map((index) => Number(kernels.call("rules.cell_of", this.layout, 1n << BigInt(index))))
      .sort((a, b) => a - b);
  }

  /** The move that fills the cell of a bit index. @param {number | bigint} index */
  moveOfBit(index) {
    return Number(kernels.call("rules.move_to", this.layout, 1n << BigInt(index)));
  }
}

const RESULTS = [null, "draw", "first", "second"];

/** Stones on a board; it does not change. */
export class Position {
  /** @param {Game} game @param {bigint} [first] @param {bigint} [second] */
  constructor(game, first = 0n, second = 0n) {
    this.game = game;
    this.first = first;
    this.second = second;
    this.ply = members(first | second).length;
    this.toMove = this.ply & 1;
    const [outcome, legal, lines, ours, theirs] = kernels.call("rules.look", game.layout, first, second);
    this.over = Number(outcome);
    this.legal = members(legal);
    this.lines = lines;
    this.threats = [ours, theirs];
  }

  /** @param {Game} game @param {number[]} moves @returns {Position} */
  static start(game, moves) {
    return moves.reduce((position, move) => position.play(move), new Position(game));
  }

  get own() {
    return this.toMove ? this.second : this.first;
  }

  get opp() {
    return this.toMove ? this.first : this.second;
  }

  /** The cell that a legal move fills, as a bit. @param {number} move @returns {bigint} */
  stone(move) {
    return kernels.call("rules.stone_of", this.game.layout, this.first | this.second, move);
  }

  /** @param {number} move @returns {number} */
  cell(move) {
    return this.game.cellsOf(this.stone(move))[0];
  }

  /** @param {number} move @returns {Position} */
  play(move) {
    const why = this.whyIllegal(move);
    if (why) refuse(why);
    const stone = this.stone(move);
    return this.toMove
      ? new Position(this.game, this.first, this.second | stone)
      : new Position(this.game, this.first | stone, this.second);
  }

  /** Why a move can't be played, with numbers that count from `base`; empty if it can. @param {number} move */
  whyIllegal(move, base = 0) {
    if (this.legal.includes(move)) return "";
    if (this.over) return say("illegal", "over", { result: this.result });
    const { game } = this;
    const kind = game.gravity ? "column" : "cell";
    const free = this.legal.map((one) => one + base).join(", ");
    const values = { move: move + base, game: game.name, low: base, high: game.moves - 1 + base, free };
    return say("illegal", `${kind}_${move >= 0 && move < game.moves ? "taken" : "out_of_range"}`, values);
  }

  /** Describe the result. */
  get result() {
    return say("outcome", this.over);
  }

  /** Rows from the top: X, O, or a dot. */
  get rows() {
    const { columns, rows, cells } = this.game;
    const drawn = new Array(cells).fill(".");
    for (const cell of this.game.cellsOf(this.first)) drawn[cell] = "X";
    for (const cell of this.game.cellsOf(this.second)) drawn[cell] = "O";
    return Array.from({ length: rows }, (_, row) => drawn.slice(row * columns, (row + 1) * columns).join(""));
  }

  /** The cells that the moves of a line fill. @param {number[]} line */
  cellsOfLine(line) {
    /** @type {Position} */
    let position = this;
    return line.map((move) => {
      const cell = position.cell(move);
      position = position.play(move);
      return cell;
    });
  }

  /** Moves that lead here from the empty board; throws if there are none. @returns {number[]} */
  history() {
    const mark = kernels.mark();
    const moves = kernels.array("int64", this.ply);
    const seen = kernels.array("int64", 1 + 2 * kernels.constants.rules.SEEN);
    const [code, which] = kernels.call("rules.reachable", this.game.layout, this.first, this.second, moves, seen);
    const found = Array.from(moves.data, Number);
    kernels.release(mark);
    if (code !== 0n) {
      const [first, second] = [this.first, this.second].map((stones) => members(stones).length);
      const values = { first, second, column: Number(which) + 1, player: which ? "second" : "first" };
      refuse(say("impossible", code, values));
    }
    return found;
  }

  /** The API's description. @param {number[] | null} moves @param {string} [notation] @returns {Api.PositionInfo} */
  info(moves, notation = "moves") {
    const { game } = this;
    return {
      game: game.info,
      rows: this.rows,
      moves,
      text: moves && formatMoves(game, moves),
      to_move: this.toMove,
      legal: this.legal,
      ply: this.ply,
      landing: Object.fromEntries(this.legal.map((move) => [move, this.cell(move)])),
      outcome: RESULTS[this.over],
      winning: game.cellsOf(this.lines),
      notation,
      threats: this.over ? [[], []] : this.threats.map((cells) => game.cellsOf(cells)),
    };
  }
}

/** The stones of a list of cells, row by row from the top left: 1 and 2, or nothing. @param {Game} game
 * @param {number[]} cells @returns {Position} throws if no order of moves leads to it */
function fromCells(game, cells) {
  const stones = [0n, 0n];
  cells.forEach((player, cell) => {
    const height = game.rows - 1 - Math.floor(cell / game.columns);
    const index = (cell % game.columns) * (game.rows + 1) + height;
    if (player) stones[player - 1] |= 1n << BigInt(index);
  });
  return new Position(game, stones[0], stones[1]);
}

const STONES = { ".": 0, _: 0, "-": 0, X: 1, x: 1, O: 2, o: 2 };

/** @param {Game} game @param {string} text */
function parseDrawing(game, text) {
  const rows = text
    .replaceAll("/", "\n")
    .split("\n")
    .map((row) => (row.trim().includes(" ") ? row.trim().split(/\s+/) : [...row.trim()]))
    .filter((row) => row.length);
  rows.forEach((row, at) =>
    row.forEach((stone, column) => {
      if (!(stone in STONES)) refuse(say("notation", "no_stone", { row: at + 1, column: column + 1, stone }));
    }),
  );
  if (rows.length !== game.rows || rows.some((row) => row.length !== game.columns)) {
    const lengths = [...new Set(rows.map((row) => String(row.length)))].sort().join(", ");
    const values = { lines: rows.length, lengths, game: game.name, rows: game.rows, columns: game.columns };
    refuse(say("notation", "wrong_grid", values));
  }
  return fromCells(
    game,
    rows.flat().map((stone) => STONES[stone]),
  );
}

/** Parse moves, each of which must be legal. @param {Game} game @param {string} text @returns {number[]} */
export function parseMoves(game, text) {
  /** @type {[number, string][]} each piece with the place of its first character */
  const pieces = [];
  if (game.moves <= 9) [...text].forEach((piece, at) => piece.trim() && pieces.push([at, piece]));
  else if (text.trim()) {
    let at = 0;
    for (const piece of text.split(",")) {
      pieces.push([at + piece.length - piece.trimStart().length, piece.trim()]);
      at += piece.length + 1;
    }
  }
  /** @type {number[]} */
  const moves = [];
  let position = new Position(game);
  for (const [at, piece] of pieces) {
    const number = /^\d+$/.test(piece) ? Number(piece) : 0;
    const kind = game.gravity ? "no_column" : "no_cell";
    const why =
      number < 1 || number > game.moves
        ? say("notation", kind, { piece, game: game.name, low: 1, high: game.moves })
        : position.whyIllegal(number - 1, 1);
    if (why) refuse(say("notation", "at", { text: text.trim(), at: at + 1, piece, number: moves.length + 1, why }));
    moves.push(number - 1);
    position = position.play(number - 1);
  }
  return moves;
}

/** A position and moves that lead to it. @typedef {{position: Position, moves: number[]}} Entry */
/** @param {Position} position @returns {Entry} */
const withHistory = (position) => ({ position, moves: position.history() });
/** @param {Game} game @param {number[]} moves @returns {Entry} */
const ofMoves = (game, moves) => ({ position: Position.start(game, moves), moves });
const UCI = { b: 0, x: 1, o: 2 };

/** The notations of positions, in the order in which they are tried.
 * @type {Record<string, (game: Game, text: string) => Entry>} */
const FORMATS = {
  moves: (game, text) => ofMoves(game, parseMoves(game, text)),
  pons: (game, text) => {
    const [moves, ...rest] = text.trim().split(" ");
    if (rest.length && !/^[+-]?\d+$/.test(rest.join(" ").trim()))
      refuse(say("notation", "no_score", { score: rest.join(" ").trim() }));
    return ofMoves(game, parseMoves(game, moves));
  },
  zero: (game, text) => {
    const apart = /[,\s]/.test(text.trim()) || game.moves > 10;
    const parts = (apart ? text.trim().split(/[,\s]+/) : [...text]).filter((part) => part.trim());
    parts.forEach((part, at) => {
      if (!/^(0|[1-9]\d*)$/.test(part) || Number(part) >= game.moves)
        refuse(say("notation", "not_from_zero", { at: at + 1, part, game: game.name, last: game.moves - 1 }));
    });
    return ofMoves(game, parts.map(Number));
  },
  uci: (game, text) => {
    const parts = text.trim().split(",").map((part) => part.trim()); // prettier-ignore
    if (parts.length === game.cells + 1 && /^(win|draw|loss)$/.test(parts[game.cells])) parts.pop();
    if (parts.length !== game.cells || parts.some((part) => !(part in UCI)))
      refuse(say("notation", "not_uci", { game: game.name, cells: game.cells }));
    const cells = new Array(game.cells);
    parts.forEach((part, at) => {
      const row = game.rows - 1 - (at % game.rows);
      cells[row * game.columns + Math.floor(at / game.rows)] = UCI[part];
    });
    return withHistory(fromCells(game, cells));
  },
  kaggle: (game, text) => {
    const parts = text.trim().replace(/^\[|\]$/g, "").split(/[,\s]+/); // prettier-ignore
    const cells = parts.filter(Boolean).map(Number);
    if (cells.length !== game.cells || cells.some((cell) => ![0, 1, 2].includes(cell)))
      refuse(say("notation", "not_kaggle", { game: game.name, cells: game.cells }));
    return withHistory(fromCells(game, cells));
  },
  drawing: (game, text) => withHistory(parseDrawing(game, text)),
};

/**
 * Parse a position in any notation. @param {import("./local.js").Question & {notation?: string}} question
 * @returns {Entry & {notation: string}}
 */
export function readPosition(question) {
  const game = Game.of(question.game);
  if (question.rows) return { ...withHistory(parseDrawing(game, question.rows.join("\n"))), notation: "drawing" };
  if (typeof question.text !== "string") return { ...ofMoves(game, question.moves || []), notation: "moves" };
  const wanted = question.notation || "auto";
  if (wanted !== "auto") return { ...FORMATS[wanted](game, question.text), notation: wanted };
  for (const [notation, parse] of Object.entries(FORMATS))
    try {
      return { ...parse(game, question.text), notation };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
  return { ...FORMATS.moves(game, question.text), notation: "moves" }; // throws the error of our own notation
}
