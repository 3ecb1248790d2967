"""Rules about names and words: one name per idea, and plain words for readers."""

from __future__ import annotations

from fsops.core.declare.renames import right_word
from fsops.core.declare.vocabulary import KEY_STARTS, OTHER_KEYS
from fsops.data import AttributeWeights, ExampleSet
from fsops.testing.cases import Subject
from fsops.testing.trial import expect
from fsops.testing.words import avoided


def check_parameter_names(subject: Subject) -> None:
    """A parameter has the name that other operators use for the same idea."""
    wrong = [(p.name, right_word(p.name)) for p in subject.spec.parameters]
    wrong = [(name, word) for name, word in wrong if word]
    listed = ", ".join(f"{name} (use {word})" for name, word in wrong)
    expect(not wrong, f"parameters whose idea has another name: {listed}")


def check_key(subject: Subject) -> None:
    """An operator that weighs the attributes of a table begins as the others of its role do."""
    spec = subject.spec
    starts = KEY_STARTS.get(spec.role or "", ())
    weighs = any(issubclass(port.type, AttributeWeights) for port in spec.outputs)
    from_table = any(issubclass(port.type, ExampleSet) for port in spec.inputs[:1])
    if starts and weighs and from_table and not spec.subprocesses and spec.key not in OTHER_KEYS:
        allowed = " or ".join(f'"{start}"' for start in starts)
        expect(spec.key.startswith(starts), f"the key does not begin with {allowed}")


def check_words(subject: Subject) -> None:
    """Title, help and descriptions avoid the words of ``words.toml``."""
    spec = subject.spec
    texts = [spec.title, spec.help, *(p.description for p in spec.parameters)]
    ports = (*spec.inputs, *spec.outputs)
    hits = avoided("\n".join([*texts, *(port.description for port in ports)]))
    listed = ", ".join(f'"{text}" (use {use})' for text, use in hits.items())
    expect(not hits, f"words that readers stumble over: {listed}")
