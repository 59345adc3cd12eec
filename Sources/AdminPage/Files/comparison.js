// The comparison of both servers: how far it is, its result, and the documents that differ.
import { anchor, count, duration, list, plural, text, time } from "./model.js";
import { buttons, facts, note, table, toned } from "./parts.js";

const compares = ["shadow", "dual", "switched"];

const path = "_cutover/comparison";

const start = (label, bodies) => ({ label, key: "compare " + bodies, method: "POST", path, body: { bodies } });

const stop = { label: "Stop the comparison", key: "compare stop", method: "DELETE", path };

const words = {
  missing: "not here", extra: "here alone", winner: "another revision wins", leaves: "other branches", tombstone: "deleted on one side",
  body: "another body", attachments: "other attachments",
};

const progress = (running, now) => {
  const { done, total } = running;
  const lasted = (now - Date.parse(running.start)) / 1000;
  const label = text(running.activity) + ": " + count(done) + (total ? " of " + plural(total, "document") : "")
    + (lasted >= 1 ? ", for " + duration(lasted) : "");
  return { kind: "meter", label, value: Math.min(done, total || done), max: Math.max(1, total || done) };
};

const result = (parity, now) => {
  if (!parity) return [note("Both servers have not been compared yet.")];
  if (parity.failure) return [note("The comparison has failed: " + text(parity.failure), "bad")];
  return [facts([
    ["compared", [time(parity.time, now), ", " + plural(parity.compared, "document") + ", with the bodies of " + count(parity.verified) + " so far"]],
    ["differ", toned(count(parity.differing), parity.differing ? "bad" : "good")],
    ...Object.entries(parity.kinds || {}).map(([kind, number]) => [words[kind] || kind, count(number)]),
  ])];
};

const row = difference => ({
  cells: [
    { href: anchor("documents", difference.id, difference.collection), text: text(difference.id) }, text(difference.collection),
    words[difference.kind] || text(difference.kind), text(difference.detail),
  ],
});

/** `json` is the cutover, `answer` that of its comparison. */
export const view = (json, answer, now) => {
  const known = answer && answer.status === 200 ? answer.json || {} : {};
  const parts = [{ kind: "heading", text: "Comparison of both servers", id: "differences" }];
  if (known.running) parts.push(progress(known.running, now), buttons([stop]));
  parts.push(...result(json.parity || known.parity, now));
  const rows = list(known.differences);
  if (rows.length) {
    const shown = "Documents that differ" + (known.listed > rows.length ? ", the first " + count(rows.length) + " of " + count(known.listed) : "");
    parts.push(table(shown, ["document", "collection", "difference", "old server, here"], rows.map(row), ""));
  }
  if (compares.includes(json.stage) && !known.running) parts.push(buttons([start("Compare now", 1000), start("Compare with all bodies", "all")]));
  return parts;
};
