"""The summary of a report for matplotlib, where no Chromium can print it."""

from __future__ import annotations

from fsops.data import AttributeDescriptions, SizeCurves, StudyAnswer
from fsops.report.escaping import visible
from fsops.report.html.answer import question
from fsops.report.html.charts import short
from fsops.report.html.limits import limits_of
from fsops.report.html.page import SUMMARY_LIMITS, SUMMARY_LINES, SUMMARY_ROWS, Report
from fsops.report.terminal import one_line

LONGEST_NAME = 24


def drawn_summary(report: Report) -> bytes:
    """Return the summary of a report on one sheet, as PDF."""
    from fsops.plots import require_matplotlib
    from fsops.plots.summary import Sheet, summary_pdf

    require_matplotlib()
    values = [value for _, value in report.results]
    answer = next((v for v in values if isinstance(v, StudyAnswer)), None)
    curves = next((v for v in values if isinstance(v, SizeCurves)), None)
    described = next((v for v in values if isinstance(v, AttributeDescriptions)), None)
    rows = report.tables[0].rows if report.tables else None
    name = visible(report.process.name)
    sentences = [f"{where}: {one_line(value)}" for where, value in report.results][:SUMMARY_LINES]
    if answer is not None:
        verdict = answer.verdict
        sentences = [*verdict.sentences, *verdict.doubts, verdict.not_said]
    heads, cells = ([], []) if described is None else _table(described)
    sheet = Sheet(
        name if answer is None else question(answer),
        f"{name}, {report.started[:10]}, seed {report.seed}, fsops {report.versions['fsops']}",
        "" if answer is None else answer.verdict.headline,
        [visible(text) for text in sentences if text],
        heads,
        cells,
        [f"{head}: {text}" for head, text in limits_of(report.process, values, rows)][
            :SUMMARY_LIMITS
        ],
    )
    return summary_pdf(sheet, curves, answer)


def _table(described: AttributeDescriptions) -> tuple[list[str], list[list[str]]]:
    columns = described.columns
    direction = "higher_in" if "higher_in" in columns else "direction"
    heads = [
        "attribute",
        direction.replace("_", " "),
        described.effect,
        "95 % interval",
        "adjusted p",
    ]
    if "frequency" in columns:
        heads.append("chosen")
    cells = []
    for i, name in enumerate(described.names[:SUMMARY_ROWS]):
        row = [short(visible(name), LONGEST_NAME), visible(columns[direction][i])]
        row += [f"{columns['effect'][i]:.2f}"]
        row += [f"{columns['lower'][i]:.2f} to {columns['upper'][i]:.2f}"]
        row += [f"{columns['adjusted_p_value'][i]:.2g}"]
        if "frequency" in columns:
            row.append(f"{100 * columns['frequency'][i]:.0f} %")
        cells.append(row)
    return heads, cells
