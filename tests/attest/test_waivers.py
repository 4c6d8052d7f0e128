"""Whether a stored verdict that rests on waivers is judged again with those and no others."""

import json
from datetime import UTC, date, datetime

import pytest

from privgate.attest import MANIFEST, verify_folder
from privgate.dossier import write_dossier
from privgate.engine import assess
from privgate.errors import IntegrityError
from privgate.evidence import canonical_bytes, digest
from privgate.metrics import all_metrics
from privgate.policy import Waiver, open_document, policy_from_text, waivers_of
from privgate.policy.verdict import Outcome, Verdict

POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.0001}, rationale: test,
     source: {kind: house, ref: test}}
"""
CREATED = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)


def waiver(release, **changes):
    given = {
        "rule": "copies",
        "reason": "too few records to show so small a share",
        "approved_by": "A. Example",
        "granted": date(2026, 1, 1),
        "expires": date(2026, 1, 31),
        "release_sha256": release.facts.tables["synthetic"].sha256,
    }
    return Waiver(**given | changes)


@pytest.fixture(scope="module")
def assessment(survey_release):
    policy = open_document(policy_from_text(POLICY).document, all_metrics())
    listed = [waiver(survey_release), waiver(survey_release, rule="unknown")]
    return assess(survey_release, policy, created=CREATED, waivers=listed)


def stored(folder, evidence, verdict):
    files = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    write_dossier(folder, files, evidence, verdict)
    return folder


def test_a_release_is_met_with_a_waiver_and_verified_after_it_expired(assessment, tmp_path):
    assert assessment.verdict.outcome is Outcome.MET
    assert assessment.verdict.rules[0].waiver.finding == "not_assessed"
    assert [told.counted for told in assessment.verdict.waivers] == [True, False]
    folder = stored(tmp_path / "out", assessment.evidence, assessment.verdict)
    manifest = verify_folder(folder, all_metrics())
    assert manifest.waived == ("copies",)
    assert manifest.waivers_sha256 == assessment.verdict.waivers_file.sha256


def test_waivers_change_no_evidence_and_expire_with_the_day_of_the_run(assessment, survey_release):
    policy = open_document(policy_from_text(POLICY).document, all_metrics())
    listed = [waiver(survey_release)]
    plain = assess(survey_release, policy, created=CREATED)
    assert canonical_bytes(plain.evidence) == canonical_bytes(assessment.evidence)
    assert plain.verdict.outcome is Outcome.NOT_ASSESSED
    later = datetime(2026, 2, 1, tzinfo=UTC)
    expired = assess(survey_release, policy, created=later, waivers=listed)
    assert expired.verdict.outcome is Outcome.NOT_ASSESSED


def forge_a_waiver(verdict):
    """Return a verdict whose file lists a waiver for which nobody judged."""
    given = json.loads(verdict.waivers_file.text)
    text = waivers_of([Waiver.model_validate(w) for w in given["waivers"][:1]]).document.text
    file = verdict.waivers_file.model_copy(update={"text": text})
    return verdict.model_copy(update={"waivers_file": file})


FORGERIES = {
    "another list": forge_a_waiver,
    "a later day": lambda verdict: verdict.model_copy(
        update={"waivers_file": verdict.waivers_file.model_copy(update={"day": date(2026, 1, 2)})}
    ),
    "no file": lambda verdict: verdict.model_copy(update={"waivers_file": None}),
    "no list": lambda verdict: verdict.model_copy(update={"waivers": ()}),
    "one that did not count": lambda verdict: verdict.model_copy(
        update={"waivers": tuple(w.model_copy(update={"counted": True}) for w in verdict.waivers)}
    ),
    "another approver": lambda verdict: verdict.model_copy(
        update={
            "rules": tuple(
                rule.model_copy(
                    update={"waiver": rule.waiver.model_copy(update={"approved_by": "B"})}
                )
                for rule in verdict.rules
            )
        }
    ),
    "met in place of waived": lambda verdict: verdict.model_copy(
        update={
            "rules": tuple(
                rule.model_copy(update={"outcome": Outcome.MET, "waiver": None})
                for rule in verdict.rules
            )
        }
    ),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_waiver_is_found(assessment, tmp_path, forge):
    folder = stored(tmp_path / "out", assessment.evidence, forge(assessment.verdict))
    with pytest.raises(IntegrityError, match="gives another verdict"):
        verify_folder(folder, all_metrics())


def test_a_manifest_that_hides_the_waiver_is_found(assessment, tmp_path):
    folder = stored(tmp_path / "out", assessment.evidence, assessment.verdict)
    content = json.loads((folder / MANIFEST).read_bytes()) | {"waived": []}
    del content["self_sha256"]
    (folder / MANIFEST).write_bytes(canonical_bytes(content | {"self_sha256": digest(content)}))
    with pytest.raises(IntegrityError, match="states another outcome"):
        verify_folder(folder, all_metrics())


def test_a_folder_from_before_waivers_still_holds(survey_release, tmp_path):
    policy = open_document(policy_from_text(POLICY).document, all_metrics())
    plain = assess(survey_release, policy, created=CREATED)
    folder = stored(tmp_path / "out", plain.evidence, plain.verdict)
    verdict = json.loads((folder / "verdict.json").read_bytes())
    manifest = json.loads((folder / MANIFEST).read_bytes())
    del verdict["waivers"], verdict["waivers_file"]
    del manifest["waived"], manifest["waivers_sha256"], manifest["self_sha256"]
    (folder / "verdict.json").write_bytes(canonical_bytes(verdict))
    manifest["files"]["verdict.json"] = digest(verdict)
    (folder / MANIFEST).write_bytes(canonical_bytes(manifest | {"self_sha256": digest(manifest)}))
    assert verify_folder(folder, all_metrics()).waived == ()
    assert Verdict.model_validate(verdict) == plain.verdict
