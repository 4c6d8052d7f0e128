from __future__ import annotations

import json
import shutil

import pypdf
import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from privgate.evidence import canonical_bytes

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("drawn_once")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return tmp_path_factory.mktemp("finished") / "out"


@pytest.fixture
def checked(finished, privgate, write_release, policy, tmp_path):
    """Return the folder of a check with every kind of file, made once and copied."""
    if not finished.exists():
        result = privgate("check", write_release(), "-p", policy, "--out", finished, "--records")
        assert result.code == 0
        assert (finished / "report.pdf").is_file()
    return shutil.copytree(finished, tmp_path / "checked")


def every_file(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_an_untouched_folder_holds(privgate, checked):
    result = privgate("verify", checked)
    assert result.code == 0
    assert result.err == ""
    assert "as written" in result.out
    assert "met" in result.out


def test_a_flipped_byte_in_any_file_is_found_and_named(privgate, checked):
    names = every_file(checked)
    assert {"evidence.json", "verdict.json", "report.html", "report.pdf", "manifest.json"} < set(
        names
    )
    assert any(name.startswith("records/") for name in names)
    for name in names:
        path = checked / name
        whole = path.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            result = privgate("verify", checked)
            assert (name, place, result.code) == (name, place, 1)
            assert result.out == ""
            assert str(path) in result.err
            assert result.err.count("error: ") == 1
        path.write_bytes(whole)
    assert privgate("verify", checked).code == 0


@pytest.mark.parametrize("name", ["notes.txt", "records/more.csv", ".hidden"])
def test_an_added_file_is_found_and_named(privgate, checked, name):
    (checked / name).write_text("x")
    result = privgate("verify", checked)
    assert result.code == 1
    assert str(checked / name) in result.err


def test_a_removed_file_is_found_and_named(privgate, checked):
    for name in every_file(checked):
        path = checked / name
        whole = path.read_bytes()
        path.unlink()
        result = privgate("verify", checked)
        assert (name, result.code) == (name, 1)
        assert str(path) in result.err
        path.write_bytes(whole)


@pytest.mark.parametrize(
    "spoil", [lambda raw: raw + b"\n", lambda raw: raw.replace(b":", b": ", 1)]
)
def test_white_space_in_the_manifest_is_found(privgate, checked, spoil):
    manifest = checked / "manifest.json"
    manifest.write_bytes(spoil(manifest.read_bytes()))
    result = privgate("verify", checked)
    assert result.code == 1
    assert f"{manifest}: the manifest was altered" in result.err


def test_a_digest_fitted_to_an_altered_file_is_found(privgate, checked):
    manifest = checked / "manifest.json"
    content = json.loads(manifest.read_bytes())
    content["files"]["report.html"] = "0" * 64
    manifest.write_bytes(canonical_bytes(content))
    assert privgate("verify", checked).code == 1


def test_swapped_verdicts_are_found(privgate, checked, write_release, policy, frames):
    other = checked.parent / "other"
    leaky = write_release(synthetic=frames["train"])
    assert privgate("check", leaky, "-p", policy, "--out", other, "--format", "json").code == 1
    shutil.copy(checked / "verdict.json", other / "verdict.json")
    result = privgate("verify", other)
    assert result.code == 1
    assert str(other / "verdict.json") in result.err


@pytest.mark.parametrize("command", ["verify", "render"])
def test_what_is_no_folder_of_a_check_is_refused(privgate, tmp_path, command):
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("x")
    for name in ("other", "file"):
        privgate(command, name).require_refused(name, "not the output folder of a check")
    privgate(command, "nowhere").require_refused("nowhere", "there is no such folder")


def test_render_does_not_vouch_for_altered_files(privgate, checked):
    for name in (name for name in every_file(checked) if not name.startswith("report.")):
        path = checked / name
        whole = path.read_bytes()
        path.write_bytes(whole + b"\n")
        result = privgate("render", checked)
        assert (name, result.code) == (name, 1)
        assert str(path) in result.err
        path.write_bytes(whole)


def test_render_keeps_hands_off_files_it_does_not_know(privgate, checked):
    (checked / "signed.txt").write_text("x")
    privgate("render", checked).require_refused("'signed.txt'")
    assert (checked / "signed.txt").read_text() == "x"


def test_the_pdf_of_a_check_carries_its_redacted_sources(checked):
    found = pypdf.PdfReader(checked / "report.pdf").attachments
    assert {"attachments.json", "evidence.json", "policy.yaml", "verdict.json"} <= {*found}
    assert b'"salt":null' in found["evidence.json"][0]
    assert b'"salt":null' not in (checked / "evidence.json").read_bytes()


def test_render_builds_the_report_again_to_the_byte(privgate, checked, drawings):
    drawings.clear()
    before = {name: (checked / name).read_bytes() for name in every_file(checked)}
    (checked / "report.html").write_text("defaced")
    (checked / "report.pdf").unlink()
    assert privgate("render", checked).code == 0
    assert {name: (checked / name).read_bytes() for name in every_file(checked)} == before


def test_an_internal_report_says_that_it_is_one(privgate, checked, write_release, policy):
    command = ("check", write_release(), "-p", policy, "--out", "own", "--format", "html")
    assert privgate(*command, "--internal").code == 0
    internal = (checked.parent / "own" / "report.html").read_text("utf-8")
    shareable = (checked / "report.html").read_text("utf-8")
    assert "internal" in internal.lower()
    assert "internal" not in shareable.lower()


def test_a_signed_pdf_is_verified_alone_and_kept_when_the_folder_is_drawn_again(
    privgate, checked, certify, tmp_path
):
    own, key = certify("Anna")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    certificate = tmp_path / "anna.pem"
    certificate.write_bytes(pem + own.public_bytes(Encoding.PEM))
    for options in (("--pdf-certificate", certificate), ("--key", tmp_path / "anna.pem")):
        assert privgate("sign", checked, *options).code == 0
    signed = checked / "report.signed.pdf"
    assert signed.read_bytes().startswith((checked / "report.pdf").read_bytes())
    alone = shutil.copy(signed, tmp_path / "alone.pdf")
    public = tmp_path / "anna.pub"
    form = PublicFormat.SubjectPublicKeyInfo
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, form))
    both = ("--key", public, "--attestation", checked / "attestation.dsse.json")
    result = privgate("verify", alone, "--trust", certificate, *both)
    assert result.code == 0, result.err
    words = ("same bytes", "covers the whole file, by CN=Anna", "trusted by CN=Anna", ": valid")
    assert [word for word in words if word not in result.out] == []
    before = {name: (checked / name).read_bytes() for name in every_file(checked)}
    assert privgate("render", checked).code == 0
    assert {name: (checked / name).read_bytes() for name in every_file(checked)} == before
    assert privgate("verify", checked, "--trust", certificate, "--key", public).code == 0


def test_a_pdf_alone_is_verified_with_its_signature_and_its_look(
    privgate, checked, write_release, policy, tmp_path
):
    """The shareable edition, signed; and the internal one with a logo, drawn again with it."""
    key, attestation = tmp_path / "key", tmp_path / "signatures.json"
    assert privgate("key", "new", key, "--no-passphrase").code == 0
    assert privgate("sign", checked, "--key", key, "--out", attestation).code == 0
    alone = shutil.copy(checked / "report.pdf", tmp_path / "alone.pdf")
    signed = ("--key", f"{key}.pub", "--attestation", attestation)
    result = privgate("verify", alone, *signed)
    assert result.code == 0, result.err
    assert "same bytes" in result.out
    assert ": valid" in result.out

    logo = tmp_path / "logo.svg"
    logo.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    )
    look = ("--logo", logo, "--logo-alt", "Square")
    command = ("check", write_release(), "-p", policy, "--out", "own", "--internal", *look)
    assert privgate(*command).code == 0
    own = tmp_path / "own" / "report.pdf"
    result = privgate("verify", own, *look)
    assert result.code == 0, result.err
    assert "judging the attached evidence again gives the same verdict: met" in result.out
