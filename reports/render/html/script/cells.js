"use strict";
/* What a cell of the matrix means: its look, its words, and all that is known of it, of its mutant and of its test. */
const cells = (() => {
  const { make, data } = page;
  const { tests, mutants, codes, alphabet, details, killed } = data.matrix;
  const LETTERS = { timed_out: "T", crashed: "!", undecided: "?", unviable: "×", skipped: "s" };
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const spaced = (text) => text.replaceAll("_", " ");

  /* Each way to end gets a class of colour, a letter and words; letters of reasons are told apart. */
  const looks = {};
  const taken = new Set(Object.values(LETTERS));
  [...alphabet].forEach((character, place) => {
    const [outcome, reason] = codes[place];
    if (outcome === killed) {
      const wanted = [...reason.replace(/[^A-Za-z]/g, "").toUpperCase(), ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
      const letter = wanted.find((one) => !taken.has(one)) ?? "*";
      taken.add(letter);
      looks[character] = { style: "k", letter, words: `failed: ${reason}`, killed: true };
    } else if (outcome === "passed") {
      looks[character] = reason === "unreached"
        ? { style: "", letter: "", words: "not run: cannot see the change" }
        : { style: "p", letter: "", words: "passed" };
    } else {
      looks[character] = { style: "o", letter: LETTERS[outcome] ?? "?", words: reason ? `${spaced(outcome)}: ${reason}` : spaced(outcome) };
    }
  });
  looks[" "] = { style: "", letter: "", words: "no trial" };

  const kills = tests.map(() => 0);
  mutants.forEach((mutant, place) => {
    mutant.place = place;
    mutant.named = new Set(mutant.named ?? []);
    mutant.killers = 0;
    [...mutant.cells].forEach((character, test) => {
      if (looks[character].killed) { mutant.killers += 1; kills[test] += 1; }
    });
    mutant.text = [mutant.id, mutant.title, mutant.function, mutant.module, mutant.origin].join(" ").toLowerCase();
  });

  function aboutCell(mutant, test, number) {
    const look = looks[mutant.cells[number]];
    const [detail, examples, small] = mutant.notes[number] ?? [null, null, null];
    const time = Number((mutant.times.split(",")[number] ?? "") || 0);
    const facts = [];
    if (time) facts.push(`${(time / 10).toFixed(1)} ms`);
    if (examples) facts.push(`${count(examples, "input")} drawn until it failed`);
    if (mutant.named.has(number)) facts.push(look.killed ? "a named killer, as promised" : "a named killer that did not kill");
    return [
      make("h3", {}, make("code", {}, mutant.id), " × ", make("code", {}, test.name)),
      make("p", { class: "said" }, look.words),
      facts.length ? make("p", { class: "muted" }, facts.join(" · ")) : null,
      detail === null ? null : make("pre", { tabindex: 0, role: "group", "aria-label": "what failed" }, details[detail]),
      small === null ? null : make("h4", {}, "the failing input, made small"),
      small === null ? null : make("pre", { tabindex: 0, role: "group", "aria-label": "the failing input, made small" }, details[small]),
      look.killed && small === null && examples ? make("p", { class: "muted" }, "The input is not made small yet: ", make("code", {}, "acidtest report --examples")) : null,
    ].filter(Boolean);
  }

  function aboutMutant(mutant, beside) {
    const title = make(beside ? "h4" : "h3", {}, make("code", {}, mutant.id), ` ${mutant.title ?? ""}`);
    const facts = [spaced(mutant.grade ?? mutant.status), count(mutant.killers, "killer")];
    if (mutant.dominates) facts.push("dominator");
    if (mutant.pitfall) facts.push(`pitfall ${mutant.pitfall}`);
    if (mutant.origin) facts.push(mutant.origin);
    if (mutant.function) facts.push(`${mutant.function}${mutant.line ? `, line ${mutant.line}` : ""}`);
    const parts = [title, make("p", { class: "muted" }, facts.join(" · "))];
    if (mutant.why && !beside) parts.push(make("p", {}, mutant.why));
    if (mutant.diff) parts.push(diff(mutant.diff));
    else parts.push(make("p", { class: "missing" }, "Today's code does not make this mutant any more."));
    if (mutant.witness) {
      parts.push(make("h4", {}, "a call that shows it"), make("pre", { tabindex: 0, role: "group", "aria-label": "a call that shows it" },
        `${mutant.witness.call}\nreference  ${mutant.witness.reference}\nmutant     ${mutant.witness.mutant}`));
    }
    return parts;
  }

  function aboutTest(test, number, beside) {
    const parts = [make(beside ? "h4" : "h3", {}, make("code", {}, test.name))];
    const kind = [test.kind, test.chapter ? "chapter" : "", count(kills[number], "kill"), `${(1000 * test.seconds).toFixed(1)} ms on the unchanged code`];
    parts.push(make("p", { class: "muted" }, kind.filter(Boolean).join(" · ")), make("p", { class: "muted" }, make("code", {}, test.id)));
    if (test.checks) parts.push(make("p", {}, test.checks));
    if (test.matters && !beside) parts.push(make("p", {}, `Matters: ${test.matters}`));
    return parts;
  }

  function diff(source) {
    const block = make("pre", { class: "diff", tabindex: 0, role: "group", "aria-label": "the change" });
    for (const one of source.split("\n")) {
      const style = /^(@|\+\+\+ |--- )/.test(one) ? "at" : { "+": "add", "-": "del" }[one[0]] ?? "ctx";
      if (one) block.append(make("span", { class: style }, `${one}\n`));
    }
    return block;
  }

  /** Fill the list that says what the cells mean, so far as they occur. */
  function explain(legend) {
    const sample = (style, letter, words) => legend.append(make("li", {}, make("span", { class: `mx-c ${style}`, "aria-hidden": "true" }, letter), words));
    for (const look of new Set(Object.values(looks))) if (look.style && [...mutants].some((m) => [...m.cells].some((c) => looks[c] === look))) sample(look.style, look.letter, look.words);
    if (mutants.some((mutant) => mutant.named.size)) sample("k n", "", "named for the mutant");
    if (mutants.some((mutant) => [...mutant.named].some((test) => !looks[mutant.cells[test]].killed))) sample("n", "", "named, and did not kill");
    if (mutants.some((mutant) => mutant.dominates)) legend.append(make("li", {}, make("span", { "aria-hidden": "true" }, "◆"), "dominator"));
    legend.append(make("li", {}, "blank: not run, for it cannot see the change"));
  }

  return { looks, kills, count, spaced, aboutCell, aboutMutant, aboutTest, explain };
})();
