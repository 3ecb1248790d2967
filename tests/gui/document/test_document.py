"""A document: every edit is a step that can be undone, and a file is never lost."""

import random

import pytest

from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.editing import notes
from fsops.editing.levels import ROOT, Level, Spot
from fsops.errors import FsopsError, PortError, UsageError
from fsops.storage.process_reader import parse_process
from fsops_gui.document.document import Document

TRAINING, TESTING = Level("Cross Validation", 0), Level("Cross Validation", 1)


def names(document, level=ROOT):
    return [node.name for node in document.level(level)]


def wires(document, level=ROOT):
    return [str(wire) for wire in document.level(level).connections]


def undone(document):
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    return document.as_xml()


def test_a_wire_that_does_not_fit_is_refused_with_the_reason(chain):
    before = chain.as_xml()
    with pytest.raises(PortError, match="takes a data table, but"):
        chain.connect(ROOT, Connection("Weight by SAM", "weights", "Normalize", "examples"))
    assert chain.as_xml() == before
    assert chain.undo_stack.count() == 0


def test_a_wire_in_a_circle_is_refused(quickstart):
    wire = Connection("Select by Weights", "examples", "Weight by SAM", "examples")
    with pytest.raises(PortError, match="circle"):
        quickstart.connect(TRAINING, wire)


def test_renaming_is_refused_where_the_name_is_taken_on_any_level(quickstart):
    with pytest.raises(UsageError, match="already"):
        quickstart.rename("Retrieve", "Naive Bayes")
    assert not quickstart.modified


def test_typing_a_value_is_one_step(quickstart):
    for value in ("1", "12", "123"):
        quickstart.set_parameter("Select Top k", "k", value)
    assert quickstart.undo_stack.count() == 1
    quickstart.undo_stack.undo()
    assert quickstart.process.find("Select Top k").parameters["k"] == "10"


def test_typing_a_value_back_leaves_no_step(quickstart):
    quickstart.set_parameter("Select Top k", "k", "1")
    quickstart.set_parameter("Select Top k", "k", "10")
    assert not quickstart.modified


def test_an_edit_that_changes_nothing_is_no_step(quickstart):
    quickstart.set_enabled(["Retrieve"], True)
    assert quickstart.undo_stack.count() == 0


def test_every_kind_of_edit_can_be_undone_inside_an_inner_process(quickstart, registry):
    start = quickstart.as_xml()
    quickstart.add(TRAINING, registry["normalize"])
    quickstart.remove(TRAINING, ["Select Top k"])
    quickstart.rename("Naive Bayes", "Bayes")
    quickstart.remove_wires(TRAINING, [quickstart.level(TRAINING).connections[0]])
    quickstart.connect(TRAINING, Connection(SOURCE, "training_set", "Weight by SAM", "examples"))
    quickstart.move(TRAINING, {"Bayes": (7, 9)})
    quickstart.set_parameter("Weight by SAM", "signed", True)
    quickstart.set_enabled(["Bayes"], False)
    quickstart.set_breakpoint(["Bayes"], "after", True)
    quickstart.write_note(Spot(TRAINING, owner="Bayes"), "why")
    note = quickstart.add_note(TRAINING, "remember", (10, 300))
    quickstart.write_note(note, "remember this")
    quickstart.change_note(note, place=(20, 310), size=(200, 80), colour="blue")
    quickstart.arrange(TRAINING)
    quickstart.replace(TRAINING, "Weight by SAM", registry["weight_by_relief"])
    after = quickstart.as_xml()
    assert undone(quickstart) == start
    assert not quickstart.modified
    while quickstart.undo_stack.canRedo():
        quickstart.undo_stack.redo()
    assert quickstart.as_xml() == after


def test_changes_tell_the_new_names_also_when_undone(chain):
    told = []
    chain.changed.connect(lambda change: told.append(dict(change.renamed)))
    chain.rename("Normalize", "Scaled")
    chain.undo_stack.undo()
    assert told == [{"Normalize": "Scaled"}, {"Scaled": "Normalize"}]


def test_a_process_once_shown_never_changes(chain):
    before, text = chain.process, chain.as_xml()
    chain.rename("Normalize", "Scaled")
    assert Document(before).as_xml() == text


def test_copied_operators_are_a_text_that_can_be_pasted(quickstart):
    text = quickstart.copied(ROOT, ["Cross Validation"])
    assert text.startswith("<?xml")
    pasted = quickstart.paste(ROOT, f"\n  {text}\n")
    assert pasted == ["Cross Validation (2)"]
    inner = [node.name for node in quickstart.process.find("Cross Validation (2)").process.walk()]
    assert "Naive Bayes (2)" in inner
    assert len(inner) == len(set(inner))
    assert len(quickstart.level(Level("Cross Validation (2)", 0)).connections) == 7


def test_pasting_what_is_no_process_is_refused_in_a_sentence(chain):
    with pytest.raises(FsopsError, match="no process"):
        chain.paste(ROOT, "Dear Anna, here is the process.")


def test_saving_and_opening_gives_the_same(quickstart, tmp_path):
    quickstart.rename("Retrieve", "Data")
    assert quickstart.modified
    quickstart.save(tmp_path / "mine.xml")
    assert not quickstart.modified
    assert quickstart.title == "mine.xml"
    again = Document.open(tmp_path / "mine.xml")
    assert again.as_xml() == quickstart.as_xml()
    quickstart.undo_stack.undo()
    assert quickstart.modified


def test_a_save_that_fails_keeps_the_old_file(chain, tmp_path):
    file = tmp_path / "chain.xml"
    chain.save(file)
    old = file.read_bytes()
    # XML has no way to write this; an edit of the window would have replaced it.
    chain.edit("Note", lambda p: notes.write_note(p, Spot(ROOT, owner="Normalize"), "bell \x07"))
    with pytest.raises(FsopsError, match="U\\+0007"):
        chain.save()
    assert file.read_bytes() == old
    assert chain.modified
    assert [p.name for p in tmp_path.glob("*xml")] == ["chain.xml"]


def test_a_process_saved_in_another_folder_still_finds_its_data(registry, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "data.csv").write_text("a,b\n1,2\n")
    document = Document()
    document.save(tmp_path / "one" / "p.xml")
    name = document.add(ROOT, registry["read_csv"])
    parameter = next(p.name for p in registry["read_csv"].parameters if p.kind == "file")
    document.set_parameter(name, parameter, "data.csv")
    document.save(tmp_path / "two" / "p.xml")
    assert document.process[name].parameters[parameter] == "../one/data.csv"


def test_what_others_write_to_the_file_is_noticed(chain, tmp_path):
    chain.save(tmp_path / "chain.xml")
    assert not chain.changed_on_disk()
    (tmp_path / "chain.xml").write_text("<process/>")
    assert chain.changed_on_disk()


def test_operators_that_are_not_installed_are_kept(tmp_path):
    file = tmp_path / "foreign.xml"
    Document().save(file)
    text = file.read_text()
    unknown = '<operator class="image:segment" name="Segment" x="45" y="34" width="90" height="68" colour="red"><parameter key="depth" value="3"/><process><operator class="image:cut" name="Cut"/></process></operator>'
    file.write_text(text.replace("<process/>", f"<process>{unknown}</process>"))
    document = Document.open(file)
    assert document.process["Segment"].operator.is_placeholder
    document.move(ROOT, {"Segment": (100, 100)})
    document.save()
    kept = file.read_text()
    assert 'colour="red"' in kept
    assert 'key="depth" value="3"' in kept
    assert 'class="image:cut"' in kept


class Monkey:
    """Edits a document at random."""

    def __init__(self, document, registry, seed):
        self.document = document
        self.rng = random.Random(seed)
        self.operators = [registry[key] for key in (
            "retrieve", "normalize", "weight_by_sam", "select_top_k", "cross_validation", "naive_bayes", "apply_model", "performance", "loop",
        ) if key in registry]  # fmt: skip

    def levels(self):
        process = self.document.process
        inner = [Level(n.name, i) for n in process.walk() for i in range(len(n.subprocesses))]
        return [ROOT, *inner]

    def act(self):
        document, rng = self.document, self.rng
        level = rng.choice(self.levels())
        inside = document.level(level)
        found = [node.name for node in inside]
        some = rng.sample(found, min(len(found), rng.randint(1, 2)))
        wired = inside.connections
        kind = rng.randrange(14)
        if kind <= 2 or not found:
            if len(list(document.process.walk())) < 40:
                document.add(level, rng.choice(self.operators), after=rng.choice([*found, None]))
        elif kind == 3:
            document.remove(level, some)
        elif kind == 4:
            document.rename(some[0], f"{some[0][:12]} {rng.randrange(99)}")
        elif kind == 5 and wired:
            document.remove_wires(level, [rng.choice(wired)])
        elif kind == 6:
            document.connect(level, Connection(rng.choice([*found, SOURCE]), "examples", rng.choice([*found, SINK]), rng.choice(["examples", "weights", "result 1"])))  # fmt: skip
        elif kind == 7:
            document.move(level, {name: (rng.randrange(900), rng.randrange(600)) for name in some})
        elif kind == 8:
            document.set_parameter(some[0], rng.choice(["k", "number_of_folds"]), rng.choice(["3", None]))  # fmt: skip
        elif kind == 9:
            document.set_enabled(some, rng.random() < 0.5)
        elif kind == 10:
            document.paste(level, document.copied(level, some))
        elif kind == 11 and wired:
            document.insert(level, rng.choice(self.operators), rng.choice(wired))
        elif kind == 12:
            document.replace(level, some[0], rng.choice(self.operators))
        elif kind == 13:
            document.undo_stack.undo() if rng.random() < 0.5 else document.undo_stack.redo()


@pytest.mark.parametrize("seed", [1, 2])
def test_random_edits_always_leave_a_valid_file_and_can_all_be_undone(quickstart, registry, seed):
    start = quickstart.as_xml()
    monkey = Monkey(quickstart, registry, seed)
    refused = 0
    for _ in range(200):
        try:
            monkey.act()
        except FsopsError:
            refused += 1
        xml = quickstart.as_xml()
        assert parse_process(xml) == quickstart.process
    assert refused < 60
    assert quickstart.undo_stack.count() > 60
    assert undone(quickstart) == start
