// Bodies of revisions side by side: lines of which those are marked that are not everywhere.
import { text } from "./model.js";

const limit = 500;
const hidden = ["_id", "_rev", "_revisions"];

/** A value with the members of its objects in the order of their names, so that equal bodies have equal lines. */
const sorted = value => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]));
};

export const lines = body => {
  const shown = Object.fromEntries(Object.entries(body || {}).filter(([key]) => !hidden.includes(key)));
  return JSON.stringify(sorted(shown), null, 2).split("\n");
};

/** The same without the comma at the end, which depends on what follows. */
const bare = line => line.replace(/,$/, "");

/** For each body its lines, with what tells it from the others. */
export const compare = bodies => {
  const all = bodies.map(lines);
  const sets = all.map(found => new Set(found.map(bare)));
  return all.map((found, index) => found.slice(0, limit).map(line => ({
    text: line, differs: sets.some((set, other) => other !== index && !set.has(bare(line))),
  })).concat(found.length > limit ? [{ text: "… and " + (found.length - limit) + " more lines", differs: false }] : []));
};

/** The part for revisions: `items` have `title` (cells), `body` (null if it is not there), `missing` (why) and `actions`. */
export const sideBySide = items => {
  const compared = compare(items.filter(item => item.body).map(item => item.body));
  let next = 0;
  return {
    kind: "compare",
    items: items.map(item => ({ title: item.title, lines: item.body ? compared[next++] : null, missing: text(item.missing), actions: item.actions
      || [] })),
  };
};
