"""Damaged files of RapidMiner: a process, or an error in words."""

import os
import random
import re
import time

import pytest

from fsops.core import Process, validate
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops.storage import format_process, parse_process

MADE = b"""<?xml version="1.0" encoding="UTF-8"?>
<process version="5.1.003">
  <context><input><location>//a/b</location></input><output/><macros/></context>
  <operator activated="true" class="process" compatibility="5.1.003" expanded="true" name="Process">
    <parameter key="random_seed" value="-1"/>
    <process expanded="true">
      <operator class="retrieve" name="Retrieve" x="45" y="34" breakpoints="after">
        <parameter key="repository_entry" value="//Samples/data/Golf"/>
        <description align="left">a note</description>
      </operator>
      <operator class="weight_by_relief" name="Relief">
        <parameter key="normalize_weights" value="true"/>
        <parameter key="local_random_seed" value="7"/>
      </operator>
      <operator class="concurrency:optimize_parameters_grid" name="Grid">
        <list key="parameters"><parameter key="CV.number_of_validations" value="[2;4;2;linear]"/></list>
        <process>
          <operator class="select_by_weights" name="Select">
            <parameter key="weight_relation" value="5"/>
          </operator>
          <operator class="x_validation" name="CV">
            <parameter key="sampling_type" value="2"/>
            <process>
              <operator class="k_nn" name="k-NN"><parameter key="measure_types" value="0"/></operator>
              <connect from_port="training" to_op="k-NN" to_port="training set"/>
              <connect from_op="k-NN" from_port="model" to_port="model"/>
              <portSpacing port="source_training" spacing="0"/>
            </process>
            <process>
              <operator class="apply_model" name="Apply"/>
              <operator class="performance_classification" name="Performance">
                <parameter key="accuracy" value="true"/>
                <parameter key="margin" value="true"/>
                <list key="class_weights"/>
              </operator>
              <operator class="log" name="Log">
                <list key="log"><parameter key="p" value="operator.CV.value.performance"/></list>
              </operator>
              <connect from_port="model" to_op="Apply" to_port="model"/>
              <connect from_port="test set" to_op="Apply" to_port="unlabelled data"/>
              <connect from_op="Apply" from_port="labelled data" to_op="Performance" to_port="labelled data"/>
              <connect from_op="Performance" from_port="performance" to_op="Log" to_port="through 1"/>
              <connect from_op="Log" from_port="through 1" to_port="averagable 1"/>
            </process>
          </operator>
          <connect from_port="input 1" to_op="Select" to_port="example set input"/>
          <connect from_port="input 2" to_op="Select" to_port="weights"/>
          <connect from_op="Select" from_port="example set output" to_op="CV" to_port="training"/>
          <connect from_op="CV" from_port="averagable 1" to_port="performance"/>
          <connect from_op="CV" from_port="model" to_port="model"/>
        </process>
      </operator>
      <operator class="read_csv" name="File">
        <list key="data_set_meta_data_information"><parameter key="0" value="a.true.real.id"/></list>
      </operator>
      <operator class="blending:set_role" name="Role">
        <list key="set_roles"><parameter key="a" value="label"/></list>
      </operator>
      <connect from_op="Retrieve" from_port="output" to_op="Relief" to_port="example set"/>
      <connect from_op="Relief" from_port="example set" to_op="Grid" to_port="input 1"/>
      <connect from_op="Relief" from_port="weights" to_op="Grid" to_port="input 2"/>
      <connect from_op="Grid" from_port="model" to_port="result 1"/>
      <description color="yellow" x="1" y="2">on the canvas</description>
    </process>
  </operator>
</process>"""
ATTRIBUTE = re.compile(rb' [\w-]+="[^"]*"')
VALUE = re.compile(rb'"([^"]*)"')
ELEMENT = re.compile(rb"<(?:connect|parameter|portSpacing)[^>]*/>")
HOSTILE_SECONDS = 5.0  # far above what it takes: it must catch a hang, not a busy machine
GARBAGE = (b"", b"-1", b"1e999", b"%{x", b"\xc3\xa4", b"&lt;&amp;", b"9" * 400, b"true", b"process")


def mutated(data, rng):
    """Return the file with one thing changed."""
    kind = rng.randrange(7)
    if kind == 0:
        found = rng.choice(list(ATTRIBUTE.finditer(data)))
        return data[: found.start()] + data[found.end() :]
    if kind == 1:
        found = rng.choice(list(VALUE.finditer(data)))
        return data[: found.start(1)] + rng.choice(GARBAGE) + data[found.end(1) :]
    if kind == 2:  # two values change places
        first, second = sorted(rng.sample(list(VALUE.finditer(data)), 2), key=lambda m: m.start())
        parts = data[: first.start(1)], second[1], data[first.end(1) : second.start(1)], first[1]
        return b"".join([*parts, data[second.end(1) :]])
    if kind == 3:
        return data[: rng.randrange(len(data))]
    if kind == 4:
        place = rng.randrange(len(data))
        return data[:place] + rng.randbytes(rng.randrange(1, 5)) + data[place + 2 :]
    found = rng.choice(list(ELEMENT.finditer(data)))
    if kind == 5:
        return data[: found.start()] + data[found.end() :]
    place = rng.choice(list(ELEMENT.finditer(data))).start()
    return data[:place] + found[0] + data[place:]


def check(data):
    """Read, check and write the process; say whether it could be read."""
    registry = plugins().registry
    try:
        process = parse_process(data, registry)
        assert isinstance(process, Process)
        validate(process, registry)
        first = format_process(process)
    except FsopsError as error:
        return str(error)
    assert format_process(parse_process(first, registry)) == first
    return ""


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_process_is_read_or_refused_in_words(seed):
    rng = random.Random(seed)
    said = []
    for _ in range(40):
        data = MADE
        for _ in range(rng.randrange(1, 4)):
            data = mutated(data, rng)
        said.append(check(data))
    assert any(said)
    assert not all(said)
    assert all("\n" not in message for message in said)


def test_a_hundred_damaged_samples_are_read_or_refused_in_words(samples):
    files = sorted(samples.rglob("*.rmp"))
    rng = random.Random(100)
    said = [check(mutated(rng.choice(files).read_bytes(), rng)) for _ in range(100)]
    assert 10 < sum(map(bool, said)) < 90


@pytest.mark.slow
def test_damaged_files_are_answered_in_time_and_stay_the_same_when_written(samples):
    """Damage samples of RapidMiner; FSOPS_DAMAGED_FILES and FSOPS_DAMAGE_SEED give more and others."""
    number = int(os.environ.get("FSOPS_DAMAGED_FILES", "40"))
    rng = random.Random(int(os.environ.get("FSOPS_DAMAGE_SEED", "2026")))
    files = [*sorted(samples.rglob("*.rmp")), None]
    slowest, said = 0.0, []
    for _ in range(number):
        chosen = rng.choice(files)
        data = MADE if chosen is None else chosen.read_bytes()
        for _ in range(rng.randrange(1, 6)):
            try:
                data = mutated(data, rng)
            except (IndexError, ValueError):  # nothing is left that could be changed
                break
        start = time.process_time()
        said.append(check(data))
        slowest = max(slowest, time.process_time() - start)
    assert slowest < HOSTILE_SECONDS
    assert 0 < sum(map(bool, said)) < number


def test_the_undamaged_process_is_read():
    assert check(MADE) == ""


@pytest.mark.parametrize("word", [b"<!DOCTYPE process [<!ENTITY a 'b'>]>", b"<?php x ?>"])
def test_what_is_dangerous_in_our_files_is_refused_here_too(word):
    assert "is not allowed" in check(
        MADE.replace(b"<process version", word + b"<process version", 1)
    )


@pytest.mark.parametrize(
    "content",
    [
        b'<parameter key="a%d" value="x"/>',
        b'<operator class="weight_by_pca" name="W%d"><parameter key="normalize_weights" '
        b'value="true"/></operator><connect from_op="W%d" from_port="weights" to_port="r %d"/>',
        b'<operator class="log" name="W%d"><list key="log"><parameter key="a" '
        b'value="operator.x.value.y"/></list></operator>',
    ],
)
def test_very_many_elements_take_no_time(content):
    inner = b"".join(content.replace(b"%d", b"%d" % i) for i in range(2500))
    if content.startswith(b"<parameter"):
        inner = b'<operator class="k_nn" name="A">' + inner + b"</operator>"
    data = MADE[: MADE.index(b"<operator class=")] + inner + b"</process></operator></process>"
    start = time.process_time()
    parse_process(data, plugins().registry)
    assert time.process_time() - start < HOSTILE_SECONDS
