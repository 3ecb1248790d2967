"""``fsops docs``."""

import pytest

import fsops as package


@pytest.fixture
def site(tmp_path, monkeypatch):
    folder = tmp_path / "fsops" / "site"
    (folder / "operators").mkdir(parents=True)
    for name in ("index", "operators/weight_by_sam"):
        (folder / f"{name}.html").write_text("<title>page</title>", encoding="utf-8")
    monkeypatch.setattr(package, "__file__", str(folder.parent / "__init__.py"))
    return folder


def test_the_file_of_a_page_is_printed(fsops, site):
    assert fsops("docs", "weight_by_sam", "--path").stdout.strip() == str(
        site / "operators" / "weight_by_sam.html"
    )


def test_the_browser_gets_the_address_of_the_file(fsops, site, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert fsops("docs").stdout == ""
    assert opened == [(site / "index.html").as_uri()]


def test_without_a_browser_the_file_is_printed(fsops, site, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert fsops("docs").stdout.strip() == str(site / "index.html")


def test_a_page_that_does_not_exist_is_a_wrong_input(refused, site):
    assert 'no page "nothing"' in refused(2, "docs", "nothing")
