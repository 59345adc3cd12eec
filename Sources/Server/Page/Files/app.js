"use strict";
// Asks the admin port, shows what Views make of the answers, and sends changes that somebody has confirmed.
(() => {
  const tasks = [
    { name: "replications", path: "_replicationStatus/?includeConfig=true", every: 2000 },
    { name: "migrations", path: "_migrations", every: 3000 },
    { name: "cutover", path: "_cutover", every: 10000 },
    { name: "parked", path: "_parked", every: 10000 },
    { name: "overview", path: "_overview", every: 10000 },
    { name: "fleet", path: "_fleet?limit=15&since=90d", every: 60000 },
  ];
  const patience = 15000;
  const patienceWithChanges = 600000;
  const at = id => document.getElementById(id);
  const { element, build } = Elements(document, action => change(action));

  let database = "";
  let answers = {};
  let counters = {};
  let rates = {};
  // Raised with each other database and each return to the page, so that late answers to earlier questions count for nothing.
  let round = 0;
  let now = Date.now();

  // Until when the outcome of a change stays to be read.
  let keptUntil = 0;

  const ask = async (method, path, body, limit) => {
    try {
      const options = { method, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(limit || patience), headers: {} };
      if (body !== undefined) {
        options.headers["Content-Type"] = "application/json";
        options.body = JSON.stringify(body);
      }
      // Not relative to an address in which there is a login, which browsers refuse.
      const response = await fetch(new URL("../" + path, location.origin + location.pathname), options);
      now = Date.parse(response.headers.get("Date")) || Date.now();
      const content = await response.text();
      let json = null;
      try {
        json = JSON.parse(content);
      } catch {
        json = null;
      }
      return { status: response.status, json };
    } catch (error) {
      return { status: 0, json: { reason: error.name === "TimeoutError" ? "no answer within " + patience / 1000 + " s" : "" } };
    }
  };

  const inDatabase = path => Model.segment(database) + "/" + path;

  const shown = new Map();

  // What has not changed stays, with the selection and the focus in it; a button that is made anew gets the focus back.
  const render = (id, parts) => {
    const place = at(id + "-body");
    const state = JSON.stringify(parts);
    if (shown.get(id) === state) return;
    shown.set(id, state);
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") : null;
    place.replaceChildren(...parts.map(build));
    if (focused === null) return;
    const again = [...place.querySelectorAll("button")].find(found => found.getAttribute("data-key") === focused);
    if (again) again.focus();
  };

  const show = () => {
    render("cutover", Views.cutover(answers.cutover, now));
    render("replications", Views.replications(answers.replications, rates));
    render("fleet", Views.fleet(answers.fleet, now));
    render("collections", Views.collections(answers.overview));
    render("conflicts", Views.conflicts(answers.overview, now));
    render("parked", Views.parked(answers.parked, now));
    render("migrations", Views.migrations(answers.migrations, answers.overview, now));
  };

  const say = (words, tone) => {
    const status = at("status");
    if (status.textContent === words) return;
    status.textContent = words;
    status.className = tone || "";
  };

  // Asking

  const measure = list => {
    const time = performance.now();
    const next = {};
    rates = {};
    for (const status of Model.list(list)) {
      const id = Model.text(status.replication_id);
      next[id] = { time, count: Views.transferred(status) };
      rates[id] = Model.rate(counters[id], next[id]);
    }
    counters = next;
  };

  const poll = async (task, own) => {
    const answer = await ask("GET", inDatabase(task.path));
    if (own !== round) return;
    answers[task.name] = answer;
    if (task.name === "replications") measure(answer.json);
    show();
    const silent = Object.values(answers).every(found => found.status === 0);
    if (silent) say("The bridge does not answer", "bad");
    else if (performance.now() > keptUntil) say("Up to date");
    if (tasks.every(found => answers[found.name])) document.documentElement.setAttribute("data-ready", "yes");
    setTimeout(() => {
      if (own === round) poll(task, own);
    }, task.every);
  };

  const start = () => {
    round += 1;
    if (!document.hidden && database) for (const task of tasks) poll(task, round);
  };

  const choose = name => {
    database = name;
    answers = {};
    counters = {};
    rates = {};
    document.title = name + " – Dualgauge";
    history.replaceState(null, "", "?database=" + Model.segment(name) + location.hash);
    show();
    start();
  };

  // Changing

  const confirm = action => new Promise(resolve => {
    const dialog = at("confirm");
    at("confirm-question").textContent = action.question;
    at("confirm-detail").textContent = action.detail;
    const inputs = action.fields.map(field => element("input", { type: field.type, name: field.name, maxlength: field.type === "text" ? "500" : "" }));
    at("confirm-fields").replaceChildren(...action.fields.map((field, index) => (field.type === "checkbox"
      ? element("label", {}, inputs[index], " " + field.label) : element("label", {}, field.label + " ", inputs[index]))));
    let values = null;
    at("confirm-yes").onclick = () => {
      values = {};
      inputs.forEach((input, index) => {
        values[action.fields[index].name] = input.type === "checkbox" ? input.checked : input.value;
      });
      dialog.close();
    };
    at("confirm-no").onclick = () => dialog.close();
    // Escape and Enter in a field close it as well, and confirm nothing.
    dialog.addEventListener("close", () => resolve(values), { once: true });
    dialog.showModal();
    if (action.fields.length === 0) at("confirm-no").focus();
  });

  const change = async action => {
    const [name, values] = [database, await confirm(action)];
    if (values === null || name !== database) return;
    keptUntil = Infinity;
    say(action.label + "…");
    const body = action.body ? Object.assign({}, action.body, values) : undefined;
    const outcome = Views.outcome(await ask(action.method, Model.segment(name) + "/" + action.path, body, patienceWithChanges));
    say(action.label + ": " + outcome.text, outcome.tone);
    keptUntil = performance.now() + 15000;
    start();
  };

  // Beginning

  const begin = async () => {
    const answer = await ask("GET", "_all_dbs");
    const names = Model.list(answer.json).map(Model.text);
    if (names.length === 0) {
      say(answer.status === 200 ? "The bridge serves no database" : Model.trouble(answer).text, "bad");
      setTimeout(begin, 5000);
      return;
    }
    const select = at("database");
    select.replaceChildren(...names.map(name => element("option", { value: name, text: name })));
    const wanted = new URLSearchParams(location.search).get("database");
    select.value = names.includes(wanted) ? wanted : names[0];
    select.addEventListener("change", () => choose(select.value));
    document.addEventListener("visibilitychange", start);
    choose(select.value);
  };

  begin();
})();
