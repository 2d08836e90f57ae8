(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);

  // Light or dark: the system's choice until the reader makes another.
  const root = document.documentElement;
  const theme = byId("theme-toggle");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const showTheme = () => {
    theme.querySelector(".label").textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  try { const kept = localStorage.getItem("inarow-theme"); if (kept === "light" || kept === "dark") root.dataset.theme = kept; } catch { /* private */ }
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("inarow-theme", root.dataset.theme); } catch { /* private */ }
    showTheme();
  });
  system.addEventListener("change", showTheme);
  showTheme();

  // Contents: collapsed on narrow screens; the section in view is marked.
  const toggle = byId("contents-toggle"), list = byId("contents-list");
  const setOpen = (open) => { toggle.setAttribute("aria-expanded", String(open)); list.toggleAttribute("data-closed", !open); };
  toggle.hidden = false;
  setOpen(false);
  toggle.addEventListener("click", () => setOpen(list.hasAttribute("data-closed")));
  list.addEventListener("click", (event) => { if (event.target.closest("a")) setOpen(false); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { setOpen(false); hide(); } });
  const links = [...list.querySelectorAll("a")];
  const heads = links.map((link) => byId(decodeURIComponent(link.hash.slice(1))));
  const follow = () => {
    const passed = heads.filter((head) => head && head.getClientRects().length && head.getBoundingClientRect().top < innerHeight / 3);
    const now = passed.length ? heads.indexOf(passed[passed.length - 1]) : 0;
    links.forEach((link, index) => index === now ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
  };
  let waiting = false;
  addEventListener("scroll", () => {
    hide();
    if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; follow(); }); }
  }, { passive: true });
  follow();

  // Folded details: opened by a link into them, and on paper.
  const fold = document.querySelector(".fold");
  if (fold) {
    const reveal = () => { const target = location.hash && byId(decodeURIComponent(location.hash.slice(1))); if (target && fold.contains(target)) { fold.open = true; target.scrollIntoView(); } };
    addEventListener("hashchange", reveal);
    addEventListener("beforeprint", () => { fold.open = true; });
    reveal();
  }

  // Tables: sorted by a click on a head, or Enter on its button; a third click restores the order.
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0], original = [...body.rows];
    if (original.length < 3) continue;
    const cells = [...table.tHead.rows[0].cells];
    cells.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      button.append(...head.childNodes);
      head.append(button);
      head.dataset.sorts = "";
      head.addEventListener("click", () => {
        const numeric = head.classList.contains("n");
        const [first, second] = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
        const before = head.getAttribute("aria-sort");
        const next = before === null ? first : before === first ? second : null;
        cells.forEach((cell) => cell.removeAttribute("aria-sort"));
        if (next === null) { body.append(...original); return; }
        head.setAttribute("aria-sort", next);
        const value = (row) => {
          const cell = row.cells[column];
          return numeric ? (cell.dataset.v === undefined ? null : Number(cell.dataset.v)) : cell.textContent;
        };
        const sign = next === "ascending" ? 1 : -1;
        body.append(...[...original].sort((a, b) => {
          const [x, y] = [value(a), value(b)];
          if (x === null || y === null) return (x === null) - (y === null);
          return sign * (numeric ? x - y : x.localeCompare(y, "en", { numeric: true }));
        }));
      });
    });
  }
  for (const box of document.querySelectorAll(".table, .plot")) {
    const hint = document.createElement("p");
    hint.className = "scrolls";
    hint.textContent = "Scroll sideways to see the rest →";
    box.after(hint);
    const check = () => {
      const wider = box.scrollWidth > box.clientWidth + 1;
      hint.hidden = !wider;
      if (wider) box.tabIndex = 0; else box.removeAttribute("tabindex");
    };
    new ResizeObserver(check).observe(box);
    check();
  }

  // Figures: values on hover or tap.
  const tip = byId("tip");
  const hide = () => { tip.hidden = true; };
  for (const mark of document.querySelectorAll(".tip")) {
    const title = mark.querySelector("title");
    mark.dataset.tip = title.textContent;
    title.remove();
  }
  const show = (event) => {
    const mark = event.target instanceof Element && event.target.closest(".tip");
    if (!mark) { hide(); return; }
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, event.clientX - width / 2), innerWidth - width - 8);
    const above = event.clientY - height - 14;
    tip.style.left = `${left}px`;
    tip.style.top = `${above < 8 ? event.clientY + 18 : above}px`;
  };
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);

  // Matches: a page in a frame, created on demand.
  const showMatches = byId("show-matches");
  if (showMatches) {
    showMatches.hidden = false;
    showMatches.addEventListener("click", () => {
      const parts = { TITLE: "Matches", MATCHES: byId("match-list").textContent, PICTURE: "" };
      const page = JSON.parse(byId("match-board").textContent);
      const frame = document.createElement("iframe");
      frame.title = "Matches";
      frame.className = "match";
      frame.srcdoc = page.replace(/@(TITLE|MATCHES|PICTURE)@/g, (_, name) => parts[name]);
      showMatches.parentElement.replaceWith(frame);
    });
  }
})();
