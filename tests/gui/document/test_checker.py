"""The check beside the editing: quick, of the newest process, and told at the ports."""

import threading

from fsops.editing.connections import End, shown_ports
from fsops.editing.levels import ROOT
from fsops.runs.watch import WatchedPort
from fsops_gui.canvas.tips import in_words, origin, port_tip
from fsops_gui.document.checker import Checker, check
from fsops_gui.document.document import Document


def many(registry, count=30):
    """Return a document with many operators."""
    document = Document()
    document.add(ROOT, registry["retrieve"])
    document.set_parameter("Retrieve", "repository_entry", "breast cancer")
    for _ in range(count - 1):
        document.add(ROOT, registry["normalize"])
    return document


def test_samples_are_described_without_loading_scikit_learn():
    import subprocess
    import sys

    code = (
        "import sys; from fsops.plugins import plugins; from fsops.core.graph.process import Process;"
        "from fsops import validate; r = plugins().registry; p = Process();"
        "p.result(p.add(r['retrieve'], repository_entry='iris'));"
        "assert validate(p, r) == []; assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_edit_asks_only_what_has_changed(registry, qtbot, monkeypatch):
    document = many(registry)
    asked = []
    from fsops.core.operator import Operator

    real = Operator.described
    monkeypatch.setattr(
        Operator, "described", lambda self, *more: asked.append(self.key) or real(self, *more)
    )
    checker = Checker(document, registry)
    try:
        with qtbot.waitSignal(checker.found, timeout=20_000):
            checker.check_now()
        asked.clear()
        document.set_parameter("Normalize (29)", "method", "range transformation")
        with qtbot.waitSignal(checker.found, timeout=20_000):
            checker.check_now()
        assert asked.count("normalize") == 1
    finally:
        checker.close()


def test_only_the_newest_process_is_told_about(registry, qtbot):
    document = many(registry, 5)
    checker = Checker(document, registry)
    told = []
    checker.found.connect(lambda found: told.append(found.process is document.process))
    try:
        for method in ("range transformation", "Z-transformation", "proportion transformation"):
            document.set_parameter("Normalize", "method", method)
            checker.check_now()
        newest = document.process
        qtbot.waitUntil(lambda: checker.findings.process is newest, timeout=20_000)
        assert all(told)
    finally:
        checker.close()


def test_the_window_does_not_wait_for_a_check(registry, qtbot, monkeypatch):
    from fsops_gui.document import checker as module

    document, may_go_on = many(registry, 3), threading.Event()
    real = module.examine

    def held_up(*given, **more):
        assert may_go_on.wait(20)
        return real(*given, **more)

    monkeypatch.setattr(module, "examine", held_up)
    checker = Checker(document, registry)
    try:
        with qtbot.waitSignal(checker.found, timeout=20_000):
            checker.check_now()
            document.set_parameter("Normalize", "method", "range transformation")  # meanwhile
            may_go_on.set()
            checker.check_now()
        assert checker.findings.process is document.process
    finally:
        may_go_on.set()
        checker.close()


# --- tips of ports ------------------------------------------------------------------------------


def tip(document, registry, node, port, seen=None, **more):
    known = check(document.process, registry).known
    shown = next(p for p in shown_ports(document.process, node, outgoing=True) if p.name == port)
    meta = known.outputs[node][port]
    return port_tip(End(node, port, outgoing=True), shown, meta, seen, **more)


def test_a_tip_says_what_is_expected(chain, registry):
    text = tip(chain, registry, "Retrieve", "examples")
    assert "<b>Expected:</b> 569 rows, 30 attributes, label label (2 classes)" in text
    assert "binominal (benign, malignant)" in text
    assert "mean radius" in text
    assert "and 19 more" in text
    assert "last run" not in text


def test_a_tip_says_what_the_last_run_has_seen(chain, registry):
    seen = WatchedPort(
        "Retrieve", "examples", "ExampleSet", "Table", "569 rows, 30 attributes", "k"
    )
    fresh = tip(chain, registry, "Retrieve", "examples", seen)
    assert "<b>From the last run:</b> 569 rows, 30 attributes" in fresh
    stale = tip(chain, registry, "Retrieve", "examples", seen, stale=True)
    assert "<b>From the last run, changed since:</b>" in stale


def test_the_scene_tells_of_the_run_at_both_ends_of_a_wire(window_of, chain, qtbot):
    window = window_of(chain)
    scene = window.session.editor.scene
    seen = WatchedPort("Retrieve", "examples", "ExampleSet", "Table", "7 rows", None)
    scene.seen = lambda operator, port: (
        seen if (operator, port) == ("Retrieve", "examples") else None
    )
    for node, port, outgoing in (("Retrieve", "examples", True), ("Normalize", "examples", False)):
        frame = scene.frames[0]
        place = frame.pos() + frame.place(End(node, port, outgoing))
        assert "7 rows" in scene.tip_at(place)


def test_an_input_without_a_wire_has_no_origin(chain):
    end = End("Normalize", "examples", outgoing=False)
    wires = chain.process.connections
    assert origin(end, wires) == ("Retrieve", "examples")
    assert origin(end, []) is None


def test_weights_and_models_are_told_in_words(quickstart, registry):
    known = check(quickstart.process, registry).known
    weights = known.outputs["Weight by SAM"]["weights"]
    assert in_words(weights) == "weights of 30 attributes"
    model = next(iter(known.outputs["Naive Bayes"].values()))
    assert in_words(model).startswith("trained on") or in_words(model) == ""


def test_after_a_run_the_tip_has_the_real_figures_and_says_when_they_are_old(
    window_of, chain, qtbot
):
    window = window_of(chain)
    session = window.session
    scene = session.editor.scene
    frame = scene.frames[0]
    place = frame.pos() + frame.place(End("Normalize", "examples", outgoing=True))
    with qtbot.waitSignal(session.run_ended, timeout=60_000):
        session.start_run()
    qtbot.waitUntil(lambda: "From the last run:" in scene.tip_at(place), timeout=10_000)
    assert "569 rows" in scene.tip_at(place)
    chain.set_parameter("Retrieve", "repository_entry", "iris")
    qtbot.waitUntil(lambda: "changed since" in scene.tip_at(place), timeout=10_000)
