// The engine behind the pages that asks the server: rules, agents, the solver, recorded searches, learners, matches and
// stores.

import { hideBanner } from "./dom.js";

const BASE = "api/v1";
const KEPT = 500; // positions that are remembered
export const PATIENCE = 60_000; // milliseconds: the longest answers take 20 s, after waiting for a worker
export const UNREACHABLE = "The server does not answer. Try again in a moment.";

export class EngineError extends Error {
  /** @param {string} message a sentence to show @param {number} status 0 without an answer */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @typedef {{close: () => void}} Connection
 * @typedef {{game: string, moves?: number[], text?: string, rows?: string[]}} Question a position
 */

/** The engine that asks the server. */
export class ServerEngine {
  constructor() {
    /** @type {Map<string, Promise<any>>} answers that never change */
    this.remembered = new Map();
    /** @type {Map<string, Promise<Api.PositionInfo>>} */
    this.positions = new Map();
  }

  /** @returns {Promise<Api.StatusInfo>} */
  status() {
    return call("GET", "status");
  }

  // Games, agents, positions.

  /** @param {string} name @returns {Promise<Api.GameInfo>} */
  game(name) {
    return call("GET", `games/${encodeURIComponent(name)}`);
  }

  /** @returns {Promise<Api.AgentInfo[]>} */
  agents() {
    return this.once("agents");
  }

  /**
   * The opponents and modes of a game, the usual ones first. @param {string} game
   * @returns {Promise<Api.LineupInfo[]>}
   */
  lineups(game) {
    return this.once(`games/${encodeURIComponent(game)}/lineups`);
  }

  /** @returns {Promise<Api.PuzzleInfo[]>} */
  puzzles() {
    return this.once("puzzles");
  }

  /** Parse a position in any notation. @param {Question} question @param {AbortSignal} [signal] */
  position(question, signal) {
    return /** @type {Promise<Api.PositionInfo>} */ (call("POST", "position", question, signal));
  }

  /** Return a position by its moves. @param {string} game @param {number[]} moves */
  positionOf(game, moves) {
    const key = `${game}/${moves.join(",")}`;
    if (!this.positions.has(key)) {
      const answer = this.position({ game, moves });
      answer.catch(() => this.positions.delete(key));
      this.positions.set(key, answer);
      if (this.positions.size > KEPT) this.positions.delete(this.positions.keys().next().value);
    }
    return this.positions.get(key);
  }

  /** @param {string} path @returns {Promise<any>} */
  once(path) {
    if (!this.remembered.has(path)) {
      const answer = call("GET", path);
      answer.catch(() => this.remembered.delete(path));
      this.remembered.set(path, answer);
    }
    return this.remembered.get(path);
  }

  // Exact values.

  /**
   * Solve a position. @param {Question & {seconds?: number, line?: boolean}} question @param {AbortSignal} [signal]
   * @returns {Promise<Api.SolutionInfo>}
   */
  solve(question, signal) {
    return call("POST", "solve", question, signal);
  }

  /**
   * Solve a position; yield intermediate results: the score, every move, the best line.
   * @param {Question & {seconds?: number, line?: boolean}} question @param {AbortSignal} signal
   * @returns {AsyncGenerator<Api.SolutionInfo>}
   */
  async *solving(question, signal) {
    const response = await request("POST", "solve/stream", question, signal);
    let rest = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const parts = (rest + part.value).split("\n");
      rest = parts.pop();
      for (const line of parts) {
        const answer = JSON.parse(line);
        if (answer.problem) throw new EngineError(answer.problem, 500);
        yield answer;
      }
    }
  }

  /**
   * Grade every move of a match by exact scores.
   * @param {{game: string, moves: number[], first?: number, seconds?: number}} question @param {AbortSignal} [signal]
   * @returns {Promise<Api.ReviewInfo>}
   */
  review(question, signal) {
    return call("POST", "review", question, signal);
  }

  // Files.

  /** Read a file of matches. @param {string} text @returns {Promise<Api.RecordInfo[]>} */
  records(text) {
    return call("POST", "records", { text });
  }

  /** Write a match as a file. @param {{game: string, moves: number[], first: string, second: string}} match */
  record(match) {
    return /** @type {Promise<string>} */ (call("POST", "record", match));
  }

  /** Write a match as one HTML file. @param {Api.PageRequest} match */
  page(match) {
    return /** @type {Promise<string>} */ (call("POST", "page", match));
  }

  // Recorded searches.

  /**
   * Record a search. @param {{game: string, moves: number[], agent: string, events: number}} search
   * @param {AbortSignal} signal @param {(had: number, all: number) => void} onProgress
   * @returns {Promise<{info: Api.TraceInfo, pages: Api.TracePage[]}>}
   */
  async trace(search, signal, onProgress) {
    /** @type {Api.TraceInfo} */
    const info = await call("POST", "traces", search, signal);
    const pages = [info.page];
    for (let had = info.page.kinds.length; had < info.length; had += pages[pages.length - 1].kinds.length) {
      onProgress(had, info.length);
      pages.push(await call("GET", `traces/${info.id}?first=${had}`, undefined, signal));
    }
    return { info, pages };
  }

  /** @param {Api.ExamRequest} question @param {AbortSignal} signal @returns {Promise<Api.ExamInfo>} */
  examTree(question, signal) {
    return call("POST", "exam-tree", question, signal);
  }

  // Matches.

  /** @param {any} setup a SessionRequest @returns {Promise<Api.SessionInfo>} */
  startMatch(setup) {
    return call("POST", "sessions", setup);
  }

  /** @param {string} id @returns {Promise<Api.SessionInfo>} */
  match(id) {
    return call("GET", `sessions/${encodeURIComponent(id)}`);
  }

  /** End an abandoned match; ignore errors. @param {string} id */
  endMatch(id) {
    call("DELETE", `sessions/${id}`).catch(() => {});
  }

  /** @param {string} id @param {number} move @param {number} ply of the position it is meant for */
  move(id, move, ply) {
    return /** @type {Promise<Api.SessionInfo>} */ (call("POST", `sessions/${id}/move`, { move, ply }));
  }

  /** @param {string} id @param {"undo" | "redo" | "hint" | "new"} name */
  command(id, name) {
    return /** @type {Promise<Api.SessionInfo>} */ (call("POST", `sessions/${id}/${name}`));
  }

  /** @param {string} id @param {{paused?: boolean, delay?: number}} change */
  pace(id, change) {
    return /** @type {Promise<Api.SessionInfo>} */ (call("PUT", `sessions/${id}/pace`, change));
  }

  /** The matches of a session as a file. @param {string} id @returns {Promise<string>} */
  saved(id) {
    return call("GET", `sessions/${id}/record`);
  }

  /** The current board as SVG. @param {string} id @param {string} theme @returns {Promise<string>} */
  picture(id, theme) {
    return call("GET", `sessions/${id}/picture?theme=${theme}`);
  }

  /**
   * Follow a match until the connection is closed.
   * @param {string} id @param {(state: Api.SessionInfo) => void} onState @param {(problem: string) => void} onProblem
   */
  followMatch(id, onState, onProblem) {
    return follow(`sessions/${id}/live`, onState, onProblem);
  }

  // Live thinking and training.

  /**
   * Let agents think about a position. @param {{game: string, moves: number[], agents: string[]}} question
   * @param {(frame: Api.MindsFrame) => void} onFrame @param {(reason: string, done: boolean) => void} onEnd
   * @returns {Connection}
   */
  think(question, onFrame, onEnd) {
    return talk("minds/live", question, onFrame, onEnd);
  }

  /**
   * Train an agent; `send` changes its rates or asks for a move.
   * @param {Api.LearnRequest} request @param {(frame: any) => void} onFrame a LearnFrame, at last a LearnEnd
   * @param {(reason: string, done: boolean) => void} onEnd
   */
  learn(request, onFrame, onEnd) {
    return talk("learn/live", request, onFrame, onEnd);
  }

  // Stores.

  /** @returns {Promise<Api.WatchedInfo[]>} */
  stores() {
    return call("GET", "watch");
  }

  /** @param {number} id @returns {Promise<Api.WatchInfo>} */
  store(id) {
    return call("GET", `watch/${id}`);
  }

  /**
   * Follow a store until the connection is closed.
   * @param {number} id @param {(info: Api.WatchInfo) => void} onInfo @param {(problem: string) => void} onProblem
   */
  followStore(id, onInfo, onProblem) {
    return follow(`watch/${id}/live`, onInfo, onProblem);
  }

  /**
   * A part of the matches of a table. @param {number} id
   * @param {{table: number, begin: number, count: number, one?: number, two?: number}} part
   * @returns {Promise<Api.MatchPage>}
   */
  storedMatches(id, part) {
    const query = new URLSearchParams(Object.entries(part).map(([name, value]) => [name, String(value)]));
    return call("GET", `watch/${id}/matches?${query}`);
  }

  /** @param {number} id @param {string} match @returns {Promise<Api.ReplayInfo>} */
  storedMatch(id, match) {
    return call("GET", `watch/${id}/matches/${encodeURIComponent(match)}`);
  }

  /** The address of a study's report. @param {number} id */
  reportAddress(id) {
    return `${BASE}/watch/${id}/report`;
  }
}

/**
 * @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
async function request(method, path, body, signal) {
  const limit = AbortSignal.timeout(PATIENCE);
  let response;
  try {
    response = await fetch(`${BASE}/${path}`, {
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new EngineError(UNREACHABLE, 0);
  }
  hideBanner(UNREACHABLE);
  if (!response.ok) {
    const answer = await content(response);
    throw new EngineError(answer.detail || `The server answered ${response.status}.`, response.status);
  }
  return response;
}

/** @param {Response} response @returns {Promise<any>} */
function content(response) {
  return (response.headers.get("content-type") || "").startsWith("application/json")
    ? response.json()
    : response.text();
}

/**
 * @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function call(method, path, body, signal) {
  const response = await request(method, path, body, signal);
  return response.status === 204 ? null : content(response);
}

/** @param {string} path @returns {WebSocket} */
function openSocket(path) {
  const address = new URL(`${BASE}/${path}`, document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}

/**
 * Send a request that is answered by several frames.
 * @param {string} path @param {any} question @param {(frame: any) => void} onFrame
 * @param {(reason: string, done: boolean) => void} onEnd why it ended, and whether the answer is complete
 * @returns {Connection & {send: (command: any) => void}}
 */
function talk(path, question, onFrame, onEnd) {
  const socket = openSocket(path);
  socket.onopen = () => socket.send(JSON.stringify(question));
  socket.onmessage = (event) => onFrame(JSON.parse(event.data));
  socket.onclose = (event) => onEnd(event.reason, event.code === 1000);
  return {
    send(command) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
    },
    close() {
      socket.onclose = socket.onmessage = null;
      socket.close();
    },
  };
}

/**
 * Follow a resource; reconnect until the connection is closed or the resource is gone.
 * @param {string} path @param {(state: any) => void} onState
 * @param {(problem: string) => void} onProblem lost, gone, or empty when reconnected
 * @returns {Connection}
 */
function follow(path, onState, onProblem) {
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
