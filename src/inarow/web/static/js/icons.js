// Icons of buttons.

import { s } from "./dom.js";

const SPEAKER = "M4 9v6h4l5 4V5L8 9Z";
const PATHS = {
  sound: `${SPEAKER}M16.5 8.5a5 5 0 0 1 0 7M19 6a8.5 8.5 0 0 1 0 12`,
  silent: `${SPEAKER}M17 9.5l5 5M22 9.5l-5 5`,
  theme: "M12 4a8 8 0 1 0 0 16ZM12 4a8 8 0 0 1 0 16",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.4v.4",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const filled =
    name === "theme" ? s("path", { d: "M12 4a8 8 0 1 0 0 16Z", fill: "currentColor", stroke: "none" }) : "";
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round" };
  const path = s("path", { d: PATHS[name], "stroke-linejoin": "round", ...line });
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, path, filled);
}
