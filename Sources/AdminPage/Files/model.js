// Words and numbers of answers, as people read them: functions of their arguments alone.
const generations = { 0: "bridge", 1: "generation 1 (1.x)", 2: "generation 2 (2.x–3.0)", 3: "generation 3 (3.1+)" };
const day = 86400000;

export const list = value => (Array.isArray(value) ? value : []);
export const text = value => (typeof value === "string" ? value : value === null || value === undefined ? "" : String(value));
export const number = value => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** The members of an object, and none of anything else. */
export const members = value => (value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : []);

const shortGenerations = { 0: "bridge", 1: "1.x", 2: "2.x–3.0", 3: "3.1+" };

/** The same in a narrow column. */
export const protocol = value => shortGenerations[value] || text(value);

export const generation = value => generations[value] || "generation " + text(value);

export const count = value => String(Math.trunc(number(value))).replace(/\B(?=(\d{3})+$)/g, " ");

export const plural = (value, one, many) => count(value) + " " + (number(value) === 1 ? one : many || one + "s");

/** How long a number of seconds is, by its largest unit. */
export const duration = value => {
  const seconds = Math.max(0, Math.floor(number(value)));
  if (seconds < 60) return seconds + " s";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min";
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h";
  return plural(Math.floor(seconds / 86400), "day");
};

/** How long ago a time of the bridge was, by the bridge's own clock. */
export const ago = (time, now) => {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  const seconds = Math.max(0, Math.floor((now - then) / 1000));
  return seconds < 60 ? "just now" : duration(seconds) + " ago";
};

/** A time as a cell: how long ago, and the exact time on demand. */
export const time = (value, now) => ({ text: ago(value, now) || moment(value), title: moment(value) });

export const moment = time => text(time).replace("T", " ").replace("Z", " UTC");

/** The day of a time in UTC, as days since 1970; null for no time. */
export const dayOf = time => {
  const parsed = typeof time === "number" ? time : Date.parse(time);
  return Number.isNaN(parsed) ? null : Math.floor(parsed / day);
};

export const date = index => new Date(index * day).toISOString().slice(0, 10);

export const bytes = value => {
  const sizes = ["B", "KiB", "MiB", "GiB", "TiB"];
  let rest = Math.max(0, number(value));
  let place = 0;
  while (rest >= 1024 && place < sizes.length - 1) {
    rest /= 1024;
    place += 1;
  }
  return (place && rest < 10 ? rest.toFixed(1) : Math.round(rest)) + " " + sizes[place];
};

/** The beginning of a revision's ID. Nine characters of the digest tell revisions of one document apart. */
export const short = revision => {
  const [, head, digest] = /^(\d+[-@])(.*)$/.exec(text(revision)) || [null, "", text(revision)];
  return digest.length > 12 ? head + digest.slice(0, 9) + "…" : text(revision);
};

/** A text in which backticks stand around names: cells of plain text and of code. */
export const prose = value => text(value).split("`").map((part, index) => (index % 2 ? { code: part } : part)).filter(part => part !== "");

/** A name as a segment of a path. Half a surrogate pair is no name of anything. */
export const segment = name => {
  try {
    return encodeURIComponent(text(name));
  } catch {
    return "";
  }
};

/** The address of a view of this page: its anchor, and what it is to show. */
export const anchor = (name, ...rest) => "#" + [name, ...rest.filter(part => text(part) !== "").map(segment)].join("/");

/** What an anchor asks for. */
export const asked = hash => {
  const [name, ...rest] = text(hash).replace(/^#/, "").split("/").map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });
  return { name, rest };
};

/** What is there in place of a part of the page; null if there is an answer. */
export const trouble = answer => {
  if (!answer) return { text: "not asked yet", tone: "quiet" };
  if (answer.status >= 200 && answer.status < 300) return null;
  const reason = text(answer.json && answer.json.reason);
  if (answer.status === 404) return { text: "not configured" + (reason && reason !== "unknown URL" ? ": " + reason : ""), tone: "quiet" };
  if (answer.status === 503) return { text: "not available now: " + (reason || "503"), tone: "warn" };
  if (answer.status === 0) return { text: "the bridge does not answer" + (reason ? ": " + reason : ""), tone: "bad" };
  return { text: (reason || "refused") + " (" + answer.status + ")", tone: "bad" };
};

/** How much came a second between two looks at a counter; null without two looks, or where the counter began anew. */
export const rate = (before, after) => {
  if (!before || !after || after.time <= before.time || after.count < before.count) return null;
  const value = (after.count - before.count) / ((after.time - before.time) / 1000);
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
};
