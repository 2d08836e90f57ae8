// Draws what the Python side sends in `view`, and sends clicks back. No rules here.
function cellButton(view, row, column, send) {
  const stone = view.grid[row][column];
  const cell = row * view.columns + column;
  const move = view.gravity ? column : cell;
  const button = document.createElement("button");
  button.className = ["cell", ["empty", "first", "second"][stone]].join(" ");
  if (view.line.includes(cell)) button.classList.add("won");
  if (view.last === cell) button.classList.add("last");
  button.disabled = !view.legal.includes(move) || (!view.gravity && stone !== 0);
  const score = view.scores[move];
  const kind = view.gravity ? "column" : "cell";
  button.setAttribute("aria-label", `${kind} ${move + 1}, ${["empty", "first player", "second player"][stone]}`);
  if (!view.gravity && stone === 0 && score !== undefined) button.append(scoreLabel(score));
  button.addEventListener("click", () => send({ play: move }));
  return button;
}

function scoreLabel(score) {
  const label = document.createElement("span");
  label.className = ["score", score.startsWith("+") ? "win" : score.startsWith("−") ? "loss" : "even"].join(" ");
  label.textContent = score;
  return label;
}

function command(text, send, message, disabled) {
  const button = document.createElement("button");
  button.className = "command";
  button.textContent = text;
  button.disabled = disabled;
  button.addEventListener("click", () => send(message));
  return button;
}

function render({ model, el }) {
  const send = (message) => model.send(message);
  const draw = () => {
    const view = model.get("view");
    const root = document.createElement("div");
    root.className = "inarow-board";
    const board = document.createElement("div");
    board.className = "board";
    board.style.gridTemplateColumns = `repeat(${view.columns}, 1fr)`;
    for (let row = 0; row < view.rows; row++)
      for (let column = 0; column < view.columns; column++) board.append(cellButton(view, row, column, send));
    root.append(board);
    if (view.gravity) {
      const scores = document.createElement("div");
      scores.className = "scores";
      scores.style.gridTemplateColumns = board.style.gridTemplateColumns;
      for (let column = 0; column < view.columns; column++)
        scores.append(scoreLabel(view.scores[column] ?? String(column + 1)));
      root.append(scores);
    }
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    status.textContent = view.status;
    const commands = document.createElement("div");
    commands.append(
      command("New", send, { new: true }, false),
      command("Take back", send, { undo: true }, view.moves === 0),
      command(view.truth ? "Hide the truth" : "Show the truth", send, { truth: !view.truth }, false),
    );
    root.append(status, commands);
    const buttons = () => [...el.querySelectorAll("button")];
    const focused = buttons().indexOf(el.getRootNode().activeElement);
    el.replaceChildren(root);
    if (focused >= 0) buttons()[focused].focus(); // for keyboard users
  };
  model.on("change:view", draw);
  draw();
}

export default { render };
