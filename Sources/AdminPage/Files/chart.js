// The chart of devices by generation over days: numbers, not elements.
import { count, date, dayOf, generation, list, plural, text } from "./model.js";

const limit = 62;
const least = 14;

/** A round number that is not below another one, for the end of an axis. */
export const ceiling = value => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 5, 8, 10].map(factor => factor * power).find(found => found >= value);
};

const marks = (steps, columns, step) => list(steps).map(one => ({ to: text(one.to), day: dayOf(one.time) })).filter(one => one.day !== null)
  .map(one => ({ x: (columns.findIndex(column => column.index >= one.day && column.index - step < one.day)) * 10, title: date(one.day) + ": step to "
    + one.to, to: one.to }))
  .filter(one => one.x >= 0);

/** Stacked bars of `days`, a map from days since 1970 to counts by generation. Many days share bars, and the last of them stands for them.
 *
 * `steps` of a cutover, which have `time` and `to`, are lines between the bars. */
export const chart = (days, now, steps) => {
  if (days.size === 0) return null;
  const last = dayOf(now);
  const first = Math.min(...days.keys(), last - least + 1);
  const step = Math.ceil((last - first + 1) / limit);
  const series = [...new Set([...days.values()].flatMap(counts => Object.keys(counts)))].sort();
  const columns = [];
  for (let index = last; index >= first; index -= step) columns.unshift({ index, counts: days.get(index) || {} });
  const total = counts => series.reduce((sum, name) => sum + (counts[name] || 0), 0);
  const top = ceiling(Math.max(...columns.map(column => total(column.counts)), 1));
  const words = column => date(column.index) + ": " + (series.filter(name => column.counts[name]).map(name =>
    generation(name) + " " + count(column.counts[name])).join(", ") || "none");
  const bars = [];
  columns.forEach((column, place) => {
    let floor = 100;
    for (const name of series) {
      const height = ((column.counts[name] || 0) / top) * 100;
      if (height === 0) continue;
      floor -= height;
      bars.push({ x: place * 10 + 1, y: floor, width: 8, height, generation: name, title: words(column) });
    }
  });
  const [start, middle, end] = [columns[0], columns[Math.floor(columns.length / 2)], columns[columns.length - 1]];
  return {
    width: columns.length * 10, bars, top, marks: marks(steps, columns, step), half: top % 2 ? "" : count(top / 2), dates: [start, middle,
      end].map(column => date(column.index)),
    series: series.map(name => ({ generation: name, name: generation(name) })),
    label: "Devices by generation from " + date(start.index) + " to " + date(end.index) + ", on a scale to " + plural(top, "device") +
      ". First: " + words(start) + ". Last: " + words(end) + ".",
    rows: columns.filter(column => total(column.counts) > 0).reverse().map(column =>
      ({ cells: [date(column.index), ...series.map(name => count(column.counts[name] || 0))] })),
  };
};
