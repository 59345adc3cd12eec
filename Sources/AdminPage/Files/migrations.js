// Moves of documents into the collections of the routes, with their report.
import { count, duration, list, members, moment, number, plural, text } from "./model.js";
import { buttons, facts, note, table, toned, unless } from "./parts.js";

const act = (action, label, detail, tone, fields) => ({
  label, key: "migration " + action, question: label + "?", confirm: label, detail, tone: tone || "primary", fields: fields || [], method: "POST",
    path: "_migrations", body: { action },
});

const grants = [{ name: "allow_new_grants", label: "Permit documents to grant access in their new collections that they do not grant now", type: "checkbox",
  danger: true }];

const actions = {
  start: () => act("start", "Move documents",
    "Documents of the default collection are moved to the collections of the routes. Clients stay connected. The move can be paused and reverted.", "primary",
    grants),
  pause: () => act("pause", "Pause the migration", "It pauses after the present step, and can continue from there."),
  resume: () => act("resume", "Resume the migration", "It continues after the last step."),
  cancel: () => act("cancel", "Cancel the migration", "Moved documents stay where they are.", "danger"),
  revert: () => act("revert", "Move back", "The documents that the last run has moved are moved back, with all later changes.", "danger"),
};

/** What can be done now. */
const possible = (json, overview) => {
  const state = text(json.state);
  if (state === "running" || state === "reverting") return ["pause", "cancel"];
  if (state === "paused") return ["resume", "cancel"];
  const known = (overview && overview.json) || {};
  const isDone = known.misplaced_counted === true && number((known.unified || {}).misplaced) === 0;
  const routes = isDone ? 0 : list(known.routes).length;
  const last = list(json.runs).reduce((newest, run) => (!newest || number(run.id) > number(newest.id) ? run : newest), null);
  return [...(routes ? ["start"] : []), ...(last && last.state === "done" ? ["revert"] : [])];
};

const progress = (json, rate) => {
  const left = number(json.total) - number(json.examined);
  const speed = rate ? ", " + rate + " a second" + (left > 0 ? ", about " + duration(left / rate) + " left" : "") : "";
  return { kind: "meter", label: count(json.examined) + " of " + plural(json.total, "document") + " examined" + speed, value: number(json.examined),
    max: Math.max(1, number(json.total)) };
};

const report = json => {
  const flag = value => (number(value) ? toned(count(value), "warn") : "0");
  return facts([
    ...members(json.moved).map(([name, moved]) => ["moved to " + name, count(moved)]), ["matched by no route", flag(json.unmatched)],
    ["place taken by another document", flag(json.clashes)], ["refused by a sync function", flag(json.refused)], ["would grant new access",
      flag(json.newly_granting)],
    ["moved back", number(json.reverted) ? count(json.reverted) : ""],
  ]);
};

/** `rate` is how many documents are looked at a second; null if it is not known. */
export const view = (answer, overview, rate) => unless(answer, json => {
  const state = text(json.state);
  const isActive = state === "running" || state === "reverting" || state === "paused";
  const misplaced = number(overview && overview.json && overview.json.unified && overview.json.unified.misplaced);
  const parts = [note("State: " + state + (json.last_error ? ". " + text(json.last_error) : ""), json.last_error ? "bad" : "quiet")];
  if (isActive) parts.push(progress(json, state === "paused" ? null : rate));
  else if (misplaced) parts.push(note(plural(misplaced, "document is", "documents are")
    + " where no route places them. A move puts them in their collections.", "warn"));
  const can = possible(json, overview);
  if (can.length) parts.push(buttons(can.map(name => actions[name]())));
  if (isActive || members(json.moved).length || number(json.examined)) parts.push({ kind: "heading", text: "Report" }, report(json));
  const row = (run, from) => ({
    when: text(run.started), row: { cells: [text(run.id), from, text(run.state), moment(run.started), moment(run.finished), lasted(run)] },
  });
  const imports = list(overview && overview.json && overview.json.imports);
  const runs = list(json.runs).map(run => row(run, "in place")).concat(imports.map(run => row(run, text(run.source))));
  runs.sort((a, b) => (a.when < b.when ? 1 : a.when > b.when ? -1 : 0));
  parts.push(table("Runs", ["run", "from", "state", "started", "finished", "took"], runs.slice(0, 50).map(run => run.row),
    "no migration has run yet"));
  return parts;
});

const lasted = run => {
  const seconds = (Date.parse(run.finished) - Date.parse(run.started)) / 1000;
  return Number.isNaN(seconds) ? "" : seconds < 1 ? "less than 1 s" : duration(seconds);
};
