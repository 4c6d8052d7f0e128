"""A small judged release, its folder, and key pairs."""

from datetime import UTC, datetime

import pytest

from privgate.attest import load_public_key, load_signer, new_key_pair
from privgate.dossier import Format, dossier_files, write_dossier
from privgate.engine import assess
from privgate.metrics import all_metrics
from privgate.policy import open_document, policy_from_text
from privgate.report import Audience

SIGNED_POLICY = """
privgate: policy/v1
id: signed
version: 1.0.0
title: Signed
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.05}, rationale: test,
     source: {kind: house, ref: test}}
  - {id: nearness, metric: dcr, measure: share_nearer_train, require: {max: 0.7}, rationale: test,
     source: {kind: house, ref: test}}
"""


def never_asked():
    raise AssertionError("nobody should be asked for a passphrase")


@pytest.fixture(scope="session")
def judged(survey_release):
    policy = open_document(policy_from_text(SIGNED_POLICY).document, all_metrics())
    return assess(survey_release, policy, created=datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def signable(judged, tmp_path):
    files = dossier_files(
        judged.evidence, judged.verdict, formats={Format.HTML}, audience=Audience.SHAREABLE
    )
    write_dossier(tmp_path / "out", files, judged.evidence, judged.verdict)
    return tmp_path / "out"


@pytest.fixture(scope="session")
def pair(tmp_path_factory):
    """Return a function that gives the signer and the public key of a named person."""
    folder = tmp_path_factory.mktemp("keys")

    def give(person):
        file = folder / f"{person}.pem"
        if not file.exists():
            new_key_pair(file, passphrase=None)
        signer = load_signer(file, passphrase=never_asked)
        return signer, load_public_key(folder / f"{person}.pem.pub")

    return give
