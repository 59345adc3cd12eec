// What is on the screen: parts of sections, the status line, choices.
import { builder } from "./elements.js";
import { count, text } from "./model.js";

export const at = id => document.getElementById(id);

/** `act` is called with the action of a button or a fold. */
export const screen = act => {
  const { element, build, fill } = builder(document, act, new Set());
  const shown = new Map();

  const isNew = (id, value) => {
    const state = JSON.stringify(value);
    if (shown.get(id) === state) return false;
    shown.set(id, state);
    return true;
  };

  /** What has not changed stays, with the selection and the focus in it; what is made anew gets the focus back. */
  const render = (id, parts) => {
    if (!isNew(id, parts)) return;
    const place = at(id + "-body");
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") : null;
    place.replaceChildren(...parts.map(build));
    if (focused === null) return;
    const again = [...place.querySelectorAll("[data-key]")].find(one => one.getAttribute("data-key") === focused);
    (again || place.closest("section").querySelector("h2")).focus();
  };

  const verdict = said => {
    if (!isNew(" verdict", said)) return;
    at("verdict").className = said.tone;
    if (at("verdict-title").textContent !== said.title) at("verdict-title").textContent = said.title;
    at("verdict-lines").replaceChildren(...said.lines.map(line => fill(element("li"), line)));
  };

  const say = (words, tone) => {
    const status = at("status");
    if (status.textContent === words) return;
    status.textContent = words;
    status.className = tone || "";
  };

  const badge = (name, number) => {
    at("badge-" + name).textContent = number ? count(number) : "";
  };

  /** Gives a select or a list of suggestions other options; the first ones that have no value stay. */
  const offer = (id, names) => {
    if (!isNew(" offer " + id, names)) return;
    const place = at(id);
    const chosen = text(place.value);
    place.replaceChildren(...[...place.children].filter(option => option.getAttribute("value") === ""), ...names.map(name => element("option",
      { value: name, text: name })));
    if ("selectedIndex" in place && [...place.options].some(option => option.value === chosen)) place.value = chosen;
  };

  /** Shows one section, and says so in the menu. */
  const open = section => {
    for (const one of document.querySelectorAll("[data-section]")) one.hidden = one.getAttribute("data-section") !== section;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === "#" + section) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  // To what is shown now, without another anchor.
  at("skip").addEventListener("click", event => {
    event.preventDefault();
    document.querySelector("section:not([hidden]) h2").focus();
  });

  return { element, render, verdict, say, badge, offer, open };
};
