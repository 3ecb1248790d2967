"""References as BibTeX."""

from fsops.report.html.bibliography import bibtex


def test_a_work_becomes_an_entry_with_authors_year_title_and_place():
    text = bibtex(["Van de Peer, Müller (2008): Robust & fast. ECML 5, 1–2."], "1.0")
    assert "@software{fsops," in text
    assert "  version = {1.0}," in text
    assert "@misc{vandepeer2008," in text
    assert "  author = {{Van de Peer} and {Müller}}," in text
    assert "  year = {2008}," in text
    assert "  title = {{Robust \\& fast}}," in text
    assert "  howpublished = {ECML 5, 1–2}," in text


def test_works_of_one_year_have_different_keys_and_odd_ones_are_notes():
    text = bibtex(["A (2001): X.", "A (2001): Y.", "A book without a year."], "1")
    assert "@misc{a2001," in text
    assert "@misc{a2001b," in text
    assert "  note = {A book without a year.}," in text


def test_braces_in_a_work_cannot_break_the_file():
    text = bibtex(["B (2001): A } trick \\input{x}. Z."], "1")
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    assert "\\input" not in text
