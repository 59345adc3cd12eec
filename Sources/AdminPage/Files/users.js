// One user: what he sees, on which devices, and how far these are behind.
import { anchor, list, members, number, plural, text } from "./model.js";
import { facts, note, toned, unless } from "./parts.js";
import { clients } from "./fleet.js";

const names = value => (Array.isArray(value) ? value : members(value).map(([name]) => name)).map(text).filter(name => name !== "!").sort().join(", ");

/** What channels of collections he sees, one row each. */
const collections = access => members(access).flatMap(([scope, found]) => members(found).map(([name, entry]) =>
  ["sees in " + scope + "." + name, names(entry && entry.all_channels) || toned("no channel", "quiet")]));

/** `answer` is that of `_user/NAME`, `fleet` that of `_fleet`, and `all` has the names of all users. */
export const view = (name, answer, fleet, all, now) => {
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
      devices, ...also,
    ];
  });
};
