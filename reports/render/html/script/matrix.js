"use strict";
/* The kill matrix as a grid: only the rows in sight exist, one cell has the focus, arrow keys move it. */
(() => {
  const { make, data } = page;
  const { looks, kills, count, spaced, aboutCell, aboutMutant, aboutTest, explain } = cells;
  const { tests, mutants } = data.matrix;
  const grid = document.getElementById("mx");
  const panel = document.getElementById("mx-cell");
  const under = document.getElementById("mx-under");
  const find = (id) => document.getElementById(id);
  const ROW = 22, SPARE = 8;
  /* What can be sorted by; equal ones keep the order of the catalog, or of the suite. */
  const STATUS = ["survived", "no_coverage", "timed_out", "crashed", "undecided", "pending", "unviable", "killed"];
  const text = (value) => String(value ?? "\uffff");
  const sorts = {
    "catalog": ["in the catalog's order", []],
    "subsumption": ["by subsumption, dominators first", [(m) => (m.class === undefined ? (m.killers ? 1 : -1) : m.dominates ? 0 : 0.5), (m) => m.class ?? 0]],
    "verdict": ["by verdict, survivors first", [(m) => STATUS.indexOf(m.status), (m) => m.killers]],
    "killers": ["by killers, fewest first", [(m) => m.killers]],
    "kind": ["by kind and function", [(m) => text(m.kind), (m) => text(m.module), (m) => text(m.function)]],
    "pitfall": ["by pitfall, then origin", [(m) => m.pitfall ?? Infinity, (m) => text(m.origin)]],
  };
  const testSorts = {
    "suite": ["in the suite's order", []],
    "kills": ["by kills, most first", [(t) => -kills[t]]],
    "kind": ["by kind", [(t) => text(tests[t].kind)]],
    "name": ["by name", [(t) => tests[t].name]],
  };
  const ordered = (items, keys) => [...items].sort((a, b) => {
    for (const key of keys) {
      const left = key(a), right = key(b);
      if (left < right) return -1;
      if (left > right) return 1;
    }
    return 0;
  });

  function choices(id, entries) {
    find(id).append(...entries.map(([value, label]) => make("option", { value }, label)));
  }
  const present = (key) => [...new Set(mutants.map((mutant) => mutant[key]).filter(Boolean))];
  choices("mx-sort", Object.entries(sorts).map(([value, [label]]) => [value, label]));
  choices("mx-tests", Object.entries(testSorts).map(([value, [label]]) => [value, label]));
  choices("mx-status", [["", "all"], ...present("status").map((status) => [status, spaced(status)])]);
  choices("mx-kind", [["", "all"], ...present("kind").map((kind) => [kind, kind])]);

  let rows = [], columns = [], at = { row: 0, column: 0 }, chosen = null, drawn = new Map(), body = null;

  /** Choose and order what is shown, then draw it anew. */
  function arrange() {
    const wanted = find("mx-find").value.trim().toLowerCase();
    const status = find("mx-status").value, kind = find("mx-kind").value;
    const byTest = wanted ? tests.map((test) => test.id.toLowerCase().includes(wanted)) : [];
    const anyTest = byTest.includes(true);
    rows = ordered(mutants, sorts[find("mx-sort").value || "catalog"][1]).filter((mutant) =>
      (!status || mutant.status === status) && (!kind || mutant.kind === kind) &&
      (!wanted || mutant.text.includes(wanted) || (anyTest && [...mutant.cells].some((c, t) => byTest[t] && looks[c].killed))));
    columns = ordered(tests.keys(), testSorts[find("mx-tests").value || "suite"][1]);
    if (anyTest && !rows.some((mutant) => mutant.text.includes(wanted))) columns = columns.filter((test) => byTest[test]);
    if (find("mx-idle").checked) columns = columns.filter((test) => rows.some((m) => looks[m.cells[test]].killed));
    at = { row: Math.min(at.row, rows.length), column: Math.min(at.column, columns.length) };
    let cells = 0;
    for (const mutant of rows) for (const test of columns) if (looks[mutant.cells[test]].killed) cells += 1;
    const all = rows.length === mutants.length && columns.length === tests.length;
    find("mx-count").textContent = `${count(rows.length, "mutant")}, ${count(columns.length, "test")}, ${count(cells, "kill")}${all ? "" : " shown"}`;
    draw();
  }

  function draw() {
    drawn = new Map();
    grid.replaceChildren();
    grid.setAttribute("aria-rowcount", rows.length + 1);
    if (!rows.length || !columns.length) {
      grid.append(make("div", { role: "row" }, make("div", { role: "gridcell", class: "mx-none", tabindex: 0 }, tests.length && mutants.length ? "Nothing matches." : "There is nothing to show: no trial was run.")));
      grid.style.height = "8rem";
      body = null;
      return;
    }
    const head = make("div", { role: "row", class: "mx-row head", "aria-rowindex": 1 });
    head.append(make("div", { role: "columnheader", class: "mx-name mx-corner", "data-at": "0 0", tabindex: -1 }, "mutants"));
    columns.forEach((test, place) => head.append(make("div", {
      role: "columnheader", class: "mx-col", "data-at": `0 ${place + 1}`, tabindex: -1,
      "aria-label": `${tests[test].name}, ${kills[test]} kills`,
    }, tests[test].name.replace(/^test_/, ""))));
    body = make("div", { role: "rowgroup", class: "mx-body" });
    const style = getComputedStyle(grid);
    body.style.height = `${rows.length * ROW}px`;
    body.style.width = `calc(${style.getPropertyValue("--id")} + ${columns.length} * ${style.getPropertyValue("--col")})`;
    head.style.width = body.style.width;
    grid.append(make("div", { role: "rowgroup" , class: "mx-head"}, head), body);
    grid.style.height = `${Math.min(rows.length * ROW + parseFloat(style.getPropertyValue("--head")) + 18, 1e6)}px`;
    drawn.set(0, head);
    fill();
    mark();
  }

  /** Let exactly the rows in sight exist, and the one with the focus. */
  function fill() {
    if (!body) return;
    const first = Math.max(0, Math.floor(grid.scrollTop / ROW) - SPARE);
    const last = Math.min(rows.length, first + Math.ceil(grid.clientHeight / ROW) + 2 * SPARE);
    const wanted = new Set([0, at.row]);
    for (let row = first + 1; row <= last; row += 1) wanted.add(row);
    for (const [row, element] of drawn) if (!wanted.has(row)) { element.remove(); drawn.delete(row); }
    const fresh = document.createDocumentFragment();
    for (const row of wanted) if (!drawn.has(row)) { const element = line(row); drawn.set(row, element); fresh.append(element); }
    body.append(fresh);
  }

  /* Every kind of cell is made once, and copied. */
  const patterns = new Map();
  function pattern(character, named) {
    const key = character + named;
    if (!patterns.has(key)) {
      const look = looks[character];
      patterns.set(key, make("div", { class: `mx-c ${look.style}${named ? " n" : ""}`, role: "gridcell", tabindex: -1, "aria-label": named ? `${look.words}, named killer` : look.words }, look.letter));
    }
    return patterns.get(key);
  }

  function line(row) {
    const mutant = rows[row - 1];
    const element = make("div", { role: "row", class: "mx-row", "aria-rowindex": row + 1 });
    element.style.top = `${(row - 1) * ROW}px`;
    const tone = mutant.status === "killed" ? "" : ["survived", "no_coverage"].includes(mutant.status) ? " alive" : " open";
    element.append(make("div", {
      role: "rowheader", class: `mx-name${tone}`, "data-at": `${row} 0`, tabindex: -1,
      "aria-label": `${mutant.id}, ${mutant.title ?? ""}, ${spaced(mutant.status)}${mutant.dominates ? ", dominator" : ""}`,
    }, make("i", { "aria-hidden": "true" }, mutant.dominates ? "◆" : ""), make("b", {}, mutant.id), make("span", {}, mutant.title ?? "")));
    columns.forEach((test, place) => {
      const cell = pattern(mutant.cells[test], mutant.named.has(test)).cloneNode(true);
      cell.dataset.at = `${row} ${place + 1}`;
      element.append(cell);
    });
    if (chosen?.row === row) element.querySelector(`[data-at="${row} ${chosen.column}"]`)?.classList.add("chosen");
    return element;
  }

  const cellAt = (row, column) => drawn.get(row)?.children[column];

  function mark() {
    for (const old of grid.querySelectorAll('[tabindex="0"]')) old.tabIndex = -1;
    const cell = cellAt(at.row, at.column);
    if (cell) cell.tabIndex = 0;
  }

  /** Bring a cell into sight and give it the focus. */
  function go(row, column) {
    at = { row: Math.max(0, Math.min(rows.length, row)), column: Math.max(0, Math.min(columns.length, column)) };
    const head = parseFloat(getComputedStyle(grid).getPropertyValue("--head"));
    if (at.row) {
      const top = (at.row - 1) * ROW;
      if (top < grid.scrollTop) grid.scrollTop = top;
      else if (top + ROW + head > grid.scrollTop + grid.clientHeight - 2) grid.scrollTop = top + ROW + head - grid.clientHeight + 18;
    }
    fill();
    mark();
    const cell = cellAt(at.row, at.column);
    cell.focus({ preventScroll: true });
    if (at.column) {
      const wide = cellAt(at.row, 0).offsetWidth;
      if (cell.offsetLeft - wide < grid.scrollLeft) grid.scrollLeft = cell.offsetLeft - wide;
      else if (cell.offsetLeft + cell.offsetWidth > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = cell.offsetLeft + cell.offsetWidth - grid.clientWidth + 2;
    }
  }

  const place = (event) => event.target.closest("[data-at]")?.dataset.at.split(" ").map(Number);

  grid.addEventListener("scroll", () => requestAnimationFrame(fill), { passive: true });
  new ResizeObserver(() => fill()).observe(grid);
  grid.addEventListener("keydown", (event) => {
    if (!rows.length || !columns.length) return;
    const visible = Math.max(1, Math.floor(grid.clientHeight / ROW) - 9);
    const moves = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-Math.min(visible, Math.max(0, at.row - 1)), 0], PageDown: [visible, 0],
      Home: [event.ctrlKey ? -Infinity : 0, -Infinity], End: [event.ctrlKey ? Infinity : 0, Infinity],
    };
    if (event.key in moves) {
      event.preventDefault();
      if (event.key === "Home" && event.ctrlKey) grid.scrollTop = 0;
      go(at.row + moves[event.key][0], at.column + moves[event.key][1]);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(at.row, at.column, true);
    }
  });
  grid.addEventListener("focusin", (event) => {
    const found = place(event);
    if (!found) return;
    at = { row: found[0], column: found[1] };
    mark();
    under.textContent = told(at.row, at.column);
  });
  grid.addEventListener("pointerover", (event) => {
    const found = place(event);
    if (found) under.textContent = told(...found);
  });
  grid.addEventListener("click", (event) => {
    const found = place(event);
    if (!found) return;
    go(...found);
    open(...found, false);
  });

  function told(row, column) {
    const mutant = rows[row - 1], test = tests[columns[column - 1]];
    if (!mutant && !test) return "";
    if (!mutant) return `${test.name}: ${test.checks || test.kind || "a test"}`;
    if (!test) return `${mutant.id}: ${mutant.title ?? ""} – ${spaced(mutant.status)}`;
    const named = mutant.named.has(columns[column - 1]) ? ", a named killer" : "";
    return `${mutant.id} × ${test.name}${named} – ${looks[mutant.cells[columns[column - 1]]].words}`;
  }

  /* The panel: all that is known of a cell, a mutant or a test. */
  function open(row, column, move) {
    const mutant = rows[row - 1], number = columns[column - 1], test = tests[number];
    if (!mutant && !test) return;
    for (const old of grid.querySelectorAll(".chosen")) old.classList.remove("chosen");
    chosen = { row, column };
    cellAt(row, column)?.classList.add("chosen");
    const close = make("button", { type: "button", class: "close quiet" }, "Close");
    close.addEventListener("click", shut);
    panel.replaceChildren(close, ...(mutant && test ? aboutCell(mutant, test, number) : []),
      ...(mutant ? aboutMutant(mutant, Boolean(test)) : []), ...(test ? aboutTest(test, number, Boolean(mutant)) : []));
    panel.classList.add("shown");
    find("mx-split").classList.add("open");
    panel.scrollTop = 0;
    if (move) panel.focus({ preventScroll: innerWidth >= 1000 });
  }

  function shut() {
    panel.classList.remove("shown");
    find("mx-split").classList.remove("open");
    panel.replaceChildren();
    if (rows.length && columns.length) go(at.row, at.column);
  }
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") shut(); });

  explain(find("mx-legend"));
  const tools = find("mx-tools");
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.addEventListener("input", () => { chosen = null; at = { row: 0, column: 0 }; grid.scrollTop = 0; arrange(); });
  tools.addEventListener("reset", () => setTimeout(() => { chosen = null; at = { row: 0, column: 0 }; arrange(); }));
  if (rows.length === 0) at = { row: mutants.length ? 1 : 0, column: tests.length ? 1 : 0 };
  arrange();
})();
