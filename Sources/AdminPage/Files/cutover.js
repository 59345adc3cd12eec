// The cutover: the verdict, the stages, the gates and the steps.
import { checklist } from "./gates.js";
import { view as comparison } from "./comparison.js";
import { view as devices } from "./groups.js";
import { drawing, host } from "./drawing.js";
import { summary } from "./devices.js";
import { anchor, count, list, plural, prose, text, time, trouble } from "./model.js";
import { buttons, facts, fold, heading, note, table, toned, unless } from "./parts.js";
import { stage, sum } from "./metrics.js";

const stages = ["shadow", "dual", "switched", "complete", "sunset"];

const fleetWords = (fleet, now) => {
  if (!fleet) return [];
  const found = summary(fleet.clients, now);
  const users = found.users === 0 ? "" : "; " + count(found.moved) + " of " + plural(found.users, "user") + " have moved to 2.x+ apps";
  return [[{ href: anchor("fleet", "1"), text: plural(found.oldDevices, "old device") }, " used the bridge in the last 30 days" + users + "."]];
};

/** Whether one may go on, and if not, why; and how many old devices are left. */
export const verdict = (state, now) => {
  if (state.silent) return { tone: "bad", title: "The bridge does not answer.", lines: ["The data below is from before " + state.silent + "."] };
  const { answer } = state;
  const problem = trouble(answer);
  if (problem && answer && answer.status === 404) {
    return { tone: "quiet", title: "This database has no cutover.",
      lines: ["Its cutover is `not configured`. Add the section `cutover` to its configuration."].map(prose).concat(fleetWords(state.fleet,
      now)) };
  }
  if (problem) return { tone: problem.tone, title: "The stage of the cutover: " + problem.text, lines: [] };
  const json = answer.json || {};
  const devices = fleetWords(state.fleet, now);
  if (!json.next) return { tone: "good", title: "The cutover is done: 1.x clients are refused.", lines: devices };
  const closed = checklist(json, now).forward.filter(gate => gate.state !== "good");
  const lines = closed.map(gate => [gate.problem + " ", gate.todo || ""]);
  if (json.canAdvance) return { tone: "good", title: "You may go on to " + text(json.next) + ".", lines: devices };
  if (closed.length && closed.every(gate => gate.state === "due")) {
    return { tone: "good", title: "You may take the step to " + text(json.next) + "; it compares both servers first.", lines: devices };
  }
  const total = checklist(json, now).forward.length;
  const title = "You may not go on to " + text(json.next) + " yet: " + (closed.length ? count(closed.length) + " of " + plural(total, "gate")
    + (closed.length === 1 ? " is" : " are") + " closed." : "a gate is closed.");
  return { tone: "bad", title, lines: lines.concat(devices) };
};

const step = (json, action, target, gates) => {
  const closed = gates.filter(gate => gate.state === "bad");
  const due = gates.some(gate => gate.name === "parity" && gate.state !== "good");
  const forth = action === "advance";
  const label = (forth ? "Advance to " : "Go back to ") + target;
  const detail = (closed.length ? closed.map(gate => gate.problem).join(" ") + " The step is refused until the gates are passed. " : "")
    + (due ? "The step compares both servers first, which can take minutes. It is refused if a document differs. " : "")
    + (!closed.length && !due ? "All gates are passed. " : "") + "The step is recorded.";
  const force = { name: "force", label: "Override the closed gates (recorded with the step; a reason is required)", type: "checkbox",
    needs: "reason", danger: true };
  return {
    label, key: action, question: (forth ? "Advance from " : "Go back from ") + text(json.stage) + " to " + target + "?", detail, confirm: label,
    tone: target === "sunset" || target === "complete" ? "danger" : "primary",
    fields: [{ name: "reason", label: "Reason, for the record", type: "text" }].concat(closed.length || due ? [force] : []),
    method: "POST", path: "_cutover", body: { action, to: target },
  };
};

/** The dry run of a step: it changes nothing, so nobody is asked. */
const attempt = (action, target) => ({
  label: "Try the step to " + target, key: "try " + action, method: "POST", path: "_cutover", body: { action, to: target, dryRun: true },
});

export const history = (json, now) => table("Steps", ["when", "from", "to", "outcome", "reason"], list(json.history).map(entry => ({
  cells: [
    time(entry.time, now), text(entry.from), text(entry.to),
    toned(text(entry.outcome) + (entry.forced ? ", forced" : ""), entry.outcome === "taken" && !entry.forced ? "good" : "warn"), text(entry.reason)
      || toned("none", "quiet"),
  ],
})), "No step was taken yet.");

/** `compared` is the answer of the comparison. */
export const view = (answer, compared, now) => unless(answer, json => {
  const place = stages.indexOf(json.stage);
  const gates = checklist(json, now);
  const parts = [{ kind: "steps", label: "Stages of the cutover", items: stages.map((name, index) => ({ text: name, current: index === place,
    done: index < place })) }];
  if (json.meaning) parts.push(note(text(json.meaning)[0].toUpperCase() + text(json.meaning).slice(1) + "."));
  if (json.next) parts.push(heading("Before the step to " + text(json.next)), { kind: "checks", items: gates.forward });
  const actions = [];
  if (json.next) actions.push(step(json, "advance", text(json.next), gates.forward), attempt("advance", text(json.next)));
  if (actions.length) parts.push(buttons(actions));
  if (json.previous) {
    // The gates `lag` and `parked` stand in the answer once for both ways.
    const shared = json.stage === "dual" ? gates.forward.filter(gate => gate.name === "lag" || gate.name === "parked") : [];
    const back = shared.concat(gates.back);
    parts.push(fold("back", "The way back to " + text(json.previous) + (json.canReverse === true ? "" : " (a gate is closed)"), [
      ...(back.length ? [{ kind: "checks", items: back }] : [note("This step has no gates.")]),
      buttons([step(json, "reverse", text(json.previous), back), attempt("reverse", text(json.previous))]),
    ]));
  }
  return parts.concat(devices(json.devices, now), comparison(json, compared, now), [history(json, now)]);
});

/** The drawing of both servers, and the live rates beside it. */
export const picture = (state, now) => {
  const { cutover, fleet, samples, rates, database } = state;
  const json = cutover && cutover.status === 200 ? cutover.json || {} : {};
  const status = list(state.replications && state.replications.json).find(one => one && one.replication_id === json.legacy);
  const open = wanted => sum(samples, "dualgauge_clients_open", { database, generation: wanted }) || 0;
  const loaded = fleet && fleet.status === 200 ? fleet.json : null;
  const live = value => (value === null || value === undefined ? toned("…", "quiet") : value + " a second");
  return [
    drawing({
      stage: text(json.stage) || stage(samples, database), database, legacy: json.legacy ? host(status && status.config && status.config.remote)
        || text(json.legacy) : "",
      reaches: status ? text(status.error_message) === "" : undefined, summary: loaded ? summary(loaded.clients, now) : null,
      documents: sum(samples, "dualgauge_documents", { database, state: "live" }),
      open: { old: open("1.x"), modern: open(value => value !== "1.x") }, rates,
    }),
    facts([
      ["copied from the old server", live(rates.pulled)], ["sent to the old server", live(rates.pushed)], ["commits", live(rates.commits)],
      ["requests of clients", live(rates.requests)], ["errors", rates.errors ? toned(live(rates.errors), "bad") : live(rates.errors)],
      ["failed logins", live(rates.refused)],
    ]),
  ];
};
