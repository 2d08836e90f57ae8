// Watch: tournaments and leagues as their stores grow, every match to replay, and a study's report.

import { announce, banner, fill, h, keepFocus, setAddress } from "./dom.js";
import { api, follow } from "./api.js";
import { Replay } from "./replay.js";
import { crossTable, matchList, standings } from "./watch_tables.js";
import { recall, remember } from "./state.js";

const PAGE = 60; // matches that are asked for at a time

/** @param {HTMLElement} view @param {string[]} path */
export async function watchPage(view, path) {
  const page = new Watch(view);
  await page.open(...path);
  return page;
}

class Watch {
  /** @param {HTMLElement} view */
  constructor(view) {
    /** @type {any} what the server last said of the store */
    this.info = null;
    this.connection = null;
    this.table = 0;
    /** @type {{one: number, two: number} | null} the two agents whose matches are listed */
    this.chosen = null;
    this.listed = { matches: [], total: 0 };
    this.asked = 0;
    this.listing = Promise.resolve(); // until the list is there
    this.wanted = ""; // the match that was asked for last
    this.lost = false;
    this.following = Boolean(recall().following);
    this.replay = new Replay(() => this.address(), (step) => this.neighbour(step));
    this.head = h("div", { class: "watch-head" }, h("p", { class: "loading" }, "Loading …"));
    this.standings = h("section", { class: "panel", "aria-label": "Standings" });
    this.cross = h("section", { class: "panel", "aria-label": "Cross table" });
    this.list = h("section", { class: "panel", "aria-label": "Matches" });
    this.body = h("div", { class: "watch-body" }, this.standings, this.cross, this.list);
    this.body.hidden = true;
    this.desk = h("div", { class: "desk watch" }, h("div", { class: "watch-side" }, this.head, this.body), this.replay.element);
    view.replaceChildren(this.desk);
  }

  /** @param {string} [id] @param {string} [table] @param {string} [match] */
  async open(id, table, match) {
    this.watched = await api.get("watch");
    if (!this.watched.length) {
      this.desk.replaceChildren(nothing());
      return;
    }
    const known = this.watched.find((one) => String(one.id) === id) || this.watched[0];
    if (id && String(known.id) !== id) banner("This link can't be opened: the server watches no such file.");
    this.table = Number(table) || 0;
    await this.select(known.id);
    if (match) await this.show(match);
    else if (!this.replay.match) await this.showNewest();
  }

  close() {
    this.closed = true;
    if (this.connection) this.connection.close();
    this.replay.close();
  }

  /** Follow one of the stores. @param {number} id */
  async select(id) {
    if (this.connection) this.connection.close();
    this.id = id;
    this.info = null;
    const info = await api.get(`watch/${id}`);
    if (this.closed || id !== this.id) return; // another file was chosen meanwhile
    this.update(info);
    this.connection = follow(`watch/${id}/live`, (info) => this.update(info), (problem) => this.connected(problem));
  }

  /** @param {string} problem */
  connected(problem) {
    if (problem) banner(problem === "gone" ? "The server no longer watches this file." : "The connection is lost; trying again …");
    else if (this.lost) banner("");
    this.lost = Boolean(problem);
  }

  /** @param {any} info */
  update(info) {
    if (this.info && info.version === this.info.version) return;
    const before = this.info;
    this.info = info;
    if (this.table >= info.tables.length) this.table = 0;
    this.draw();
    this.listing = this.load();
    if (before && this.following) this.showNewest();
    if (before && before.running && !info.running) announce("The tournament has ended.");
  }

  get shown() {
    return this.info.tables[this.table];
  }

  draw() {
    const info = this.info;
    this.drawHead();
    const table = this.shown;
    this.body.hidden = !table;
    if (!table) return;
    fill(this.standings, h("h2", {}, "Standings"), standings(table));
    this.cross.hidden = table.agents.length < 2;
    fill(this.cross, h("h2", {}, "Cross table"), h("p", { class: "note" }, "The score of a row's agent against a column's, in %. Choose one to see its matches."), crossTable(table, this.chosen, (one, two) => this.choose(one, two)));
    document.title = `${info.name} – Watch – inarow`;
  }

  drawHead() {
    keepFocus(() => this.fillHead());
  }

  fillHead() {
    const info = this.info;
    const table = this.shown;
    const files = h("select", { id: "file", "aria-label": "File" }, ...this.watched.map((one) => h("option", { value: String(one.id) }, one.name)));
    files.value = String(this.id);
    files.addEventListener("change", () => this.change(Number(files.value), 0));
    const tables = h("select", { id: "table", "aria-label": "Table" }, ...info.tables.map((one, index) => h("option", { value: String(index) }, one.title)));
    tables.value = String(this.table);
    tables.addEventListener("change", () => this.change(this.id, Number(tables.value)));
    fill(
      this.head,
      h("h2", {}, info.name),
      h("p", { class: `badge ${info.running ? "running" : ""}`, id: "state" }, info.running ? "running" : table && table.finished ? "finished" : "not running"),
      table ? h("p", { id: "count" }, `${table.matches.toLocaleString("en")} of ${table.finished ? "" : "at most "}${table.planned.toLocaleString("en")} matches`) : null,
      this.watched.length > 1 ? files : null,
      info.tables.length > 1 ? tables : null,
      info.report ? h("a", { class: "button", href: `api/v1/watch/${this.id}/report`, target: "_blank", rel: "noopener" }, "Report") : null,
      info.running ? h("p", { class: "note wide" }, "Another process is writing this store. It is shown as of its last commit and only read.") : null,
      info.problem ? h("p", { class: "problem wide", role: "alert" }, info.problem) : null,
      !info.problem && !info.tables.length ? h("p", { class: "note wide" }, "There is no tournament in this store yet.") : null,
    );
  }

  async change(id, table) {
    this.table = table;
    this.chosen = null;
    this.replay.clear();
    this.wanted = "";
    if (id !== this.id) await this.select(id);
    else {
      this.draw();
      await (this.listing = this.load());
    }
    if (id === this.id && this.info) await this.showNewest();
  }

  /** List the matches of two agents, or again all. */
  async choose(one, two) {
    const same = this.chosen && this.chosen.one === one && this.chosen.two === two;
    this.chosen = same ? null : { one, two };
    this.draw();
    await (this.listing = this.load());
    const place = this.cross.querySelector(`button[data-pair="${one}-${two}"]`);
    if (place) place.focus();
    announce(same ? "All matches are listed." : `${this.listed.total} matches are listed.`);
  }

  /** Ask for the first matches of the list again, or for more of them. @param {number} [more] */
  async load(more = 0) {
    if (!this.shown) return;
    const turn = ++this.asked;
    const count = Math.min(500, Math.max(PAGE, this.listed.matches.length));
    const query = new URLSearchParams({ table: String(this.table), begin: String(more), count: String(more ? PAGE : count) });
    if (this.chosen) for (const [name, value] of Object.entries(this.chosen)) query.set(name, String(value));
    try {
      const found = await api.get(`watch/${this.id}/matches?${query}`);
      if (turn !== this.asked) return;
      this.listed = { matches: more ? [...this.listed.matches, ...found.matches] : found.matches, total: found.total };
      this.drawList();
    } catch (error) {
      if (turn === this.asked) banner(error.message);
    }
  }

  drawList() {
    const scrolled = this.list.querySelector(".matches");
    const top = scrolled ? scrolled.scrollTop : 0;
    const pair = this.chosen;
    const names = this.shown.agents;
    fill(
      this.list,
      h("h2", {}, "Matches", h("small", {}, ` ${pair ? `${names[pair.one].label} against ${names[pair.two].label}, ` : ""}${this.listed.total.toLocaleString("en")}, the newest first`)),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", id: "following", "aria-pressed": String(this.following), onclick: () => this.follow() }, "Follow the newest", h("kbd", {}, "F")),
        pair ? h("button", { type: "button", id: "all", onclick: () => this.choose(pair.one, pair.two) }, "Show all") : null,
      ),
      matchList(this.shown, this.listed.matches, this.replay.match, (id) => this.show(id)),
      this.listed.matches.length < this.listed.total ? h("button", { type: "button", id: "more", onclick: () => this.load(this.listed.matches.length) }, "More matches") : null,
    );
    const list = this.list.querySelector(".matches");
    if (list) list.scrollTop = top;
  }

  follow() {
    this.following = !this.following;
    remember({ following: this.following });
    this.drawList();
    const place = document.getElementById("following");
    if (place) place.focus();
    if (this.following) this.showNewest();
  }

  async showNewest() {
    const newest = this.shown && this.shown.latest[0];
    if (newest && newest.id !== this.wanted && !(this.following && this.replay.playing)) await this.show(newest.id, this.following);
  }

  /** Show a match. @param {string} id @param {boolean} play from its start, or its end is shown */
  async show(id, play = false) {
    this.wanted = id;
    try {
      if (!(await this.replay.load(`watch/${this.id}/matches/${encodeURIComponent(id)}`, play))) return;
      banner("");
    } catch (error) {
      if (this.wanted === id) this.wanted = this.replay.match;
      banner(error.message);
      return;
    }
    this.address();
    for (const row of this.list.querySelectorAll("[data-match]")) row.setAttribute("aria-current", String(row.dataset.match === id));
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

function nothing() {
  return h(
    "section",
    { class: "panel", "aria-label": "Watch" },
    h("h2", {}, "Nothing is watched"),
    h("p", {}, "Name a tournament's store, or the folder of a study or a league, when the server is started:"),
    h("p", {}, h("code", {}, "inarow serve --watch league.db --watch reports/compare")),
    h("p", { class: "note" }, "A page can't open files by itself. A tournament that is still running can be watched."),
  );
}
