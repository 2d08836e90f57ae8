// The local engine's worker: kernels, and the jobs that run on them. The page passes all files; the worker loads none.

import { Kernels } from "./wasm.js";
import { analyse, review, unpacked } from "./solving.js";
import { decide } from "./deciding.js";
import { record } from "./recording.js";
import { learn } from "./learning.js";

/**
 * The context of a job: the kernels, the loaded files by name, a function that sends intermediate results, and the
 * commands received meanwhile.
 * @typedef {Object} Work
 * @property {Kernels} kernels @property {Record<string, ArrayBuffer>} files
 * @property {Record<string, ArrayBuffer>} opened models, unpacked
 * @property {(name: string, ...given: any[]) => any} call a search of the kernels, optionally recording its events
 * @property {(found: any) => void} say @property {any[]} commands
 */
/** @type {Record<string, (work: Work, args: any) => any>} */
const JOBS = { analyse, review, decide, record, learn };

/** @type {Kernels} */
let kernels;
/** @type {Record<string, ArrayBuffer>} */
const files = {};
/** @type {Record<string, ArrayBuffer>} */
const opened = {};
/** @type {Map<number, any[]>} commands of running jobs */
const running = new Map();

/** @param {any} message */
async function run({ id, job, args, manifest, loaded }) {
  /** @type {any[]} */
  const commands = [];
  running.set(id, commands);
  try {
    kernels ??= new Kernels(manifest);
    for (const [name, bytes] of Object.entries(loaded))
      if (name.endsWith(".wasm")) await kernels.load(name.slice(0, -5), bytes);
      else if (name.startsWith("models/")) opened[name] = await unpacked(bytes);
      else files[name] = bytes;
    const say = (/** @type {any} */ message) => postMessage({ id, message });
    const call = (/** @type {string} */ name, /** @type {any[]} */ ...given) => kernels.call(name, ...given);
    postMessage({ id, found: await JOBS[job]({ kernels, files, opened, call, say, commands }, args) });
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
