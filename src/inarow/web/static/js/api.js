// The server's API. Errors are one sentence that can be shown as it is.

const BASE = "api/v1";

export class ApiError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
async function request(method, path, body, signal) {
  let response;
  try {
    response = await fetch(`${BASE}/${path}`, {
      method,
      signal,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is `inarow serve` still running?", 0);
  }
  if (!response.ok) {
    const answer = await content(response);
    throw new ApiError(answer.detail || `The server answered ${response.status}.`, response.status);
  }
  return response;
}

/** @param {Response} response @returns {Promise<any>} */
function content(response) {
  return (response.headers.get("content-type") || "").startsWith("application/json")
    ? response.json()
    : response.text();
}

/** @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal] @returns {Promise<any>} */
async function call(method, path, body, signal) {
  const response = await request(method, path, body, signal);
  return response.status === 204 ? null : content(response);
}

/** The lines of an answer, as they come. @param {string} path @param {any} body @param {AbortSignal} signal @returns {AsyncGenerator<any>} */
async function* lines(path, body, signal) {
  const response = await request("POST", path, body, signal);
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const parts = (rest + part.value).split("\n");
    rest = parts.pop();
    for (const line of parts) {
      const answer = JSON.parse(line);
      if (answer.problem) throw new ApiError(answer.problem, 500);
      yield answer;
    }
  }
}

export const api = {
  /** @param {string} path @param {AbortSignal} [signal] */
  get: (path, signal) => call("GET", path, undefined, signal),
  /** @param {string} path @param {any} [body] @param {AbortSignal} [signal] */
  post: (path, body, signal) => call("POST", path, body, signal),
  lines,
  /** @param {string} path @param {any} body */
  put: (path, body) => call("PUT", path, body),
  /** @param {string} path */
  delete: (path) => call("DELETE", path),
};

const remembered = new Map();

/** What the server always answers in the same way is asked once. @param {string} path @returns {Promise<any>} */
export function once(path) {
  if (!remembered.has(path)) {
    const answer = api.get(path);
    answer.catch(() => remembered.delete(path));
    remembered.set(path, answer);
  }
  return remembered.get(path);
}

/** @type {Map<string, Promise<any>>} */
const positions = new Map();
const KEPT = 500;

/** A position by its moves. @param {string} game @param {number[]} moves @returns {Promise<any>} */
export function positionOf(game, moves) {
  const key = `${game}/${moves.join(",")}`;
  if (!positions.has(key)) {
    const answer = api.post("position", { game, moves });
    answer.catch(() => positions.delete(key));
    positions.set(key, answer);
    if (positions.size > KEPT) positions.delete(positions.keys().next().value);
  }
  return positions.get(key);
}

/** @param {string} path @returns {WebSocket} */
export function openSocket(path) {
  const address = new URL(`${BASE}/${path}`, document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}

/**
 * Live updates of a session or of what is watched; reconnects until it is closed or that is gone.
 * @param {string} path
 * @param {(state: any) => void} onState
 * @param {(problem: string) => void} onProblem an empty text when the connection is there again
 */
export function follow(path, onState, onProblem) {
  /** @type {WebSocket | null} */
  let socket = null;
  let closed = false;
  let wait = 250;

  function connect() {
    if (closed) return;
    socket = openSocket(path);
    socket.onopen = () => {
      wait = 250;
      onProblem("");
    };
    socket.onmessage = (event) => !closed && onState(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (closed) return;
      if (event.code === 4404) {
        onProblem("gone");
        return;
      }
      onProblem("lost");
      setTimeout(connect, wait);
      wait = Math.min(5000, wait * 2);
    };
  }

  connect();
  return {
    close() {
      closed = true;
      if (socket) socket.close();
    },
  };
}
