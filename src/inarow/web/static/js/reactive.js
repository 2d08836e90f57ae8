// Parts of pages that are redrawn when something changes.

import { banner } from "./dom.js";

/** A part of the page that is redrawn when something changes. */
export class Part {
  /**
   * @param {Element} place @param {() => void} fill draws the current state
   * @param {() => void} [elsewhere] takes the focus if the focused element is gone
   */
  constructor(place, fill, elsewhere) {
    this.place = place;
    this.fill = fill;
    this.elsewhere = elsewhere;
    this.asked = false;
  }

  /** Draw now, or after the pointer is released: a replaced element gets no click. */
  draw() {
    whenReleased(this.place, () => {
      const before = /** @type {HTMLElement} */ (document.activeElement);
      this.fill();
      if (before === document.body || document.activeElement !== document.body) return;
      const again = before.isConnected ? before : this.find(before);
      if (again && !again.matches(":disabled")) again.focus({ preventScroll: true });
      else if (this.elsewhere) this.elsewhere();
    });
  }

  /** Find the element with the id or key of a replaced one. @param {HTMLElement} before @returns {any} */
  find({ id, dataset }) {
    if (id) return document.getElementById(id);
    return dataset.key ? this.place.querySelector(`[data-key="${dataset.key}"]`) : null;
  }

  /** Draw once, at the next frame. */
  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.place.isConnected) this.draw();
    });
  }
}

/** Tracks whether a request is still the latest when its answer arrives. */
export class Latest {
  constructor() {
    this.count = 0;
  }

  /** Begin a request; answers to earlier ones are ignored. @returns {() => boolean} true while this is the latest */
  ask() {
    const mine = ++this.count;
    return () => mine === this.count;
  }

  /** Invalidate all requests: the page was left. */
  close() {
    this.count++;
  }
}

/** Runs the actions of quick keys and clicks one after the other. */
export class Queue {
  constructor() {
    this.last = Promise.resolve();
    this.closed = false;
  }

  /**
   * Run an action after all earlier ones; an error is shown, and the queue continues.
   * @param {() => any} action @returns {Promise<void>}
   */
  add(action) {
    this.last = this.last
      .then(() => (this.closed ? undefined : action()))
      .catch((error) => this.closed || banner(error.message));
    return this.last;
  }

  /** Drop the remaining actions: the page was left. */
  close() {
    this.closed = true;
  }
}

/** @type {Element | null} the element pressed by the pointer or the space bar */
let pressed = null;
/** @type {Map<Element, () => void>} parts to draw when it is released */
const waiting = new Map();

/**
 * Draw a part of the page; wait while something in it is pressed, because a replaced element gets no click.
 * @param {Element} place @param {() => void} draw draws the current state
 */
function whenReleased(place, draw) {
  if (pressed && place.contains(pressed)) waiting.set(place, draw);
  else draw();
}

function release() {
  if (!pressed) return;
  setTimeout(() => {
    pressed = null; // the click has been dispatched
    const draws = [...waiting.values()];
    waiting.clear();
    for (const draw of draws) draw();
  });
}

document.addEventListener(
  "pointerdown",
  (event) => event.button === 0 && (pressed = /** @type {Element} */ (event.target)),
  true,
);
document.addEventListener(
  "keydown",
  (event) => event.key === " " && event.target instanceof HTMLButtonElement && (pressed = event.target),
  true,
);
document.addEventListener("pointermove", (event) => event.buttons || release(), true); // released where we don't see it
for (const name of ["pointerup", "pointercancel", "dragend", "change", "keyup"])
  document.addEventListener(name, release, true);
window.addEventListener("blur", release);
