"""Lines that were altered, removed, moved or repeated are found and named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.errors import InputError, IntegrityError
from privgate.evidence import canonical_bytes, digest
from privgate.ledger import Head
from privgate.ledger.chain import read_chain


@pytest.fixture
def written(book):
    """Return a ledger of six lines: the heading and entries 1 to 5."""
    for seed in range(5):
        book.write(seed=seed)
    assert len(book.lines) == 6
    return book


def resealed(line, **changes):
    """Return a line with other content and a digest that fits it."""
    content = {**json.loads(line), **changes}
    del content["sha256"]
    sealed = {**json.loads(canonical_bytes(content)), "sha256": digest(content)}
    return json.dumps(sealed, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def rewritten(lines):
    """Return lines with digests that fit, each joined to the one before."""
    done, previous = [], None
    for n, line in enumerate(lines):
        done.append(resealed(line, n=n, previous=previous))
        previous = json.loads(done[-1])["sha256"]
    return done


def test_lines_made_by_hand_are_those_of_the_ledger(written):
    assert [resealed(line) for line in written.lines] == written.lines
    assert rewritten(written.lines) == written.lines


def test_an_untouched_ledger_holds(written):
    chain = written.ledger.intact()
    assert [line.n for line in chain.lines] == [0, 1, 2, 3, 4, 5]
    assert (chain.faults, chain.fragment) == ((), b"")


@pytest.mark.parametrize("place", range(6))
def test_an_edited_line_is_named(written, place):
    lines = written.lines
    old, new = (b'"seed":', b'"seed":1') if place else (b'"id":"', b'"id":"0')
    lines[place] = lines[place].replace(old, new, 1)
    written.path.write_bytes(b"".join(lines))
    assert written.faults() == [
        (place + 1, "the line was altered: its digest is not that of its content")
    ]


def test_any_changed_byte_is_found(written):
    whole = written.path.read_bytes()
    starts = [place for place, sign in enumerate(whole) if sign == 10]
    for place in [*range(0, len(whole), 97), *starts]:
        written.path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        line = whole[:place].count(b"\n") + 1
        assert line in {found for found, _ in written.faults()}, place


@pytest.mark.parametrize("place", range(1, 6))
def test_an_edited_line_with_a_fitting_digest_is_named(written, place):
    lines = written.lines
    lines[place] = resealed(lines[place], outcome="violated")
    written.path.write_bytes(b"".join(lines))
    (fault,) = written.faults()
    told = {5: (6, "entry 5 is another than the one that the head file names")}
    later = f"entry {place + 1} was written after another entry {place}"
    line, message = told.get(place, (place + 2, later))
    assert fault[0] == line
    assert message in fault[1]


@pytest.mark.parametrize("place", range(5))
def test_a_removed_line_is_named(written, place):
    lines = written.lines
    del lines[place]
    written.path.write_bytes(b"".join(lines))
    message = f"entry {place} removed before this line, which is entry {place + 1}"
    assert (place + 1, message) in written.faults()


@pytest.mark.parametrize("kept", range(6))
def test_lines_cut_off_at_the_end_are_named(written, kept):
    written.path.write_bytes(b"".join(written.lines[:kept]))
    gone = "entry 5 was" if kept == 5 else f"entries {kept} to 5 were"
    assert written.faults() == [(kept + 1, f"{gone} removed at the end")]


@pytest.mark.parametrize("place", range(5))
def test_lines_that_changed_places_are_named(written, place):
    lines = written.lines
    lines[place], lines[place + 1] = lines[place + 1], lines[place]
    written.path.write_bytes(b"".join(lines))
    message = f"entry {place} stands after entry {place + 1}: out of order"
    assert (place + 2, message) in written.faults()


def test_a_repeated_line_is_named(written):
    written.path.write_bytes(b"".join([*written.lines, written.lines[3]]))
    assert written.faults() == [(7, "entry 3 stands after entry 5: out of order")]


def test_a_second_heading_is_named(written):
    lines = written.lines
    lines[3] = resealed(lines[0], n=3, previous=json.loads(lines[2])["sha256"])
    written.path.write_bytes(b"".join(lines))
    assert (4, "another ledger begins here") in written.faults()


def test_a_ledger_written_anew_is_found_by_its_head_and_then_only_by_one_kept_elsewhere(written):
    kept = written.write()[0].ledger.previous  # what a report holds
    lines = written.lines
    del lines[2]
    written.path.write_bytes(b"".join(rewritten(lines)))
    assert written.faults() == [(7, "entry 6 was removed at the end")]
    last = json.loads(written.lines[-1])
    head = {"n": last["n"], "sha256": last["sha256"]}
    written.head.write_bytes(canonical_bytes(head) + b"\n")
    assert written.ledger.intact().number_of(kept) is None


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (None, "the head file is missing"),
        (b"", "the head file beside the ledger was altered"),
        (b"[]", "the head file beside the ledger was altered"),
        (b'{"n":5,"sha256":"0"}\n', "entry 5 is another"),
        (b'{"n":-1,"sha256":"0"}\n', "the head file beside the ledger was altered"),
        (b'{"n":5, "sha256":"0"}\n', "the head file beside the ledger was altered"),
    ],
)
def test_an_altered_head_is_found(written, head, message):
    written.head.unlink()
    if head is not None:
        written.head.write_bytes(head)
    ((_, told),) = written.faults()
    assert message in told


def test_a_missing_ledger_is_not_begun_anew_beside_its_head(written):
    written.path.unlink()
    with pytest.raises(InputError, match="only its head file"):
        written.write()
    assert not written.path.exists()
    written.path.write_bytes(b"")
    with pytest.raises(InputError, match="entries 0 to 5 were removed"):
        written.write()


def test_an_altered_ledger_is_not_continued(written):
    lines = written.lines
    del lines[2]
    before = b"".join(lines)
    written.path.write_bytes(before)
    for act in (written.write, written.ledger.require_usable):
        with pytest.raises(InputError, match="entry 2 removed") as caught:
            act()
        assert caught.value.exit_code == 2
    assert written.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"notes\n", b"notes", b"\n", b"{}\n", b'{"created":"x'])
def test_another_file_is_left_alone(book, content):
    book.path.write_bytes(content)
    for act in (book.write, book.ledger.require_usable, book.ledger.intact):
        with pytest.raises(InputError, match="not a ledger"):
            act()
    assert book.path.read_bytes() == content
    assert not book.head.exists()


def test_a_ledger_that_begins_with_garbage_is_an_altered_one(written):
    written.path.write_bytes(b"garbage\n" + b"".join(written.lines))
    assert written.faults()[0][0] == 1


@settings(max_examples=150)
@given(order=st.lists(st.integers(0, 5), max_size=8))
def test_law_any_other_sequence_of_the_lines_is_found(six_lines, order):
    last = json.loads(six_lines[-1])
    content = b"".join(six_lines[place] for place in order)
    chain = read_chain(content, Head(5, last["sha256"]))
    assert bool(chain.faults) is (order != [0, 1, 2, 3, 4, 5])


@settings(max_examples=100)
@given(order=st.lists(st.integers(0, 5), max_size=8))
def test_law_without_the_head_only_a_shorter_beginning_is_not_told_apart(six_lines, order):
    chain = read_chain(b"".join(six_lines[place] for place in order), None)
    told = {fault.message for fault in chain.faults if "head file" not in fault.message}
    assert bool(told) is (order != list(range(len(order))))


def test_integrity_errors_end_with_exit_code_1(written):
    written.path.write_bytes(written.lines[0])
    with pytest.raises(IntegrityError) as caught:
        written.ledger.intact()
    assert caught.value.exit_code == 1
