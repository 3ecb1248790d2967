/* Figures: values under the pointer, enlarging and zooming, saving; one attribute in all views. */

const NAMESPACE = "http://www.w3.org/2000/svg";

function addTips() {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const show = (target, x, y) => {
    tip.textContent = target.dataset.tip;
    (target.closest("dialog") ?? document.body).append(tip);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
    tip.style.top = `${y - height - 12 < 4 ? y + 18 : y - height - 12}px`;
  };
  document.addEventListener("pointermove", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) show(target, event.clientX, event.clientY);
    else tip.hidden = true;
  });
  document.addEventListener("focusin", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (!target) { tip.hidden = true; return; }
    const box = target.getBoundingClientRect();
    show(target, box.left + box.width / 2, box.top);
  });
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
}

/* --- one attribute in all figures and tables --------------------------------------------------- */

const highlight = { name: null, tables: [] };

function choose(name) {
  highlight.name = highlight.name === name ? null : name;
  const chosen = highlight.name;
  document.body.classList.toggle("has-chosen", chosen !== null);
  for (const part of document.querySelectorAll("[data-attribute]")) {
    const own = part.dataset.attribute === chosen;
    part.classList.toggle("chosen", own);
    if (own && part instanceof SVGElement) part.parentNode.append(part); // above its neighbours
  }
  for (const button of document.querySelectorAll("button.name")) {
    button.setAttribute("aria-pressed", String(button.textContent === chosen));
  }
  for (const table of highlight.tables) table.draw();
  const bar = document.getElementById("chosen");
  bar.hidden = chosen === null;
  bar.querySelector("span").textContent = chosen === null ? "" : `${chosen} is marked in every figure and table.`;
}

function addHighlights() {
  const bar = document.createElement("div");
  const clear = document.createElement("button");
  bar.id = "chosen";
  bar.hidden = true;
  bar.setAttribute("role", "status");
  clear.type = "button";
  clear.textContent = "Clear";
  clear.addEventListener("click", () => choose(highlight.name));
  bar.append(document.createElement("span"), clear);
  document.querySelector("main").append(bar);
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.("[data-attribute]");
    if (!target || event.target.closest("a")) return;
    if (target.tagName === "TR" && !event.target.closest("button.name")) return;
    choose(target.dataset.attribute);
  });
}

/* --- enlarging ------------------------------------------------------------------------------------ */

function button(text, label, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = text;
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

/* The picture of a figure: of the two drawings for wide and narrow screens the visible one. */
function pictureOf(figure) {
  const drawn = [...figure.querySelectorAll("svg.chart")];
  return drawn.find((svg) => svg.getClientRects().length) ?? figure.querySelector("img");
}

class Zoom {
  constructor() {
    this.dialog = document.createElement("dialog");
    this.dialog.className = "zoom";
    this.stage = document.createElement("div");
    this.stage.className = "stage";
    this.title = document.createElement("h2");
    this.title.id = "zoom-title";
    this.dialog.setAttribute("aria-labelledby", this.title.id);
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(
      this.title,
      button("+", "Zoom in", () => this.scale(0.8)),
      button("−", "Zoom out", () => this.scale(1.25)),
      button("Reset", "Reset the zoom", () => this.reset()),
      button("Close", "Close the figure", () => this.dialog.close()),
    );
    this.dialog.append(tools, this.stage);
    document.body.append(this.dialog);
    this.stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.stage.getBoundingClientRect();
      this.scale(event.deltaY < 0 ? 0.85 : 1 / 0.85,
        (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    this.stage.addEventListener("pointerdown", (event) => { this.drag = [event.clientX, event.clientY]; });
    this.stage.addEventListener("pointermove", (event) => this.pan(event));
    addEventListener("pointerup", () => { this.drag = null; });
  }

  open(figure) {
    const picture = pictureOf(figure);
    this.title.textContent = figure.dataset.title;
    this.stage.replaceChildren();
    if (picture instanceof SVGElement) {
      this.svg = figure.querySelector("svg.chart.wide").cloneNode(true);
    } else {
      this.svg = document.createElementNS(NAMESPACE, "svg");
      const image = document.createElementNS(NAMESPACE, "image");
      image.setAttribute("href", picture.src);
      image.setAttribute("width", picture.naturalWidth);
      image.setAttribute("height", picture.naturalHeight);
      this.svg.setAttribute("viewBox", `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
      this.svg.setAttribute("role", "img");
      this.svg.setAttribute("aria-label", picture.alt);
      this.svg.classList.add("paper");
      this.svg.append(image);
    }
    this.whole = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.view = [...this.whole];
    this.stage.append(this.svg);
    this.dialog.showModal();
  }

  scale(factor, x = 0.5, y = 0.5) {
    const [left, top, width, height] = this.view;
    const to = Math.min(Math.max(width * factor, this.whole[2] / 20), this.whole[2]);
    const ratio = to / width;
    this.view = [left + (width - to) * x, top + height * (1 - ratio) * y, to, height * ratio];
    this.apply();
  }

  pan(event) {
    if (!this.drag) return;
    const unit = this.view[2] / this.stage.clientWidth;
    this.view[0] -= (event.clientX - this.drag[0]) * unit;
    this.view[1] -= (event.clientY - this.drag[1]) * unit;
    this.drag = [event.clientX, event.clientY];
    this.apply();
  }

  reset() { this.view = [...this.whole]; this.apply(); }

  apply() {
    for (const axis of [0, 1]) {
      const last = this.whole[axis] + this.whole[axis + 2] - this.view[axis + 2];
      this.view[axis] = Math.min(Math.max(this.view[axis], this.whole[axis]), last);
    }
    this.svg.setAttribute("viewBox", this.view.join(" "));
  }
}

/* A drawing with its colours, as a file that stands alone. */
function saveFigure(figure) {
  const picture = pictureOf(figure);
  const name = figure.dataset.title;
  if (!(picture instanceof SVGElement)) {
    const link = document.createElement("a");
    link.href = picture.src;
    link.download = fileName(name, picture.src.startsWith("data:image/svg") ? "svg" : "png");
    link.click();
    return;
  }
  const drawn = picture.cloneNode(true);
  const kinds = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor"];
  const from = picture.querySelectorAll("*"), to = drawn.querySelectorAll("*");
  from.forEach((part, n) => {
    const style = getComputedStyle(part);
    to[n].setAttribute("style", kinds.map((kind) => `${kind}:${style.getPropertyValue(kind)}`).join(";"));
  });
  drawn.setAttribute("xmlns", NAMESPACE);
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  drawn.setAttribute("width", width);
  drawn.setAttribute("height", height);
  drawn.style.background = getComputedStyle(document.body).getPropertyValue("--surface-card");
  save([new XMLSerializer().serializeToString(drawn)], fileName(name, "svg"), "image/svg+xml");
}

function addFigureTools() {
  const zoom = new Zoom();
  for (const figure of document.querySelectorAll("figure[data-title]")) {
    const tools = document.createElement("div");
    const title = figure.dataset.title;
    tools.className = "figure-tools";
    tools.append(
      button("Enlarge", `Enlarge ${title}`, () => zoom.open(figure)),
      button("Save", `Save ${title} as a file`, () => saveFigure(figure)),
    );
    figure.append(tools);
  }
}

/* --- the list of attributes ------------------------------------------------------------------- */

function addAttributeList() {
  const box = document.querySelector(".attribute-list");
  if (!box) return;
  const body = box.querySelector("tbody");
  const rows = [...body.rows];
  const status = box.querySelector(".count");
  const heads = [...box.querySelectorAll("thead th[data-sort]")];
  const key = (row, column) => {
    const value = row.cells[column].dataset.sort;
    return value === undefined || value === "" ? null : value;
  };
  heads.forEach((head) => {
    const column = head.cellIndex, number = head.dataset.sort === "number";
    const press = document.createElement("button");
    press.type = "button";
    press.textContent = head.textContent;
    head.replaceChildren(press);
    const collator = new Intl.Collator("en", { numeric: true });
    press.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const direction = before ? (before === "ascending" ? -1 : 1) : number ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      rows.sort((one, two) => {
        const a = key(one, column), b = key(two, column);
        if (a === null || b === null) return (a === null) - (b === null);
        return direction * (number ? a - b : collator.compare(a, b));
      });
      body.append(...rows);
    });
  });
  const tools = box.querySelector(".tools");
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "search";
  input.id = "attribute-filter";
  label.htmlFor = input.id;
  label.textContent = "Filter attributes";
  tools.prepend(label, input);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    status.textContent = shown < rows.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
  });
  status.textContent = `${rows.length} rows`;
}
