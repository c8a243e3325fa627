"use strict";
/* The subsumption graph in layers: what is killed by the fewest stands on the left, arrows go to what dies with it. */
(() => {
  const { make, data, roving } = page;
  const field = document.getElementById("graph");
  if (!field) return;
  if (!data.graph) {
    field.replaceWith(make("p", { class: "missing" }, "No mutant was killed, so there is nothing to draw."));
    return;
  }
  const { classes, edges } = data.graph;
  const told = document.getElementById("graph-told");
  const WIDE = 190, HIGH = 34, MARGIN = 14;
  const below = classes.map(() => []), above = classes.map(() => []);
  for (const [from, to] of edges) { below[from].push(to); above[to].push(from); }

  /* The layer of a class is the longest way to it from a dominator; within a layer it stands near what it hangs on. */
  const layer = classes.map(() => 0);
  const order = classes.map((_, index) => index).sort((a, b) => classes[a].tests.length - classes[b].tests.length);
  for (const index of order) for (const to of below[index]) layer[to] = Math.max(layer[to], layer[index] + 1);
  const layers = [];
  classes.forEach((_, index) => (layers[layer[index]] ??= []).push(index));
  const spot = new Map();
  const middle = (index, near) => (near.length ? near.reduce((sum, other) => sum + (spot.get(other) ?? 0), 0) / near.length : spot.get(index) ?? 0);
  layers.forEach((members) => members.forEach((index, place) => spot.set(index, place)));
  for (let round = 0; round < 6; round += 1) {
    const pass = round % 2 ? [...layers].reverse() : layers;
    for (const members of pass) {
      const key = new Map(members.map((index) => [index, middle(index, round % 2 ? below[index] : above[index])]));
      members.sort((a, b) => key.get(a) - key.get(b) || a - b);
      members.forEach((index, place) => spot.set(index, place));
    }
  }
  const tallest = Math.max(...layers.map((members) => members.length));
  const x = (index) => MARGIN + layer[index] * WIDE;
  const y = (index) => MARGIN + (spot.get(index) + (tallest - layers[layer[index]].length) / 2) * HIGH;
  const width = layers.length * WIDE, height = tallest * HIGH + 2 * MARGIN;

  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("width", width);
  drawing.setAttribute("height", height);
  drawing.setAttribute("aria-hidden", "true");
  const tip = document.createElementNS(space, "marker");
  for (const [name, value] of Object.entries({ id: "graph-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" })) tip.setAttribute(name, value);
  tip.append(document.createElementNS(space, "path"));
  tip.firstChild.setAttribute("d", "M0 0L8 4L0 8z");
  tip.firstChild.setAttribute("class", "tip");
  drawing.append(tip);
  const ways = edges.map(([from, to]) => {
    const path = document.createElementNS(space, "path");
    const [x0, y0, x1, y1] = [x(from) + 148, y(from) + 13, x(to), y(to) + 13];
    path.setAttribute("d", `M${x0} ${y0}C${x0 + 30} ${y0},${x1 - 30} ${y1},${x1} ${y1}`);
    path.setAttribute("marker-end", "url(#graph-tip)");
    drawing.append(path);
    return path;
  });

  const names = ({ mutants }) => (mutants.length > 2 ? `${mutants.slice(0, 2).join(" ")} +${mutants.length - 2}` : mutants.join(" "));
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const buttons = classes.map((group, index) => {
    const words = `${group.mutants.join(", ")}: killed by ${count(group.tests.length, "test", "tests")}${group.dominates ? ", dominator" : ""}; takes ${count(below[index].length, "class", "classes")} along`;
    const button = make("button", { type: "button", class: group.dominates ? "top" : "", "aria-label": words, "data-class": index }, names(group));
    button.style.left = `${x(index)}px`;
    button.style.top = `${y(index)}px`;
    button.style.width = "148px";
    return button;
  });

  const reach = (start, next) => {
    const found = new Set([start]), todo = [start];
    while (todo.length) for (const other of next[todo.pop()]) if (!found.has(other)) { found.add(other); todo.push(other); }
    return found;
  };

  function light(index) {
    const lit = new Set([...reach(index, below), ...reach(index, above)]);
    buttons.forEach((button, other) => {
      button.classList.toggle("lit", other === index);
      button.classList.toggle("dim", !lit.has(other));
    });
    ways.forEach((path, place) => path.classList.toggle("lit", edges[place].every((end) => lit.has(end))));
    const { mutants, tests } = classes[index];
    const shown = tests.slice(0, 6).join(", ") + (tests.length > 6 ? ` and ${tests.length - 6} more` : "");
    told.textContent = `${mutants.join(", ")} – killed by ${shown}. Whatever kills it kills ${count(reach(index, below).size - 1, "other class", "other classes")}.`;
  }
  function dark() {
    buttons.forEach((button) => button.classList.remove("lit", "dim"));
    ways.forEach((path) => path.classList.remove("lit"));
  }
  buttons.forEach((button, index) => {
    button.addEventListener("pointerenter", () => light(index));
    button.addEventListener("click", () => light(index));
    button.addEventListener("pointerleave", () => { if (!buttons.includes(document.activeElement)) dark(); });
    button.addEventListener("blur", dark);
  });
  const inside = make("div", { class: "field" }, drawing, ...buttons);
  inside.style.width = `${width}px`;
  inside.style.height = `${height}px`;
  field.append(inside);
  roving(field, order.map((index) => buttons[index]), (button) => light(Number(button.dataset.class)));
})();
