// Watch: tournaments and leagues as their stores grow, every match to replay, and a study's report.

import { announce, banner, button, fill, h, hideBanner, setAddress } from "./dom.js";
import { engine } from "./engine.js";
import { Latest, Part } from "./reactive.js";
import { Replay } from "./replay.js";
import { crossTable, gauge, matchList, standings } from "./watch_tables.js";
import { recall, remember } from "./state.js";

const PAGE = 60; // matches that the list grows by
const MAX_COUNT = 500; // matches per request
const LOST = "Connection lost; reconnecting …";

/** @param {HTMLElement} view @param {string[]} path */
export function watchPage(view, path) {
  const page = new Watch(view);
  return { page, opened: page.open(...path) };
}

class Watch {
  /** @param {HTMLElement} view */
  constructor(view) {
    /** @type {Api.WatchInfo | null} the last message about the store */
    this.info = null;
    this.connection = null;
    this.table = 0;
    /** @type {{one: number, two: number} | null} the two agents whose matches are listed */
    this.chosen = null;
    this.listed = { matches: [], total: 0 };
    this.count = PAGE; // number of matches to list
    this.latest = new Latest(); // list
    this.selected = new Latest(); // file
    this.closed = false;
    /** @type {Promise<any>} loads the list */
    this.listing = Promise.resolve();
    this.failure = ""; // why the list could not be loaded
    this.wanted = ""; // the last requested match
    this.lost = false;
    this.following = Boolean(recall().following);
    this.replay = new Replay(
      () => this.address(),
      (step) => this.neighbour(step),
    );
    this.head = h("div", { class: "watch-head" }, h("p", { class: "loading" }, "Loading …"));
    this.standings = h("section", { class: "panel", "aria-label": "Standings" });
    this.cross = h("section", { class: "panel", "aria-label": "Cross table" });
    this.list = h("section", { class: "panel", "aria-label": "Matches" });
    this.parts = {
      head: new Part(this.head, () => this.fillHead()),
      cross: new Part(this.cross, () => this.fillCross()),
      list: new Part(
        this.list,
        () => this.fillList(),
        () => document.getElementById("following").focus(),
      ),
    };
    this.body = h("div", { class: "watch-body" }, this.standings, this.cross, this.list);
    this.body.hidden = true;
    this.desk = h(
      "div",
      { class: "desk watch" },
      h("div", { class: "watch-side" }, this.head, this.body),
      this.replay.element,
    );
    view.replaceChildren(this.desk);
  }

  /** @param {string} [id] @param {string} [table] @param {string} [match] */
  async open(id, table, match) {
    this.watched = await engine.stores();
    if (this.closed) return;
    const known = this.watched.find((one) => String(one.id) === id) || this.watched[0];
    if (!(await this.select(known.id, Number(table) || 0))) return;
    const found = !id || String(known.id) === id;
    if (match && found) await this.show(match);
    else await this.showNewest();
    if (!found) banner("This link can't be opened: the server does not watch that file.");
  }

  close() {
    this.closed = true;
    this.latest.close();
    if (this.connection) this.connection.close();
    this.replay.close();
  }

  /**
   * Follow a store; the previous one is shown until it is loaded. @param {number} id @param {number} table
   * @returns {Promise<boolean>} false if another one was chosen meanwhile
   */
  async select(id, table) {
    const current = this.selected.ask();
    const info = await engine.store(id);
    if (this.closed || !current()) return false;
    if (this.connection) this.connection.close();
    this.id = id;
    this.info = null;
    this.turnTo(table);
    this.update(info);
    this.connection = engine.followStore(
      id,
      (info) => this.update(info),
      (problem) => this.connected(problem),
    );
    return true;
  }

  /** Reset the list and the replay for another table. @param {number} table */
  turnTo(table) {
    this.table = table;
    this.chosen = null;
    this.replay.clear();
    this.wanted = "";
    this.listed = { matches: [], total: 0 };
    this.count = PAGE;
    fill(this.list);
  }

  /** @param {string} problem */
  connected(problem) {
    if (problem) banner(problem === "gone" ? "The server no longer watches this file." : LOST);
    else if (this.lost) hideBanner(LOST);
    this.lost = Boolean(problem);
  }

  /** @param {Api.WatchInfo} info */
  update(info) {
    if (this.info && info.version === this.info.version) return;
    const before = this.info;
    this.info = info;
    if (this.table >= info.tables.length) this.table = 0;
    this.draw();
    this.listing = this.load();
    if (before && (this.following || !this.wanted)) this.showNewest();
    if (before && before.running && !info.running) announce("The tournament has ended.");
  }

  get shown() {
    return this.info.tables[this.table];
  }

  draw() {
    const info = this.info;
    this.parts.head.draw();
    const table = this.shown;
    this.body.hidden = !table;
    if (!table) return;
    fill(this.standings, h("h2", {}, "Standings"), standings(table));
    this.cross.hidden = table.agents.length < 2;
    this.parts.cross.draw();
    document.title = `${info.name} – Watch – inarow`;
  }

  fillCross() {
    fill(
      this.cross,
      h("h2", {}, "Cross table"),
      h(
        "p",
        { class: "note" },
        "Score of the row's agent against the column's, in %. Choose a cell to see its matches.",
      ),
      crossTable(this.shown, this.chosen, (one, two) => this.choose(one, two)),
    );
  }

  fillHead() {
    const info = this.info;
    const table = this.shown;
    const files = h(
      "select",
      { id: "file", "aria-label": "File" },
      ...this.watched.map((one) => h("option", { value: String(one.id) }, one.name)),
    );
    files.value = String(this.id);
    files.addEventListener("change", () => this.change(Number(files.value), 0));
    const tables = h(
      "select",
      { id: "table", "aria-label": "Table" },
      ...info.tables.map((one, index) => h("option", { value: String(index) }, one.title)),
    );
    tables.value = String(this.table);
    tables.addEventListener("change", () => this.change(this.id, Number(tables.value)));
    fill(
      this.head,
      h("h2", {}, info.name),
      h(
        "p",
        { class: `badge ${info.running ? "running" : ""}`, id: "state" },
        info.running ? "running" : table && table.finished ? "finished" : "not running",
      ),
      table ? h("p", { id: "count" }, counted(table)) : null,
      this.watched.length > 1 ? files : null,
      info.tables.length > 1 ? tables : null,
      info.report
        ? h("a", { class: "button", href: engine.reportAddress(this.id), target: "_blank", rel: "noopener" }, "Report")
        : null,
      info.running
        ? h(
            "p",
            { class: "note wide" },
            "Another process is writing this store. The page shows its last commit, read-only.",
          )
        : null,
      info.example
        ? h(
            "p",
            { class: "note wide", id: "example" },
            "A stored example. To watch your own: ",
            h("code", {}, "inarow serve --watch league.db"),
          )
        : null,
      info.problem ? h("p", { class: "problem wide", role: "alert" }, info.problem) : null,
      !info.problem && !info.tables.length
        ? h("p", { class: "note wide" }, "There is no tournament in this store yet.")
        : null,
    );
  }

  /** Show another file or another of its tables. @param {number} id @param {number} table */
  async change(id, table) {
    try {
      if (id !== this.id) {
        if (!(await this.select(id, table))) return;
      } else {
        this.selected.close(); // ignore answers for the previous file
        this.turnTo(table);
        this.draw();
        this.listing = this.load();
      }
      await this.showNewest();
    } catch (error) {
      if (!this.closed) banner(error.message);
    }
  }

  /** List the matches of two agents, or all again. */
  async choose(one, two) {
    const same = this.chosen && this.chosen.one === one && this.chosen.two === two;
    this.chosen = same ? null : { one, two };
    this.count = PAGE;
    this.draw();
    if (await (this.listing = this.load()))
      announce(same ? "All matches are listed." : `${this.listed.total} matches are listed.`);
  }

  /** Show more matches. */
  more() {
    this.count = this.listed.matches.length + PAGE;
    this.listing = this.load();
  }

  /**
   * Request the matches of the list. @returns {Promise<boolean>} false if others were requested
   */
  async load() {
    if (!this.shown) return false;
    const current = this.latest.ask();
    const { count } = this;
    const listed = { matches: [], total: 1 };
    try {
      while (listed.matches.length < Math.min(count, listed.total)) {
        const begin = listed.matches.length;
        const part = { table: this.table, begin, count: Math.min(MAX_COUNT, count - begin), ...this.chosen };
        const found = await engine.storedMatches(this.id, part);
        if (!current()) return false;
        listed.matches.push(...found.matches);
        listed.total = found.matches.length ? found.total : listed.matches.length;
      }
    } catch (error) {
      if (current()) banner((this.failure = error.message));
      return false;
    }
    hideBanner(this.failure);
    this.listed = listed;
    this.parts.list.draw();
    return true;
  }

  fillList() {
    const scrolled = this.list.querySelector(".matches");
    const top = scrolled ? scrolled.scrollTop : 0;
    const pair = this.chosen;
    const names = this.shown.agents;
    fill(
      this.list,
      h(
        "h2",
        {},
        "Matches",
        h(
          "small",
          {},
          pair ? ` ${names[pair.one].label} against ${names[pair.two].label},` : "",
          ` ${this.listed.total.toLocaleString("en")}, the newest first`,
        ),
      ),
      h(
        "div",
        { class: "actions" },
        button("following", "Follow the newest", () => this.follow(), { key: "F", pressed: this.following }),
        pair ? button("all", "Show all", () => this.choose(pair.one, pair.two)) : null,
      ),
      this.gauge(),
      matchList(this.shown, this.listed.matches, this.replay.match, (id) => this.show(id)),
      this.listed.matches.length < this.listed.total ? button("more", "More matches", () => this.more()) : null,
    );
    const list = this.list.querySelector(".matches");
    if (list) list.scrollTop = top;
  }

  /** The comparison of two agents: the chosen ones, or the only two. */
  gauge() {
    const [one, two] = this.chosen ? [this.chosen.one, this.chosen.two] : [0, 1];
    const found = this.shown.cross.find((cell) => cell.row === one && cell.column === two);
    return found && (this.chosen || this.shown.agents.length === 2) ? gauge(this.shown, found) : null;
  }

  follow() {
    this.following = !this.following;
    remember({ following: this.following });
    this.parts.list.draw();
    if (this.following) this.showNewest();
  }

  async showNewest() {
    const newest = this.shown && this.shown.latest[0];
    if (newest && newest.id !== this.wanted && !(this.following && this.replay.playing))
      await this.show(newest.id, this.following);
  }

  /** Show a match. @param {string} id @param {boolean} play true to play it from its start, else its end is shown */
  async show(id, play = false) {
    if (this.closed) return;
    this.wanted = id;
    try {
      if (!(await this.replay.load(this.id, id, play))) return;
      banner("");
    } catch (error) {
      if (this.closed || this.wanted !== id) return;
      this.wanted = this.replay.match;
      banner(error.message);
      return;
    }
    this.address();
    for (const row of this.list.querySelectorAll("[data-match]"))
      row.setAttribute("aria-current", String(row.dataset.match === id));
  }

  /** The next or the previous match of the list. @param {number} step */
  async neighbour(step) {
    await this.listing;
    const ids = this.listed.matches.map((one) => one.id);
    const next = ids[ids.indexOf(this.wanted) + step];
    if (next) await this.show(next, this.replay.playing);
  }

  address() {
    setAddress(this.desk, `#/watch/${this.id}/${this.table}${this.replay.match ? `/${this.replay.match}` : ""}`);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const key = event.key.toLowerCase();
    if (!this.info) return false;
    if (key === "f" && this.shown) this.follow();
    else if (key === "n") this.neighbour(1);
    else if (key === "b") this.neighbour(-1);
    else return this.replay.key(event);
    return true;
  }

  keys = [
    ["P", "play the match, or pause"],
    ["← →", "one move back, one forward"],
    ["Home, End", "to the start, to the end"],
    ["+ −", "faster, slower"],
    ["N, B", "next match, the one before"],
    ["F", "follow the newest match"],
  ];
}

/** The number of matches, now and at the end. @param {Api.TableInfo} table */
function counted({ matches, planned, finished }) {
  const number = matches.toLocaleString("en");
  return finished || matches >= planned ? `${number} matches` : `${number} of ${planned.toLocaleString("en")} matches`;
}
