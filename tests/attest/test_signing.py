"""What a signature states, and which alterations it shows that digests alone cannot."""

import base64
import json
from hashlib import sha256

import pytest
from securesystemslib.dsse import Envelope

from privgate.attest import (
    ATTESTATION,
    MANIFEST,
    attestation_of,
    manifest_bytes,
    verify_folder,
    verify_signatures,
    verify_signed_file,
)
from privgate.attest.statement import result_of
from privgate.errors import InputError, IntegrityError
from privgate.evidence import RunEvidence, canonical_bytes
from privgate.metrics import all_metrics
from privgate.policy import open_document, policy_from_text
from privgate.policy.check import check
from privgate.policy.verdict import Outcome, Verdict


def sign(folder, signer):
    (folder / ATTESTATION).write_bytes(attestation_of(folder, signer, all_metrics()))


def statement_in(folder):
    envelope = json.loads((folder / ATTESTATION).read_bytes())
    return json.loads(base64.b64decode(envelope["payload"]))


def write_consistently(folder, evidence, verdict):
    """Write forged documents with every digest mended, as an insider could."""
    files = {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.name not in {MANIFEST, ATTESTATION}
    }
    files |= {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    files[MANIFEST] = manifest_bytes(files, evidence, verdict)
    for name, content in files.items():
        (folder / name).write_bytes(content)


@pytest.fixture
def signed(signable, pair):
    sign(signable, pair("anna")[0])
    return signable


def test_the_statement_is_the_one_worked_by_hand(signed, judged):
    evidence, verdict = judged.evidence, judged.verdict
    table = evidence.release.tables["synthetic"]
    files = {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in signed.iterdir()
        if path.name != ATTESTATION
    }
    files[f"synthetic/{table.file}"] = table.sha256
    statement = statement_in(signed)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://slsa.dev/verification_summary/v1"
    found = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    assert found == files
    predicate = statement["predicate"]
    assert predicate["timeVerified"] == "2026-01-01T00:00:00Z"
    assert predicate["policy"]["digest"]["sha256"] == verdict.policy.sha256
    assert predicate["policy"]["name"] == "signed 1.0.0"
    inputs = [item["digest"]["sha256"] for item in predicate["inputAttestations"]]
    assert inputs == [verdict.evidence_sha256]
    assert predicate["verifier"]["id"] == "pkg:pypi/privgate"
    assert list(predicate["verifier"]["version"]) == ["privgate"]
    assert predicate["verificationResult"] == "PASSED"
    assert predicate["verifiedLevels"] == ["PRIVGATE_POLICY_MET"]


@pytest.mark.parametrize(
    ("outcome", "result"),
    [("met", "PASSED"), ("violated", "FAILED"), ("not_assessed", "FAILED")],
)
def test_only_met_is_passed(judged, outcome, result):
    verdict = judged.verdict.model_copy(update={"outcome": Outcome(outcome)})
    assert result_of(verdict) == result


def test_who_gave_their_key_is_told_from_who_was_not_checked(signed, pair):
    (anna, anna_key), (bert, bert_key) = pair("anna"), pair("bert")
    sign(signed, bert)
    verify_folder(signed, all_metrics())
    both = {anna_key.keyid, bert_key.keyid}
    nobody = verify_signatures(signed, [])
    assert (nobody.valid, set(nobody.unchecked)) == ((), both)
    one = verify_signatures(signed, [bert_key])
    assert (one.valid, one.unchecked) == ((bert_key.keyid,), (anna_key.keyid,))
    two = verify_signatures(signed, [anna_key, bert_key])
    assert (set(two.valid), two.unchecked) == (both, ())
    assert anna.public_key == anna_key


def test_bytes_do_not_depend_on_order_or_repetition(signable, pair):
    written = set()
    for people in (("anna", "bert"), ("bert", "anna"), ("anna", "bert", "anna")):
        (signable / ATTESTATION).unlink(missing_ok=True)
        for person in people:
            sign(signable, pair(person)[0])
        written.add((signable / ATTESTATION).read_bytes())
    assert len(written) == 1


def test_every_key_asked_for_must_have_signed(signed, pair):
    anna, carl = pair("anna")[1], pair("carl")[1]
    with pytest.raises(IntegrityError, match=f"no valid signature of key {carl.keyid[:16]}"):
        verify_signatures(signed, [anna, carl])
    with pytest.raises(InputError, match="two of the keys are the same"):
        verify_signatures(signed, [anna, anna])


def test_an_unsigned_folder_is_not_signed(signable, pair):
    assert verify_signatures(signable, []) is None
    with pytest.raises(IntegrityError, match="not signed"):
        verify_signatures(signable, [pair("anna")[1]])


def test_any_flipped_byte_of_the_attestation_is_found(signed, pair):
    file, key = signed / ATTESTATION, pair("anna")[1]
    whole = file.read_bytes()
    for place in {*range(0, len(whole), 13), *range(len(whole) - 120, len(whole))}:
        altered = bytearray(whole)
        altered[place] ^= 1
        file.write_bytes(altered)
        with pytest.raises(IntegrityError):
            verify_signatures(signed, [key])
    file.write_bytes(whole)
    verify_signatures(signed, [key])


def test_an_edited_number_with_all_digests_mended_is_found(signed, judged, pair):
    """The forger edits a figure, judges again, and mends verdict, evidence digest and manifest."""
    evidence = json.loads(canonical_bytes(judged.evidence))
    figure = next(m for m in evidence["measurements"] if m["metric"] == "dcr")["figures"]
    figure["share_nearer_train"]["value"] = 0.501
    forged = RunEvidence.model_validate(evidence)
    policy = open_document(policy_from_text(judged.verdict.policy.text).document, all_metrics())
    write_consistently(signed, forged, check(policy, forged))
    verify_folder(signed, all_metrics())  # digests and judgement show nothing
    with pytest.raises(IntegrityError) as raised:
        verify_signatures(signed, [pair("anna")[1]])
    for name in ("evidence.json", "verdict.json", MANIFEST):
        assert f"given to other content of {name}" in str(raised.value)


def test_a_swapped_policy_with_all_digests_mended_is_found(signed, judged, pair):
    lax = judged.verdict.policy.text.replace("0.7", "0.9")
    policy = open_document(policy_from_text(lax).document, all_metrics())
    write_consistently(signed, judged.evidence, check(policy, judged.evidence))
    verify_folder(signed, all_metrics())
    with pytest.raises(IntegrityError, match="about another policy"):
        verify_signatures(signed, [pair("anna")[1]])
    with pytest.raises(IntegrityError, match="about another policy"):
        verify_signatures(signed, [])


def test_an_attestation_of_another_folder_is_found(signed, judged, pair):
    strict = judged.verdict.policy.text.replace("0.7", "0.1")
    policy = open_document(policy_from_text(strict).document, all_metrics())
    violated = check(policy, judged.evidence)
    assert violated.outcome is Outcome.VIOLATED
    write_consistently(signed, judged.evidence, violated)
    with pytest.raises(IntegrityError, match="state another outcome"):
        verify_signatures(signed, [pair("anna")[1]])


def test_a_statement_signed_over_but_not_about_the_folder_is_found(signed, pair):
    """A valid signature shows who signed, not that what was signed is true."""
    statement = statement_in(signed)
    statement["predicate"]["timeVerified"] = "2027-01-01T00:00:00Z"
    envelope = Envelope(canonical_bytes(statement), "application/vnd.in-toto+json", {})
    signer, key = pair("anna")
    envelope.sign(signer)
    (signed / ATTESTATION).write_bytes(canonical_bytes(envelope.to_dict()))
    with pytest.raises(IntegrityError, match="something else than the folder holds"):
        verify_signatures(signed, [key])


def test_a_signature_under_a_borrowed_name_is_none(signed, pair):
    """Key ids are not signed: whoever writes another's id beside a signature gains nothing."""
    anna, carl = pair("anna")[1], pair("carl")[1]
    raw = (signed / ATTESTATION).read_bytes().replace(anna.keyid.encode(), carl.keyid.encode())
    (signed / ATTESTATION).write_bytes(raw)
    with pytest.raises(IntegrityError, match="no valid signature"):
        verify_signatures(signed, [carl])
    with pytest.raises(IntegrityError, match="no valid signature"):
        verify_signatures(signed, [anna])


def test_nobody_signs_what_does_not_hold(signable, judged, pair):
    rule = judged.verdict.rules[0].model_copy(update={"outcome": Outcome.VIOLATED})
    forged = judged.verdict.model_copy(update={"rules": (rule, *judged.verdict.rules[1:])})
    write_consistently(signable, judged.evidence, forged)
    with pytest.raises(IntegrityError, match="gives another verdict"):
        attestation_of(signable, pair("anna")[0], all_metrics())


def test_nobody_joins_a_statement_about_other_content(signed, judged, pair):
    lax = judged.verdict.policy.text.replace("0.7", "0.9")
    policy = open_document(policy_from_text(lax).document, all_metrics())
    write_consistently(signed, judged.evidence, check(policy, judged.evidence))
    with pytest.raises(IntegrityError, match="given to other content"):
        attestation_of(signed, pair("bert")[0], all_metrics())


def test_one_file_is_verified_away_from_its_folder(signed, pair, tmp_path):
    key, attestation = pair("anna")[1], signed / ATTESTATION
    report = (signed / "report.html").read_bytes()
    verdict = Verdict.model_validate_json((signed / "verdict.json").read_bytes())
    found = verify_signed_file(report, verdict, [key], attestation=attestation)
    assert found.valid == (key.keyid,)
    with pytest.raises(IntegrityError, match="about other files"):
        verify_signed_file(report + b" ", verdict, [key], attestation=attestation)
    forgeries = {
        "other evidence": {"evidence_sha256": "0" * 64},
        "another policy": {"policy": verdict.policy.model_copy(update={"sha256": "0" * 64})},
        "another outcome": {"outcome": Outcome.NOT_ASSESSED},
    }
    for words, changes in forgeries.items():
        forged = verdict.model_copy(update=changes)
        with pytest.raises(IntegrityError, match=words):
            verify_signed_file(report, forged, [key], attestation=attestation)
    with pytest.raises(InputError, match="cannot be read"):
        verify_signed_file(report, verdict, [key], attestation=tmp_path / "nowhere")
