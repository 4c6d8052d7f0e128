"""Data and settings that all tests share."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

# Before NumPy is there to read it. The engine computes with one thread, too; where every core has a
# process of tests, further threads wait for each other and burn what the tests need.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pyarrow.parquet as pq
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import HealthCheck, settings

from privgate.data import release_from_frames
from privgate.report.pdf import draw_pdf
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey

settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
os.environ.setdefault("COLUMNS", "200")

USAGES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
    *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)
SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """Keep what runs finish out of the cache of whoever runs the tests; return where it goes."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("PRIVGATE_CACHE")
    os.environ["PRIVGATE_CACHE"] = str(folder)
    yield folder
    os.environ.pop("PRIVGATE_CACHE")
    if before is not None:
        os.environ["PRIVGATE_CACHE"] = before


@pytest.fixture(scope="session")
def drawings():
    """Return the PDFs that were drawn for tests with ``drawn_once``, by what they were drawn of."""
    return {}


@pytest.fixture
def drawn_once(monkeypatch, drawings):
    """Draw no PDF twice: the bytes for the same page and attachments are those of the first time.

    That they are the same whenever they are drawn is what ``tests/report/test_pdf.py`` shows.
    """

    def draw(html, *, created, attached=()):
        key = (html, created, *sorted(attached, key=lambda file: file.name))
        if key not in drawings:
            drawings[key] = draw_pdf(html, created=created, attached=attached)
        return drawings[key]

    monkeypatch.setattr("privgate.report.pdf.draw_pdf", draw)


@pytest.fixture
def parquet_reads(monkeypatch):
    """Return the list of columns that this process read from Parquet files, which grows."""
    found = []
    read = pq.ParquetFile.read

    def noted(self, columns=None, **options):
        found.append(columns)
        return read(self, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", noted)
    return found


@pytest.fixture
def parquet_release(tmp_path):
    """Return the release file of a survey whose tables are Parquet files of several row groups."""
    lines = ["privgate: release/v1", "name: survey", "data:"]
    for seed, name in enumerate(("train", "holdout", "synthetic")):
        survey(300, seed).to_parquet(tmp_path / f"{name}.parquet", row_group_size=100)
        lines.append(f"  {name}: {{path: {name}.parquet}}")
    lines.append("columns:")
    lines += [f"  {name}: {json.dumps(it)}" for name, it in SURVEY_COLUMNS.items()]
    path = tmp_path / "release.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with real data beside the checkout; skip the test where there is none."""
    if not (SHARED / "data").is_dir():
        pytest.skip("no folder with real data beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def survey_release():
    """Return a release of invented people, the synthetic ones drawn afresh."""
    return release_from_frames(
        train=survey(400, 1),
        holdout=survey(300, 2),
        synthetic=survey(350, 3),
        columns=SURVEY_COLUMNS,
    )


@pytest.fixture
def example_a():
    """Return the encoded set Y = (0, 1, 4, 6), Z = (0, 2.5, 9, 30)."""
    return encoded([0, 1, 4, 6], [0, 2.5, 9, 30])


@pytest.fixture(scope="session")
def certify():
    """Return a function that issues a certificate with a new key, by itself or by another pair."""
    today = datetime.now(UTC).replace(microsecond=0)

    def issue(
        name, by=None, *, authority=False, days=(-1, 30), key=None, usage="sign", purposes=()
    ):
        key = key or ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        issuer, signing = (by[0].subject, by[1]) if by else (subject, key)
        allowed = dict.fromkeys(USAGES, False)
        allowed["digital_signature" if usage == "sign" else "key_encipherment"] = not authority
        allowed["key_cert_sign"] = allowed["crl_sign"] = authority
        builder = (
            x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(today + timedelta(days=days[0]))
            .not_valid_after(today + timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.KeyUsage(**allowed), critical=True)
        )
        if purposes:
            builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        return builder.sign(signing, hashes.SHA256()), key

    return issue
