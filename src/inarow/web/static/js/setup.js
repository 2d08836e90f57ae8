// The form for a new match: the game, who plays, who starts, how many matches; or a saved match.

import { h } from "./dom.js";
import { positionOf } from "./api.js";
import { gamePicker, participantPicker } from "./agents.js";
import { recall, remember } from "./state.js";

const STARTS = [["one", "Player one"], ["two", "Player two"], ["lot", "By lot"], ["turns", "In turns"]];

export class SetupForm {
  /** @param {(position: any) => void} onGame shows a game's empty board @param {(setup: any) => Promise<void>} onStart raises if it can't be started @param {(() => void) | null} onBack goes back to the match that was left */
  constructor(onGame, onStart, onBack) {
    this.onBack = onBack;
    this.onGame = onGame;
    this.onStart = onStart;
    this.last = { game: "connect4", one: "human", two: "rules", starts: "one", matches: 1, delay: 0.4, ...recall().setup };
    this.turn = 0;
    /** @type {{element: HTMLElement, spec: () => string}[]} the pickers of both players */
    this.players = [];
    this.seats = h("div", { class: "seats" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.submit = h("button", { type: "submit", class: "primary", disabled: true }, "Play");
    this.element = this.form();
  }

  form() {
    const last = this.last;
    const games = gamePicker(last.game);
    games.changed((name) => this.build(name));
    const starts = h("select", {}, ...STARTS.map(([value, label]) => h("option", { value }, label)));
    starts.value = last.starts;
    const matches = h("input", { type: "number", min: "1", max: "1000", value: String(last.matches) });
    const file = h("input", { type: "file", accept: ".txt,.jsonl,.json,text/plain" });
    file.addEventListener("change", async () => this.start({ game: "connect4", record: await file.files[0].text() }));
    const begin = (event) => {
      event.preventDefault();
      const [one, two] = this.players.map((player) => player.spec());
      const setup = { game: games.name(), one, two, starts: starts.value, matches: Number(matches.value) || 1, delay: last.delay };
      remember({ setup });
      this.start(setup);
    };
    return h(
      "form",
      { class: "setup", onsubmit: begin },
      h("h2", {}, "New match"),
      games.element,
      this.seats,
      h("div", { class: "row" }, h("label", {}, "First to move", starts), h("label", {}, "Matches", matches)),
      this.problem,
      this.submit,
      this.onBack ? h("button", { type: "button", id: "back", onclick: this.onBack }, "Back to the match", h("kbd", {}, "Esc")) : null,
      h("details", {}, h("summary", {}, "Resume a saved match"), h("label", {}, "A file that was saved here", file)),
    );
  }

  /** Offer the players of a game. @param {string} game */
  async build(game = this.last.game) {
    const turn = ++this.turn; // an answer for a game that was chosen before is dropped
    this.submit.disabled = true;
    for (const field of this.seats.querySelectorAll("select, input")) field.disabled = true; // they are about to be replaced
    const [one, two] = this.players.length ? this.players.map((player) => player.spec()) : [this.last.one, this.last.two];
    try {
      const [position, ...players] = await Promise.all([positionOf(game, []), participantPicker("Player one", game, one), participantPicker("Player two", game, two)]);
      if (turn !== this.turn) return;
      this.players = players;
      this.seats.replaceChildren(...players.map((player) => player.element));
      this.problem.textContent = "";
      this.submit.disabled = false;
      this.onGame(position);
    } catch (error) {
      if (turn === this.turn) this.problem.textContent = error.message;
    }
  }

  /** @param {any} setup */
  async start(setup) {
    this.submit.disabled = true; // a second click
    try {
      await this.onStart(setup);
      this.close();
    } catch (error) {
      this.problem.textContent = error.message;
      this.submit.disabled = false;
    }
  }

  /** Answers that come from now on are dropped. */
  close() {
    this.turn++;
  }
}
