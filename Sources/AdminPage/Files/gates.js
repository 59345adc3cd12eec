// The gates of a cutover: what each asks, what to do where it is closed, and where on the page that is done.
import { anchor, ago, count, list, prose, text } from "./model.js";

/** Gates of the step forward from each stage. All other gates are of the step back. */
const forward = {
  shadow: ["scope", "parity", "lag", "parked"], dual: ["scope", "parity", "lag", "parked"], switched: ["scope", "parity", "lag", "parked"],
  complete: ["oldClients"], sunset: [],
};

const kinds = {
  scope: {
    title: "The bridge's login sees all documents of the old server", problem: "The bridge's login may not see all documents of the old server.",
      place: ["replications", "See the replication"],
    why: "Documents that the login does not see stay at the old server, and the comparison cannot show them. At a Sync Gateway the login needs the "
      + "channel `*` itself; a role is not enough. See section 2 of the cutover runbook.",
  },
  parity: {
    title: "Both servers have the same documents", problem: "Documents differ between both servers.", place: ["differences", "See what differs"],
    why: "The bridge compares the revisions of all documents, and the bodies and attachments of some more each time. A comparison holds for ten "
      + "minutes. A step compares again if the last comparison is older or has found differences. See section 2 of the cutover runbook.",
  },
  lag: {
    title: "The replication has caught up", problem: "The replication has not caught up.", place: ["replications", "See the replication"],
    why: "The gate measures the time since the replication last caught up. After an error the gate stays closed until the replication has caught up again. The "
      + "replication tries again by itself.",
  },
  parked: {
    title: "No revision is parked", problem: "Revisions are parked.", place: ["parked", "See the parked revisions"],
    why: "A parked revision is on one server alone, because the other server has refused it. Correct the cause and retry the revision, or forget it.",
  },
  history: {
    title: "The old server can store the revisions written since", problem: "Documents could become conflicts at the old server.", place: ["cutover",
      ""],
    why: "If a document has changed so often that the bridge no longer keeps the revisions of the old server, it becomes a conflict there. "
      + "See section 6 of the cutover runbook.",
  },
  oldClients: {
    title: "No old device is in use", problem: "Old devices are in use.", place: ["fleet", "See who uses an old app", "1"],
    why: "The gate counts 1.x clients that have used the public port within the time that `gates.oldClientsQuietFor` sets. See section 7 of the "
      + "cutover runbook.",
  },
};

/** Whether a step measures the gate anew, and nothing else is known to be wrong. */
export const isDue = (gate, parity) => !gate.passed && gate.name === "parity" && !(parity && (parity.failure || parity.differing));

const problem = (gate, kind, parity, due) => {
  if (due) return "Both servers have not been compared lately.";
  return gate.name === "parity" && parity && parity.failure ? "Both servers could not be compared." : kind.problem;
};

/** The gates of the step forward and of the step back, as the items of a checklist. */
export const checklist = (json, now) => {
  const items = list(json.gates).map(gate => {
    const kind = kinds[gate.name] || { title: text(gate.name), problem: "The gate " + text(gate.name) + " is closed.", place: ["cutover", ""],
      why: "" };
    const due = isDue(gate, json.parity);
    const [name, link, argument] = kind.place;
    const measured = gate.measured === null || gate.measured === undefined ? "" : count(gate.measured) + " " + text(gate.unit) + ", " +
      (gate.limit ? "at most " + count(gate.limit) + " allowed" : "none allowed");
    return {
      name: text(gate.name), title: kind.title, problem: problem(gate, kind, json.parity, due), state: gate.passed ? "good" : due ? "due" : "bad",
      word: gate.passed ? "passed" : due ? "due" : "closed",
      detail: [...prose(due && !json.parity ? "Both servers have not been compared yet. The step compares them." : gate.message),
        gate.age === undefined || !json.parity ? "" : " Compared " + (ago(json.parity.time, now) || "earlier") + "."],
      measured, todo: gate.passed || link === "" ? null : { href: anchor(name, argument), text: link }, why: prose(kind.why),
      isForward: (forward[json.stage] || Object.keys(kinds)).includes(gate.name),
    };
  });
  return { forward: items.filter(item => item.isForward), back: items.filter(item => !item.isForward) };
};
