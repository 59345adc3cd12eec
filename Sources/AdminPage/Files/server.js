// The bridge as a whole: its version, its load, and all of its databases.
import { bytes, count, duration, list, members, moment, plural, text, time } from "./model.js";
import { facts, note, table, toned, unless } from "./parts.js";
import { stage, sum } from "./metrics.js";

const flagged = (value, words) => (value ? toned(words, "bad") : words);

const process = (json, samples, rates, now) => {
  const metric = (name, labels) => sum(samples, name, labels);
  const start = metric("process_start_time_seconds");
  const used = metric("dualgauge_memory_used_bytes");
  const resident = metric("process_resident_memory_bytes");
  const open = metric("process_open_fds");
  const expiry = metric("dualgauge_certificate_expiry_seconds");
  const supervision = json.supervision || {};
  const held = list(supervision.held_back).map(text);
  const refused = (metric("dualgauge_logins_failed_total") || 0) + (metric("dualgauge_admin_logins_failed_total") || 0);
  const errors = metric("dualgauge_requests_total", { status: value => value >= "500" }) || 0;
  const live = value => (value === null || value === undefined ? "…" : value + " a second");
  return facts([
    ["version", text(json.version)], ["runs for", start === null ? "" : duration(now / 1000 - start) + ", since "
      + moment(new Date(start * 1000).toISOString().slice(0, 19) + "Z")],
    ["restarts by the supervisor", supervision.supervised === false ? "no supervisor" : flagged(supervision.restarts, count(supervision.restarts))],
    ["last restart", supervision.last_reason ? moment(supervision.last_time) + ": " + text(supervision.last_reason) : ""], ["held back", held.length
      ? toned(held.join(", "), "bad") : ""],
    ["connections of 2.x+ clients", count(metric("dualgauge_open", { kind: "blip" }))],
    ["feeds of 1.x clients", count(metric("dualgauge_open", { kind: value => ["longpoll", "continuous", "websocket"].includes(value) }))],
    ["requests of clients", [live(rates.requests), toned(", " + count(metric("dualgauge_requests_total", { port: "public" })) + " since the start",
      "quiet")]],
    ["errors (5xx)", [rates.errors ? toned(live(rates.errors), "bad") : live(rates.errors), toned(", " + count(errors) + " since the start",
      "quiet")]],
    ["failed logins", [live(rates.refused), toned(", " + count(refused) + " since the start", "quiet")]],
    ["memory of the process", resident === null ? "" : bytes(resident)], ["memory for clients", used === null ? "" : bytes(used) + " of "
      + bytes(metric("dualgauge_memory_limit_bytes"))],
    ["files and connections", open === null ? "" : count(open) + " of " + count(metric("process_max_fds"))],
    ["certificate", expiry === null ? "" : flagged(expiry - now / 1000 < 14 * 86400, "ends in " + duration(expiry - now / 1000))],
    ["stores opened on a full disk", metric("dualgauge_store_restricted") ? toned(count(metric("dualgauge_store_restricted")), "bad") : ""],
  ]);
};

const row = (name, found, samples) => {
  const metric = (metricName, labels) => sum(samples, metricName, { ...labels, database: name });
  const parked = metric("dualgauge_parked_revisions") || 0;
  const conflicted = metric("dualgauge_documents", { state: "conflicted" }) || 0;
  const held = metric("dualgauge_replication_held_up") || 0;
  const lag = metric("dualgauge_replication_lag_seconds");
  const address = "?database=" + encodeURIComponent(name);
  return {
    cells: [
      { href: address + "#cutover", text: name }, toned(text(found.state), found.state === "Online" ? "good" : "warn"), stage(samples, name)
        || toned("no cutover", "quiet"),
      count(metric("dualgauge_documents", { state: "live" })), conflicted ? { href: address + "#conflicts", text: count(conflicted) } : "0",
      parked ? { href: address + "#parked", text: count(parked) } : "0",
      held ? toned(plural(held, "replication is", "replications are") + " held up", "bad") : lag === null ? toned("none", "quiet") : lag
        ? duration(lag) + " behind" : "caught up",
      count(metric("dualgauge_clients_open", { generation: "1.x" })), count(metric("dualgauge_clients_open",
        { generation: value => value !== "1.x" })),
    ],
  };
};

const bridgeState = bridge => (bridge.stopping ? toned("is stopping", "warn") : bridge.works ? toned("does the work that must run once", "good") : "");

/** The bridges of the databases that several bridges may serve. */
const bridges = (databases, now) => {
  const rows = databases.flatMap(([name, found]) => list(found && found.bridges).map(bridge => ({
    cells: [name, { text: text(bridge.name), title: text(bridge.id) }, time(bridge.started, now), count(bridge.clients),
      time(bridge.last_seen, now), bridgeState(bridge)],
  })));
  return rows.length ? [table("Bridges", ["database", "bridge", "started", "connections", "last sign of life", "state"], rows, "")] : [];
};

/** `answer` is that of `_status`. */
export const view = (answer, samples, rates, now) => unless(answer, json => [
  table("Databases", ["database", "state", "stage", "documents", "conflicts", "parked", "replications", "1.x open", "2.x+ open"],
    members(json.databases).map(([name, found]) => row(name, found || {}, samples)), "The bridge serves no database."),
  ...bridges(members(json.databases), now),
  { kind: "heading", text: "Process" }, process(json, samples, rates, now),
  note("Rates are of the last seconds. Counts since the start begin at 0 with each start of the process."),
]);
