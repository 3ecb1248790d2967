"""docs/plugins.md tells what is the case."""

import re
from pathlib import Path

import pytest

import fsops.testing
from fsops.core.declare.roles import Role
from fsops.plugins import hookspecs
from fsops.testing.contract import RULES
from fsops.testing.data import degenerate_names

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
RANGE = ROOT / "tests" / "fixtures" / "plugins" / "fsops-range"
HOOKS = [name for name in vars(hookspecs) if name.startswith("fsops_")]


def test_the_plugin_of_the_page_is_the_one_that_is_tested():
    (module,) = re.findall(r"```python\n(import numpy.*?)```", PAGE, re.DOTALL)
    assert module == (RANGE / "fsops_range.py").read_text(encoding="utf-8")
    (entry,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert entry in (RANGE / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_an_example(hook):
    assert f"| `{hook}` |" in PAGE
    assert "Example:" in vars(hookspecs)[hook].__doc__


@pytest.mark.parametrize("name", fsops.testing.__all__)
def test_every_public_name_of_the_kit_is_documented_or_explains_itself(name):
    assert f"`{name}" in PAGE or f"{name}(" in PAGE or vars(fsops.testing)[name].__doc__


@pytest.mark.parametrize("rule", [r.name for r in RULES if not r.name.startswith("table: ")])
def test_every_rule_is_documented(rule):
    assert rule in PAGE


@pytest.mark.parametrize("role", Role)
def test_every_role_is_documented_with_its_meaning(role):
    meaning = role.meaning[0].lower() + role.meaning[1:].rstrip(".")
    assert f"| `{role}` | {meaning} |" in PAGE


def test_number_of_degenerate_tables():
    assert f"{len(degenerate_names())} degenerate tables" in PAGE


def test_the_reference_of_tables_and_weights_names_what_exists():
    import re
    from pathlib import Path

    from fsops import AttributeWeights, ExampleSet

    page = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
    reference = page[page.index("## The objects") :]
    table = ExampleSet.from_numpy([[1.0, 2.0], [3.0, 5.0]], ["a", "b"])
    objects = {"examples": table, "ExampleSet": ExampleSet, "weights": table.weights([1, 2])}
    names = re.findall(r"\b(examples|ExampleSet|weights)\.(\w+)", reference)
    assert len(names) > 20
    assert [f"{o}.{n}" for o, n in names if not hasattr(objects[o], n)] == []
    assert isinstance(objects["weights"], AttributeWeights)
