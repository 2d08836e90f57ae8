// A match of a store, shown move by move at any speed. Every position comes from the server.

import { act, announce, button, fill, h, letter } from "./dom.js";
import { engine } from "./engine.js";
import { Latest, Part } from "./reactive.js";
import { Board } from "./board.js";
import { recall, remember } from "./state.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32]; // moves a second

export class Replay {
  /** @param {() => void} onChange @param {(step: number) => void} onNeighbour asks for another match */
  constructor(onChange, onNeighbour) {
    this.onChange = onChange;
    this.onNeighbour = onNeighbour;
    this.board = new Board(() => {}, false);
    this.panel = h("section", { class: "panel", "aria-label": "Match" }, h("p", { class: "note" }, "Choose a match."));
    this.part = new Part(this.panel, () => {
      this.build();
      this.draw();
    });
    this.element = h("div", { class: "replay" }, h("div", { class: "stage" }, this.board.element), this.panel);
    this.element.hidden = true;
    /** @type {string} the id of the match */
    this.match = "";
    this.info = null;
    this.at = 0;
    this.playing = false;
    this.timer = 0;
    this.latest = new Latest();
    this.speed = Math.min(SPEEDS.length - 1, Math.max(0, recall().speed ?? 2));
  }

  close() {
    this.latest.close();
    clearTimeout(this.timer);
    this.playing = false;
  }

  clear() {
    this.close();
    this.match = "";
    this.element.hidden = true;
  }

  /**
   * @param {number} store @param {string} match @param {boolean} play
   * @returns {Promise<boolean>} false if another match was requested meanwhile
   */
  async load(store, match, play) {
    const current = this.latest.ask();
    const found = await engine.storedMatch(store, match);
    const moves = found.moves.map((one) => one.move);
    const first = (/** @type {number} */ count) => engine.positionOf(found.game, moves.slice(0, count));
    const info = { ...found, positions: await Promise.all([...moves.keys(), moves.length].map(first)) };
    if (!current()) return false;
    clearTimeout(this.timer);
    this.info = info;
    this.match = info.id;
    this.playing = play;
    this.at = play ? 0 : info.moves.length;
    this.element.hidden = false;
    this.part.draw();
    this.schedule();
    return true;
  }

  build() {
    const info = this.info;
    this.slider = h("input", {
      type: "range",
      id: "at",
      min: "0",
      max: String(info.moves.length),
      "aria-label": "Move",
      oninput: () => this.go(Number(this.slider.value)),
    });
    const speed = h("input", {
      type: "range",
      id: "pace",
      min: "0",
      max: String(SPEEDS.length - 1),
      value: String(this.speed),
      "aria-label": "Speed",
      oninput: () => this.setSpeed(Number(speed.value)),
    });
    this.speedInput = speed;
    this.status = h("p", { class: "status", id: "move" });
    this.pause = button("playing", "Play", () => this.toggle(), { key: "P", says: "Play or pause" });
    fill(
      this.panel,
      h(
        "ul",
        { class: "players" },
        ...[info.first, info.second].map((name, player) =>
          h(
            "li",
            {},
            h("span", { class: `disc player${player}`, "aria-hidden": "true" }, letter(player)),
            h("span", { class: "who" }, name),
          ),
        ),
      ),
      this.status,
      this.slider,
      h(
        "div",
        { class: "actions" },
        button("first", "«", () => this.go(0), { key: "Home", says: "To the start" }),
        button("back", "‹", () => this.go(this.at - 1), { key: "←", says: "One move back" }),
        this.pause,
        button("forward", "›", () => this.go(this.at + 1), { key: "→", says: "One move forward" }),
        button("last", "»", () => this.go(info.moves.length), { key: "End", says: "To the end" }),
      ),
      h("div", { class: "pace" }, h("label", {}, "Speed", speed)),
      h(
        "div",
        { class: "actions" },
        button("older", "Next match", () => this.onNeighbour(1), { key: "N" }),
        h(
          "a",
          {
            class: "button",
            href: `#/analyse/${info.positions[0].game.name}/${info.positions[info.positions.length - 1].text}`,
          },
          "Analyse",
        ),
      ),
    );
  }

  draw() {
    const info = this.info;
    const position = info.positions[this.at];
    const move = this.at ? info.moves[this.at - 1] : null;
    const last = this.at ? info.positions[this.at - 1].landing[move.move] : null;
    this.board.show(position, { last });
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `move ${this.at} of ${info.moves.length}`);
    this.pause.firstChild.textContent = this.playing ? "Pause" : "Play";
    this.status.textContent = this.words();
  }

  words() {
    const info = this.info;
    if (this.at === info.moves.length) return info.ending;
    if (!this.at) return "The start.";
    const { move, value, nodes, opening } = info.moves[this.at - 1];
    const who = letter((this.at - 1) % 2);
    if (opening) return `Move ${this.at}: ${who} ${move + 1}, of the opening.`;
    const thought = [
      value === null ? "" : `value ${value > 0 ? "+" : ""}${value.toFixed(2)}`,
      nodes ? `${nodes.toLocaleString("en")} nodes` : "",
    ].filter(Boolean);
    return `Move ${this.at}: ${who} ${move + 1}${thought.length ? `, ${thought.join(", ")}` : ""}.`;
  }

  /** @param {number} at */
  go(at) {
    if (!this.info) return;
    this.at = Math.max(0, Math.min(this.info.moves.length, at));
    this.draw();
    this.schedule();
  }

  toggle() {
    if (!this.info) return;
    this.playing = !this.playing;
    if (this.playing && this.at === this.info.moves.length) this.at = 0;
    this.draw();
    this.schedule();
    announce(this.playing ? "Playing." : `Paused. ${this.words()}`);
  }

  schedule() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    if (this.at >= this.info.moves.length) {
      this.playing = false;
      this.draw();
      announce(this.info.ending);
      return;
    }
    this.timer = setTimeout(() => this.go(this.at + 1), 1000 / SPEEDS[this.speed]);
  }

  /** @param {number} speed an index of SPEEDS */
  setSpeed(speed) {
    this.speed = Math.max(0, Math.min(SPEEDS.length - 1, speed));
    this.speedInput.value = String(this.speed);
    this.speedInput.setAttribute("aria-valuetext", `${SPEEDS[this.speed]} moves a second`);
    remember({ speed: this.speed });
    this.schedule();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.info) return false;
    const actions = {
      p: () => this.toggle(),
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.info.moves.length),
      "+": () => this.setSpeed(this.speed + 1),
      "-": () => this.setSpeed(this.speed - 1),
    };
    return act(actions, event);
  }
}
