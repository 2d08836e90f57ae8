// Game trees for exams: type a tree or draw one, step through minimax, alpha–beta or UCT, save question and solution.

import { announce, banner, button, download, fill, h, setAddress } from "./dom.js";
import { engine } from "./engine.js";
import { Transport } from "./transport.js";

const ALGORITHMS = { minimax: "Minimax", alphabeta: "Alpha–beta", uct: "UCT" };
const DIFFICULTIES = ["easy", "medium", "hard"];
const MIN_SCALE = 0.6; // minimum scale; smaller pictures scroll
const TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))";

/** @param {HTMLElement} view @param {string[]} path */
export function examPage(view, path) {
  const known = !path.length || Object.hasOwn(ALGORITHMS, path[0]);
  const page = new Exam(view, known ? path : []);
  const opened = page.ask(path.length < 4 || !DIFFICULTIES.includes(path[3]) ? "given" : "drawn");
  return { page, opened: opened.then(() => known || banner("This link can't be opened; here is an example.")) };
}

class Exam {
  /**
   * @param {HTMLElement} view
   * @param {string[]} path algorithm, player at the root, simulations, then a tree, or difficulty and seed
   */
  constructor(view, path) {
    const [algorithm, root = "max", simulations = "8", tree = TEXTBOOK, seed = "0"] = path;
    const drawn = DIFFICULTIES.includes(tree);
    this.info = null;
    this.step = 0; // number of steps shown
    this.view = "steps";
    this.abort = new AbortController();
    const select = (id, options, value, action = () => {}) => {
      const choices = Object.entries(options).map(([one, text]) => h("option", { value: one }, text));
      const made = h("select", { id, onchange: action }, ...choices);
      made.value = value in options ? value : Object.keys(options)[0];
      return made;
    };
    const number = (id, value, min, max) => h("input", { type: "number", id, value, min, max, required: true });
    this.tree = h("textarea", { id: "tree", rows: "4", spellcheck: "false", autocomplete: "off" });
    this.tree.value = drawn ? "" : tree;
    this.algorithm = select("algorithm", ALGORITHMS, algorithm || "alphabeta", () => {
      this.limits();
      this.ask("given");
    });
    this.root = select("root", { max: "MAX", min: "MIN" }, root);
    const levels = Object.fromEntries(DIFFICULTIES.map((one) => [one, one]));
    this.difficulty = select("difficulty", levels, drawn ? tree : "medium");
    this.seed = number("seed", drawn ? seed : "0", "0", String(2 ** 53));
    this.simulations = number("simulations", simulations, "1", "200");
    this.build(view);
    this.limits();
  }

  build(view) {
    this.said = h("p", { class: "said", id: "said" });
    this.picture = h("div", { class: "picture-frame", tabIndex: 0, role: "group", "aria-label": "The tree" });
    this.transport = new Transport({
      step: () => this.step,
      last: () => this.last,
      go: (step) => this.go(step),
      forward: () => this.go(this.step + 1),
      paused: () => this.info && announce(this.said.textContent),
    });
    this.views = Object.fromEntries(
      ["question", "steps", "solution"].map((name) => [
        name,
        button(`show-${name}`, name[0].toUpperCase() + name.slice(1), () => this.show(name)),
      ]),
    );
    const save = (what) => button(`save-${what}`, `Save the ${what}`, () => this.save(what));
    this.tasks = h("div", { class: "exam-tasks", id: "tasks" });
    const field = (text, element) => h("label", {}, h("span", {}, text), element);
    this.runs = field("Simulations", this.simulations);
    const form = h(
      "form",
      { onsubmit: (event) => this.submit(event) },
      field("Tree", this.tree),
      h("div", { class: "row" }, field("Algorithm", this.algorithm), field("At the root", this.root), this.runs),
      h("button", { class: "primary", id: "solve", value: "given" }, "Show this tree"),
      h("div", { class: "row" }, field("Difficulty", this.difficulty), field("Seed", this.seed)),
      h("button", { id: "draw", value: "drawn" }, "Draw a random tree"),
    );
    const notation =
      `Brackets are nodes, numbers are leaves with MAX's values: ${TEXTBOOK}. ` +
      "Names are allowed: A(B(3 12) C(2 4)).";
    const side = h(
      "section",
      { class: "panel", "aria-label": "Tree and algorithm" },
      form,
      h("p", { class: "note" }, notation),
      h("p", { class: "note" }, h("a", { href: "#/trees" }, "Trees of positions")),
    );
    const actions = h("div", { class: "actions" }, ...Object.values(this.views), save("question"), save("solution"));
    const parts = [actions, this.transport.element, this.said, this.picture, this.tasks];
    view.replaceChildren(h("div", { class: "desk trees" }, h("div", { class: "stage" }, ...parts), side));
  }

  get last() {
    return this.info ? this.info.steps.length : 0;
  }

  /** Show the number of simulations for UCT only. */
  limits() {
    this.runs.hidden = this.algorithm.value !== "uct";
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const how = /** @type {HTMLButtonElement} */ (event.submitter).value;
    if (how === "drawn" && this.drawn === this.drawing) this.seed.value = String(Number(this.seed.value) + 1);
    this.ask(how);
  }

  /** The choices that determine a random tree. */
  get drawing() {
    return [this.algorithm, this.root, this.difficulty, this.seed].map((one) => one.value).join(" ");
  }

  /** Ask the server for a tree and its solution. @param {string} how given, or drawn at random */
  async ask(how) {
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    const drawn = how === "drawn" || !this.tree.value.trim();
    const request = {
      tree: drawn ? "" : this.tree.value,
      algorithm: this.algorithm.value,
      root: this.root.value,
      difficulty: this.difficulty.value,
      seed: Number(this.seed.value),
      simulations: Number(this.simulations.value),
    };
    try {
      this.info = await engine.examTree(request, signal);
    } catch (error) {
      if (error.name !== "AbortError") banner(error.message);
      return;
    }
    banner("");
    this.drawn = drawn ? this.drawing : "";
    if (drawn) this.tree.value = this.info.tree;
    const end = drawn ? `${request.difficulty}/${request.seed}` : encodeURIComponent(this.info.tree);
    const address = `#/exam/${request.algorithm}/${request.root}/${request.simulations}/${end}`;
    setAddress(this.picture, address);
    this.picture.innerHTML = this.info.picture; // safe: made by the engine, with names of letters and digits
    const drawing = this.picture.querySelector("svg");
    drawing.style.minWidth = `${Math.round(MIN_SCALE * drawing.viewBox.baseVal.width)}px`;
    this.step = 0;
    this.show(this.view);
    announce(`${this.info.title}: ${this.info.tree}`);
  }

  /** Show the question, the steps, or the solution. @param {string} name */
  show(name) {
    this.view = name;
    this.transport.pause();
    for (const [one, button] of Object.entries(this.views)) button.setAttribute("aria-pressed", String(one === name));
    this.transport.element.hidden = this.said.hidden = name !== "steps";
    const { given, playouts, tasks } = this.info;
    const results = Object.entries(playouts).map(([node, value]) => `${node}: ${value}`);
    const answer = (task) => name === "solution" && h("b", { class: "answer" }, task.answer);
    fill(
      this.tasks,
      ...given.map((text) => h("p", {}, text)),
      results.length > 0 && h("p", {}, `Results of playouts: ${results.join(", ")}.`),
      name !== "steps" && h("ol", {}, ...tasks.map((task) => h("li", {}, task.question, " ", answer(task)))),
    );
    this.draw();
  }

  /** Go to a step. @param {number} step */
  go(step) {
    if (!this.info || this.view !== "steps") return;
    this.step = Math.max(0, Math.min(this.last, step));
    this.draw();
    if (!this.transport.running) announce(this.said.textContent);
  }

  /** Fill in the known values after the step. */
  draw() {
    const { steps } = this.info;
    const count = { question: 0, steps: this.step, solution: steps.length }[this.view];
    const done = steps.slice(0, count);
    const marks = Object.assign({}, ...done.map((step) => step.marks));
    const pruned = new Set(done.flatMap((step) => step.pruned));
    const here = this.view === "steps" && count ? steps[count - 1].node : "";
    const places = new Map();
    for (const element of this.picture.querySelectorAll("[data-mark]")) {
      const name = element.getAttribute("data-mark");
      const at = places.get(name) || 0;
      element.textContent = (marks[name] || "").split(" · ")[at] || "";
      places.set(name, at + 1);
    }
    for (const element of this.picture.querySelectorAll("[data-cut]"))
      element.classList.toggle("hidden-mark", !pruned.has(element.getAttribute("data-cut")));
    for (const element of this.picture.querySelectorAll("[data-node]")) {
      const name = element.getAttribute("data-node");
      element.classList.toggle("d", pruned.has(name));
      element.classList.toggle("current", name === here);
    }
    this.said.textContent = count ? steps[count - 1].text : `${this.info.title}. No step has been done yet.`;
    this.transport.show(this.step, steps.length + 1);
    this.transport.where.textContent = `step ${this.step} of ${steps.length}`;
  }

  /** @param {"question" | "solution"} what */
  save(what) {
    if (this.info) download(`exam-${what}.html`, this.info[what], "text/html");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === " " && event.target instanceof HTMLButtonElement) return false;
    const actions = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.go(this.step + 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      " ": () => this.info && this.transport.toggle(),
      q: () => this.info && this.show("question"),
      t: () => this.info && this.show("steps"),
      a: () => this.info && this.show("solution"),
    };
    const action = actions[event.key];
    if (!action) return false;
    action();
    return true;
  }

  keys = [
    ["← →", "one step back, one forward"],
    ["Home, End", "to the start, to the end"],
    ["Space", "play or pause"],
    ["Q, T, A", "the question, the steps, the answers"],
  ];

  close() {
    this.transport.pause();
    this.abort.abort();
  }
}
