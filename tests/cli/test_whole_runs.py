"""Whole commands on invented and on real data; slow."""

from __future__ import annotations

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.slow


# Another day, as the clock would tell it to privgate and to what draws its PDF.
LATER = """
import datetime, sys, time
import weasyprint, privgate.dossier, privgate.engine, privgate.report.formats
told, real = time.time, datetime.datetime
class Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, real)
class Later(real, metaclass=Kind):
    @classmethod
    def now(cls, tz=None):
        return real.now(tz) + datetime.timedelta(days=400)
time.time = lambda: told() + 400 * 86400
for name, module in list(sys.modules.items()):
    if name.split(".")[0] in {"privgate", "pydyf", "weasyprint"}:
        if getattr(module, "datetime", None) is real:
            module.datetime = Later
"""


def test_two_processes_write_the_same_bytes_on_two_days(spawn, finish, write_release, tmp_path):
    """Of the page and what is attached to it, test_pdf.py draws the same PDF in two processes."""
    release = write_release()
    runs = {"one": ("0", "1", ""), "two": ("12345", "2", LATER)}
    processes = []
    for folder, (hash_seed, threads, clock) in runs.items():
        options = ("-p", "public-release-strict", "--jobs", threads, "--out", folder)
        environment = {
            "OMP_NUM_THREADS": threads,
            "PYTHONHASHSEED": hash_seed,
            "SOURCE_DATE_EPOCH": "1700000000",
        }
        options += ("--records", "--format", "html")
        processes.append(spawn("check", release, *options, code=clock, **environment))
    assert [finish(process).code for process in processes] == [3, 3]
    one, two = (
        {
            path.relative_to(tmp_path / folder).as_posix(): path.read_bytes()
            for path in (tmp_path / folder).rglob("*.*")
        }
        for folder in runs
    )
    assert {"evidence.json", "verdict.json", "report.html", "manifest.json"} < set(one)
    assert set(one) == set(two)
    assert [name for name in one if one[name] != two[name]] == []


def judged(privgate, release, *options):
    result = privgate("check", release, "-p", "public-release-strict", "--out", "out", *options)
    return result.code


def outcomes(verdict):
    return {rule["id"]: rule["outcome"] for rule in verdict["rules"]}


def test_the_known_leak_of_real_data_is_stopped(privgate, shared, tmp_path, read_json):
    release = shared / "releases" / "census2k-syn_flip30.yaml"
    assert judged(privgate, release) == 1
    found = outcomes(read_json("verdict.json"))
    assert found["nearer-to-train"] == "violated"
    assert found["membership"] == "violated"
    assert (tmp_path / "out" / "report.html").read_text("utf-8").rstrip().endswith("</html>")
    assert (tmp_path / "out" / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert privgate("verify", "out").code == 0


def test_real_people_who_were_never_seen_are_no_leak(privgate, shared, tmp_path, read_json):
    source = (shared / "releases" / "census2k-syn_flip30.yaml").read_text("utf-8")
    columns = source.partition("columns:\n")[2]
    unseen = pd.read_csv(
        shared / "data" / "mostlyai-qa" / "census2k-hol.csv.gz", dtype=str, keep_default_na=False
    ).sample(frac=1, random_state=1)
    half = len(unseen) // 2
    unseen[:half].to_csv(tmp_path / "synthetic.csv", index=False)
    unseen[half:].to_csv(tmp_path / "holdout.csv", index=False)
    train = json.dumps(str(shared / "data" / "mostlyai-qa" / "census2k-trn.csv.gz"))
    release = tmp_path / "release.yaml"
    release.write_text(
        "privgate: release/v1\nname: unseen\ndata:\n"
        f"  train: {{path: {train}}}\n  holdout: {{path: holdout.csv}}\n"
        f"  synthetic: {{path: synthetic.csv}}\ncolumns:\n{columns}",
        "utf-8",
    )
    assert judged(privgate, release, "--format", "html") in {0, 3}
    assert "violated" not in outcomes(read_json("verdict.json")).values()
