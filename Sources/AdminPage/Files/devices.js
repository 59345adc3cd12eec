// The fleet in numbers, from the clients of `_fleet`. A client is a user with a program of one version, on one or more devices.
import { dayOf, list, number, text } from "./model.js";

const day = 86400000;

/** Days that a client counts as here after its last sight, as the gate `oldClients` has it by default. */
export const recent = 30;

/** Clients that are no replications of bridges. */
const apps = clients => list(clients).filter(client => client && number(client.generation) > 0);

const devices = clients => clients.reduce((total, client) => total + Math.max(1, number(client.devices)), 0);

/** Old and new devices that were seen lately, and the users of whom something is known. */
export const summary = (clients, now) => {
  const seen = apps(clients).filter(client => now - Date.parse(client.last_seen) <= recent * day);
  const old = seen.filter(client => client.generation === 1);
  const modern = seen.filter(client => client.generation > 1);
  const names = found => new Set(found.map(client => text(client.user)).filter(name => name !== ""));
  const [before, after] = [names(old), names(modern)];
  const users = new Set([...before, ...after]);
  return {
    oldDevices: devices(old), newDevices: devices(modern), users: users.size, moved: [...users].filter(name => !before.has(name)).length,
    both: [...before].filter(name => after.has(name)).length, left: [...before].filter(name => !after.has(name)).length,
    guests: devices(seen.filter(client => text(client.user) === "")),
  };
};

/** Devices by generation on each day. A device counts from the day of its first sight to the day of its last. */
export const byDay = (clients, now) => {
  const days = new Map();
  const last = dayOf(now);
  for (const client of apps(clients)) {
    const first = dayOf(client.first_seen);
    const end = dayOf(client.last_seen);
    if (first === null || end === null || end < first || last - first > 400) continue;
    for (let index = first; index <= Math.min(end, last); index += 1) {
      const counts = days.get(index) || {};
      counts[client.generation] = (counts[client.generation] || 0) + Math.max(1, number(client.devices));
      days.set(index, counts);
    }
  }
  return days;
};

/** The clients that a search finds: by a part of the user's name, of the program's or of the address, and by generation. */
export const find = (clients, wanted) => {
  const words = text(wanted.text).toLowerCase().split(/\s+/).filter(word => word !== "");
  return list(clients).filter(client => {
    if (wanted.generation !== "" && wanted.generation !== undefined && text(client.generation) !== text(wanted.generation)) return false;
    const content = [text(client.user) || "guest", client.client, client.user_agent, client.last_address].map(text).join(" ").toLowerCase();
    return words.every(word => content.includes(word));
  });
};

/** One page of a list, with its place in it. */
export const page = (rows, place, size) => {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const current = Math.min(Math.max(0, Math.trunc(number(place))), pages - 1);
  return { rows: rows.slice(current * size, (current + 1) * size), current, pages, total: rows.length };
};

/** The clients of a search as a table of comma-separated values. A text that a spreadsheet would take for a formula gets an apostrophe. */
export const csv = clients => {
  const names = ["user", "generation", "client", "devices", "first_seen", "last_seen", "behind", "last_address"];
  const cell = value => {
    const plain = text(value).replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\n\r]/.test(plain) ? '"' + plain.replaceAll('"', '""') + '"' : plain;
  };
  return [names, ...clients.map(client => names.map(name => client[name]))].map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
};
