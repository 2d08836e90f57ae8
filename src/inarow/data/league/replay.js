// Shows a match on a board with exact values: a page of its own in a frame, told by its address what to show.
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
