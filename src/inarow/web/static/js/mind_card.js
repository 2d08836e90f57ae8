// An agent's card: its value of every move, its search, and the judgement of its choice.

import { fill, h, letter, roving } from "./dom.js";
import { Part } from "./reactive.js";
import { signed, valuesPicture } from "./values.js";

const DEPTHS = 6; // rows of the table of depths, the deepest
const PARTS = 4; // parts of a network's value that are shown for and against
const CAUSES = {
  horizon: "Horizon",
  playouts: "Playouts",
  unseen: "Unseen state",
  estimate: "Estimate",
  other: "Misled",
};

export class MindCard {
  /**
   * @param {string} spec @param {string} name
   * @param {{ghosts: (cells: number[]) => void, cells: (cells: number[]) => void, remove: () => void}} actions
   */
  constructor(spec, name, actions) {
    this.spec = spec;
    this.name = name;
    this.actions = actions;
    this.element = h("section", { class: "panel mind", "aria-label": spec });
    this.shown = new Part(this.element, () => this.draw());
    this.reset(null);
  }

  /** Reset for a new position. @param {Api.PositionInfo | null} position */
  reset(position) {
    this.position = position;
    this.info = null;
    this.judgement = null;
    this.problem = "";
    /** @type {any[]} its estimates at each depth */
    this.depths = [];
    this.chosen = null;
    if (position) this.shown.draw();
  }

  /** @param {Api.MindInfo} info */
  hear(info) {
    this.info = info;
    if (info.depth && !(this.depths.length && this.depths[this.depths.length - 1].depth >= info.depth))
      this.depths.push(info);
    this.shown.later();
  }

  judge(judgement) {
    this.judgement = judgement;
    this.shown.later();
  }

  fail(problem) {
    this.problem = problem;
    this.shown.later();
  }

  draw() {
    const info = this.info;
    fill(
      this.element,
      h(
        "header",
        {},
        h("h2", {}, this.name),
        this.badge(),
        h(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": `Remove ${this.name}`,
            "data-key": "remove",
            onclick: () => this.actions.remove(),
          },
          "×",
        ),
      ),
      this.spec === this.name ? null : h("p", { class: "note spec" }, this.spec),
      this.problem ? h("p", { class: "problem" }, this.problem) : null,
      info ? this.picture() : this.problem ? null : h("p", { class: "note" }, "Waiting for a free worker …"),
      info ? h("p", { class: "facts" }, this.facts()) : null,
      info && Object.keys(info.earlier).length
        ? h(
            "p",
            { class: "note" },
            `In grey: values at depth ${info.depth}, of moves that depth ${info.depth + 1} did not reach.`,
          )
        : null,
      info && info.note ? h("p", { class: "note" }, info.note) : null,
      info && info.line.length > 1 ? this.line() : null,
      this.judgement && this.judgement.why
        ? h("p", { class: "why wrong" }, h("b", {}, `${CAUSES[this.judgement.cause]}. `), this.judgement.why)
        : null,
      this.depths.length > 1 ? this.table() : null,
      info && Object.keys(info.parts).length ? this.parts() : null,
    );
  }

  badge() {
    if (this.judgement)
      return h(
        "span",
        { class: `badge ${this.judgement.right ? "right" : "wrong"}` },
        this.judgement.right ? "✓ right" : "✗ wrong",
      );
    return h(
      "span",
      { class: "badge" },
      this.problem ? "failed" : !this.info ? "waits" : this.info.done ? "done" : "thinking",
    );
  }

  picture() {
    const { values, visits, move } = this.info;
    return valuesPicture(this.position, {
      values,
      earlier: { depth: this.info.depth, values: this.info.earlier },
      visits: Object.keys(visits).length ? visits : undefined,
      move,
    });
  }

  /** Return true if time ran out before the last depth was complete. */
  get cutShort() {
    const { move, value, earlier } = this.info;
    const finished = this.depths[this.depths.length - 1];
    return Object.keys(earlier).length > 0 || (finished && (move !== finished.move || value !== finished.value));
  }

  facts() {
    const info = this.info;
    const number = (value) => value.toLocaleString("en");
    return [
      `plays ${info.move + 1}`,
      info.value === null ? "" : `value ${signed(info.value)}`,
      info.depth ? `depth ${info.depth}${this.cutShort ? ` and a part of ${info.depth + 1}` : ""}` : "",
      info.simulations ? `${number(info.simulations)} simulations` : "",
      info.nodes ? `${number(info.nodes)} nodes` : "",
      info.cutoffs ? `${number(info.cutoffs)} cut-offs` : "",
      info.known === false ? "position not in its table" : "",
      `${info.seconds.toFixed(info.seconds < 1 ? 2 : 1)} s`,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  line() {
    const info = this.info;
    const show = (count) => this.actions.ghosts(info.line_cells.slice(0, count));
    const steps = info.line.map((move, index) =>
      h(
        "button",
        {
          type: "button",
          class: `step player${(this.position.to_move + index) % 2}`,
          "data-key": `line-${index}`,
          "aria-label": `Expected, move ${index + 1}: ${letter((this.position.to_move + index) % 2)} ${move + 1}`,
          onpointerenter: () => show(index + 1),
          onpointerleave: () => show(0),
          onfocus: () => show(index + 1),
          onblur: () => show(0),
        },
        String(move + 1),
      ),
    );
    const group = { class: "line", role: "group", "aria-label": "Principal line" };
    return roving(h("div", group, h("span", {}, "Expects"), ...steps));
  }

  table() {
    const part = this.cutShort ? [{ ...this.info, depth: `${this.info.depth + 1}, a part` }] : [];
    const rows = [...this.depths, ...part]
      .slice(-DEPTHS)
      .map((one) =>
        h(
          "tr",
          {},
          ...[
            one.depth,
            one.move + 1,
            one.value === null ? "–" : signed(one.value),
            one.nodes.toLocaleString("en"),
            one.cutoffs === null ? "–" : one.cutoffs.toLocaleString("en"),
          ].map((value) => h("td", { class: "number-cell" }, String(value))),
        ),
      );
    return h(
      "table",
      { class: "depths" },
      h(
        "thead",
        {},
        h("tr", {}, ...["Depth", "Move", "Value", "Nodes", "Cut-offs"].map((name) => h("th", { scope: "col" }, name))),
      ),
      h("tbody", {}, ...rows),
    );
  }

  /** The reasons for and against a move; pointing at one shows its cells on the board. */
  parts() {
    const info = this.info;
    const chosen = this.chosen ?? info.move;
    const moves = h(
      "select",
      { "aria-label": "Move to explain", "data-key": "parts" },
      ...this.position.legal.map((move) => h("option", { value: String(move) }, `move ${move + 1}`)),
    );
    moves.value = String(chosen);
    moves.addEventListener("change", () => {
      this.chosen = Number(moves.value);
      this.shown.draw();
    });
    const settled = info.settled[chosen];
    const found = info.parts[chosen] || [];
    const list = (parts) => h("ul", { class: "parts" }, ...parts.map((one, index) => this.part(one, index)));
    const [plus, minus] = [
      found.filter((one) => one.share > 0).slice(0, PARTS),
      found.filter((one) => one.share < 0).slice(0, PARTS),
    ];
    return h(
      "div",
      { class: "parts-of" },
      h("label", {}, h("span", {}, "Reasons for"), moves),
      settled
        ? h("p", {}, `Decided by tactics: ${settled}.`)
        : plus.length
          ? list(plus)
          : h("p", { class: "note" }, "Nothing significant."),
      settled ? null : h("p", { class: "against" }, "Reasons against"),
      settled ? null : minus.length ? list(minus) : h("p", { class: "note" }, "Nothing significant."),
    );
  }

  part(one, index) {
    const name = {
      tuple: `tuple of ${one.cells.length} cells`,
      threats: one.cells.length
        ? `threats in columns ${one.columns.map((column) => column + 1).join(" and ")}`
        : `no threat in columns ${one.columns.map((column) => column + 1).join(" and ")}`,
      memory: "memory of this position",
    }[one.part];
    const show = (cells) => this.actions.cells(cells);
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "part",
          "data-key": `part-${one.share > 0}-${index}`,
          onpointerenter: () => show(one.cells),
          onpointerleave: () => show([]),
          onfocus: () => show(one.cells),
          onblur: () => show([]),
        },
        h("b", {}, signed(one.share, 3)),
        ` ${name}`,
      ),
    );
  }
}
