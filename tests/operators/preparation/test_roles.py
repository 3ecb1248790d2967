"""Setting roles."""

import pytest

from fsops import Process, run, validate
from fsops.core.checks.problems import Kind
from fsops.errors import DataError
from fsops.operators import retrieve, set_role, weight_by_f_test


def test_role_is_given_and_its_holder_becomes_regular():
    golf = retrieve(repository_entry="golf")
    changed = set_role(golf, attribute="Wind", target_role="label")
    assert changed.label.name == "Wind"
    assert "Play" in changed.schema.regular_names


def test_the_label_that_learners_see_from_now_on_is_told(golf, listening):
    ctx = listening()
    set_role(golf, attribute="Wind", target_role="label", ctx=ctx)
    assert ctx.warnings == [
        '"Play" was label and is regular now: learners and weightings will see it. '
        "Leave it out, or give it another role, if they should not."
    ]


@pytest.mark.parametrize("asked", [{"Play": "id"}, {"Play": "regular"}])
def test_what_was_asked_for_is_not_told(golf, listening, asked):
    ctx = listening()
    set_role(
        golf,
        attribute="Wind",
        target_role="label",
        set_additional_roles=asked,
        ctx=ctx,
    )
    assert ctx.warnings == []


def test_further_roles_are_set_together():
    golf = set_role(
        retrieve(repository_entry="golf"),
        attribute="Wind",
        target_role="label",
        set_additional_roles={"Play": "id"},
    )
    assert golf.schema.roles == {"Wind": "label", "Play": "id"}


def test_unknown_attribute_is_told_before_the_run():
    process = Process()
    node = process.add(set_role, process.add(retrieve, repository_entry="iris"), attribute="lable")
    process.result(process.add(weight_by_f_test, node))
    problems = validate(process)
    assert [p.kind for p in problems][:1] == [Kind.MISSING_COLUMN]
    assert 'Did you mean "label"' in str(problems[0])
    with pytest.raises(DataError):
        set_role(retrieve(repository_entry="iris"), attribute="lable")


def test_role_is_known_further_on():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    node = process.add(set_role, data, attribute="label", target_role="regular")
    process.result(process.add(weight_by_f_test, node))
    assert any("no label" in str(p) for p in validate(process))
    node.parameters["target_role"] = "label"
    assert len(run(process)[0]) == 4
