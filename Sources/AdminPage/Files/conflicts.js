// Documents in conflict: their live branches side by side, and the end of a conflict.
import { anchor, count, list, number, segment, text, time } from "./model.js";
import { fold, note, unless } from "./parts.js";
import { sideBySide } from "./bodies.js";

/** What tells a document from all others of a database. */
export const key = entry => text(entry.collection) + "/" + text(entry.id);

/** The path of a document's branches; `database` is the name of its database. */
export const path = (database, entry) => segment(database + (text(entry.collection) ? "." + text(entry.collection) : "")) + "/" + segment(entry.id)
  + "?open_revs=all";

/** Keeps one branch: all other live ones get a tombstone. */
const keep = (database, entry, kept, branches) => {
  const others = branches.map(branch => text(branch._rev)).filter(revision => revision !== kept);
  return {
    label: "Keep this one", key: "keep " + key(entry) + " " + kept, tone: "danger", confirm: "Keep " + kept.slice(0, 12),
    question: "Keep the revision " + kept + " of " + text(entry.id) + "?",
    detail: "The other " + (others.length === 1 ? "branch gets a tombstone" : others.length + " branches get a tombstone each")
      + ". All devices and the old server get the tombstones. Content that is only in the other "
      + (others.length === 1 ? "branch" : "branches") + " is lost: copy it first if it is needed.",
    fields: [], method: "POST", whole: segment(database + (text(entry.collection) ? "." + text(entry.collection) : "")) + "/_bulk_docs",
    body: { docs: others.map(revision => ({ _id: text(entry.id), _rev: revision, _deleted: true })) }, forgets: key(entry),
  };
};

/** The branches of a document, once they were asked for. */
export const branches = (database, entry, answer) => {
  if (!answer) return [note("The branches are being read…")];
  return unless(answer, json => {
    const found = list(json).map(one => one && one.ok).filter(body => body && !body._deleted);
    if (found.length < 2) return [note("The document has one live branch now.")];
    return [sideBySide(found.map(body => ({
      title: [{ revision: text(body._rev) }, text(body._rev) === text(entry.winner) ? " wins" : ""], body, actions: [keep(database, entry,
        text(body._rev), found)],
    })))];
  });
};

/** `bodies` has the answers with branches by key, as far as they were asked for. */
export const view = (answer, bodies, database, now) => unless(answer, json => {
  const shown = list(json.conflicts);
  const total = list(json.collections).reduce((sum, entry) => sum + number(entry.conflicted), 0);
  if (!shown.length) return [note("no document is in conflict")];
  const folds = shown.map(entry => Object.assign(fold("conflict " + key(entry),
    [text(entry.id), " ", { text: text(entry.collection) + ", " + count(entry.leaves) + " live branches, changed " + time(entry.modified, now).text,
      tone: "quiet" }],
    [{ kind: "line", cells: [{ href: anchor("documents", entry.id, entry.collection), text: "Everything about this document" }] },
      ...branches(database, entry, bodies[key(entry)])]),
  { command: "branches", value: entry }));
  return [...folds, ...(total > shown.length ? [note("and " + count(total - shown.length) + " more")] : [])];
});
