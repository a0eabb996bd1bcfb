// The page of a review: shows one document at a time, and sends each verdict to the server, which
// saves it. All text is inserted as text, because documents come from the web.
"use strict";

const byId = (id) => document.getElementById(id);

let verdicts = []; // by document: "yes", "no" or null
let skipped = []; // documents that come again at the end, in order
let current = null; // the number of the document that is shown, or null
let isBusy = true; // during a request: a key pressed then was meant for another document

async function request(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The review has ended, so this was not saved. " +
      "Start it again with the same command; it continues after the last saved verdict.");
  }
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// Runs `work` unless another request is in progress, and shows its failure.
async function run(work) {
  if (isBusy) return;
  isBusy = true;
  try {
    await work();
    byId("message").hidden = true;
  } catch (error) {
    byId("message").textContent = error.message;
    byId("message").hidden = false;
  }
  isBusy = false;
}

function showProgress(progress) {
  byId("bar").max = progress.documents;
  byId("bar").value = progress.judged;
  byId("count").textContent = `${progress.judged} of ${progress.documents} judged`;
  byId("limit").textContent = percent(progress.limit);
  byId("group-rows").replaceChildren(...progress.groups.map(groupRow));
}

const percent = (share) => `${Math.round(share * 1000) / 10} %`;

const formatInterval = ({ estimate, interval }) =>
  `${percent(estimate)} (${interval.map(percent).join("–")})`;

function groupRow(group) {
  const precision = group.precision;
  const isJudged = group.judged > 0;
  const isRejected = group.group === "rejected";
  const cells = [
    group.group, group.documents, group.drawn, group.judged, group.relevant,
    precision ? formatInterval(precision) : "",
    isRejected || !isJudged ? "" : group.accepted ? "yes" : "no",
    isRejected || !isJudged ? "" : group.kept,
  ];
  const row = document.createElement("tr");
  row.append(...cells.map((cell) => {
    const element = document.createElement("td");
    element.textContent = cell;
    return element;
  }));
  return row;
}

// Shows the next document without a verdict: one that was not skipped, else the first skipped one.
function showNext() {
  const isOpen = (number) => verdicts[number] === null;
  skipped = skipped.filter(isOpen);
  const fresh = verdicts.findIndex((_, number) => isOpen(number) && !skipped.includes(number));
  const next = fresh >= 0 ? fresh : skipped.shift();
  return next === undefined ? showEnd() : showDocument(next);
}

async function showDocument(number) {
  const shown = await request(`document/${number}`);
  current = number;
  byId("end").hidden = true;
  byId("document").hidden = false;
  enableVerdicts(true);
  byId("title").textContent = shown.title || "(no title)";
  byId("url").textContent = shown.url || "";
  if (shown.url) byId("url").href = shown.url;
  else byId("url").removeAttribute("href");
  const paragraphs = shown.text.split("\n").filter((text) => text.trim());
  byId("text").replaceChildren(...paragraphs.map((text) => {
    const paragraph = document.createElement("p");
    paragraph.dir = "auto";
    paragraph.textContent = text;
    return paragraph;
  }));
  setLanguage(shown.lang);
  const topic = shown.topic || {};
  const scores = Object.entries(topic.scores || {}).map(([name, score]) => `${name} ${score}`);
  const votes = (topic.metrics || []).join(", ") || "none";
  byId("metrics").textContent = [`Group ${shown.group}`, `votes: ${votes}`, ...scores].join(" · ");
  byId("metrics").hidden = true;
  byId("verdict").hidden = verdicts[number] === null;
  const verdict = verdicts[number] === "yes" ? "relevant" : "not relevant";
  byId("verdict").textContent = `Judged ${verdict} before`;
  focusOn("title");
}

// Browsers know languages by two letters where there are two, and convert the others.
function setLanguage(code) {
  let language = "";
  try {
    if (code && code !== "und") language = Intl.getCanonicalLocales(code)[0];
  } catch { /* not a language code */ }
  for (const id of ["title", "text"]) byId(id).lang = language;
}

function enableVerdicts(isEnabled) {
  for (const id of ["yes", "no", "skip", "show-metrics"]) byId(id).disabled = !isEnabled;
}

function showEnd() {
  current = null;
  enableVerdicts(false);
  byId("document").hidden = true;
  byId("end").hidden = false;
  byId("groups").open = true;
  focusOn("end-title");
}

// Moves the focus off the button that was clicked, so that the space key does not click it again.
function focusOn(id) {
  window.scrollTo(0, 0);
  byId(id).focus({ preventScroll: true });
}

async function judge(verdict) {
  if (current === null) return;
  const changed = await request("verdict", { number: current, verdict });
  verdicts[changed.number] = changed.verdict;
  showProgress(changed.progress);
  await showNext();
}

async function skip() {
  if (current === null) return;
  skipped = [...skipped.filter((number) => number !== current), current];
  await showNext();
}

async function undo() {
  const changed = await request("undo", {});
  if (changed.number === null) throw new Error("There is no verdict to undo.");
  verdicts[changed.number] = changed.verdict;
  showProgress(changed.progress);
  await showDocument(changed.number);
}

async function finish() {
  await request("finish", {});
  byId("document").hidden = true;
  byId("end").hidden = true;
  document.querySelector("footer").hidden = true;
  byId("count").textContent += ". The review is finished; this page can be closed.";
  current = null;
}

function toggleMetrics() {
  byId("metrics").hidden = !byId("metrics").hidden;
}

function toggleHelp() {
  const help = byId("help");
  if (help.open) help.close();
  else help.showModal();
}

const actions = {
  "yes": () => run(() => judge("yes")),
  "no": () => run(() => judge("no")),
  "skip": () => run(skip),
  "undo": () => run(undo),
  "show-metrics": toggleMetrics,
  "show-help": toggleHelp,
  "finish": () => run(finish),
};
const keys = {
  "y": "yes",
  "n": "no",
  " ": "skip",
  "u": "undo",
  "backspace": "undo",
  "m": "show-metrics",
  "?": "show-help",
};

for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);

document.addEventListener("keydown", (event) => {
  const id = keys[event.key.toLowerCase()];
  const isOnControl = event.key === " " && event.target.closest("button, a, summary");
  const isForPage = id && !event.ctrlKey && !event.metaKey && !event.altKey && !isOnControl;
  if (!isForPage || (byId("help").open && id !== "show-help")) return;
  event.preventDefault();
  // A key that is held down would judge documents that nobody has read.
  if (!event.repeat) actions[id]();
});

isBusy = false;
run(async () => {
  const state = await request("state");
  verdicts = state.verdicts;
  showProgress(state.progress);
  await showNext();
});
