// The board: an SVG picture with a button for every move on top, so that mouse, touch, keys and screen
// readers all work. It has no rules of games: legal moves and where a stone lands come from the server.

import { announce, h, s, letter } from "./dom.js";

const CELL = 100;
const FRAME = 14;
const TOP = 50; // room above the board for labels
const BOTTOM = 38; // room below it for column numbers
const EDGE = 4; // of the picture, so that the frame's outline is not cut off
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @typedef {Object} Marks
 * @property {Record<number, {text: string, kind: string, title?: string}>} [labels] a short label for each move
 * @property {number|null} [last] the cell of the last stone
 * @property {number[]} [hints] moves to mark
 * @property {number[][]} [threats] cells to mark, for each player
 * @property {{cell: number, player: number, number: number}[]} [ghosts] stones of a previewed line
 * @property {number[]} [cells] cells to frame
 * @property {Record<number, number>} [heat] a value for each move, from −1 to 1, as a colour where its stone would land
 */

export class Board {
  /**
   * @param {(move: number) => void} onMove @param {boolean} sideways whether ← and → choose a move here; else ↑ and ↓
   */
  constructor(onMove, sideways = true) {
    this.onMove = onMove;
    this.sideways = sideways;
    this.position = null;
    this.enabled = false;
    this.picture = s("svg", { class: "picture", "aria-hidden": "true", focusable: "false" });
    this.buttons = h("div", { class: "moves", role: "group" });
    this.text = h("p", { class: "hidden", id: "board-text" });
    this.element = h("div", { class: "board" }, this.picture, this.buttons, this.text);
    this.buttons.addEventListener("keydown", (event) => this.arrows(event));
    this.name = "";
    this.stones = new Map();
    /** @type {Animation | null} the stone that is falling */
    this.falling = null;
  }

  /**
   * Show a position. @param {Api.PositionInfo} position @param {Marks} marks
   * @param {boolean} enabled whether moves can be made
   */
  show(position, marks = {}, enabled = false) {
    const same = this.name === position.game.name;
    if (!same) this.build(position.game);
    this.position = position;
    this.enabled = enabled;
    this.drawStones(position, same);
    this.drawMarks(position, marks);
    this.updateButtons(position, marks, enabled);
    this.text.textContent = describe(position);
  }

  /** Prepare the picture and the buttons for a game. @param {Api.GameInfo} game */
  build(game) {
    this.name = game.name;
    this.stones.clear();
    const width = game.columns * CELL + 2 * FRAME;
    const height = game.rows * CELL + 2 * FRAME;
    const above = game.gravity ? TOP : 0;
    const below = game.gravity ? BOTTOM : 0;
    const [wide, high] = [width + 2 * EDGE, height + above + below + 2 * EDGE];
    this.picture.setAttribute("viewBox", `${-EDGE} ${-above - EDGE} ${wide} ${high}`);
    this.element.dataset.gravity = String(game.gravity);
    this.element.style.aspectRatio = `${wide} / ${high}`;
    this.element.style.setProperty("--columns", String(game.columns));
    this.element.style.setProperty("--ratio", String(wide / high));
    this.behind = s("g", {});
    this.front = s("g", {});
    this.marks = s("g", {});
    const layers = [this.behind, this.front, this.marks];
    if (game.gravity) {
      this.picture.classList.add("falls");
      for (let cell = 0; cell < game.columns * game.rows; cell++) {
        const { x, y } = middle(game, cell);
        const ring = { cx: x, cy: y };
        this.behind.append(s("circle", { class: "hole", ...ring, r: 41 }));
        this.front.append(s("circle", { class: "hole-edge", ...ring, r: 39.5 }));
      }
      this.front.prepend(frame(game, width, height), shine(width));
      for (let column = 0; column < game.columns; column++) {
        this.front.append(
          s("text", { class: "number", x: FRAME + (column + 0.5) * CELL, y: height + 30 }, text(column + 1)),
        );
      }
    } else {
      for (let cell = 0; cell < game.columns * game.rows; cell++) {
        const { x, y } = middle(game, cell);
        this.behind.append(
          s("rect", { class: "box", x: x - 46, y: y - 46, width: 92, height: 92, rx: 10 }),
          s("text", { class: "number corner", x: x - 42, y: y - 33 }, text(cell + 1)),
        );
      }
    }
    this.picture.replaceChildren(...layers);
    this.buttons.replaceChildren();
    this.buttons.className = game.gravity ? "moves columns" : "moves cells";
    this.buttons.style.gridTemplateColumns = `repeat(${game.columns}, 1fr)`;
    const edge = (100 * (FRAME + EDGE)) / wide;
    this.buttons.style.left = this.buttons.style.right = `${edge}%`;
    if (!game.gravity) {
      const rim = (100 * (FRAME + EDGE)) / high;
      this.buttons.style.top = this.buttons.style.bottom = `${rim}%`;
    }
    this.buttonOf = [];
    for (let move = 0; move < game.moves; move++) {
      const button = h(
        "button",
        {
          type: "button",
          class: "move",
          tabIndex: move === Math.floor(game.moves / 2) ? 0 : -1,
          onclick: () => this.click(move),
          dataset: { move: String(move) },
        },
        h("span", { class: "label" }),
      );
      button.addEventListener("pointerenter", () => this.hover(move));
      button.addEventListener("pointerleave", () => this.hover(null));
      button.addEventListener("focus", () => document.querySelector(".by-keys") && this.hover(move));
      button.addEventListener("blur", () => this.hover(null));
      this.buttonOf.push(button);
      this.buttons.append(button);
    }
  }

  drawStones(position, animate) {
    const game = position.game;
    const wanted = new Map();
    position.rows.forEach((row, r) => {
      [...row].forEach((stone, c) => {
        if (stone !== ".") wanted.set(r * game.columns + c, stone === "X" ? 0 : 1);
      });
    });
    for (const [cell, one] of [...this.stones]) {
      if (wanted.get(cell) !== one.player) {
        one.element.remove();
        this.stones.delete(cell);
      }
    }
    const fresh = [...wanted].filter(([cell]) => !this.stones.has(cell));
    const moving = animate && fresh.length === 1 && !still.matches;
    if (fresh.length && this.falling) this.falling.finish(); // only one stone falls at a time
    for (const [cell, player] of fresh) {
      const element = stoneAt(game, cell, player);
      (game.gravity ? this.behind : this.front).append(element);
      this.stones.set(cell, { player, element });
      if (moving) this.falling = drop(game, cell, element);
    }
    for (const [cell, one] of this.stones) {
      one.element.firstChild.classList.toggle("won-stone", position.winning.includes(cell));
    }
  }

  /** Milliseconds until the falling stone lands. */
  landsIn() {
    if (!this.falling || this.falling.playState !== "running") return 0;
    return Number(this.falling.effect.getComputedTiming().endTime) - Number(this.falling.currentTime || 0);
  }

  drawMarks(position, marks) {
    const game = position.game;
    const drawn = [];
    for (const [move, value] of Object.entries(marks.heat || {})) {
      if (position.landing[move] === undefined) continue;
      const { x, y } = middle(game, position.landing[move]);
      const size = {
        r: 38,
        cx: x,
        cy: y,
        class: `heat ${value > 0 ? "plus" : value < 0 ? "minus" : "even"}`,
        opacity: 0.12 + 0.8 * Math.min(1, Math.abs(value)),
      };
      drawn.push(s("circle", size));
    }
    for (const [player, cells] of (marks.threats || []).entries()) {
      for (const cell of cells) {
        const { x, y } = middle(game, cell);
        const off = player ? 17 : -17;
        drawn.push(
          s("circle", { class: `threat player${player}`, cx: x + off, cy: y, r: 15 }),
          s("text", { class: `threat-text player${player}`, x: x + off, y: y + 6 }, text(letter(player))),
        );
      }
    }
    for (const ghost of marks.ghosts || []) {
      const { x, y } = middle(game, ghost.cell);
      drawn.push(
        s("circle", { class: `ghost player${ghost.player}`, cx: x, cy: y, r: 38 }),
        s("text", { class: "ghost-text", x, y: y + 11 }, text(ghost.number)),
      );
    }
    for (const cell of marks.cells || []) {
      const { x, y } = middle(game, cell);
      drawn.push(s("rect", { class: "framed", x: x - 47, y: y - 47, width: 94, height: 94, rx: 12 }));
    }
    const landed = s("g", { class: "late" });
    landed.style.animationDelay = `${Math.round(this.landsIn())}ms`; // once the stone has landed
    for (const cell of position.winning) {
      const { x, y } = middle(game, cell);
      const ring = { cx: x, cy: y, r: 40 };
      landed.append(s("circle", { class: "winning-edge", ...ring }), s("circle", { class: "winning", ...ring }));
    }
    if (marks.last !== null && marks.last !== undefined && !position.winning.length) {
      const { x, y } = middle(game, marks.last);
      const [cx, cy] = game.gravity ? [x, y] : [x + 36, y - 36];
      landed.append(s("circle", { class: "last", cx, cy, r: 7 }));
    }
    drawn.push(landed);
    for (const move of marks.hints || []) {
      if (position.landing[move] === undefined) continue;
      const { x, y } = middle(game, position.landing[move]);
      drawn.push(s("circle", { class: "hint", cx: x, cy: y, r: 36 }));
    }
    this.hovering = s("g", {});
    drawn.push(this.hovering);
    this.marks.replaceChildren(...drawn);
  }

  updateButtons(position, marks, enabled) {
    const game = position.game;
    for (const [move, button] of this.buttonOf.entries()) {
      const legal = position.landing[move] !== undefined;
      button.setAttribute("aria-disabled", String(!(enabled && legal))); // a real `disabled` would lose the focus
      const label = (marks.labels || {})[move];
      const place = /** @type {HTMLElement} */ (button.firstChild);
      place.textContent = label ? label.text : "";
      place.className = label ? `label ${label.kind}` : "label";
      const says = label ? `, ${label.title || label.text}` : "";
      const hinted = (marks.hints || []).includes(move) ? ", suggested" : "";
      button.setAttribute("aria-label", `${this.placeName(move)}${this.contents(move)}${says}${hinted}`);
      button.title = label && label.title ? label.title : "";
    }
    const turn = position.outcome ? "the game is over" : `${letter(position.to_move)} to move`;
    this.buttons.setAttribute("aria-label", `${game.title}, ${turn}`);
    this.buttons.setAttribute("aria-describedby", "board-text");
  }

  placeName(move) {
    return `${this.position.game.gravity ? "Column" : "Cell"} ${move + 1}`;
  }

  /** The contents of a column, from below, or of a cell. @param {number} move */
  contents(move) {
    const { rows, game, landing, outcome } = this.position;
    if (!game.gravity) {
      const stone = rows[Math.floor(move / game.columns)][move % game.columns];
      return stone === "." ? "" : `, ${stone}`;
    }
    const stones = rows
      .map((row) => row[move])
      .filter((stone) => stone !== ".")
      .reverse();
    const full = landing[move] === undefined && !outcome ? ", full" : "";
    return stones.length ? `, ${stones.join(" ")}${full}` : "";
  }

  click(move) {
    if (!this.enabled) return;
    if (this.position.landing[move] !== undefined) this.onMove(move);
    else announce(`${this.placeName(move)} is ${this.position.game.gravity ? "full" : "taken"}.`);
  }

  hover(move) {
    if (!this.hovering) return;
    this.hovering.replaceChildren();
    if (move === null || !this.enabled || this.position.landing[move] === undefined) return;
    const { x, y } = middle(this.position.game, this.position.landing[move]);
    this.hovering.append(s("circle", { class: `preview player${this.position.to_move}`, cx: x, cy: y, r: 34 }));
  }

  /** Move the focus between buttons with arrow keys. */
  arrows(event) {
    const columns = this.position.game.columns;
    const steps = this.sideways
      ? { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }
      : { ArrowUp: -1, ArrowDown: 1 };
    const step = steps[event.key];
    if (step === undefined || (this.sideways && !this.enabled) || event.altKey || event.ctrlKey || event.metaKey)
      return;
    if (this.position.game.gravity && Math.abs(step) !== 1) return;
    const from = this.buttonOf.indexOf(document.activeElement);
    const to = from + step;
    if (from < 0 || to < 0 || to >= this.buttonOf.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttonOf[from].tabIndex = -1;
    this.buttonOf[to].tabIndex = 0;
    this.buttonOf[to].focus();
  }

  /** Focus the board. */
  focus() {
    const button = this.buttonOf && this.buttonOf.find((one) => one.tabIndex === 0);
    if (button) button.focus({ preventScroll: true });
  }
}

/** The position in words, row by row, for screen readers. @param {Api.PositionInfo} position */
export function describe(position) {
  const names = { X: "X", O: "O", ".": "empty" };
  const rows = position.rows.map((row, index) => {
    const stones = [...row].map((stone) => names[stone]);
    return stones.every((stone) => stone === "empty")
      ? `Row ${index + 1}: empty`
      : `Row ${index + 1}: ${stones.join(" ")}`;
  });
  return `${rows.join(". ")}.`;
}

const text = (value) => document.createTextNode(String(value));

function middle(game, cell) {
  return {
    x: FRAME + ((cell % game.columns) + 0.5) * CELL,
    y: FRAME + (Math.floor(cell / game.columns) + 0.5) * CELL,
  };
}

/** The frame with a hole for every cell: one path, so that stones show through. */
function frame(game, width, height) {
  const r = 2 * FRAME;
  const corner = (x, y) => `A${r} ${r} 0 0 1 ${x} ${y}`;
  let path = `M${r} 0H${width - r}${corner(width, r)}V${height - r}${corner(width - r, height)}`;
  path += `H${r}${corner(0, height - r)}V${r}${corner(r, 0)}Z`;
  for (let cell = 0; cell < game.columns * game.rows; cell++) {
    const { x, y } = middle(game, cell);
    path += `M${x - 40} ${y}a40 40 0 1 0 80 0a40 40 0 1 0 -80 0Z`;
  }
  return s("path", { class: "frame", d: path, "fill-rule": "evenodd" });
}

/** The light on the upper edge of the frame. */
function shine(width) {
  return s("path", { class: "shine", d: `M${2 * FRAME} 5H${width - 2 * FRAME}` });
}

function stoneAt(game, cell, player) {
  const { x, y } = middle(game, cell);
  if (!game.gravity) {
    const shape = player
      ? s("circle", { class: "letter player1", r: 28 })
      : s("path", { class: "letter player0", d: "M-26 -26L26 26M26 -26L-26 26" });
    return s("g", { transform: `translate(${x} ${y})` }, s("g", { class: "arriving" }, shape));
  }
  const mark = player
    ? s("circle", { class: "mark", r: 15 })
    : s("path", { class: "mark", d: "M-13 -13L13 13M13 -13L-13 13" });
  const light = s("path", { class: "rim", d: "M-27 -7A28 28 0 0 1 -7 -27" });
  const disc = s("g", {}, s("circle", { class: `stone player${player}`, r: 36 }), light, mark);
  return s("g", { transform: `translate(${x} ${y})` }, disc);
}

/** Animate a stone: it falls from above the board, or grows on boards without gravity. @returns {Animation} */
function drop(game, cell, element) {
  const inner = element.firstChild;
  if (!game.gravity) {
    const grown = [
      { transform: "scale(0.2)", opacity: 0 },
      { transform: "scale(1)", opacity: 1 },
    ];
    return inner.animate(grown, { duration: 140, easing: "ease-out" });
  }
  const rows = Math.floor(cell / game.columns) + 1;
  const fall = rows * CELL;
  return inner.animate(
    [
      { transform: `translateY(${-fall}px)`, easing: "cubic-bezier(0.4, 0, 1, 0.7)" },
      { transform: "translateY(0)", offset: 0.72, easing: "ease-out" },
      { transform: `translateY(${-0.06 * fall}px)`, offset: 0.86, easing: "ease-in" },
      { transform: "translateY(0)" },
    ],
    { duration: 180 + 110 * Math.sqrt(rows) },
  );
}
