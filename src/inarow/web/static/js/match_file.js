// A match as one HTML file, with the board and the solver inside.

import { asset } from "./assets.js";

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Return the text of the file. @param {string} title
 * @param {import("./match_page.js").Match[]} matches
 */
export async function matchFile(title, matches) {
  const page = new TextDecoder().decode(await asset("match.html"));
  const parts = {
    "@TITLE@": title.replace(/[&<>"]/g, (letter) => ESCAPES[letter]),
    "@MATCHES@": JSON.stringify(matches).replaceAll("<", "\\u003c"),
    "@PICTURE@": "",
  };
  return page.replace(/@(TITLE|MATCHES|PICTURE)@/g, (name) => parts[name]);
}
