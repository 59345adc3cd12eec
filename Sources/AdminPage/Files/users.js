// One user: what he sees, on which devices, and how far these are behind.
import { anchor, list, members, number, plural, text } from "./model.js";
import { buttons, facts, note, table, toned, unless } from "./parts.js";
import { clients } from "./fleet.js";

const names = value => (Array.isArray(value) ? value : members(value).map(([name]) => name)).map(text).filter(name => name !== "!").sort().join(", ");

/** What channels of collections he sees, one row each. */
const collections = access => members(access).flatMap(([scope, found]) => members(found).map(([name, entry]) =>
  ["sees in " + scope + "." + name, names(entry && entry.all_channels) || toned("no channel", "quiet")]));

/** The documents that he sees, under their IDs for 1.x clients. */
const documents = (name, seen) => {
  if (!seen) return [note("Reading the documents that " + name + " sees…")];
  return unless(seen, json => {
    const rows = list(json.documents).map(one => ({ cells: [{ href: anchor("documents", one.id), text: text(one.id) }, { revision: text(one.rev) }] }));
    const caption = "Documents that " + name + " sees, " + (json.next ? "the first " + rows.length : "all " + rows.length);
    return [
      table(caption, ["document", "revision"], rows, name + " sees no document."),
      ...(json.next ? [buttons([{ label: "Show more", key: "seen more", command: "seenMore", value: json.next }])] : []),
    ];
  });
};

/** `found` has the answers `account` of `_user/NAME` and `seen` of `_user/NAME/_documents`, and the `names` of all users; `fleet` is that of
 * `_fleet`. */
export const view = (name, found, fleet, now) => {
  const { account: answer, names: all, seen } = found;
  if (name === "") return [];
  const loaded = fleet && fleet.status === 200 ? list((fleet.json || {}).clients) : [];
  const own = loaded.filter(client => client && text(client.user) === name);
  const similar = [...new Set([...list(all).map(text), ...loaded.map(client => text(client && client.user))])].filter(found => found !== name
    && found.toLowerCase().includes(name.toLowerCase())).sort().slice(0, 10);
  const also = similar.length ? [{ kind: "line", cells: ["Similar names: ", ...similar.map(found => [{ href: anchor("users", found), text: found },
    " "])] }] : [];
  const devices = own.length ? clients(own, now, "Devices of " + name + ", in the last 90 days", "") : note("No device of " + name
    + " was seen in the last 90 days.");
  if (answer && answer.status === 404) return [note("There is no user " + name + " here."), ...(own.length ? [devices] : []), ...also];
  return unless(answer, json => {
    const old = own.filter(client => client.generation === 1);
    const modern = own.filter(client => number(client.generation) > 1);
    const state = json.disabled ? toned("is disabled", "bad") : !own.length ? toned("has not been seen", "quiet") : old.length && modern.length
      ? toned("uses old and new apps", "warn")
      : old.length ? toned("uses only old apps", "warn") : toned("has moved to 2.x+ apps", "good");
    return [
      facts([
        ["user", [name, " ", state]], ["e-mail", text(json.email)], ["roles", names(json.roles)], ["sees", names(json.all_channels)
          || toned("no channel", "quiet")],
        ...collections(json.collection_access), ["given by administrators", names(json.admin_channels)], ["roles by administrators",
          names(json.admin_roles)],
        ["devices", plural(own.reduce((sum, client) => sum + Math.max(1, number(client.devices)), 0), "device")],
      ]),
      devices, ...documents(name, seen), ...also,
    ];
  });
};
