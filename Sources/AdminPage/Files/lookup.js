// What is asked for on demand: a document, its branches, the bodies of a parked revision.
import { ask } from "./ask.js";
import { segment, text } from "./model.js";
import * as Conflicts from "./conflicts.js";
import * as Parked from "./parked.js";

export const branches = (database, entry) => ask("GET", Conflicts.path(database, entry));

/** Everything that is known of a document; where it is not there, IDs that begin so. */
export const explain = async (database, id, collection) => {
  const all = segment(database + (collection ? "." + collection : "")) + "/_all_docs";
  // A list has no 404 for a document that is not there, of which browsers would make an error.
  const row = await ask("POST", all, { keys: [id] });
  if (row.status === 200 && ((row.json && row.json.rows) || []).every(one => one && one.error)) {
    const range = "?limit=10&startkey=" + segment(JSON.stringify(id)) + "&endkey=" + segment(JSON.stringify(id + "\uffff"));
    return { explanation: { status: 404, json: {} }, names: await ask("GET", all + range) };
  }
  const explanation = await ask("GET", segment(database) + "/_explain/" + segment(id) + (collection ? "?collection=" + segment(collection) : ""));
  const json = explanation.json || {};
  if (explanation.status !== 200) return { explanation };
  const live = (Array.isArray(json.revisions) ? json.revisions : []).filter(one => one && one.leaf && !one.deleted);
  const [body, found] = await Promise.all([
    ask("GET", segment(database + "." + text(json.collection)) + "/" + segment(json.id) + "?rev=" + segment(json.winner)), live.length > 1
      ? branches(database, json) : null,
  ]);
  return { explanation, body, branches: found };
};

export const account = (database, name) => ask("GET", segment(database) + "/_user/" + segment(name));

/** The documents that a user sees, from an ID on. */
export const seen = (database, name, after) => ask("GET", segment(database) + "/_user/" + segment(name) + "/_documents?limit=100"
  + (after ? "&startkey=" + segment(after) : ""));

/** The names of all users. */
export const names = database => ask("GET", segment(database) + "/_user");

export const parked = (database, entry) => {
  const { path, body } = Parked.question(database, entry);
  return ask("POST", path, body);
};
