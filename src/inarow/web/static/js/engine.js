// The engine behind the pages. All pages talk to `engine` and to nothing else: the server, or, on a static site, the
// kernels in the browser.

import { LocalEngine } from "./local.js";
import { ServerEngine } from "./server.js";

/** @typedef {import("./server.js").Connection} Connection */

const isLocal = document.documentElement.dataset.engine === "local";
/** @type {ServerEngine | LocalEngine} */
export const engine = isLocal ? new LocalEngine() : new ServerEngine();
