"use strict";
// Words, numbers and the chart: functions of their arguments alone.
const Model = (() => {
  const generations = { 0: "bridge", 1: "generation 1 (1.x)", 2: "generation 2 (2.x–3.0)", 3: "generation 3 (3.1+)" };
  const day = 86400000;
  const chartLimit = 62;

  const list = value => (Array.isArray(value) ? value : []);
  const text = value => (typeof value === "string" ? value : value === null || value === undefined ? "" : String(value));
  const number = value => (typeof value === "number" && Number.isFinite(value) ? value : 0);

  const generation = value => generations[value] || "generation " + text(value);

  const count = value => String(Math.trunc(number(value))).replace(/\B(?=(\d{3})+$)/g, " ");

  const plural = (value, one, many) => count(value) + " " + (number(value) === 1 ? one : many || one + "s");

  // How long ago a time of the bridge was, by the bridge's own clock.
  const ago = (time, now) => {
    const then = Date.parse(time);
    if (Number.isNaN(then)) return "";
    const seconds = Math.max(0, Math.floor((now - then) / 1000));
    if (seconds < 60) return "just now";
    if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
    if (seconds < 86400) return Math.floor(seconds / 3600) + " h ago";
    return plural(Math.floor(seconds / 86400), "day") + " ago";
  };

  const moment = time => text(time).replace("T", " ").replace("Z", " UTC");

  // A name as a segment of a path. Half a surrogate pair is no name of anything.
  const segment = name => {
    try {
      return encodeURIComponent(text(name));
    } catch {
      return "";
    }
  };

  // What is there in place of a part of the page; null if there is an answer.
  const trouble = answer => {
    if (!answer) return { text: "not asked yet", tone: "quiet" };
    if (answer.status >= 200 && answer.status < 300) return null;
    const reason = text(answer.json && answer.json.reason);
    if (answer.status === 404) return { text: "not configured" + (reason && reason !== "unknown URL" ? ": " + reason : ""), tone: "quiet" };
    if (answer.status === 503) return { text: "not available now: " + (reason || "503"), tone: "warn" };
    if (answer.status === 0) return { text: "the bridge does not answer" + (reason ? ": " + reason : ""), tone: "bad" };
    return { text: (reason || "refused") + " (" + answer.status + ")", tone: "bad" };
  };

  // Documents a second between two looks at a counter.
  const rate = (before, after) => {
    if (!before || !after || after.time <= before.time || after.count <= before.count) return 0;
    return Math.round((after.count - before.count) / ((after.time - before.time) / 1000));
  };

  // Bars of checkpoints over days, generations on top of each other. Many days share bars, and the day with most stands for them.
  const chart = (entries, now) => {
    const days = new Map();
    const found = new Set();
    for (const entry of list(entries)) {
      const index = Math.floor(Date.parse(text(entry.day)) / day);
      if (Number.isNaN(index) || index * day > now) continue;
      const counts = days.get(index) || new Map();
      counts.set(entry.generation, (counts.get(entry.generation) || 0) + number(entry.checkpoints));
      days.set(index, counts);
      found.add(entry.generation);
    }
    if (days.size === 0) return null;
    const first = Math.min(...days.keys());
    const last = Math.floor(now / day);
    const step = Math.ceil((last - first + 1) / chartLimit);
    const series = [...found].sort();
    const total = counts => series.reduce((sum, name) => sum + (counts.get(name) || 0), 0);
    const none = new Map();
    const columns = [];
    for (let start = first; start <= last; start += step) {
      let best = { index: start, counts: none };
      for (let index = start; index < start + step; index += 1) {
        const counts = days.get(index) || none;
        if (total(counts) > total(best.counts)) best = { index, counts };
      }
      columns.push(best);
    }
    const top = Math.max(...columns.map(column => total(column.counts)), 1);
    const date = index => new Date(index * day).toISOString().slice(0, 10);
    const bars = [];
    columns.forEach((column, place) => {
      let floor = 100;
      for (const name of series) {
        const value = column.counts.get(name) || 0;
        if (value === 0) continue;
        const height = (value / top) * 100;
        floor -= height;
        bars.push({
          x: place * 10 + 1, y: floor, width: 8, height, generation: name,
          title: date(column.index) + ": " + plural(value, "checkpoint") + ", " + generation(name),
        });
      }
    });
    const final = columns[columns.length - 1].counts;
    return {
      width: columns.length * 10, bars, top, first: date(first), last: date(last),
      series: series.map(name => ({ generation: name, name: generation(name) })),
      label: "Checkpoints a day from " + date(first) + " to " + date(last) + ", at most " + plural(top, "a day", "a day") + "; last: " +
        series.map(name => generation(name) + " " + count(final.get(name) || 0)).join(", "),
    };
  };

  return { list, text, number, generation, count, plural, ago, moment, segment, trouble, rate, chart };
})();
