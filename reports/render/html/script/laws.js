"use strict";
/* Law pictures: for each id the reference's stack beside the mutant's, both against p, in exact fractions. */
(() => {
  const { make, data, roving } = page;
  const list = document.getElementById("law-list");
  if (!list) return;
  const titles = Object.fromEntries(data.matrix.mutants.map((mutant) => [mutant.id, mutant.title ?? ""]));
  const read = (text) => Rational.parse(text ?? "0");
  const brief = (value) => (String(value).length <= 9 ? String(value) : `≈ ${value.toNumber().toPrecision(3)}`);
  const short = (value) => {
    const exact = String(value);
    return exact.length <= 22 ? exact : `${exact} ≈ ${value.toNumber().toPrecision(6)}`;
  };
  /* The numbers of a pair are floats: the shortest text that names the float is exact too, and can be read. */
  const plain = (text) => (text.length <= 9 ? text : String(read(text).toNumber()));
  const vector = (masses) => (masses.length > 6 ? `${masses.slice(0, 3).map(plain).join(", ")} … (${masses.length} ids)` : masses.map(plain).join(", "));
  const WORDS = { speculative_step: ["kept", "after a rejection"], rejection_sample: ["first try", "later tries"] };

  list.append(...data.laws.off.map((law) => card(law)));

  function card(law) {
    const among = law.places > law.tried ? `, the worst of ${law.tried} measured out of ${law.places} where D differs` : "";
    const figures = [figure(law, law.hand, "the hand example"), figure(law, law.worst, "the worst pair of D", among)];
    return make("article", { class: "law", "data-mutant": law.mutant, "aria-label": `Laws of ${law.mutant}` },
      make("h3", {}, make("code", {}, law.mutant), ` ${titles[law.mutant]}`), make("div", { class: "pair" }, ...figures));
  }

  /** Return one picture: its words, the bars, the ids below, and where the fractions are told. */
  function figure(law, place, name, among = "") {
    const box = make("figure", { "data-place": name.includes("hand") ? "hand" : "worst" });
    if (!place) {
      box.append(make("figcaption", {}, `No pair of D moves this law.`));
      return box;
    }
    const pair = make("span", { class: "muted" }, make("br"), `p = ${vector(place.p)}`, make("br"), `q = ${vector(place.q)}`);
    if (place.why) {
      box.append(make("figcaption", {}, `At ${name} there is no law: ${place.why}.`, pair));
      return box;
    }
    const p = place.p.map(read);
    const outcomes = [...place.p.keys()].map(String);
    for (const side of [place.mutant, place.reference]) {
      for (const part of [side.kept, side.later]) for (const key of Object.keys(part)) if (!outcomes.includes(key)) outcomes.push(key);
    }
    const bars = outcomes.map((key) => bar(key, p[Number(key)] ?? Rational.ZERO, place));
    const scale = Math.max(...bars.flatMap((one) => [one.p, one.reference.sum, one.mutant.sum].map((value) => value.toNumber())), 1e-9);
    const exact = bars.every((one) => one.reference.sum.equals(one.p));
    const words = WORDS[law.function] ?? ["kept", "later"];
    const readout = make("p", { class: "readout idle" });
    const tell = (one) => { readout.textContent = sentence(one, words); readout.classList.remove("idle"); };
    const buttons = bars.map((one) => button(one, scale, words));
    const far = read(place.distance);
    const plot = make("div", { class: "plot", role: "toolbar", "aria-label": `${law.mutant} at ${name}: ${outcomes.length} outcomes` }, ...buttons);
    const gap = (one) => { const apart = one.mutant.sum.minus(one.p); return apart.sign < 0 ? Rational.ZERO.minus(apart) : apart; };
    const most = bars.reduce((best, one) => (gap(one).compare(gap(best)) > 0 ? one : best));
    const worst = gap(most).sign ? `Most off at ${named(most)}: ${brief(most.mutant.sum)} where p is ${brief(most.p)}. ` : "Every id has its mass. ";
    const overall = () => {
      readout.textContent = worst + (exact ? "The reference's stack is exactly p." : "The reference's stack is p but for rounding: its uniforms are multiples of 2⁻⁵³.");
      readout.classList.add("idle");
    };
    buttons.forEach((element, index) => {
      for (const event of ["pointerenter", "focus", "click"]) element.addEventListener(event, () => tell(bars[index]));
      element.addEventListener("pointerleave", () => { if (document.activeElement !== element) overall(); });
      element.addEventListener("blur", overall);
    });
    roving(plot, buttons);
    overall();
    box.append(
      make("figcaption", {}, make("strong", {}, `off by ${brief(far)}`), ` at ${name}${among}`, pair),
      plot, make("div", { class: "axis", "aria-hidden": "true" }, ...outcomes.map((key) => make("span", { title: key }, key.replace(/^raises .*/, "error").replace("never ends", "no end")))), readout);
    return box;
  }

  function bar(key, p, place) {
    const side = ({ kept, later }) => {
      const parts = { kept: read(kept[key]), later: read(later[key]) };
      return { ...parts, sum: parts.kept.plus(parts.later) };
    };
    return { key, p, id: /^\d+$/.test(key) && Number(key) < place.p.length, reference: side(place.reference), mutant: side(place.mutant) };
  }

  function named(one) { return one.id ? `id ${one.key}` : `“${one.key}”`; }

  function sentence(one, [first, second]) {
    const side = ({ kept, later, sum }) => `${first} ${short(kept)}, ${second} ${short(later)}, sum ${short(sum)}`;
    return `${named(one)}: p ${short(one.p)}. Mutant: ${side(one.mutant)}. Reference: ${side(one.reference)}.`;
  }

  function button(one, scale, words) {
    const height = (value) => `height:${(96 * value.toNumber()) / scale}%`;
    const stack = (name, side) => make("span", { class: `stack ${name}` },
      side.kept.sign ? make("i", { class: one.id ? "kept" : "other", style: height(side.kept) }) : null,
      side.later.sign ? make("i", { class: one.id ? "later" : "other", style: height(side.later) }) : null);
    return make("button", {
      type: "button", "aria-label": sentence(one, words), "data-outcome": one.key, "data-p": one.p,
      "data-reference": one.reference.sum, "data-mutant": one.mutant.sum,
    }, stack("ref", one.reference), stack("mut", one.mutant),
    make("span", { class: "target", style: `bottom:${(96 * one.p.toNumber()) / scale}%` }));
  }
})();
