// Keys and clicks that come quickly: what they ask for is done one after the other, in their order.

import { banner } from "./dom.js";

export class Queue {
  constructor() {
    this.last = Promise.resolve();
    this.closed = false;
  }

  /** Do something when all before it is done; what fails is said, and the rest goes on. @param {() => any} action @returns {Promise<void>} */
  add(action) {
    this.last = this.last
      .then(() => (this.closed ? undefined : action()))
      .catch((error) => this.closed || banner(error.message));
    return this.last;
  }

  /** The page was left: nothing more is done or said. */
  close() {
    this.closed = true;
  }
}
