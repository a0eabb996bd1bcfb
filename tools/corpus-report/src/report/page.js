"use strict";
const nonce = document.currentScript.nonce;
const byId = (id) => document.getElementById(id);
const number = (text) => parseFloat(text.replace(/[\u202f\s]/g, "").replace("−", "-"));

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// --- names of languages, and numbers as CSV -----------------------------------------------------

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
for (const element of document.querySelectorAll("[data-class]")) {
  const code = element.textContent;
  const name = /^[a-z]{3}$/.test(code) && languages.of(code);
  if (name) element.textContent = `${name} (${code})`;
}

for (const details of document.querySelectorAll("figure details")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy as CSV";
  button.addEventListener("click", async () => {
    const cell = (c) => {
      const text = c.textContent.trim().replace(/(\d)\u202f(?=\d)/g, "$1").replace("−", "-");
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const rows = [...details.querySelectorAll("tr")].map((row) => [...row.cells].map(cell).join(","));
    const csv = rows.join("\n") + "\n";
    // A page that is opened from a file may have no clipboard.
    try {
      await navigator.clipboard.writeText(csv);
      button.textContent = "Copied";
    } catch {
      save("numbers.csv", "text/csv", csv);
    }
  });
  details.append(button);
}

// --- the table of documents ---------------------------------------------------------------------

const table = byId("docs");
if (table) documents();

async function documents() {
  const PAGE = 50;
  const body = table.tBodies[0];
  const template = document.createElement("template");
  const packed = Uint8Array.from(atob(byId("rows").textContent), (c) => c.charCodeAt(0));
  template.innerHTML = `<table><tbody>${await inflate(packed)}</table>`;
  const rows = [...template.content.querySelectorAll("tr")];
  const lower = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const box = (row) => row.querySelector("input");
  const key = `forage marks ${location.pathname}`;
  let found = rows, shown = PAGE;

  // Marks stay in this browser until they are saved.
  try {
    const kept = new Set(JSON.parse(localStorage.getItem(key) || "[]"));
    for (const row of rows) box(row).checked = kept.has(box(row).value);
  } catch {}
  const marks = () => rows.map(box).filter((b) => b.checked).map((b) => b.value);
  function keepMarks() {
    try { localStorage.setItem(key, JSON.stringify(marks())); } catch {}
    tell();
  }

  function tell() {
    const marked = marks().length;
    byId("count").textContent = `${found.length} documents` + (marked ? `, ${marked} marked` : "");
  }
  function show() {
    body.replaceChildren(...found.slice(0, shown));
    byId("more").hidden = found.length <= shown;
    tell();
  }
  function search() {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const which = byId("which").value;
    const fits = (row) => which === "x" ? box(row).checked : !which || row.className === which;
    found = rows.filter((row) => fits(row) && words.every((word) => lower.get(row).includes(word)));
    shown = PAGE;
    show();
  }

  byId("controls").hidden = false;
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("find").addEventListener("input", search);
  byId("which").addEventListener("change", search);
  byId("more").addEventListener("click", () => {
    const next = found[shown];
    shown += PAGE;
    show();
    next?.querySelector("button").focus();
  });
  byId("save").addEventListener("click", () => {
    save("without.txt", "text/plain", marks().map((name) => name + "\n").join(""));
  });
  body.addEventListener("change", keepMarks);

  for (const header of table.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    header.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const isNumber = header.dataset.sort === "number";
      const value = (row) => {
        const text = row.cells[header.cellIndex].textContent;
        return isNumber ? number(text) : text;
      };
      const values = new Map(rows.map((row) => [row, value(row)]));
      const isEmpty = (v) => v === "" || Number.isNaN(v);
      const order = isNumber ? (a, b) => a - b : new Intl.Collator().compare;
      rows.sort((x, y) => {
        const [a, b] = [values.get(x), values.get(y)];
        return isEmpty(a) - isEmpty(b) || (isEmpty(a) ? 0 : down ? order(b, a) : order(a, b));
      });
      search();
    });
  }
  show();
  reader(() => found, box, keepMarks);
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// --- the whole text of a document ---------------------------------------------------------------

function reader(found, box, keepMarks) {
  const dialog = byId("reader");
  const files = new Map();
  let row = null;

  // The files of texts are scripts that call this.
  window.forageTexts = (file, packed) => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    files.get(`${file}`).resolve(inflate(bytes).then(JSON.parse));
  };
  function load(file) {
    if (!files.has(file)) {
      const entry = {};
      entry.texts = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      files.set(file, entry);
      const script = document.createElement("script");
      script.nonce = nonce;
      script.src = `${table.dataset.texts}/${file}.js`;
      script.addEventListener("error", () => entry.reject(new Error("missing")));
      document.head.append(script);
    }
    return files.get(file).texts;
  }

  async function open(next) {
    if (!next) return;
    row = next;
    const title = row.querySelector("button");
    const link = row.querySelector("a, td > span").cloneNode(true);
    byId("reader-title").textContent = title.textContent;
    byId("reader-title").lang = title.lang;
    byId("reader-title").dir = "auto";
    byId("reader-about").replaceChildren(link);
    byId("not").setAttribute("aria-pressed", box(row).checked);
    const text = byId("reader-text");
    text.lang = title.lang;
    text.dir = "auto";
    if (!dialog.open) dialog.showModal();
    const [file, index] = (row.dataset.t || "").split(".");
    let whole = null;
    try {
      if (table.dataset.texts && file) whole = (await load(file))[index];
    } catch {}
    if (row !== next) return;
    if (whole === null) {
      text.textContent = `${row.querySelector("p")?.textContent || ""}\n\nThe whole text is in the journal of ${table.dataset.run ?? row.cells[1].textContent}, step ${row.cells[0].textContent}.`;
      return;
    }
    mark(text, whole, [...row.querySelectorAll(".q b")].map((b) => b.textContent));
    dialog.scrollTop = 0;
  }

  const escaped = (term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  function mark(element, text, terms) {
    if (!terms.length) return void (element.textContent = text);
    const unspaced = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
    const letter = `(?![${unspaced}])[\\p{L}\\p{N}]`;
    const pattern = new RegExp(`(?<!${letter})(${terms.map(escaped).join("|")})(?!${letter})`, "giu");
    element.replaceChildren(...text.split(pattern).map((part, index) => {
      if (index % 2 === 0) return part;
      const found = document.createElement("mark");
      found.textContent = part;
      return found;
    }));
  }

  const step = (by) => open(found()[found().indexOf(row) + by]);
  table.tBodies[0].addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) open(button.closest("tr"));
  });
  function toggle() {
    box(row).checked = !box(row).checked;
    byId("not").setAttribute("aria-pressed", box(row).checked);
    keepMarks();
  }
  byId("not").addEventListener("click", toggle);
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  dialog.addEventListener("close", () => row.isConnected && row.querySelector("button").focus());
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight" || event.key === "j") step(1);
    if (event.key === "ArrowLeft" || event.key === "k") step(-1);
    if (event.key === "x") toggle();
  });
}
