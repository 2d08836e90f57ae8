// The form of the page Trees: the game, the position, the agent with its settings, the maximum number of steps.

import { h } from "./dom.js";
import { gamePicker, splitArguments } from "./agents.js";

// The agents that can be traced: the parameter of their search effort, its value, and other settings.
const AGENTS = {
  alphabeta: ["depth", "3", "root=carried"],
  minimax: ["depth", "3", ""],
  mcts: ["simulations", "200", ""],
};
const STEPS = [10000, 30000, 100000];

/**
 * @typedef {{game: string, text: string, spec: string, events: number}} Search
 * @param {Search} search @param {(search: Search) => void} onRecord
 * @returns {{element: HTMLElement, show: (text: string, instead?: string) => void}} `show` puts moves into the
 * field, or only in the place of others
 */
export function searchForm(search, onRecord) {
  const name = search.spec.split(":")[0];
  const given = new Map(search.spec.includes(":") ? splitArguments(search.spec.slice(name.length + 1)) : []);
  const field = (id, caption, placeholder) =>
    h("input", { type: "text", id, placeholder, "aria-label": caption, autocomplete: "off", spellcheck: "false" });
  const kind = h(
    "select",
    { id: "agent", "aria-label": "Agent" },
    ...Object.keys(AGENTS).map((one) => h("option", { value: one }, one)),
  );
  kind.value = AGENTS[name] ? name : "alphabeta";
  const caption = h("span", {});
  const size = field("size", "", "");
  const more = field("settings", "Other settings", "such as ordering=threats");
  const moves = field("moves", "Moves to the position", "moves, such as 4455");
  const choose = (fresh) => {
    const [parameter, usual, others] = AGENTS[kind.value];
    caption.textContent = `${parameter[0].toUpperCase()}${parameter.slice(1)}`;
    size.setAttribute("aria-label", parameter);
    size.value = (!fresh && given.get(parameter)) || usual;
    more.value = fresh
      ? others
      : [...given]
          .filter(([key]) => key !== parameter)
          .map((pair) => pair.join("="))
          .join(",");
  };
  choose(false);
  kind.addEventListener("change", () => choose(true));
  const games = gamePicker(search.game);
  games.changed(() => (moves.value = ""));
  moves.value = search.text;
  const events = h(
    "select",
    { id: "events", "aria-label": "Maximum number of steps" },
    ...STEPS.map((count) => h("option", { value: String(count) }, count.toLocaleString("en"))),
  );
  const submit = (event) => {
    event.preventDefault();
    const list = [size.value.trim() ? `${AGENTS[kind.value][0]}=${size.value.trim()}` : "", more.value.trim()].filter(
      Boolean,
    );
    const spec = list.length ? `${kind.value}:${list.join(",")}` : kind.value;
    onRecord({ game: games.name(), text: moves.value.trim(), spec, events: Number(events.value) });
  };
  const element = h(
    "form",
    { onsubmit: submit },
    games.element,
    h("label", {}, h("span", {}, "Position"), moves),
    h(
      "div",
      { class: "row" },
      h("label", {}, h("span", {}, "Agent"), kind),
      h("label", {}, caption, size),
      h("label", {}, h("span", {}, "Steps"), events),
    ),
    h("label", {}, h("span", {}, "Other settings"), more),
    h("button", { class: "primary", id: "record" }, "Record the search"),
  );
  const show = (text, instead = moves.value.trim()) => {
    if (moves.value.trim() === instead) moves.value = text;
  };
  return { element, show };
}
