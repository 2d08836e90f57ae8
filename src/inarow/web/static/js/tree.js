// The moves of an analysis: a main line and variations, and the current node.

import { h, letter, roving } from "./dom.js";
import { engine } from "./engine.js";

/**
 * A move of the tree; the root has none.
 * @typedef {{move: number, parent: Node | null, children: Node[]}} Node
 */

export class Tree {
  /** @param {string} game @param {number[]} moves */
  constructor(game, moves) {
    this.game = game;
    /** @type {Node} */
    this.root = { move: -1, parent: null, children: [] };
    this.current = this.root;
    for (const move of moves) this.current = child(this.current, move);
  }

  /** The moves from the start to a node. */
  moves(node = this.current) {
    const found = [];
    for (let one = node; one.parent; one = one.parent) found.push(one.move);
    return found.reverse();
  }

  depth(node = this.current) {
    return this.moves(node).length;
  }

  /** The moves of the main line. */
  mainline() {
    const found = [];
    for (let node = this.root; node.children.length; node = node.children[0]) found.push(node.children[0].move);
    return found;
  }

  /** The moves to the current node, and on to the end of its line. */
  line() {
    const found = this.moves();
    for (let node = this.current; node.children.length; node = node.children[0]) found.push(node.children[0].move);
    return found;
  }

  /** The node after these moves, or after as many of them as exist. @param {number[]} moves */
  find(moves) {
    let node = this.root;
    for (const move of moves) {
      const next = node.children.find((one) => one.move === move);
      if (!next) break;
      node = next;
    }
    return node;
  }

  /** All moves and variations as nested lists: a move, then its continuations. @returns {any[]} */
  saved(node = this.root) {
    return [node.move, ...node.children.map((one) => this.saved(one))];
  }

  /** Restore the saved tree if it contains the current line. @param {any[]} saved */
  restore([, ...children]) {
    const line = this.moves();
    const before = this.root.children;
    this.root.children = [];
    const write = (node, branches) => {
      for (const [move, ...next] of branches) write(child(node, move), next);
    };
    write(this.root, children);
    this.current = this.find(line);
    if (this.depth() === line.length) return;
    this.root.children = before;
    this.current = this.find(line);
  }

  key() {
    return `${this.game}/${this.mainline().join(",")}`;
  }

  /** The node of the main line after this many moves. @param {number} count */
  nodeAt(count) {
    let node = this.root;
    for (let index = 0; index < count && node.children.length; index++) node = node.children[0];
    return node;
  }

  /** Play a move; it starts a variation if another move follows already. @param {number} move */
  async add(move) {
    const from = this.current;
    const position = await engine.positionOf(this.game, this.moves());
    if (this.current !== from || position.landing[move] === undefined) return;
    this.current = child(from, move);
  }

  /** @param {Node} node */
  select(node) {
    this.current = node;
  }

  /** Go one step or to an end. @param {string} where @returns {boolean} whether that is another node */
  go(where) {
    const node = this.current;
    if (where === "back" && node.parent) this.current = node.parent;
    else if (where === "forward" && node.children.length) this.current = node.children[0];
    else if (where === "first") this.current = this.root;
    else if (where === "last") while (this.current.children.length) this.current = this.current.children[0];
    return this.current !== node;
  }

  /** The moves as a list of buttons, variations in parentheses. @param {(node: any) => void} onSelect */
  view(onSelect) {
    const list = h("div", { class: "movelist tree", role: "group", "aria-label": "Moves" });
    const write = (node, place, ply) => {
      while (node.children.length) {
        const [main, ...others] = node.children;
        place.append(this.button(main, ply, onSelect));
        for (const other of others) {
          const variation = h("span", { class: "variation" }, "( ");
          variation.append(this.button(other, ply, onSelect));
          write(other, variation, ply + 1);
          variation.append(") ");
          place.append(variation);
        }
        node = main;
        ply++;
      }
    };
    write(this.root, list, 0);
    if (!this.root.children.length) list.append(h("span", { class: "note" }, "No moves yet: play on the board."));
    return roving(list);
  }

  button(node, ply, onSelect) {
    const here = node === this.current;
    return h(
      "button",
      {
        type: "button",
        class: `step player${ply % 2}${here ? " here" : ""}`,
        "aria-current": here ? "true" : null,
        onclick: () => onSelect(node),
        "aria-label": `Move ${ply + 1}: ${letter(ply % 2)} ${node.move + 1}`,
      },
      String(node.move + 1),
    );
  }
}

/** The node after a move, created if missing. @param {Node} node @param {number} move @returns {Node} */
function child(node, move) {
  let found = node.children.find((one) => one.move === move);
  if (!found) {
    found = { move, parent: node, children: [] };
    node.children.push(found);
  }
  return found;
}
