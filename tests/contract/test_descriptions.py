"""Descriptions of parameters begin with a noun or an imperative, not with a question."""

import re

import pytest

from fsops.plugins import plugins

QUESTION = re.compile(r"(How|Whether|Which|What|Where|Who|Of|Off)\b")


@pytest.mark.parametrize("spec", list(plugins().registry), ids=lambda spec: spec.key)
def test_no_description_is_a_question(spec):
    asked = {p.name: p.description for p in spec.parameters if QUESTION.match(p.description)}
    assert asked == {}
