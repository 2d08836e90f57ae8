// Files of matches: read JSON lines or tagged text, write tagged text.

import { Game, Position, parseMoves, refuse } from "./rules.js";
import { say } from "./words.js";

/**
 * @typedef {Object} Match
 * @property {Game} game @property {string} first @property {string} second @property {number} seed
 * @property {number[]} opening @property {number[]} moves after the opening
 * @property {string} result first, second, draw or none @property {string} termination
 * @property {number[]} nodes @property {(number | null)[]} values @property {number[]} seconds
 * @property {string} [fault]
 */

const MARKS = { first: "1-0", second: "0-1", draw: "1/2-1/2", none: "*" };
const TAG = /\[(\w+) ("(?:[^"\\]|\\.)*")\]/g;
const MOVE = /(\d+)\s*(?:\{([^}]*)\})?/g;

/** Format a number like Python's repr of a float. @param {number} value */
const float = (value) => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** @param {Match} match @returns {string} */
export function recordText(match) {
  const tags = {
    Game: match.game.name,
    First: match.first,
    Second: match.second,
    Seed: String(match.seed),
    Opening: match.opening.map((move) => move + 1).join(" "),
    Result: MARKS[match.result],
    Termination: match.termination,
    Fault: match.fault,
  };
  const lines = Object.entries(tags).filter(([, value]) => value);
  const words = match.moves.flatMap((move, index) => {
    const ply = match.opening.length + index;
    const number = ply % 2 === 0 ? [`${ply / 2 + 1}.`] : index === 0 ? [`${(ply + 1) / 2}...`] : [];
    const notes = [
      match.values[index] === null ? "" : `v=${float(match.values[index])}`,
      match.nodes[index] ? `n=${match.nodes[index]}` : "",
      match.seconds[index] ? `t=${float(match.seconds[index])}` : "",
    ].filter(Boolean);
    return [...number, notes.length ? `${move + 1} {${notes.join(" ")}}` : String(move + 1)];
  });
  const body = [...words, MARKS[match.result]].join(" ");
  return [...lines.map(([name, value]) => `[${name} ${JSON.stringify(value)}]`), "", body, ""].join("\n");
}

/** @param {string} text @returns {Match} */
function parseText(text) {
  const tags = Object.fromEntries([...text.matchAll(TAG)].map(([, name, value]) => [name, JSON.parse(value)]));
  const missing = ["Game", "First", "Second", "Result", "Termination"].find((name) => !(name in tags));
  if (missing) refuse(say("record", "no_tag", { name: missing }));
  const result = Object.keys(MARKS).find((one) => MARKS[one] === tags.Result);
  if (!result)
    refuse(say("record", "no_result", { result: `'${tags.Result}'`, known: Object.values(MARKS).join(", ") }));
  let body = text.replace(TAG, "").trim();
  if (!body.endsWith(tags.Result)) refuse(say("record", "cut_short", { result: tags.Result }));
  body = body.slice(0, -tags.Result.length).replace(/\d+\.+(?=\s)/g, " ");
  const noted = [...body.matchAll(MOVE)].map(([, move, notes]) => ({
    move,
    notes: Object.fromEntries((notes || "").split(/\s+/).map((note) => note.split("="))),
  }));
  const rest = body.replace(MOVE, "").trim();
  if (rest) refuse(say("record", "no_move", { text: `'${rest.slice(0, 40)}'` }));
  const separator = Game.of(tags.Game).moves <= 9 ? "" : ",";
  return checked({
    game: tags.Game,
    first: tags.First,
    second: tags.Second,
    seed: Number(tags.Seed || 0),
    opening: (tags.Opening || "").split(/\s+/).filter(Boolean).join(separator),
    moves: noted.map((one) => one.move).join(separator),
    result,
    termination: tags.Termination,
    fault: tags.Fault || "",
    nodes: noted.map(({ notes }) => Number(notes.n || 0)),
    values: noted.map(({ notes }) => (notes.v === undefined ? null : Number(notes.v))),
    timing: { seconds: noted.map(({ notes }) => Number(notes.t || 0)) },
  });
}

/** Parse a match from JSON, where moves count from 1. @param {any} data @returns {Match} */
function checked(data) {
  for (const name of ["game", "first", "second", "opening", "moves", "result", "termination"])
    if (typeof data[name] !== "string") refuse(say("record", "no_field", { name }));
  const game = Game.of(data.game);
  const opening = parseMoves(game, data.opening);
  const both = [data.opening, data.moves].filter((part) => part.trim()).join(game.moves <= 9 ? "" : ",");
  const moves = parseMoves(game, both).slice(opening.length);
  const { over, result } = Position.start(game, [...opening, ...moves]);
  const ended = ["line", "full board"].includes(data.termination);
  const claimed = { first: 2, second: 3, draw: 1 }[data.result] || 0;
  if (!(data.result in MARKS) || ended !== Boolean(over) || (over && over !== claimed))
    refuse(say("record", "contradiction", { ends: result, result: data.result, termination: data.termination }));
  /** @param {any} list @param {any} filler @returns {any[]} */
  const each = (list, filler) => moves.map((_, index) => (Array.isArray(list) ? (list[index] ?? filler) : filler));
  return {
    ...{ game, opening, moves, first: data.first, second: data.second, seed: Number(data.seed) || 0 },
    ...{ result: data.result, termination: data.termination, fault: data.fault || "" },
    ...{ nodes: each(data.nodes, 0), values: each(data.values, null), seconds: each(data.timing?.seconds, 0) },
  };
}

/** The matches of a file. @param {string} text @param {string} name its name in errors @returns {Match[]} */
export function parseRecords(text, name) {
  if (!text.trim()) refuse(say("record", "empty", { name }));
  const json = text.trimStart().startsWith("{");
  const pieces = json ? text.split("\n") : text.split(/^(?=\[Game )/m);
  let line = 1;
  return pieces.flatMap((piece) => {
    const at = line;
    line += json ? 1 : piece.split("\n").length - 1;
    if (!piece.trim()) return [];
    try {
      return [json ? checked(JSON.parse(piece)) : parseText(piece)];
    } catch (error) {
      const why = error instanceof SyntaxError ? say("record", "not_json", { problem: error.message }) : error.message;
      return refuse(say("record", "at", { name, line: String(at), why }));
    }
  });
}

/** @param {Match} match @returns {Api.RecordInfo} */
export function recordInfo(match) {
  const { game, opening, moves, first, second, result } = match;
  return { game: game.name, moves: [...opening, ...moves], opening: opening.length, first, second, result };
}
