// Buttons and a slider to step through a search, or play it at a chosen speed.

import { button, h } from "./dom.js";
import { recall, remember } from "./state.js";

const SPEEDS = [1, 3, 10, 30, 100, 300]; // steps a second

export class Transport {
  /**
   * @param {{step: () => number, last: () => number, go: (step: number) => void, forward: () => void, paused: () =>
   * void}} page
   * the current and the last step, functions to go to a step and forward, and a callback when playing ends
   */
  constructor(page) {
    this.page = page;
    this.running = false;
    this.begun = 0; // when playing began, and from which step
    this.from = 0;
    this.speed = recall().treeSpeed || 3;
    this.slider = h("input", { type: "range", id: "step", min: "0", max: "0", value: "0", "aria-label": "Step" });
    this.slider.addEventListener("input", () => page.go(Number(this.slider.value)));
    this.where = h("span", { class: "where", id: "where" });
    this.pace = h(
      "select",
      { id: "pace", "aria-label": "Steps a second", onchange: () => this.setSpeed(Number(this.pace.value)) },
      ...SPEEDS.map((speed) => h("option", { value: String(speed) }, `${speed} a second`)),
    );
    this.pace.value = String(this.speed);
    this.playing = button("play", "▶", () => this.toggle(), { key: "space", says: "Play or pause" });
    this.element = h(
      "div",
      { class: "transport" },
      button("first", "«", () => page.go(0), { key: "Home", says: "To the start" }),
      button("back", "‹", () => page.go(page.step() - 1), { key: "←", says: "One step back" }),
      this.playing,
      button("forward", "›", () => page.forward(), { key: "→", says: "One step forward" }),
      button("last", "»", () => page.go(page.last()), { key: "End", says: "To the end" }),
      this.slider,
      this.where,
      this.pace,
    );
  }

  /** @param {number} step @param {number} length */
  show(step, length) {
    this.slider.max = String(length - 1);
    this.slider.value = String(step);
    this.where.textContent = `step ${(step + 1).toLocaleString("en")} of ${length.toLocaleString("en")}`;
    this.slider.setAttribute("aria-valuetext", this.where.textContent);
  }

  toggle() {
    if (this.running) {
      this.pause();
      return;
    }
    if (this.page.step() >= this.page.last()) this.page.go(0);
    [this.begun, this.from] = [performance.now(), this.page.step()];
    this.running = true;
    this.playing.textContent = "❚❚";
    this.tick();
  }

  tick() {
    if (!this.running) return;
    const wanted = this.from + Math.floor(((performance.now() - this.begun) / 1000) * this.speed);
    if (wanted > this.page.step()) this.page.go(wanted);
    if (this.page.step() >= this.page.last()) this.pause();
    else requestAnimationFrame(() => this.tick());
  }

  pause() {
    this.running = false;
    this.begun = 0; // when playing began, and from which step
    this.from = 0;
    this.playing.textContent = "▶";
    this.page.paused();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    [this.begun, this.from] = [performance.now(), this.page.step()];
    remember({ treeSpeed: speed });
  }
}
