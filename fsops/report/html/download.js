/* Tables as files: CSV, and Excel as a ZIP archive without compression. */

/* A spreadsheet takes a text that begins with these signs for a formula, unless it is a number: the
   same rule as `safe_text` in fsops/storage/csv_writer.py. */
const FORMULA = /^ *[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^ *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+|inf)([eE][+-]?[0-9]+)?$/;
const plainText = (text) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function csvText(columns) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = plainText(String(value));
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const count = columns.length ? columns[0].values.length : 0;
  const lines = [columns.map((column) => cell(column.name)).join(",")];
  for (let row = 0; row < count; row++) {
    lines.push(columns.map((column) => cell(column.values[row])).join(","));
  }
  return `${lines.join("\n")}\n`;
}

const CRC = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ CRC[(sum ^ byte) & 255];
  return (sum ^ 0xffffffff) >>> 0;
}

function zipped(files) {
  const encoder = new TextEncoder();
  const parts = [], directory = [];
  let offset = 0, size = 0;
  for (const [name, text] of files) {
    const path = encoder.encode(name), bytes = encoder.encode(text);
    const head = new DataView(new ArrayBuffer(26));
    head.setUint16(0, 20, true);            // version
    head.setUint16(8, 0x21, true);          // 1980-01-01: the same table gives the same bytes
    head.setUint32(10, crc32(bytes), true);
    head.setUint32(14, bytes.length, true);
    head.setUint32(18, bytes.length, true);
    head.setUint16(22, path.length, true);
    const local = [new Uint8Array([80, 75, 3, 4]), new Uint8Array(head.buffer), path, bytes];
    const entry = new DataView(new ArrayBuffer(14));
    entry.setUint32(10, offset, true);
    directory.push(new Uint8Array([80, 75, 1, 2, 20, 0]), new Uint8Array(head.buffer),
      new Uint8Array(entry.buffer), path);
    size += 6 + 26 + 14 + path.length;
    parts.push(...local);
    offset += 30 + path.length + bytes.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return [...parts, ...directory, new Uint8Array(end.buffer)];
}

function excelFile(columns) {
  const safe = (text) => String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const textCell = (text) => `<c t="inlineStr"><is><t xml:space="preserve">${safe(text)}</t></is></c>`;
  const cell = (value) => {
    if (value === null || value === undefined) return "<c/>";
    return typeof value === "number" ? `<c><v>${value}</v></c>` : textCell(value);
  };
  const rows = [`<row>${columns.map((column) => textCell(column.name)).join("")}</row>`];
  const count = columns.length ? columns[0].values.length : 0;
  for (let row = 0; row < count; row++) {
    rows.push(`<row>${columns.map((column) => cell(column.values[row])).join("")}</row>`);
  }
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const pack = "http://schemas.openxmlformats.org/package/2006";
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  return zipped([
    ["[Content_Types].xml", `${head}<Types xmlns="${pack}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/></Types>`],
    ["_rels/.rels", `${head}<Relationships xmlns="${pack}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`],
    ["xl/workbook.xml", `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="fsops" sheetId="1" r:id="rId1"/></sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", `${head}<Relationships xmlns="${pack}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`],
    ["xl/worksheets/sheet1.xml", `${head}<worksheet xmlns="${main}"><sheetData>${rows.join("")}</sheetData></worksheet>`],
  ]);
}

function save(parts, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const fileName = (title, suffix) =>
  `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "table"}.${suffix}`;

/* Buttons that save a table; `columns` is a function, because the values may be parsed late. */
function saveButtons(title, columns) {
  const make = (text, action) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = text;
    button.setAttribute("aria-label", `Save ${title.toLowerCase()} as ${text}`);
    button.addEventListener("click", action);
    return button;
  };
  return [
    make("CSV", () => save([csvText(columns())], fileName(title, "csv"), "text/csv")),
    make("Excel", () => save(excelFile(columns()), fileName(title, "xlsx"),
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
  ];
}
