// The devices of both sides while they are moved from the old server: their figures, the rules, and the moves.
import { count, list, number, plural, text, time } from "./model.js";
import { buttons, facts, heading, note, table, toned } from "./parts.js";

const sides = ["here", "oldServer"];
const errors = { unauthorized: "errors: not logged in", forbidden: "errors: forbidden", request: "errors: other requests", server: "errors: server" };

const milliseconds = value => (value === null || value === undefined ? toned("none", "quiet") : value + " ms");

const figures = groups => {
  const row = (name, value, bad) => ({ cells: [name, ...sides.map(side => {
    const found = value(groups[side] || {});
    return typeof found === "number" ? (bad && found > 0 ? toned(count(found), bad) : count(found)) : found;
  })] });
  return table("Devices in the last hour", ["", "served here", "passed on"], [
    row("users", group => number(group.users)), row("devices", group => number(group.devices)), row("requests", group => number(group.requests)),
    ...Object.entries(errors).map(([key, name]) => row(name, group => number((group.errors || {})[key]), "warn")),
    row("response, median", group => milliseconds(group.p50)), row("response, 99 of 100", group => milliseconds(group.p99)),
    row("documents written", group => number(group.received)), row("documents refused", group => number(group.refused), "bad"),
    row("conflicts", group => number(group.conflicts), "warn"), row("documents read", group => number(group.sent)),
    row("feeds read again", group => number(group.rescans), "warn"),
  ], "");
};

/** Requests and failures by minute, the newest first. */
const minutes = (groups, now) => table("By minute", ["when", "here: requests", "here: failures", "passed on: requests", "passed on: failures"],
  list(groups.series).slice(-10).reverse().map(entry => ({ cells: [time(entry.time, now), ...sides.flatMap(side => {
    const group = entry[side] || {};
    const failures = Object.values(group.errors || {}).reduce((sum, value) => sum + number(value), number(group.refused));
    return [count(number(group.requests)), failures ? toned(count(failures), "warn") : count(0)];
  })] })), "No device has sent a request in the last hour.");

const post = (label, key, question, detail, fields, body, tone) => ({
  label, key, question, detail, confirm: label, tone: tone || "primary", fields: fields.concat([
    { name: "reason", label: "Reason, for the record", type: "text" }]), method: "POST", path: "_cutover/devices", body,
});

const moves = devices => {
  const stays = "The devices that change sides connect again and go on where they were. The change is recorded.";
  const actions = [
    post("Change the share", "share", "Serve which share of all users here?", "Now: " + text(devices.percent) + " %. A larger share only adds users. "
      + stays, [{ name: "percent", label: "Percent, 0 to 100", type: "number", min: 0, max: 100,
      value: text(devices.percent) }], {}),
    post("Move a user", "move user", "Serve a user's devices here?", stays, [{ name: "moveUser", label: "User", type: "text", required: true }], {}),
    post("Move a user back", "move user back", "Pass a user's devices on to the old server?", stays, [{ name: "moveUserBack", label: "User", type: "text",
      required: true }], {}),
    post("Move everybody back", "back", "Pass all devices on to the old server?", "It is refused while the old server lacks documents that were "
      + "written here. " + stays, [], { back: true }, "danger"),
  ];
  if (devices.halted) {
    actions.unshift(post("Permit moves again", "resume", "Permit moves again?", "Remove the cause first: " + text(devices.halted.reason) + ".", [],
      { resume: true }));
  }
  return buttons(actions);
};

const halted = (devices, now) => (devices.halted ? [note([toned("The guard has halted the moves", "bad"), " ", time(devices.halted.time, now), ": ",
  text(devices.halted.reason) + ".", devices.halted.pending ? " The last move is taken back as soon as the gates permit it." : ""], "bad")] : []);

const rules = devices => facts([
  ["share", text(devices.percent) + " %"], ["users", list(devices.users).join(", ")], ["channels", list(devices.channels).join(", ")],
  ["addresses", list(devices.addresses).join(", ")], ["except", list(devices.except).join(", ")],
]);

const kinds = {
  status: "one server refuses the request", missing: "not shown here", extra: "shown here alone", revision: "another revision",
  deletion: "deleted on one side", body: "another body", attachments: "other attachments",
};

/** Reads that were passed on and answered here, too. */
const comparison = (found, now) => {
  if (!found) return [];
  const skipped = Object.values(found.skipped || {}).reduce((sum, value) => sum + number(value), 0);
  return [heading("Compared reads"), facts([["equal", toned(count(number(found.equal)), "good")], ["different", toned(count(number(found.different)),
    number(found.different) ? "bad" : "good")], ["skipped", count(skipped)]]), table("Latest differences", ["when", "difference", "document", "user",
    "detail", "request"], list(found.examples).map(one => ({ cells: [time(one.time, now), kinds[one.kind] || text(one.kind), text(one.id),
    text(one.user) || "guest", text(one.detail), text(one.path)] })), "No difference was found.")];
};

/** The section of the cutover's page. `devices` is null where no devices are passed on. */
export const view = (devices, now) => {
  if (!devices) return [];
  const groups = devices.groups || {};
  const parts = [heading("Devices"), ...halted(devices, now), figures(groups), minutes(groups, now),
    ...comparison(devices.comparison, now)];
  if (devices.servedHere === "none") return parts.concat([note("At this stage all devices are passed on to the old server.")]);
  if (devices.servedHere === "all") return parts.concat([note("At this stage all devices are served here.")]);
  const named = list(devices.users).length + list(devices.channels).length + list(devices.addresses).length;
  return parts.concat([note("Served here: " + text(devices.percent) + " % of all users" + (named ? ", and " + plural(named, "more rule") : "")
    + ". All other devices are passed on to the old server."), rules(devices), moves(devices)]);
};
