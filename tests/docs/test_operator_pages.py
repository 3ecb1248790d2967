"""The documentation site has a page for every operator, with an example that runs."""

import sys
from pathlib import Path

import pytest

from fsops.examples import find_examples
from fsops.plugins import plugins
from fsops.storage import read_process

EXTENSIONS = Path(__file__).resolve().parents[2] / "docs" / "_extensions"
OPERATORS = {spec.key: spec for spec in plugins().registry if not spec.prefix}


def keys_in_ready_processes():
    registry = plugins().registry
    return {
        node.operator.key
        for example in find_examples()
        for node in read_process(example.file, registry).walk()
    }


WITHOUT_PROCESS = sorted(OPERATORS.keys() - keys_in_ready_processes())


@pytest.fixture(autouse=True)
def _extensions(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(EXTENSIONS), *sys.path])


@pytest.mark.parametrize("key", WITHOUT_PROCESS)
def test_the_example_of_an_operator_runs_and_prints(key):
    import operator_examples

    program = operator_examples.program_of(OPERATORS[key])
    assert key in program
    assert operator_examples.output_of(program)


def test_every_program_belongs_to_an_operator():
    import operator_examples

    assert {file.stem for file in operator_examples.FOLDER.glob("*.py")} <= OPERATORS.keys()


@pytest.mark.parametrize("key", ["weight_by_knife", "cross_validation", "select_top_k"])
def test_a_page_has_everything_of_the_declaration(key):
    import operator_reference

    spec = OPERATORS[key]
    page = "\n".join(operator_reference.page_of(spec, find_examples()[0]))
    names = [port.name for port in (*spec.inputs, *spec.outputs)]
    names += [parameter.name for parameter in spec.parameters]
    assert [name for name in names if f"`{name}`" not in page] == []
    assert page.index("## Example") < page.index("## References")


def test_the_pages_and_their_list_are_written(tmp_path):
    import operator_reference

    operator_reference.write_pages(tmp_path / "operators")
    written = {file.stem for file in (tmp_path / "operators").glob("*.md")}
    assert written == OPERATORS.keys() | {"index"}
    index = (tmp_path / "operators" / "index.md").read_text(encoding="utf-8")
    assert [key for key in OPERATORS if f"({key}.md)" not in index] == []
