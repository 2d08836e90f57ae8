// The engine in the browser: kernels compiled to WebAssembly, in the page for the rules, in workers for all that takes
// time. A page with a server adds to it what only a server can do (`server.js`).

import { asset, assetJson } from "./assets.js";
import { explain, givesAway, known, misled, reasonOf, reviewMove, setFacts } from "./explaining.js";
import { picture } from "./picture.js";
import { Own, Pool } from "./pool.js";
import { parseRecords, recordInfo, recordText } from "./records.js";
import { Game, Position, readPosition, refuse, setRules } from "./rules.js";
import { Stream, derive } from "./seeds.js";
import { ADVISER, PERSON, Session, isPerson } from "./sessions.js";
import { parseSpec } from "./specs.js";
import { Kernels } from "./wasm.js";
import { escaped, say, setSentences } from "./words.js";

/** @typedef {{close: () => void}} Connection */
/** A position. @typedef {{game: string, moves?: number[], text?: string, rows?: string[]}} Question */
/** @typedef {{table: number, begin: number, count: number, one?: number, two?: number}} PartOfMatches */
/** @typedef {import("./sessions.js").Decision} Decision */
/** @typedef {import("./solving.js").Proven} Proven */
/** @typedef {import("./pool.js").Needs} Needs */

const KEPT = 500; // positions that are remembered
const DECISION_SECONDS = 30;
const TRUTH_SECONDS = 10;
/** The ids of matches of this page begin with it, those of shared ones don't. */
export const OWN = "own-";
const SAMPLE = { count: 150, seconds: 20 }; // positions that measure a learner
const QUICK_CELLS = 30; // free cells
// Memory of an agent that plays, and of one that thinks next to others. A full tree takes twice as much.
const SEAT_MB = { tt_mb: 128, tree_mb: 128 };
const MIND_MB = { tt_mb: 32, tree_mb: 24 };

/** Cancel a job when the signal is aborted. @template T @param {{found: Promise<T>, cancel: () => void}} job
 * @param {AbortSignal} [signal] @returns {Promise<T>} */
function until({ found, cancel }, signal) {
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  return found.finally(() => signal?.removeEventListener("abort", cancel));
}

/** @param {Record<string, Api.LineupInfo[]>} all @param {Game} game */
const lineupsOf = (all, { name, variant }) => all[name] || all[variant ? "variant" : ""];

/** The board of a game for a worker. @param {Game} game @returns {import("./solving.js").Board} */
const boardOf = ({ name, cells, layout }) => ({ name, cells, layout });

/** The owner of the memory of a board's solver. @param {Game} game */
const solverOf = ({ name }) => `solver of ${name}`;

/** The data needed to solve a position: books for early positions. @param {Position} position @returns {Needs} */
function solvingNeeds({ game, ply }) {
  const books = game.name !== "connect4" || ply > 10 ? [] : ply > 8 ? ["verdicts"] : ["scores", "verdicts"];
  return { bundles: SOLVER, books: books.map((name) => `books/connect4.${name}`) };
}

const SOLVER = ["rules", "solver"];
const SEARCH = ["rules", "solver", "search"];
const NETWORK = [...SEARCH, "network"];

/** The engine that computes everything with kernels in the browser. */
export class LocalEngine {
  constructor() {
    /** @type {Map<string, Promise<Api.PositionInfo>>} */
    this.positions = new Map();
    /** @type {Map<string, Session>} */
    this.sessions = new Map();
    this.pool = new Pool();
    this.minds = 0; // begun so far
    /** @type {Promise<void> | null} */
    this.loading = null;
  }

  /** Load the rules and the sentences, once. */
  ready() {
    this.loading ??= this.load();
    this.loading.catch(() => (this.loading = null));
    return this.loading;
  }

  async load() {
    const [manifest, rules, sentences] = await Promise.all([
      assetJson("kernels.json"),
      asset("rules.wasm"),
      assetJson("sentences.json"),
    ]);
    const kernels = new Kernels(manifest);
    await kernels.load("rules", rules);
    this.kernels = kernels;
    setSentences(sentences);
    setRules(kernels);
    setFacts(kernels);
  }

  /** Agents, lineups and puzzles. @returns {Promise<any>} */
  async lab() {
    await this.ready();
    return assetJson("lab.json");
  }

  /** Reject if the page could not be loaded again now. */
  async check() {}

  /** @returns {Promise<string>} */
  async version() {
    return (await this.lab()).version;
  }

  // Games, agents, positions.

  /** @param {string} name @returns {Promise<Api.GameInfo>} */
  async game(name) {
    await this.ready();
    return Game.of(name).info;
  }

  /** @returns {Promise<Api.AgentInfo[]>} */
  async agents() {
    return (await this.lab()).agents;
  }

  /** @param {string} game @returns {Promise<Api.LineupInfo[]>} */
  async lineups(game) {
    const { lineups } = await this.lab();
    return lineupsOf(lineups, Game.of(game));
  }

  /** @returns {Promise<Api.PuzzleInfo[]>} */
  async puzzles() {
    return (await this.lab()).puzzles;
  }

  /** Parse a position in any notation. @param {Question} question @param {AbortSignal} [signal]
   * @returns {Promise<Api.PositionInfo>} */
  async position(question, signal) {
    await this.ready();
    signal?.throwIfAborted();
    const { position, moves, notation } = readPosition(question);
    return position.info(moves, notation);
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

  // Exact values.

  /** @param {Question & {seconds?: number, line?: boolean}} question @param {AbortSignal} [signal]
   * @returns {Promise<Api.SolutionInfo>} */
  async solve(question, signal) {
    await this.ready();
    const { position, moves } = readPosition(question);
    return this.solution(position, moves, question, signal);
  }

  /** Solve a position; yield intermediate results: the score, every move, the best line.
   * @param {Question & {seconds?: number, line?: boolean}} question @param {AbortSignal} signal
   * @returns {AsyncGenerator<Api.SolutionInfo>} */
  async *solving(question, signal) {
    await this.ready();
    const { position, moves } = readPosition(question);
    /** @type {Api.SolutionInfo[]} */
    const queue = [];
    let wake = () => {};
    let done = false;
    const add = (/** @type {Api.SolutionInfo} */ info) => void (queue.push(info), wake());
    const end = this.solution(position, moves, question, signal, add)
      .then(add)
      .finally(() => void ((done = true), wake()));
    end.catch(() => {});
    while (!done || queue.length)
      if (queue.length) yield queue.shift();
      else await new Promise((resolve) => (wake = () => resolve(undefined)));
    await end;
  }

  /**
   * @param {Position} position @param {number[]} moves @param {{seconds?: number, line?: boolean}} wanted
   * @param {AbortSignal} [signal] @param {(info: Api.SolutionInfo) => void} [say]
   * @returns {Promise<Api.SolutionInfo>}
   */
  async solution(position, moves, { seconds = 2, line = false }, signal, say = () => {}) {
    if (position.over) nothingTo("solve", position);
    const shown = position.info(moves);
    const { own, opp, game } = position;
    const info = (/** @type {Proven} */ found) => solutionInfo(position, shown, found, seconds);
    const args = { owner: solverOf(game), board: boardOf(game), own, opp, seconds, line };
    const job = this.pool.run("analyse", args, solvingNeeds(position), (found) => say(info(found)));
    return info(await until(job, signal));
  }

  /** @param {{game: string, moves: number[], first?: number, seconds?: number}} question @param {AbortSignal} [signal]
   * @returns {Promise<Api.ReviewInfo>} */
  async review({ game: name, moves, first = 0, seconds = 5 }, signal) {
    await this.ready();
    const game = Game.of(name);
    const positions = moves.map((_, index) => Position.start(game, moves.slice(0, index)));
    Position.start(game, moves);
    const measured = positions.slice(first).reverse();
    const stones = measured.map(({ own, opp }) => [own, opp]);
    const args = { owner: solverOf(game), board: boardOf(game), positions: stones, seconds };
    const needs = measured.length ? solvingNeeds(measured[measured.length - 1]) : { bundles: SOLVER };
    /** @type {(Record<string, number> | null)[]} */
    const scores = (await until(this.pool.run("review", args, needs), signal)).reverse();
    const rows = scores.map((one, index) =>
      reviewMove(positions[first + index], first + index, moves[first + index], one),
    );
    const accuracy = [0, 1].map((player) => {
      const solved = rows.filter((row) => row.solved && row.player === player);
      return solved.length ? solved.filter((row) => !row.mistake).length / solved.length : null;
    });
    return { moves: rows, accuracy, complete: rows.every((row) => row.solved) };
  }

  // Files.

  /** @param {string} text @returns {Promise<Api.RecordInfo[]>} */
  async records(text) {
    await this.ready();
    return parseRecords(text, "the file").map(recordInfo);
  }

  /** @param {{game: string, moves: number[], first: string, second: string}} match @returns {Promise<string>} */
  async record({ game, moves, first, second }) {
    await this.ready();
    if (!moves.length) refuse(say("record", "no_moves"));
    const { position } = readPosition({ game, moves });
    const result = ["none", "draw", "first", "second"][position.over];
    const termination = ["interrupted", "full board", "line", "line"][position.over];
    const [nodes, values, seconds] = [moves.map(() => 0), moves.map(() => null), moves.map(() => 0)];
    const played = { game: position.game, first, second, seed: 0, opening: [], moves };
    return recordText({ ...played, result, termination, nodes, values, seconds });
  }

  /** @param {Api.PageRequest & {moves: number[]}} match @returns {Promise<string>} */
  async page({ title, ...match }) {
    await this.ready();
    if (!match.moves.length) refuse(say("record", "no_moves"));
    const page = new TextDecoder().decode(await asset("match.html"));
    const { position } = readPosition(match);
    const before = Position.start(position.game, match.moves.slice(0, -1));
    const parts = {
      "@TITLE@": escaped(title || position.game.title),
      "@MATCHES@": JSON.stringify([match]).replaceAll("<", "\\u003c"),
      "@PICTURE@": picture(position, before.cell(match.moves.at(-1))),
    };
    return page.replace(/@(TITLE|MATCHES|PICTURE)@/g, (name) => parts[name]);
  }

  // Recorded searches.

  /** @param {{game: string, moves: number[], agent: string, events: number, seed?: number}} search
   * @param {AbortSignal} signal @param {(had: number, all: number) => void} onProgress
   * @returns {Promise<{info: Api.TraceInfo, pages: Api.TracePage[]}>} */
  async trace(search, signal, onProgress) {
    const lab = await this.lab();
    const { position, moves } = readPosition(search);
    const agent = parseSpec(lab, search.agent, position.game);
    const why = untraceable(agent);
    if (why) refuse(say("untraceable", why, { spec: agent.spec }));
    if (position.over) nothingTo("decide", position);
    const { own, opp, game, toMove } = position;
    const words = await assetJson("trace.json");
    const sentences = await assetJson("sentences.json");
    const args = { board: boardOf(game), own, opp, player: toMove, agent, words };
    const request = { ...args, events: search.events, seed: search.seed || 0 };
    const needs = agentNeeds(agent, game, game.cells);
    needs.bundles = [...needs.bundles, "trace"];
    const found = await until(this.pool.run("record", request, needs), signal);
    onProgress(found.length, found.length);
    const info = {
      id: "",
      position: position.info(moves),
      agent: agent.spec,
      kinds: Object.keys(words.kinds),
      templates: Object.values(sentences.trace),
      signs: words.signs,
      effects: Object.values(sentences.effect),
      results: words.results,
      ...found,
    };
    return { info, pages: [found.page] };
  }

  /** @param {Api.ExamRequest} question @param {AbortSignal} signal @returns {Promise<Api.ExamInfo>} */
  async examTree(question, signal) {
    await this.ready();
    const parts = [assetJson("exam.json"), asset("exam.wasm"), import("./exam_tree.js")];
    const [known, kernels, { Exam }] = await Promise.all(parts);
    if (!this.kernels.modules.exam) await this.kernels.load("exam", kernels);
    signal?.throwIfAborted();
    return new Exam(this.kernels, known, question).info;
  }

  // Matches.

  /** @param {any} request a SessionRequest @returns {Promise<Api.SessionInfo>} */
  async startMatch(request) {
    const lab = await this.lab();
    const record = request.record ? parseRecords(request.record, "the record").pop() : null;
    const game = record ? record.game : Game.of(request.game);
    const specs = [record ? record.first : request.one, record ? record.second : request.two];
    const both = await Promise.all(specs.map((text) => this.participant(lab, text, game)));
    const participants = both.map((one) => one.spec);
    const watched = !participants.includes(PERSON);
    const delay = request.delay ?? 0.4;
    const setup = {
      game,
      participants,
      starts: record ? "one" : request.starts || "one",
      matches: record ? 1 : request.matches || 1,
      delay,
      pause: watched ? Math.max(0.5, 2 * delay) : 2,
      opening: record ? record.opening : request.opening || [],
      seed: record ? record.seed : (request.seed ?? Math.floor(Math.random() * 2 ** 31)),
      mode: request.mode || "",
      names: request.names || [],
    };
    if (Position.start(game, setup.opening).over) refuse(say("local", "opening_over"));
    const labels = Object.fromEntries(both.map(({ spec, label }) => [spec, label]));
    const resumed = record
      ? record.moves.map((move, index) => ({ move, decision: null, seconds: record.seconds[index] }))
      : (request.moves || []).map((/** @type {number} */ move) => ({ move, decision: null, seconds: 0 }));
    const id = OWN + Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16)).join("");
    const session = new Session(id, setup, this.host(labels, lab), [resumed]);
    this.sessions.set(id, session);
    session.changed();
    return session.state;
  }

  /** A person or an agent: its complete spec, its name, and the agent if the browser runs it.
   * @param {any} lab @param {string} text @param {Game} game
   * @returns {Promise<{spec: string, label: string, agent: import("./specs.js").Agent | null}>} */
  async participant(lab, text, game) {
    if (isPerson(text)) return { spec: PERSON, label: "", agent: null };
    const agent = parseSpec(lab, text, game);
    const levels = lineupsOf(lab.lineups, game).flatMap((lineup) => lineup.levels);
    return { spec: agent.spec, label: levels.find((level) => level.spec === agent.spec)?.label || agent.spec, agent };
  }

  /** What a match asks of the engine. @param {Record<string, string>} labels names by spec @param {any} [lab]
   * @returns {import("./sessions.js").Host} */
  host(labels, lab) {
    return {
      label: (spec) => labels[spec],
      seat: (spec, game, seed, match) => this.seatOf(lab, spec, game, seed, match),
      derive,
      below: (seed, n) => new Stream(this.kernels, seed).below(n),
      reason: reasonOf,
    };
  }

  /** An agent for one seat of one match. @param {any} lab @param {string} spec @param {Game} game @param {bigint} seed
   * @param {string} _match its id @returns {import("./sessions.js").Seat} */
  seatOf(lab, spec, game, seed, _match) {
    return this.seat(parseSpec(lab, spec, game), game, seed);
  }

  /** Advice for the side to move. @param {Position} position @returns {Promise<Api.HintInfo>} */
  async hint(position) {
    const seat = this.seat(parseSpec(await this.lab(), ADVISER, position.game), position.game, 0n);
    try {
      const hint = await seat.ask(position, []).found;
      return { move: hint.move, line: hint.line, why: reasonOf(position, hint) };
    } finally {
      seat.leave();
    }
  }

  /** Ask for a decision of an agent that the browser can't run.
   * @param {{spec: string, game: string, moves: number[]}} question
   * @param {AbortSignal} _signal @returns {Promise<Decision>} */
  async decide({ spec }, _signal) {
    return refuse(say("local", "only_served", { name: spec }));
  }

  /** @param {string} _id @returns {Promise<Api.SessionInfo>} */
  async share(_id) {
    return refuse(say("local", "no_links"));
  }

  /** An agent for one seat of one match. @param {import("./specs.js").Agent} agent @param {Game} game
   * @param {bigint} seed
   * @returns {import("./sessions.js").Seat} */
  seat(agent, game, seed) {
    const worker = new Own(this.pool);
    const mind = this.mind(agent, game, seed, SEAT_MB);
    return {
      ask: (position) => {
        const { found, cancel } = worker.run("decide", mind.args(position), agentNeeds(agent, game, position.ply));
        return { found: found.then(mind.noted), cancel };
      },
      leave: () => worker.leave(),
    };
  }

  /** An agent's mind: what a worker is told of it, and its decisions with their notes as sentences.
   * @param {import("./specs.js").Agent} agent @param {Game} game @param {bigint} seed
   * @param {Record<string, number>} most megabytes of its tables */
  mind(agent, game, seed, most) {
    const owner = `mind ${++this.minds}`;
    const { fitting, cut } = withinMemory(agent, most);
    const shared = { owner, board: boardOf(game), agent: fitting, seed, seconds: DECISION_SECONDS };
    const sentences = cut.map((name) => say("note", "cut", { name, mb: most[name] }));
    return {
      /** @param {Position} position */
      args: ({ own, opp, toMove }) => ({ ...shared, own, opp, player: toMove }),
      /** @param {Decision} decision @returns {Decision} */
      noted: (decision) => {
        const note = decision.note ? [say("note", decision.note), ...sentences] : sentences;
        return { ...decision, note: note.join(" ") };
      },
    };
  }

  /** @param {string} id @returns {Session} */
  session(id) {
    return this.sessions.get(id) || refuse(say("not_now", "no_session"), 404);
  }

  /** @param {string} id @returns {Promise<Api.SessionInfo>} */
  async match(id) {
    await this.ready();
    return this.session(id).state;
  }

  /** @param {string} id */
  endMatch(id) {
    this.sessions.get(id)?.close();
    this.sessions.delete(id);
  }

  /** @param {string} id @param {number} move @param {number} ply of the position it is meant for */
  async move(id, move, ply) {
    const session = this.session(id);
    if (ply !== session.position.ply) refuse(say("not_now", "changed"), 409);
    return session.command(() => session.play(move));
  }

  /** @param {string} id @param {"undo" | "redo" | "hint" | "new"} name */
  async command(id, name) {
    const session = this.session(id);
    const actions = { undo: session.undo, redo: session.redo, hint: session.askHint, new: () => session.begin() };
    return session.command(() => actions[name].call(session));
  }

  /** @param {string} id @param {{paused?: boolean, delay?: number}} change */
  async pace(id, { paused, delay }) {
    const session = this.session(id);
    return session.command(() => {
      if (delay !== undefined) session.setup.delay = delay;
      if (paused !== undefined) session.pause(paused);
    });
  }

  /** The matches of a session as a file. @param {string} id @returns {Promise<string>} */
  async saved(id) {
    return this.session(id).file;
  }

  /** The current board as SVG, in the theme of the page. @param {string} id @param {string} _theme
   * @returns {Promise<string>} */
  async picture(id, _theme) {
    const { position, positions, played } = this.session(id);
    const last = played.at(-1);
    return picture(position, last ? positions[positions.length - 2].cell(last.move) : null);
  }

  /** Follow a match until the connection is closed. @param {string} id
   * @param {(state: Api.SessionInfo) => void} onState
   * @param {(problem: string) => void} onProblem @returns {Connection} */
  followMatch(id, onState, onProblem) {
    const session = this.sessions.get(id);
    if (!session) {
      queueMicrotask(() => onProblem("gone"));
      return { close() {} };
    }
    const watcher = (/** @type {Api.SessionInfo | null} */ state) => (state ? onState(state) : onProblem("gone"));
    session.watchers.add(watcher);
    queueMicrotask(() => session.watchers.has(watcher) && (onProblem(""), onState(session.state)));
    return { close: () => void session.watchers.delete(watcher) };
  }

  // Live thinking and training.

  /** Let agents think about a position. @param {{game: string, moves: number[], agents: string[]}} question
   * @param {(frame: Api.MindsFrame) => void} onFrame @param {(reason: string, done: boolean) => void} onEnd
   * @returns {Connection} */
  think(question, onFrame, onEnd) {
    const stop = new AbortController();
    const send = (/** @type {Partial<Api.MindsFrame>} */ frame) => {
      const nothing = { mind: null, truth: null, judgement: null, agent: null, problem: "", finished: false };
      if (!stop.signal.aborted) onFrame({ ...nothing, ...frame });
    };
    this.thinking(question, send, stop.signal)
      .catch((error) => send({ problem: error.message }))
      .then(() => void (send({ finished: true }), stop.signal.aborted || onEnd("", true)));
    return { close: () => stop.abort() };
  }

  /** @param {{game: string, moves: number[], agents: string[]}} question
   * @param {(frame: Partial<Api.MindsFrame>) => void} send @param {AbortSignal} signal */
  async thinking(question, send, signal) {
    const lab = await this.lab();
    const { position, moves } = readPosition(question);
    if (position.over) nothingTo("think_about", position);
    const solve = (/** @type {Position} */ one, /** @type {number[]} */ led) =>
      this.solution(one, led, { seconds: TRUTH_SECONDS, line: true }, signal);
    const truth = solve(position, moves).catch((error) => {
      send({ problem: say("local", "truth_unknown", { why: error.message }) });
      return null;
    });
    truth.then((found) => found && send({ truth: found }));
    const { game, ply } = position;
    await Promise.all(
      question.agents.map(async (spec, number) => {
        try {
          const { agent, spec: full } = await this.participant(lab, spec, game);
          let decision;
          if (agent) {
            const mind = this.mind(agent, game, 0n, MIND_MB);
            const show = (/** @type {Decision} */ found, /** @type {boolean} */ done) =>
              send({ mind: mindInfo(position, number, found, done) });
            const args = { ...mind.args(position), watch: true };
            const job = this.pool.run("decide", args, agentNeeds(agent, game, ply), (found) => show(found, false));
            decision = mind.noted(await until(job, signal));
          } else {
            decision = await this.decide({ spec: full, game: game.name, moves }, signal);
          }
          send({ mind: mindInfo(position, number, decision, true) });
          const found = await truth;
          if (!found || Object.values(found.moves).some((move) => move.verdict === null)) return;
          send({
            judgement: { agent: number, ...(await judged(full.split(":")[0], position, decision, found, solve)) },
          });
        } catch (error) {
          send({ agent: number, problem: error.message });
        }
      }),
    );
    await truth;
  }

  /** Train an agent; `send` changes its rates or asks for a move. @param {Api.LearnRequest} request
   * @param {(frame: any) => void} onFrame a LearnFrame, at last a LearnEnd
   * @param {(reason: string, done: boolean) => void} onEnd
   * @returns {Connection & {send: (command: Api.LearnCommand) => void}} */
  learn(request, onFrame, onEnd) {
    const worker = new Own(this.pool);
    const stop = new AbortController();
    const nothing = () => {};
    /** @type {(command: any) => void} */
    let tell = nothing;
    const end = (/** @type {string} */ ended) => {
      if (stop.signal.aborted) return;
      onFrame({ ended });
      onEnd("", true);
    };
    this.ready()
      .then(() => assetJson("learn.json"))
      .then(({ positions, settings, network }) => {
        const game = Game.of(request.game);
        const { kind = "qlearning" } = request;
        if (game.variant) refuse(say("unfit", "variant", { name: kind, variant: game.variant, game: game.name }));
        const show = (/** @type {any} */ frame) => !stop.signal.aborted && onFrame(learnFrame(game, frame));
        const how = { ...network, settings };
        const args = { ...request, ...how, board: boardOf(game), moves: game.moves, known: positions[game.name] || [] };
        if (!positions[game.name]) this.sampled(game, stop.signal).then((known) => tell({ known }), nothing);
        const job = worker.run("learn", args, { bundles: ["rules", "network", "learning", "trace"] }, show);
        tell = (command) => {
          const { first, second } = Position.start(game, command.moves || []);
          job.tell({ ...command, first, second });
        };
        return job.found;
      })
      .then(([why, limits]) => end(say("learning", why, limits)))
      .catch((error) => end(error.message));
    return {
      send: (command) => tell(command),
      close() {
        stop.abort();
        worker.leave();
      },
    };
  }

  // Watch: a stored example.

  /** @returns {Promise<{info: Api.WatchInfo, lines: Api.MatchLine[], matches: Record<string, Api.ReplayInfo>}>} */
  async example() {
    await this.ready();
    return assetJson("watch.json");
  }
  /** Solved positions of a board, which measure a learner. @param {Game} game @param {AbortSignal} signal */
  sampled(game, signal) {
    const firstPly = Math.max(0, game.cells - QUICK_CELLS);
    const args = { owner: solverOf(game), board: boardOf(game), firstPly, ...SAMPLE };
    return until(this.pool.run("sample", args, { bundles: SOLVER }), signal);
  }

  // Stores, which only a server has: the page makes no further requests.

  /** @returns {Promise<Api.WatchedInfo[]>} */
  async stores() {
    const { id, name } = (await this.example()).info;
    return [{ id, name }];
  }

  /** @param {number} _id @returns {Promise<Api.WatchInfo>} */
  async store(_id) {
    return (await this.example()).info;
  }

  /** @param {number} _id @param {(info: Api.WatchInfo) => void} _onInfo @param {(problem: string) => void} _onProblem
   * @returns {Connection} */
  followStore(_id, _onInfo, _onProblem) {
    return { close() {} }; // it never changes
  }

  /** A part of the matches of a table. @param {number} _id @param {PartOfMatches} part
   * @returns {Promise<Api.MatchPage>} */
  async storedMatches(_id, { begin, count, one, two }) {
    const { lines } = await this.example();
    const chosen = lines.filter(
      ({ first, second }) => one === undefined || (first + second === one + two && [one, two].includes(first)),
    );
    return { matches: chosen.slice(begin, begin + count), total: chosen.length };
  }

  /** @param {number} _id @param {string} match @returns {Promise<Api.ReplayInfo>} */
  async storedMatch(_id, match) {
    return (await this.example()).matches[match] || refuse(say("local", "no_match"), 404);
  }

  /** The address of a study's report. @param {number} _id */
  reportAddress(_id) {
    return "";
  }
}

/** @param {string} what @param {Position} position @returns {never} */
const nothingTo = (what, position) => refuse(say("nothing_to", what, { result: position.result }));

/** An agent whose tables fit into the memory, and the parameters that were cut. */
function withinMemory(agent, most) {
  const { values, search } = agent;
  const cut = Object.keys(most).filter(
    (name) => values[name] > most[name] && (name !== "tt_mb" || values.tt !== false),
  );
  const inner = search && withinMemory(search, most);
  const smaller = { ...values, ...Object.fromEntries(cut.map((name) => [name, most[name]])) };
  const fitting = { ...agent, values: smaller, search: inner && inner.fitting };
  return { fitting, cut: [...new Set([...cut, ...(inner ? inner.cut : [])])] };
}

/** Why the search of an agent can't be recorded; empty if it can. @param {import("./specs.js").Agent} agent */
function untraceable({ name, values }) {
  if (!["minimax", "alphabeta", "mcts"].includes(name)) return "no_tree";
  if (values.seconds !== null) return "clock";
  return values.solver === true || values.solver === "on" ? "solver" : "";
}

/** The kernels and files that an agent needs. @param {import("./specs.js").Agent} agent @param {Game} game
 * @param {number} ply @returns {Needs} */
function agentNeeds({ name, values, evaluator, search }, game, ply) {
  const solves = search || values.solver === true || values.solver === "on";
  const books = solves ? solvingNeeds(/** @type {any} */ ({ game, ply })).books : [];
  const evaluators = [evaluator.name, search?.evaluator.name, values.prior, name];
  const networked = evaluators.includes("ntuple");
  const simple = name === "random" || name === "rules";
  if (name === "qlearning") return { bundles: ["rules", "learning"], files: [`models/qlearning-${game.name}`] };
  const files = networked ? [`models/ntuple-${game.name}`] : [];
  return { bundles: simple ? ["rules"] : networked ? NETWORK : SEARCH, files, books };
}

/** @param {Position} position @param {Api.PositionInfo} shown @param {Proven} found @param {number} seconds
 * @returns {Api.SolutionInfo} */
function solutionInfo(position, shown, found, seconds) {
  const { low, high, line } = found;
  const moves = Object.entries(found.moves);
  return {
    ...known(position, low, high),
    position: shown,
    solved: low === high && moves.every(([, one]) => one[0] === one[1]),
    moves: Object.fromEntries(moves.map(([move, one]) => [move, known(position, ...one)])),
    best: low === high ? moves.filter(([, one]) => one[0] === low).map(([move]) => Number(move)) : [],
    line,
    line_cells: position.cellsOfLine(line),
    nodes: found.nodes,
    seconds: found.seconds,
    seconds_left: Math.max(0, seconds - found.seconds),
    looking_for: found.looking_for,
    why: explain(position, line),
  };
}

/** @param {Position} position @param {number} agent @param {Decision} decision @param {boolean} done
 * @returns {Api.MindInfo} */
function mindInfo(position, agent, decision, done) {
  const { move, value, values, by_move, nodes, depth, line, note, details } = decision;
  return {
    ...{ agent, done, move, value, values, nodes, depth, line, note },
    earlier: by_move.earlier || {},
    visits: by_move.visits || {},
    cutoffs: details.cutoffs ?? null,
    simulations: details.simulations ?? null,
    line_cells: position.cellsOfLine(line),
    seconds: Math.round(1000 * decision.seconds) / 1000,
    known: details.known ?? null,
    ...parts(position.game, details.taken_apart || {}),
  };
}

/** The contributions to a network's values, by move. @param {Game} game
 * @param {Record<string, {settled: string, parts: import("./network.js").Part[]}>} found */
function parts(game, found) {
  const all = Object.entries(found);
  const shown = (/** @type {import("./network.js").Part} */ { cells, share, ...part }) => {
    return { ...part, cells: cells.flatMap((set) => game.cellsOf(set)), share: Math.round(1e5 * share) / 1e5 };
  };
  return {
    settled: Object.fromEntries(all.filter(([, { settled }]) => settled).map(([move, one]) => [move, one.settled])),
    parts: Object.fromEntries(all.map(([move, one]) => [move, one.parts.map(shown)])),
  };
}

/** @param {Api.SolutionInfo} truth @returns {Record<string, number> | null} */
function scoresOf(truth) {
  const moves = Object.entries(truth.moves);
  return moves.every(([, one]) => one.low === one.high)
    ? Object.fromEntries(moves.map(([move, one]) => [move, one.low]))
    : null;
}

/**
 * Judge a move by the exact values. @param {string} agent @param {Position} position @param {Decision} decision
 * @param {Api.SolutionInfo} truth @param {(position: Position, moves: number[]) => Promise<Api.SolutionInfo>} solve
 */
async function judged(agent, position, decision, truth, solve) {
  const scores = scoresOf(truth);
  const { move } = decision;
  if (!scores) {
    const right = truth.moves[move].verdict === truth.verdict;
    return { right, cause: right ? "" : "other", why: right ? "" : say("phrase", "unsolved") };
  }
  const after = position.play(move);
  const asks = agent === "mcts" && givesAway(move, scores) && !after.over;
  const replies = asks ? scoresOf(await solve(after, [...truth.position.moves, move])) : null;
  const found = misled(agent, position, decision, scores, replies || {});
  return { right: !found, ...(found || { cause: "", why: "" }) };
}

/** A frame of a learner, with the positions of its updates. @param {Game} game @param {any} frame
 * @returns {Api.LearnFrame} */
function learnFrame(game, frame) {
  const updates = frame.updates.map((/** @type {any} */ { moves, ...update }) => ({
    ...update,
    position: Position.start(game, moves).info(moves),
  }));
  return { ...frame, updates };
}
