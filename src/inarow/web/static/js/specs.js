// Specs of agents such as alphabeta:depth=8,tt=on: parsed, checked and formatted as in Python, by the parameters that
// the list of agents describes.

import { refuse } from "./rules.js";
import { say } from "./words.js";

/** @typedef {{name: string, weights: number[]}} Evaluator */
/** An agent; `search` is the search of best and perfect.
 * @typedef {{name: string, values: Record<string, any>, spec: string, evaluator: Evaluator, search?: Agent}} Agent */
/**
 * The registry. @typedef {Object} Known
 * @property {Api.AgentInfo[]} agents @property {Api.AgentInfo[]} evaluators
 * @property {string[]} variants agents that know other rules @property {string[]} models
 * @property {string[]} served agents of the server only
 */

const STRONGEST = 10;

/** Split at commas outside of parentheses and quotes. @param {string} text */
function pieces(text) {
  return text.match(/(?:[^,("]|\([^)]*\)|"[^"]*")+/g) || [];
}

/** Parse a value: a number, true or false, or a word; null for none, undefined if invalid.
 * @param {Api.ParameterInfo} parameter @param {string} text */
function valueOf(parameter, text) {
  const { kind, none, low, high, options } = parameter;
  if (none !== null && text === none) return null;
  if (kind === "switch") return { on: true, off: false }[text];
  if (kind === "choice") return options.includes(text) ? text : undefined;
  if (kind === "text") return text;
  if (parameter.name === "depth" && text === "full") return high;
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  const fits = (kind === "number" || Number.isInteger(number)) && !Number.isNaN(number);
  return fits && (low === null || number >= low) && (high === null || number <= high) ? number : undefined;
}

/**
 * The values of all parameters, and the non-default ones as a string.
 * @param {Api.AgentInfo} kind @param {string} owner its name in errors @param {string} text key=value, …
 */
function parameters(kind, owner, text) {
  /** @type {Record<string, string>} */
  const given = {};
  const known = kind.parameters.map((one) => one.name).join(", ");
  for (const piece of pieces(text)) {
    const [key, ...value] = piece.split("=");
    if (!value.length || !kind.parameters.some((one) => one.name === key.trim()))
      refuse(say("local", "no_parameter", { owner, key: key.trim().slice(0, 60), known }));
    given[key.trim()] = value.join("=").trim();
  }
  /** @type {Record<string, any>} */
  const values = {};
  const changed = [];
  for (const parameter of kind.parameters) {
    const { name: key, wanted, help } = parameter;
    const written = given[key] ?? parameter.default;
    values[key] = valueOf(parameter, written);
    if (values[key] === undefined)
      refuse(say("local", "wrong_value", { owner, key, value: written.slice(0, 60), wanted, help }));
    if (values[key] !== valueOf(parameter, parameter.default)) changed.push(`${key}=${written}`);
  }
  return { values, changed: changed.join(",") };
}

/** @param {Known} lab @param {string} text such as windows(three=7) @returns {Evaluator} */
function parseEvaluator({ evaluators }, text) {
  if (text === "ntuple") return { name: text, weights: [] };
  const [name, rest = ""] = text.trim().replace(/\)$/, "").split("(");
  const kind = evaluators.find((one) => one.name === name.trim());
  if (!kind) refuse(say("local", "no_evaluator", { name, known: evaluators.map((one) => one.name).join(", ") }));
  return { name: kind.name, weights: Object.values(parameters(kind, `evaluator ${kind.name}`, rest).values) };
}

/** @param {Known} lab @param {string} text @param {import("./rules.js").Game} game to play
 * @returns {Agent} */
export function parseSpec(lab, text, game) {
  const [name, ...rest] = text.trim().split(":");
  const kind = lab.agents.find((one) => one.name === name);
  if (!kind && (name === "file" || /\.py\b/.test(text))) refuse(say("local", "no_files"));
  if (!kind && lab.served.includes(name)) refuse(say("local", "only_served", { name }));
  const known = lab.agents.map((one) => one.name).join(", ");
  if (!kind) refuse(say("local", "no_agent", { name: name.slice(0, 60), known }));
  const { values, changed } = parameters(kind, `agent ${name}`, rest.join(":"));
  const leaf = values.leaf === "rollout" ? "zero" : values.leaf;
  const evaluator = parseEvaluator(lab, values.eval || leaf || "zero");
  const agent = { name, values, spec: changed ? `${name}:${changed}` : name, evaluator };
  const why = unfit(lab, agent, game);
  if (why) refuse(say("unfit", why, { name, ...values, variant: game.variant, game: game.name }));
  const search = searchOf(lab, agent, game);
  return search ? { ...agent, search: parseSpec(lab, search, game) } : agent;
}

/** The search of an agent that has one, as a spec. @param {Known} lab @param {Agent} agent
 * @param {import("./rules.js").Game} game */
function searchOf({ models }, { name, values }, game) {
  const evaluator = models.includes(`ntuple-${game.name}`) ? "ntuple" : "windows";
  const strongest = `alphabeta:eval=${evaluator},ordering=threats,tt=on,ties=centre`;
  if (name === "perfect") return `${strongest},depth=full,solver=off`;
  if (name !== "best") return "";
  const limits = `seconds=${values.seconds ?? "unlimited"},nodes=${values.nodes ?? "unlimited"}`;
  return values.level === STRONGEST
    ? `${strongest},solver=on,${limits}`
    : `alphabeta:depth=4,eval=${evaluator},ordering=threats,root=full,solver=off,${limits}`;
}

/** Why an agent can't play a game; empty if it can. @param {Known} lab @param {Agent} agent
 * @param {import("./rules.js").Game} game */
function unfit({ variants, models }, { name, values }, game) {
  if (game.variant && !variants.includes(name)) return "variant";
  if (/^ntuple/.test(values.eval || values.prior || "") && !models.includes(`ntuple-${game.name}`)) return "no_model";
  if (["ntuple", "qlearning"].includes(name) && !models.includes(`${name}-${game.name}`)) return "no_model";
  if (name === "mcts" && values.leaf === "ntuple" && values.prior === "none") return "no_prior";
  if (name === "mcts" && values.prior !== "none" && !["rollout", "ntuple"].includes(values.leaf)) return "two_judges";
  if (name === "rules" && values.style === "corners" && game.gravity) return "corners";
  if (name === "alphabeta" && values.symmetry && !values.tt) return "symmetry";
  if (name === "alphabeta" && values.root === "carried" && values.ties !== "first") return "carried";
  return name === "best" && values.seconds === null && values.nodes === null ? "no_limit" : "";
}
