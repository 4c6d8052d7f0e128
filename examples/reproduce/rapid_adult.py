"""RAPID's study of UCI Adult: who can have their income guessed from a release made by trees.

``python rapid_adult.py PATH`` takes the 32,561 people of ``adult.data`` of the UCI Machine Learning
Repository, https://archive.ics.uci.edu/dataset/2/adult (doi 10.24432/C5XW20, CC BY 4.0), as they
are there or with a header and compressed. It prints the tables and writes the curve as a picture;
``--write`` puts both into ``docs/reproductions.md``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from cart_synthesis import synthesised
from pages import PAGE, PICTURES, number, publish, require, table, within
from published import ADULT_BEFORE, ADULT_CURVE, ADULT_HALVES_BEFORE, ADULT_REPLICATES
from rapid_attack import achieved, null_levels

from privgate.data import release_from_frames
from privgate.evidence import Chart, Series
from privgate.learners import Attacker
from privgate.report.numbers import ENGLISH
from privgate.report.svg import PictureSize, chart_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapid_attack import Achieved

    from privgate.data import Release

SOURCE = (
    "Get adult.data of the UCI Machine Learning Repository, "
    "https://archive.ics.uci.edu/dataset/2/adult, and give its path."
)
NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation"),
    *("relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week"),
    *("native_country", "income"),
)
LEFT_OUT = ["fnlwgt", "education"]
CLASSES = ("<=50K", ">50K")
TAUS = tuple(ADULT_CURVE)
FOREST = Attacker.RANDOM_FOREST
ATTACKERS = (FOREST, Attacker.LIGHTGBM, Attacker.LOGISTIC)
FRACTION_BAND = (0.69, 0.76)
CURVE_BAND = 0.05
PEOPLE = 32_561
WIDER = 0.05  # every band, for a part of the people
ANOTHER = "another implementation, forest"

Found = dict[Attacker, "list[Achieved]"]
PICTURE = "rapid-adult-curve.svg"


def adults(file: Path) -> pd.DataFrame:
    """Return the people of Adult without the columns that the study leaves out.

    Raises
    ------
    SystemExit
        With exit code 2, if the file has other columns.
    """
    first = pd.read_csv(file, header=None, nrows=1, skipinitialspace=True)
    if first.shape[1] != len(NAMES):
        sys.stderr.write(f"{file} has {first.shape[1]} columns instead of {len(NAMES)}. {SOURCE}\n")
        raise SystemExit(2)
    headed = int(str(first.iloc[0, 0]) == NAMES[0])
    people = pd.read_csv(
        file, header=None, names=NAMES, skiprows=headed, skipinitialspace=True, na_values="?"
    )
    return people.drop(columns=LEFT_OUT)


def release_of(
    train: pd.DataFrame, rng: np.random.Generator, holdout: pd.DataFrame | None = None
) -> Release:
    """Return a release by sequential trees; income is sensitive, all else is known to attackers."""
    columns = {
        name: {
            "type": "numeric" if pd.api.types.is_numeric_dtype(train[name]) else "categorical",
            "role": "sensitive" if name == "income" else "quasi_identifier",
        }
        for name in train
    }
    return release_from_frames(
        train=train, holdout=holdout, synthetic=synthesised(train, rng), columns=columns
    )


def replicated(people: pd.DataFrame, replicates: int, jobs: int) -> Found:
    """Return what each attacker achieves against several releases of the same people."""
    found: Found = {attacker: [] for attacker in ATTACKERS}
    for replicate in range(replicates):
        sys.stderr.write(f"release {replicate + 1} of {replicates}\n")
        release = release_of(people, np.random.default_rng([9, replicate]))
        for attacker, own in found.items():
            own.append(achieved(release, attacker, taus=TAUS, seed=replicate, jobs=jobs))
    return found


def curve_table(found: Found, band: float) -> str:
    """Return the published curve, and that of each attacker beside it."""
    curves = {
        attacker: np.mean([one.curve for one in own], axis=0) for attacker, own in found.items()
    }
    rows = []
    for place, (tau, theirs) in enumerate(ADULT_CURVE.items()):
        forest = float(curves[FOREST][place])
        rows.append(
            [
                *(f"{tau:g}", number(theirs), number(forest), number(forest - theirs)),
                within(forest, theirs, band) if tau <= 0.9 else "–",
                *(number(float(curves[attacker][place])) for attacker in ATTACKERS[1:]),
            ]
        )
    head = ["tau", "published", "`random_forest`", "difference", f"within ± {band:g}"]
    return table([*head, *(f"`{attacker}`" for attacker in ATTACKERS[1:])], rows)


def attacker_table(found: Found, low: float, high: float) -> str:
    """Return each attacker's share at tau 0.3, over the releases and by class, and accuracy."""
    published = ", ".join(number(share) for share in ADULT_REPLICATES)
    before = [number(ADULT_BEFORE[of]) for of in (*CLASSES, "accuracy")]
    rows = [["published, random forest", published, "yes", "–", "–", "–"]]
    rows.append([ANOTHER, number(ADULT_BEFORE["at risk"]), "yes", *before])
    for attacker, own in found.items():
        shares = [one.at_risk for one in own]
        rows.append(
            [
                *(f"`{attacker}`", ", ".join(number(share) for share in shares)),
                "yes" if all(low <= share <= high for share in shares) else "**no**",
                *(number(float(np.mean([one.by_class[of] for one in own]))) for of in CLASSES),
                number(float(np.mean([one.accuracy for one in own]))),
            ]
        )
    head = ["attacker", "at risk at tau 0.3, by release", f"all within {low:g} … {high:g}"]
    return table([*head, *(f"class `{of}`" for of in CLASSES), "accuracy"], rows)


def halves_table(people: pd.DataFrame, refits: int, jobs: int) -> str:
    """Return the null level and the gap where half of the people are behind the release."""
    rng = np.random.default_rng(10)
    order, middle = rng.permutation(len(people)), len(people) // 2
    release = release_of(people.iloc[order[:middle]], rng, people.iloc[order[middle:]])
    rows = [[ANOTHER, *(number(share) for share in ADULT_HALVES_BEFORE)]]
    for attacker in ATTACKERS:
        sys.stderr.write(f"null level of {attacker}\n")
        one = achieved(release, attacker, taus=TAUS, seed=1, jobs=jobs)
        null = null_levels(
            release, attacker, refits=refits, rng=np.random.default_rng(11), jobs=jobs
        )
        shares = (one.at_risk, one.holdout, one.gap, float(np.mean(null)))
        rows.append([f"`{attacker}`", *(number(share) for share in shares)])
    return table(["attacker", "train", "holdout", "gap", "null level"], rows)


def picture(found: Found) -> str:
    """Return published points and own curve as a picture."""
    own = np.mean([one.curve for one in found[FOREST]], axis=0)
    title = "People of Adult at risk, by tau: published (points) and ours (line), random forest"
    chart = Chart(
        kind="points",
        title=title,
        x_label="tau, the normalised gain required",
        y_label="share of people at risk",
        x=TAUS,
        series=(
            Series(name="published", y=tuple(ADULT_CURVE.values())),
            Series(name="ours", y=tuple(float(share) for share in own)),
        ),
        caption=title,
    )
    return chart_picture(
        chart,
        identity="rapid-adult",
        description=f"{title}. The numbers are in the table beside.",
        shares=False,
        y_label=chart.y_label,
        style=ENGLISH,
        size=PictureSize.WIDE,
    )


def main(arguments: Sequence[str]) -> int:
    """Run the study, print its tables and write its picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="adult.data, or the same with a header")
    parser.add_argument("--rows", type=int, help="take so many people, drawn at random")
    parser.add_argument("--replicates", type=int, default=5, help="releases of the same people")
    parser.add_argument("--refits", type=int, default=5, help="refits on permuted classes")
    parser.add_argument("--jobs", type=int, default=1, help="threads; they change no figure")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the picture")
    parser.add_argument("--write", action="store_true", help="put all into the page of results")
    given = parser.parse_args(arguments)
    require(given.path, SOURCE)
    people = adults(given.path)
    if given.rows is not None:
        people = people.sample(min(given.rows, len(people)), random_state=11)
    wider = WIDER * (len(people) < PEOPLE)
    low, high = FRACTION_BAND
    found = replicated(people, given.replicates, given.jobs)
    folder = PAGE.parent / PICTURES if given.write else given.out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PICTURE).write_text(picture(found) + "\n", encoding="utf-8")
    text = "\n".join(
        [
            f"{len(people):,} people, {given.replicates} releases.\n",
            f"![Curve of Adult: published points and our line]({PICTURES}/{PICTURE})\n",
            curve_table(found, CURVE_BAND + wider),
            attacker_table(found, low - wider, high + wider),
            f"One half behind the release, the other as holdout; {given.refits} refits:\n",
            halves_table(people, given.refits, given.jobs),
        ]
    )
    publish("rapid-adult", text, write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
