"use strict";
// Makes elements of parts. Whatever stands in a document's ID or an error's text is only ever set as text or as an attribute that is no program:
// nothing is parsed as markup.
const Elements = (document, act) => {
  const element = (name, properties, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === "text") made.textContent = value;
      else if (value !== undefined && value !== "" && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };

  const drawing = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const button = action => {
    const made = element("button", { type: "button", text: action.label, "data-key": action.key });
    made.addEventListener("click", () => act(action));
    return made;
  };

  const fill = (cell, content) => {
    if (content.actions) cell.append(...content.actions.map(button));
    else if (typeof content === "string") cell.textContent = content;
    else cell.append(element("span", { class: content.tone, text: content.text }));
    return cell;
  };

  // Roles are said once more, because a narrow screen shows rows as blocks, and blocks are no table to screen readers.
  const builders = {
    text: part => element("p", { class: part.tone, text: part.text }),
    steps: part => element("ol", { class: "steps", "aria-label": part.label }, ...part.items.map(item =>
      element("li", { class: item.done ? "done" : "", "aria-current": item.current ? "step" : "", text: (item.done ? "✓ " : "") + item.text }))),
    buttons: part => element("div", { class: "buttons" }, ...part.actions.map(button)),
    meter: part => element("div", {}, element("p", { text: part.label }),
      element("progress", { value: String(part.value), max: String(part.max), "aria-label": part.label })),
    table: part => element("table", { role: "table" },
      ...(part.caption ? [element("caption", { text: part.caption })] : []),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
        ...part.columns.map(name => element("th", { scope: "col", role: "columnheader", text: name })))),
      element("tbody", { role: "rowgroup" }, ...part.rows.map(row => element("tr", { role: "row" },
        ...row.cells.map((cell, index) => fill(element(index ? "td" : "th", index
          ? { role: "cell", "data-label": part.columns[index] } : { scope: "row", role: "rowheader", "data-label": part.columns[index] }), cell)))))),
    chart: part => {
      const chart = part.chart;
      const bars = chart.bars.map(bar => {
        const title = drawing("title", {});
        title.textContent = bar.title;
        return drawing("rect", { x: bar.x, y: bar.y, width: bar.width, height: bar.height, class: "g" + bar.generation }, title);
      });
      return element("div", { class: "chart" },
        element("p", { text: part.caption + ", at most " + Model.count(chart.top) }),
        element("ul", { class: "legend" }, ...chart.series.map(series => element("li", {},
          drawing("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, drawing("rect", { width: 1, height: 1, class: "g" + series.generation })),
          series.name))),
        drawing("svg", { viewBox: "0 0 " + chart.width + " 100", preserveAspectRatio: "none", role: "img", "aria-label": chart.label }, ...bars),
        element("p", { class: "ends" }, element("span", { text: chart.first }), element("span", { text: chart.last })));
    },
  };

  return { element, build: part => builders[part.kind](part) };
};
