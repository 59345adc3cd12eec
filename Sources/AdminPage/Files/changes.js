// Sends changes, those that change something after somebody has confirmed them.
import { ask } from "./ask.js";
import { confirm } from "./dialog.js";
import { count, segment } from "./model.js";
import { together } from "./outcome.js";

const patience = 600000;

/** `element` makes elements, `say` shows a status, `database` gives the name of the database, and `done` is called after a change. */
export const changes = (element, say, database, done) => {
  let isBusy = false;

  const send = async (name, action, values) => {
    const path = action.whole || segment(name) + "/" + action.path;
    const bodies = action.bodies || [action.body];
    const answers = [];
    for (const body of bodies) {
      say(action.label + (bodies.length > 1 ? ": " + count(answers.length + 1) + " of " + count(bodies.length) : "") + "…");
      answers.push(await ask(action.method, path, body && { ...body, ...values }, patience));
    }
    return together(answers, action);
  };

  return {
    isBusy: () => isBusy,
    act: async action => {
      if (isBusy) return say("Wait until the last change is done", "warn");
      const name = database();
      const values = action.question ? await confirm(element, action) : {};
      if (values === null || name !== database()) return;
      isBusy = true;
      document.documentElement.setAttribute("data-busy", "yes");
      const result = await send(name, action, values);
      isBusy = false;
      document.documentElement.removeAttribute("data-busy");
      say((action.confirm || action.label) + ": " + result.text, result.tone);
      if (name === database()) done();
    },
  };
};
