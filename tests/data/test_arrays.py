from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from privgate.data import (
    Distance,
    RowOrder,
    load_release,
    read_arrays,
    release_from_arrays,
    row_ids,
)
from privgate.data.matrices import matrix_ranks, packed_words
from privgate.errors import InputError

PLANTED = 48151623.5
TRAIN = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1], [1, 0, 0]])
SYNTHETIC = np.array([[1, 1, 1], [0, 0, 1]])


def released(train=TRAIN, synthetic=SYNTHETIC, distance="hamming", **more):
    return release_from_arrays(train=train, synthetic=synthetic, distance=distance, **more)


def refused(**arguments):
    with pytest.raises(InputError) as caught:
        released(**arguments)
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert str(PLANTED) not in text
    return text


def saved(path, array):
    np.save(path, array)
    return path


def bits(rows, width, seed=1):
    return np.random.default_rng(seed).integers(0, 2, (rows, width))


def test_rows_come_in_one_order_with_their_positions():
    release = released(np.array([[1, 0], [0, 1], [0, 0]]), SYNTHETIC[:, :2], distance="euclidean")
    assert release.train.matrix.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert release.train.positions.tolist() == [3, 2, 1]
    assert release.is_array
    assert release.columns == ()
    given = release_from_arrays(
        train=TRAIN, synthetic=SYNTHETIC, distance="euclidean", row_order=RowOrder.GIVEN
    )
    assert np.array_equal(given.train.matrix, TRAIN)
    assert given.train.positions.tolist() == [1, 2, 3, 4]


def test_facts_say_what_the_rows_are():
    facts = released(holdout=np.array([[True, True, False]])).facts
    assert facts.kind == "array"
    assert facts.columns == ()
    assert (facts.array.dimensions, facts.array.distance) == (3, "hamming")
    assert facts.array.stored == {"train": "int64", "holdout": "bool", "synthetic": "int64"}
    assert (facts.tables["train"].rows, facts.tables["train"].distinct_rows) == (4, 3)
    assert facts.tables["train"].columns == 3
    assert facts.holdout_overlap.rows == 0
    raw = released(distance="euclidean").facts.array
    assert "not standardised" in raw.treatment


def test_equal_rows_share_an_id_across_tables():
    ids = row_ids(released(holdout=np.array([[1, 0, 0], [1, 1, 1]])))
    assert ids["train"].tolist() == [0, 1, 1, 2]
    assert ids["synthetic"].tolist() == [0, 3]
    assert ids["holdout"].tolist() == [2, 3]


def test_negative_zero_is_zero():
    release = released(np.array([[0.0, 1.5], [-0.0, 1.5]]), np.ones((1, 2)), distance="euclidean")
    assert release.facts.tables["train"].distinct_rows == 1


@pytest.mark.parametrize("distance", ["hamming", "euclidean", "cosine"])
def test_stored_type_format_and_row_order_leave_no_trace(tmp_path, distance):
    numbers = bits(40, 70)
    numbers[:, 0] = 1  # no row of zeros
    shuffled = numbers[np.random.default_rng(2).permutation(40)]
    plain = released(numbers, numbers[:5], distance=distance)
    digest = plain.facts.tables["train"].content_sha256
    for kind in (np.int8, np.uint64, np.bool_, np.float16, ">f4", ">i2", np.float64):
        again = released(np.asfortranarray(shuffled.astype(kind)), numbers[:5], distance=distance)
        assert np.array_equal(again.train.matrix, plain.train.matrix)
        assert again.facts.tables["train"].content_sha256 == digest
    np.savez_compressed(tmp_path / "a.npz", some=shuffled.astype(np.float32))
    sources = {"train": tmp_path / "a.npz", "synthetic": saved(tmp_path / "b.npy", numbers[:5])}
    stored = read_arrays(sources, Distance(distance))
    assert np.array_equal(np.sort(matrix_ranks(stored["train"].matrix)), np.arange(40))
    assert stored["train"].sha256 != stored["synthetic"].sha256


def test_the_digest_depends_on_content_only():
    binary = {released(distance=name).facts.tables["train"].content_sha256
              for name in ("hamming", "euclidean")}  # fmt: skip
    assert len(binary) == 1
    other = TRAIN.copy()
    other[3, 2] = 1
    wider = np.hstack([TRAIN, np.zeros((4, 1), int)])
    numbers = TRAIN * 2.0
    for changed in (other, wider, numbers, TRAIN[:3]):
        synthetic = np.ones((1, changed.shape[1]))
        found = released(changed, synthetic, distance="euclidean")
        assert found.facts.tables["train"].content_sha256 not in binary


def test_packed_rows_keep_the_order_of_the_numbers():
    matrix = bits(300, 9)
    as_numbers = matrix_ranks(matrix.astype(np.float64))
    assert np.array_equal(matrix_ranks(packed_words(matrix)), as_numbers)
    _, expected = np.unique(matrix, axis=0, return_inverse=True)
    assert np.array_equal(as_numbers, expected.ravel())


def test_wide_arrays_are_kept_packed():
    wide = bits(60, 65_535).astype(np.int8)
    release = released(wide, wide[:3])
    assert release.train.matrix.nbytes == 60 * 8 * 1024
    assert release.facts.tables["train"].distinct_rows == 60


def test_take_keeps_rows_and_positions_together():
    train = released().train
    part = train.take(np.array([2, 0]))
    assert part.positions.tolist() == [train.positions[2], train.positions[0]]
    assert np.array_equal(part.matrix, train.matrix[[2, 0]])


def test_a_given_array_is_neither_kept_nor_changed():
    given = np.array([[0.5, 1.0], [0.25, 2.0]])
    before = given.copy()
    release = released(given, before, distance="euclidean")
    given[:] = 7
    assert release.train.matrix.tolist() == [[0.25, 2.0], [0.5, 1.0]]
    with pytest.raises(ValueError, match="read-only"):
        release.train.matrix[0, 0] = 1


def test_partial_views_have_no_columns_to_choose_from():
    assert released().restricted_to(()).is_array
    with pytest.raises(KeyError):
        released().restricted_to(["x"])


BAD = np.full((2, 2), PLANTED)
REFUSED = {
    "text": (np.array([["a", "b"]]), "hamming", "type str"),
    "objects": (np.array([[{}, 1]], object), "hamming", "type object"),
    "complex": (np.ones((2, 2), complex), "euclidean", "type complex128"),
    "dates": (np.array([["2020-01-01"]], "M8[D]"), "euclidean", "type datetime64"),
    "long doubles": (np.ones((2, 2), np.longdouble), "euclidean", "at most 64 bits"),
    "one dimension": (np.ones(3), "hamming", "has 1 dimensions and not 2"),
    "three dimensions": (np.ones((3, 1, 1)), "hamming", "has 3 dimensions and not 2"),
    "ragged": ([[1, 0], [1]], "hamming", "dimensions and not 2"),
    "no rows": (np.ones((0, 3)), "hamming", "has 0 rows and 3 columns"),
    "no columns": (np.ones((3, 0)), "hamming", "has 3 rows and 0 columns"),
    "missing": (np.array([[1, 2], [PLANTED, np.nan]]), "euclidean", "1, the first in row 2, col"),
    "infinite": (np.array([[np.inf, -np.inf]]), "cosine", "infinite: 2, the first in row 1, col"),
    "not 0 or 1": (np.array([[1, 0], [0, PLANTED]]), "hamming", "row 2, column 2"),
    "negative": (np.array([[1, 0], [-1, 0]]), "hamming", "row 2, column 1"),
    "zero row": (np.array([[1, 0], [0, 0]]), "cosine", "no direction: 1, the first is 2"),
    "huge": (BAD * 1e200, "euclidean", "too large or too small"),
    "tiny": (BAD * 1e-200, "cosine", "too large or too small"),
    "long integers": (np.array([[2**53 + 1, 1]]), "euclidean", "beyond 2**53"),
    "masked": (np.ma.masked_greater(BAD, 1), "euclidean", "masked"),
    "width": (np.ones((2, 3)), "euclidean", "has 2 columns, but train has 3"),
    "range": (np.full((2, 2), 9), "euclidean", "does not touch the range"),
    "distance": (TRAIN, "gower", "is not one of arrays"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_measured_is_refused(case):
    train, distance, words = REFUSED[case]
    text = refused(train=train, synthetic=np.ones((2, 2)), distance=distance)
    assert words in text
    assert "; " in text, "a remedy"


def test_all_problems_are_told_at_once():
    text = refused(
        train=np.ones((2, 3)),
        holdout=np.array([[np.nan]]),
        synthetic=np.ones((2, 2)),
        distance="cosine",
    )
    assert len(text.splitlines()) == 2
    assert "holdout" in text
    assert "2 columns, but train has 3" in text


def test_the_train_array_is_no_holdout():
    assert "the holdout is the train table" in refused(holdout=TRAIN[::-1])
    assert released(holdout=TRAIN[:1]).facts.holdout_overlap.rows == 1


def file_of(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def npy(tmp_path, array, **how):
    return saved(tmp_path / "made.npy", array, **how).read_bytes()


def broken_archive(tmp_path):
    path = tmp_path / "whole.npz"
    np.savez(path, a=bits(50, 50))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    return bytes(content)


def doubled_archive(tmp_path):
    path = tmp_path / "double.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", npy(tmp_path, TRAIN))
        archive.writestr("a", npy(tmp_path, TRAIN))
    return path.read_bytes()


def archive_of(tmp_path, **members):
    path = tmp_path / "archive.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.read_bytes()


def pickled(tmp_path):
    path = tmp_path / "objects.npy"
    np.save(path, np.array([[{"a": PLANTED}]], object), allow_pickle=True)
    return path.read_bytes()


BROKEN = {
    "empty.npy": (lambda _: b"", "is not a NumPy array"),
    "text.npy": (lambda _: b"1,2,3\n", "is not a NumPy array"),
    "pickle.npy": (pickled, "pickled"),
    "header.npy": (lambda t: npy(t, TRAIN)[:40], "damaged or cut short"),
    "short.npy": (lambda t: npy(t, TRAIN)[:-8], "damaged or cut short"),
    "long.npy": (lambda t: npy(t, TRAIN) * 2, "goes on behind the array"),
    "empty.npz": (lambda _: b"", "damaged or cut short"),
    "cut.npz": (lambda t: broken_archive(t)[:-30], "damaged or cut short"),
    "flipped.npz": (broken_archive, "damaged or cut short"),
    "doubled.npz": (doubled_archive, "two arrays in the file have one name"),
    "nothing.npz": (archive_of, "holds no array"),
    "other.npz": (lambda t: archive_of(t, readme=b"hello"), "is not a NumPy array"),
    "objects.npz": (lambda t: archive_of(t, **{"a.npy": pickled(t)}), "pickled"),
    "array.txt": (lambda _: b"1 0", "does not end in .npy or .npz"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_has_a_clear_message(tmp_path, name):
    make, words = BROKEN[name]
    path = file_of(tmp_path, name, make(tmp_path))
    with pytest.raises(InputError) as caught:
        read_arrays({"train": path}, Distance.HAMMING)
    problem = str(caught.value)
    assert problem.startswith(str(path))
    assert words in problem
    assert "; " in problem
    assert str(PLANTED) not in problem


def test_a_missing_file_and_a_folder(tmp_path):
    (tmp_path / "folder.npy").mkdir()
    sources = {"train": tmp_path / "gone.npy", "synthetic": tmp_path / "folder.npy"}
    with pytest.raises(InputError) as caught:
        read_arrays(sources, Distance.HAMMING)
    assert [p.message for p in caught.value.problems] == [
        "there is no such file",
        "this is a folder",
    ]


@pytest.fixture
def folder(tmp_path):
    saved(tmp_path / "t.npy", TRAIN.astype(np.int8))
    np.savez(tmp_path / "two.npz", real=np.array([[1, 0, 1]]), other=SYNTHETIC)
    np.savez(tmp_path / "one.npz", SYNTHETIC)
    return tmp_path


def written(folder, data, **more):
    content = {"privgate": "release/v1", "name": "genomes", "data": data, **more}
    path = folder / "release.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


DATA = {
    "kind": "array",
    "distance": "hamming",
    "train": {"path": "t.npy"},
    "holdout": {"path": "two.npz", "array": "real"},
    "synthetic": {"path": "one.npz"},
}


def test_a_release_file_of_arrays(folder):
    context = {"purpose": "research"}
    release = load_release(written(folder, DATA, unit="haplotype", context=context))
    assert release.distance is Distance.HAMMING
    assert (release.facts.name, release.facts.unit) == ("genomes", "haplotype")
    assert release.facts.context == context
    assert release.facts.tables["holdout"].format == "npz"
    assert release.facts.tables["train"].file == "t.npy"
    same = released(holdout=np.array([[1, 0, 1]])).facts.tables
    for name, table in release.facts.tables.items():
        assert table.content_sha256 == same[name].content_sha256


@pytest.mark.parametrize(
    ("changes", "more", "words"),
    [
        ({"distance": "gower"}, {}, "data.distance: 'gower' is not one of 'hamming'"),
        ({"distance": None}, {}, "data.distance"),
        ({"train": {"path": "t.csv"}}, {}, "data.train: an array is in a file that ends in"),
        ({"train": {"path": "t.npy", "array": "a"}}, {}, "'array' names one of the arrays of an"),
        ({"train": {"path": "t.npy", "separator": ";"}}, {}, "unknown key 'separator'"),
        ({"holdout": {"path": "two.npz"}}, {}, "holds several arrays: 'other', 'real'"),
        ({"holdout": {"path": "two.npz", "array": "rael"}}, {}, "did you mean 'real'?"),
        ({"kind": "arrays"}, {}, "data.kind: 'arrays' is not one of 'table' or 'array'"),
        ({}, {"columns": {}}, "an array release has no columns"),
        ({}, {"correspondence": {"key": "x"}}, "correspondence"),
        ({}, {"correspondence": "same_order"}, "2 synthetic rows, but 4 train rows"),
    ],
)
def test_problems_of_a_release_file_of_arrays(folder, changes, more, words):
    with pytest.raises(InputError) as caught:
        load_release(written(folder, DATA | changes, **more))
    assert words in str(caught.value)


def test_problems_of_all_files_are_told_at_once(folder):
    data = DATA | {"train": {"path": "gone.npy"}, "synthetic": {"path": "gone.npz"}}
    with pytest.raises(InputError) as caught:
        load_release(written(folder, data))
    assert len(caught.value.problems) == 2
