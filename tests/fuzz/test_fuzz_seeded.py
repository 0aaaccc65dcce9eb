"""A short run of the fuzzer, the same inputs each time: what we read is read or refused with a sentence, quickly.

make fuzz runs the same targets for ten minutes each, guided by coverage, in processes of their own.
"""

import time
from dataclasses import replace
from functools import partial

import pytest
from fuzz_engine import Coverage, Inputs, shrunk
from fuzz_target import CORPUS, Kind, Target, kept_findings, try_input
from fuzz_targets import TARGETS
from hypothesis import strategies as st

from workbench.errors import DamagedDocument
from workbench.parsing.formats import CATALOGUE

INPUTS, INPUTS_WHERE_SLOW = 40, 8
"""Of one target: what the whole of the tests has time for."""

REFUSED = frozenset(("docx-locked", "doc-ppt-xlsb", "any-name", "server-refusal"))
"""Targets whose sound inputs are refused rightly: a password, LibreOffice or an answer is missing."""


def tried(target: Target, data: bytes) -> None:
    began = time.process_time()
    try_input(target, data)
    assert time.process_time() - began < target.seconds


@pytest.mark.parametrize("name", TARGETS)
def test_changed_inputs_are_read_or_refused_with_a_sentence(name: str) -> None:
    target = TARGETS[name]
    inputs = Inputs(target, seed=7)
    for _ in range(INPUTS_WHERE_SLOW if target.slow else INPUTS):
        tried(target, inputs.next())


@pytest.mark.parametrize("name", [name for name in TARGETS if kept_findings(name)])
def test_inputs_of_earlier_findings_no_longer_fail(name: str) -> None:
    for path in kept_findings(name):
        tried(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in REFUSED])
def test_seed_inputs_are_read_completely_without_an_error(name: str) -> None:
    assert [error for data in TARGETS[name].seeds() if (error := try_input(TARGETS[name], data)) is not None] == []


def test_every_format_that_is_read_has_a_target() -> None:
    named = {part for name in TARGETS for part in name.split("-")}
    assert {one.format for one in CATALOGUE} - named == set()


def test_every_kept_finding_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= set(TARGETS)


def _stumbles(data: bytes) -> None:
    if b"999" in data:
        raise KeyError("planted")
    if b"{" in data:
        raise DamagedDocument("It holds a bracket.", "Take it out.")


PLANTED = Target("planted", _stumbles, lambda: (b"a 12 b",), Kind.TEXT, grammar=st.text("{9", min_size=1))


def test_the_fuzzer_finds_a_fault_and_not_an_error_of_ours() -> None:
    inputs = Inputs(PLANTED, seed=1)
    made = (inputs.next() for _ in range(2000))
    with pytest.raises(KeyError, match="planted"):
        any(try_input(PLANTED, data) is None and False for data in made)


def test_the_same_seed_makes_the_same_inputs() -> None:
    first, second = (Inputs(replace(PLANTED, kind=Kind.ZIP), seed=3) for _ in range(2))
    assert [first.next() for _ in range(50)] == [second.next() for _ in range(50)]


def test_a_finding_is_made_small() -> None:
    *_, smallest = shrunk(b"some words 999 and more of them", lambda data: b"999" in data)
    assert smallest == b"999"


def test_coverage_reports_an_input_that_reaches_new_lines() -> None:
    coverage = Coverage(__file__)
    assert coverage.run(partial(_stumbles, b"a"))
    assert not coverage.run(partial(_stumbles, b"b"))
    with pytest.raises(KeyError):
        coverage.run(partial(_stumbles, b"999"))
    assert coverage.lines > 2
