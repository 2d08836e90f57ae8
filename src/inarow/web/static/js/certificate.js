// Certificates: strategies that prove a verdict. They are parsed as in `inarow verify`, which documents the format,
// but the rules that close positions are not verified.

const MOVES = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
const DIRECTIONS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
];

/** @typedef {number | Record<number, number>} Rule the first column to choose from, or pairs of cells */
/** @typedef {{move: number, why: "wins" | "blocks" | "known" | "rule"}} Answer */
/** @typedef {{game: string, moves: number[], answer: number}} Card */

/** The cells of a board: 0 is free, 1 the strategy's player, 2 the other; row by row from the top. */
class Stones {
  /** @param {Strategy} board @param {string} cells */
  constructor(board, cells) {
    this.board = board;
    this.cells = cells;
  }

  /** @param {number} cell @param {number} who */
  with(cell, who) {
    return new Stones(this.board, this.cells.slice(0, cell) + who + this.cells.slice(cell + 1));
  }

  mirrored() {
    const { columns } = this.board;
    const rows = this.cells.match(new RegExp(`.{${columns}}`, "g")) || [];
    return new Stones(this.board, rows.map((row) => [...row].reverse().join("")).join(""));
  }

  /** The legal moves with the cells that they fill. @returns {[number, number][]} */
  moves() {
    const { columns, rows, gravity } = this.board;
    /** @type {[number, number][]} */
    const found = [];
    if (gravity) {
      for (let column = 0; column < columns; column++) {
        for (let cell = column + columns * (rows - 1); cell >= 0; cell -= columns) {
          if (this.cells[cell] === "0") {
            found.push([column, cell]);
            break;
          }
        }
      }
    } else {
      for (let cell = 0; cell < this.cells.length; cell++) if (this.cells[cell] === "0") found.push([cell, cell]);
    }
    return found;
  }

  /** Return true if a stone completes a line. @param {number} cell @param {number} who */
  completes(cell, who) {
    const lines = this.board.through[cell] || [];
    return lines.some((line) => line.every((one) => one === cell || this.cells[one] === String(who)));
  }

  get full() {
    return !this.cells.includes("0");
  }
}

/** The strategy of one player. */
class Strategy {
  /** @param {any} content of a certificate @param {any} claim */
  constructor(content, claim) {
    this.columns = Number(content.columns);
    this.rows = Number(content.rows);
    this.gravity = Boolean(content.gravity);
    this.game = `${content.columns}x${content.rows}x${content.k}${content.gravity ? "" : "-free"}`;
    this.player = claim.player;
    this.win = claim.result === "win";
    /** @type {number[]} */
    this.opening = content.moves;
    this.text = String(claim.strategy);
    this.at = 0;
    /** @type {Map<string, number>} */
    this.answers = new Map();
    /** @type {Map<string, Rule>} */
    this.closed = new Map();
    /** @type {Card[]} */
    this.cards = [];
    this.through = this.lines(Number(content.k));
    const start = this.after(this.opening);
    if (this.turn(this.opening)) this.act(start, this.opening);
    else this.reply(start, this.opening);
    if (this.at !== this.text.length) throw new Error("The strategy continues after its end.");
    this.cards.sort((a, b) => a.moves.length - b.moves.length);
  }

  /** The lines through each cell. @param {number} k @returns {number[][][]} */
  lines(k) {
    const { columns, rows } = this;
    const through = Array.from({ length: columns * rows }, () => []);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        for (const [down, right] of DIRECTIONS) {
          const last = column + right * (k - 1);
          if (row + down * (k - 1) >= rows || last < 0 || last >= columns) continue;
          const line = Array.from({ length: k }, (_, i) => (row + i * down) * columns + column + i * right);
          for (const cell of line) through[cell].push(line);
        }
      }
    }
    return through;
  }

  /** Return true if the strategy's player is to move. @param {number[]} moves */
  turn(moves) {
    return moves.length % 2 === this.player;
  }

  /** @param {number[]} moves */
  after(moves) {
    let stones = new Stones(this, "0".repeat(this.columns * this.rows));
    moves.forEach((move, number) => {
      const found = stones.moves().find(([one]) => one === move);
      if (!found) throw new Error("The certificate's moves are not legal.");
      stones = stones.with(found[1], number % 2 === this.player ? 1 : 2);
    });
    return stones;
  }

  /**
   * The move that completes a line, or else blocks the only one of the other side. @param {Stones} stones
   * @returns {Answer | null}
   */
  forced(stones) {
    const moves = stones.moves();
    const win = moves.find(([, cell]) => stones.completes(cell, 1));
    if (win) return { move: win[0], why: "wins" };
    const blocks = moves.filter(([, cell]) => stones.completes(cell, 2));
    return blocks.length === 1 ? { move: blocks[0][0], why: "blocks" } : null;
  }

  /** Parse a position where the strategy's player is to move. @param {Stones} stones @param {number[]} path */
  act(stones, path) {
    if (this.answers.has(stones.cells) || this.answers.has(stones.mirrored().cells)) return;
    const forced = this.forced(stones);
    const move = forced ? forced.move : MOVES.indexOf(this.text[this.at++] || " ");
    const found = stones.moves().find(([one]) => one === move);
    if (!found) throw new Error(`The strategy has no legal move at character ${this.at}.`);
    this.answers.set(stones.cells, move);
    if (!forced) this.cards.push({ game: this.game, moves: path, answer: move });
    const next = stones.with(found[1], 1);
    if (!stones.completes(found[1], 1) && !next.full) this.reply(next, [...path, move]);
  }

  /** Parse a position where the other side is to move. @param {Stones} stones @param {number[]} path */
  reply(stones, path) {
    const rule = this.close();
    if (rule !== null) {
      this.closed.set(stones.cells, rule);
      return;
    }
    for (const [move, cell] of stones.moves()) {
      const next = stones.with(cell, 2);
      if (!next.full) this.act(next, [...path, move]);
    }
  }

  /** Parse a rule, if the next token is one. @returns {Rule | null} */
  close() {
    const token = this.text[this.at] || "";
    if (this.gravity && /[A-Z]/.test(token)) {
      this.at++;
      return token.charCodeAt(0) - 65;
    }
    if (token === ".") this.at++;
    if (token !== "(") return null;
    const end = this.text.indexOf(")", this.at);
    const cells = [...this.text.slice(this.at + 1, end)].map((one) => MOVES.indexOf(one));
    this.at = end < 0 ? this.text.length : end + 1;
    /** @type {Record<number, number>} */
    const pairs = {};
    for (let i = 0; i + 1 < cells.length; i += 2) {
      pairs[cells[i]] = cells[i + 1];
      pairs[cells[i + 1]] = cells[i];
    }
    return pairs;
  }

  /**
   * The rule that closes a position, or its mirror image. @param {Stones} stones
   * @returns {{rule: Rule, turned: boolean} | null}
   */
  ruleOf(stones) {
    const rule = this.closed.get(stones.cells);
    if (rule !== undefined) return { rule, turned: false };
    const image = this.closed.get(stones.mirrored().cells);
    return image === undefined ? null : { rule: image, turned: true };
  }

  /**
   * The answer after these moves; null where the strategy has none. @param {number[]} moves @returns {Answer | null}
   */
  answer(moves) {
    const stones = this.after(moves);
    for (let length = moves.length - 1; length >= this.opening.length; length -= 2) {
      const found = this.ruleOf(this.after(moves.slice(0, length)));
      if (found) return this.byRule(stones, found, moves.at(-1));
    }
    const forced = this.forced(stones);
    if (forced) return forced;
    const known = this.answers.get(stones.cells);
    if (known !== undefined) return { move: known, why: "known" };
    const image = this.answers.get(stones.mirrored().cells);
    return image === undefined ? null : { move: this.turned(image), why: "known" };
  }

  /**
   * @param {Stones} stones @param {{rule: Rule, turned: boolean}} found @param {number} last the other side's move
   * @returns {Answer}
   */
  byRule(stones, { rule, turned }, last) {
    const forced = this.forced(stones);
    if (forced && (this.gravity || forced.why === "wins")) return forced;
    const seen = turned ? stones.mirrored() : stones;
    const latest = turned ? this.turned(last) : last;
    const move = typeof rule === "number" ? this.followUp(seen, latest, rule) : this.inPair(seen, latest, rule);
    return { move: turned ? this.turned(move) : move, why: "rule" };
  }

  /**
   * Play directly above; if that is not good, elsewhere. @param {Stones} stones @param {number} last
   * @param {number} first
   */
  followUp(stones, last, first) {
    const { columns } = this;
    const bad = (cell, who) => cell >= columns && stones.completes(cell - columns, who);
    const worth = ([move, cell]) => [
      bad(cell, 2) ? 1 : 0,
      bad(cell, 1) ? 1 : 0,
      Math.floor(cell / columns) % 2,
      (((move - first) % columns) + columns) % columns,
    ];
    const moves = stones.moves();
    const above = moves.find(([move]) => move === last);
    if (above && !bad(above[1], 1) && !bad(above[1], 2)) return last;
    const less = (a, b) => {
      const at = a.findIndex((value, i) => value !== b[i]);
      return at >= 0 && a[at] < b[at];
    };
    return moves.reduce((best, one) => (less(worth(one), worth(best)) ? one : best))[0];
  }

  /** @param {Stones} stones @param {number} last @param {Record<number, number>} pairs */
  inPair(stones, last, pairs) {
    const partner = pairs[last];
    return partner !== undefined && stones.cells[partner] === "0" ? partner : stones.moves()[0][0];
  }

  /** The mirror image of a move. @param {number} move */
  turned(move) {
    const column = move % this.columns;
    return move - column + this.columns - 1 - column;
  }
}

/** The strategies of a certificate, one for each claim. @param {string} text of the file */
export function readCertificate(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    content = null;
  }
  if (!content || content.format !== "inarow certificate" || !Array.isArray(content.claims))
    throw new Error("This is not a certificate; `inarow solve GAME --certificate FILE` writes one.");
  return content.claims.map((claim) => new Strategy(content, claim));
}
