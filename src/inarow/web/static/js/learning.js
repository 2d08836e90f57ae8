// Learners, in the worker.

/** @param {import("./worker.js").Work} _work @param {any} _args @returns {any} */
export function learn(_work, _args) {
  throw new Error("not there yet");
}
