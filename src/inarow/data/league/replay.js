// Shows a match on a board with exact values, in a frame whose address selects the match.
"use strict";
(() => {
  const dialog = document.getElementById("replay");
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-match]");
    if (!button) return;
    const match = { ...JSON.parse(button.dataset.match), said: button.dataset.said };
    const frame = dialog.querySelector("iframe");
    frame.src = `../board.html#${encodeURIComponent(JSON.stringify([match]))}`;
    dialog.showModal();
    frame.focus();
  });
})();
