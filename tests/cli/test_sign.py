"""Key pairs, signing and verifying as people call them."""

from __future__ import annotations

import io
import json
import shutil
import sys
import time
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)

from privgate.attest import ATTESTATION, MANIFEST, SIGNED_REPORT, manifest_bytes
from privgate.cli import passphrases
from privgate.cli.files import drawn_files
from privgate.dossier import Format
from privgate.evidence import RunEvidence, canonical_bytes, digest
from privgate.policy.verdict import Verdict

WORDS = "correct horse"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return tmp_path_factory.mktemp("finished") / "out"


@pytest.fixture
def checked(finished, privgate, write_release, policy, tmp_path):
    """Return the folder of a check with an HTML report, made once and copied."""
    if not finished.exists():
        command = ("check", write_release(), "-p", policy, "--out", finished, "--format", "html")
        assert privgate(*command).code == 0
    return shutil.copytree(finished, tmp_path / "checked")


@pytest.fixture
def key(privgate, tmp_path):
    """Return a function that makes a key pair and returns the private file."""

    def make(person):
        file = tmp_path / f"{person}.pem"
        assert privgate("key", "new", file, "--no-passphrase").code == 0
        return file

    return make


def public(file):
    return file.with_name(f"{file.name}.pub")


def test_two_people_sign_and_both_are_verified(privgate, checked, key):
    anna, bert = key("anna"), key("bert")
    for person in (anna, bert):
        result = privgate("sign", checked, "--key", person)
        assert result.code == 0
        assert str(checked / ATTESTATION) in result.out
    result = privgate("verify", checked, "--key", public(anna), "--key", public(bert))
    assert result.code == 0
    assert result.out.count(": valid") == 2
    result = privgate("verify", checked, "--key", public(bert))
    assert (result.out.count(": valid"), result.out.count("not checked")) == (1, 1)


def test_a_signature_without_a_key_is_told_and_not_checked(privgate, checked, key):
    assert "signatures: none" in privgate("verify", checked).out
    privgate("sign", checked, "--key", key("anna"))
    result = privgate("verify", checked)
    assert result.code == 0
    assert "not checked" in result.out
    assert "valid" not in result.out


def test_a_missing_or_strange_signature_ends_with_1(privgate, checked, key):
    anna, carl = key("anna"), key("carl")
    result = privgate("verify", checked, "--key", public(anna))
    assert (result.code, result.out) == (1, "")
    assert "not signed" in result.err
    privgate("sign", checked, "--key", anna)
    result = privgate("verify", checked, "--key", public(anna), "--key", public(carl))
    assert (result.code, result.out) == (1, "")
    assert "no valid signature of key" in result.err


def test_a_flipped_byte_in_any_file_of_a_signed_folder_is_named(privgate, checked, key):
    anna = key("anna")
    privgate("sign", checked, "--key", anna)
    names = {path.name for path in checked.iterdir()}
    documents = {"evidence.json", "verdict.json", "manifest.json", "report.html"}
    assert names == {*documents, ATTESTATION}
    for name in sorted(names):
        path = checked / name
        whole = path.read_bytes()
        path.write_bytes(whole[:90] + bytes([whole[90] ^ 1]) + whole[91:])
        result = privgate("verify", checked, "--key", public(anna))
        assert (name, result.code, result.out) == (name, 1, "")
        assert str(path) in result.err
        path.write_bytes(whole)
    assert privgate("verify", checked, "--key", public(anna)).code == 0


def test_nobody_signs_an_altered_folder(privgate, checked, key):
    (checked / "report.html").write_text("defaced")
    result = privgate("sign", checked, "--key", key("anna"))
    assert result.code == 1
    assert not (checked / ATTESTATION).exists()
    assert "report.html" in result.err


def test_digests_of_single_rows_stay_in_the_house(privgate, key, write_release, policy, checked):
    anna = key("anna")
    assert privgate("sign", checked, "--key", anna).err == ""
    command = ("check", write_release(), "-p", policy, "--out", "own", "--format", "json")
    assert privgate(*command, "--records").code == 0
    assert "keep the attestation in the house" in privgate("sign", "own", "--key", anna).err


def test_an_attestation_elsewhere(privgate, checked, key, tmp_path):
    anna, out = key("anna"), tmp_path / "anna.dsse.json"
    assert privgate("sign", checked, "--key", anna, "--out", out).code == 0
    assert not (checked / ATTESTATION).exists()
    command = ("verify", checked, "--key", public(anna))
    assert privgate(*command, "--attestation", out).code == 0
    assert privgate(*command).code == 1
    privgate(*command, "--attestation", "nowhere").require_refused("nowhere", "cannot be read")
    privgate("sign", checked, "--key", anna, "--out", out).require_refused("the file exists")
    inside = checked / "more.json"
    privgate("sign", checked, "--key", anna, "--out", inside).require_refused("does not know it")


@pytest.fixture
def only_html(monkeypatch):
    """Let `render` draw what the folder of these tests holds, which is quick."""

    def draw(*arguments, asked, **facts):
        assert asked is None
        return drawn_files(*arguments, asked={Format.HTML}, **facts)

    monkeypatch.setattr("privgate.cli.render.drawn_files", draw)


@pytest.mark.usefixtures("only_html")
def test_a_signed_folder_is_drawn_again_only_if_the_signatures_still_hold(privgate, checked, key):
    anna = key("anna")
    privgate("sign", checked, "--key", anna)
    before = {path.name: path.read_bytes() for path in checked.iterdir()}
    refused = privgate("render", checked, "--internal")
    refused.require_refused("the folder is signed", "report.html")
    assert {path.name: path.read_bytes() for path in checked.iterdir()} == before
    (checked / "report.html").write_text("defaced")
    assert privgate("render", checked).code == 0
    assert {path.name: path.read_bytes() for path in checked.iterdir()} == before
    assert privgate("verify", checked, "--key", public(anna)).code == 0


def test_a_new_check_replaces_a_signed_one_whole(privgate, checked, key, write_release, policy):
    privgate("sign", checked, "--key", key("anna"))
    command = ("check", write_release(), "-p", policy, "--out", checked, "--format", "json")
    assert privgate(*command).code == 0
    assert not (checked / ATTESTATION).exists()
    assert privgate("verify", checked).code == 0


def test_a_passphrase_comes_from_the_environment_and_is_never_shown(
    privgate, checked, tmp_path, monkeypatch
):
    file = tmp_path / "anna.pem"
    monkeypatch.setenv(passphrases.VARIABLE, WORDS)
    made = privgate("key", "new", file)
    signed = privgate("sign", checked, "--key", file)
    assert (made.code, signed.code) == (0, 0)
    assert b"ENCRYPTED" in file.read_bytes()
    monkeypatch.setenv(passphrases.VARIABLE, "wrong horse")
    refused = privgate("sign", checked, "--key", file)
    refused.require_refused("the passphrase does not open this key")
    for result in (made, signed, refused):
        assert "horse" not in result.out + result.err


def test_without_a_terminal_a_passphrase_is_not_waited_for(privgate, tmp_path, monkeypatch):
    monkeypatch.delenv(passphrases.VARIABLE, raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    privgate("key", "new", tmp_path / "key").require_refused(passphrases.VARIABLE)
    assert not (tmp_path / "key").exists()


def test_a_private_key_is_not_asked_for_by_verify(privgate, checked, key):
    result = privgate("verify", checked, "--key", key("anna"))
    result.require_refused("this is a private key")


def test_a_pdf_without_evidence_is_refused(privgate, tmp_path):
    (tmp_path / "report.pdf").write_text("no PDF")
    privgate("verify", tmp_path / "report.pdf").require_refused("report.pdf", "cannot be read")


def test_a_pdf_has_its_signatures_beside_it(privgate, tmp_path, key):
    (tmp_path / "report.pdf").write_text("no PDF")
    command = ("verify", tmp_path / "report.pdf", "--key", public(key("anna")))
    privgate(*command).require_refused("--attestation", "attestation.dsse.json")


@pytest.mark.usefixtures("only_html")
def test_report_and_verdict_need_no_metric_that_this_machine_has(privgate, checked, monkeypatch):
    """Evidence of a plug-in is rendered where the plug-in is not; judging it again needs it."""
    for name in ("evidence.json", "verdict.json"):
        path = checked / name
        text = path.read_text("utf-8").replace('"crp"', '"acme.k_map"')
        path.write_text(text.replace("metric: crp", "metric: acme.k_map"), "utf-8")
    mend(checked)
    monkeypatch.setattr("privgate.metrics.all_metrics", dict)
    result = privgate("render", checked)
    assert result.code == 0, result.err
    assert "acme.k_map" in (checked / "report.html").read_text("utf-8")
    result = privgate("verify", checked)
    assert result.code == 1
    assert "acme.k_map" in result.err


def mend(folder):
    """Make the digests of altered documents consistent."""
    evidence = json.loads((folder / "evidence.json").read_bytes())
    verdict = json.loads((folder / "verdict.json").read_bytes())
    verdict["evidence_sha256"] = digest(evidence)
    files = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    models = RunEvidence.model_validate(evidence), Verdict.model_validate(verdict)
    (folder / "report.html").unlink()
    for name, content in {**files, MANIFEST: manifest_bytes(files, *models)}.items():
        (folder / name).write_bytes(content)


@pytest.fixture
def certificate(certify, tmp_path):
    """Write a certificate of one's own with its key, both in PEM, and return its file."""
    own, key = certify("Anna")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "anna.pem").write_bytes(pem + own.public_bytes(Encoding.PEM))
    return tmp_path / "anna.pem"


@pytest.fixture
def signable(checked):
    """Return the folder of a check with a small PDF in it."""
    pdf = weasyprint().HTML(string="<p>met").write_pdf()
    (checked / "report.pdf").write_bytes(pdf)
    names = ("evidence.json", "verdict.json", "report.html", "report.pdf")
    files = {name: (checked / name).read_bytes() for name in names}
    evidence = RunEvidence.model_validate_json(files["evidence.json"])
    verdict = Verdict.model_validate_json(files["verdict.json"])
    (checked / MANIFEST).write_bytes(manifest_bytes(files, evidence, verdict))
    return checked


def weasyprint():
    return pytest.importorskip("weasyprint", exc_type=OSError)


def test_a_pdf_is_signed_and_verified_in_its_folder(
    privgate, signable, certificate, key, monkeypatch
):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 3600))
    command = ("sign", signable, "--pdf-certificate", certificate)
    result = privgate(*command)
    assert (result.code, result.err) == (0, "")
    file = signable / SIGNED_REPORT
    assert result.out == f"{file}: signed by CN=Anna\n"
    privgate(*command).require_refused("a signed PDF is there already")
    assert privgate("sign", signable, "--key", key("bert")).code == 0
    result = privgate("verify", signable, "--trust", certificate)
    assert result.code == 0, result.err
    assert "certificate trusted by CN=Anna" in result.out
    told = datetime.fromtimestamp(time.time() - 3600, UTC)
    assert f"made on {told:%Y-%m-%d %H:}" in result.out
    assert "not checked against a root" in privgate("verify", signable).out
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"Digital", b"digital"))
    result = privgate("verify", signable)
    assert (result.code, result.out) == (1, "")
    assert f"{file}: the PDF signature does not fit the file" in result.err


def test_a_stranger_or_nobody_at_all_ends_with_1(privgate, signable, certificate, certify):
    other = signable.parent / "other.pem"
    other.write_bytes(certify("Anna")[0].public_bytes(Encoding.PEM))
    result = privgate("verify", signable, "--trust", certificate)
    assert (result.code, result.out) == (1, "")
    assert "there is no report.signed.pdf" in result.err
    assert privgate("sign", signable, "--pdf-certificate", certificate).code == 0
    result = privgate("verify", signable, "--trust", other)
    assert (result.code, result.out) == (1, "")
    assert "leads to none of those given as --trust" in result.err


def test_an_expired_certificate_signs_nothing_and_no_longer_counts(
    privgate, signable, certify, monkeypatch, tmp_path
):
    own, key = certify("Anna", days=(-20, -10))
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = tmp_path / "old.pem"
    file.write_bytes(pem + own.public_bytes(Encoding.PEM))
    command = ("sign", signable, "--pdf-certificate", file)
    privgate(*command).require_refused("old.pem", "the certificate expired on")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 15 * 86400))
    assert privgate(*command).code == 0
    result = privgate("verify", signable, "--trust", file)  # today, whatever the variable says
    assert (result.code, result.out) == (1, "")
    assert "is by a certificate that expired on" in result.err


def test_a_signed_pdf_is_written_whole_or_not_at_all(privgate, signable, certificate, monkeypatch):
    before = sorted(signable.iterdir())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    result = privgate("sign", signable, "--pdf-certificate", certificate)
    result.require_refused("the signature cannot be written (No space left on device)")
    assert sorted(signable.iterdir()) == before


def test_what_is_asked_of_sign_must_be_clear(privgate, checked, certificate, key, tmp_path):
    privgate("sign", checked).require_refused("--key for the folder or --pdf-certificate")
    both = ("--key", key("bert"), "--pdf-certificate", certificate)
    privgate("sign", checked, *both).require_refused("one for each call")
    loose = ("--key", tmp_path / "bert.pem", "--pdf-key", certificate)
    privgate("sign", checked, *loose).require_refused("--pdf-key: a certificate is missing")
    inside = ("--pdf-certificate", certificate, "--out", checked / "more.pdf")
    privgate("sign", checked, *inside).require_refused("does not know it")
    refused = privgate("sign", checked, "--pdf-certificate", certificate)
    refused.require_refused("there is no report.pdf to sign", "privgate render")


def test_a_passphrase_that_opens_no_certificate_is_told(privgate, checked, certify, monkeypatch):
    own, key = certify("Anna")
    locked = pkcs12.serialize_key_and_certificates(
        None, key, own, None, BestAvailableEncryption(WORDS.encode())
    )
    (checked.parent / "anna.p12").write_bytes(locked)
    monkeypatch.setenv(passphrases.VARIABLE, "wrong horse")
    refused = privgate("sign", checked, "--pdf-certificate", checked.parent / "anna.p12")
    refused.require_refused("anna.p12", "the passphrase does not open this file")
    assert "horse" not in refused.err


def test_without_pyhanko_people_are_told_what_to_install(
    privgate, signable, certificate, monkeypatch
):
    assert privgate("sign", signable, "--pdf-certificate", certificate).code == 0
    monkeypatch.setitem(sys.modules, "pyhanko.sign", None)
    remedy = "pip install 'privgate[pades]'"
    command = ("sign", signable, "--pdf-certificate", certificate, "--out", "out.pdf")
    privgate(*command).require_refused(remedy)
    privgate("verify", signable).require_refused(remedy)  # what cannot be checked is no pass
    (signable / SIGNED_REPORT).unlink()
    assert privgate("verify", signable).code == 0


@pytest.mark.usefixtures("only_html")
def test_a_folder_with_a_signed_pdf_is_drawn_again_only_if_the_report_stays(
    privgate, signable, certificate
):
    """This machine, let us say, draws no PDF."""
    assert privgate("sign", signable, "--pdf-certificate", certificate).code == 0
    before = {path.name: path.read_bytes() for path in signable.iterdir()}
    refused = privgate("render", signable)
    refused.require_refused("report.signed.pdf", "the folder is signed", "report.pdf")
    assert {path.name: path.read_bytes() for path in signable.iterdir()} == before
