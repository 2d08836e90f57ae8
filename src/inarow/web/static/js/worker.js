// The local engine's worker: kernels, and the jobs that run on them. The page passes all files; the worker loads none.

import { Kernels } from "./wasm.js";
import { analyse, readBook, review } from "./solving.js";
import { decide } from "./deciding.js";
import { record } from "./recording.js";
import { learn } from "./learning.js";
import { sample } from "./sampling.js";

/**
 * The context of a job.
 * @typedef {Object} Work
 * @property {Kernels} kernels @property {Record<string, ArrayBuffer>} files models by name, unpacked
 * @property {<T>(owner: string, make: () => T) => T} resident what an owner keeps between jobs, until another comes
 * @property {() => void} clear free what owners keep
 * @property {(name: string, ...given: any[]) => any} call a search of the kernels, optionally recording its events
 * @property {(found: any) => void} say sends an intermediate result @property {any[]} commands received meanwhile
 */
/** @type {Record<string, (work: Work, args: any) => any>} */
const JOBS = { load: () => null, analyse, review, decide, record, learn, sample };

const KEPT_MB = 64; // books, tables and networks stay loaded

/** @type {Kernels} */
let kernels;
let base = 0; // the end of that room
/** @type {Record<string, ArrayBuffer>} */
const files = {};
/** @type {{owner: string, state: any}} */
let inside = { owner: "", state: null };
/** @type {Map<number, any[]>} commands of running jobs */
const running = new Map();

function clear() {
  kernels.release(base);
  inside = { owner: "", state: null };
}

/** @template T @param {string} owner @param {() => T} make @returns {T} */
function resident(owner, make) {
  if (inside.owner !== owner) {
    clear();
    inside = { owner, state: make() };
  }
  return inside.state;
}

/** @param {ArrayBuffer} file gzip @returns {Promise<ArrayBuffer>} */
function unpacked(file) {
  return new Response(new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** @param {string} name @param {ArrayBuffer} bytes */
async function load(name, bytes) {
  if (name.endsWith(".wasm")) return kernels.load(name.slice(0, -5), bytes);
  const content = await unpacked(bytes);
  if (name.startsWith("books/")) kernels.keep(name, () => readBook(kernels, content));
  else files[name] = content;
}

/** @param {any} message */
async function run({ id, job, args, manifest, loaded }) {
  /** @type {any[]} */
  const commands = [];
  running.set(id, commands);
  try {
    if (!kernels) {
      kernels = new Kernels(manifest, KEPT_MB * 2 ** 20);
      base = kernels.mark();
    }
    for (const [name, bytes] of Object.entries(loaded)) await load(name, bytes);
    const say = (/** @type {any} */ message) => postMessage({ id, message });
    const call = (/** @type {string} */ name, /** @type {any[]} */ ...given) => kernels.call(name, ...given);
    const found = await JOBS[job]({ kernels, files, resident, clear, call, say, commands }, args);
    postMessage({ id, found, megabytes: (kernels.written - base) / 2 ** 20 });
  } catch (error) {
    const memory = error instanceof RangeError || /memory|grow/i.test(String(error));
    const problem = memory ? "This browser does not have enough memory." : String(error.message || error);
    postMessage({ id, problem });
  }
  running.delete(id);
}

let turn = Promise.resolve();

onmessage = ({ data }) => {
  if (data.tell === undefined) turn = turn.then(() => run(data));
  else running.get(data.id)?.push(data.tell);
};
