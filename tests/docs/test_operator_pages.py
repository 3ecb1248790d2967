"""The documentation site has a page for every operator, with an example that runs."""

import sys
from pathlib import Path

import pytest

from fsops.examples import find_examples
from fsops.plugins import plugins

EXTENSIONS = Path(__file__).resolve().parents[2] / "docs" / "_extensions"
OPERATORS = {spec.key: spec for spec in plugins().registry if not spec.prefix}


@pytest.fixture(autouse=True)
def _extensions(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(EXTENSIONS), *sys.path])


@pytest.mark.parametrize("key", sorted(OPERATORS))
def test_the_example_of_an_operator_runs_and_prints(key):
    import operator_examples

    program = operator_examples.program_of(OPERATORS[key])
    assert key in program
    assert operator_examples.run_program(program).printed


@pytest.mark.parametrize(
    "key", ["weight_by_sam", "naive_bayes", "k_means", "normalize", "cross_validation"]
)
def test_weights_models_tables_and_performances_have_a_figure(key):
    import operator_examples

    finished = operator_examples.run_program(operator_examples.program_of(OPERATORS[key]))
    title, picture = finished.figure()
    assert title
    assert b"<svg" in picture


def test_every_program_belongs_to_an_operator():
    import operator_examples

    assert {file.stem for file in operator_examples.FOLDER.glob("*.py")} <= OPERATORS.keys()


@pytest.mark.parametrize("key", ["weight_by_knife", "cross_validation", "select_top_k"])
def test_a_page_has_everything_of_the_declaration(key, tmp_path):
    import operator_reference

    spec = OPERATORS[key]
    page = "\n".join(operator_reference.page_of(spec, tmp_path, find_examples()[0], ["theirs"]))
    names = [port.name for port in (*spec.inputs, *spec.outputs)]
    names += [parameter.name for parameter in spec.parameters]
    assert [name for name in names if f"`{name}`" not in page] == []
    assert page.index("## Example") < page.index("## References")
    assert "- scikit-learn: " in page
    assert "- RapidMiner: `theirs`" in page
    assert inline_words(spec.summary) in inline_words(page)


def inline_words(text):
    """Return the words of a text without the marks of Markdown."""
    return " ".join("".join(c for c in text if c not in "\\`*_$").split())


@pytest.mark.parametrize("key", ["weight_by_knife", "cross_validation", "read_csv", "loop"])
def test_the_command_and_the_page_show_the_same_sentences(key, tmp_path, as_printed):
    import operator_reference

    spec = OPERATORS[key]
    page = inline_words("\n".join(operator_reference.page_of(spec, tmp_path, None, [])))
    printed = inline_words(as_printed(f"fsops describe {key}").stdout)
    texts = [spec.summary, *(p.description for p in spec.parameters)]
    texts += [port.description for port in (*spec.inputs, *spec.outputs)]
    for text in filter(None, map(inline_words, texts)):
        assert text in page
        assert text in printed


@pytest.mark.slow  # it runs the examples of all operators, which other tests run one by one
def test_the_pages_and_their_list_are_written(tmp_path):
    import operator_reference

    # `make docs` writes all of them, and warnings are errors there.
    some = ["weight_by_sam", "cross_validation", "read_csv", "lars", "loop"]
    folder = tmp_path / "operators"
    operator_reference.write_pages(folder, [OPERATORS[key] for key in some])
    assert {file.stem for file in folder.glob("*.md")} == {*some, "index"}
    index = (folder / "index.md").read_text(encoding="utf-8")
    assert [key for key in some if f"({key}.md)" not in index] == []
