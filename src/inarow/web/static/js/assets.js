// Files and workers of the local engine: kernels, books, tables, weights. They are fetched over HTTP, read
// from scripts with base64 in a page opened from disk (where browsers forbid fetch), or part of the page
// itself.

/**
 * The files of a static page; undefined on a server's page.
 * @typedef {Object} Site
 * @property {Record<string, [number, number]>} assets the CRC-32 and the size of every file
 * @property {Record<string, string>} inline files as base64, by name
 * @property {Record<string, Function>} workers the program of every worker
 * @property {boolean} [offline] whether the page can be installed
 */
/** @type {Site | undefined} */
const site = /** @type {any} */ (globalThis).inarowSite;
/** @type {Map<string, Promise<ArrayBuffer>>} */
const requests = new Map();
const AGAIN = "Reload the page; if that does not help, write the site again.";

/** Return a file of the local engine; rejects with one sentence. @param {string} name such as books/connect4.book */
export function asset(name) {
  if (!requests.has(name)) {
    const answer = load(name);
    answer.catch(() => requests.delete(name));
    requests.set(name, answer);
  }
  return requests.get(name);
}

/** Return true if the page has a file; a standalone page has fewer than a site. @param {string} name */
export const hasAsset = (name) => !site || name in site.assets;

/** @param {string} name @returns {Promise<any>} */
export async function assetJson(name) {
  return JSON.parse(new TextDecoder().decode(await asset(name)));
}

/** @param {string} name @returns {Promise<ArrayBuffer>} */
async function load(name) {
  if (name.endsWith(".wasm")) needs("WebAssembly");
  if (!site) return fetched(`data/${name}`, name);
  const [crc, size] = site.assets[name] || [];
  if (crc === undefined) throw new Error(`The file ${name} is not part of this page.`);
  const address = `data/${name}`;
  const scripted = !site.inline[name] && location.protocol === "file:";
  if (scripted) await runScript(`${address}.js`, name);
  const text = site.inline[name];
  const bytes = text === undefined ? await fetched(`${address}?${crc.toString(16)}`, name) : decoded(text);
  if (scripted) delete site.inline[name]; // keep only the bytes
  if (bytes.byteLength !== size || crc32(new Uint8Array(bytes)) !== crc)
    throw new Error(`The file ${name} is damaged. ${AGAIN}`);
  return bytes;
}

/** @param {string} address @param {string} name */
async function fetched(address, name) {
  const response = await fetch(address).catch(() => null);
  if (!response) throw new Error(`The file ${name} can't be loaded: there is no connection. Try again later.`);
  if (!response.ok) throw new Error(`The file ${name} can't be loaded. ${AGAIN}`);
  return response.arrayBuffer();
}

/** Run a script that registers a file. @param {string} address @param {string} name @returns {Promise<void>} */
function runScript(address, name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(script.remove());
    script.onerror = () => reject(new Error(`The file ${name} can't be loaded. ${AGAIN}`));
    document.head.append(script);
  });
}

/** @param {string} text base64 @returns {ArrayBuffer} */
function decoded(text) {
  let letters = "";
  try {
    letters = atob(text);
  } catch {
    // damaged: its checksum will be wrong
  }
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index++) bytes[index] = letters.charCodeAt(index);
  return bytes.buffer;
}

const CRC = new Int32Array(256).map((_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1;
  for (let index = 0; index < bytes.length; index++) crc = (crc >>> 8) ^ CRC[(crc ^ bytes[index]) & 255];
  return ~crc >>> 0;
}

/** Throw with one sentence if the browser lacks what the engine needs. @param {"WebAssembly" | "Worker"} name */
function needs(name) {
  const called = { WebAssembly: "WebAssembly", Worker: "Web Workers" }[name];
  if (!(name in globalThis))
    throw new Error(`This browser has no ${called}, which the engine needs: use a current browser.`);
}

/** Start a worker; throws with one sentence. The worker can't load files itself. @param {string} name of its module */
export function startWorker(name) {
  needs("Worker");
  needs("WebAssembly");
  if (!site) {
    const page = /** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]')).src;
    return new Worker(new URL(`${name}.js`, page), { type: "module" });
  }
  const address = URL.createObjectURL(new Blob([`(${site.workers[name]})();`], { type: "text/javascript" }));
  const worker = new Worker(address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return worker;
}

/** Cache the page for offline use, if the page and the browser support it. */
export function keepOffline() {
  if (site && site.offline && location.protocol.startsWith("http") && "serviceWorker" in navigator)
    navigator.serviceWorker.register("offline.js").catch(() => {}); // the page works without it
}
