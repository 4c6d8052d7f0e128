"""Tables of counts beside a release: read exactly, or refused with the place."""

import gzip

import pandas as pd
import pytest

from privgate.data import load_release
from privgate.errors import InputError

RELEASE = """\
privgate: release/v1
name: survey
data: {train: {path: train.csv}, synthetic: {path: synthetic.csv}}
columns: {age: {type: numeric, role: quasi_identifier}, sex: {type: categorical, role: sensitive}}
"""
COUNTS = "region,sex,people\nnorth,f,40\nnorth,m,*\nnorth,all,52\n"
ENTRY = (
    "{path: counts.csv, counts: [people], missing: ['*'], totals: {of: [region, sex], level: all}}"
)


@pytest.fixture
def read(tmp_path):
    for name, rows in (("train", "31,f\n47,m\n52,f\n"), ("synthetic", "30,f\n50,m\n")):
        (tmp_path / f"{name}.csv").write_text(f"age,sex\n{rows}", "utf-8")
    (tmp_path / "counts.csv").write_text(COUNTS, "utf-8")

    def load(published=None, counts=None):
        if counts is not None:
            (tmp_path / "counts.csv").write_text(counts, "utf-8")
        said = "" if published is None else f"published: {published}\n"
        (tmp_path / "release.yaml").write_text(RELEASE + said, "utf-8")
        return load_release(tmp_path / "release.yaml")

    return load


def refusal(read, *given):
    with pytest.raises(InputError) as caught:
        read(*given)
    return "\n".join(map(str, caught.value.problems))


def test_counts_suppressed_cells_and_totals(read):
    (table,) = read(f"[{ENTRY}]").published
    assert table.counts["people"].tolist()[::2] == [40, 52]
    assert pd.isna(table.counts["people"][1])
    region, sex = table.dimensions
    assert region.is_total.tolist() == [False] * 3
    assert sex.is_total.tolist() == [False, False, True]
    assert table.name == table.facts.file == "counts.csv"
    assert table.facts.totals == "declared"


def test_silence_none_and_some_are_three_things(read):
    assert read().published is read().facts.published is None
    assert read("[]").published == read("[]").facts.published == ()
    assert len(read(f"[{ENTRY}]").facts.published) == 1


def test_totals_may_be_unsaid_or_none(read):
    said = [
        read(f"[{{path: counts.csv, counts: [people], missing: ['*']{more}}}]").published[0]
        for more in ("", ", totals: none")
    ]
    assert [table.dimensions for table in said] == [None, ()]
    assert [table.facts.totals for table in said] == ["not stated", "none"]


def test_facts_of_a_silent_release_have_the_form_they_always_had(read):
    assert "published" not in read().facts.model_dump(mode="json")
    stored = read(f"[{ENTRY}]").facts
    assert type(stored).model_validate_json(stored.model_dump_json()) == stored


def test_the_digest_is_that_of_the_file_and_the_seed_does_not_depend_on_it(read):
    first = read(f"[{ENTRY}]")
    second = read(f"[{ENTRY}]", COUNTS.replace("40", "41"))
    assert first.facts.published[0].sha256 != second.facts.published[0].sha256
    assert first.facts.declaration_sha256 == second.facts.declaration_sha256
    assert first.facts.tables == second.facts.tables


def test_two_files_of_one_name_have_two_names(read, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "counts.csv").write_text(COUNTS, "utf-8")
    other = ENTRY.replace("counts.csv", "more/counts.csv")
    found = read(f"[{ENTRY}, {other}]").published
    assert [table.name for table in found] == ["counts.csv (1)", "counts.csv (2)"]


def test_the_file_may_be_parquet_or_compressed(read, tmp_path):
    frame = pd.DataFrame({"region": ["north", "all"], "people": pd.array([40, None], "Int64")})
    frame.to_parquet(tmp_path / "counts.parquet")
    (tmp_path / "counts.csv.gz").write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    entries = [
        f"{{path: counts.{kind}, counts: [people], totals: none}}" for kind in ("parquet", "csv.gz")
    ]
    first, second = read(f"[{', '.join(entries)}]").published
    assert first.counts["people"].tolist()[0] == second.counts["people"].tolist()[0] == 40
    assert pd.isna(first.counts["people"][1])


def test_numbers_follow_the_declared_form(read):
    entry = "{path: counts.csv, separator: ';', decimal: ',', counts: [people], totals: none}"
    (table,) = read(f"[{entry}]", "region;people\nnorth;40,0\n").published
    assert table.counts["people"].tolist() == [40]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (COUNTS.replace("40", "40.5"), ["counts.csv:2", "'people'", "not whole numbers", "row 1"]),
        (COUNTS.replace("40", "-1"), ["counts.csv:2", "0 or more", "under 'missing'"]),
        (COUNTS.replace("40", "12%"), ["counts.csv:2", "'people'", "not numeric"]),
        (COUNTS.replace("40", "<11"), ["counts.csv:2", "not numeric", "'missing'"]),
        (COUNTS.replace("people", "persons"), ["no column 'people'", "'counts'"]),
        (COUNTS.replace("north,m", "north,*"), ["counts.csv:3", "'sex'", "cells are empty"]),
        (COUNTS.replace("all,", "total,"), ["totals.level", "totals: none"]),
        (COUNTS + "north,f,40\n", ["two rows", "count the same", "row 1", "totals.of"]),
        ("region,sex,people\n", ["counts.csv", "no rows"]),
    ],
)
def test_what_cannot_be_counted_is_refused_with_place_and_remedy(read, counts, words):
    told = refusal(read, f"[{ENTRY}]", counts)
    assert [word for word in words if word not in told] == []


def test_no_cell_is_quoted(read):
    told = refusal(read, f"[{ENTRY}]", COUNTS.replace("40", "secret-17"))
    assert "secret" not in told


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{path: counts.csv}", ["release.yaml:5", "published[0].counts"]),
        ("{path: none.csv, counts: [people]}", ["none.csv", "no such file"]),
        ("{path: counts.csv, counts: []}", ["published[0].counts"]),
        ("{path: counts.csv, counts: [people, people]}", ["listed twice"]),
        (ENTRY.replace("[region, sex]", "[region, people]"), ["'people'", "under 'totals.of'"]),
        (ENTRY.replace("[region, sex]", "[region, sex, sex]"), ["listed twice"]),
        (ENTRY.replace("totals:", "total:"), ["total", "did you mean 'totals'"]),
    ],
)
def test_a_wrong_entry_of_the_release_file_is_refused(read, entry, words):
    told = refusal(read, f"[{entry}]")
    assert [word for word in words if word not in told] == []
