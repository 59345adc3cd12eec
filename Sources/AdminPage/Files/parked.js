// Parked revisions: what one side of a replication has refused, by the reason; retried or forgotten from here.
import { anchor, count, list, number, plural, segment, short, text, time } from "./model.js";
import { buttons, fold, note, toned, unless } from "./parts.js";
import { sideBySide } from "./bodies.js";

export const key = entry => text(entry.replication) + "/" + text(entry.collection) + "/" + text(entry.id) + "/" + text(entry.revision);

const keyspace = (database, entry) => segment(database + (text(entry.collection) ? "." + text(entry.collection) : ""));

/** What asks for the parked revision here, and for what wins here. */
export const question = (database, entry) => ({
  path: keyspace(database, entry) + "/_bulk_get", body: { docs: [{ id: text(entry.id), rev: text(entry.revision) }, { id: text(entry.id) }] },
});

/** The revisions that are parked for one reason, most first. */
export const groups = rows => {
  const found = new Map();
  for (const entry of list(rows)) {
    const name = [text(entry.replication), text(entry.direction), text(entry.code), text(entry.reason)].join("\n");
    if (!found.has(name)) found.set(name, { name, replication: text(entry.replication), direction: text(entry.direction), code: text(entry.code),
      reason: text(entry.reason), rows: [] });
    found.get(name).rows.push(entry);
  }
  return [...found.values()].sort((a, b) => b.rows.length - a.rows.length || (a.name < b.name ? -1 : 1));
};

const words = {
  retry: { label: "Retry", detail: "A revision that is refused again stays parked with its new reason.", tone: "primary" },
  forget: { label: "Forget",
    detail: "The revision leaves the list and is not retried. It stays on the side that has it, and both servers differ.", tone: "danger" },
};

/** One request for each document: the admin port takes a document, or all of a replication. */
const act = (action, rows, label, what, name) => {
  const targets = new Map(rows.map(entry => [text(entry.replication) + "\n" + text(entry.id), { action, replication: text(entry.replication),
    id: text(entry.id) }]));
  return {
    label, key: action + " " + name, tone: words[action].tone, question: words[action].label + " " + what + "?", confirm: words[action].label + " "
      + what, detail: words[action].detail, fields: [],
    method: "POST", path: "_parked", bodies: [...targets.values()],
  };
};

const all = (action, total) => ({
  label: words[action].label + " all", key: action + " all", tone: words[action].tone, question: words[action].label + " all " + plural(total,
    "parked revision") + "?",
  confirm: words[action].label + " all", detail: words[action].detail, fields: [], method: "POST", path: "_parked", body: { action },
});

const missing = {
  pull: "The bridge does not have this revision, because it has refused it.", push: "The bridge no longer has this body.",
    winner: "The document does not exist here, or is deleted.",
};

const revisions = (entry, answer) => {
  if (!answer) return [note("The bodies are being read…")];
  return unless(answer, json => {
    const [parked, winner] = [0, 1].map(place => {
      const first = list((list(json.results)[place] || {}).docs)[0];
      return (first && first.ok) || null;
    });
    const items = [{ title: ["Parked ", { revision: text(entry.revision) }], body: parked, missing: missing[entry.direction] }];
    if (!winner) items.push({ title: "Here now", body: null, missing: missing.winner });
    else if (text(winner._rev) !== text(entry.revision)) items.push({ title: ["Here now ", { revision: text(winner._rev) }], body: winner });
    else items[0].title.push(" wins here");
    return [sideBySide(items)];
  });
};

const detail = (entry, bodies, now) => Object.assign(fold("parked " + key(entry),
  [text(entry.id), " ", { text: short(entry.revision) + (entry.collection ? ", " + text(entry.collection) : "") + ", " + plural(entry.attempts,
    "attempt") + ", since " + time(entry.first_seen, now).text, tone: "quiet" }],
  [
    { kind: "line", cells: [{ href: anchor("documents", entry.id, entry.collection), text: "Everything about this document" }] }, ...revisions(entry,
      bodies[key(entry)]),
    buttons([act("retry", [entry], "Retry", text(entry.id), key(entry)), act("forget", [entry], "Forget", text(entry.id), key(entry))]),
  ]), { command: "parkedBodies", value: entry });

const side = { push: "The other server has refused", pull: "The bridge has refused" };

const group = (found, bodies, now) => {
  const many = plural(found.rows.length, "revision");
  const first = found.rows.map(entry => text(entry.first_seen)).sort()[0];
  const last = found.rows.map(entry => text(entry.last_seen)).sort().pop();
  return [
    { kind: "heading", text: (side[found.direction] || "Refused:") + " " + many },
    { kind: "line", cells: [toned([found.code, found.reason].filter(part => part !== "").join(": "), "bad"), toned(" in " + found.replication + ", "
      + found.direction + ", first " + time(first, now).text + ", last " + time(last, now).text, "quiet")] },
    buttons([act("retry", found.rows, "Retry these", "these " + many, found.name), act("forget", found.rows, "Forget these", "these " + many,
      found.name)]),
    ...(found.rows.length > 5 ? [fold("group " + found.name, "All " + count(found.rows.length), found.rows.map(entry => detail(entry, bodies, now)))]
      : found.rows.map(entry => detail(entry, bodies, now))),
  ];
};

/** `bodies` has the answers with bodies by key, as far as they were asked for. */
export const view = (answer, bodies, now) => unless(answer, json => {
  const shown = list(json.parked);
  const total = number(json.total);
  if (!shown.length) return [note("nothing is parked")];
  const found = groups(shown);
  const parts = found.flatMap(one => group(one, bodies, now));
  if (found.length > 1 || total > shown.length) parts.unshift(buttons([all("retry", total), all("forget", total)]));
  if (total > shown.length) parts.push(note(count(shown.length) + " of " + count(total) + " are shown."), buttons([{ label: "Show more",
    key: "parked more", command: "parkedMore", value: shown.length }]));
  return parts;
});
