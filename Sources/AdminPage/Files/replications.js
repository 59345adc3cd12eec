// Replications: how each is, what has gone through it since the start of the bridge, and what holds it up.
import { anchor, count, duration, list, moment, number, segment, text } from "./model.js";
import { table, toned, unless } from "./parts.js";
import { sum } from "./metrics.js";

const counters = ["docs_read", "docs_written", "docs_checked_pull", "docs_checked_push"];

/** What the counters of a status sum up to. */
export const transferred = status => counters.reduce((total, key) => total + number(status[key]), 0);

const tones = { running: "good", error: "bad", reconnecting: "warn", stopped: "quiet" };
const runs = ["running", "starting", "reconnecting"];

const errors = status => {
  const since = status.error_time ? " since " + moment(status.error_time) + ": " : "";
  if (status.error_message) return [toned("Held up" + since, "bad"), text(status.error_message)];
  if (status.last_error_message) return [toned("No error now. The last error, " + moment(status.last_error_time) + ": ", "quiet"),
    text(status.last_error_message)];
  return toned("none", "quiet");
};

const control = (id, isRunning) => ({
  label: isRunning ? "Stop" : "Start", key: "replication " + id, confirm: (isRunning ? "Stop " : "Start ") + id, tone: isRunning ? "danger"
    : "primary",
  question: (isRunning ? "Stop" : "Start") + " the replication " + id + "?",
  detail: isRunning ? "Revisions that have arrived are stored. The next start continues from there." : "It continues where it stopped.",
  fields: [], method: "PUT", path: "_replicationStatus/" + segment(id) + "?action=" + (isRunning ? "stop" : "start"),
});

const reset = id => ({
  label: "Reset", key: "reset " + id, confirm: "Reset " + id, tone: "danger", question: "Reset the replication " + id + "?",
  detail: "The next start reads both sides from the beginning. Documents that are on both sides already are not sent again.", fields: [],
  method: "PUT", path: "_replicationStatus/" + segment(id) + "?action=reset",
});

const row = (status, rates, samples, database) => {
  const id = text(status.replication_id);
  const config = status.config || {};
  const state = text(status.status);
  const perSecond = number((rates || {})[id]);
  const failures = number(status.doc_write_failures) + number(status.rejected_by_remote) + number(status.rejected_by_local);
  const lag = sum(samples || [], "dualgauge_replication_lag_seconds", { database, replication: id });
  const pending = sum(samples || [], "dualgauge_replication_pending", { database, replication: id });
  return {
    cells: [
      id, toned(state + (perSecond ? ", " + perSecond + " a second" : ""), tones[state]),
      [text(config.remote), config.direction ? toned(" " + text(config.direction), "quiet") : ""],
      lag === null ? toned("not known", "quiet") : lag === 0 ? "caught up" : duration(lag) + " behind", pending === null ? "" : count(pending),
      count(status.docs_read) + " of " + count(number(status.docs_checked_pull)), count(status.docs_written) + " of "
        + count(number(status.docs_checked_push)),
      failures ? { href: anchor("parked"), text: count(failures) } : "0", errors(status), { actions: [control(id, runs.includes(state)),
        ...(state === "stopped" ? [reset(id)] : [])] },
    ],
  };
};

export const view = (answer, rates, samples, database) => unless(answer, json => [
  table("", ["name", "state", "with", "lag", "pending", "pulled", "pushed", "refused", "error", ""], list(json).map(status => row(status, rates,
    samples, database)),
    "no replications are configured"),
  ...(list(json).length ? [{ kind: "text", tone: "quiet",
    text: "Pulled, pushed and refused count from the start of the bridge: a restart sets them to 0. “3 of 5” means that 5 changes were examined, and 3 were new." }] : []),
]);
