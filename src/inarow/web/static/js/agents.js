// Choosing a participant (a person, a named level, or any agent with its parameters), a game, and a position.

import { banner, h } from "./dom.js";
import { engine } from "./engine.js";

const OTHER = "other";
const NOTATIONS = {
  pons: "moves and a score",
  zero: "moves counted from 0",
  uci: "a board of the UCI data",
  kaggle: "a ConnectX board",
  drawing: "rows of stones",
};

/**
 * A field for a position in any notation, or a link of connect4.gamesolver.org. @param {() => string} game
 * @param {import("./reactive.js").Queue} queue @param {(moves: number[]) => Promise<any> | void} onMoves
 */
export function positionField(game, queue, onMoves) {
  const field = h("textarea", {
    id: "paste",
    rows: "1",
    placeholder: "4455, or a board",
    "aria-label": "Moves or a board to open",
    spellcheck: "false",
    autocomplete: "off",
  });
  const open = (event) => {
    event.preventDefault();
    return queue.add(async () => {
      const text = field.value.replace(/^\s*\S*[?&]pos=(\d*)\S*\s*$/, "$1");
      const { moves, notation } = await engine.position({ game: game(), text });
      if (!moves) throw new Error("No order of moves leads to this position.");
      await onMoves(moves);
      if (!queue.closed) banner(notation === "moves" ? "" : `Read as ${NOTATIONS[notation]}.`);
    });
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && !event.shiftKey && open(event));
  return h("form", { class: "row", onsubmit: open }, field, h("button", { type: "submit" }, "Open"));
}

/**
 * A field set for one participant; `spec()` returns the choice.
 * @param {string} title @param {Api.LineupInfo} lineup whose levels are offered
 * @param {string} chosen a spec, or "human"
 * @returns {Promise<{element: HTMLElement, spec: () => string, choose: (spec: string) => void}>}
 */
export async function participantPicker(title, lineup, chosen) {
  const agents = await engine.agents();
  const select = h("select", { "aria-label": title });
  select.append(h("option", { value: "human" }, "A person"));
  for (const level of lineup.levels) select.append(h("option", { value: level.spec }, level.label));
  select.append(h("option", { value: OTHER }, "Any agent …"));
  const more = h("div", { class: "parameters" });
  const known = [...select.options].map((option) => option.value);
  let own = agentForm(agents, known.includes(chosen) ? "alphabeta" : chosen);
  select.value = known.includes(chosen) ? chosen : OTHER;
  function update() {
    more.replaceChildren(...(select.value === OTHER ? [own.element] : []));
  }
  select.addEventListener("change", update);
  update();
  return {
    element: h("fieldset", {}, h("legend", {}, title), select, more),
    spec: () => (select.value === OTHER ? own.spec() : select.value),
    choose(spec) {
      select.value = spec;
      update();
    },
  };
}

/**
 * A form for an agent's parameters, built from the registry. @param {Api.AgentInfo[]} agents
 * @param {string} spec
 */
export function agentForm(agents, spec) {
  const name = spec.split(":")[0];
  const kinds = h("select", { "aria-label": "Agent" });
  for (const agent of agents) kinds.append(h("option", { value: agent.name }, agent.name));
  kinds.value = agents.some((agent) => agent.name === spec) ? spec : name;
  const summary = h("p", { class: "note" });
  const fields = h("div", { class: "fields" });
  const settings = h("details", { open: spec.includes(":") }, h("summary", {}, "Settings"), fields);
  const given = new Map(spec.includes(":") ? splitArguments(spec.slice(spec.indexOf(":") + 1)) : []);
  let inputs = [];
  function build() {
    const agent = agents.find((one) => one.name === kinds.value) || agents[0];
    summary.textContent = agent.summary;
    inputs = agent.parameters.map((one) => ({ one, input: control(one, given.get(one.name)) }));
    const rows = inputs.flatMap(({ one, input }) => [
      h("label", {}, h("span", {}, one.name), input),
      h("small", { "aria-hidden": "true" }, describe(one)),
    ]);
    settings.hidden = !rows.length;
    fields.replaceChildren(...rows);
    given.clear();
  }
  kinds.addEventListener("change", build);
  build();
  return {
    element: h("div", { class: "agent-form" }, h("label", {}, h("span", {}, "agent"), kinds), summary, settings),
    spec() {
      const changed = inputs.filter(
        ({ input }) => input.value.trim() !== "" && input.value.trim() !== input.dataset.default,
      );
      const list = changed.map(({ one, input }) => `${one.name}=${input.value.trim()}`);
      return list.length ? `${kinds.value}:${list.join(",")}` : kinds.value;
    },
  };
}

/**
 * The help of a parameter, with its values where the control does not show them.
 * @param {Api.ParameterInfo} one
 */
const describe = (one) => (["choice", "switch"].includes(one.kind) ? one.help : `${one.help} (${one.wanted})`);

/** The control for one parameter. @param {Api.ParameterInfo} one @param {string | undefined} given */
function control(one, given) {
  const value = given === undefined ? one.default : given;
  const input = inputFor(one, value);
  input.dataset.default = one.default;
  input.setAttribute("aria-description", describe(one));
  return input;
}

function inputFor(one, value) {
  if (one.kind === "choice" || one.kind === "switch") {
    const options = one.kind === "switch" ? ["on", "off"] : one.options;
    const select = h("select", {}, ...options.map((option) => h("option", { value: option }, option)));
    select.value = value;
    return select;
  }
  return h("input", {
    type: "text",
    value,
    inputMode: one.kind === "text" || one.none || one.low < 0 ? "text" : "decimal",
    size: 10,
    autocomplete: "off",
    spellcheck: "false",
  });
}

/**
 * Split a spec into key=value pairs; commas inside parentheses don't count. @param {string} text
 * @returns {[string, string][]}
 */
export function splitArguments(text) {
  const parts = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  parts.push(part);
  return parts.filter(Boolean).map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
}

/** A choice of games: the named ones, and any other board. @param {string} chosen */
export function gamePicker(chosen) {
  const named = ["connect4", "tictactoe"];
  const select = h(
    "select",
    { "aria-label": "Game" },
    h("option", { value: "connect4" }, "Connect 4"),
    h("option", { value: "tictactoe" }, "Tic Tac Toe"),
    h("option", { value: "" }, "Another board …"),
  );
  const other = h("input", {
    type: "text",
    value: named.includes(chosen) ? "5x4x4" : chosen,
    "aria-label": "Board, such as 5x4x4 or 4x4x3-free",
    placeholder: "5x4x4 or 4x4x3-free",
    size: 12,
    spellcheck: "false",
  });
  select.value = named.includes(chosen) ? chosen : "";
  other.hidden = select.value !== "";
  const element = h("fieldset", {}, h("legend", {}, "Game"), select, other);
  const name = () => select.value || other.value.trim();
  const changed = (listener) => {
    select.addEventListener("change", () => {
      other.hidden = select.value !== "";
      listener(name());
    });
    other.addEventListener("change", () => listener(name()));
  };
  const choose = (game) => {
    select.value = named.includes(game) ? game : "";
    other.hidden = select.value !== "";
  };
  return { element, name, changed, choose };
}
