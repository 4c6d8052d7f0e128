"""Key files: what is written, what is read, and what is refused."""

import os
import shutil
import stat
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from privgate.attest import load_public_key, load_signer, new_key_pair
from privgate.errors import InputError


def never_asked():
    raise AssertionError("nobody should be asked for a passphrase")


def test_a_new_pair_is_read_back_and_belongs_together(tmp_path):
    made = new_key_pair(tmp_path / "key", passphrase=None)
    signer = load_signer(tmp_path / "key", passphrase=never_asked)
    assert signer.public_key == load_public_key(tmp_path / "key.pub") == made
    assert made.keytype == "ed25519"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_private_key_is_for_its_owner_only(tmp_path):
    new_key_pair(tmp_path / "key", passphrase=None)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("existing", ["key", "key.pub"])
def test_existing_files_are_left_alone(tmp_path, existing):
    (tmp_path / existing).write_text("mine")
    with pytest.raises(InputError, match="the file exists"):
        new_key_pair(tmp_path / "key", passphrase=None)
    assert [path.name for path in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "mine"


def test_a_passphrase_encrypts_and_only_it_opens(tmp_path):
    right = "päss word"
    made = new_key_pair(tmp_path / "key", passphrase=right)
    assert b"ENCRYPTED" in (tmp_path / "key").read_bytes()
    opened = load_signer(tmp_path / "key", passphrase=lambda: right)
    assert opened.public_key == made
    for other in ("pass word", ""):
        with pytest.raises(InputError, match="does not open") as raised:
            load_signer(tmp_path / "key", passphrase=lambda other=other: other)
        assert not other or other not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"hello", b"-----BEGIN PUBLIC KEY-----\nAAAA\n"])
def test_what_is_no_key_is_refused(tmp_path, content):
    (tmp_path / "key").write_bytes(content)
    for load in (load_public_key, lambda file: load_signer(file, passphrase=never_asked)):
        with pytest.raises(InputError, match="holds no key"):
            load(tmp_path / "key")
        with pytest.raises(InputError, match="cannot be read"):
            load(tmp_path / "nowhere")


def test_a_private_key_is_not_taken_for_a_public_one(tmp_path):
    new_key_pair(tmp_path / "key", passphrase=None)
    with pytest.raises(InputError, match="this is a private key"):
        load_public_key(tmp_path / "key")
    with pytest.raises(InputError, match="holds no key"):
        load_signer(tmp_path / "key.pub", passphrase=never_asked)


def test_a_short_rsa_key_is_refused(tmp_path):
    private = generate_private_key(65537, 1024)  # noqa: S505 - what must be refused
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key").write_bytes(pem)
    public = private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "key.pub").write_bytes(pem)
    with pytest.raises(InputError, match="1024 bits is too short"):
        load_signer(tmp_path / "key", passphrase=never_asked)
    with pytest.raises(InputError, match="1024 bits is too short"):
        load_public_key(tmp_path / "key.pub")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here")
@pytest.mark.parametrize(
    "kind", [["ed25519"], ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]], ids=lambda k: k[0]
)
def test_keys_of_openssl_are_read(tmp_path, kind):
    command = ["openssl", "genpkey", "-algorithm", *kind, "-out", tmp_path / "key"]
    subprocess.run(command, check=True, capture_output=True)
    command = ["openssl", "pkey", "-in", tmp_path / "key", "-pubout", "-out", tmp_path / "key.pub"]
    subprocess.run(command, check=True, capture_output=True)
    signer = load_signer(tmp_path / "key", passphrase=never_asked)
    load_public_key(tmp_path / "key.pub").verify_signature(signer.sign(b"text"), b"text")
