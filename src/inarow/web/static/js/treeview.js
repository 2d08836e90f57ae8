// The picture of a tree: the path to one node, with the siblings at each level and the nodes hidden below each.
// It is one string of SVG, shown on the page and saved as a file for a slide.

import { DONE, OPEN } from "./trace.js";

const LEVEL = 100; // from one row to the next
const BOX = 40; // the height of a node
const LEFT = 46; // room for MAX and MIN
const NARROWEST = 40;

/** The y coordinate of a depth's row. @param {number} depth */
export const rowOf = (depth) => 8 + depth * LEVEL;

const escape = (text) =>
  String(text).replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
/** @param {number} number */
export const round = (number) => Math.round(number * 10) / 10;

/**
 * @param {import("./trace.js").Trace} trace whose state is the one after the step
 * @param {number} step @param {number} focus the node that the path leads to @param {number} width in pixels
 * @returns {{width: number, height: number, content: string}}
 */
export function drawTree(trace, step, focus, width) {
  const path = trace.path(focus);
  const edges = [];
  const boxes = [];
  let above = null; // the place of the path's node one row up
  let rows = 0;
  for (let level = 0; level <= path.length; level++) {
    const row = level === 0 ? [{ node: path[0] }] : rowBelow(trace, step, path[level - 1]);
    if (!row.length) break;
    const { items, left, right } = fitting(row, path[level], width - LEFT);
    const y = rowOf(level);
    const size = Math.min(Math.max(84, width / 13), (width - LEFT) / items.length);
    const start = LEFT + (width - LEFT - size * items.length) / 2;
    const side = level % 2 ? "MIN" : "MAX";
    boxes.push(`<text class="t-side" x="2" y="${y + BOX / 2 + 4}">${side}</text>`);
    const crowded =
      size < 62 && path[level] !== undefined && under(trace, step, path[level], true, size) !== "" && !trace.simulated;
    let next = null;
    items.forEach((item, index) => {
      const x = start + (index + 0.5) * size;
      const onPath = item.node !== undefined && item.node === path[level];
      if (above) edges.push(edge(trace, item, above, x, y, onPath));
      const note = item.node === undefined || (crowded && !onPath) ? "" : under(trace, step, item.node, onPath, size);
      boxes.push(box(trace, item, x, y, size - 6, onPath, item.node === focus));
      const middle = Math.min(x, width - 3 * note.length); // at the edge there is less room
      if (note) boxes.push(`<text class="t-under" x="${round(middle)}" y="${y + BOX + 13}">${escape(note)}</text>`);
      if (onPath) next = { x, y: y + BOX + (note ? 17 : 0), node: item.node };
    });
    if (left) boxes.push(`<text class="t-more" x="${LEFT}" y="${y - 4}">← ${left} more</text>`);
    if (right) boxes.push(`<text class="t-more t-end" x="${width - 2}" y="${y - 4}">${right} more →</text>`);
    rows = level + 1;
    above = next;
    if (!above) break;
  }
  return { width, height: rows * LEVEL, content: edges.join("") + boxes.join("") };
}

/** The items below a node: its children so far, and the moves that were cut off. */
function rowBelow(trace, step, parent) {
  const row = trace.children(parent, step).map((node) => ({ node }));
  for (const move of trace.cutMoves(parent, step)) row.push({ cut: move, parent });
  return row;
}

/** The part of a row that fits, around the node on the path. */
function fitting(row, wanted, room) {
  const most = Math.max(3, Math.floor(room / NARROWEST));
  if (row.length <= most) return { items: row, left: 0, right: 0 };
  const at = Math.max(
    0,
    row.findIndex((item) => item.node === wanted),
  );
  const known = wanted === undefined ? row.length - most : at - Math.floor(most / 2);
  const from = Math.max(0, Math.min(row.length - most, known));
  return { items: row.slice(from, from + most), left: from, right: row.length - most - from };
}

function edge(trace, item, above, x, y, onPath) {
  const bend = (above.y + y) / 2;
  const line = `M${round(above.x)} ${above.y}C${round(above.x)} ${bend} ${round(x)} ${bend} ${round(x)} ${y}`;
  if (item.node === undefined) return `<path class="t-edge t-cut" stroke-width="1.3" d="${line}"/>`;
  const visits = trace.simulated ? trace.state.visits[item.node] : 0;
  const share = visits ? visits / Math.max(1, trace.state.visits[above.node]) : 0;
  const width = trace.simulated ? round(0.8 + 9 * Math.sqrt(share)) : onPath ? 3 : 1.3;
  const tint = trace.simulated && visits ? ` t-line${tone(trace.tint(item.node))}` : "";
  return `<path class="t-edge${onPath ? " t-path" : ""}${tint}" stroke-width="${width}" d="${line}"/>`;
}

/** A value in [−1, 1] as one of seven tones, −3 to 3. */
export const tone = (value) => (Number.isNaN(value) ? "" : String(Math.round(Math.max(-1, Math.min(1, value)) * 3)));

function box(trace, item, x, y, width, onPath, current) {
  if (item.node === undefined) {
    const where = `data-cut="${item.parent}" data-move="${item.cut}"`;
    const left = round(x - width / 2);
    const middle = round(x);
    return [
      `<g ${where}><rect class="t-box t-cut" x="${left}" y="${y}" width="${round(width)}" height="${BOX}" rx="6"/>`,
      `<text class="t-move t-faint" x="${middle}" y="${y + 16}">${item.cut + 1}</text>`,
      `<text class="t-small t-faint" x="${middle}" y="${y + 32}">${width < 46 ? "cut" : "cut off"}</text></g>`,
    ].join("");
  }
  const node = item.node;
  const root = trace.parents[node] < 0;
  const open = trace.simulated ? onPath : trace.state.status[node] === OPEN;
  const kinds = [onPath && "t-path", open && "t-open", current && "t-here"].filter(Boolean);
  const classes = [`t-box t-tone${tone(trace.tint(node))}`, ...kinds].join(" ");
  const side = trace.depth[node] % 2 ? 14 : 3;
  const name = root ? "root" : String(trace.moves[node] + 1);
  const value = trace.short(node);
  const size = `width="${round(width)}" height="${BOX}" rx="${side}"`;
  const parts = [
    `<rect class="${classes}" x="${round(x - width / 2)}" y="${y}" ${size}/>`,
    `<text class="t-move" x="${round(x)}" y="${y + (value ? 16 : 25)}">${name}</text>`,
    value ? `<text class="t-small" x="${round(x)}" y="${y + 32}">${escape(fit(value, width))}</text>` : "",
  ];
  return `<g data-node="${node}">${parts.join("")}</g>`;
}

/** Shorten a string to fit. */
const fit = (text, width) => (text.length * 6.6 <= width ? text : text.replace(" wins", "").replace(" ", ""));

/** The label below a node: its window on the path, else what is hidden. */
function under(trace, step, node, onPath, width) {
  if (trace.simulated)
    return trace.state.visits[node] ? `${width > 60 ? "visits " : ""}${trace.state.visits[node]}` : "";
  const { low, high, status } = trace.state;
  if (onPath && status[node] !== DONE && (low[node] > -Infinity || high[node] < Infinity)) {
    return `α ${trace.points(low[node], true)}  β ${trace.points(high[node], true)}`;
  }
  const hidden = onPath ? 0 : trace.below(node, step);
  return hidden ? `▾ ${hidden.toLocaleString("en")}` : "";
}

/**
 * The content, in a nested SVG if only part of it is visible.
 * @param {{width: number, height: number, content: string, box?: string}} picture
 */
function inner({ width, height, content, box }) {
  return box ? `<svg width="${width}" height="${height}" viewBox="${box}">${content}</svg>` : content;
}

const STYLE_NAMES = ["back", "panel", "line", "text", "faint", "accent", "good", "bad", "first", "second", "hole"];

/**
 * The picture as an SVG file, in the colours of the page.
 * @param {{width: number, height: number, content: string, box?: string}} picture @param {string} caption
 * @param {string} rules
 */
export function standalone(picture, caption, rules) {
  const page = getComputedStyle(document.documentElement);
  const colours = STYLE_NAMES.map((name) => `--${name}: ${page.getPropertyValue(`--${name}`).trim()};`).join(" ");
  const high = picture.height + 30;
  const { width } = picture;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${high}" viewBox="0 0 ${width} ${high}"`,
    ` font-family="sans-serif"><style>svg { ${colours} } ${rules}</style>`,
    `<rect width="100%" height="100%" fill="var(--back)"/>${inner(picture)}`,
    `<text class="t-caption" x="8" y="${high - 10}">${escape(caption)}</text></svg>`,
  ].join("");
}
