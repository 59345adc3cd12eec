"use strict";
// What is shown of each answer of the admin port: parts that the page turns into elements, texts as texts. Functions of their arguments alone.
const Views = (() => {
  const { list, text, number, count, plural, ago, moment, segment, trouble } = Model;

  const stages = ["shadow", "dual", "switched", "complete", "sunset"];
  const note = (words, tone) => ({ kind: "text", text: words, tone: tone || "quiet" });
  const table = (caption, columns, rows, empty) => (rows.length ? { kind: "table", caption, columns, rows } : note(empty));
  const toned = (words, tone) => ({ text: words, tone });
  const unless = (answer, parts) => {
    const problem = trouble(answer);
    return problem ? [note(problem.text, problem.tone)] : parts(answer.json || {});
  };

  const step = (json, action, target, can, reasons) => ({
    label: (action === "advance" ? "Advance to " : "Reverse to ") + target,
    key: action,
    question: (action === "advance" ? "Advance from " : "Go back from ") + text(json.stage) + " to " + target + "?",
    detail: can ? "All gates are passed. The step is recorded." : "A gate refuses this step: " + reasons.join("; "),
    fields: [
      { name: "reason", label: "Reason, for the record", type: "text" },
      { name: "dryRun", label: "Only try: say what would happen, change nothing", type: "checkbox" },
    ].concat(can ? [] : [{ name: "force", label: "Override the gates; this is recorded with the reason", type: "checkbox" }]),
    method: "POST", path: "_cutover", body: { action, to: target },
  });

  const cutover = (answer, now) => unless(answer, json => {
    const place = stages.indexOf(json.stage);
    const parts = [{
      kind: "steps", label: "Stages of the cutover",
      items: stages.map((name, index) => ({ text: name, current: index === place, done: index < place })),
    }];
    if (json.meaning) parts.push(note(text(json.meaning)));
    const limits = gate => count(gate.limit) + (gate.unit ? " " + text(gate.unit) : "");
    parts.push(table("Gates", ["gate", "passed", "measured", "limit", "meaning"], list(json.gates).map(gate => ({
      cells: [
        text(gate.name), toned(gate.passed ? "yes" : "no", gate.passed ? "good" : "bad"),
        gate.measured === null || gate.measured === undefined ? "unknown" : count(gate.measured), limits(gate), text(gate.message),
      ],
    })), "no gates"));
    const actions = [];
    for (const [action, target, can, reasons] of [
      ["advance", json.next, json.canAdvance, json.advanceReasons], ["reverse", json.previous, json.canReverse, json.reverseReasons],
    ]) {
      if (target) actions.push(step(json, action, text(target), can === true, list(reasons).map(text)));
      if (target && can !== true) parts.push(note("Cannot " + action + ": " + (list(reasons).map(text).join("; ") || "no reason given"), "warn"));
    }
    if (actions.length) parts.push({ kind: "buttons", actions });
    parts.push(table("Steps taken", ["when", "from", "to", "outcome", "reason"], list(json.history).slice(-20).reverse().map(entry => ({
      cells: [
        toned(ago(entry.time, now) || moment(entry.time)), text(entry.from), text(entry.to),
        text(entry.outcome) + (entry.forced ? ", forced" : ""), text(entry.reason),
      ],
    })), "no step was taken yet"));
    return parts;
  });

  const transferred = status => ["docs_read", "docs_written", "docs_checked_pull", "docs_checked_push"]
    .reduce((sum, key) => sum + number(status[key]), 0);

  const tones = { running: "good", error: "bad", reconnecting: "warn", stopped: "quiet" };

  const replication = (status, rates) => {
    const id = text(status.replication_id);
    const config = status.config || {};
    const state = text(status.status);
    const stops = state === "running" || state === "starting" || state === "reconnecting";
    const verb = stops ? "stop" : "start";
    const perSecond = number((rates || {})[id]);
    const failures = number(status.doc_write_failures) + number(status.rejected_by_remote) + number(status.rejected_by_local);
    return {
      cells: [
        id, toned(state + (perSecond ? ", " + count(perSecond) + " a second" : ""), tones[state]),
        [text(config.direction), text(config.remote)].filter(Boolean).join(", "),
        count(status.docs_read) + " read of " + count(number(status.docs_checked_pull)),
        count(status.docs_written) + " written of " + count(number(status.docs_checked_push)),
        toned(count(failures), failures ? "bad" : ""), text(status.error_message) || (status.last_error_message ? "over, " + text(status.last_error_time) + ": " + text(status.last_error_message) : ""),
        { actions: [{
          label: verb === "stop" ? "Stop" : "Start", key: "replication " + id, question: (verb === "stop" ? "Stop" : "Start") + " the replication " + id + "?",
          detail: verb === "stop" ? "What has arrived is stored, and it goes on from there when it is started again." : "It goes on where it stopped.",
          fields: [], method: "PUT", path: "_replicationStatus/" + segment(id) + "?action=" + verb,
        }] },
      ],
    };
  };

  const replications = (answer, rates) => unless(answer, json => [
    table("", ["name", "state", "with", "pulled", "pushed", "failed", "last error", ""], list(json).map(status => replication(status, rates)),
      "no replications are configured"),
  ]);

  const behind = value => (value === null || value === undefined ? "—" : number(value) >= 10000 ? "10 000 or more" : count(value));

  const fleet = (answer, now) => unless(answer, json => {
    const drawing = Model.chart(json.days, now);
    const parts = [note("Seen since " + moment(json.since) + (json.complete === false ? "; only the latest checkpoints are counted" : ""))];
    parts.push(table("By generation", ["generation", "clients", "devices", "checkpoints", "last seen"], list(json.generations).map(entry => ({
      cells: [Model.generation(entry.generation), count(entry.clients), count(entry.devices), count(entry.checkpoints), ago(entry.last_seen, now)],
    })), "no client was seen"));
    if (drawing) parts.push({ kind: "chart", chart: drawing, caption: "Checkpoints written a day" });
    const clients = list(json.clients);
    parts.push(table("Seen last", ["user", "client", "generation", "devices", "last seen", "behind", "collections"], clients.map(client => ({
      cells: [
        text(client.user) || toned("guest", "quiet"), text(client.client), Model.generation(client.generation), count(client.devices),
        ago(client.last_seen, now), behind(client.behind),
        [...new Set(list(client.feeds).map(feed => text(feed.collection) || "unified"))].sort().join(", "),
      ],
    })), ""));
    if (number(json.total) > clients.length) parts.push(note("and " + plural(json.total - clients.length, "more", "more")));
    return parts.filter(part => part.text !== "");
  });

  const collections = answer => unless(answer, json => [
    note(text(json.state) + ", sequence " + text(json.sequence) + "; conflicts: " + text(json.conflict_policy) + "; departures: " + text(json.departures)),
    table("Collections", ["collection", "documents", "tombstones", "conflicts", "misplaced", "qualified", "legacy clients"],
      [Object.assign({ name: "unified keyspace" }, json.unified)].concat(list(json.collections)).map(entry => ({
        cells: [
          text(entry.name), count(entry.live), count(entry.tombstones), toned(count(entry.conflicted), entry.conflicted ? "warn" : ""),
          toned(count(entry.misplaced), entry.misplaced ? "warn" : ""), count(entry.qualified), entry.hidden ? "hidden" : "see it",
        ],
      })), ""),
    table("Routes, the first that matches wins", ["to", "when", "prefix"], list(json.routes).map(route => ({
      cells: [text(route.to), text(route.when), route.strips_prefix ? "cut off" : "kept"],
    })), "no routes: new documents stay in the default collection"),
  ]);

  const conflicts = (answer, now) => unless(answer, json => {
    const shown = list(json.conflicts);
    const total = list(json.collections).reduce((sum, entry) => sum + number(entry.conflicted), 0);
    const parts = [table("", ["document", "collection", "winner", "live branches", "changed"], shown.map(entry => ({
      cells: [text(entry.id), text(entry.collection), text(entry.winner), count(entry.leaves), ago(entry.modified, now)],
    })), "no document is in conflict")];
    if (total > shown.length) parts.push(note("and " + count(total - shown.length) + " more"));
    return parts;
  });

  const retry = (entry, label, question) => ({
    label, key: "retry " + text(entry.replication) + " " + text(entry.id), question,
    detail: "What is refused again stays parked with its new reason.", fields: [], method: "POST", path: "_parked",
    body: Object.assign({ action: "retry" }, entry),
  });

  const parked = (answer, now) => unless(answer, json => {
    const shown = list(json.parked);
    const parts = [table("", ["document", "revision", "replication", "refused", "attempts", "since", ""], shown.map(entry => ({
      cells: [
        text(entry.id), text(entry.revision), text(entry.replication) + ", " + text(entry.direction) + (entry.collection ? ", " + text(entry.collection) : ""),
        toned([text(entry.code), text(entry.reason)].filter(Boolean).join(": "), "bad"), count(entry.attempts), ago(entry.first_seen, now),
        { actions: [retry({ replication: text(entry.replication), id: text(entry.id) }, "Retry", "Try " + text(entry.id) + " again?")] },
      ],
    })), "nothing is parked")];
    if (number(json.total) > shown.length) parts.push(note("and " + count(json.total - shown.length) + " more"));
    if (shown.length) parts.push({ kind: "buttons", actions: [retry({}, "Retry all", "Try all " + plural(json.total, "parked revision") + " again?")] });
    return parts;
  });

  const migrations = (answer, overview, now) => unless(answer, json => {
    const state = text(json.state);
    const parts = [note("State: " + state + (json.last_error ? ". " + text(json.last_error) : ""), json.last_error ? "bad" : "quiet")];
    const act = (action, label, detail) => ({
      kind: "buttons", actions: [{
        label, key: "migration", question: label + " the migration?", detail, fields: [], method: "POST", path: "_migrations", body: { action },
      }],
    });
    if (state === "running" || state === "reverting" || state === "paused") {
      parts.push({
        kind: "meter", label: count(json.examined) + " of " + count(json.total) + " documents looked at", value: number(json.examined),
        max: Math.max(1, number(json.total)),
      });
      parts.push(state === "paused"
        ? act("resume", "Resume", "It goes on behind the last step.")
        : act("pause", "Pause", "It ends after the step that is under way, and can go on from there."));
    }
    const row = (run, from) => ({
      when: text(run.started), row: { cells: [text(run.id), from, text(run.state), moment(run.started), moment(run.finished)] },
    });
    const imports = list(overview && overview.json && overview.json.imports);
    const runs = list(json.runs).map(run => row(run, "in place")).concat(imports.map(run => row(run, text(run.source))));
    runs.sort((a, b) => (a.when < b.when ? 1 : a.when > b.when ? -1 : 0));
    parts.push(table("Runs", ["run", "from", "state", "started", "finished"], runs.slice(0, 20).map(run => run.row), "no migration was run yet"));
    return parts;
  });

  // What a change has come to, in words.
  const outcome = answer => {
    if (answer.status >= 200 && answer.status < 300) {
      const json = answer.json || {};
      const words = text(json.outcome) ? (json.dryRun ? "Tried: " : "Done: ") + text(json.outcome) : "Done";
      return { text: words + (json.reason ? ": " + text(json.reason) : ""), tone: "good" };
    }
    const problem = trouble(answer);
    return { text: problem.text, tone: "bad" };
  };

  return { cutover, replications, transferred, fleet, collections, conflicts, parked, migrations, outcome };
})();
