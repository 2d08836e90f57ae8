// Small helpers for making and changing elements.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element with properties, event listeners (onclick: …) and children.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  apply(element, properties);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode));
  return element;
}

/**
 * An SVG element with attributes and children.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Node} children
 * @returns {any}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

function apply(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** Replace an element's children; skip empty ones. @param {Element} element @param {...any} children */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode),
  );
}

const KEPT = 5; // announcements that stay, so that none is lost when two arrive together

/** Announce a message to screen readers. @param {string} text */
export function announce(text) {
  const live = document.getElementById("live");
  if (!live || !text) return;
  live.append(h("p", {}, text));
  while (live.childElementCount > KEPT) live.firstElementChild.remove();
}

/** Pages that open on a position. */
const ON_POSITIONS = ["analyse", "minds", "trees"];
let carried = "";

/** Make the links to other pages open this position. @param {string} game @param {string} text its moves */
export function carry(game, text) {
  carried = `/${game}/${text}`;
  linkPages();
}

/** Update the links to the pages: all but the open page get the carried position. */
export function linkPages() {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("nav a"))) {
    const page = link.dataset.page;
    link.href = `#/${page}${ON_POSITIONS.includes(page) && !link.hasAttribute("aria-current") ? carried : ""}`;
  }
}

/**
 * Set the address to what a page shows, unless the page was left meanwhile.
 * @param {Element} element a part of the page @param {string} hash
 * @param {any} [state] what a reload or "back" restores
 */
export function setAddress(element, hash, state = null) {
  if (element.isConnected && (state || location.hash !== new URL(hash, location.href).hash))
    history.replaceState(state, "", hash);
}

/** Show one sentence at the top of the page; an empty string hides it. @param {string} text */
export function banner(text) {
  const place = /** @type {HTMLElement} */ (document.getElementById("banner"));
  place.textContent = text;
  place.hidden = !text;
}

/** Hide a sentence at the top of the page, unless another one has replaced it. @param {string} text */
export function hideBanner(text) {
  if (document.getElementById("banner").textContent === text) banner("");
}

/**
 * Ask for confirmation. @param {Element} place the part of the page that the question belongs to
 * @param {string} question @param {string} no @param {string} yes @param {() => void} action what happens after yes
 */
export function confirmed(place, question, no, yes, action) {
  const answered = () => {
    dialog.remove();
    if (dialog.returnValue === "yes") action();
  };
  const dialog = h(
    "dialog",
    { "aria-labelledby": "question", onclose: answered },
    h("p", { id: "question" }, question),
    h(
      "form",
      { method: "dialog", class: "actions" },
      h("button", { class: "primary", value: "no", autofocus: true }, no),
      h("button", { value: "yes" }, yes),
    ),
  );
  place.append(dialog);
  dialog.showModal();
}

/** Download a string as a file. @param {string} name @param {string} text @param {string} type */
export function download(name, text, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** @param {number} player */
export const letter = (player) => "XO"[player];

/**
 * A button; its key is shown in its title. @param {string} id @param {string | Node} label
 * @param {() => void} onclick
 * @param {{key?: string, says?: string, enabled?: boolean, pressed?: boolean, kind?: string}} [more]
 * `says` replaces the label for screen readers
 */
export function button(id, label, onclick, { key = "", says = "", enabled = true, pressed, kind = "" } = {}) {
  const name = says || (typeof label === "string" ? label : "");
  return h(
    "button",
    {
      type: "button",
      id,
      class: kind || null,
      disabled: !enabled,
      title: key ? `${name} (${key})` : says || null,
      "aria-label": says || null,
      "aria-pressed": pressed === undefined ? null : String(pressed),
      "aria-keyshortcuts": /^[A-Z]$/.test(key) ? key : null,
      onclick: () => onclick(),
    },
    label,
  );
}

/**
 * Run the action of a key; case is ignored.
 * @param {Record<string, () => any>} actions @param {KeyboardEvent} event @returns {boolean} whether it has one
 */
export function act(actions, event) {
  const action = actions[event.key] || actions[event.key.toLowerCase()];
  if (action) action();
  return Boolean(action);
}

/** The move that a digit stands for, or null. @param {KeyboardEvent} event @param {number} moves of the game */
export function moveOfKey(event, moves = 9) {
  const number = Number(event.key);
  return number >= 1 && number <= Math.min(9, moves) ? number - 1 : null;
}

/**
 * Make the buttons of a list one tab stop; arrow keys go from one to the next.
 * @template {Element} T @param {T} list @param {Record<string, number>} steps how far each key goes @returns {T}
 */
export function roving(list, steps = { ArrowUp: -1, ArrowDown: 1 }) {
  const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button")]);
  const first = all.find((one) => one.getAttribute("aria-current") === "true") || all[0];
  for (const one of all) one.tabIndex = one === first ? 0 : -1;
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const next = steps[event.key] && all[all.indexOf(/** @type {any} */ (document.activeElement)) + steps[event.key]];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  });
  return list;
}
