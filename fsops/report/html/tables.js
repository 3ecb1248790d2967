/* Tables that sort, filter and draw only the rows one can see; the switch between light and dark. */
const MARGIN = 12;   // rows drawn beyond both edges of what is visible
const ON_PAPER = 50; // rows that are printed
const FEW = 12;      // rows that need no filter
const counts = new Intl.NumberFormat("en");

/* A number, short but not misleading, as everywhere in fsops. */
function numberText(value, decimals = null) {
  if (value === null) return "?";
  if (typeof value === "string") return value;
  if (decimals !== null) return value.toFixed(decimals);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(4).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(5)));
}

/* How many decimals let the numbers of a column line up; null: their sizes differ too much. The same
   rule as `column_texts` in fsops/report/numbers.py. */
function decimalsOf(values) {
  let largest = 0, smallest = Infinity, whole = true;
  const known = values.filter((value) => typeof value === "number");
  for (const value of known) {
    const size = Math.abs(value);
    if (size > largest) largest = size;
    if (size && size < smallest) smallest = size;
    whole &&= Number.isInteger(value);
  }
  if (largest >= 1e7 || smallest < 1e-4) return null;
  if (whole) return 0;
  const most = Math.max(4 - Math.floor(Math.log10(largest)), 0);
  if (smallest < 10 ** -most) return null;
  let decimals = 0; // without zeros at the end of all numbers
  for (const value of known) {
    while (decimals < most && Number(value.toFixed(decimals)) !== Number(value.toFixed(most))) decimals++;
    if (decimals === most) break;
  }
  return decimals;
}

const INFINITE = { "∞": Infinity, "-∞": -Infinity };
const asNumber = (value) => (typeof value === "string" ? INFINITE[value] : value);

class VirtualTable {
  constructor(box) {
    const data = JSON.parse(box.querySelector("script").textContent);
    this.columns = data.columns;
    for (const column of this.columns) column.decimals = column.alike ? decimalsOf(column.values) : null;
    this.total = data.total;
    this.rows = this.columns[0].values.length;
    this.order = Array.from({ length: this.rows }, (_, row) => row);
    this.box = box;
    this.scroll = box.querySelector(".scroll");
    this.table = box.querySelector("table");
    this.body = box.querySelector("tbody");
    this.status = box.querySelector(".count");
    this.sorted = { column: -1, direction: 1 };
    this.words = [];
    const named = this.columns.filter((column) => !column.number);
    this.searched = named.length ? named : this.columns;
    this.paper = false;
    this.table.setAttribute("aria-rowcount", String(this.rows + 1));
    this.attribute = this.columns.find((column) => column.name === "attribute" && !column.number);
    this.addSorting();
    this.addTools();
    this.keepWidths();
    let due = false;
    this.scroll.addEventListener("scroll", () => {
      if (due) return;
      due = true;
      requestAnimationFrame(() => { due = false; this.draw(); });
    });
    window.addEventListener("resize", () => this.draw());
    window.addEventListener("beforeprint", () => { this.paper = true; this.draw(); });
    window.addEventListener("afterprint", () => { this.paper = false; this.draw(); });
    this.draw();
  }

  addSorting() {
    this.box.querySelectorAll("thead th").forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => this.sort(column, head));
    });
  }

  addTools() {
    const tools = document.createElement("div");
    const title = this.box.querySelector(".table-title").textContent;
    tools.className = "tools";
    if (this.rows > FEW) this.addFilter(tools, title);
    tools.append(...saveButtons(title, () => this.columns));
    this.scroll.before(tools);
  }

  addFilter(tools, title) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    input.id = `${this.box.id}-filter`;
    label.htmlFor = input.id;
    label.textContent = "Filter";
    input.setAttribute("aria-label", `Filter ${title.toLowerCase()}`);
    tools.append(label, input);
    input.addEventListener("input", () => {
      this.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.arrange();
    });
  }

  /* Columns must not jump about while one scrolls: as wide as their longest text, over all rows. */
  keepWidths() {
    this.table.style.minWidth = "100%";
    this.scroll.style.minWidth = `min(100%, ${12 * this.columns.length}rem)`;
    if (this.rows <= ON_PAPER) return;
    const longest = this.columns.map((column) => {
      let best = column.title.length + 2;
      for (const value of column.values) {
        const length = (column.number ? numberText(value, column.decimals) : String(value ?? "")).length;
        if (length > best) best = length;
      }
      return Math.min(best, 40);
    });
    this.box.querySelectorAll("thead th").forEach((head, column) => {
      head.style.minWidth = `${longest[column] + 2}ch`;
    });
  }

  sort(column, head) {
    const again = this.sorted.column === column;
    const first = this.columns[column].number ? -1 : 1; // the largest numbers, the first names
    this.sorted = { column, direction: again ? -this.sorted.direction : first };
    this.box.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", this.sorted.direction > 0 ? "ascending" : "descending");
    this.arrange();
  }

  arrange() {
    const kept = [];
    for (let row = 0; row < this.rows; row++) if (this.fits(row)) kept.push(row);
    const { column, direction } = this.sorted;
    if (column >= 0) kept.sort(this.comparison(this.columns[column], direction));
    this.order = kept;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  /* One looks for names; numbers are searched only where there is nothing else. */
  fits(row) {
    return this.words.every((word) => this.searched.some((column) => {
      const value = column.values[row];
      return value !== null && String(value).toLowerCase().includes(word);
    }));
  }

  /* Unknown values come last, whichever way; equal ones keep their order. */
  comparison(column, direction) {
    const values = column.values;
    const compare = column.number
      ? (a, b) => asNumber(a) - asNumber(b)
      : new Intl.Collator("en", { numeric: true }).compare;
    return (one, two) => {
      const a = values[one], b = values[two];
      if (a === null || b === null) return (a === null) - (b === null) || one - two;
      return direction * compare(a, b) || one - two;
    };
  }

  draw() {
    const count = this.order.length;
    let from = 0, to = this.paper ? Math.min(count, ON_PAPER) : count;
    if (!this.paper && count > ON_PAPER) {
      const height = this.rowHeight();
      from = Math.max(0, Math.floor(this.scroll.scrollTop / height) - MARGIN);
      to = Math.min(count, from + Math.ceil(this.scroll.clientHeight / height) + 2 * MARGIN);
      this.body.replaceChildren(
        this.gap(from * height), ...this.drawn(from, to), this.gap((count - to) * height));
    } else {
      this.body.replaceChildren(...this.drawn(from, to));
    }
    this.tell(count, to);
  }

  rowHeight() {
    if (!this.height) {
      this.body.replaceChildren(...this.drawn(0, 1));
      this.height = this.body.firstChild.getBoundingClientRect().height || 30;
    }
    return this.height;
  }

  gap(height) {
    const row = document.createElement("tr");
    const cell = document.createElement("td");
    row.className = "gap";
    row.setAttribute("aria-hidden", "true");
    cell.colSpan = this.columns.length;
    cell.style.height = `${height}px`;
    row.append(cell);
    return row;
  }

  drawn(from, to) {
    return this.order.slice(from, to).map((number, place) => {
      const row = document.createElement("tr");
      row.setAttribute("aria-rowindex", String(from + place + 2));
      const name = this.attribute?.values[number];
      if (name !== undefined && name !== null && name === highlight.name) row.classList.add("chosen");
      for (const column of this.columns) {
        const cell = document.createElement("td");
        const value = column.values[number];
        if (column.number) {
          cell.className = "number";
          cell.textContent = numberText(value, column.decimals);
          if (typeof value === "number") cell.title = String(value);
        } else {
          cell.textContent = value ?? "";
          if (value !== null && String(value).length > 30) cell.title = value;
        }
        row.append(cell);
      }
      return row;
    });
  }

  tell(count, to) {
    const shown = this.paper && to < count ? `${counts.format(to)} of ` : "";
    const filtered = count < this.rows ? `${counts.format(count)} of ` : "";
    const cut = this.rows < this.total ? `, of which the first ${counts.format(this.rows)} are here` : "";
    const text = `${shown || filtered}${counts.format(shown ? count : this.total)} ${this.total === 1 ? "row" : "rows"}${cut}`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }
}

function addThemeSwitch() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  dark.addEventListener("change", name);
  name();
}

function addCopying() {
  for (const button of document.querySelectorAll(".copy")) {
    const source = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range); // what one can copy by hand where the page may not
      try {
        await navigator.clipboard.writeText(source.innerText.trim());
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected: copy it with Ctrl+C";
      }
    });
  }
}

function addSaving() {
  for (const button of document.querySelectorAll(".save")) {
    button.hidden = false;
    button.addEventListener("click", () =>
      save([document.getElementById(button.dataset.save).textContent], button.dataset.name, "text/plain"));
  }
}

/* Details that are folded have no size: their tables are drawn when they are opened, and printed. */
function addTables() {
  for (const box of document.querySelectorAll(".table")) {
    const table = new VirtualTable(box);
    highlight.tables.push(table);
    box.closest("details")?.addEventListener("toggle", () => { table.height = 0; table.draw(); });
  }
}

function openForPaper() {
  const closed = () => [...document.querySelectorAll("details:not([open]):not(.screen)")];
  let opened = [];
  addEventListener("beforeprint", () => { opened = closed(); for (const part of opened) part.open = true; });
  addEventListener("afterprint", () => { for (const part of opened) part.open = false; });
}

addTips();
addHighlights();
addTables();
addFigureTools();
addAttributeList();
addThemeSwitch();
addCopying();
addSaving();
openForPaper();
