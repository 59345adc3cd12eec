// Makes elements of parts. Whatever stands in a document's ID or an error's text is only ever set as text or as an attribute that is no program:
// nothing is parsed as markup.
import { count, short, text } from "./model.js";

/** What makes elements: `act` is called with the action of a button or a fold, and `opened` has the keys of the folds that are open. */
export const builder = (document, act, opened) => {
  const element = (name, properties, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === "text") made.textContent = value;
      else if (value !== undefined && value !== "" && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };

  const shape = (name, attributes, content, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (content) made.textContent = content;
    made.append(...children);
    return made;
  };

  const button = action => {
    const made = element("button", { type: "button", text: action.label, "data-key": action.key, class: action.tone });
    made.addEventListener("click", () => act(action));
    return made;
  };

  /** The beginning of a revision's ID; a click shows all of it. */
  const revision = full => {
    if (short(full) === full) return element("code", { text: full });
    const made = element("button", { type: "button", class: "revision", text: short(full), title: full, "aria-expanded": "false",
      "data-key": "revision " + full });
    made.addEventListener("click", () => {
      const isShort = made.textContent !== full;
      made.textContent = isShort ? full : short(full);
      made.setAttribute("aria-expanded", String(isShort));
    });
    return made;
  };

  const fill = (place, content) => {
    if (content === null || content === undefined) return place;
    if (Array.isArray(content)) content.forEach(one => fill(place, one));
    else if (typeof content !== "object") place.append(text(content));
    else if (content.actions) place.append(...content.actions.map(button));
    else if (content.revision !== undefined) place.append(revision(text(content.revision)));
    else if (content.code !== undefined) place.append(element("code", { text: content.code }));
    else if (content.href !== undefined) place.append(element("a", { href: content.href, text: content.text, "data-key": "link " + content.href }));
    else place.append(element("span", { class: content.tone, title: content.title, text: content.text }));
    return place;
  };

  const build = part => builders[part.kind](part);

  // Roles are said once more, because a narrow screen shows rows as blocks, and blocks are no table to screen readers.
  const table = part => element("table", { role: "table" },
    ...(part.caption ? [element("caption", { text: part.caption })] : []),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
      ...part.columns.map(name => element("th", { scope: "col", role: "columnheader" }, element("span", { class: name ? "" : "aside", text: name
        || "action" }))))),
    element("tbody", { role: "rowgroup" }, ...part.rows.map(row => element("tr", { role: "row" },
      ...row.cells.map((cell, index) => element(index ? "td" : "th", index
        ? { role: "cell", "data-label": part.columns[index] } : { scope: "row", role: "rowheader", "data-label": part.columns[index] },
          fill(element("span"), cell)))))));

  const legend = series => element("ul", { class: "legend" }, ...series.map(one => element("li", {},
    shape("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, "", shape("rect", { width: 1, height: 1, class: "g" + one.generation })), one.name)));

  const chart = part => {
    const { chart: drawn, caption } = part;
    const lines = [0, 50, 100].map(y => shape("path", { d: "M0 " + y + "H" + drawn.width, class: "grid" }));
    const bars = drawn.bars.map(bar => shape("rect", { x: bar.x, y: bar.y, width: bar.width, height: bar.height, class: "g" + bar.generation }, "",
      shape("title", {}, bar.title)));
    const marks = drawn.marks.map(mark => shape("path", { d: "M" + mark.x + " 0V100", class: "step" }, "", shape("title", {}, mark.title)));
    return element("figure", { class: "chart" },
      element("figcaption", { text: caption }), legend(drawn.series),
      element("div", { class: "plot" },
        element("div", { class: "scale", "aria-hidden": "true" }, ...[count(drawn.top), drawn.half, "0"].map(words => element("span",
          { text: words }))),
        shape("svg", { viewBox: "0 0 " + drawn.width + " 100", preserveAspectRatio: "none", role: "img", "aria-label": drawn.label }, "", ...lines,
          ...bars, ...marks)),
      element("p", { class: "ends", "aria-hidden": "true" }, ...drawn.dates.map(words => element("span", { text: words }))),
      ...(drawn.marks.length ? [element("p", { class: "quiet", text: "Dashed lines are steps of the cutover. "
        + drawn.marks.map(mark => mark.title).join("; ") + "." })] : []));
  };

  const fold = part => {
    const made = element("details", { open: opened.has(part.key) }, fill(element("summary", { "data-key": part.key }), part.summary), element("div",
      {}, ...part.parts.map(build)));
    made.addEventListener("toggle", () => {
      if (made.open) opened.add(part.key);
      else opened.delete(part.key);
      if (made.open && part.command) act(part);
    });
    return made;
  };

  const marks = { good: "✓", due: "…", bad: "✗" };

  const check = item => element("li", { class: "check " + item.state },
    element("span", { class: "mark", "aria-hidden": "true", text: marks[item.state] }),
    element("div", {},
      element("p", {}, element("strong", { text: item.title }), element("span", { class: "word", text: " " + item.word })),
      fill(element("p", {}), item.detail),
      ...(item.measured ? [element("p", { class: "quiet", text: item.measured })] : []),
      ...(item.todo ? [fill(element("p"), item.todo)] : []),
      ...(item.why.length ? [fold({ key: "why " + item.name, summary: "What this means", parts: [{ kind: "line", cells: item.why }] })] : [])));

  const builders = {
    text: part => element("p", { class: part.tone, text: part.text }),
    line: part => fill(element("p", { class: part.tone }), part.cells),
    heading: part => element("h3", { id: part.id, tabindex: part.id ? "-1" : "", text: part.text }),
    facts: part => element("dl", {}, ...part.rows.map(([name, value]) => element("div", {}, element("dt", { text: name }), fill(element("dd"),
      value)))),
    tiles: part => element("ul", { class: "tiles" }, ...part.items.map(item => element("li", { class: item.tone }, element("strong",
      { text: item.value }), " " + item.text))),
    steps: part => element("ol", { class: "steps", "aria-label": part.label }, ...part.items.map(item =>
      element("li", { class: item.done ? "done" : "", "aria-current": item.current ? "step" : "", text: (item.done ? "✓ " : "") + item.text }))),
    checks: part => element("ul", { class: "checks" }, ...part.items.map(check)),
    buttons: part => element("div", { class: "buttons" }, ...part.actions.map(button)),
    meter: part => element("div", {}, element("p", { text: part.label }),
      element("progress", { value: String(part.value), max: String(part.max), "aria-label": part.label })),
    table, chart, fold,
    drawing: part => element("div", { class: "drawing" }, ...part.layouts.map(layout => shape("svg",
      { viewBox: "0 0 " + layout.width + " " + layout.height, role: "img", "aria-label": part.label, class: layout.name }, "",
      ...layout.shapes.map(([name, attributes, content]) => shape(name, attributes, content))))),
    compare: part => element("div", { class: "compare" }, ...part.items.map(item => element("section", {},
      fill(element("h3"), item.title),
      item.lines ? element("pre", { tabindex: "0" }, ...item.lines.map(line => element(line.differs ? "mark" : "span", { text: line.text + "\n" })))
        : element("p", { class: "quiet", text: item.missing }),
      ...(item.actions.length ? [element("div", { class: "buttons" }, ...item.actions.map(button))] : [])))),
  };

  return { element, build, fill };
};
