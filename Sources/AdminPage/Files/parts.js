// The parts of which views are made. A part is a value; elements.js makes an element of it.
// A cell is a text, a list of cells, or one of: {text, tone, title}, {code}, {href, text}, {revision}, {actions}.
import { trouble } from "./model.js";

export const note = (words, tone) => ({ kind: "text", text: words, tone: tone || "quiet" });

export const table = (caption, columns, rows, empty) => (rows.length ? { kind: "table", caption, columns, rows } : note(empty));

export const heading = words => ({ kind: "heading", text: words });

export const toned = (words, tone) => ({ text: words, tone });

/** Names with values. */
export const facts = rows => ({ kind: "facts", rows: rows.filter(row => row[1] !== "" && row[1] !== null && row[1] !== undefined) });

/** Parts that are shown on demand. */
export const fold = (key, summary, parts) => ({ kind: "fold", key, summary, parts });

export const buttons = actions => ({ kind: "buttons", actions });

/** The parts of an answer, or what is the matter with it. */
export const unless = (answer, parts) => {
  const problem = trouble(answer);
  return problem ? [note(problem.text, problem.tone)] : parts(answer.json || {});
};
