// The form for a new match: the game, the opponent, who starts; behind "More" modes, any players, a series, a file.

import { h } from "./dom.js";
import { engine } from "./engine.js";
import { Latest } from "./reactive.js";
import { gamePicker, participantPicker } from "./agents.js";
import { recall, remember } from "./state.js";

const SEATS = [
  ["one", "First"],
  ["two", "Second"],
  ["random", "Random"],
  ["alternate", "Alternate"],
];
const FIRST_VISIT = {
  game: "connect4",
  one: "human",
  two: "rules",
  starts: "one",
  matches: 1,
  delay: 0.4,
  names: ["", ""],
  lineup: "",
};
const RATINGS = "Elo on the ladder of this game, where random moves have 0.";
const OWN = ""; // players that are not a mode

export class SetupForm {
  /**
   * @param {(position: any) => void} onGame shows the board on which a match begins
   * @param {(setup: any) => Promise<void>} onStart raises if the match can't be started
   * @param {(() => void) | null} onBack goes back to the match that was left
   * @param {{game: string, moves: number[]} | null} from a position to play from
   */
  constructor(onGame, onStart, onBack, from = null) {
    this.onBack = onBack;
    this.onGame = onGame;
    this.onStart = onStart;
    this.from = from;
    this.last = { ...FIRST_VISIT, ...recall().setup };
    if (from) this.last = { ...this.last, game: from.game, matches: 1 };
    this.latest = new Latest(); // drops answers for a game chosen before
    /**
     * @type {{element: HTMLElement, spec: () => string, choose: (spec: string) => void}[]} the pickers of both
     * players
     */
    this.players = [];
    /** @type {any} the lineup that is offered */
    this.lineup = null;
    this.game = this.last.game;
    this.byMode = false; // whether the players were chosen by a mode, whose name is then shown
    this.lineups = h("select", { "aria-label": "Players", onchange: () => this.setLineup() });
    this.modes = h("select", { "aria-label": "Mode", onchange: () => this.setMode() });
    this.about = h("p", { class: "note" });
    this.offered = h(
      "div",
      { class: "row" },
      h("label", { id: "lineup" }, "Players", this.lineups),
      h("label", { id: "modes" }, "Mode", this.modes),
    );
    this.opponents = h("div", { class: "opponents", role: "radiogroup", "aria-label": "Opponent" });
    this.ratings = h("p", { class: "note" }, RATINGS);
    this.seats = h("div", { class: "seats", onchange: () => this.showOpponent() });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.submit = h("button", { type: "submit", class: "primary", disabled: true }, "Play");
    this.element = this.form();
  }

  form() {
    const last = this.last;
    this.games = gamePicker(last.game);
    this.games.changed((name) => this.build(name));
    this.starts = segments("starts", "You play", SEATS, last.starts);
    this.matches = h("input", { type: "number", min: "1", max: "1000", value: String(last.matches) });
    const name = (index) =>
      h("input", { type: "text", maxlength: "30", value: last.names[index], autocomplete: "off" });
    this.names = [name(0), name(1)];
    const file = h("input", { type: "file", accept: ".txt,.jsonl,.json,text/plain" });
    file.addEventListener("change", async () => this.start({ game: "connect4", record: await file.files[0].text() }));
    return h(
      "form",
      { class: "setup", onsubmit: (event) => this.begin(event) },
      h("h2", {}, this.from ? "Play from here" : "New match"),
      this.from ? null : this.games.element,
      h("fieldset", {}, h("legend", {}, "Opponent"), this.opponents, this.ratings),
      this.starts.element,
      this.problem,
      this.submit,
      this.onBack ? h("button", { type: "button", id: "back", onclick: this.onBack }, "Back to the match") : null,
      h(
        "details",
        { id: "more" },
        h("summary", {}, "Names, modes, other players, series, saved match"),
        h(
          "div",
          { class: "row" },
          h("label", {}, "Your name", this.names[0]),
          h("label", {}, "Friend's name", this.names[1]),
        ),
        this.offered,
        this.about,
        this.seats,
        h("label", {}, "Number of matches", this.matches),
        h("label", {}, "Resume a match that was saved here", file),
      ),
    );
  }

  /** @param {Event} event */
  begin(event) {
    event.preventDefault();
    const [one, two] = this.players.map((player) => player.spec());
    const names = this.names.map((field) => field.value.trim());
    const matches = Number(this.matches.value) || 1;
    const setup = {
      game: this.games.name(),
      one,
      two,
      starts: this.starts.value(),
      matches,
      delay: this.last.delay,
      names,
    };
    if (!this.from) remember({ setup: { ...setup, lineup: this.lineup.name } });
    const mode = this.mode();
    const usual = this.lineups.selectedIndex <= 0;
    const title = mode && (this.byMode || !usual) ? mode.title : usual ? "" : this.lineup.title;
    const chosen = { ...setup, mode: title };
    this.start(this.from ? { ...chosen, game: this.from.game, opening: this.from.moves } : chosen);
  }

  /** The mode with the chosen players, if there is one. */
  mode() {
    const [one, two] = this.players.map((player) => player.spec());
    return this.lineup.modes.find((mode) => mode.one === one && mode.two === two);
  }

  /** Choose both players of a mode. */
  setMode() {
    const mode = this.lineup.modes.find((one) => one.label === this.modes.value);
    this.byMode = Boolean(mode);
    if (mode) this.build(this.game, [mode.one, mode.two]);
    else this.showOpponent();
  }

  /** Offer another lineup: a person against one of its opponents. */
  async setLineup() {
    const lineup = (await engine.lineups(this.game)).find((one) => one.name === this.lineups.value);
    const mode = lineup.modes.find((one) => one.one === "human" && one.two !== "human");
    this.last.lineup = lineup.name;
    await this.build(this.game, mode ? [mode.one, mode.two] : ["human", lineup.levels[lineup.levels.length - 1].spec]);
  }

  /** Offer the players of a game. @param {string} game @param {string[] | null} chosen both players, if they change */
  async build(game = this.last.game, chosen = null) {
    const current = this.latest.ask();
    this.submit.disabled = true;
    for (const field of this.seats.querySelectorAll("select, input")) field.disabled = true; // they will be replaced
    let [one, two] =
      chosen || (this.players.length ? this.players.map((player) => player.spec()) : [this.last.one, this.last.two]);
    const label = this.lineup && !chosen && game !== this.game ? this.modes.value : OWN;
    try {
      const [position, lineups] = await Promise.all([
        engine.positionOf(game, this.from ? this.from.moves : []),
        engine.lineups(game),
      ]);
      const lineup = lineups.find((each) => each.name === this.last.lineup) || lineups[0];
      const mode = lineup.modes.find((each) => each.label === label);
      if (mode) [one, two] = [mode.one, mode.two]; // the same mode, with the players of this game
      const players = await Promise.all([
        participantPicker("Player one", lineup, one),
        participantPicker("Player two", lineup, two),
      ]);
      if (!current()) return;
      this.players = players;
      this.seats.replaceChildren(...players.map((player) => player.element));
      this.game = game;
      this.lineup = lineup;
      this.lineups.replaceChildren(...lineups.map((each) => h("option", { value: each.name }, each.title)));
      this.lineups.value = lineup.name;
      this.modes.replaceChildren(
        h("option", { value: OWN }, "Own pairing"),
        ...lineup.modes.map((each) => h("option", { value: each.label }, each.label)),
      );
      this.lineups.parentElement.hidden = lineups.length < 2;
      this.modes.parentElement.hidden = !lineup.modes.length;
      this.offer(lineup.levels);
      this.problem.textContent = "";
      this.submit.disabled = false;
      this.onGame(position);
    } catch (error) {
      if (!current()) return;
      this.problem.textContent = error.message;
    }
  }

  /** The opponents by name. @param {any[]} levels */
  offer(levels) {
    const friend = { label: "A friend", spec: "human", about: "at this screen, or elsewhere by a link", strength: "" };
    const choice = (one) => {
      const input = h("input", { type: "radio", name: "opponent", value: one.spec, title: one.spec });
      input.addEventListener("change", () => {
        this.byMode = false;
        this.players[1].choose(one.spec);
        this.showOpponent();
      });
      const rating = typeof one.elo === "number" ? `${one.elo} Elo` : one.strength;
      return h(
        "label",
        {},
        input,
        h("b", {}, one.label),
        h("span", { class: "rating" }, rating),
        h("small", {}, one.about),
      );
    };
    this.opponents.replaceChildren(...[...levels, friend].map(choice));
    this.ratings.hidden = !levels.some((one) => typeof one.elo === "number");
    this.showOpponent();
  }

  /** Mark the opponent that the picker of player two holds, if it has a name, and the mode. */
  showOpponent() {
    const mode = this.mode();
    this.modes.value = mode ? mode.label : OWN;
    this.about.textContent = mode ? `${mode.label}: ${mode.about}.` : `Players: ${this.lineup.about}.`;
    const chosen = this.players[1].spec();
    for (const input of this.opponents.querySelectorAll("input")) input.checked = input.value === chosen;
  }

  /** @param {any} setup */
  async start(setup) {
    this.submit.disabled = true; // prevents a second click
    try {
      await this.onStart(setup);
      this.close();
    } catch (error) {
      this.problem.textContent = error.message;
      this.submit.disabled = false;
    }
  }

  /** Drops late answers. */
  close() {
    this.latest.close();
  }
}

/**
 * A choice with all options visible. @param {string} name @param {string} title @param {string[][]} options
 * @param {string} chosen
 */
function segments(name, title, options, chosen) {
  const inputs = options.map(([value]) => h("input", { type: "radio", name, value, checked: value === chosen }));
  const labels = options.map(([, text], index) => h("label", {}, inputs[index], text));
  return {
    element: h("fieldset", {}, h("legend", {}, title), h("div", { class: "segments" }, ...labels)),
    value: () => inputs.find((input) => input.checked).value,
  };
}
