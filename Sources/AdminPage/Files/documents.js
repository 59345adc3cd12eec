// One document with everything that the bridge knows of it, and the collections of the database.
import { anchor, bytes, count, generation, list, moment, plural, prose, text, time } from "./model.js";
import { facts, fold, note, table, toned, unless } from "./parts.js";
import { sideBySide } from "./bodies.js";
import { branches } from "./conflicts.js";

const yes = (value, words) => (value ? toned(words[0], "good") : toned(words[1], "warn"));

const clients = (json, now) => {
  const found = json.clients || {};
  const rows = list(found.behind).map(client => ({
    cells: [
      text(client.user) ? { href: anchor("users", client.user), text: text(client.user) } : toned("guest", "quiet"), text(client.agent),
        generation(client.generation), time(client.lastSeen, now),
    ],
  }));
  return [
    note(plural(found.caughtUp, "client has", "clients have") + " read its present state; of " + count(found.unknown) + " this is not known."),
    ...(rows.length ? [fold("behind", plural(rows.length, "client has", "clients have") + " not read it yet", [table("", ["user", "client",
      "generation", "last seen"], rows, "")])] : []),
  ];
};

const revisions = json => table("Revisions, the newest " + count(list(json.revisions).length) + " of " + count(json.revisionCount), ["revision",
  "follows", "state", "body"], list(json.revisions).map(one => ({
  cells: [
    { revision: text(one.rev) }, one.parent ? { revision: text(one.parent) } : "", [one.winner ? "wins" : one.leaf ? "live branch" : "", one.deleted
      ? "deleted" : ""].filter(word => word !== "").join(", "),
    one.body ? "kept" : toned("not kept", "quiet"),
  ],
})), "");

const explained = (json, found, database, now) => {
  const upstream = json.upstream || {};
  const { body } = found;
  return [
    facts([
      ["document", text(json.id)], ["collection", text(json.collection)], ["ID for 1.x clients", json.legacyID ? text(json.legacyID)
        : toned("not visible to them", "quiet")],
      ["revision", [{ revision: text(json.winner) }, json.deleted ? toned(" deleted", "warn") : ""]], ["changed", [time(json.modified, now), " ",
        toned(moment(json.modified), "quiet")]],
      ["expires", json.expires ? moment(json.expires) : ""], ["sequence", json.sequence === null ? "" : text(json.sequence)],
      ["channels", list(json.channels).map(channel => text(channel.name) + (channel.leftWith ? " (left)" : "")).join(", ") || toned("none", "quiet")],
      ["at the old server", upstream.server ? [yes(upstream.hasIt, ["has this revision", "has not sent this revision"]), " ",
        toned(text(upstream.server), "quiet")] : toned("no feed of an old server is known", "quiet")],
    ]),
    ...(found.branches ? [{ kind: "heading", text: "In conflict" }, ...branches(database, json, found.branches)] : []),
    ...(body && body.status === 200 ? [fold("body", "Body", [sideBySide([{ title: [{ revision: text(body.json && body.json._rev) }],
      body: body.json }])])] : []),
    revisions(json),
    ...(list(json.attachments).length ? [table("Attachments", ["name", "type", "length", "digest"], list(json.attachments).map(one => ({
      cells: [text(one.name), text(one.contentType), one.length === null ? "" : bytes(one.length), text(one.digest)],
    })), "")] : []),
    ...clients(json, now),
  ];
};

/** What a search has found: `wanted` has `id` and `collection`; `found` has the answers `explanation`, `body`, `names` and `branches`. */
export const search = (wanted, found, database, now) => {
  if (wanted.id === "") return [];
  if (!found) return [note("Searching for the document…")];
  const { explanation, names } = found;
  if (explanation.status !== 404) return unless(explanation, json => explained(json, found, database, now));
  const rows = list(names && names.json && names.json.rows);
  return [
    note("There is no document " + wanted.id + (wanted.collection ? " in " + wanted.collection : "") + "."),
    ...(rows.length ? [{ kind: "line", cells: ["IDs with this beginning: ", ...rows.map(row => [{ href: anchor("documents", row.id, wanted.collection),
      text: text(row.id) }, " "])] }] : []),
  ];
};

export const collections = answer => unless(answer, json => [
  note(text(json.state) + ", sequence " + text(json.sequence) + "; conflicts: " + text(json.conflict_policy) + "; departures: "
    + text(json.departures)
    + (json.misplaced_counted === false ? "; misplaced documents are still being counted" : "")),
  table("Collections", ["collection", "documents", "tombstones", "conflicts", "misplaced", "qualified", "legacy clients"],
    [Object.assign({ name: "unified keyspace" }, json.unified)].concat(list(json.collections)).map(entry => ({
      cells: [
        text(entry.name), count(entry.live), count(entry.tombstones), entry.conflicted ? { href: anchor("conflicts"), text: count(entry.conflicted) }
          : "0",
        entry.misplaced ? { href: anchor("migrations"), text: count(entry.misplaced) } : "0", count(entry.qualified), entry.hidden ? "hidden"
          : "see it",
      ],
    })), ""),
  table("Routes, the first that matches wins", ["to", "when", "prefix"], list(json.routes).map(route => ({
    cells: [text(route.to), prose(route.when), route.strips_prefix ? "cut off" : "kept"],
  })), "no routes: new documents stay in the default collection"),
]);
