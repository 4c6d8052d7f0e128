import pickle

import pytest

from privgate.errors import InputError
from privgate.evidence import PlantedLeak, PowerStudy
from privgate.executors import Serial
from privgate.report import MOST_BYTES, power_page
from privgate.testing.samples import survey_release
from privgate.trials import PowerPlan, measure_power

PLAN = PowerPlan(shares=(0.01, 0.2), fields=(1.0,), trials=3)


@pytest.fixture(scope="module")
def release():
    return survey_release(150)


@pytest.fixture(scope="module")
def study(release, policy):
    return measure_power(release, policy, PLAN)


def test_a_large_copy_is_caught_and_a_single_one_is_not(study):
    assert study.unplanted.caught == {"no-copies": 0, "nearness": 0}
    found = {(leak.share, leak.perturbed): leak for leak in study.planted}
    assert found[0.2, False].records == 30
    assert found[0.2, False].caught["no-copies"] == found[0.2, False].stopped == 3
    assert found[0.01, False].stopped == 0
    assert found[0.2, True].caught["no-copies"] == 0  # moved numbers make no identical rows
    assert study.smallest((1.0, False), None, rate=0.95) == found[0.2, False]
    assert study.smallest((1.0, True), "no-copies", rate=0.8) is None


def test_an_advisory_rule_catches_but_does_not_stop(study):
    leak = study.of_kind((1.0, True))[-1]
    assert leak.caught["nearness"] >= 0
    assert leak.stopped == leak.caught["no-copies"]


def test_the_same_release_and_policy_give_the_same_study(release, policy, study):
    assert measure_power(release, policy, PLAN, jobs=2) == study
    assert measure_power(release, policy, PLAN, seed=1).seed_source == "given"


def test_trials_are_small_parts_of_a_task_that_can_be_sent(release, policy, study):
    seen = []

    class Sends:
        jobs = 1

        def map(self, task, shared, parts):
            own = pickle.loads(pickle.dumps(shared))
            for part in parts:
                sent = pickle.dumps(part)
                seen.append((task.__name__, len(sent)))
                yield pickle.loads(pickle.dumps(task(own, pickle.loads(sent))))

        def __reduce__(self):
            return Serial, ()

    assert measure_power(release, policy, PLAN, executor=Sends()) == study
    trials = [size for name, size in seen if name == "_made"]
    assert len(trials) == 10, "all but the first of each of five kinds"
    assert max(trials) < 2000


def test_an_interrupted_study_goes_on_with_the_same_result(release, policy, study, tmp_path):
    kept = tmp_path / "kept.jsonl"

    class InterruptedStudyError(Exception):
        pass

    class Stops:
        done = 0

        def started(self, stages):
            self.stages = stages

        def stage(self, title):
            self.title = title
            self.done += 1
            if self.done == 8:
                raise InterruptedStudyError

        def part(self, done, parts):
            pass

        def finished(self):
            pass

    with pytest.raises(InterruptedStudyError):
        measure_power(release, policy, PLAN, kept=kept, progress=Stops())
    lines = kept.read_text().splitlines()
    assert len(lines) == 1 + 7
    kept.write_text("\n".join([*lines[:-1], lines[-1][:40]]))  # cut short while being written
    assert measure_power(release, policy, PLAN, kept=kept) == study
    assert len(kept.read_text().splitlines()) == 1 + 15


def test_trials_of_another_study_are_refused_and_kept(release, policy, tmp_path):
    kept = tmp_path / "kept.jsonl"
    kept.write_text('{"study": "another"}\n')
    with pytest.raises(InputError, match="another release, policy or choice"):
        measure_power(release, policy, PLAN, kept=kept)
    assert kept.read_text() == '{"study": "another"}\n'


@pytest.mark.parametrize(
    "wrong",
    [{"shares": (0.0,)}, {"shares": (1.2,)}, {"fields": (-1.0,)}, {"trials": 0}, {"shares": ()}],
)
def test_an_impossible_plan_is_refused(wrong):
    with pytest.raises(InputError):
        PowerPlan(**wrong)


def leak(share, caught, *, fields=1.0, perturbed=False):
    return PlantedLeak(
        share=share,
        fields=fields,
        perturbed=perturbed,
        records=round(1000 * share),
        trials=20,
        caught={"copies": caught},
        stopped=caught,
    )


def invented(unplanted, *planted):
    return PowerStudy(
        release="r",
        tables={},
        policy="p",
        policy_version="1.0.0",
        policy_sha256="0" * 64,
        seed=1,
        seed_source="derived",
        tool="privgate",
        rules={"copies": "blocking"},
        unplanted=leak(0, unplanted),
        planted=planted,
    )


def test_the_smallest_leak_is_one_above_which_all_are_caught():
    study = invented(0, leak(0.01, 20), leak(0.02, 10), leak(0.05, 17), leak(0.1, 19))
    assert study.smallest((1.0, False), None, rate=0.95).share == 0.1
    assert study.smallest((1.0, False), "copies", rate=0.8).share == 0.05
    assert study.smallest((1.0, False), None, rate=1.0) is None


def test_the_page_says_what_was_caught_and_what_was_not():
    page = power_page(invented(0, leak(0.01, 3), leak(0.05, 20), leak(0.05, 0, perturbed=True)))
    assert "from 5% of the records on (50)" in page
    assert "not up to 5% of the records" in page
    assert "Copied verbatim" in page


def test_a_page_of_many_rules_is_cut_and_says_where_all_are():
    rules = [f"rule-{i}-{'x' * 2000}" for i in range(1000)]
    found = invented(0, leak(0.05, 20))
    caught = {"caught": dict.fromkeys(rules, 20)}
    study = found.model_copy(
        update={
            "rules": dict.fromkeys(rules, "blocking"),
            "unplanted": found.unplanted.model_copy(update={"caught": dict.fromkeys(rules, 0)}),
            "planted": tuple(it.model_copy(update=caught) for it in found.planted),
        }
    )
    page = power_page(study)
    assert len(page.encode()) < MOST_BYTES / 4
    assert "of 1,001 rows shown; all are in power.json." in page


def test_a_policy_that_a_release_breaks_anyhow_has_no_smallest_leak():
    page = power_page(invented(20, leak(0.05, 20)))
    assert "violated without a planted leak in 100.0% of the trials" in page
