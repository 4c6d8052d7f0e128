"""Whether alterations of a stored check are found and named."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from privgate.attest import MANIFEST, read_manifest, verify_folder
from privgate.dossier import Format, dossier_files, require_free, write_dossier
from privgate.engine import assess
from privgate.errors import InputError, IntegrityError
from privgate.evidence import canonical_bytes, digest, document
from privgate.metrics import all_metrics
from privgate.policy import check, open_document, open_policy, policy_from_text
from privgate.policy.verdict import Outcome
from privgate.record_scores import record_files
from privgate.report import Audience

POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.05}, rationale: test,
     source: {kind: house, ref: test}}
"""


@pytest.fixture(scope="module")
def assessment(survey_release):
    policy = open_document(policy_from_text(POLICY).document, all_metrics())
    return assess(survey_release, policy, created=datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def folder(assessment, survey_release, tmp_path):
    files = dossier_files(
        assessment.evidence,
        assessment.verdict,
        formats={Format.HTML},
        audience=Audience.SHAREABLE,
    )
    files |= record_files(assessment.records, survey_release)
    write_dossier(tmp_path / "out", files, assessment.evidence, assessment.verdict)
    return tmp_path / "out"


def test_an_untouched_folder_holds(folder):
    manifest = verify_folder(folder, all_metrics())
    assert manifest.outcome == "met"
    assert set(manifest.files) >= {"evidence.json", "verdict.json", "report.html"}
    assert any(name.startswith("records/") for name in manifest.files)


def test_any_altered_byte_is_found_and_named(folder):
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            altered = bytearray(whole)
            altered[place] ^= 1
            path.write_bytes(altered)
            with pytest.raises(IntegrityError, match=path.name):
                verify_folder(folder, all_metrics())
        path.write_bytes(whole + b" ")
        with pytest.raises(IntegrityError, match=path.name):
            verify_folder(folder, all_metrics())
        path.write_bytes(whole)
    verify_folder(folder, all_metrics())


def test_missing_and_added_files_are_named(folder):
    (folder / "notes.txt").write_text("hello")
    (folder / "report.html").unlink()
    with pytest.raises(IntegrityError) as raised:
        verify_folder(folder, all_metrics())
    assert "report.html: the file is missing" in str(raised.value)
    assert "notes.txt: the manifest does not know this file" in str(raised.value)


def reseal(folder, evidence, verdict):
    """Write a consistent manifest over forged files, as a forger would."""
    files = {
        "evidence.json": canonical_bytes(evidence),
        "verdict.json": canonical_bytes(verdict),
    }
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir()
    folder.rmdir()
    write_dossier(folder, files, evidence, verdict)


def test_a_verdict_that_does_not_follow_is_found(folder, assessment):
    rule = assessment.verdict.rules[0].model_copy(update={"outcome": Outcome.VIOLATED})
    forged = assessment.verdict.model_copy(update={"rules": (rule,)})
    reseal(folder, assessment.evidence, forged)
    with pytest.raises(IntegrityError, match="gives another verdict"):
        verify_folder(folder, all_metrics())


def test_a_verdict_about_other_evidence_is_found(folder, assessment):
    run = assessment.evidence.run.model_copy(update={"seed": 1})
    other = assessment.evidence.model_copy(update={"run": run})
    reseal(folder, other, assessment.verdict)
    with pytest.raises(IntegrityError, match="about other evidence"):
        verify_folder(folder, all_metrics())


def test_an_edited_number_with_every_digest_mended_is_found(folder, assessment):
    first, *others = assessment.evidence.measurements
    name = assessment.verdict.rules[0].measure
    edited = first.figures[name].model_copy(update={"value": 1.0, "low": 1.0, "high": 1.0})
    found = first.model_copy(update={"figures": first.figures | {name: edited}})
    evidence = assessment.evidence.model_copy(update={"measurements": (found, *others)})
    verdict = assessment.verdict.model_copy(update={"evidence_sha256": digest(evidence)})
    reseal(folder, evidence, verdict)
    with pytest.raises(IntegrityError, match="gives another verdict"):
        verify_folder(folder, all_metrics())


def test_a_swapped_policy_with_the_manifest_mended_is_found(folder, assessment):
    facts = assessment.verdict.policy
    assert "max: 0.05" in facts.text
    lax = facts.model_copy(update={"text": facts.text.replace("max: 0.05", "max: 0.9")})
    reseal(folder, assessment.evidence, assessment.verdict.model_copy(update={"policy": lax}))
    with pytest.raises(IntegrityError, match="policy"):
        verify_folder(folder, all_metrics())


def test_a_verdict_from_before_policies_had_parents_holds(folder, assessment):
    old = document(assessment.verdict)
    del old["policy"]["parents"], old["policy"]["resolved"]
    files = {
        "evidence.json": canonical_bytes(assessment.evidence),
        "verdict.json": canonical_bytes(old),
    }
    shutil.rmtree(folder)
    write_dossier(folder, files, assessment.evidence, assessment.verdict)
    assert verify_folder(folder, all_metrics()).outcome == "met"


CHILD = """
privgate: policy/v1
id: child
version: 1.0.0
title: Child
extends: parent.yaml
rules:
  - {id: copies, metric: crp, require: {max: 0.04}, rationale: stricter,
     source: {kind: house, ref: ward}}
"""


@pytest.fixture
def child(survey_release, tmp_path):
    """Return the assessment under a policy whose parent is gone, and the folder of the check."""
    (tmp_path / "parent.yaml").write_text(POLICY, "utf-8")
    (tmp_path / "child.yaml").write_text(CHILD, "utf-8")
    policy = open_policy(str(tmp_path / "child.yaml"), all_metrics())
    (tmp_path / "parent.yaml").unlink()
    found = assess(survey_release, policy, created=datetime(2026, 1, 1, tzinfo=UTC))
    files = dossier_files(found.evidence, found.verdict, formats=set(), audience=Audience.SHAREABLE)
    write_dossier(tmp_path / "out", files, found.evidence, found.verdict)
    return found, tmp_path / "out"


def test_a_verdict_is_verified_without_the_parent_of_its_policy(child):
    found, folder = child
    verify_folder(folder, all_metrics())
    facts = found.verdict.policy
    assert facts.text == CHILD
    assert [(parent.id, parent.version) for parent in facts.parents] == [("test", "1.0.0")]
    assert facts.document["rules"][0]["require"] == {"max": 0.04}
    assert facts.sha256 == digest(facts.document)


@pytest.mark.parametrize(
    "change",
    [
        {"text": CHILD.replace("max: 0.04", "max: 0.03")},
        {"text": CHILD.replace("version: 1.0.0", "version: 2.0.0")},
        {"text": CHILD.replace("id: copies", "id: others")},
        {"text": CHILD.replace("extends: parent.yaml\n", "")},
        {"text": POLICY},
        {"resolved": None},
        {"resolved": POLICY},
        {"parents": ()},
        {"document": {}},
        {"sha256": "0" * 64},
    ],
)
def test_a_policy_that_does_not_follow_from_its_text_is_found(child, change):
    found, folder = child
    facts = found.verdict.policy.model_copy(update=change)
    reseal(folder, found.evidence, found.verdict.model_copy(update={"policy": facts}))
    with pytest.raises(IntegrityError):
        verify_folder(folder, all_metrics())


def test_a_looser_resolved_policy_is_found(child):
    found, folder = child
    facts = found.verdict.policy
    looser = facts.resolved.replace("max: 0.04", "max: 0.9 ")
    assert looser != facts.resolved
    forged = check(
        replace(open_document(policy_from_text(looser).document, all_metrics()), text=CHILD),
        found.evidence,
    )
    policy = forged.policy.model_copy(update={"resolved": looser, "parents": facts.parents})
    reseal(folder, found.evidence, forged.model_copy(update={"policy": policy}))
    with pytest.raises(IntegrityError, match="does not follow from the text"):
        verify_folder(folder, all_metrics())


def test_a_folder_without_manifest_cannot_be_verified(tmp_path):
    with pytest.raises(InputError, match="not the output folder"):
        read_manifest(tmp_path)


def test_a_manifest_that_was_removed_is_missed(folder):
    (folder / MANIFEST).unlink()
    with pytest.raises(IntegrityError, match="manifest is missing"):
        verify_folder(folder, all_metrics())


def test_the_manifest_digests_itself(folder):
    content = json.loads((folder / MANIFEST).read_bytes())
    content["release"] = "another"
    (folder / MANIFEST).write_bytes(canonical_bytes(content))
    with pytest.raises(IntegrityError, match="manifest was altered"):
        read_manifest(folder)


def test_evidence_file_is_what_the_verdict_digests(folder, assessment):
    assert digest(json.loads((folder / "evidence.json").read_bytes())) == (
        assessment.verdict.evidence_sha256
    )


def test_a_folder_with_other_things_is_not_replaced(tmp_path, assessment):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not a check of privgate"):
        require_free(tmp_path)
    with pytest.raises(InputError, match="not a check of privgate"):
        write_dossier(tmp_path, {}, assessment.evidence, assessment.verdict)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_an_earlier_check_is_replaced_whole(folder, assessment):
    write_dossier(folder, {"evidence.json": b"{}"}, assessment.evidence, assessment.verdict)
    assert {path.name for path in folder.iterdir()} == {"evidence.json", MANIFEST}
    assert [path.name for path in folder.parent.iterdir()] == ["out"]


def test_records_name_rows_by_their_position(folder, survey_release):
    path = next(folder.glob("records/crp-*-train.csv"))
    lines = path.read_text().splitlines()
    assert lines[0] == "row,identical_in_synthetic"
    assert [line.split(",")[0] for line in lines[1:]] == [
        str(row) for row in range(1, survey_release.train.rows + 1)
    ]


def test_files_of_an_older_version_with_fewer_fields_still_hold(folder, assessment):
    """A later version adds optional fields; what was stored without them keeps its digest."""
    evidence = json.loads(canonical_bytes(assessment.evidence))
    for card in evidence["cards"].values():
        del card["review_name"]
    stored = {"evidence.json": canonical_bytes(evidence)}
    verdict = assessment.verdict.model_copy(update={"evidence_sha256": digest(evidence)})
    stored["verdict.json"] = canonical_bytes(verdict)
    files = dossier_files(
        assessment.evidence,
        verdict,
        formats={Format.HTML},
        audience=Audience.SHAREABLE,
        stored=stored,
    )
    assert files["evidence.json"] == stored["evidence.json"]
    write_dossier(folder, files, assessment.evidence, verdict)
    verify_folder(folder, all_metrics())
