// The searches of the page: what is typed becomes an anchor, so that it can be kept and sent on.
import { anchor } from "./model.js";
import { at } from "./screen.js";

const sent = (id, use) => at(id).addEventListener("submit", event => {
  event.preventDefault();
  use();
});

/** `follow` is called where an anchor is asked for again, `filter` with what is wanted of the fleet. */
export const forms = (follow, filter) => {
  const go = target => {
    if (location.hash === target) follow();
    else location.hash = target;
  };
  sent("document-form", () => go(anchor("documents", at("document-id").value.trim(), at("document-collection").value)));
  sent("user-form", () => go(anchor("users", at("user-name").value.trim())));
  sent("fleet-form", () => {});
  for (const id of ["fleet-text", "fleet-generation"]) {
    at(id).addEventListener("input", () => filter({ text: at("fleet-text").value, generation: at("fleet-generation").value, page: 0 }));
  }
};
