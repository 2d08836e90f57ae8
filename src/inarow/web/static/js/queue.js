// Keys and clicks that come quickly: what they ask for is done one after the other, in their order.

import { banner } from "./dom.js";

export class Queue {
  constructor() {
    this.last = Promise.resolve();
  }

  /** Do something when all before it is done; what fails is said, and the rest goes on. @param {() => any} action @returns {Promise<void>} */
  add(action) {
    this.last = this.last.then(action).catch((error) => banner(error.message));
    return this.last;
  }
}
