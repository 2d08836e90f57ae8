// The tables of a tournament: standings with intervals, head-to-head scores, and a list of matches.

import { announce, button, h, roving, s } from "./dom.js";
import { percent, signed } from "./values.js";

const WIDTH = 120;

const rating = (value) => signed(value, 0);

/** @param {Api.TableInfo} table */
export function standings(table) {
  const rows = table.standings.map((one, place) => {
    const agent = table.agents[one.agent];
    const elo = one.elo;
    return h(
      "tr",
      {},
      h("td", {}, String(place + 1)),
      h("th", { scope: "row", title: agent.spec }, agent.label),
      h(
        "td",
        { class: "number-cell" },
        one.matches ? rating(elo.estimate) : "–",
        one.matches ? h("small", {}, ` ${rating(elo.low)} … ${rating(elo.high)}`) : null,
      ),
      h(
        "td",
        {},
        one.score ? whisker(one.score) : null,
        h("span", { class: "score" }, one.score ? percent(one.score.estimate) : "–"),
      ),
      h("td", { class: "number-cell" }, one.matches.toLocaleString("en")),
      h("td", { class: "number-cell" }, `${one.wins} / ${one.draws} / ${one.losses}`),
    );
  });
  return scrolling(
    "Standings",
    h(
      "table",
      { class: "standings" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["#", "Agent", "Elo (95 %)", "Score (95 %)", "Matches"].map((name) => h("th", { scope: "col" }, name)),
          h("th", { scope: "col", title: "won / drawn / lost" }, "W / D / L"),
        ),
      ),
      h("tbody", {}, ...rows),
    ),
  );
}

/** A score as a dot with its interval, from 0 to 1. @param {Api.RangeInfo} range */
function whisker(range) {
  const x = (value) => 4 + value * (WIDTH - 8);
  return s(
    "svg",
    {
      class: "whisker",
      viewBox: `0 0 ${WIDTH} 16`,
      role: "img",
      "aria-label": `${percent(range.low)} to ${percent(range.high)}`,
    },
    s("line", { class: "axis", x1: x(0), x2: x(1), y1: 8, y2: 8 }),
    s("line", { class: "axis", x1: x(0.5), x2: x(0.5), y1: 2, y2: 14 }),
    s("line", { class: "interval", x1: x(range.low), x2: x(range.high), y1: 8, y2: 8 }),
    s("circle", { class: "estimate", cx: x(range.estimate), cy: 8, r: 4 }),
  );
}

/**
 * Rows in the order of the standings; agents without matches have no column.
 * @param {Api.TableInfo} table @param {{one: number, two: number} | null} chosen
 * @param {(one: number, two: number) => void} onChoose
 */
export function crossTable(table, chosen, onChoose) {
  const order = table.standings.map((one) => one.agent);
  const cells = new Map(table.cross.map((one) => [`${one.row}-${one.column}`, one]));
  const met = order.filter((agent) => table.cross.some((one) => one.column === agent));
  const place = new Map(order.map((agent, index) => [agent, index + 1]));
  const cell = (row, column) => {
    if (row === column) return h("td", { class: "self", "aria-label": "itself" });
    const one = cells.get(`${row}-${column}`);
    if (!one) return h("td", { class: "number-cell" }, "·");
    const pressed = Boolean(chosen && chosen.one === row && chosen.two === column);
    const [mine, theirs] = [table.agents[row].label, table.agents[column].label];
    const range = `${percent(one.low)} to ${percent(one.high)}`;
    const title = `${mine} against ${theirs}: ${percent(one.score)} (${range}) in ${one.matches} matches`;
    const button = h(
      "button",
      {
        type: "button",
        class: "cross-cell",
        title,
        "aria-label": title,
        "aria-pressed": String(pressed),
        id: `pair-${row}-${column}`,
        onclick: () => onChoose(row, column),
      },
      String(Math.round(100 * one.score)),
    );
    const tone = one.score >= 0.5 ? "--good" : "--bad";
    const share = Math.round(60 * Math.abs(one.score - 0.5));
    button.style.background = `color-mix(in srgb, var(${tone}) ${share}%, var(--panel))`;
    return h("td", {}, button);
  };
  return scrolling(
    "Cross table",
    h(
      "table",
      { class: "cross" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Agent"),
          ...met.map((agent) =>
            h(
              "th",
              { scope: "col", title: table.agents[agent].spec },
              String(place.get(agent)),
              h("span", { class: "hidden" }, ` ${table.agents[agent].label}`),
            ),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...order.map((agent) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row", title: table.agents[agent].spec },
              `${place.get(agent)} ${table.agents[agent].label}`,
            ),
            ...met.map((column) => cell(agent, column)),
          ),
        ),
      ),
    ),
  );
}

/** @param {number | null} value @param {boolean} above the sign of an infinite value */
const elo = (value, above) => (value === null ? `${above ? "+" : "−"}∞` : rating(value));

/**
 * The comparison of two agents, as lines to paste elsewhere. @param {Api.TableInfo} table @param {Api.CrossInfo} one
 */
function gaugeLines(table, one) {
  const [estimate, low, high] = one.elo;
  const { test } = table;
  const accepted = test && test.accepted ? `, ${test.accepted} accepted` : "";
  return [
    `${table.agents[one.row].spec} against ${table.agents[one.column].spec}, ${table.title}`,
    `Elo     ${elo(estimate, one.score > 0.5)} (${elo(low, one.score === 1)} … ${elo(high, one.score > 0)}, 95 %)`,
    `Matches ${one.matches}: ${one.wins} won, ${one.draws} drawn, ${one.losses} lost`,
    `Pairs   ${one.pairs.join(" ")} (scores 0, ¼, ½, ¾, 1)`,
    test
      ? `SPRT    LLR ${test.llr.toFixed(2)} (${test.lower.toFixed(2)}, ${test.upper.toFixed(2)}) ` +
        `[${test.elo0}, ${test.elo1}]${accepted}`
      : "",
  ].filter(Boolean);
}

/**
 * The comparison as bars and lines, with a copy button. @param {Api.TableInfo} table @param {Api.CrossInfo} one
 */
export function gauge(table, one) {
  const lines = gaugeLines(table, one).join("\n");
  const shown = h("pre", { id: "gauge" }, lines);
  const copied = async () => {
    try {
      await navigator.clipboard.writeText(lines);
      announce("Copied.");
    } catch {
      getSelection().selectAllChildren(shown); // the browser refuses to copy: select the lines instead
    }
  };
  const { test } = table;
  const share = test ? Math.max(0, Math.min(1, (test.llr - test.lower) / (test.upper - test.lower))) : 0;
  return h(
    "div",
    { class: "gauge" },
    whisker({ estimate: one.score, low: one.low, high: one.high }),
    test ? whisker({ estimate: share, low: Math.min(share, 0.5), high: Math.max(share, 0.5) }) : null,
    shown,
    button("copy", "Copy", copied),
  );
}

/**
 * @param {Api.TableInfo} table @param {Api.MatchLine[]} matches @param {string} current
 * @param {(id: string) => void} onSelect
 */
export function matchList(table, matches, current, onSelect) {
  if (!matches.length) return h("p", { class: "note" }, "No matches have been stored yet.");
  const unseen = (words) => h("span", { class: "hidden" }, words);
  const items = matches.map((one) => {
    const [x, o] = [table.agents[one.first].label, table.agents[one.second].label];
    const side = (player, name) =>
      h(
        "span",
        { class: one.result === ["first", "second"][player] ? "won" : "" },
        h("span", { class: `tiny player${player}`, "aria-hidden": "true" }, "XO"[player]),
        ` ${name}`,
      );
    const ended = { first: `: ${x} won,`, second: `: ${o} won,`, draw: ":", none: ": no result," }[one.result];
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "match",
          id: `match-${one.id}`,
          dataset: { match: one.id },
          "aria-current": String(one.id === current),
          title: one.fault || null,
          onclick: () => onSelect(one.id),
        },
        side(0, x),
        unseen(" against "),
        side(1, o),
        unseen(ended),
        h("span", { class: "how" }, one.result === "draw" ? "draw" : one.fault ? "fault" : "", ` ${one.plies}`),
        unseen(" moves"),
      ),
    );
  });
  return roving(h("ol", { class: "matches", "aria-label": "Matches" }, ...items));
}

/** A box that scrolls sideways when its table is wide. @param {string} label @param {HTMLElement} table */
function scrolling(label, table) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": `${label}, scrolls sideways` },
    table,
  );
}
