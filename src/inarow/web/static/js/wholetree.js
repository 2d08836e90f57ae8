// The whole tree: subtrees that don't fit are folded into triangles; zoom with the wheel, move by dragging.

import { DONE } from "./trace.js";
import { round, tone } from "./treeview.js";

const MAX_NODES = 420; // maximum number of nodes to draw
const LEVEL = 92;
const MIN_LEAVES = 12; // minimum number of leaves that fit
const CELL = 14; // maximum cell size of the small boards

/**
 * Lay out the nodes to draw.
 * @param {import("./trace.js").Trace} trace @param {number} step @param {number} focus its path is never folded
 * @param {Set<number>} folded nodes that were folded by hand
 */
export function layOut(trace, step, focus, folded) {
  const open = opened(trace, step, focus, folded);
  /** @type {{node: number, cut: number, x: number, y: number, parent: any, below: number}[]} */
  const items = [];
  let leaves = 0;
  const place = (node, parent) => {
    const item = { node, cut: -1, x: 0, y: trace.depth[node] * LEVEL, parent, below: 0 };
    items.push(item);
    const children = open.has(node) ? trace.children(node, step).map((child) => place(child, item)) : [];
    if (!open.has(node)) item.below = trace.below(node, step);
    for (const move of open.has(node) ? trace.cutMoves(node, step) : []) {
      const cut = { node, cut: move, x: leaves++, y: item.y + LEVEL, parent: item, below: 0 };
      items.push(cut);
      children.push(cut);
    }
    item.x = children.length ? (children[0].x + children[children.length - 1].x) / 2 : leaves++;
    return item;
  };
  place(0, null);
  const spread = leaves <= 26 ? 68 : leaves <= 48 ? 44 : 24;
  const room = Math.max(leaves, MIN_LEAVES); // keeps the first nodes of a tree from being drawn too large
  for (const item of items) item.x = (item.x + (room - leaves + 1) / 2) * spread;
  return {
    items,
    spread,
    width: room * spread,
    height: Math.max(...items.map((item) => item.y)) + LEVEL,
  };
}

/** The nodes whose children are drawn: level by level while they fit, and the path to the focus. */
function opened(trace, step, focus, folded) {
  const open = new Set(trace.path(focus).slice(0, -1));
  let level = [0];
  let count = 1;
  while (level.length) {
    const next = [];
    for (const node of level) {
      if (folded.has(node) && !open.has(node)) continue;
      const children = trace.children(node, step);
      if (!children.length && !trace.cutMoves(node, step).length) continue;
      if (count + children.length > MAX_NODES && !open.has(node)) continue;
      count += children.length;
      open.add(node);
      next.push(...children);
    }
    level = next;
  }
  return open;
}

/**
 * @param {import("./trace.js").Trace} trace whose state is the one after the step
 * @param {ReturnType<typeof layOut>} layout
 * @param {number} focus @returns {string} the content of an SVG picture
 */
export function drawWhole(trace, layout, focus) {
  const { items, spread } = layout;
  const path = new Set(trace.path(focus));
  const half = Math.min(28, spread / 2 - 3);
  const boards = spread > 60;
  const edges = [];
  const nodes = [];
  for (const item of items) {
    const onPath = item.cut < 0 && path.has(item.node);
    if (item.parent) edges.push(edge(trace, item, onPath, boards));
    nodes.push(item.cut < 0 ? drawNode(trace, item, half, boards, onPath, item.node === focus) : drawCut(item, half));
  }
  const depth = Math.max(...items.map((item) => item.y)) / LEVEL;
  const sides = Array.from(
    { length: depth + 1 },
    (_, row) => `<text class="t-side" x="-46" y="${row * LEVEL + 18}">${row % 2 ? "MIN" : "MAX"}</text>`,
  );
  return edges.join("") + nodes.join("") + sides.join("");
}

function edge(trace, item, onPath, boards) {
  const { x, y, parent } = item;
  const from = parent.y + (boards ? 66 : 26);
  const bend = (from + y) / 2;
  const line = `M${round(parent.x)} ${from}C${round(parent.x)} ${bend} ${round(x)} ${bend} ${round(x)} ${y}`;
  const visits = trace.simulated && item.cut < 0 ? trace.state.visits[item.node] : 0;
  const share = visits / Math.max(1, trace.simulated ? trace.state.visits[parent.node] : 1);
  const width = visits ? round(1 + 8 * Math.sqrt(share)) : onPath ? 3 : 1.2;
  const kind = `t-edge${onPath ? " t-path" : ""}${item.cut >= 0 ? " t-cut" : ""}`;
  return `<path class="${kind}" stroke-width="${width}" d="${line}"/>`;
}

function drawNode(trace, item, half, boards, onPath, here) {
  const { node, x, y } = item;
  const known = trace.simulated ? trace.state.visits[node] > 0 : trace.state.status[node] === DONE;
  const kind = `t-box t-tone${known ? tone(trace.tint(node)) : ""}${onPath ? " t-path" : ""}${here ? " t-here" : ""}`;
  const [left, high] = [round(x - half), boards ? 66 : 26];
  const corner = trace.depth[node] % 2 ? 9 : 2;
  const name = trace.parents[node] < 0 ? "" : String(trace.moves[node] + 1);
  const value = trace.short(node).replace("MAX wins", "win").replace("MIN wins", "loss"); // for MAX
  const parts = [
    `<rect class="${kind}" x="${left}" y="${y}" width="${round(2 * half)}" height="${high}" rx="${corner}"/>`,
  ];
  if (boards) parts.push(littleBoard(trace, node, x, y + 4), text("t-small", x, y + 61, value || name));
  else parts.push(text("t-small", x, y + 17, half > 14 ? value || name : name));
  if (boards && name) parts.push(text("t-under", x + half - 5, y - 3, name));
  if (item.below) {
    const size = Math.min(half, 6 + 3 * Math.log2(item.below + 1));
    const top = y + high;
    parts.push(`<path class="t-fold" d="M${round(x)} ${top}L${round(x - size)} ${top + 14}H${round(x + size)}Z"/>`);
    parts.push(text("t-under", x, top + 25, `+${item.below.toLocaleString("en")}`));
  }
  const folded = item.below ? `, ${item.below} nodes folded` : "";
  const says = `${trace.pathText(node)}: ${trace.side(node)} to move${value ? `, ${value}` : ""}${folded}`;
  return `<g data-node="${node}"><title>${says}</title>${parts.join("")}</g>`;
}

function drawCut({ node, cut, x, y }, half) {
  const size = `width="${round(2 * half)}" height="22" rx="5"`;
  const box = `<rect class="t-box t-cut" x="${round(x - half)}" y="${y}" ${size}/>`;
  const name = text("t-small t-faint", x, y + 15, String(cut + 1));
  return `<g data-cut="${node}" data-move="${cut}"><title>cut off</title>${box}${name}</g>`;
}

/** The position of a node; the server says which cell each move fills. */
function littleBoard(trace, node, x, y) {
  const { game, rows } = trace.info.position;
  const size = Math.min(CELL, 44 / game.rows, 48 / game.columns);
  const left = x - (game.columns * size) / 2;
  const stones = rows.join("").split("");
  for (const [index, one] of trace.path(node).slice(1).entries()) {
    stones[trace.cells[one]] = "XO"[(trace.info.position.to_move + index) % 2];
  }
  const dots = stones.map((stone, cell) => {
    const kind = stone === "." ? "t-hole" : `t-stone${stone}`;
    const [column, row] = [cell % game.columns, Math.floor(cell / game.columns)];
    const [cx, cy] = [round(left + (column + 0.5) * size), round(y + (row + 0.5) * size)];
    const circle = (name, share) => `<circle class="${name}" cx="${cx}" cy="${cy}" r="${round(share * size)}"/>`;
    return circle(kind, 0.42) + (stone === "O" ? circle("t-hole", 0.2) : ""); // a ring, also without colours
  });
  return dots.join("");
}

const text = (kind, x, y, words) =>
  words ? `<text class="${kind}" x="${round(x)}" y="${round(y)}">${words}</text>` : "";

/** The visible part of a picture: all of it, until it is zoomed or dragged. */
export class Lens {
  /** @param {SVGElement} picture @param {() => void} onChange */
  constructor(picture, onChange) {
    this.picture = picture;
    this.onChange = onChange;
    this.whole = { x: 0, y: 0, width: 1, height: 1 };
    this.view = null; // all of it
    picture.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    picture.addEventListener("pointerdown", (event) => this.drag(event));
  }

  get shown() {
    return this.view || this.whole;
  }

  /** @param {number} width @param {number} height of the picture */
  fit(width, height) {
    this.whole = { x: -56, y: -14, width: width + 64, height: height + 8 };
  }

  all() {
    this.view = null;
    this.onChange();
  }

  /**
   * @param {number} factor above 1 zooms in
   * @param {{x: number, y: number}} [at] stays where it is, from 0 to 1
   */
  zoom(factor, at = { x: 0.5, y: 0.3 }) {
    const { x, y, width, height } = this.shown;
    const by = Math.max((0.02 * this.whole.width) / width, 1 / factor);
    const [wide, high] = [width * by, height * by];
    if (wide >= this.whole.width) this.view = null;
    else this.view = { x: x + at.x * (width - wide), y: y + at.y * (height - high), width: wide, height: high };
    this.onChange();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.view && event.deltaY > 0) return; // the page scrolls
    event.preventDefault();
    const box = this.picture.getBoundingClientRect();
    const at = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
    this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, at);
  }

  drag(event) {
    if (event.button !== 0 || !this.view) return;
    const [begun, from] = [{ ...this.view }, { x: event.clientX, y: event.clientY }];
    const box = this.picture.getBoundingClientRect();
    const move = (next) => {
      const [dx, dy] = [(next.clientX - from.x) / box.width, (next.clientY - from.y) / box.height];
      this.view = { ...begun, x: begun.x - dx * begun.width, y: begun.y - dy * begun.height };
      this.onChange();
    };
    const end = () => window.removeEventListener("pointermove", move);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end, { once: true });
    window.addEventListener("pointercancel", end, { once: true });
  }
}
