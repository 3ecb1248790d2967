"""A plugin is loaded as fsops would, but what is wrong is raised."""

import pytest

from fsops.errors import DeclarationError
from fsops.testing import check_plugin

GOOD = '''
from fsops import ExampleSet, hookimpl, operator

@operator(group="Mine")
def same(examples: ExampleSet) -> ExampleSet:
    """Same"""
    return examples

@hookimpl
def fsops_operators():
    return [same]
'''


def test_operators_carry_the_name_of_the_plugin(tmp_path, monkeypatch):
    (tmp_path / "good_plugin.py").write_text(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [spec.key for spec in check_plugin("good_plugin", name="good")] == ["good:same"]


def test_broken_plugin_is_raised(tmp_path, monkeypatch):
    (tmp_path / "bad_plugin.py").write_text(GOOD.replace("[same]", "[len]"))
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DeclarationError, match="is not an operator"):
        check_plugin("bad_plugin", name="bad")
    with pytest.raises(ModuleNotFoundError):
        check_plugin("no_such_plugin", name="none")
