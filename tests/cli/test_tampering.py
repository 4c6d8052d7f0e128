"""What an auditor tries: a byte in each file, another policy, an edited number with its digest."""

from __future__ import annotations

import json
import shutil

import pytest

from privgate.attest import ATTESTATION, MANIFEST, SIGNED_REPORT, manifest_bytes
from privgate.evidence import RunEvidence, canonical_bytes, digest
from privgate.metrics import all_metrics
from privgate.policy import open_document, policy_from_text
from privgate.policy.check import check
from privgate.policy.verdict import Verdict


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return tmp_path_factory.mktemp("finished") / "out"


@pytest.fixture
def signed(finished, privgate, write_release, policy, tmp_path):
    """Return a signed folder and the options that verify it."""
    public = finished.parent / "anna.pem.pub"
    if not finished.exists():
        options = ("--out", finished, "--records", "--format", "html,json,csv,oscal,dpia-md")
        assert privgate("check", write_release(), "-p", policy, *options).code == 0
        private = finished.parent / "anna.pem"
        assert privgate("key", "new", private, "--no-passphrase").code == 0
        assert privgate("sign", finished, "--key", private).code == 0
    return shutil.copytree(finished, tmp_path / "signed"), ("--key", public)


def forge(folder, evidence, verdict):
    """Write evidence and verdict with every digest mended, as an insider without the key could."""
    content = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    for name, text in content.items():
        (folder / name).write_bytes(text)
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in {MANIFEST, ATTESTATION, SIGNED_REPORT}
    }
    models = RunEvidence.model_validate(evidence), Verdict.model_validate(verdict)
    (folder / MANIFEST).write_bytes(manifest_bytes(files, *models))


def stored(folder):
    return tuple(
        json.loads((folder / f"{name}.json").read_bytes()) for name in ("evidence", "verdict")
    )


def refused(result):
    assert (result.code, result.out) == (1, "")
    assert result.err
    return result.err


def test_a_flipped_byte_in_any_file_of_a_signed_folder_is_named(privgate, signed):
    folder, keys = signed
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    assert {path.suffix for path in paths} == {".csv", ".html", ".json", ".md"}
    for path in paths:
        whole = path.read_bytes()
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        assert str(path) in refused(privgate("verify", folder, *keys))
        path.write_bytes(whole)
    assert privgate("verify", folder, *keys).code == 0


def edited(evidence):
    """Return the evidence with one judged figure made better."""
    found = next(it for it in evidence["measurements"] if it["metric"] == "dcr")
    figure = found["figures"]["share_nearer_train"]
    figure.update(
        value=figure["value"] - 0.03, low=figure["low"] - 0.03, high=figure["high"] - 0.03
    )
    return evidence


def test_an_edited_number_is_found_at_every_depth_of_mending(privgate, signed):
    folder, keys = signed
    evidence, verdict = stored(folder)
    path = folder / "evidence.json"
    path.write_bytes(canonical_bytes(edited(evidence)))
    assert f"{path}: the file was altered" in refused(privgate("verify", folder))
    # The digests of the manifest mended.
    forge(folder, evidence, verdict)
    assert "the verdict is about other evidence" in refused(privgate("verify", folder))
    # That in the verdict, too.
    verdict["evidence_sha256"] = digest(evidence)
    forge(folder, evidence, verdict)
    assert "judging the evidence again gives another verdict" in refused(privgate("verify", folder))
    # Everything judged again: now only the signature knows.
    policy = open_document(policy_from_text(verdict["policy"]["text"]).document, all_metrics())
    again = check(policy, RunEvidence.model_validate(evidence))
    forge(folder, evidence, json.loads(canonical_bytes(again)))
    reasons = refused(privgate("verify", folder, *keys))
    assert "given to other content of evidence.json" in reasons
    (folder / ATTESTATION).unlink()
    assert "is not signed" in refused(privgate("verify", folder, *keys))


def test_a_swapped_policy_is_found_at_every_depth_of_mending(privgate, signed):
    folder, keys = signed
    evidence, verdict = stored(folder)
    text = verdict["policy"]["text"]
    lax = text.replace("max: 0.7}", "max: 0.99}")
    assert lax != text
    path = folder / "verdict.json"
    verdict["policy"]["text"] = lax
    path.write_bytes(canonical_bytes(verdict))
    assert f"{path}: the file was altered" in refused(privgate("verify", folder))
    # The digests of the manifest mended.
    forge(folder, evidence, verdict)
    assert "the policy is not the one that the verdict names" in refused(privgate("verify", folder))
    # The policy's own digest and document, too.
    policy = open_document(policy_from_text(lax).document, all_metrics())
    again = check(policy, RunEvidence.model_validate(evidence))
    swapped = json.loads(canonical_bytes(again))["policy"]
    forge(folder, evidence, {**verdict, "policy": swapped})
    assert "judging the evidence again gives another verdict" in refused(privgate("verify", folder))
    # Everything judged again under it: now only the signature knows.
    forge(folder, evidence, json.loads(canonical_bytes(again)))
    assert "about another policy" in refused(privgate("verify", folder, *keys))


def test_a_policy_file_that_changes_later_changes_nothing(privgate, signed, policy):
    """The verdict holds the text that judged."""
    folder, keys = signed
    policy.write_text(policy.read_text("utf-8").replace("max: 0.7", "max: 0.1"), "utf-8")
    assert privgate("verify", folder, *keys).code == 0
