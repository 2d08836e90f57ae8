// Replays a match: the empty board, and a cut-out of a filled one for each stone. No rules here: the cells come with the page.
"use strict";
(() => {
  const geometry = JSON.parse(document.getElementById("geometry").textContent);
  const panel = document.getElementById("replay");
  const board = panel.querySelector(".board");
  let game = "", cells = [], at = 0;

  function draw() {
    board.querySelectorAll("i").forEach((stone) => stone.remove());
    const { columns, cell, edge } = geometry[game];
    cells.slice(0, at).forEach((place, index) => {
      const stone = document.createElement("i");
      const x = edge + (place % columns) * cell, y = edge + Math.floor(place / columns) * cell;
      const picture = `../boards/${game}-${index % 2 ? "second" : "first"}.svg`;
      stone.style.cssText = `left:${x}px;top:${y}px;width:${cell}px;height:${cell}px;background:url(${picture}) -${x}px -${y}px no-repeat`;
      board.append(stone);
    });
    panel.querySelector(".at").textContent = `${at} of ${cells.length}`;
  }

  function move(by) {
    at = Math.max(0, Math.min(cells.length, at + by));
    draw();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { step, close } = button.dataset;
    if (step) return move(Number(step));
    if (close) { panel.hidden = true; return; }
    game = button.dataset.game;
    cells = button.dataset.cells ? button.dataset.cells.split(",").map(Number) : [];
    board.innerHTML = "";
    const empty = document.createElement("img");
    empty.src = `../boards/${game}-empty.svg`;
    empty.alt = "the board";
    board.append(empty);
    panel.querySelector(".said").textContent = button.dataset.said;
    panel.hidden = false;
    at = Number(button.dataset.opening);
    draw();
  });
  document.addEventListener("keydown", (event) => {
    if (panel.hidden) return;
    if (event.key === "ArrowRight") move(1);
    if (event.key === "ArrowLeft") move(-1);
    if (event.key === "Escape") panel.hidden = true;
  });
})();
