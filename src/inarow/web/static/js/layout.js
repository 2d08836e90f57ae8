// The layout of an n-tuple network on any board, in the worker: the tables of Python's `Layout`.

/** @typedef {import("./wasm.js").Kernels} Kernels */
/** @typedef {import("./solving.js").Board} Board */

const MAX_BITS = 63;
const LARGEST_TABLE = 2 ** 18; // possible contents of a shape
const MAX_MEMORY = 2 ** 21;
const MAX_WEIGHTS = 8_000_000; // for one side to move
const MAX_FALLING_ROWS = 10;

/** @param {number} length */
const range = (length) => Array.from({ length }, (_, at) => at);
/** @param {number} content */
const heightOf = (content) => Math.max(0, 31 - Math.clz32(content));
/** @param {number[]} cells */
const sorted = (cells) => [...new Set(cells)].sort((a, b) => a - b);
/** @param {number[]} values */
const product = (values) => values.reduce((all, value) => all * value, 1);

/** The cells of a board, row by row, and its symmetries. */
class Cells {
  /** @param {Kernels} kernels @param {Board} board */
  constructor(kernels, { layout, cells }) {
    this.gravity = Boolean(layout.gravity);
    this.k = Number(layout.k);
    this.bits = range(MAX_BITS).filter((bit) => (layout.board >> BigInt(bit)) & 1n);
    const cellOf = (stone) => Number(kernels.call("rules.cell_of", layout, stone));
    const cellOfBit = new Map(this.bits.map((bit) => [bit, cellOf(1n << BigInt(bit))]));
    this.rows = Number(layout.stride) - 1;
    this.columns = cells / this.rows;
    this.count = cells;
    /** @type {bigint[]} the bit of each cell */
    this.stones = [];
    for (const [bit, cell] of cellOfBit) this.stones[cell] = 1n << BigInt(bit);
    this.unitOfBit = range(MAX_BITS).map((bit) =>
      cellOfBit.has(bit) ? Number(kernels.call("rules.move_to", layout, 1n << BigInt(bit))) : 0,
    );
    /** @type {number[][]} the cell that each cell becomes */
    this.symmetries = range(Number(kernels.call("rules.symmetries", layout))).map((which) => {
      /** @type {number[]} */
      const images = [];
      for (const [bit, cell] of cellOfBit) images[cell] = cellOf(kernels.call("rules.image_of", layout, which, bit));
      return images;
    });
    /** The cells of each unit, from the bottom. @type {number[][]} */
    this.units = this.gravity
      ? range(this.columns).map((column) =>
          range(this.rows).map((row) => (this.rows - 1 - row) * this.columns + column),
        )
      : range(cells).map((cell) => [cell]);
  }

  get lines() {
    const { rows, columns, k } = this;
    return range(rows * columns).flatMap((cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const ways = [[0, 1], [1, 0], [1, 1], [1, -1]]; // prettier-ignore
      const inside = ways.filter(([down, right]) => {
        const [last, end] = [row + down * (k - 1), column + right * (k - 1)];
        return last < rows && end >= 0 && end < columns;
      });
      return inside.map(([down, right]) => range(k).map((i) => (row + down * i) * columns + column + right * i));
    });
  }

  /** Lines; where stones fall, lines with the cells below; blocks, rows and pairs of columns. */
  get candidates() {
    const { rows, columns, k, count, lines } = this;
    const fallen = this.gravity ? lines.filter((line) => line[1] - line[0] !== columns) : [];
    const below = fallen.map((line) =>
      sorted([...line, ...line.map((cell) => cell + columns)]).filter((c) => c < count),
    );
    const blocks = [[2, k], [2, k + 1], [k - 1, k - 1], [1, columns]].flatMap(([high, wide]) =>
      range(Math.max(0, rows - high + 1)).flatMap((top) =>
        range(Math.max(0, columns - wide + 1)).map((left) =>
          range(high).flatMap((i) => range(wide).map((j) => (top + i) * columns + left + j)),
        ),
      ),
    ); // prettier-ignore
    const pairs = range(columns).flatMap((one) => range(columns - one - 1).map((more) => [one, one + 1 + more]));
    const both = pairs.map((pair) => range(rows).flatMap((row) => pair.map((column) => row * columns + column)));
    return [...lines, ...below, ...blocks, ...both];
  }

  /** About how many contents these cells can have. @param {number[]} cells */
  contents(cells) {
    if (!this.gravity) return 3 ** cells.length;
    const stones = range(this.columns).map((column) => cells.filter((cell) => cell % this.columns === column).length);
    return product(stones.filter((length) => length).map((length) => 2 ** (length + 1) - 1));
  }

  /** The candidates that are not too large, without mirror images. */
  get shapes() {
    /** @type {Map<string, number[]>} */
    const found = new Map();
    for (const cells of this.candidates) {
      const images = this.symmetries.map((image) => sorted(cells.map((cell) => image[cell])).join());
      if (this.contents(cells) <= LARGEST_TABLE && !images.some((image) => found.has(image)))
        found.set(sorted(cells).join(), sorted(cells));
    }
    return [...found.values()];
  }
}

/** The code of every set of winning cells of a column: see Python's `code_table`. @param {number} rows */
function codeTable(rows) {
  const sets = 2 ** rows;
  const odd = range(rows).filter((row) => row >= 2 && row % 2 === 0);
  const even = range(rows).filter((row) => row % 2 === 1);
  const rank = (kind, set) => 1 + kind.findIndex((row) => (set >> row) & 1);
  return Int32Array.from({ length: sets * sets }, (_, at) => {
    const [first, second] = [at % sets, Math.floor(at / sets)];
    const both = first & second;
    const reach = both ? 2 * (both & -both) - 1 : sets - 1;
    return [first & reach, second & reach].reduce(
      (code, set) => (code * (odd.length + 1) + rank(odd, set)) * (even.length + 1) + rank(even, set),
      0,
    );
  });
}

/** All pairs of columns: the number of its table, and the two; a pair and its mirror image share a table.
 * @param {number} columns @returns {[number, number, number][]} */
function columnPairs(columns) {
  /** @type {Map<string, number>} */
  const tables = new Map();
  return range(columns).flatMap((left) =>
    range(columns - left - 1).map((more) => {
      const right = left + 1 + more;
      const [a, b] = [columns - 1 - right, columns - 1 - left];
      if (left > a || (left === a && right > b)) return [tables.get(`${a} ${b}`), right, left];
      if (!tables.has(`${left} ${right}`)) tables.set(`${left} ${right}`, tables.size);
      return [tables.get(`${left} ${right}`), left, right];
    }),
  );
}

/**
 * The parts of an untrained network; or the name of a sentence and its values, if it is too large.
 * @param {Kernels} kernels @param {Board} board
 * @returns {{parts?: Omit<import("./network.js").Parts, "gamma">, refused?: [string, any]}}
 */
export function untrained(kernels, board) {
  const cells = new Cells(kernels, board);
  const { gravity, rows, columns, units, symmetries } = cells;
  const { name: game, layout } = board;
  if (gravity && rows > MAX_FALLING_ROWS) return { refused: ["rows", { game, rows, most: MAX_FALLING_ROWS }] };
  const contents = gravity ? 2 ** (rows + 1) : 3;
  const empty = gravity ? 1 : 0;
  const put = (content, stone) =>
    content && content < contents / 2 ? content + stone * 2 ** heightOf(content) : content;
  const following = gravity
    ? [1, 2].map((stone) => range(contents).map((content) => put(content, stone)))
    : [[1, 1, 2], [2, 1, 2]]; // prettier-ignore
  const valueOf = (content, at) => {
    if (!gravity) return [2, 0, 1][content];
    const height = heightOf(content);
    return at < height ? (content >> at) & 1 : at === height ? 2 : 3;
  };
  /** @type {Map<string, {rank: number[], radix: number}>} */
  const known = new Map();
  const ranks = (inside) => {
    const key = inside.join();
    if (!known.has(key)) {
      /** @type {Map<string, number>} */
      const numbers = new Map();
      const rank = range(contents).map((content) => {
        if (content < empty) return 0;
        const values = inside.map((at) => valueOf(content, at)).join("");
        if (!numbers.has(values)) numbers.set(values, numbers.size);
        return numbers.get(values);
      });
      known.set(key, { rank, radix: numbers.size });
    }
    return known.get(key);
  };
  const tuples = cells.shapes;
  const digits = tuples.map((tuple) =>
    units.map((unit) => ranks(range(unit.length).filter((at) => tuple.includes(unit[at])))),
  );
  const sizes = digits.map((row) => product(row.map(({ radix }) => radix)));
  const codes = gravity ? codeTable(rows) : new Int32Array(0);
  const codeCount = gravity ? codes.reduce((most, code) => Math.max(most, code)) + 1 : 1;
  const firstPair = sizes.reduce((sum, size) => sum + size, 0);
  const pairs = gravity ? columnPairs(columns) : [];
  const memory = gravity ? Math.min(MAX_MEMORY, 2 ** Math.floor(board.cells / 2)) : 0;
  const size = firstPair + new Set(pairs.map(([table]) => table)).size * codeCount ** 2 + memory;
  if (size > MAX_WEIGHTS) return { refused: ["weights", { game, size, most: MAX_WEIGHTS }] };

  const features = tuples.length * symmetries.length;
  const parts = units.map(() => range(contents).map(() => new Int32Array(features)));
  symmetries.forEach((image, number) => {
    const places = units.map((unit) => units.findIndex((other) => other.includes(image[unit[0]])));
    let offset = 0;
    digits.forEach((row, tuple) => {
      const feature = number * tuples.length + tuple;
      let scale = 1;
      row.forEach(({ rank, radix }, unit) => {
        for (let content = 0; content < contents; content++)
          parts[places[unit]][content][feature] += rank[content] * scale;
        scale *= radix;
      });
      for (let content = 0; content < contents; content++) parts[0][content][feature] += offset;
      offset += sizes[tuple];
    });
  });
  const heights = range(contents).map((content) => (gravity ? heightOf(content) : 0));
  const levels = Math.max(...heights) + 1;
  const change = (unit, content, player) => (feature) =>
    parts[unit][following[player][content]][feature] - parts[unit][content][feature];
  const moved = units.map((_, unit) =>
    range(levels).map((level) => {
      const changes = range(contents)
        .filter((content) => heights[content] === level)
        .flatMap((content) => [change(unit, content, 0), change(unit, content, 1)]);
      return range(features).filter((feature) => changes.some((changed) => changed(feature)));
    }),
  );
  const most = Math.max(...moved.flat().map((list) => list.length));
  const tables = [
    moved.flatMap((unit) => unit.flatMap((list) => range(most).map((j) => list[j] ?? 0))),
    moved.flatMap((unit) => unit.map((list) => list.length)),
    moved.flatMap((unit, number) =>
      range(contents).flatMap((content) =>
        [0, 1].flatMap((player) => {
          const list = unit[heights[content]];
          return range(most).map((j) => (j < list.length ? change(number, content, player)(list[j]) : 0));
        }),
      ),
    ),
    heights,
    following.flat(),
    cells.unitOfBit,
    range(features).map((feature) => parts.reduce((sum, unit) => sum + unit[empty][feature], 0)),
    codes,
    pairs.flatMap(([table, left, right]) => {
      return [firstPair + table * codeCount ** 2, left, right, Number(left + right === columns - 1)];
    }),
  ];
  let begin = 0;
  const begins = tables.map((table) => (begin += table.length) - table.length);
  const shape = [features, units.length, contents, levels, most, size, empty, pairs.length, codeCount, memory];
  const fields = [layout.k, layout.stride, layout.board, layout.bottom, gravity, true, ...shape, ...begins];
  const all = new Int32Array(begin);
  tables.forEach((table, at) => all.set(table, begins[at]));
  const images = symmetries.flatMap((image) =>
    tuples.map((tuple) => tuple.reduce((set, cell) => set | cells.stones[image[cell]], 0n)),
  );
  return { parts: { fields: fields.map(BigInt), tables: all, images } };
}
