// Sentences of the local engine, from the templates that Python also uses (data/sentences.json).

/** @typedef {Record<string, string | number | string[]>} Values */

/** @type {Record<string, Record<string, string>>} */
let sentences = {};

/** @param {Record<string, Record<string, string>>} given */
export function setSentences(given) {
  sentences = given;
}

/** A count with its noun. @param {number} count @param {string} singular @param {string} plural */
export function counted(count, singular, plural) {
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}

/** @param {string[]} words @param {string} [word] */
export function joined(words, word = "or") {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(` ${word} `);
}

/**
 * A sentence by its name, or by its index among those of its kind. `{name}` is replaced by a value, several joined by
 * or; `{name:move|moves}` by a number and its noun.
 * @param {string} kind @param {string | number | bigint} code @param {Values} [values] @returns {string}
 */
export function say(kind, code, values = {}) {
  const templates = sentences[kind];
  const template = typeof code === "string" ? templates[code] : Object.values(templates)[Number(code)];
  return template.replace(/\{(\w+)(?::(\w+)\|(\w+))?\}/g, (_, name, singular, plural) => {
    const value = values[name];
    if (typeof value === "number") return singular ? counted(value, singular, plural) : value.toLocaleString("en");
    return typeof value === "string" ? value : joined(value);
  });
}

/** Format a move, counting from 1. @param {number} move */
export const formatMove = (move) => String(move + 1);

/** @param {{moves: number}} game @param {number[]} moves */
export const formatMoves = (game, moves) => moves.map(formatMove).join(game.moves <= 9 ? "" : ",");

/** Text for HTML. @param {string} text */
export const escaped = (text) =>
  text.replace(/[&<>"']/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one] || "&#x27;");
