// The page of a review: shows one document at a time, and sends each verdict to the server, which
// saves it. All text is inserted as text, because documents come from the web.
"use strict";

const byId = (id) => document.getElementById(id);

// Characters of a text that are shown at first; a verdict seldom needs more.
const SHOWN_CHARACTERS = 6000;

let verdicts = []; // by document: "yes", "no" or null
let skipped = []; // documents that come again at the end, in order
let current = null; // the number of the document that is shown, or null
let hiddenText = []; // the paragraphs of a long text that are not shown
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

const formatInterval = ({ estimate, interval: [lower, upper] }) =>
  `${percent(estimate)} (${percent(lower).replace(" %", "")}–${percent(upper)})`;

// `rejected/slv/near`: the documents that were rejected, judged for slv, near the threshold.
const formatGroup = (group) => group.replace(/\/near$/, ", near threshold").replace("/", ", ");

function groupRow(group) {
  const precision = group.precision;
  const isJudged = group.judged > 0;
  const isRejected = group.group.split("/")[0] === "rejected";
  const cells = [
    formatGroup(group.group), group.documents, group.drawn, group.judged, group.relevant,
    precision ? formatInterval(precision) : "",
    isRejected || !isJudged ? "" : group.accepted ? "yes" : "no",
    isJudged ? group.kept : "",
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
  byId("question").textContent = shown.question;
  showText(shown.text);
  setLanguage(shown.lang);
  byId("metrics").textContent = describeFindings(shown);
  showMetrics(false);
  byId("verdict").hidden = verdicts[number] === null;
  byId("verdict").textContent = `Judged ${verdicts[number]} before`;
  focusOn("title");
}

// Shows the paragraphs of a text, of a long one the first ones; a part at least.
function showText(text) {
  const paragraphs = text.split("\n").filter((paragraph) => paragraph.trim());
  const shown = [];
  let length = 0;
  while (paragraphs.length > 0 && length + paragraphs[0].length <= SHOWN_CHARACTERS) {
    length += paragraphs[0].length;
    shown.push(paragraphs.shift());
  }
  if (shown.length === 0 && paragraphs.length > 0) {
    const characters = [...paragraphs[0].slice(0, 2 * SHOWN_CHARACTERS)];
    const begin = characters.slice(0, SHOWN_CHARACTERS).join("");
    shown.push(begin);
    paragraphs[0] = paragraphs[0].slice(begin.length);
  }
  byId("text").replaceChildren(...shown.map(paragraphOf));
  hiddenText = paragraphs;
  const left = paragraphs.reduce((sum, paragraph) => sum + paragraph.length, 0);
  byId("show-all").hidden = left === 0;
  byId("show-all").textContent = `Show all of the text: ${left.toLocaleString("en")} more characters`;
}

function showAll() {
  byId("text").append(...hiddenText.map(paragraphOf));
  hiddenText = [];
  byId("show-all").hidden = true;
}

function paragraphOf(text) {
  const paragraph = document.createElement("p");
  paragraph.dir = "auto";
  paragraph.textContent = text;
  return paragraph;
}

// What the filter has found: the votes of metrics, or the probable languages.
function describeFindings({ group, topic, langid }) {
  const parts = [`Group: ${formatGroup(group)}`];
  if (topic) {
    if (Array.isArray(topic.metrics)) parts.push(`votes: ${topic.metrics.join(", ") || "none"}`);
    const scores = Object.entries(topic.scores || {});
    if (topic.score !== undefined && scores.length === 0) parts.push(`score ${topic.score}`);
    parts.push(...scores.map(([name, score]) => `${name} ${score}`));
  }
  if (langid) {
    parts.push(...(langid.top || []).map(([code, score]) => `${code} ${score}`));
    parts.push(`margin ${langid.margin}`);
  }
  return parts.join(" · ");
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
  document.body.classList.toggle("ended", !isEnabled);
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

function showMetrics(isShown) {
  byId("metrics").hidden = !isShown;
  byId("show-metrics").setAttribute("aria-expanded", isShown);
}

function toggleMetrics() {
  if (current !== null) showMetrics(byId("metrics").hidden);
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
  "show-all": showAll,
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
  "a": "show-all",
  "?": "show-help",
};

for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);

// A keyboard for another script has the letters in the same places.
const keyOf = ({ key, code }) =>
  key.length === 1 && key > "\x7f" ? code.replace("Key", "").toLowerCase() : key.toLowerCase();

document.addEventListener("keydown", (event) => {
  const id = keys[keyOf(event)];
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
