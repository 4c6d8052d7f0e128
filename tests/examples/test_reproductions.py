"""The scripts in examples/reproduce, on tiny data; their real runs are in docs/reproductions.md."""

from __future__ import annotations

import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from privgate.encoding import binary_space
from privgate.learners import Attacker
from privgate.neighbors import Neighbours

ROOT = Path(__file__).parents[2]
REPRODUCE = ROOT / "examples" / "reproduce"
PAGE = ROOT / "docs" / "reproductions.md"
MODULES = (
    *("pages", "published", "simulation", "cart_synthesis", "rapid_attack", "rapid_simulation"),
    *("rapid_adult", "copies", "copy_maps", "copy_tables", "privet_copies"),
)
LOCI = 4000
NEED_DATA = ("rapid_adult", "privet_copies")


@pytest.fixture(scope="module")
def scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPRODUCE))
        yield SimpleNamespace(**{name: import_module(name) for name in MODULES})
        for name in MODULES:
            sys.modules.pop(name)


@pytest.fixture
def panel(tmp_path):
    """A file of haplotypes: recombinations of a few ancestors, with mutations."""
    draw = np.random.default_rng(1)
    ancestors = draw.integers(0, 2, (40, LOCI)).astype(np.uint8)
    blocks = np.repeat(draw.integers(0, 40, (300, LOCI // 80)), 80, axis=1)
    matrix = ancestors[blocks, np.arange(LOCI)] ^ (draw.random((300, LOCI)) < 0.2)
    file = tmp_path / "haplotypes.npz"
    np.savez(file, bits=np.packbits(matrix.astype(np.uint8), axis=1), n_snps=LOCI)
    return file


@pytest.fixture
def small(scripts, monkeypatch):
    """The known panels with parts of 100 rows, which the drawn file has."""
    own = scripts.copies.Panel("kgp-805", 100, 0.0, ((80, 110), (110, 80)), 100)
    monkeypatch.setitem(scripts.copies.PANELS, "kgp-805", own)
    monkeypatch.setattr(scripts.privet_copies, "FEW_ROWS", 40)
    monkeypatch.setattr(scripts.privet_copies, "FRONT_STEPS", (0.1, 0.2))
    return own


def parts_of(scripts, file, size=100):
    return scripts.copies.split(scripts.copies.haplotypes(file, 0.0), (size,) * 3, 0)


@pytest.mark.parametrize("name", [*NEED_DATA, "rapid_simulation"])
def test_every_script_says_what_it_takes(scripts, name, capsys):
    with pytest.raises(SystemExit) as left:
        getattr(scripts, name).main(["--help"])
    assert left.value.code == 0
    assert "--write" in capsys.readouterr().out


@pytest.mark.parametrize("name", NEED_DATA)
def test_without_its_data_a_script_says_where_to_get_them(scripts, name, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        getattr(scripts, name).main([str(tmp_path / "none")])
    assert left.value.code == 2
    message = capsys.readouterr().err
    assert "none is not there" in message
    assert "https://" in message


def test_a_script_runs_as_a_command_of_its_own():
    done = subprocess.run(
        [sys.executable, str(REPRODUCE / "privet_copies.py"), "nowhere.npz"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Debian package shapeit4-example" in done.stderr


def test_published_shares_fall_with_tau_and_rise_with_dependence(scripts):
    published = scripts.published
    shares = np.array(list(published.RAPID_SIMULATION.values()))
    assert shares.shape == (5, len(published.RAPID_TAUS))
    assert (np.diff(shares, axis=0) > 0).all()
    assert (np.diff(shares, axis=1) < 0).all()
    curve = list(published.ADULT_CURVE.items())
    assert curve == sorted(curve)
    assert (np.diff([share for _, share in curve]) < 0).all()
    assert min(published.ADULT_REPLICATES) < published.ADULT_CURVE[0.3] + 0.01
    assert np.mean(published.ADULT_REPLICATES) == pytest.approx(0.7208)


def test_published_counts_agree_with_their_recall_and_precision(scripts):
    published = scripts.published
    for (fake, _), one in published.PRIVET_COPIES.items():
        hits = one.recall * fake * published.PRIVET_ROWS
        assert one.npl == pytest.approx(hits / one.precision, rel=0.08)
    for earlier in published.COPIES_BEFORE["kgp-805"].values():
        for name, value in earlier.items():
            if name.endswith(("recall", "precision")):
                assert math.isnan(value) or 0 <= value <= 1
            elif name == "npl":
                assert 0 <= value <= 320
    assert set(published.PRIVET_COPIES) <= set(published.COPIES_BEFORE["kgp-chr20"])


def test_a_table_marks_what_misses_its_band(scripts):
    pages = scripts.pages
    assert pages.within(0.5, 0.45, 0.05) == "yes"
    assert pages.within(0.5, 0.44, 0.05) == "**no**"
    assert pages.within(float("nan"), 0.44, 0.05) == "**no**"
    assert pages.number(-0.0004) == "0.000"
    assert pages.number(-0.25, 1) == "−0.2"
    assert pages.number(float("nan")) == "–"
    assert pages.table(["a", "b"], [["1", "2"]]) == "| a | b |\n| -- | -- |\n| 1 | 2 |\n"


def test_a_section_of_the_page_is_replaced_and_nothing_else(scripts, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n<!-- x: generated -->\nold\n<!-- end of x -->\nrest\n", "utf-8")
    scripts.pages.publish("x", "new\n\n", write=True, page=page)
    assert page.read_text("utf-8") == ("# A\n<!-- x: generated -->\nnew\n<!-- end of x -->\nrest\n")
    with pytest.raises(ValueError, match="no section y"):
        scripts.pages.publish("y", "new", write=True, page=page)


def test_the_simulated_study_prints_every_published_share(scripts, capsys, monkeypatch):
    monkeypatch.setattr(scripts.rapid_simulation, "ATTACKERS", (Attacker.CART,))
    monkeypatch.setattr(scripts.rapid_simulation, "FOREST", Attacker.CART)
    given = ["--replicates", "2", "--rows", "200", "--refits", "2"]
    assert scripts.rapid_simulation.main(given) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.endswith(("yes |", "**no** |"))]) >= 20
    assert any(line.startswith("| `cart` | 0.876 |") for line in lines)


def adult_file(folder, rows=300, *, headed):
    draw = np.random.default_rng(2)
    income = draw.random(rows) < 0.3
    table = pd.DataFrame(
        {
            "age": draw.integers(18, 80, rows),
            "workclass": draw.choice(["Private", "?"], rows),
            "fnlwgt": draw.integers(1, 9, rows),
            "education": "none",
            "education_num": np.where(income, 12, 8) + draw.integers(0, 3, rows),
            **{name: draw.choice(["a", "b"], rows) for name in ADULT_LEVELS},
            **{name: draw.integers(0, 50, rows) for name in ADULT_NUMBERS},
            "native_country": "x",
            "income": np.where(income, ">50K", "<=50K"),
        }
    )
    file = folder / "adult.data"
    lines = table.to_csv(index=False, header=headed).replace(",", "," if headed else ", ")
    file.write_text(lines, "utf-8")
    return file


ADULT_LEVELS = ("marital_status", "occupation", "relationship", "race", "sex")
ADULT_NUMBERS = ("capital_gain", "capital_loss", "hours_per_week")


@pytest.mark.parametrize("headed", [True, False])
def test_adult_is_read_as_published_and_with_a_header(scripts, tmp_path, headed):
    people = scripts.rapid_adult.adults(adult_file(tmp_path, headed=headed))
    assert people.shape == (300, 13)
    assert set(people["income"]) == {"<=50K", ">50K"}
    assert people["workclass"].isna().any()
    assert pd.api.types.is_numeric_dtype(people["age"])


def test_a_file_with_other_columns_is_refused(scripts, tmp_path, capsys):
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(SystemExit) as left:
        scripts.rapid_adult.main([str(file)])
    assert left.value.code == 2
    assert "has 2 columns instead of 15" in capsys.readouterr().err


def test_the_adult_study_writes_its_tables_and_its_curve(scripts, tmp_path, capsys, monkeypatch):
    cheap = (Attacker.CART, Attacker.LIGHTGBM)
    monkeypatch.setattr(scripts.rapid_adult, "ATTACKERS", cheap)
    monkeypatch.setattr(scripts.rapid_adult, "FOREST", Attacker.CART)
    file = adult_file(tmp_path, headed=True)
    given = [str(file), "--rows", "200", "--replicates", "2", "--refits", "2"]
    assert scripts.rapid_adult.main([*given, "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.count("\n| 0.") == 10
    assert "0.719, 0.720, 0.721, 0.716, 0.728" in text
    assert "all within 0.64 … 0.81" in text
    drawn = ET.parse(tmp_path / "rapid-adult-curve.svg")  # noqa: S314 - our own output
    assert len(drawn.findall(".//{*}circle")) == 12


def test_copies_take_their_positions_from_the_nearest_train_row(scripts, panel):
    parts = parts_of(scripts, panel)
    leak = scripts.copies.Leak(0.1, 0.25)
    leaky = scripts.copies.with_copies(parts, leak, np.random.default_rng(0))
    assert leak.rows(100) == 10
    assert (leaky.synthetic[10:] == parts.synthetic[10:]).all()
    source = Neighbours(binary_space(parts.train, parts.synthetic)).synthetic_to_real
    nearest = parts.train[source.nearest(np.ones(100, bool)).index[:10]]
    changed = leaky.synthetic[:10] != parts.synthetic[:10]
    assert changed.any(axis=1).all()
    assert (leaky.synthetic[:10][changed] == nearest[changed]).all()
    assert changed.sum(axis=1).max() <= LOCI // 4
    whole = scripts.copies.with_copies(
        parts, scripts.copies.Leak(0.1, 1.0), np.random.default_rng(0)
    )
    assert (whole.synthetic[:10] == nearest).all()
    none = scripts.copies.with_copies(parts, scripts.copies.Leak(0, 0.5), np.random.default_rng(0))
    assert none is parts


def test_measures_see_planted_copies_in_the_rows_that_hold_them(scripts, panel):
    rng = np.random.default_rng(3)
    parts = parts_of(scripts, panel)
    clean = scripts.copies.measured(parts, 0, permutations=19, rng=rng)
    assert clean["npl_decimated"] == 0
    assert math.isnan(clean["npl_recall"])
    assert clean["p_pl"] > 0.05
    leaky = scripts.copies.with_copies(parts, scripts.copies.Leak(0.2, 1.0), rng)
    found = scripts.copies.measured(leaky, 20, permutations=19, rng=rng)
    assert found["npl_decimated"] == 20
    assert found["npl_decimated_recall"] == found["npl_decimated_precision"] == 1
    assert found["in_auth_recall"] == 1
    assert found["in_auth_shuffled"] == found["in_auth"]
    assert found["in_auth_shuffled_recall"] < 1
    assert found["p_pl"] == 0.05
    assert found["c_t"] < clean["c_t"] - 1
    assert found["privacy_loss"] > clean["privacy_loss"]


def test_what_names_nobody_has_no_precision_and_what_is_not_known_is_no_zero(scripts):
    nobody = scripts.copies.naming("npl", np.zeros(5, bool), 2)
    assert nobody["npl"] == nobody["npl_recall"] == 0
    assert math.isnan(nobody["npl_precision"])
    assert all(math.isnan(value) for value in scripts.copies.naming("npl", None, 2).values())
    assert math.isnan(scripts.copies.mean([{"npl": math.nan}], "npl"))
    assert scripts.copies.mean([{"npl": math.nan}, {"npl": 4.0}], "npl") == 4


def test_density_measures_take_positions_as_coordinates(scripts, panel):
    rng = np.random.default_rng(4)
    parts = parts_of(scripts, panel)
    leaky = scripts.copies.with_copies(parts, scripts.copies.Leak(0.4, 1.0), rng)
    clean, found = (
        scripts.copies.density_gaps(one, tessellations=5, rng=rng) for one in (parts, leaky)
    )
    assert found["fld"] < clean["fld"] - 1
    assert not math.isnan(found["pqmass"])


def test_few_distances_are_counted_but_said_to_be_not_applicable(scripts, panel):
    parts = parts_of(scripts, panel, size=30)
    found = scripts.copies.forced(parts, 0)
    assert found["applicable"] == 0
    assert found["npl"] >= 0
    assert scripts.copies.forced(parts_of(scripts, panel), 0)["applicable"] == 1


def test_more_rows_than_the_panel_has_are_refused(scripts, panel):
    matrix = scripts.copies.haplotypes(panel, 0.0)
    with pytest.raises(ValueError, match="330 rows are asked for, the panel has 300"):
        scripts.copies.split(matrix, (110, 110, 110), 0)


@pytest.mark.parametrize("named", ["bits", "other"])
def test_a_file_without_such_haplotypes_is_refused(scripts, tmp_path, capsys, named):
    file = tmp_path / "few.npz"
    np.savez(file, n_snps=8, **{named: np.zeros((5, 1), np.uint8)})
    with pytest.raises(SystemExit) as left:
        scripts.privet_copies.main([str(file)])
    assert left.value.code == 2
    expected = "holds 5 haplotypes, kgp-805 needs 960" if named == "bits" else "no haplotypes"
    assert expected in capsys.readouterr().err


def test_the_grid_is_that_of_the_paper(scripts):
    leaks = scripts.copy_maps.grid(3)
    assert leaks[0] == (0.001, 0.001)
    assert leaks[-1] == (0.4, 0.2)
    assert set(scripts.published.PRIVET_COPIES) <= set(leaks)
    assert set(leaks) <= set(scripts.copy_maps.grid(7))


@pytest.mark.usefixtures("small")
def test_the_copy_experiment_writes_tables_and_heat_maps(scripts, panel, tmp_path, capsys):
    given = [str(panel), "--splits", "1", "--steps", "3", "--permutations", "3"]
    given += ["--tessellations", "2", "--out", str(tmp_path / "maps")]
    assert scripts.privet_copies.main(given) == 0
    text = capsys.readouterr().out
    assert "| 20 % × 20 % |" in text
    assert "/ 122 |" in text
    assert "| 80 | 110 |" in text
    maps = sorted((tmp_path / "maps").iterdir())
    every = (*scripts.copy_maps.MAPS, *scripts.copy_maps.SLOW_MAPS)
    assert len(maps) == len(every)
    drawn = ET.parse(tmp_path / "maps" / "kgp-805-npl-share.svg")  # noqa: S314 - our own output
    assert len(drawn.findall(".//{*}rect")) == 9
    assert text.count("](reproductions/kgp-805-") == len(every)


def test_a_part_of_the_studies_is_not_written_into_the_page(scripts, panel, capsys):
    with pytest.raises(SystemExit) as left:
        scripts.privet_copies.main([str(panel), "--study", "few", "--write"])
    assert left.value.code == 2
    assert "--write needs all studies" in capsys.readouterr().err


def test_the_page_holds_every_study_and_its_pictures_are_small():
    text = PAGE.read_text("utf-8")
    for name in ("rapid-simulation", "rapid-adult", "privet-kgp-805", "privet-kgp-chr20"):
        own = text.partition(f"<!-- {name}: generated -->")[2].partition("<!-- end of")[0]
        assert own.count("\n| ") > 5, name
    pictures = sorted((PAGE.parent / "reproductions").glob("*.svg"))
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 100_000
        assert f"(reproductions/{picture.name})" in text
