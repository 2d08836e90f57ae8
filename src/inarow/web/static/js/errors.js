// Errors of the engine, each a sentence to show.

export const PATIENCE = 60_000; // milliseconds
export const UNREACHABLE = "The server does not answer. Try again in a moment.";

export class EngineError extends Error {
  /** @param {string} message a sentence to show @param {number} status 0 without an answer */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}
