"""The documentation site is found, and its pages open."""

import pytest

import fsops
from fsops import manual
from fsops.errors import StorageError, UsageError


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Let fsops be installed with a site of two pages."""
    package = tmp_path / "fsops"
    (package / "site" / "operators").mkdir(parents=True)
    for name in ("index", "validation", "operators/weight_by_sam"):
        (package / "site" / f"{name}.html").write_text("<title>page</title>", encoding="utf-8")
    (package / "secret.html").write_text("outside", encoding="utf-8")
    monkeypatch.setattr(fsops, "__file__", str(package / "__init__.py"))
    return package / "site"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("index", "index.html"),
        ("validation", "validation.html"),
        ("validation.md", "validation.html"),
        ("weight_by_sam", "operators/weight_by_sam.html"),
        ("Weight by SAM", "operators/weight_by_sam.html"),
    ],
)
def test_a_page_is_found_by_its_name_or_its_operator(site, name, file):
    assert manual.manual_page(name) == site / file


def test_a_page_that_does_not_exist_is_refused_with_a_suggestion(site):
    with pytest.raises(UsageError, match='no page "validatoin"') as caught:
        manual.manual_page("validatoin")
    assert "validation" in caught.value.hint


def test_no_file_outside_the_site_is_opened(site):
    with pytest.raises(UsageError):
        manual.manual_page("../secret")


def test_the_first_page_of_a_site_is_the_default(site):
    assert manual.manual_page() == site / "index.html"


def test_an_installation_without_the_site_says_how_to_build_it(tmp_path, monkeypatch):
    monkeypatch.setattr(fsops, "__file__", str(tmp_path / "fsops" / "__init__.py"))
    assert manual.manual_folder() is None
    assert manual.operator_page("weight_by_sam") is None
    with pytest.raises(StorageError, match="not part of this installation") as caught:
        manual.manual_page()
    assert "make docs" in caught.value.hint
