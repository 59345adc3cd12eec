// The dialog that asks before anything is changed.
const at = id => document.getElementById(id);

const field = (element, action, one) => {
  const input = element("input", { type: one.type, name: one.name, maxlength: one.type === "text" ? "500" : "" });
  if (one.type === "number") Object.assign(input, { min: one.min, max: one.max, step: "any", required: true, value: one.value });
  else if (one.required) input.required = true;
  const label = one.type === "checkbox" ? element("label", { class: "choice" }, input, element("span", { text: one.label })) : element("label", {},
    one.label, input);
  return { input, label, one };
};

const value = found => ({ checkbox: found.input.checked, number: Number(found.input.value) })[found.one.type] ?? found.input.value;

/** What somebody has filled in; null if he does not want it. */
export const confirm = (element, action) => new Promise(resolve => {
  const dialog = at("confirm");
  const [yes, no] = [at("confirm-yes"), at("confirm-no")];
  at("confirm-question").textContent = action.question;
  at("confirm-detail").textContent = action.detail;
  const fields = action.fields.map(one => field(element, action, one));
  at("confirm-fields").replaceChildren(...fields.map(found => found.label));
  const check = () => {
    const isDangerous = action.tone === "danger" || fields.some(found => found.one.danger && found.input.checked);
    yes.className = isDangerous ? "danger" : "primary";
    for (const found of fields.filter(found => found.one.needs)) {
      const needed = fields.find(other => other.one.name === found.one.needs).input;
      needed.setCustomValidity(found.input.checked && needed.value.trim() === "" ? "A reason is required. It is recorded with the step." : "");
    }
  };
  for (const found of fields) found.input.addEventListener("input", check);
  check();
  yes.textContent = action.confirm || action.label;
  let values = null;
  const done = () => {
    const form = at("confirm-form");
    if (!form.reportValidity()) return;
    values = {};
    for (const found of fields) values[found.one.name] = value(found);
    dialog.close();
  };
  yes.onclick = done;
  no.onclick = () => dialog.close();
  // Escape closes it as well, and confirms nothing. So does Enter in a field: the form has no button that sends it.
  dialog.addEventListener("close", () => resolve(values), { once: true });
  dialog.showModal();
  if (fields.length === 0) no.focus();
});
