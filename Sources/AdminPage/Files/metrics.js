// The metrics of Prometheus's text format: functions of their arguments alone.
import { rate, text } from "./model.js";

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of an answer. Buckets of histograms are left out. */
export const parse = content => {
  const samples = [];
  for (const row of text(content).split("\n")) {
    const found = row.startsWith("#") ? null : line.exec(row);
    if (!found || found[1].endsWith("_bucket")) continue;
    const labels = {};
    for (const [, name, value] of text(found[2]).matchAll(label)) labels[name] = value.replace(/\\(.)/g, (_, one) => (one === "n" ? "\n" : one));
    const value = Number(found[3]);
    if (Number.isFinite(value)) samples.push({ name: found[1], labels, value });
  }
  return samples;
};

/** The sum of a metric over the samples that have these labels; null if there is none. A label's value may be a function. */
export const sum = (samples, name, labels) => {
  const found = samples.filter(sample => sample.name === name && Object.entries(labels || {}).every(([key, wanted]) =>
    (typeof wanted === "function" ? wanted(text(sample.labels[key])) : sample.labels[key] === wanted)));
  return found.length ? found.reduce((total, sample) => total + sample.value, 0) : null;
};

/** The stage of a database; an empty text without a cutover. */
export const stage = (samples, database) => {
  const found = samples.find(sample => sample.name === "dualgauge_cutover_stage" && sample.value === 1 && sample.labels.database === database);
  return found ? text(found.labels.stage) : "";
};

const counters = {
  requests: [["dualgauge_requests_total", { port: "public" }]],
  errors: [["dualgauge_requests_total", { status: value => value >= "500" }]],
  refused: [["dualgauge_logins_failed_total", {}], ["dualgauge_admin_logins_failed_total", {}]],
};

const countersOfDatabase = {
  pulled: [["dualgauge_replication_documents_total", { direction: "pull" }]],
  pushed: [["dualgauge_replication_documents_total", { direction: "push" }]],
  commits: [["dualgauge_commits_total", {}]],
};

/** The counters of which rates are shown, at one time. */
export const look = (samples, database, time) => {
  const counts = {};
  const read = (table, extra) => {
    for (const [name, sources] of Object.entries(table)) {
      counts[name] = sources.reduce((total, [metric, labels]) => total + (sum(samples, metric, { ...labels, ...extra }) || 0), 0);
    }
  };
  read(counters, {});
  read(countersOfDatabase, { database });
  return { time, start: sum(samples, "process_start_time_seconds"), counts };
};

/** Rates a second between two looks. There are none over a restart. */
export const rates = (before, after) => {
  const found = {};
  for (const name of [...Object.keys(counters), ...Object.keys(countersOfDatabase)]) {
    found[name] = before && after && before.start === after.start
      ? rate({ time: before.time, count: before.counts[name] }, { time: after.time, count: after.counts[name] }) : null;
  }
  return found;
};

/** Rates of counters that are looked at often: each is measured over a second and a half at least, so that it does not jump. */
export const speedometer = () => {
  const last = new Map();
  const speeds = {};
  return {
    speeds,
    see: (name, count, time) => {
      const known = last.get(name);
      if (known && time - known.time < 1500) return;
      speeds[name] = rate(known, { time, count });
      last.set(name, { time, count });
    },
  };
};
