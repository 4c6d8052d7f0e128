"""Nothing is lost: two writers, killed writers, lines cut short, files that cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from filelock import FileLock

from privgate.errors import InputError
from privgate.evidence import canonical_bytes
from privgate.ledger import Interrupted
from privgate.ledger import file as ledger_file
from privgate.policy import check

WRITER = """
import sys
from pathlib import Path
from privgate.evidence import RunEvidence, digest
from privgate.ledger import Ledger
from privgate.policy.verdict import Verdict
evidence = RunEvidence.model_validate_json(Path(sys.argv[1]).read_bytes())
verdict = Verdict.model_validate_json(Path(sys.argv[2]).read_bytes())
judge = lambda known: verdict.model_copy(update={"evidence_sha256": digest(known)})
for seed in range(int(sys.argv[4]), int(sys.argv[5])):
    run = evidence.run.model_copy(update={"seed": seed})
    known, _ = Ledger(Path(sys.argv[3])).record(evidence.model_copy(update={"run": run}), judge)
    print(seed, known.ledger.entry, known.ledger.earlier, flush=True)
"""


@pytest.fixture
def start(book, tmp_path, make_policy):
    """Return a function that starts a process which writes evaluations of the seeds in a range."""
    stored = [tmp_path / "evidence.json", tmp_path / "verdict.json"]
    stored[0].write_bytes(canonical_bytes(book.evidence))
    stored[1].write_bytes(canonical_bytes(check(make_policy(), book.evidence)))

    def run(first, last):
        given = [*stored, book.path, first, last]
        return subprocess.Popen(
            [sys.executable, "-c", WRITER, *map(str, given)], stdout=subprocess.PIPE, text=True
        )

    return run


def told(text):
    """Return what a writer said of each evaluation it had finished, lines in full only."""
    return [
        tuple(map(int, line.split())) for line in text.splitlines(keepends=True) if "\n" in line
    ]


@pytest.mark.slow
def test_four_processes_lose_nothing(book, start):
    writers = [start(50 * number, 50 * number + 50) for number in range(4)]
    said = [line for writer in writers for line in told(writer.communicate(timeout=120)[0])]
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    chain = book.ledger.intact()
    assert sorted(entry.seed for entry in chain.evaluations) == list(range(200))
    assert [line.n for line in chain.lines] == list(range(201))
    assert sorted(said) == sorted((entry.seed, entry.n, entry.n - 1) for entry in chain.evaluations)
    seeds = [entry.seed // 50 for entry in chain.evaluations]
    assert seeds != sorted(seeds), "the processes wrote one after the other"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_writer_loses_nothing_it_had_told(book, start):
    said = []
    for number in range(3):
        writer = start(1000 * number, 1000 * number + 1000)
        first = writer.stdout.readline()
        time.sleep(0.05 + 0.031 * number)
        writer.send_signal(signal.SIGKILL)
        said += told(first + writer.communicate(timeout=60)[0])
    book.write(seed=9999)
    chain = book.ledger.intact()
    written = {(entry.seed, entry.n) for entry in chain.evaluations}
    assert len(said) >= 3
    assert {(seed, n) for seed, n, _ in said} <= written


def cut(book, *, keep):
    """Cut the last line after its first ``keep`` bytes, as when its writer was killed."""
    *lines, last = book.lines
    book.path.write_bytes(b"".join(lines) + last[:keep])
    return last[:keep]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.99])
def test_a_line_cut_short_is_kept_inside_a_line_that_says_so(book, share):
    book.write(seed=1)
    before, head = book.lines, book.head.read_bytes()
    book.write(seed=2)
    length = len(book.lines[-1])
    fragment = cut(book, keep=max(1, int(share * length)))
    book.head.write_bytes(head)
    chain = book.ledger.intact()
    assert chain.fragment == fragment
    assert len(chain.evaluations) == 1

    facts = book.write(seed=3)[0].ledger
    assert book.lines[:2] == before
    _, first, broken, last = book.ledger.intact().lines
    assert isinstance(broken, Interrupted)
    assert broken.fragment.encode() == fragment
    assert (first.seed, last.seed) == (1, 3)
    assert (facts.entry, facts.interrupted, facts.earlier) == (3, 1, 1)


def test_a_line_that_lacks_only_its_end_is_completed(book):
    book.write(seed=1)
    head = book.head.read_bytes()
    book.write(seed=2)
    before = book.path.read_bytes()
    cut(book, keep=-1)
    book.head.write_bytes(head)
    facts = book.write(seed=3)[0].ledger
    assert book.path.read_bytes().startswith(before)
    assert (facts.entry, facts.interrupted, facts.earlier) == (3, 0, 2)


def test_bytes_that_are_no_text_are_mended_too(book):
    book.write()
    with book.path.open("ab") as stream:
        stream.write(b"\xff\x00\xfe")
    assert book.write()[0].ledger.interrupted == 1
    assert book.ledger.intact().interrupted == 1


def test_a_cut_line_that_the_head_knows_is_a_removed_one(book):
    book.write(seed=1)
    book.write(seed=2)
    cut(book, keep=50)
    assert book.faults() == [(3, "entry 2 was removed at the end")]
    with pytest.raises(InputError, match="removed at the end"):
        book.write()


def test_a_head_that_lags_behind_is_caught_up(book):
    book.write(seed=1)
    head = book.head.read_bytes()
    book.write(seed=2)
    book.head.write_bytes(head)
    assert book.ledger.intact().head.n == 2
    assert book.write(seed=3)[0].ledger.entry == 3
    assert book.head.read_bytes() != head


@pytest.mark.parametrize("where", ["_append", "_note"])
def test_a_stop_while_the_ledger_begins_is_got_over(book, monkeypatch, where):
    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.Ledger, where, _stop)
        with pytest.raises(KeyboardInterrupt):
            book.write()
    assert len(book.ledger.intact().lines) == 1
    assert book.write()[0].ledger.entry == 1


def test_a_stop_while_a_line_is_mended_loses_nothing(book, monkeypatch):
    book.write(seed=1)
    with book.path.open("ab") as stream:
        stream.write(b'{"created":"20')
    before = book.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.os, "fsync", _stop)
        with pytest.raises(KeyboardInterrupt):
            book.write()
    assert book.path.read_bytes() == before
    assert book.write()[0].ledger.interrupted == 1


def _stop(*_):
    raise KeyboardInterrupt


def test_a_ledger_that_is_held_is_waited_for_and_then_refused(book, monkeypatch):
    book.write()
    before = book.path.read_bytes()
    monkeypatch.setattr(ledger_file, "_PATIENCE", 0.2)
    with (
        FileLock(book.path.with_name("ledger.jsonl.lock")),
        pytest.raises(InputError, match="another process has held the ledger"),
    ):
        book.write()
    assert book.path.read_bytes() == before


def test_a_ledger_that_cannot_be_written_is_refused(book, tmp_path):
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file" / "ledger.jsonl", tmp_path):
        book.path = place
        with pytest.raises(InputError, match=r"cannot be (written|read)") as caught:
            book.write()
        assert str(place) in str(caught.value)
        assert caught.value.exit_code == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_ledger_that_may_not_be_written_is_refused_before_measuring(book):
    book.write()
    book.path.chmod(0o400)
    with pytest.raises(InputError, match="cannot be written"):
        book.ledger.require_usable()


def test_asking_whether_a_ledger_is_usable_writes_nothing(book):
    book.ledger.require_usable()
    assert not book.path.exists()
    book.write()
    before = book.path.read_bytes()
    book.ledger.require_usable()
    assert book.path.read_bytes() == before


def test_folders_are_made_and_links_are_followed(book, tmp_path):
    book.path = tmp_path / "deep" / "ledger.jsonl"
    book.write()
    link = tmp_path / "link.jsonl"
    try:
        link.symlink_to(book.path)
    except OSError:
        pytest.skip("this machine has no symbolic links")
    real, book.path = book.path, link
    assert book.write()[0].ledger.entry == 2
    assert real.read_bytes().count(b"\n") == 3
