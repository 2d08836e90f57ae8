// Setting up a position: a grid of cells to click, or rows of text; the server checks it.

import { announce, h } from "./dom.js";
import { engine } from "./engine.js";

const STONES = { X: "X, the first player", O: "O, the second player", ".": "empty" };

/**
 * @param {any} position what is on the board now
 * @param {(position: any) => void} done gets the new position
 */
export function stoneEditor(position, done) {
  const { columns, rows: height, name } = position.game;
  let rows = position.rows.map((row) => [...row]);
  let chosen = "X";
  let turn = 0;
  let found = null;
  const text = h("textarea", {
    id: "rows",
    rows: height,
    cols: columns + 2,
    "aria-label": "Rows from the top: X, O, or a dot",
    spellcheck: "false",
  });
  const problem = h("p", { class: "problem", role: "status" });
  const apply = h(
    "button",
    { type: "button", id: "apply", class: "primary", onclick: () => found && done(found) },
    "Show this position",
  );
  const cells = rows.map((row, y) => row.map((_, x) => cell(x, y)));
  const grid = h("div", { class: "stones", role: "group", "aria-label": "Cells" }, ...cells.flat());
  grid.style.setProperty("--columns", String(columns));

  function cell(x, y) {
    return h("button", {
      type: "button",
      tabIndex: x === 0 && y === height - 1 ? 0 : -1,
      onclick: () => put(x, y),
      onkeydown: (event) => move(event, x, y),
      dataset: { x: String(x), y: String(y) },
    });
  }

  /** Set the chosen stone, or remove it. */
  function put(x, y) {
    rows[y][x] = rows[y][x] === chosen ? "." : chosen;
    announce(`${where(x, y)}: ${STONES[rows[y][x]]}`);
    changed();
  }

  function move(event, x, y) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    const stone = { x: "X", o: "O", ".": ".", Delete: ".", Backspace: "." }[
      event.key.length === 1 ? event.key.toLowerCase() : event.key
    ];
    if (!step && !stone) return;
    event.preventDefault();
    event.stopPropagation();
    if (stone) {
      rows[y][x] = stone;
      changed();
      return;
    }
    const to = cells[y + step[1]] && cells[y + step[1]][x + step[0]];
    if (!to) return;
    cells[y][x].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  const where = (x, y) => `column ${x + 1}, row ${height - y}`;

  function paint() {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < columns; x++) {
        const stone = rows[y][x];
        cells[y][x].className = { X: "player0", O: "player1" }[stone] || "";
        cells[y][x].textContent = stone === "." ? "" : stone;
        cells[y][x].setAttribute("aria-label", `${where(x, y)}: ${STONES[stone] || stone}`);
      }
    }
  }

  async function changed() {
    paint();
    text.value = rows.map((row) => row.join("")).join("\n");
    await check(rows.map((row) => row.join("")));
  }

  /** Check the rows; only the latest answer counts. @param {string[]} lines */
  async function check(lines) {
    const mine = ++turn;
    apply.disabled = true;
    found = null;
    let [answer, message] = [null, ""];
    try {
      answer = await engine.position({ game: name, rows: lines });
      if (!answer.moves) message = "No order of moves leads to this position.";
    } catch (error) {
      message = error.message;
    }
    if (mine !== turn) return;
    found = message ? null : answer;
    problem.textContent = message;
    apply.disabled = !found;
  }

  text.addEventListener("input", async () => {
    const lines = text.value
      .split("\n")
      .map((line) => line.trim().toUpperCase())
      .filter(Boolean);
    if (lines.length === height && lines.every((line) => line.length === columns && /^[XO.]+$/.test(line))) {
      rows = lines.map((line) => [...line]); // a click may come before the answer
      paint();
    }
    await check(lines);
    if (found) rows = found.rows.map((row) => [...row]);
    paint();
  });

  const stones = h("div", { class: "actions", role: "group", "aria-label": "Stone to set" });
  for (const [stone, title] of Object.entries(STONES)) {
    const button = h(
      "button",
      { type: "button", "aria-pressed": String(stone === chosen), onclick: () => choose(stone) },
      stone === "." ? "Empty" : stone,
    );
    button.setAttribute("aria-label", `Set ${title}`);
    stones.append(button);
  }
  function choose(stone) {
    chosen = stone;
    Object.keys(STONES).forEach((one, index) =>
      stones.children[index].setAttribute("aria-pressed", String(one === chosen)),
    );
  }
  const clear = h(
    "button",
    { type: "button", onclick: () => ((rows = rows.map((row) => row.map(() => "."))), changed()) },
    "Clear",
  );
  stones.append(clear);
  changed();
  return h(
    "div",
    { class: "editor" },
    h("p", { class: "note" }, "Choose a stone and click on cells; with the keyboard: arrows, X, O and Delete."),
    stones,
    grid,
    problem,
    apply,
    h(
      "details",
      {},
      h("summary", {}, "As text"),
      h(
        "p",
        { class: "note" },
        "Rows from the top: X for the first player, O for the second, a dot for an empty cell.",
      ),
      text,
    ),
  );
}
