// Tools below the analysis: another game or position, the editor, links, files.

import { banner, button, download, fill, h } from "./dom.js";
import { engine } from "./engine.js";
import { gamePicker, positionField } from "./agents.js";
import { stoneEditor } from "./editor.js";

/** The tools of a page; made once, so that redrawing the page keeps typed text. */
export class AnalyseTools {
  /** @param {any} page the analysis that they belong to */
  constructor(page) {
    this.page = page;
    this.game = "";
    const begin = (moves) => page.begin(this.game, moves);
    const file = h("input", {
      type: "file",
      id: "load",
      accept: ".txt,.jsonl,.json,text/plain",
      "aria-label": "Open a saved match",
    });
    file.addEventListener("change", async () => {
      await this.load(file.files[0]);
      file.value = ""; // the same file can be opened again
    });
    this.edit = button("edit", "Set up stones", () => this.toggleEditor());
    this.save = button("save", "Save the match", () => this.saveRecord(), { key: "S" });
    this.saved = button("page", "Save as a page", () => this.savePage());
    this.games = h("div", {});
    this.editor = h("div", {});
    this.element = h(
      "details",
      { class: "tools" },
      h("summary", {}, "Position, link, files"),
      this.games,
      positionField(() => this.game, page.queue, begin),
      h(
        "div",
        { class: "actions" },
        button("copy", "Copy link", () => this.copy(), { key: "L" }),
        this.edit,
        h("label", { class: "button" }, "Open a file", file),
        this.save,
        this.saved,
      ),
      this.editor,
    );
  }

  /** Update the tools for the current position. */
  show() {
    const { tree } = this.page;
    this.save.disabled = this.saved.disabled = !tree.mainline().length;
    this.edit.setAttribute("aria-pressed", String(this.editing));
    if (this.game === tree.game) return;
    this.game = tree.game;
    const games = gamePicker(tree.game);
    games.changed((name) => this.attempt(async () => this.page.begin((await engine.game(name)).name, [])));
    fill(this.games, games.element);
    fill(this.editor);
  }

  get editing() {
    return this.editor.childElementCount > 0;
  }

  /** Run an action, and show its message or its error. @param {() => Promise<any>} action */
  attempt(action) {
    return this.page.queue.add(async () => {
      const message = await action();
      if (!this.page.closed) banner(message || "");
    });
  }

  /** @param {File} file */
  load(file) {
    return this.attempt(async () => {
      const found = await engine.records(await file.text());
      const one = found[found.length - 1];
      await this.page.begin(one.game, one.moves, [one.first, one.second]);
      return found.length > 1 ? `The last of ${found.length} matches was opened.` : "";
    });
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      banner("The link was copied.");
    } catch {
      banner(`Copy this address: ${location.href}`);
    }
  }

  match() {
    const { tree, names } = this.page;
    return { game: tree.game, moves: tree.mainline(), first: names[0] || "human", second: names[1] || "human" };
  }

  saveRecord() {
    this.attempt(
      async () => this.page.tree.mainline().length && download("inarow-match.txt", await engine.record(this.match())),
    );
  }

  savePage() {
    this.attempt(async () => {
      const { tree, names, review } = this.page;
      const [first, second] = names.length ? names : ["", ""];
      const title = names.length ? `${first} against ${second}` : "";
      const found = review && review.key === tree.key() ? review.found : null;
      const match = { game: tree.game, moves: tree.mainline(), first, second, title, review: found };
      download("inarow-match.html", await engine.page(match), "text/html");
    });
  }

  /** Open or close the editor. */
  toggleEditor() {
    const done = (position) => {
      fill(this.editor);
      this.attempt(() => this.page.begin(this.game, position.moves));
    };
    fill(this.editor, this.editing ? null : stoneEditor(this.page.position, done));
    this.page.draw();
  }
}
