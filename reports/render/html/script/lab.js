"use strict";
/* The residual lab: one step of the arithmetic on a pair of one's own, and the residual as a coin; nothing rounded. */
(() => {
  const { make } = page;
  const find = (id) => document.getElementById(id);
  if (!find("lab-form")) return;
  const PRESETS = {
    hand: ["1/2, 1/4, 1/4, 0", "1/4, 1/2, 0, 1/4"],
    equal: ["1/2, 3/8, 1/8", "1/2, 3/8, 1/8"],
    disjoint: ["3/4, 1/4, 0, 0", "0, 0, 1/2, 1/2"],
    zeros: ["0, 3/8, 1/8, 1/2", "0, 1/4, 1/2, 1/4"],
    near: ["0.500001, 0.499999", "0.5, 0.5"],
    three: ["1/8, 5/8, 1/4", "5/8, 1/4, 1/8"],
  };
  const MOST = 64;

  /** Read a distribution; throw a RangeError that says what is wrong with it. */
  function distribution(text, name) {
    const parts = text.split(/[,;\s]+/).filter(Boolean);
    if (!parts.length) throw new RangeError(`${name} is empty`);
    if (parts.length > MOST) throw new RangeError(`${name} has ${parts.length} entries; this display takes ${MOST}`);
    const values = parts.map((part) => Rational.parse(part));
    const negative = values.findIndex((value) => value.sign < 0);
    if (negative >= 0) throw new RangeError(`${name}[${negative}] = ${values[negative]} is below 0`);
    const total = Rational.sum(values);
    if (!total.equals(Rational.ONE)) throw new RangeError(`${name} sums to ${total}, not to 1`);
    return values;
  }

  /** Return everything that one step does to each id: ratio, kept mass, missing mass, residual, output. */
  function step(p, q) {
    const kept = p.map((mass, i) => mass.min(q[i]));
    const missing = p.map((mass, i) => mass.minus(kept[i]));
    const alpha = Rational.sum(kept), z = Rational.sum(missing);
    const rejected = Rational.ONE.minus(alpha);
    const residual = z.sign ? missing.map((mass) => mass.over(z)) : null;
    const replaced = residual ? residual.map((mass) => mass.times(rejected)) : p.map(() => Rational.ZERO);
    return {
      ratio: p.map((mass, i) => (q[i].sign ? mass.over(q[i]) : null)),
      kept, missing, alpha, z, rejected, residual, replaced, output: kept.map((mass, i) => mass.plus(replaced[i])),
    };
  }

  /** Return a cell; a number that is not long keeps to one line. */
  function cell(value, attributes = {}) {
    const text = String(value);
    return make("td", { class: text.length <= 24 ? "short" : "long", ...attributes }, text);
  }

  const LABELS = { three: ["A", "B", "C"] };
  let labels = null;

  function show() {
    const out = find("lab-out"), problem = find("lab-problem");
    problem.textContent = "";
    for (const id of ["lab-p", "lab-q"]) find(id).removeAttribute("aria-invalid");
    let p, q, field = "lab-p";
    try {
      p = distribution(find("lab-p").value, "p");
      field = "lab-q";
      q = distribution(find("lab-q").value, "q");
      if (p.length !== q.length) throw new RangeError(`p has ${p.length} entries and q has ${q.length}`);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problem.textContent = `${error.message}.`;
      find(field).setAttribute("aria-invalid", "true");
      out.replaceChildren();
      return;
    }
    const found = step(p, q);
    const scale = Math.max(...p.map((mass) => mass.toNumber()), ...q.map((mass) => mass.toNumber()));
    const rows = p.map((mass, i) => {
      const bar = make("span", { class: "row-bar", "aria-hidden": "true" },
        make("i", { class: "kept", style: `width:${(100 * found.kept[i].toNumber()) / scale}%` }),
        make("i", { class: "later", style: `width:${(100 * found.replaced[i].toNumber()) / scale}%` }));
      const cells = {
        p: mass, q: q[i], ratio: found.ratio[i] ?? "never proposed", kept: found.kept[i], missing: found.missing[i],
        residual: found.residual ? found.residual[i] : "–", replaced: found.replaced[i], output: found.output[i],
      };
      return make("tr", {}, make("th", { scope: "row" }, labels?.[i] ?? `id ${i}`),
        ...Object.entries(cells).map(([name, value]) => cell(value, { "data-part": name })), make("td", {}, bar));
    });
    const sums = { p: Rational.ONE, q: Rational.ONE, ratio: "", kept: `α = ${found.alpha}`, missing: `Z = ${found.z}`, residual: found.residual ? Rational.sum(found.residual) : "–", replaced: Rational.sum(found.replaced), output: Rational.sum(found.output) };
    const heads = ["", "p", "q", "ratio p/q", "kept min(p, q)", "missing max(0, p − q)", "residual", "(1 − α) × residual", "output", "kept, then replaced"];
    out.replaceChildren(
      make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "One step on this pair" },
        make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => (head ? make("th", { scope: "col" }, head) : make("td"))))),
          make("tbody", {}, ...rows, make("tr", { class: "sum" }, make("th", { scope: "row" }, "sum"),
            ...Object.entries(sums).map(([name, value]) => cell(value, { "data-sum": name })), make("td"))))),
      make("p", { id: "lab-told" }, verdict(p, found)));
  }

  function verdict(p, found) {
    const right = found.output.every((mass, i) => mass.equals(p[i]));
    if (!found.z.sign) return "p and q are equal: every proposal is kept, no rejection can happen, and the residual 0/0 is never asked for.";
    const share = found.alpha.sign ? `A proposal is kept with probability α = ${found.alpha} and rejected with ${found.rejected}` : "Nothing that q proposes has mass under p: every proposal is rejected, and the residual is p itself";
    return `${share}; Z = 1 − α${found.z.equals(found.rejected) ? "" : " does not hold"}. Output ${right ? "equals p, id by id" : "differs from p"}.`;
  }

  function preset(name) {
    [find("lab-p").value, find("lab-q").value] = PRESETS[name];
    labels = LABELS[name] ?? null;
    for (const button of document.querySelectorAll("[data-preset]")) button.setAttribute("aria-pressed", String(button.dataset.preset === name));
    show();
  }
  for (const button of document.querySelectorAll("[data-preset]")) button.addEventListener("click", () => preset(button.dataset.preset));
  find("lab-form").addEventListener("submit", (event) => event.preventDefault());
  find("lab-form").addEventListener("input", () => {
    labels = null;
    for (const button of document.querySelectorAll("[data-preset]")) button.setAttribute("aria-pressed", "false");
    show();
  });
  preset("hand");

  /* The residual as a coin: its two positive outcomes, B and C, of the pair A, B, C above. */
  const [target, proposal] = PRESETS.three.map((text) => distribution(text, "p"));
  const three = step(target, proposal);

  /** Return the exact probability of each number of successes in n draws. */
  function binomial(success, n) {
    const failure = Rational.ONE.minus(success);
    const found = [];
    let ways = 1n;
    for (let k = 0; k <= n; k += 1) {
      found.push(new Rational(ways).times(success.power(k)).times(failure.power(n - k)));
      ways = (ways * BigInt(n - k)) / BigInt(k + 1);
    }
    return found;
  }

  function read() {
    const success = Rational.parse(find("coin-p").value);
    if (success.sign < 0 || success.compare(Rational.ONE) > 0) throw new RangeError(`${success} is no probability`);
    const n = Number(find("coin-n").value);
    if (!Number.isInteger(n) || n < 1 || n > 60) throw new RangeError("n is a whole number from 1 to 60");
    const guess = find("coin-guess").value.trim();
    return { success, n, guess: guess ? Rational.parse(guess) : null };
  }

  function inspect() {
    const out = find("coin-out"), problem = find("coin-problem");
    problem.textContent = "";
    let asked;
    try {
      asked = read();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problem.textContent = `${error.message}.`;
      out.replaceChildren();
      return;
    }
    const { success, n, guess } = asked;
    const masses = binomial(success, n);
    const most = Math.max(...masses.map((mass) => mass.toNumber()));
    const named = (k) => (n === 1 ? (k ? "B" : "C") : `${k} × B, ${n - k} × C`);
    const order = n === 1 ? [1, 0] : masses.map((_, k) => k);
    const rows = order.map((k) => make("tr", { "data-successes": k }, make("th", { scope: "row" }, named(k)), cell(masses[k], { "data-part": "mass" }),
      make("td", {}, make("span", { class: "row-bar", "aria-hidden": "true" }, make("i", { class: k === n ? "B" : "C", style: `width:${(100 * masses[k].toNumber()) / most}%` })))));
    const parts = [make("table", {}, make("caption", {}, n === 1 ? "One draw from the residual, given a rejection" : `${n} draws, given ${n} rejections: how often B`),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "outcome"), make("th", { scope: "col" }, "probability"), make("td"))), make("tbody", {}, ...rows))];
    if (guess) parts.push(make("p", { id: "coin-guessed" }, n !== 1 ? "A prediction for B is about one draw: set n to 1." : guess.equals(success) ? `You said ${guess} for B: exactly.` : `You said ${guess} for B; it is ${success}.`));
    parts.push(n === 1 ? recovered(success) : make("p", { class: "muted" }, "The multiplication below the bars is about one draw: set n to 1 to see it."));
    out.replaceChildren(...parts);
  }

  /** Return how the two bars, times the rejection probability, and the kept masses give p back. */
  function recovered(success) {
    const residual = [Rational.ZERO, success, Rational.ONE.minus(success)];
    const rows = ["A", "B", "C"].map((name, i) => {
      const share = residual[i].times(three.rejected), whole = share.plus(three.kept[i]);
      const cells = i ? [`${residual[i]} × ${three.rejected} = ${share}`] : ["0, outside the display"];
      return make("tr", { "data-token": name }, make("th", { scope: "row" }, name), make("td", {}, ...cells), make("td", {}, String(three.kept[i])),
        make("td", { "data-part": "output" }, String(whole)), make("td", { "data-part": "target" }, String(target[i])), make("td", {}, whole.equals(target[i]) ? "equal" : "not equal"));
    });
    const heads = ["token", "bar × rejection probability", "kept min(p, q)", "sum", "target p", ""];
    const right = residual.every((mass, i) => mass.equals(three.residual[i]));
    return make("div", {},
      make("p", {}, `The rejection probability is calculated apart: 1 − α = 1 − (${three.kept.join(" + ")}) = ${three.rejected}. Each bar is multiplied by it before the kept mass is added.`),
      make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "From the bars back to p" },
        make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => (head ? make("th", { scope: "col" }, head) : make("td"))))), make("tbody", {}, ...rows))),
      make("p", { id: "coin-told" }, right ? "The sums are p, token by token." : `This is not the residual of A, B, C, whose B has ${three.residual[1]}: the sums miss p.`));
  }

  function reset() {
    find("coin-p").value = "1/2";
    find("coin-n").value = "4";
    find("coin-guess").value = "";
    find("coin-problem").textContent = "";
    find("coin-out").replaceChildren(make("p", { class: "muted" }, "Set p = 0.75 and n = 1, predict the bars of B and C, then inspect."));
  }
  find("coin-form").addEventListener("submit", (event) => { event.preventDefault(); inspect(); });
  find("coin-reset").addEventListener("click", reset);
  find("coin-form").addEventListener("input", () => { find("coin-out").replaceChildren(make("p", { class: "muted" }, "Predict, then inspect.")); });
  reset();
})();
