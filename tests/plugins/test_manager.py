"""Plugins are loaded one by one: a bad one is named and skipped, the rest works."""

import importlib.metadata
import sys

import numpy as np
import pytest

from fsops import Process, run
from fsops.data import AttributeWeights, Collection, ExampleSet, FlowObject
from fsops.errors import DeclarationError, PluginError, UsageError
from fsops.operators import weight_by_sam
from fsops.plugins import Deferred, Plugins, load, plugins
from fsops.plugins.manager import BLOCK_VARIABLE, PluginInfo, _loaded

GOOD = '''
import numpy as np
from fsops import AttributeWeights, ExampleSet, hookimpl, operator
from fsops.plugins import Renderer, Sample, Writer


@operator(group="Weighting/Mine")
def weight_by_{name}(examples: ExampleSet, *, power: int = 1) -> AttributeWeights:
    """Weight by {name}"""
    return examples.weights(np.ptp(examples.numeric(), axis=0) ** power)


@hookimpl
def fsops_operators():
    return [weight_by_{name}]
'''
SAMPLE = """
from fsops import ExampleSet, hookimpl
from fsops.plugins import Sample

@hookimpl
def fsops_samples():
    return [Sample("{name}", "Something", lambda: ExampleSet.from_numpy([[1.0, 2.0]]))]
"""
OPERATOR = '''
from fsops import AttributeWeights, ExampleSet, hookimpl, operator


@operator(group="Mine")
def {function}(examples: ExampleSet) -> AttributeWeights:
    """Title"""
    return examples.weights([0.0] * len(examples.schema.regular))
'''
HOOK = """

@hookimpl
def fsops_operators():
    return {returned}
"""
TWICE = OPERATOR.format(function="mine") + HOOK.format(returned="[mine, mine]")

# name: code, and what must be said about it
BAD = {
    "import_error": ("from fsops import no_such_thing\n", "cannot import name 'no_such_thing'"),
    "leaves": ("raise SystemExit('bye')\n", "SystemExit: bye"),
    "leaves_silently": ("import sys\nsys.exit()\n", "SystemExit"),
    "syntax_error": ("def broken(:\n", "SyntaxError: invalid syntax"),
    "not_text": ("x = 'a\x00b'\n", "SyntaxError: source code"),
    "missing_dependency": ("import no_such_library\n", "No module named 'no_such_library'"),
    "missing_module": ("", "No module named 'plugin_missing_module'"),
    "wrong_hook": (
        "from fsops import hookimpl\n@hookimpl\ndef fsops_operator():\n    return []\n",
        'There is no hook "fsops_operator". Did you mean "fsops_operators"',
    ),
    "unmarked_hook": ("def fsops_operators():\n    return []\n", "Mark them with @hookimpl"),
    "wrong_signature": (
        "from fsops import hookimpl\n@hookimpl\ndef fsops_operators(registry):\n    return []\n",
        "{'registry'} are declared in the hookimpl",
    ),
    "hook_fails": (
        "from fsops import hookimpl\n@hookimpl\ndef fsops_operators():\n    return 1 / 0\n",
        "ZeroDivisionError",
    ),
    "returns_nothing": (
        "from fsops import hookimpl\n@hookimpl\ndef fsops_operators():\n    pass\n",
        "must return a list, but returned NoneType",
    ),
    "returns_junk": (
        "from fsops import hookimpl\n@hookimpl\ndef fsops_operators():\n    return [len, 3]\n",
        "is not an operator. Decorate it with @operator.",
    ),
    "junk_samples": (
        OPERATOR.format(function="lost")
        + HOOK.format(returned="[lost]")
        + "@hookimpl\ndef fsops_samples():\n    return ['iris']\n",
        "fsops_samples must return Sample objects",
    ),
    "same_key_twice": (TWICE, 'The operator "same_key_twice:mine" is there already'),
    "two_of_one_key": (
        OPERATOR.format(function="mine")
        + "\nfirst = mine\n"
        + OPERATOR.format(function="mine")
        + HOOK.format(returned="[first, mine]"),
        'There already is an operator with the key "two_of_one_key:mine"',
    ),
    "declaration": (
        "from fsops import hookimpl, operator\n"
        "@operator(group='Mine')\ndef nameless(examples) -> None:\n    '''Nameless'''\n",
        "plugin_declaration.nameless: the argument examples has no annotation",
    ),
    "own_sample": (SAMPLE.format(name="mice"), None),
    "shadowed_sample": (SAMPLE.format(name="IRIS"), 'There already is sample data "IRIS"'),
}


def our_entries() -> list[importlib.metadata.EntryPoint]:
    return list(importlib.metadata.entry_points(group="fsops"))


def table() -> ExampleSet:
    return ExampleSet.from_numpy(np.array([[0.0, 5.0], [1.0, 2.0]]), names=["a", "b"])


@pytest.fixture
def all_installed(install) -> Plugins:
    install("first", GOOD.format(name="first"))
    for name, (code, _) in BAD.items():
        install(name, code, version=f"0.{len(name)}")
    install("noisy", "print('Hello from a plugin')\n" + GOOD.format(name="noise"))
    install(
        "shadow",
        OPERATOR.format(function="weight_by_sam") + HOOK.format(returned="[weight_by_sam]"),
    )
    install("zz_last", GOOD.format(name="last"))
    return load(our_entries())


def test_good_plugins_work_beside_bad_ones(all_installed):
    registry = all_installed.registry
    for key in ("first:weight_by_first", "noisy:weight_by_noise", "zz_last:weight_by_last"):
        process = Process()
        process.result(process.add(registry[key], process.source("input 1"), power=2))
        assert dict(run(process, table())[0]) == {"a": 1.0, "b": 9.0}
    assert {"first", "noisy", "zz_last", "builtin"} <= {p.name for p in all_installed.loaded}


def test_built_in_operators_are_not_shadowed(all_installed):
    assert all_installed.registry["weight_by_sam"] is weight_by_sam.operator
    assert "shadow:weight_by_sam" in all_installed.registry


@pytest.mark.parametrize("name", [name for name, (_, said) in BAD.items() if said])
def test_problem_is_listed_with_distribution_and_version(all_installed, name):
    (problem, *_) = [p for p in all_installed.problems if p.plugin.name == name]
    assert problem.plugin.distribution == f"fsops-{name}"
    assert problem.plugin.version == f"0.{len(name)}"
    assert BAD[name][1] in problem.reason
    assert str(problem).startswith(f"Plugin {name} (fsops-{name} 0.{len(name)}): ")


def test_nothing_else_is_a_problem(all_installed):
    assert {p.plugin.name for p in all_installed.problems} == {n for n, (_, s) in BAD.items() if s}


def test_plugin_with_a_broken_part_is_off_as_a_whole(all_installed):
    assert "junk_samples:lost" not in all_installed.registry
    assert "junk_samples" not in {p.name for p in all_installed.loaded}


def test_each_junk_object_is_a_problem_of_its_own(all_installed):
    assert len([p for p in all_installed.problems if p.plugin.name == "returns_junk"]) == 2


def test_first_of_two_equal_operators_stays(all_installed):
    assert "same_key_twice:mine" in all_installed.registry
    assert "two_of_one_key:mine" in all_installed.registry


def test_what_a_plugin_prints_does_not_reach_stdout(install, entries, capsys):
    install("noisy", "print('Hello from a plugin')\n" + GOOD.format(name="noise"))
    assert not load(entries()).problems
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Hello from a plugin" in captured.err


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("import_error", ImportError),
        ("leaves", SystemExit),
        ("syntax_error", SyntaxError),
        ("wrong_hook", PluginError),
        ("wrong_signature", PluginError),
        ("hook_fails", ZeroDivisionError),
        ("returns_nothing", DeclarationError),
        ("returns_junk", DeclarationError),
        ("two_of_one_key", DeclarationError),
        ("declaration", DeclarationError),
    ],
)
def test_strict_mode_raises(install, entries, name, error):
    install(name, BAD[name][0])
    with pytest.raises(error):
        load(entries(), strict=True)


def test_interruption_is_not_swallowed(install, entries):
    install("slow", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load(entries())


def test_two_plugins_of_one_name(install, entries):
    install("one", GOOD.format(name="one"), entry="same")
    install("two", GOOD.format(name="two"), entry="same")
    found = load(entries())
    assert "same:weight_by_one" in found.registry
    (problem,) = found.problems
    assert problem.plugin.distribution == "fsops-two"
    assert 'There already is a plugin "same"' in problem.reason


def test_one_module_under_two_names(install, entries):
    install("one", GOOD.format(name="one"), module="shared_module")
    install("two", "", module="shared_module")
    found = load(entries())
    (problem,) = found.problems
    assert "is already the plugin" in problem.reason
    assert [spec.key for spec in found.registry] == ["one:weight_by_one"]


def test_operator_of_another_plugin_is_not_taken_over(install, entries):
    install("one", GOOD.format(name="one"))
    install(
        "two",
        "from fsops import hookimpl\nfrom plugin_one import weight_by_one\n"
        "@hookimpl\ndef fsops_operators():\n    return [weight_by_one]\n",
    )
    found = load(entries())
    assert [spec.key for spec in found.registry] == ["one:weight_by_one"]
    assert "is there already" in found.problems[0].reason


@pytest.mark.parametrize("name", ["a b", "a:b", "größe", "<x>"])
def test_name_that_no_key_can_begin_with(install, entries, name):
    install("odd", GOOD.format(name="odd"), entry=name)
    assert "cannot be the name of a plugin" in load(entries()).problems[0].reason


def test_blocked_plugin_is_not_even_imported(install, entries, monkeypatch):
    install("leaves", BAD["leaves"][0])
    install("first", GOOD.format(name="first"))
    monkeypatch.setenv(BLOCK_VARIABLE, "leaves,unheard of")
    found = load(entries())
    assert not found.problems
    assert "plugin_leaves" not in sys.modules
    assert len(found.registry) == 1


DEFERRED = """
from fsops import hookimpl
from fsops.plugins import Deferred

@hookimpl
def fsops_operators():
    return [Deferred("{key}", "{module}")]
"""


def test_deferred_operator_is_imported_when_it_is_needed(install, entries):
    install("parts", OPERATOR.format(function="mine") + HOOK.format(returned="[]"), entry="parts")
    install("late", DEFERRED.format(key="mine", module="plugin_parts"))
    found = load([entry for entry in entries() if entry.name == "late"])
    assert not found.problems
    assert "plugin_parts" not in sys.modules
    assert found.registry.find("late:mine").title == "Title"


@pytest.mark.parametrize(
    ("key", "module", "reason"),
    [
        ("mine", "plugin_nowhere", "mine: ModuleNotFoundError: No module named 'plugin_nowhere'"),
        ("path", "sys", "is not an operator"),
        ("other", "plugin_parts", 'other: The operator there has the key "late:mine"'),
    ],
)
def test_deferred_operator_that_is_not_there_is_a_problem(install, entries, key, module, reason):
    code = OPERATOR.format(function="mine") + "other = mine\n" + HOOK.format(returned="[]")
    install("parts", code, entry="parts")
    install("late", DEFERRED.format(key=key, module=module))
    found = load([entry for entry in entries() if entry.name == "late"])
    assert found.registry.find(f"late:{key}").is_placeholder
    assert reason in found.problems[0].reason


@pytest.mark.parametrize(("distribution", "where"), [("fsops", "out"), ("another", "err")])
def test_only_operators_of_others_are_loaded_with_their_output_apart(
    monkeypatch, capsys, distribution, where
):
    deferred = Deferred("weight_by_sam", "fsops.operators")

    def load_and_print(self, name):
        sys.stdout.write("while it is loaded")  # as another thread may
        return weight_by_sam

    monkeypatch.setattr(Deferred, "load", load_and_print)
    info = PluginInfo("any", distribution, "1")
    spec = _loaded(deferred, "weight_by_sam", "", info, Plugins())
    assert spec is weight_by_sam.operator
    captured = capsys.readouterr()
    assert {"out": captured.out, "err": captured.err}[where] == "while it is loaded"


def test_order_of_installation_does_not_matter(install, entries):
    for name in ("c", "a", "b"):
        install(name, GOOD.format(name=name))
    in_order = [p.name for p in load(entries()).loaded]
    assert in_order == ["a", "b", "c"]
    assert [p.name for p in load(reversed(entries())).loaded] == in_order


def test_damaged_record_of_a_distribution(install, site, entries):
    install("first", GOOD.format(name="first"))
    (site / "fsops_first-1.2.3.dist-info" / "METADATA").unlink()
    found = load(entries())
    assert "first:weight_by_first" in found.registry
    assert found.loaded[0].version == "unknown version"


def test_damaged_list_of_entry_points(install, site):
    install("first", GOOD.format(name="first"))
    install("other", GOOD.format(name="other"))
    record = site / "fsops_other-1.2.3.dist-info" / "entry_points.txt"
    record.write_text("[fsops]\nno equals sign\n", encoding="utf-8")
    plugins.cache_clear()
    try:
        found = plugins()
    finally:
        plugins.cache_clear()
    assert "first:weight_by_first" in found.registry
    assert "weight_by_sam" in found.registry


def test_entry_point_without_distribution():
    entry = importlib.metadata.EntryPoint("lost", "no_such_module", "fsops")
    (problem,) = load([entry]).problems
    assert str(problem).startswith("Plugin lost (no_such_module unknown version): ")


# --- what plugins hand over -----------------------------------------------------------------

RECORDS = """
from fsops import AttributeWeights, FlowObject, hookimpl
from fsops.plugins import Renderer, Writer

@hookimpl
def fsops_writers():
    return [Writer(FlowObject, ".txt", lambda value, path: path.write_text("any")),
            Writer(AttributeWeights, ".w", lambda value, path: path.write_text("weights"))]

@hookimpl
def fsops_renderers():
    return [Renderer(FlowObject, lambda value: "any"), Renderer(AttributeWeights, repr)]
"""


def test_most_special_writer_and_renderer_win(install, entries):
    install("records", RECORDS)
    found = load(entries())
    weights = AttributeWeights(["a"], [1.0])
    assert found.writer(weights).suffix == ".w"
    assert found.writer(Collection([])).suffix == ".txt"
    assert found.renderer(weights).render is repr
    assert found.renderer(FlowObject()).render(None) == "any"
    assert Plugins().writer(weights) is None


FIGURES = """
from fsops import AttributeWeights, FlowObject, hookimpl
from fsops.plugins import Drawing

def fails(result):
    raise ValueError("no answer")

def draw(result, ax):
    ax.plot([1, 2], [3, 4])

@hookimpl
def fsops_figures():
    return [Drawing(FlowObject, "anything", "Any result", draw, size=(2, 1)),
            Drawing(AttributeWeights, "few", "Few weights", draw, lambda r: len(r) < 3),
            Drawing(FlowObject, "broken", "Never", draw, fails),
            Drawing(AttributeWeights, "weights", "Instead of ours", draw)]
"""


def test_figures_of_plugins_come_after_ours(install, entries, monkeypatch):
    from fsops.plots import figures_for, registry

    install("figures", FIGURES)
    found = load(entries())
    monkeypatch.setattr(registry, "plugins", lambda: found)
    weights = AttributeWeights(["a"], [1.0])
    assert [maker.title for maker in figures_for(weights)] == [
        "The best attributes", "Any result", "Few weights",
    ]  # fmt: skip
    assert [maker.name for maker in figures_for(Collection([]))] == ["anything"]
    assert weights.plot("anything").get_size_inches().tolist() == [2, 1]
    assert weights.plot("few").axes[0].lines[0].get_ydata().tolist() == [3, 4]


def test_a_figure_must_be_a_drawing(install, entries):
    install(
        "wrong", "from fsops import hookimpl\n@hookimpl\ndef fsops_figures():\n    return [1]\n"
    )
    (problem,) = [p for p in load(entries()).problems if p.plugin.name == "wrong"]
    assert "fsops_figures must return Drawing objects, not 1." in problem.reason


def test_sample_data_by_name(install, entries):
    install("data", SAMPLE.format(name="my Data"))
    found = load(entries())
    assert len(found.sample("My_data").load()) == 1
    with pytest.raises(UsageError, match='Did you mean "my Data"'):
        found.sample("my dat")


def test_sample_of_fsops_is_not_replaced(all_installed):
    assert len(all_installed.sample("iris").load()) == 150


def test_installed_plugins_are_found_once():
    assert plugins() is plugins()
    assert plugins().loaded[0].distribution == "fsops"
