// The fleet: devices by generation and day, and the clients that a search finds.
import { anchor, count, generation, list, moment, number, plural, protocol, text, time } from "./model.js";
import { buttons, fold, note, table, toned, unless } from "./parts.js";
import { byDay, find, page, summary } from "./devices.js";
import { chart } from "./chart.js";

export const size = 25;

export const behind = value => (value === null || value === undefined ? toned("not known", "quiet") : number(value) >= 10000 ? "10 000 or more"
  : count(value));

const incomplete = json => {
  const loaded = list(json.clients).length;
  return number(json.total) > loaded ? [note("The page has read the " + count(loaded) + " clients that were seen last, of " + count(json.total)
    + ". `dualgauge fleet` lists all of them.", "warn")] : [];
};

/** Devices by generation, with the chart of days. `cutover` is the answer of `_cutover`: the steps that were taken stand in the chart. */
export const view = (answer, now, cutover) => unless(answer, json => {
  const found = summary(json.clients, now);
  const drawn = chart(byDay(json.clients, now), now, list(cutover && cutover.json && cutover.json.history).filter(step => step
    && step.outcome === "taken"));
  const parts = [{ kind: "tiles", items: [
    { value: count(found.oldDevices), text: "1.x devices", tone: "g1" }, { value: count(found.newDevices), text: "2.x+ devices", tone: "g3" },
    { value: count(found.moved) + " of " + count(found.users), text: "users have moved to 2.x+ apps" }, { value: count(found.both),
      text: "users have old and new apps" },
    { value: count(found.left), text: "users have only 1.x apps" }, { value: count(found.guests), text: "devices without a login" },
  ] }, note("Seen in the last 30 days.")];
  if (drawn) {
    parts.push({ kind: "chart", chart: drawn, caption: "Devices by day" });
    parts.push(fold("days", "The numbers of the chart", [table("", ["day", ...drawn.series.map(series => series.name)], drawn.rows, "")]));
    parts.push(note("A device is counted from the first day on which it was seen to the last. The bridge stores both days, so a restart changes nothing."));
  }
  parts.push(table("By generation, since " + moment(json.since), ["generation", "clients", "devices", "checkpoints", "last seen"],
    list(json.generations).map(entry => ({
    cells: [
      entry.generation ? { href: anchor("fleet", entry.generation), text: generation(entry.generation) } : generation(entry.generation),
        count(entry.clients), count(entry.devices),
      count(entry.checkpoints), time(entry.last_seen, now),
    ],
  })), "No client was seen."));
  return parts.concat(incomplete(json), json.complete === false ? [note("The bridge counts only the latest 100 000 checkpoints.", "warn")] : []);
});

const feeds = client => [...new Set(list(client.feeds).map(feed => text(feed.collection) || "unified"))].sort().join(", ");

const served = { here: "here", oldServer: "by the old server" };

const row = (client, now, sided) => ({
  cells: [
    text(client.user) ? { href: anchor("users", client.user), text: text(client.user) } : toned(client.last_address ? "guest from "
      + text(client.last_address) : "guest", "quiet"),
    { text: text(client.client), title: text(client.user_agent) }, protocol(client.generation), count(client.devices), time(client.first_seen, now),
      time(client.last_seen, now),
    count(client.open_feeds), behind(client.behind), feeds(client), ...(sided ? [served[client.side] || ""] : []),
  ],
});

export const columns = ["user", "client", "protocol", "devices", "first seen", "last seen", "open", "behind", "collections"];

export const clients = (rows, now, caption, empty) => {
  const sided = rows.some(client => client.side);
  return table(caption, sided ? columns.concat("served") : columns, rows.map(client => row(client, now, sided)), empty);
};

/** The clients that a search finds, one page of them. `wanted` has `text`, `generation` and `page`. */
export const search = (answer, wanted, now) => unless(answer, json => {
  const found = find(json.clients, wanted);
  const shown = page(found, wanted.page, size);
  const first = shown.current * size;
  const parts = [note(plural(shown.total, "client is", "clients are") + " found" + (shown.total > size ? ", " + count(first + 1) + " to "
    + count(first + shown.rows.length) + " are shown" : "") + ".")];
  if (shown.rows.length) parts.push(clients(shown.rows, now, "", ""));
  const actions = [];
  if (shown.current > 0) actions.push({ label: "Back", key: "page back", command: "page", value: shown.current - 1 });
  if (shown.current < shown.pages - 1) actions.push({ label: "Next", key: "page next", command: "page", value: shown.current + 1 });
  if (shown.total) actions.push({ label: "Save as CSV", key: "csv", command: "csv", value: wanted });
  if (actions.length) parts.push(buttons(actions));
  return parts;
});
