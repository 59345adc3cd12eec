// Asks the admin port.
const patience = 15000;

/** The answer as `status`, `json` and `content`; the status is 0 where no answer came, and `isLate` says that it took too long. `date` is the bridge's own time. */
export const ask = async (method, path, body, limit) => {
  try {
    const options = { method, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(limit || patience),
      headers: { Accept: "application/json" } };
    if (body !== undefined) {
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    // Not relative to an address in which there is a login, which browsers refuse.
    const response = await fetch(new URL("../" + path, location.origin + location.pathname), options);
    const content = await response.text();
    let json = null;
    try {
      json = JSON.parse(content);
    } catch {
      json = null;
    }
    return { status: response.status, json, content, date: Date.parse(response.headers.get("Date")) || Date.now() };
  } catch (error) {
    const isLate = error.name === "TimeoutError";
    return { status: 0, isLate, json: { reason: isLate ? "no answer within " + (limit || patience) / 1000 + " s" : "" } };
  }
};
