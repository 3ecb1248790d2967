"""Words are found on all levels of a process."""

from fsops.editing.levels import ROOT, Level, Spot
from fsops.editing.notes import write_note
from fsops.editing.text_search import matches


def test_words_are_found_in_names_kinds_parameters_and_notes(quickstart):
    quickstart.find("Weight by SAM").process.rename("Weight by SAM", "Relevance")
    write_note(quickstart, Spot(Level("Cross Validation", 0), owner="Naive Bayes"), "prior odds")

    def where(words):
        return [(m.operator, m.where) for m in matches(quickstart, words)]

    assert where("relev") == [("Relevance", "name")]
    assert where("by sam") == [("Relevance", "operator")]
    assert where("prior odds") == [("Naive Bayes", "note")]
    assert where("breast cancer") == [("Retrieve", "parameter repository_entry")]
    assert [m.note for m in matches(quickstart, "Retrieve by Read CSV")] == [Spot(ROOT, 0)]
    assert where("   ") == []
