from __future__ import annotations

import errno
import os

import pytest

from privgate.dossier import folder as dossier


@pytest.fixture
def check(privgate, write_release, policy):
    release = write_release()

    def run(*options):
        return privgate("check", release, "--policy", policy, "--format", "json", *options)

    return run


def test_the_folder_is_named_after_the_release(privgate, write_release, policy, tmp_path):
    release = write_release(name="Health Survey / 2026: Ä!")
    assert privgate("check", release, "--policy", policy, "--format", "json").code == 0
    assert (tmp_path / "privgate-health-survey-2026-ä").is_dir()


def test_missing_folders_are_made(check, tmp_path):
    assert check("--out", "a/b/c").code == 0
    names = {path.name for path in (tmp_path / "a" / "b" / "c").iterdir()}
    assert names == {"evidence.json", "verdict.json", "manifest.json"}
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c"]


def test_an_earlier_check_is_replaced_whole(check, tmp_path):
    assert check("--out", "out", "--records").code == 0
    assert (tmp_path / "out" / "records").is_dir()
    assert check("--out", "out").code == 0
    assert not (tmp_path / "out" / "records").exists()


def test_an_empty_folder_is_used(check, tmp_path):
    (tmp_path / "out").mkdir()
    assert check("--out", "out").code == 0


def test_a_file_is_not_overwritten(check, tmp_path):
    (tmp_path / "out").write_text("precious")
    check("--out", "out").require_refused("out", "is a file", "give --out a folder")
    assert (tmp_path / "out").read_text() == "precious"


@pytest.mark.parametrize("name", ["precious.txt", "manifest.json", "deep/precious.txt"])
def test_a_folder_with_other_things_is_left_alone(check, tmp_path, name):
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    check("--out", "out").require_refused("out", f"'{name}'", "new or empty folder")
    assert path.read_text() == "{}"


def test_a_folder_inside_that_of_another_check_is_refused(check, tmp_path):
    assert check("--out", "out").code == 0
    check("--out", "out/deep/inner").require_refused("inside that of another check", "beside it")
    (tmp_path / "manifest.json").write_text("of something else")
    assert check("--out", "other/inner").code == 0


def test_a_name_that_no_folder_can_have_is_refused_before_measuring(check):
    done = check("--out", "x" * 300)
    done.require_refused("cannot be written", "give --out a folder")
    assert "measuring" not in done.err


def test_a_file_added_to_an_earlier_check_is_not_lost(check, tmp_path):
    assert check("--out", "out").code == 0
    (tmp_path / "out" / "approval.pdf").write_text("signed")
    check("--out", "out").require_refused("'approval.pdf'")
    assert (tmp_path / "out" / "approval.pdf").read_text() == "signed"


def test_a_folder_below_a_file_is_refused_before_measuring(check, tmp_path):
    (tmp_path / "file").write_text("x")
    result = check("--out", "file/out")
    result.require_refused("file", "cannot be written")
    assert "measuring" not in result.err


def test_the_current_folder_is_refused_before_measuring(check):
    result = check("--out", ".")
    result.require_refused("current folder", "inside it")
    assert "measuring" not in result.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_folder_is_refused_before_measuring(check, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o555)
    result = check("--out", "locked/out")
    result.require_refused("locked", "cannot be written", "may write to")
    assert "measuring" not in result.err


def test_what_cannot_be_written_in_the_end_leaves_nothing_behind(check, tmp_path, monkeypatch):
    def full(folder, files):
        del files
        folder.mkdir()
        (folder / "evidence.json").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = set(tmp_path.iterdir())
    monkeypatch.setattr(dossier, "_write", full)
    check("--out", "out").require_refused("out", "No space left")
    assert set(tmp_path.iterdir()) == before


def test_an_earlier_check_survives_a_failed_replacement(check, tmp_path, monkeypatch):
    assert check("--out", "out").code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    rename = type(tmp_path).rename

    def fail(path, target):
        if path.name == "new":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, target)

    monkeypatch.setattr(type(tmp_path), "rename", fail)
    check("--out", "out").require_refused("out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_a_link_to_a_folder_stays_a_link(check, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real", target_is_directory=True)
    assert check("--out", "out").code == 0
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "real" / "verdict.json").is_file()


def test_records_name_rows_and_hold_no_value(check, tmp_path, frames):
    assert check("--out", "out", "--records").code == 0
    files = list((tmp_path / "out" / "records").iterdir())
    assert files
    incomes = {repr(value) for value in frames["train"]["income"].dropna()}
    for path in files:
        lines = path.read_text("utf-8").splitlines()
        assert lines[0].startswith("row,")
        cells = {cell for line in lines[1:] for cell in line.split(",")}
        assert not cells & incomes
