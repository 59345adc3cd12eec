// Asks again and again: a heartbeat, and tasks with their spans of time.
import { ask } from "./ask.js";
import { list, number } from "./model.js";

const beat = 2000;
const beatPatience = 3000;
const soon = 500;
const clientsOfPage = 1000;
const clientsOfAll = 10000;

/** All clients of the fleet up to a limit, by pages, as one answer. */
export const fleet = async path => {
  const answer = await ask("GET", path + "&limit=" + clientsOfPage);
  const clients = list(answer.json && answer.json.clients);
  while (answer.status === 200 && clients.length < Math.min(number(answer.json.total), clientsOfAll)) {
    const next = await ask("GET", path + "&limit=" + clientsOfPage + "&skip=" + clients.length);
    const found = list(next.json && next.json.clients);
    if (next.status !== 200 || found.length === 0) break;
    clients.push(...found);
  }
  if (answer.status === 200) answer.json.clients = clients;
  return answer;
};

/** Polls until it is started anew. `heard` gets the answers of tasks, `felt` whether the bridge answers at all.
 *
 * A task has a `name`, a `path` (null while it is not known what to ask, empty where the answer is known to be 404), the span `every` in milliseconds, and perhaps what `load`s it. */
export const loader = (heard, felt) => {
  // Raised with each start, so that late answers to earlier questions count for nothing.
  let round = 0;

  const poll = async (task, own) => {
    const path = task.path();
    const answer = path === null ? null : path === "" ? { status: 404, json: {} } : await (task.load ? task.load(path) : ask("GET", path));
    if (own !== round) return;
    if (answer) heard(task, answer);
    setTimeout(() => {
      if (own === round) poll(task, own);
    }, !answer ? soon : task.slower && task.slower(answer) ? task.every * 5 : task.every);
  };

  // One answer that is late may be this machine's doing, two are not.
  const feel = async (own, wasLate) => {
    const answer = await ask("GET", "_ping", undefined, beatPatience);
    if (own !== round) return;
    const isLate = answer.status === 0 && answer.isLate === true;
    if (!isLate || wasLate) felt(answer.status !== 0);
    setTimeout(() => {
      if (own === round) feel(own, isLate);
    }, beat);
  };

  return {
    start: tasks => {
      round += 1;
      if (document.hidden) return;
      feel(round, false);
      for (const task of tasks) poll(task, round);
    },
  };
};
