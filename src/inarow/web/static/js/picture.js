// A position as a picture (SVG), in the colours of the page.

const CELL = 64;
const MARGIN = 16;

/** @param {string} name of a colour of the page's style @returns {string} */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * @param {import("./rules.js").Position} position @param {number | null} last the cell of the last stone
 * @returns {string}
 */
export function picture(position, last) {
  const { columns, rows, cells, gravity, title } = position.game;
  const line = position.game.cellsOf(position.lines);
  const held = position.rows.join("");
  const [width, height] = [columns * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN + (gravity ? CELL / 2 : 0)];
  const parts = [`<rect width="${width}" height="${height}" fill="${colour("back")}"/>`];
  if (gravity)
    parts.push(
      `<rect x="8" y="8" width="${width - 16}" height="${rows * CELL + 16}" rx="16" fill="${colour("board")}"/>`,
    );
  for (let cell = 0; cell < cells; cell++) {
    const [x, y] = [MARGIN + ((cell % columns) + 0.5) * CELL, MARGIN + (Math.floor(cell / columns) + 0.5) * CELL];
    const player = { X: "first", O: "second" }[held[cell]];
    const faint = line.length && !line.includes(cell) ? ' opacity="0.5"' : "";
    if (!gravity) {
      const box = `x="${x - 29}" y="${y - 29}" width="58" height="58" rx="6"`;
      parts.push(`<rect ${box} fill="${colour("panel")}" stroke="${colour("line")}" stroke-width="2"/>`);
    }
    if (gravity) parts.push(`<circle cx="${x}" cy="${y}" r="26" fill="${colour(player || "hole")}"${faint}/>`);
    if (player) {
      const stroke = gravity ? "#0006" : colour(player);
      const mark =
        player === "first"
          ? `<path d="M${x - 11} ${y - 11}l22 22m0 -22l-22 22"`
          : `<circle cx="${x}" cy="${y}" r="12" fill="none"`;
      parts.push(`${mark} stroke="${stroke}" stroke-width="6" stroke-linecap="round"${faint}/>`);
    }
    if (line.includes(cell))
      parts.push(`<circle cx="${x}" cy="${y}" r="28" fill="none" stroke="${colour("good")}" stroke-width="4"/>`);
    else if (cell === last) parts.push(`<circle cx="${x}" cy="${y}" r="5" fill="#fff"/>`);
  }
  for (let column = 0; gravity && column < columns; column++) {
    const place = `x="${MARGIN + (column + 0.5) * CELL}" y="${height - 12}"`;
    parts.push(`<text ${place} fill="${colour("faint")}" font-size="20" text-anchor="middle">${column + 1}</text>`);
  }
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size} font-family="sans-serif">`;
  return `${head}<title>${title}</title>${parts.join("")}</svg>`;
}
