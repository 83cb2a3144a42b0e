"use strict";
(function () {
  var form = document.getElementById("filters");
  var selects = { change: "by-change", family: "by-family", model: "by-model" };
  var pairs = Array.from(document.querySelectorAll(".pair"));
  var problems = Array.from(document.querySelectorAll(".problem"));
  function wanted(name) {
    var select = document.getElementById(selects[name]);
    return select ? select.value : "";
  }
  function fits(name, value, choice) {
    if (choice === "") { return true; }
    if (name === "change" && choice === "flipped") { return value === "down" || value === "up"; }
    return value === choice;
  }
  function apply() {
    var names = Object.keys(selects);
    var active = names.some(function (name) { return wanted(name) !== ""; });
    var shown = 0;
    pairs.forEach(function (pair) {
      var keep = names.every(function (name) {
        return fits(name, pair.dataset[name], wanted(name));
      });
      pair.hidden = !keep;
      if (keep) { shown += 1; }
    });
    problems.forEach(function (problem) {
      problem.hidden = active && problem.querySelector(".pair:not([hidden])") === null;
    });
    document.getElementById("shown").textContent =
      shown + " of " + pairs.length + " pairs";
  }
  function openTarget() {
    var id = location.hash.slice(1);
    var target = id === "" ? null : document.getElementById(id);
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { node.open = true; node.hidden = false; }
    }
    if (target) { target.scrollIntoView(); }
  }
  form.hidden = false;
  form.addEventListener("change", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  window.addEventListener("hashchange", openTarget);
  apply();
  openTarget();
})();
