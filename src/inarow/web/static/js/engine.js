// The engine behind the pages. All pages talk to `engine` and to nothing else: on a static site kernels in the browser,
// else the server, with those kernels for what they do without a round trip.

import { LocalEngine } from "./local.js";
import { Game } from "./rules.js";
import { ServerEngine } from "./server.js";

/** @typedef {import("./server.js").Connection} Connection */
/** @typedef {import("./server.js").Question & {seconds?: number, line?: boolean}} SolveQuestion */

const QUICK = 30; // maximum free cells of positions that the browser solves instantly

/** The server; middle-game positions are solved in the browser once the solver is loaded. */
class AssistedEngine extends ServerEngine {
  constructor() {
    super();
    this.local = new LocalEngine();
    this.asked = false;
    this.ready = false;
  }

  /** Load the solver on first use; if that fails, the server solves. */
  prepare() {
    if (this.asked) return;
    this.asked = true;
    this.local.ready().then(
      () => (this.ready = true),
      () => {},
    );
  }

  /** Return true if the browser solves a position. @param {SolveQuestion} question */
  solvesHere({ game, moves }) {
    this.prepare();
    if (!this.ready || !moves) return false;
    try {
      const { columns, rows } = Game.of(game);
      return columns * rows - moves.length <= QUICK;
    } catch {
      return false; // a game that only the server knows, or an error that it explains
    }
  }

  /** @param {SolveQuestion} question @param {AbortSignal} [signal] @returns {Promise<Api.SolutionInfo>} */
  async solve(question, signal) {
    if (this.solvesHere(question)) {
      const found = await this.local.solve(question, signal).catch((error) => this.leave(error));
      if (found) return found;
    }
    return super.solve(question, signal);
  }

  /** @param {SolveQuestion} question @param {AbortSignal} signal @returns {AsyncGenerator<Api.SolutionInfo>} */
  async *solving(question, signal) {
    if (this.solvesHere(question)) {
      try {
        yield* this.local.solving(question, signal);
        return;
      } catch (error) {
        this.leave(error);
      }
    }
    yield* super.solving(question, signal);
  }

  /**
   * A learner on the server, or in the browser if the server is full.
   * @param {any} request @param {(frame: any) => void} onFrame @param {(reason: string, ended: boolean) => void} onEnd
   */
  learn(request, onFrame, onEnd) {
    let heard = false;
    const hear = (frame) => {
      heard = true;
      onFrame(frame);
    };
    let training = super.learn(request, hear, (reason, ended) => {
      if (heard) onEnd(reason, ended);
      else training = this.local.learn(request, onFrame, onEnd);
    });
    return { send: (command) => training.send(command), close: () => training.close() };
  }

  /** Leave solving to the server from now on, unless the request was only cancelled. @param {Error} error */
  leave(error) {
    if (error.name === "AbortError") throw error;
    this.ready = false;
  }
}

export const isLocal = document.documentElement.dataset.engine === "local";
/** @typedef {"store" | "followStore" | "storedMatches" | "storedMatch" | "reportAddress"} OfStores */
/** The local engine has no stores: it refuses to list them, so pages make no further requests.
 * @param {Omit<ServerEngine, "remembered" | "once" | OfStores>} made @returns {ServerEngine} */
const withoutStores = (made) => /** @type {any} */ (made);
export const engine = isLocal ? withoutStores(new LocalEngine()) : new AssistedEngine();
