// Specs of agents such as alphabeta:depth=8,tt=on: read, checked and written as Python does, by the parameters that
// the list of agents describes.

import { refuse } from "./rules.js";
import { say } from "./words.js";

/** @typedef {{name: string, values: Record<string, any>, spec: string}} Agent */

/** Pieces between commas that are not within parentheses or quotes. @param {string} text */
function pieces(text) {
  return text.match(/(?:[^,("]|\([^)]*\)|"[^"]*")+/g) || [];
}

/** The value of a text: a number, true or false, a word; null for none. Undefined if it may not be given.
 * @param {Api.ParameterInfo} parameter @param {string} text */
function valueOf(parameter, text) {
  const { kind, none, low, high, options } = parameter;
  if (none !== null && text === none) return null;
  if (kind === "switch") return { on: true, off: false }[text];
  if (kind === "choice") return options.includes(text) ? text : undefined;
  if (kind === "text") return text;
  if (parameter.name === "depth" && text === "full") return high;
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  const whole = kind === "number" || Number.isInteger(number);
  const within = (low === null || number >= low) && (high === null || number <= high);
  return whole && within && !Number.isNaN(number) ? number : undefined;
}

/** @param {Api.AgentInfo[]} agents @param {string} text @returns {Agent} */
export function parseSpec(agents, text) {
  const [name, ...rest] = text.trim().split(":");
  const kind = agents.find((one) => one.name === name);
  if (!kind && (name === "file" || /\.py\b/.test(text))) refuse(say("local", "no_files"));
  if (!kind)
    refuse(say("local", "no_agent", { name: name.slice(0, 60), known: agents.map((one) => one.name).join(", ") }));
  /** @type {Record<string, string>} */
  const given = {};
  for (const piece of pieces(rest.join(":"))) {
    const [key, ...value] = piece.split("=");
    const parameter = kind.parameters.find((one) => one.name === key.trim());
    if (!parameter || !value.length)
      refuse(say("local", "no_parameter", { name, key: key.trim().slice(0, 60), known: kind.parameters.map((one) => one.name).join(", ") })); // prettier-ignore
    given[key.trim()] = value.join("=").trim();
  }
  /** @type {Record<string, any>} */
  const values = {};
  const changed = [];
  for (const parameter of kind.parameters) {
    const text = given[parameter.name] ?? parameter.default;
    const value = valueOf(parameter, text);
    if (value === undefined) refuse(say("local", "wrong_value", { name, key: parameter.name, value: text.slice(0, 60), wanted: parameter.wanted, help: parameter.help })); // prettier-ignore
    values[parameter.name] = value;
    if (value !== valueOf(parameter, parameter.default)) changed.push(`${parameter.name}=${text}`);
  }
  return { name, values, spec: changed.length ? `${name}:${changed.join(",")}` : name };
}
