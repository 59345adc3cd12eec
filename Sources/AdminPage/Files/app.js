// Shows what the views make of the answers, follows the anchors, and sends changes that somebody has confirmed.
import * as Conflicts from "./conflicts.js";
import * as Cutover from "./cutover.js";
import * as Documents from "./documents.js";
import * as Fleet from "./fleet.js";
import * as Lookup from "./lookup.js";
import * as Migrations from "./migrations.js";
import * as Parked from "./parked.js";
import * as Replications from "./replications.js";
import * as Server from "./server.js";
import * as Users from "./users.js";
import { asked, list, members, number, segment, text } from "./model.js";
import { at, screen } from "./screen.js";
import { changes } from "./changes.js";
import { csv, find } from "./devices.js";
import { fleet, loader } from "./loader.js";
import { forms } from "./forms.js";
import { look, parse, rates as measured, speedometer, stage } from "./metrics.js";

const { element, render, verdict, say, badge, offer, open } = screen(action => act(action));

// The sections of the page, and the other anchors that are in one.
const sections = ["cutover", "fleet", "users", "documents", "conflicts", "parked", "migrations", "server"];
const within = { replications: "cutover", differences: "cutover", clients: "fleet", collections: "documents" };

let database = "";
// What was answered, and what was looked up on demand: both are of one database.
let [answers, found] = [{}, {}];
let [samples, before, rates, meter, parkedLimit] = [[], null, {}, speedometer(), 200];
let wanted = { text: "", generation: "", page: 0 };
// The bridge's time; when it answered last, when it stopped to answer, and until when the outcome of a change stays to be read.
let [now, heardAt, silent, keptUntil] = [Date.now(), "", "", 0];

// A database without a cutover has no metric of its stage, and is not asked for it: a browser would make an error of the 404.
const cutoverPath = () => {
  if (stage(samples, database) || (answers.metrics && answers.metrics.status !== 200)) return inDatabase("_cutover")();
  return database && samples.length ? "" : null;
};

const comparisonPath = () => {
  const path = cutoverPath();
  return path ? path + "/comparison?limit=200" : path;
};

const inDatabase = path => () => (database ? segment(database) + "/" + path : null);

const tasks = [
  { name: "replications", path: inDatabase("_replicationStatus/?includeConfig=true"), every: 2000 },
  { name: "migrations", path: inDatabase("_migrations"), every: 3000 },
  { name: "metrics", path: () => "metrics", every: 5000 },
  { name: "status", path: () => "_status", every: 10000 },
  { name: "cutover", path: () => cutoverPath(), every: 10000 },
  { name: "comparison", path: () => comparisonPath(), every: 3000 },
  { name: "parked", path: () => inDatabase("_parked?limit=" + parkedLimit)(), every: 10000 },
  { name: "overview", path: inDatabase("_overview"), every: 10000 },
  { name: "fleet", path: inDatabase("_fleet?since=90d"), every: 60000, load: fleet, slower: answer => number(answer.json && answer.json.total) > 1000 },
];

// Showing

const json = name => (answers[name] && answers[name].status === 200 && answers[name].json) || null;

const judge = () => {
  if (!database && json("status")) verdict({ tone: "quiet", title: "The bridge serves no database.", lines: [] });
  else verdict(Cutover.verdict({ silent, answer: answers.cutover, fleet: json("fleet") }, now));
};

const show = () => {
  judge();
  render("server", Server.view(answers.status, samples, rates, now));
  if (!database) return;
  render("picture", Cutover.picture({ cutover: answers.cutover, replications: answers.replications, fleet: answers.fleet, samples, rates, database }, now));
  render("cutover", Cutover.view(answers.cutover, answers.comparison, now));
  render("replications", Replications.view(answers.replications, meter.speeds, samples, database));
  render("fleet", Fleet.view(answers.fleet, now, answers.cutover));
  render("clients", Fleet.search(answers.fleet, wanted, now));
  render("users", Users.view(text(found.user), found, answers.fleet, now));
  render("documents", Documents.search(found.document || { id: "" }, found.explained, database, now));
  render("collections", Documents.collections(answers.overview));
  render("conflicts", Conflicts.view(answers.overview, found.branches || {}, database, now));
  render("parked", Parked.view(answers.parked, found.bodies || {}, now));
  render("migrations", Migrations.view(answers.migrations, answers.overview, meter.speeds[" migration"]));
  badge("conflicts", number(((json("overview") || {}).unified || {}).conflicted));
  badge("parked", number((json("parked") || {}).total));
};

// Hearing

const measure = () => {
  const time = performance.now();
  for (const status of list(json("replications"))) meter.see(text(status.replication_id), Replications.transferred(status), time);
  if (json("migrations")) meter.see(" migration", number(json("migrations").examined), time);
};

const offerDatabases = names => {
  offer("database", names);
  const wish = database || new URLSearchParams(location.search).get("database");
  const chosen = names.includes(wish) ? wish : names[0] || "";
  at("database").value = chosen;
  document.documentElement.toggleAttribute("data-empty", !chosen);
  if (chosen !== database) choose(chosen);
  else if (!chosen) follow(false);
};

const offerUsers = () => {
  const seen = list((json("fleet") || {}).clients).map(client => text(client.user));
  offer("user-names", [...new Set([...seen, ...list(found.names)])].filter(name => name !== "").sort().slice(0, 1000));
};

const heard = (task, answer) => {
  // What was answered before stays where no answer comes now: the verdict says so.
  if (answer.status === 0 && answers[task.name] && answers[task.name].status !== 0) return;
  answers[task.name] = answer;
  if (answer.date) now = answer.date;
  if (task.name === "metrics" && answer.status === 200) {
    samples = parse(answer.content);
    const current = look(samples, database, performance.now());
    rates = measured(before, current);
    before = current;
  }
  if (task.name === "replications" || task.name === "migrations") measure();
  if (task.name === "status" && answer.status === 200) offerDatabases(members(answer.json && answer.json.databases).map(([name]) => name).sort());
  if (task.name === "overview") offer("document-collection", list((json("overview") || {}).collections).map(entry => text(entry.name)));
  if (task.name === "fleet") offerUsers();
  show();
  if (answers.status && (!database || tasks.every(one => answers[one.name]))) document.documentElement.setAttribute("data-ready", "yes");
};

const felt = isThere => {
  const clock = new Date().toLocaleTimeString();
  if (isThere) {
    heardAt = clock;
    if (silent) {
      silent = "";
      say("The bridge answers again", "good");
      keptUntil = performance.now() + 5000;
      start();
    } else if (!isBusy() && performance.now() > keptUntil) say(database ? "Up to date" : "The bridge serves no database", database ? "" : "warn");
  } else if (!silent) {
    silent = heardAt || clock;
    say("The bridge does not answer", "bad");
  }
  at("clock").textContent = isThere ? clock : "last answer " + (heardAt || "none");
  judge();
};

const polls = loader(heard, felt);
const start = () => polls.start(tasks);

const choose = name => {
  database = name;
  answers = { status: answers.status, metrics: answers.metrics };
  [found, meter, rates, before, parkedLimit] = [{}, speedometer(), {}, null, 200];
  document.title = (name ? name + " – " : "") + "Dualgauge";
  if (name) history.replaceState(null, "", "?database=" + segment(name) + location.hash);
  follow(false);
  start();
};

// Looking up

const explain = async (id, collection) => {
  const own = { id, collection: text(collection) };
  if (!found.document || found.document.id !== id) found.explained = undefined;
  found.document = own;
  show();
  const answer = await Lookup.explain(database, id, collection);
  if (found.document !== own) return;
  found.explained = answer;
  show();
};

const account = async name => {
  const own = found;
  [own.user, own.account, own.seen] = [name, undefined, undefined];
  show();
  if (!own.names) own.names = list((await Lookup.names(database)).json).map(text);
  const answer = own.names.length && !own.names.includes(name) ? { status: 404, json: {} } : await Lookup.account(database, name);
  if (found !== own || own.user !== name) return;
  own.account = answer;
  offerUsers();
  show();
  if (answer.status === 200) seen(name);
};

/** The documents that a user sees: the first ones, or more of them. */
const seen = async (name, after) => {
  const own = found;
  const answer = await Lookup.seen(database, name, after);
  if (found !== own || own.user !== name) return;
  const earlier = after ? list(own.seen.json.documents) : [];
  own.seen = answer.status === 200 ? { ...answer, json: { ...answer.json, documents: earlier.concat(list(answer.json.documents)) } } : answer;
  show();
};

// What an anchor asks for: a section, and what it shows.
const follow = moves => {
  const { name, rest } = asked(location.hash);
  const section = !database && json("status") ? "server" : within[name] || (sections.includes(name) ? name : "cutover");
  open(section);
  if (database && section === "documents" && rest[0]) {
    at("document-id").value = rest[0];
    at("document-collection").value = rest[1] || "";
    explain(rest[0], rest[1]);
  }
  if (database && section === "users" && rest[0]) {
    at("user-name").value = rest[0];
    account(rest[0]);
  }
  if (section === "fleet" && rest[0]) {
    wanted = { ...wanted, generation: rest[0], page: 0 };
    at("fleet-generation").value = rest[0];
    show();
  }
  if (!moves) return;
  const target = (sections.includes(name) || within[name]) && at(name) || at(section);
  target.focus({ preventScroll: true });
  target.scrollIntoView();
};

// Doing

/** Keeps what is asked for on demand, once. */
const once = async (kind, key, load) => {
  const own = found;
  if (own[kind] && own[kind][key]) return;
  const answer = await load();
  own[kind] = { ...own[kind], [key]: answer };
  if (own === found) show();
};

const commands = {
  branches: entry => once("branches", Conflicts.key(entry), () => Lookup.branches(database, entry)),
  parkedBodies: entry => once("bodies", Parked.key(entry), () => Lookup.parked(database, entry)),
  seenMore: after => seen(found.user, after),
  parkedMore: () => {
    parkedLimit = Math.min(parkedLimit * 5, 10000);
    start();
  },
  page: value => {
    wanted = { ...wanted, page: value };
    show();
  },
  csv: chosen => {
    const link = element("a", { download: database + "-fleet.csv", href: URL.createObjectURL(new Blob([csv(find(answers.fleet.json.clients, chosen))], { type: "text/csv" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  },
};

const { act: change, isBusy } = changes(element, say, () => database, () => {
  keptUntil = performance.now() + 20000;
  [found.branches, found.bodies] = [{}, {}];
  start();
  if (found.document) explain(found.document.id, found.document.collection);
});

const act = action => (action.command ? commands[action.command](action.value) : change(action));

at("database").addEventListener("change", () => choose(at("database").value));
forms(() => follow(false), filter => {
  wanted = filter;
  show();
});
document.addEventListener("visibilitychange", start);
addEventListener("hashchange", () => follow(true));
follow(false);
start();
