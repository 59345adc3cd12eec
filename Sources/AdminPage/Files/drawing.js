// The drawing of both servers, of what flows between them, and of where each group of devices is: shapes, not elements.
// A shape is the name of an SVG element, its attributes, and its text.
import { count, text } from "./model.js";

const pulls = ["shadow", "dual"];
const pushes = ["dual", "switched"];

const clipped = (words, length) => (words.length > length ? words.slice(0, length - 1) + "…" : words);

/** The host of an address, without a login. */
export const host = address => {
  const found = /^\w+:\/\/(?:[^/@]*@)?([^/]+)/.exec(text(address));
  return found ? found[1] : "";
};

const box = (x, y, width, height, tone, lines) => [
  ["rect", { x, y, width, height, rx: 8, class: "box " + tone }, ""],
  ...lines.map((line, index) => ["text", { x: x + width / 2, y: y + 24 + index * 19, class: index ? "small" : "name" }, line]),
];

/** A straight arrow, along one axis. */
const arrow = (x1, y1, x2, y2, tone) => {
  const [dx, dy] = [Math.sign(x2 - x1) * 9, Math.sign(y2 - y1) * 9];
  const head = dx ? `M${x2} ${y2}l${-dx} -5v10z` : `M${x2} ${y2}l-5 ${-dy}h10z`;
  return [["path", { d: `M${x1} ${y1}L${x2 - dx} ${y2 - dy}`, class: "flow " + tone }, ""], ["path", { d: head, class: "head " + tone }, ""]];
};

const label = (x, y, words, anchor) => ["text", { x, y, class: "small", "text-anchor": anchor || "middle" }, words];

const perSecond = value => (!value ? "idle" : value < 1 ? "less than 1 a second" : count(value) + " a second");

/** What is drawn, in words: boxes with their lines, and flows with their labels. */
const content = state => {
  const { stage, summary, open, rates } = state;
  const sunset = stage === "sunset";
  const seen = (number, now) => [number === null ? "not known yet" : count(number) + (number === 1 ? " device" : " devices"), count(now)
    + " open now"];
  const there = { shadow: "all devices not moved yet", dual: "devices not moved yet", switched: "none should be left" };
  const pull = pulls.includes(stage);
  const push = pushes.includes(stage);
  return {
    server: state.legacy ? ["Old server", clipped(state.legacy, 27), state.reaches === false ? "the replication is held up" : pull || push
      ? "connected" : "disconnected"] : null,
    serverTone: state.reaches === false ? "failing" : pull || push ? "old" : "off",
    fleet: ["Devices at the old server", there[stage] || "none are followed", "not counted by the bridge"],
    bridge: ["Dualgauge", clipped(state.database, 34), state.documents === null ? "" : count(state.documents) + " documents"],
    old: ["1.x devices", ...(sunset ? ["are refused"] : seen(summary ? summary.oldDevices : null, open.old))],
    modern: ["2.x+ devices", ...seen(summary ? summary.newDevices : null, open.modern)],
    pull: pull ? "copies: " + perSecond(rates.pulled) : "copies nothing", push: push ? "sends back: " + perSecond(rates.pushed)
      : "sends back nothing",
    pullTone: pull ? "" : "off", pushTone: push ? "" : "off",
  };
};

const wide = found => {
  const left = found.server ? 410 : 10;
  return {
    width: left + 310, height: 268,
    shapes: [
      ...(found.server ? [
        ...box(10, 10, 230, 86, found.serverTone, found.server), ...box(10, 172, 230, 86, "old", found.fleet),
        ...arrow(125, 172, 125, 97, "old"), ...arrow(241, 38, 409, 38, found.pullTone), ...arrow(409, 78, 241, 78, found.pushTone),
        label(325, 30, found.pull), label(325, 95, found.push),
      ] : []),
      ...box(left, 10, 300, 86, "bridge", found.bridge),
      ...box(left, 172, 145, 86, "old", found.old), ...box(left + 155, 172, 145, 86, "new", found.modern),
      ...arrow(left + 72, 172, left + 72, 97, "old"), ...arrow(left + 228, 172, left + 228, 97, "new"),
    ],
  };
};

const narrow = found => {
  const top = found.server ? 296 : 10;
  return {
    width: 330, height: top + 218,
    shapes: [
      ...(found.server ? [
        ...box(10, 10, 310, 80, "old", found.fleet), ...arrow(165, 90, 165, 122, "old"), ...box(10, 122, 310, 80, found.serverTone, found.server),
        ...arrow(60, 203, 60, 295, found.pullTone), ...arrow(270, 295, 270, 203, found.pushTone),
        label(72, 238, found.pull, "start"), label(258, 268, found.push, "end"),
      ] : []),
      ...box(10, top, 310, 80, "bridge", found.bridge),
      ...box(10, top + 130, 150, 80, "old", found.old), ...box(170, top + 130, 150, 80, "new", found.modern),
      ...arrow(85, top + 130, 85, top + 81, "old"), ...arrow(245, top + 130, 245, top + 81, "new"),
    ],
  };
};

/** The drawing for wide and for narrow windows.
 *
 * `state` has `stage`, `legacy` (the old server's host; empty for none), `reaches` (false while an error holds up the replication), `database`,
 * `documents`, `summary` of devices.js, `open` connections (`old`, `modern`) and `rates`. */
export const drawing = state => {
  const found = content(state);
  const words = box => box.filter(line => line !== "").join(", ");
  const label = (found.server ? words(found.server) + ". " + words(found.fleet) + ". The bridge " + found.pull + " and " + found.push + ". " : "") +
    [found.bridge, found.old, found.modern].map(words).join(". ") + ".";
  return { kind: "drawing", label, layouts: [{ name: "wide", ...wide(found) }, { name: "narrow", ...narrow(found) }] };
};
