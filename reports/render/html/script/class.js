"use strict";
/* The table of all learners: rows that do not hold what is looked for are hidden; a link to one of them shows it again. */
(() => {
  const form = document.getElementById("find");
  const text = document.getElementById("find-text");
  const standing = document.getElementById("find-standing");
  const count = document.getElementById("find-count");
  const rows = [...document.querySelectorAll("#all tbody tr")];
  const words = rows.map((row) => row.textContent.toLowerCase());

  function filter() {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, place) => {
      const fits = words[place].includes(wanted) && (!standing.value || row.dataset.standing === standing.value);
      row.hidden = !fits;
      shown += fits;
    });
    const all = `${rows.length} ${rows.length === 1 ? "learner" : "learners"}`;
    count.textContent = shown === rows.length ? all : `${shown} of ${all}`;
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || !rows.includes(target) || !target.hidden) return;
    text.value = "";
    standing.value = "";
    filter();
    target.scrollIntoView();
  });
})();
