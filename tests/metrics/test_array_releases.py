"""Real arrays through the whole path: files, release, policy, verdict."""

from __future__ import annotations

import json

import numpy as np
import pytest

from privgate.data import load_release, release_from_arrays
from privgate.engine import assess
from privgate.metrics import Inputs, all_metrics
from privgate.policy import Limit, Policy, Rule, Source, bind

PUBLISHED = {"fit": "ols_tail", "rescale": "none", "permutations": 0}
# Share of leaky records, share of copied positions: sums of distances to train and holdout, NPL,
# PL, recall, decimated NPL.
GOLDEN = {
    (0, 0): (75385, 75593, 6, -0.248040, None, 0),
    (0.05, 0.2): (74606, 75540, 52, -0.934090, 0.562, 1),
    (0.05, 0.5): (73445, 75535, 85, -4.139273, 1, 16),
    (0.2, 0.1): (73895, 75505, 95, -2.340471, 0.469, 0),
    (0.2, 0.2): (72354, 75439, 131, -9.348746, 0.891, 1),
    (0.4, 0.2): (69353, 75255, 194, -35.789972, 0.984, 1),
    (0.2, 1.0): (60103, 74867, 141, -66.989523, 1, 64),
}


@pytest.fixture(scope="module")
def haplotypes(shared):
    stored = np.load(shared / "data" / "kgp-805" / "haplotypes.npz")
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    order = np.argsort(389 * np.arange(961) % 961)
    return [matrix[order[start : start + 320]] for start in (0, 320, 640)]


def with_leaks(train, synthetic, f_fake, f_copy):
    rows = np.arange(int(np.ceil(len(synthetic) * f_fake)))
    nearest = (synthetic[:, None, :] != train[None]).sum(axis=2).argmin(axis=1)
    mask = (7919 * np.arange(train.shape[1]) + 104729 * rows[:, None]) % 1000 < 1000 * f_copy
    copied = synthetic.copy()
    copied[rows] = np.where(mask, train[nearest[rows]], synthetic[rows])
    return copied


def stored_release(folder, train, holdout, synthetic, distance="hamming"):
    np.save(folder / "train.npy", train)
    np.savez_compressed(folder / "real.npz", holdout=holdout, other=train)
    np.save(folder / "synthetic.npy", synthetic.astype(np.float32))
    data = {
        "kind": "array",
        "distance": distance,
        "train": {"path": "train.npy"},
        "holdout": {"path": "real.npz", "array": "holdout"},
        "synthetic": {"path": "synthetic.npy"},
    }
    content = {"privgate": "release/v1", "name": "haplotypes", "data": data}
    (folder / "release.yaml").write_text(json.dumps(content), encoding="utf-8")
    return load_release(folder / "release.yaml")


@pytest.mark.parametrize("leak", GOLDEN)
def test_golden_table_through_files(haplotypes, tmp_path, leak):
    train, holdout, synthetic = haplotypes
    release = stored_release(tmp_path, train, holdout, with_leaks(train, synthetic, *leak))
    sum_u, sum_v, npl, loss, recall, decimated = GOLDEN[leak]
    inputs = Inputs(release=release)
    neighbours = inputs.neighbours()
    sums = [
        neighbours.synthetic_to_real.nearest(side).distance.sum()
        for side in (neighbours.train, neighbours.holdout)
    ]
    assert sums == [sum_u, sum_v]
    privet = all_metrics()["privet"]
    params = privet.params.model_validate(PUBLISHED)
    found = privet.measure(inputs, params, np.random.default_rng(0))
    assert found.figures["npl"].value == npl
    assert found.figures["pl"].value == pytest.approx(loss, abs=1e-6)
    assert found.figures["npl_decimated"].value == decimated
    if recall is not None:
        leaky = release.synthetic.positions <= np.ceil(320 * leak[0])
        flagged = found.records[0].scores["rank_score"] <= -3
        assert flagged[leaky].mean() == pytest.approx(recall, abs=1e-3)


def policy():
    def rule(identity, metric, measure, **limit):
        return Rule(
            id=identity,
            metric=metric,
            measure=measure,
            params={"permutations": 99} if metric == "privet" else {},
            require=Limit(**limit),
            source=Source(kind="house", ref="tests"),
            rationale="an example",
        )

    return bind(
        Policy(
            id="arrays",
            version="1.0.0",
            title="Arrays",
            rules=[
                rule("membership", "privet", "p_pl", above=0.01),
                rule("copies", "crp", "share", max=0.05),
                rule("near", "dcr", "share_nearer_train", max=0.65),
            ],
            requires={
                "holdout": True,
                "min_rows": {"train": 100, "holdout": 100, "synthetic": 100},
                "max_holdout_overlap": 0.05,
                "coverage": ["membership"],
            },
        ),
        all_metrics(),
    )


@pytest.mark.parametrize("distance", ["hamming", "euclidean", "cosine"])
def test_a_policy_without_distance_judges_arrays(tmp_path, distance):
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(6, 1500))

    def drawn(rows):
        points = centres[rng.integers(0, 6, rows)] + rng.normal(size=(rows, 1500))
        return (points > 0).astype(int) if distance == "hamming" else points

    parts = [drawn(150) for _ in range(3)]
    clean = assess(stored_release(tmp_path, *parts, distance), policy(), seed=1)
    assert clean.verdict.outcome == "met", clean.verdict.reasons
    leaky = parts[2].astype(np.float32).astype(np.float64)
    parts[0] = parts[0].astype(np.float32)
    leaky[:30] = parts[0][:30]
    found = assess(stored_release(tmp_path, *parts[:2], leaky, distance), policy(), seed=1)
    assert found.verdict.outcome == "violated"
    assert {rule.id for rule in found.verdict.rules if rule.outcome == "violated"} >= {
        "membership",
        "copies",
    }


def test_the_seed_follows_from_content_and_distance():
    rng = np.random.default_rng(6)
    parts = {name: rng.integers(0, 2, (120, 60)) for name in ("train", "holdout", "synthetic")}

    def seed(distance, kind=np.int64):
        stored = {name: rng.permutation(part).astype(kind) for name, part in parts.items()}
        release = release_from_arrays(**stored, distance=distance)
        return assess(release, policy()).evidence.run.seed

    assert seed("hamming") == seed("hamming", np.float32)
    assert len({seed("hamming"), seed("euclidean")}) == 2
