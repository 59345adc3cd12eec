// What a change has come to, in words.
import { checklist } from "./gates.js";
import { count, number, plural, text, trouble } from "./model.js";

const words = { taken: "The step is taken", planned: "The step would be taken now", unchanged: "The database is at this stage already" };

const retried = found => {
  const sum = name => found.reduce((total, json) => total + number(json[name]), 0);
  const refused = found.flatMap(json => json.results).find(row => row && row.outcome === "refused");
  const left = sum("refused") + sum("untried");
  return {
    text: plural(sum("done"), "revision") + " accepted" + (sum("refused") ? ", " + count(sum("refused")) + " refused again" : "")
      + (sum("untried") ? ", " + count(sum("untried")) + " not tried" : "")
      + (refused ? ": " + text(refused.reason) : ""), tone: left ? "bad" : "good",
  };
};

/** `action` is what was asked for. */
export const outcome = (answer, action) => {
  const json = answer.json || {};
  if (answer.status === 200 && json.running) return { text: "The comparison has begun", tone: "good" };
  if (answer.status === 412 && json.outcome) {
    const { forward, back } = checklist(json, 0);
    const closed = [...forward, ...back].filter(gate => gate.state !== "good").map(gate => gate.problem);
    return { text: (json.dryRun ? "the step would be " : "the step was ") + text(json.outcome) + ". " + (closed.join(" ") || text(json.reason)),
      tone: "bad" };
  }
  const problem = trouble(answer);
  if (problem) return { text: problem.text, tone: "bad" };
  if (Array.isArray(json)) {
    const failed = json.filter(row => row && row.error);
    return failed.length ? { text: count(failed.length) + " of " + count(json.length) + " failed: " + text(failed[0].reason || failed[0].error),
      tone: "bad" } : { text: "done", tone: "good" };
  }
  if (json.outcome) return { text: (words[json.outcome] || text(json.outcome)) + (json.reason ? ": " + text(json.reason) : ""), tone: "good" };
  if (Array.isArray(json.results)) return retried([json]);
  if (json.forgotten !== undefined) return { text: plural(json.forgotten, "revision") + " forgotten", tone: "good" };
  return { text: "done", tone: "good" };
};

/** The outcomes of several requests of one action as one. */
export const together = (answers, action) => {
  if (answers.length === 1) return outcome(answers[0], action);
  if (answers.every(answer => answer.json && Array.isArray(answer.json.results))) return retried(answers.map(answer => answer.json));
  const bad = answers.map(answer => outcome(answer, action)).filter(one => one.tone === "bad");
  if (!bad.length) return { text: "done, " + plural(answers.length, "document"), tone: "good" };
  return { text: count(answers.length - bad.length) + " of " + plural(answers.length, "document") + " accepted. The first other one: "
    + bad[0].text, tone: "bad" };
};
