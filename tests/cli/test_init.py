"""``privgate init``: what it guesses, asks, warns of and proposes, and that it shows no value."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from privgate.cli.asking import Asker
from privgate.data import load_release
from privgate.data.role_words import suggested_role
from privgate.errors import InputError
from privgate.policy.proposal import ReleaseModel, propose

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tables(tmp_path):
    """People with an identifier, a birthday, free text, an odd code, a German income."""
    rng = np.random.default_rng(1)
    for seed, name in enumerate(("train", "holdout", "synthetic")):
        rows = 60
        pd.DataFrame(
            {
                "Patientennummer": [f"P{seed}{place:04d}" for place in range(rows)],
                "Geburtsdatum": pd.Timestamp("1950-03-01")
                + pd.to_timedelta(rng.integers(0, 20000, rows), "D"),
                "Geschlecht": rng.choice(["w", "m"], rows),
                "Haushaltseinkommen": rng.normal(3000, 500, rows).round(2),
                "Befund": [f"klagt seit Tagen sehr ueber Punkt {k % 7}" for k in range(rows)],
                "Probe": [f"ZZ-{seed}-{place:03d}-QRX" for place in range(rows)],
                "Stufe": rng.integers(1, 4, rows),
            }
        ).to_csv(tmp_path / f"{name}.csv", index=False)
    return ("train.csv", "synthetic.csv", "--holdout", "holdout.csv")


def roles(tmp_path, name="release.yaml"):
    text = (tmp_path / name).read_text("utf-8")
    return dict(re.findall(r'^  "(.+?)": \{type: \w+, role: (\w+)\}', text, re.MULTILINE))


GUESSED = {
    "Patientennummer": "identifier",
    "Geburtsdatum": "quasi_identifier",
    "Geschlecht": "quasi_identifier",
    "Haushaltseinkommen": "sensitive",
    "Befund": "other",
    "Probe": "other",
    "Stufe": "other",
}


def test_guesses_and_warnings_name_what_may_expose_people_and_no_value(privgate, tables, tmp_path):
    done = privgate("init", *tables)
    assert done.code == 0
    assert roles(tmp_path) == GUESSED
    assert "'Patientennummer': an identifier names people" in done.err
    assert "'Geburtsdatum': a full date of birth" in done.err
    assert "'Befund': this looks like free text" in done.err
    assert "'Probe': 60 different values in 60 rows" in done.err
    written = (tmp_path / "release.yaml").read_text("utf-8")
    assert "3 different: if they are codes, write categorical" in written
    for value in ("P00", "ZZ-", "klagt", "1950"):
        assert value not in done.err + done.out + written


def test_a_column_that_one_table_lacks_is_ignored_and_told(privgate, tables, tmp_path):
    table = pd.read_csv(tmp_path / "synthetic.csv")
    table.assign(row=range(len(table))).to_csv(tmp_path / "synthetic.csv", index=False)
    done = privgate("init", *tables, "--role", "Probe=ignore")
    assert roles(tmp_path) == GUESSED | {"Probe": "ignore", "row": "ignore"}
    assert "column 'row': it is not in train and holdout" in done.err
    measured = {column.name for column in load_release(tmp_path / "release.yaml").columns}
    assert measured == {"Geburtsdatum", "Geschlecht", "Haushaltseinkommen", "Befund", "Stufe"}


def test_flags_state_roles(privgate, tables, tmp_path):
    stated = ("--quasi", "Stufe, Geschlecht", "--sensitive", "Befund", "--role", "Probe=ignore")
    assert privgate("init", *tables, *stated, "--recipients", "internal", "--yes").code == 0
    changed = {"Stufe": "quasi_identifier", "Befund": "sensitive", "Probe": "ignore"}
    assert roles(tmp_path) == GUESSED | changed
    text = (tmp_path / "release.yaml").read_text("utf-8")
    assert text.count("# role stated: ") == 4
    release = load_release(tmp_path / "release.yaml")
    assert release.facts.context == {"release_model": "internal"}


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--role", "Probe"), "states no role"),
        (("--role", "Probe=secret"), "quasi_identifier, sensitive"),
        (("--role", "Prob=ignore"), "did you mean 'Probe'?"),
        (("--quasi", "Stufe", "--sensitive", "Stufe"), "given two roles"),
        (("--recipients", "everybody"), "public, controlled, internal"),
    ],
)
def test_wrong_flags_are_refused_with_a_remedy(privgate, tables, tmp_path, flags, told):
    privgate("init", *tables, *flags).require_refused(told)
    assert not (tmp_path / "release.yaml").exists()


def test_tables_of_a_spreadsheet_come_to_a_verdict(privgate, tables, tmp_path):
    for name in ("train", "holdout", "synthetic"):
        table = pd.read_csv(tmp_path / f"{name}.csv")
        marks = {"sep": ";", "decimal": ",", "encoding": "cp1252"} if name != "holdout" else {}
        table.assign(Ort="Köln").to_csv(tmp_path / f"{name}.csv", index=False, **marks)
    done = privgate("init", *tables, "--role", "Probe=ignore")
    told = "train.csv: read with separator ';', decimal ',', encoding 'cp1252', which is a guess"
    assert told in done.err.splitlines()
    assert "holdout.csv: read with" not in done.err
    assert roles(tmp_path) == GUESSED | {"Ort": "quasi_identifier", "Probe": "ignore"}
    release = load_release(tmp_path / "release.yaml")
    assert release.train.values["Haushaltseinkommen"].min() > 1000


@pytest.mark.usefixtures("tables")
def test_a_third_table_without_a_name_is_refused_with_the_way_to_name_it(privgate):
    privgate("init", "train.csv", "synthetic.csv", "holdout.csv").require_refused("--holdout")


@pytest.mark.usefixtures("tables")
def test_a_table_is_no_release_file(privgate):
    done = privgate("check", "train.csv", "--policy", "ci-smoke")
    done.require_refused("train.csv", "data and not a release file", "privgate init")


@pytest.mark.usefixtures("tables")
def test_a_misspelt_file_is_found(privgate):
    done = privgate("init", "trian.csv", "gone/synthetic.csv")
    done.require_refused("did you mean 'train.csv'?", "there is no folder 'gone'")


def test_what_cannot_be_written_leaves_nothing(privgate, tables, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = set(tmp_path.iterdir())
    monkeypatch.setattr("privgate.cli.init.Path.write_text", full)
    privgate("init", *tables).require_refused("release.yaml", "No space left on device")
    assert set(tmp_path.iterdir()) == before


def answering(*lines):
    remaining = iter([f"{line}\n" for line in lines])
    return Asker(lambda: next(remaining, ""))


def test_answers_may_be_short_and_an_unclear_one_is_asked_again(capsys):
    choices = ["identifier", "ignore", "other"]
    assert answering("").choose("role?", choices, "other") == "other"
    assert answering("ig").choose("role?", choices, "other") == "ignore"
    assert answering("i", "x", "IDENTIFIER").choose("role?", choices, "other") == "identifier"
    assert capsys.readouterr().err.count("please answer with") == 2
    with pytest.raises(InputError, match="nothing is written"):
        answering("x").choose("role?", choices, "other")


def on_a_terminal(arguments, answers, cwd):
    import pty  # noqa: PLC0415 - not there on Windows

    primary, secondary = pty.openpty()
    os.write(primary, answers.encode())
    done = subprocess.run(
        [sys.executable, "-c", "from privgate.cli.main import run; run()", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=secondary,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    os.close(primary)
    os.close(secondary)
    return done


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal")
def test_at_a_terminal_the_role_of_each_column_is_asked_for(tables, tmp_path):
    answers = "\n\nsens\n\nig\nide\nq\ncontrolled\n"
    done = on_a_terminal(["init", *tables], answers, tmp_path)
    assert done.returncode == 0, done.stderr
    changed = {"Geschlecht": "sensitive", "Befund": "ignore", "Probe": "identifier"}
    assert roles(tmp_path) == GUESSED | changed | {"Stufe": "quasi_identifier"}
    assert "2 of 7: 'Geburtsdatum' (datetime" in done.stderr
    assert "policy to begin with: controlled-access" in done.stderr
    for value in ("P00", "ZZ-", "klagt", "1950"):
        assert value not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal")
def test_with_yes_nothing_is_asked_at_a_terminal(tables, tmp_path):
    done = on_a_terminal(["init", *tables, "--yes"], "", tmp_path)
    assert done.returncode == 0
    assert "role?" not in done.stderr


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Alter", "quasi_identifier"),
        ("PLZ", "quasi_identifier"),
        ("KörperGröße", "quasi_identifier"),
        ("Staatsangehörigkeit", "quasi_identifier"),
        ("geburtsjahr", "quasi_identifier"),
        ("Hauptdiagnose", "sensitive"),
        ("monthly_income", "sensitive"),
        ("Versichertennummer", "identifier"),
        ("customerId", "identifier"),
        ("Haltung", None),
        ("AST 1", None),
    ],
)
def test_names_in_two_languages_suggest_a_role(name, role):
    assert suggested_role(name) == role


def test_a_policy_is_proposed_by_recipients_kind_and_rows():
    plenty = dict.fromkeys(("train", "holdout", "synthetic"), 5000)
    both = {"quasi_identifier", "sensitive"}
    found = propose(plenty, model=ReleaseModel.PUBLIC, roles=both)
    assert (found.policy, found.lacking) == ("public-release-strict", ())
    few = propose({"train": 900, "synthetic": 900}, model=ReleaseModel.PUBLIC)
    assert "1000 train rows: there are 900" in few.lacking
    assert len(few.lacking) == 4
    shared = propose(plenty, model=ReleaseModel.CONTROLLED, roles=both)
    assert shared.policy == "controlled-access"
    assert any("'recipients: …' under context" in lack for lack in shared.lacking)
    assert propose(plenty, model=ReleaseModel.PUBLIC, binary=True).policy == "genomics-strict"
    assert propose(plenty, model=ReleaseModel.PUBLIC, binary=False).policy == "embeddings"
