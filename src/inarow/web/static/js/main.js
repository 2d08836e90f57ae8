// The shell of the page: navigation, keys, light and dark.

import { keepOffline } from "./assets.js";
import { banner, button, h, linkPages } from "./dom.js";
import { engine } from "./engine.js";
import { EngineError, PATIENCE, UNREACHABLE } from "./errors.js";
import { homePage } from "./home.js";
import { icon } from "./icons.js";
import { recall, remember } from "./state.js";

/**
 * Pages; the module of a page is loaded when it is first opened.
 * @type {Record<string, () => Promise<(view: HTMLElement, path: string[]) => {page: Page, opened: Promise<any>}>>}
 */
const PAGES = {
  home: async () => homePage,
  play: async () => (await import("./play.js")).playPage,
  puzzles: async () => (await import("./puzzles.js")).puzzlesPage,
  strategy: async () => (await import("./strategy.js")).strategyPage,
  analyse: async () => (await import("./analyse.js")).analysePage,
  trees: async () => (await import("./trees.js")).treesPage,
  exam: async () => (await import("./exam.js")).examPage,
  minds: async () => (await import("./minds.js")).mindsPage,
  learn: async () => (await import("./learn.js")).learnPage,
  watch: async () => (await import("./watch.js")).watchPage,
};

/**
 * An open page: a function to leave it, its key handler, and the descriptions of its keys.
 * @typedef {{close: () => void, key: (event: KeyboardEvent) => boolean, keys: string[][]}} Page
 */

/** @type {Page | null} */
let current = null;
let turn = 0; // number of the latest request for a page

/** Decode a part of the address; unchanged if its encoding is invalid. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Return the title of a page. @param {string} page */
const titled = (page) => (page === "exam" ? "Exam tree" : `${page[0].toUpperCase()}${page.slice(1)}`);

async function route() {
  const mine = ++turn;
  const [name, ...path] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const page = Object.hasOwn(PAGES, name) ? name : "home";
  if (current) current.close();
  current = null;
  banner("");
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("nav a"))) {
    if (link.dataset.page === (page === "exam" ? "trees" : page)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  linkPages();
  const view = /** @type {HTMLElement} */ (document.getElementById("view"));
  document.title = page === "home" ? "inarow" : `${titled(page)} – inarow`;
  try {
    const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
    const make = await Promise.race([PAGES[page](), late]).catch(() => {
      throw new EngineError(UNREACHABLE, 0);
    });
    if (mine !== turn) return;
    const place = h("div"); // each page has its own element, so late answers of a page that was left are not seen
    const heading = page === "home" ? [] : [h("h1", { class: "hidden" }, titled(page))]; // the first page shows its own
    view.replaceChildren(...heading, place);
    const { page: made, opened } = make(place, path);
    current = made;
    await opened;
  } catch (error) {
    if (mine !== turn) return;
    banner(error.message);
    if (error.status === 0) offerAgain(view);
  }
}

/** Report that the engine does not answer, and offer to reload the page. @param {HTMLElement} view */
function offerAgain(view) {
  if (current) current.close();
  current = null;
  const again = async () => {
    try {
      await engine.check();
      location.reload(); // the server may have a new version of the page
    } catch (error) {
      banner(error.message);
    }
  };
  view.replaceChildren(
    h("p", { class: "status" }, "This page could not be loaded."),
    button("reopen", "Try again", again, { kind: "primary" }),
  );
}

/** Return true if a key is typed into a field. @param {KeyboardEvent} event */
function typing(event) {
  const place = event.target;
  if (place instanceof HTMLInputElement) return place.type !== "range";
  return place instanceof HTMLElement && /^(SELECT|TEXTAREA)$/.test(place.tagName);
}

function showKeys() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("keys"));
  const rows = [...((current && current.keys) || []), ["?", "this help"]];
  const marks = h("input", { type: "checkbox", checked: recall().marks !== false });
  marks.addEventListener("change", () => setMarks(marks.checked));
  dialog.replaceChildren(
    h("h2", { id: "keys-title" }, "Keys and settings"),
    h("dl", {}, ...rows.flatMap(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])),
    h(
      "p",
      {},
      "The label of a move: ",
      h("b", {}, "+4"),
      " wins in 4 moves of the winner, ",
      h("b", {}, "="),
      " draws, ",
      h("b", {}, "−12"),
      " loses in 12, if both play perfectly from then on.",
    ),
    h("label", { class: "inline" }, marks, "Mark the stones X and O"),
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")),
  );
  dialog.showModal();
}

/** @param {string} [theme] light or dark; by default the system's choice */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

async function showVersion() {
  try {
    document.getElementById("version").textContent = await engine.version();
  } catch (error) {
    banner(error.message);
  }
}

document.addEventListener("keydown", (event) => {
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") showKeys();
  else if (!(current && current.key(event))) return;
  event.preventDefault();
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the hash of the address selects the page
  document.getElementById("view").focus();
});

/** @param {string} id @param {string} name @param {Parameters<typeof icon>[0]} picture @param {() => void} action */
function tool(id, name, picture, action) {
  const button = h("button", { type: "button", id, title: name, "aria-label": name, onclick: action }, icon(picture));
  document.getElementById("tools").append(button);
  return button;
}

const sound = tool("sound", "Sound", "silent", () => setSound(!recall().sound));
tool("theme", "Switch between light and dark", "theme", () => {
  const { theme } = document.documentElement.dataset;
  const dark = theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
  remember({ theme: dark ? "light" : "dark" });
});
tool("help", "Keys and settings (?)", "help", showKeys);

/** @param {boolean} on */
function setSound(on) {
  remember({ sound: on });
  sound.setAttribute("aria-pressed", String(on));
  sound.title = on ? "Sound is on" : "Sound is off";
  sound.replaceChildren(icon(on ? "sound" : "silent"));
}

/** @param {boolean} on */
function setMarks(on) {
  remember({ marks: on });
  document.documentElement.classList.toggle("no-marks", !on);
}

// The focus ring is for keyboard users: not after a click, nor when a page takes the focus.
const byKeys = (on) => document.documentElement.classList.toggle("by-keys", on);
document.addEventListener("keydown", () => byKeys(true), true);
document.addEventListener("pointerdown", () => byKeys(false), true);
window.addEventListener("hashchange", route);
const address = new URL(location.href);
if (address.searchParams.has("token")) {
  address.searchParams.delete("token"); // it is in a cookie now, and must not be part of shared links
  history.replaceState(null, "", address);
}
setTheme(recall().theme);
setSound(Boolean(recall().sound));
setMarks(recall().marks !== false);
route();
showVersion();
keepOffline();
