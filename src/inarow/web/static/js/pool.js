// The workers of the engine. Two share the jobs; minds in matches and learners have their own, for their state.
// A running kernel hears no message: to cancel a job is to end its worker, and another is loaded in its place.

import { asset, assetJson, hasAsset, startWorker } from "./assets.js";
import { banner } from "./dom.js";
import { EngineError } from "./errors.js";
import { say } from "./words.js";

/** The kernels and data files of a job, and books that make it faster.
 * @typedef {{bundles: string[], files?: string[], books?: string[]}} Needs */
/** @typedef {{name: string, args: any, needs: Needs, say: (message: any) => void, own?: Own,
 * resolve: (found: any) => void, reject: (error: Error) => void}} Job */

const SIZE = 2;
const LARGE_MB = 48; // a worker that needed more is replaced: the memory of kernels never shrinks

/** The browser's error for a cancelled request. */
export const aborted = () => new DOMException("The work was cancelled.", "AbortError");

/** A worker, with its job and what it has loaded. */
class Hand {
  /** @param {(hand: Hand) => void} free called when it has finished a job
   * @param {(hand: Hand, error: Error) => void} lost called when it has ended */
  constructor(free, lost) {
    this.free = free;
    this.lost = lost;
    this.worker = startWorker("worker");
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = ({ message }) =>
      this.end(new EngineError(say("local", "worker", { problem: message || "" }), 500));
    this.number = 0;
    /** @type {Set<string>} */
    this.has = new Set();
    /** @type {Job | null} */
    this.job = null;
    this.owner = ""; // of the state in its memory
    this.megabytes = 0; // that its jobs needed
    this.ended = false;
  }

  /** @param {Job} job */
  run(job) {
    this.job = job;
    this.number++;
    this.begun = false;
    /** @type {any[]} commands for the job before it has begun */
    this.early = [];
    this.owner = job.args.owner;
    this.send(job).catch((error) => this.job === job && this.settle(() => job.reject(error)));
  }

  /** @param {Job} job */
  async send(job) {
    const { books = [] } = job.needs;
    const manifest = await assetJson("kernels.json");
    const missing = this.lacks(job.needs);
    const contents = await Promise.all(
      missing.map((name) => asset(name).catch((error) => without(name, books, error))),
    );
    if (this.job !== job) return;
    const loaded = Object.fromEntries(missing.map((name, at) => [name, contents[at]]).filter(([, bytes]) => bytes));
    for (const name of missing) this.has.add(name);
    this.worker.postMessage({ id: this.number, job: job.name, args: job.args, manifest, loaded });
    this.begun = true;
    for (const command of this.early) this.tell(command);
  }

  /** Pass a command on to the job. @param {any} command */
  tell(command) {
    if (this.begun) this.worker.postMessage({ id: this.number, tell: command });
    else this.early.push(command);
  }

  /** The files of a job that it has not loaded. @param {Needs} needs */
  lacks({ bundles, files = [], books = [] }) {
    const all = [...bundles.map((name) => `${name}.wasm`), ...files, ...books.filter(hasAsset)];
    return all.filter((name) => !this.has.has(name));
  }

  /** @param {any} data */
  hear(data) {
    const { job } = this;
    if (!job || data.id !== this.number) return;
    this.megabytes = data.megabytes ?? this.megabytes;
    if ("message" in data) job.say(data.message);
    else if ("found" in data) this.settle(() => job.resolve(data.found));
    else this.settle(() => job.reject(new EngineError(data.problem, 500)));
  }

  /** @param {() => void} settled */
  settle(settled) {
    this.job = null;
    settled();
    this.free(this);
  }

  /** End the worker and its job. @param {Error} error */
  end(error) {
    this.worker.terminate();
    this.ended = true;
    const { job } = this;
    this.job = null;
    this.lost(this, error);
    job?.reject(error);
  }
}

/** A worker of one's own until `leave`. */
export class Own {
  /** @param {Pool} pool */
  constructor(pool) {
    this.pool = pool;
    /** @type {Hand | null} */
    this.hand = null;
  }

  /** @param {string} name @param {any} args @param {Needs} needs @param {(message: any) => void} [hear] */
  run(name, args, needs, hear) {
    return this.pool.run(name, args, needs, hear, this);
  }

  /** Give the worker back, or end it if it is busy. */
  leave() {
    const { hand } = this;
    this.hand = null;
    if (hand?.job) hand.end(aborted());
    else if (hand && !hand.ended) this.pool.take(hand);
  }
}

/** The workers. */
export class Pool {
  constructor() {
    /** @type {Hand[]} that wait for a job */
    this.idle = [];
    /** @type {Set<Hand>} with a job of anybody */
    this.busy = new Set();
    /** @type {Job[]} */
    this.waiting = [];
  }

  /**
   * Run a job; its state belongs to `args.owner`. @param {string} name @param {any} args
   * @param {Needs} needs @param {(message: any) => void} [hear] @param {Own} [own]
   * @returns {{found: Promise<any>, tell: (command: any) => void, cancel: () => void}}
   */
  run(name, args, needs, hear = () => {}, own = undefined) {
    /** @type {Job} */
    let job;
    const found = new Promise((resolve, reject) => (job = { name, args, needs, say: hear, own, resolve, reject }));
    if (own) this.start(job);
    else {
      this.waiting.push(job);
      this.next();
    }
    const handOf = () => (own ? [own.hand] : [...this.busy]).find((hand) => hand?.job === job);
    return {
      found,
      tell: (command) => handOf()?.tell(command),
      cancel: () => {
        const at = this.waiting.indexOf(job);
        if (at >= 0) this.waiting.splice(at, 1);
        if (at >= 0) job.reject(aborted());
        else handOf()?.end(aborted());
      },
    };
  }

  /** Start the jobs that wait, once whoever cancels several has done so; then load a missing worker.
   * @param {string[]} [names] its files */
  next(names = []) {
    queueMicrotask(() => {
      while (this.waiting.length && this.busy.size < SIZE) this.start(this.waiting.shift());
      if (names.length && this.idle.length + this.busy.size < SIZE) this.start(loading(names), () => this.made());
    });
  }

  /** Give a job to a worker. @param {Job} job @param {() => Hand} [find] a worker */
  start(job, find = () => this.hired(job)) {
    const { own } = job;
    try {
      const hand = own?.hand && !own.hand.ended ? own.hand : find();
      if (own) own.hand = hand;
      else this.busy.add(hand);
      hand.run(job);
    } catch (error) {
      job.reject(error); // a browser without workers
    }
  }

  /** An idle worker, the one with the job's state or data if possible, or a new one. @param {Job} job */
  hired({ args, needs }) {
    const cost = (/** @type {Hand} */ hand) => (args.owner === hand.owner ? -1 : hand.lacks(needs).length);
    const [best] = this.idle.sort((one, other) => cost(one) - cost(other));
    if (best) this.idle.splice(this.idle.indexOf(best), 1);
    return best ?? this.made();
  }

  made() {
    return new Hand(
      (hand) => this.busy.has(hand) && this.take(hand),
      (hand, error) => this.replace(hand, error),
    );
  }

  /** Take a worker that has nothing to do. @param {Hand} hand */
  take(hand) {
    this.busy.delete(hand);
    if (this.idle.length + this.busy.size < SIZE && hand.megabytes <= LARGE_MB) this.idle.push(hand);
    else hand.worker.terminate();
    this.next([...hand.has]);
  }

  /** @param {Hand} hand @param {Error} error */
  replace(hand, error) {
    this.busy.delete(hand);
    this.idle = this.idle.filter((other) => other !== hand);
    this.next(error.name === "AbortError" ? [...hand.has] : []);
  }
}

/** A job that only loads files, without models, which are large. @param {string[]} names @returns {Job} */
function loading(names) {
  const bundles = names.filter((name) => name.endsWith(".wasm")).map((name) => name.slice(0, -5));
  const books = names.filter((name) => name.startsWith("books/"));
  const nothing = () => {};
  return { name: "load", args: {}, needs: { bundles, books }, say: nothing, resolve: nothing, reject: nothing };
}

/** Warn that a book can't be used, and continue without it. @param {string} name @param {string[]} books
 * @param {Error} error
 * @returns {null} */
function without(name, books, error) {
  if (!books.includes(name)) throw error;
  banner(error.message);
  return null;
}
