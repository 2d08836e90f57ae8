// The engine of a page that comes from a server: it computes in the browser, too, and adds what only a server can do:
// matches between two computers, agents that exist only in Python, and tournaments of this machine.

import { hideBanner } from "./dom.js";
import { EngineError, PATIENCE, UNREACHABLE } from "./errors.js";
import { LocalEngine, OWN } from "./local.js";
import { Game } from "./rules.js";
import { PERSON, Session, isPerson } from "./sessions.js";

/** @typedef {import("./local.js").Connection} Connection */

const BASE = "api/v1";

/** The engine with a server behind it. */
export class ServedEngine extends LocalEngine {
  constructor() {
    super();
    /** @type {Map<string, Promise<any>>} answers that never change */
    this.remembered = new Map();
    /** @type {Map<string, string>} the names of the server's agents, by spec */
    this.labels = new Map();
    /** @type {Map<string, Api.RelayInfo>} the shared matches, as the server last described them */
    this.shared = new Map();
    this.stored = false; // whether the server has stores to watch
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

  async check() {
    await call("GET", "status");
  }

  // Agents that exist only in Python.

  /** @returns {Promise<Api.AgentInfo[]>} */
  async agents() {
    return [...(await super.agents()), ...(await this.once("agents"))];
  }

  /** @param {string} game @returns {Promise<Api.LineupInfo[]>} */
  async lineups(game) {
    return [...(await super.lineups(game)), ...(await this.once(`games/${encodeURIComponent(game)}/lineups`))];
  }

  /** @param {any} lab @param {string} text @param {Game} game */
  async participant(lab, text, game) {
    if (isPerson(text)) return super.participant(lab, text, game);
    /** @type {Api.AgentInfo[]} */
    const served = await this.once("agents");
    const here = lab.agents.some((/** @type {Api.AgentInfo} */ one) => one.name === text.trim().split(":")[0]);
    if (here && !served.some((one) => one.name === text)) return super.participant(lab, text, game);
    const { spec, label } = await call("POST", "agent", { game: game.name, agent: text });
    this.labels.set(spec, label);
    return { spec, label, agent: null };
  }

  /** @param {{spec: string, game: string, moves: number[], match?: string, seed?: bigint}} question
   * @param {AbortSignal} signal @returns {Promise<import("./sessions.js").Decision>} */
  async decide({ spec, game, moves, match = "", seed = 0n }, signal) {
    const request = { game, moves, agent: spec, match, seed: Number(seed & 0x1fffffffffffffn) };
    return { ...(await call("POST", "decide", request, signal)), details: {} };
  }

  /** @param {any} lab @param {string} spec @param {Game} game @param {bigint} seed @param {string} match
   * @returns {import("./sessions.js").Seat} */
  seatOf(lab, spec, game, seed, match) {
    if (!this.labels.has(spec)) return super.seatOf(lab, spec, game, seed, match);
    return {
      ask: (_, moves) => {
        const stop = new AbortController();
        const found = this.decide({ spec, game: game.name, moves, match, seed }, stop.signal);
        return { found, cancel: () => stop.abort() };
      },
      leave() {},
    };
  }

  // Shared matches: the server keeps the moves.

  /** Share a match with other computers; it then continues on the server. @param {string} id
   * @returns {Promise<Api.SessionInfo>} */
  async share(id) {
    const { setup, earlier, played, watchers } = this.session(id);
    const { game, starts, matches, opening, names, mode, seed } = setup;
    const moves = [...earlier, played].map((all) => all.map((one) => one.move));
    const request = { game: game.name, starts, matches, opening, names, mode, seed, played: moves };
    const state = this.take(await call("POST", "matches", request));
    watchers.clear(); // the page follows the shared match from now on
    this.endMatch(id);
    return state;
  }

  /** The state of a shared match for a page. @param {Api.RelayInfo} relay @returns {Api.SessionInfo} */
  take(relay) {
    const known = this.shared.get(relay.id);
    if (known && known.version > relay.version) relay = known; // a reply may come after later news
    this.shared.set(relay.id, relay);
    return { ...this.session(relay.id).state, version: relay.version, shared: true };
  }

  /** @param {string} id @returns {Session} */
  session(id) {
    const relay = this.shared.get(id);
    if (!relay) return super.session(id);
    const { starts, matches, opening, names, mode, seed } = relay;
    const setup = { starts, matches, opening, names, mode, seed, delay: 0, pause: 2, participants: [PERSON, PERSON] };
    const made = (/** @type {number} */ move) => ({ move, decision: null, seconds: 0 });
    const played = relay.played.map((moves) => moves.map(made));
    return new Session(id, { ...setup, game: Game.of(relay.game) }, this.host({}), played, relay.undone.map(made));
  }

  /** @param {string} id @param {string} [path] @param {string} [method] @param {any} [body] */
  async ask(id, path = "", method = "GET", body = undefined) {
    await this.ready();
    return this.take(await call(method, `matches/${encodeURIComponent(id)}${path}`, body));
  }

  /** @param {string} id @returns {Promise<Api.SessionInfo>} */
  async match(id) {
    return id.startsWith(OWN) ? super.match(id) : this.ask(id);
  }

  /** @param {string} id */
  endMatch(id) {
    super.endMatch(id);
    if (this.shared.delete(id)) call("DELETE", `matches/${id}`).catch(() => {});
  }

  /** @param {string} id @param {number} move @param {number} ply */
  async move(id, move, ply) {
    return this.shared.has(id) ? this.ask(id, "/move", "POST", { move, ply }) : super.move(id, move, ply);
  }

  /** @param {string} id @param {"undo" | "redo" | "hint" | "new"} name */
  async command(id, name) {
    const relay = this.shared.get(id);
    if (!relay) return super.command(id, name);
    if (name !== "hint") return this.ask(id, `/${name}`, "POST");
    return { ...this.take(relay), hint: await this.hint(this.session(id).position) }; // for this page only
  }

  /** Follow a match until the connection is closed. @param {string} id
   * @param {(state: Api.SessionInfo) => void} onState @param {(problem: string) => void} onProblem */
  followMatch(id, onState, onProblem) {
    if (!this.shared.has(id)) return super.followMatch(id, onState, onProblem);
    return follow(`matches/${id}/live`, (relay) => onState(this.take(relay)), onProblem);
  }

  // Stores; without any, the stored example.

  /** @returns {Promise<Api.WatchedInfo[]>} */
  async stores() {
    const stores = await call("GET", "watch");
    this.stored = stores.length > 0;
    return this.stored ? stores : super.stores();
  }

  /** @param {number} id @returns {Promise<Api.WatchInfo>} */
  store(id) {
    return this.stored ? call("GET", `watch/${id}`) : super.store(id);
  }

  /** @param {number} id @param {(info: Api.WatchInfo) => void} onInfo @param {(problem: string) => void} onProblem */
  followStore(id, onInfo, onProblem) {
    return this.stored ? follow(`watch/${id}/live`, onInfo, onProblem) : super.followStore(id, onInfo, onProblem);
  }

  /** @param {number} id @param {import("./local.js").PartOfMatches} part @returns {Promise<Api.MatchPage>} */
  storedMatches(id, part) {
    if (!this.stored) return super.storedMatches(id, part);
    const query = new URLSearchParams(Object.entries(part).map(([name, value]) => [name, String(value)]));
    return call("GET", `watch/${id}/matches?${query}`);
  }

  /** @param {number} id @param {string} match @returns {Promise<Api.ReplayInfo>} */
  storedMatch(id, match) {
    return this.stored ? call("GET", `watch/${id}/matches/${encodeURIComponent(match)}`) : super.storedMatch(id, match);
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
