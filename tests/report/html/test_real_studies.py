"""The pages of real studies in a real browser: small, without a request, for every screen."""

import json
from pathlib import Path

import pandas as pd
import pytest

import fsops
from fsops.plugins import plugins
from fsops.studies.study import study_process

MEGABYTE = 2**20
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
STUDIES = {
    "heart": ("heart_cleveland.csv", ["num"]),
    "colon": ("colon_alon.parquet", []),
    "golub": ("leukemia_golub.parquet", ["split"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_page_of_a_real_study(name, tmp_path, open_page):
    source, left_out = STUDIES[name]
    path = SHARED / source
    if not path.is_file():
        pytest.skip("needs the shared data sets")
    read = pd.read_csv if path.suffix == ".csv" else pd.read_parquet
    table = tmp_path / f"{name}.csv"
    read(path).drop(columns=left_out).to_csv(table, index=False)
    process = study_process(name, table, "label", plugins().registry)
    file = tmp_path / "study.html"
    fsops.run(process, summarize=True).report(file)
    assert file.stat().st_size < 5 * MEGABYTE
    for width in (390, 1280, 1920):
        page = open_page(file, width=width)
        assert page.eval("document.documentElement.scrollWidth") <= width
        assert page.requests == [file.as_uri()]
        assert page.complaints == []
    assert page.eval("document.querySelector('#answer h2').innerText").startswith("Yes")
    assert page.eval("document.querySelectorAll('.rows tbody tr.ok').length") >= 5
    axe = pytest.importorskip("axe_core_python", reason="needs axe-core-python (extra dev)")
    page.eval(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8") + ";1")
    rules = json.dumps({"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    found = page.eval(f"axe.run(document, {rules}).then(r => r.violations.map(v => v.id))")
    assert found == []
