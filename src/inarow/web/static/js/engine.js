// The engine behind the pages. All pages talk to `engine` and to nothing else.

import { LocalEngine } from "./local.js";
import { ServedEngine } from "./server.js";

/** @typedef {import("./local.js").Connection} Connection */

const isServed = document.documentElement.dataset.engine === "served";
export const engine = isServed ? new ServedEngine() : new LocalEngine();
