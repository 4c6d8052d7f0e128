"""Signatures inside a PDF: what they cover, what they find, and whom they are trusted from."""

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509 import ObjectIdentifier
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject

from privgate.attest import (
    MANIFEST,
    SIGNED_REPORT,
    Trust,
    load_identity,
    load_roots,
    manifest_bytes,
    require_fit,
    signed_report,
    verify_folder,
    verify_signed_report,
)
from privgate.attest.certificates import Identity
from privgate.attest.pades import drawn_part, sign_pdf, verify_pdf_signature
from privgate.attest.report_pdf import verify_pdf
from privgate.errors import InputError, IntegrityError
from privgate.evidence import canonical_bytes
from privgate.metrics import all_metrics

weasyprint = pytest.importorskip("weasyprint", exc_type=OSError)
pytest.importorskip("pyhanko")

MOMENT = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
NOW = datetime.now(UTC)
SERVER = ObjectIdentifier("1.3.6.1.5.5.7.3.1")
DOCUMENTS = ObjectIdentifier("1.3.6.1.5.5.7.3.36")


@pytest.fixture(scope="module")
def root(certify):
    return certify("Root", authority=True)


@pytest.fixture(scope="module")
def between(certify, root):
    return certify("Between", root, authority=True)


@pytest.fixture(scope="module")
def anna(certify, between):
    certificate, key = certify("Anna", between)
    return Identity(certificate, key, (between[0],))


@pytest.fixture(scope="module")
def drawn():
    html = "<html lang=en-GB><title>t</title><p>A page with <a href='#x'>a link</a><p id=x>x"
    return weasyprint.HTML(string=html).write_pdf(
        pdf_variant="pdf/a-3u", pdf_tags=True, pdf_identifier=b"0" * 16
    )


@pytest.fixture(scope="module")
def signed(drawn, anna):
    return sign_pdf(drawn, anna, moment=MOMENT)


def trusting(*pairs, moment=NOW):
    return Trust(tuple(pair[0] for pair in pairs), moment)


def verify(pdf, trust=None):
    return verify_pdf_signature(pdf, name="report.signed.pdf", trust=trust)


def refused(pdf, trust=None):
    with pytest.raises(IntegrityError) as raised:
        verify(pdf, trust)
    return str(raised.value)


def test_the_drawn_report_stays_as_it_is_in_front_of_the_signature(drawn, signed):
    assert signed.startswith(drawn)
    assert drawn_part(signed, name="x") == drawn


def test_it_tells_whose_certificate_it_is_and_who_vouches_for_it(signed, root, between):
    alone = "\n".join(verify(signed).sentences)
    assert "intact, covers the whole file, by a certificate that names CN=Anna" in alone
    assert "2026-03-04 05:06 UTC by the signer's clock" in alone
    assert "not checked against a root" in alone
    for vouching, name in ((root, "Root"), (between, "Between")):
        found = verify(signed, trusting(vouching))
        assert (found.signer, found.root) == ("CN=Anna", f"CN={name}")
        assert f"trusted by CN={name}" in "\n".join(found.sentences)


def test_it_is_of_the_baseline_profile(signed):
    cms = pytest.importorskip("asn1crypto.cms")
    field = PdfReader(io.BytesIO(signed)).root_object["/AcroForm"]["/Fields"][0].get_object()
    found = field["/V"]
    assert found["/SubFilter"] == "/ETSI.CAdES.detached"
    assert found["/M"] == "D:20260304050600Z"
    (signer,) = cms.ContentInfo.load(found["/Contents"])["content"]["signer_infos"]
    kinds = {attribute["type"].native for attribute in signer["signed_attrs"]}
    # The time stands in /M: EN 319 142-1 forbids it among these.
    assert kinds == {"content_type", "message_digest", "signing_certificate_v2"}


def test_what_the_pdf_claims_of_archiving_and_accessibility_survives(drawn, signed):
    """An annotation must print and not be hidden (PDF/A), be described and show nowhere (UA)."""
    before, after = PdfReader(io.BytesIO(drawn)), PdfReader(io.BytesIO(signed))
    assert after.xmp_metadata.stream.get_data() == before.xmp_metadata.stream.get_data()
    assert after.metadata == before.metadata
    form = after.root_object["/AcroForm"]
    assert set(form) == {"/Fields", "/SigFlags"}
    assert form["/SigFlags"] == 3
    field = form["/Fields"][0].get_object()
    assert (field["/Subtype"], field["/FT"]) == ("/Widget", "/Sig")
    assert field["/TU"] == "Digital signature on this report"
    assert field["/F"] & 0b101111 == 0b100  # print, and neither invisible, hidden nor no view
    left, bottom, right, top = map(float, field["/Rect"])
    assert (left, bottom) == (right, top)
    assert max(right, top) < 0  # outside the page
    assert after.pages[0]["/Tabs"] == "/S"
    assert after.pages[0]["/Annots"][-1].get_object() == field


def test_any_flipped_byte_is_found(drawn, signed, root):
    start, end = signed.index(b"/Contents <") + 11, signed.index(b">\n/ByteRange")
    used = len(signed[start:end].rstrip(b"0"))
    places = {
        *range(9, len(drawn), len(drawn) // 9),  # the report
        *range(len(drawn), start, (start - len(drawn)) // 9),  # what was appended
        *range(start, start + used, used // 60),  # the signature, letters and digits
        *(end - 1, end - 40),  # what is kept free behind it
        *range(end, len(signed), (len(signed) - end) // 9),
    }
    for place in sorted(places):
        altered = bytearray(signed)
        altered[place] ^= 1
        assert refused(bytes(altered), trusting(root))
    capital = signed[start : start + used].upper().index(b"A") + start
    assert "cover the whole file" in refused(signed[:capital] + b"a" + signed[capital + 1 :])


def updated(pdf, change):
    """Return a PDF with one update more, as a person with a PDF program appends it."""
    writer = PdfWriter(io.BytesIO(pdf), incremental=True)
    change(writer)
    found = io.BytesIO()
    writer.write(found)
    assert found.getvalue().startswith(pdf)
    return found.getvalue()


def with_a_larger_page(writer):
    writer.pages[0][NameObject("/UserUnit")] = writer.pages[0]["/MediaBox"][2]


def test_what_is_appended_later_is_found_and_named(signed):
    assert "cover the whole file" in refused(signed + b"\n")
    assert "updates beyond it: 1" in refused(updated(signed, with_a_larger_page))


def test_what_was_appended_before_is_found_and_named(drawn, anna):
    assert "updates beyond it: 1" in refused(
        sign_pdf(updated(drawn, with_a_larger_page), anna, moment=MOMENT)
    )


def test_a_pdf_written_anew_is_found_and_named(signed):
    writer = PdfWriter(clone_from=io.BytesIO(signed))
    found = io.BytesIO()
    writer.write(found)
    assert "written anew" in refused(found.getvalue())


def larger_page(update):
    page = update.root["/Pages"]["/Kids"][0]
    page["/UserUnit"] = page["/MediaBox"][2]
    update.update_container(page)


def other_title(update):
    from pyhanko.pdf_utils.generic import TextStringObject  # noqa: PLC0415

    info = update.trailer["/Info"]
    info["/Title"] = TextStringObject("Harmless")
    update.update_container(info)


def on_opening(update):
    from pyhanko.pdf_utils.generic import NameObject  # noqa: PLC0415

    update.root["/PageMode"] = NameObject("/FullScreen")
    update.update_root()


@pytest.fixture
def signed_with(drawn, anna, monkeypatch):
    """Return a function that signs a PDF together with another change."""
    from privgate.attest.pades import signing  # noqa: PLC0415

    def sign(smuggle):
        class Smuggling(signing._Update):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                smuggle(self)

        monkeypatch.setattr(signing, "_Update", Smuggling)
        return sign_pdf(drawn, anna, moment=MOMENT)

    return sign


@pytest.mark.parametrize(
    ("smuggle", "words"),
    [
        (larger_page, "a changed page"),
        (other_title, "other objects"),
        (on_opening, "a changed catalog"),
    ],
)
def test_a_signer_cannot_add_anything_with_the_signature(signed_with, root, smuggle, words):
    """The signature covers it, and is trusted; what is read is not what was drawn."""
    reasons = refused(signed_with(smuggle), trusting(root))
    assert f"comes with more than a signature: {words}" in reasons


def test_a_signature_that_shows_is_refused(drawn, anna, root, monkeypatch):
    from privgate.attest.pades import signing  # noqa: PLC0415

    def shown(*arguments, **options):
        return replace(spec(*arguments, **options), box=(10, 10, 300, 200))

    spec = signing.SigFieldSpec
    monkeypatch.setattr(signing, "SigFieldSpec", shown)
    reasons = refused(sign_pdf(drawn, anna, moment=MOMENT), trusting(root))
    assert "a signature that shows on a page" in reasons


def test_a_certificate_counts_only_under_the_root_that_issued_it(signed, certify, root):
    namesake = certify("Root", authority=True)
    assert "leads to none of those given as --trust" in refused(signed, trusting(namesake))
    assert verify(signed, trusting(namesake, root)).root == "CN=Root"


def test_nothing_expired_counts(signed, root, certify, drawn):
    later = NOW + timedelta(days=40)
    reasons = refused(signed, trusting(root, moment=later))
    assert "is by a certificate that expired on" in reasons
    assert "rests on the certificate CN=Between, which expired on" in reasons
    assert "rests on the certificate CN=Root, which expired on" in reasons
    earlier = NOW - timedelta(days=40)
    assert "is not valid before" in refused(signed, trusting(root, moment=earlier))
    old = certify("Old root", authority=True, days=(-9, -1))
    certificate, key = certify("Bert", old)
    by_bert = sign_pdf(drawn, Identity(certificate, key, ()), moment=MOMENT)
    assert "rests on the certificate CN=Old root, which expired" in refused(by_bert, trusting(old))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"usage": "encrypt"}, "was not issued for signatures"),
        ({"purposes": [SERVER]}, "was issued for other purposes than documents"),
        ({"days": (-9, -1)}, "expired on"),
        ({"days": (1, 9)}, "is not valid before"),
    ],
)
def test_an_unfit_certificate_neither_signs_nor_counts(drawn, certify, root, facts, words):
    certificate, key = certify("Anna", root, **facts)
    identity = Identity(certificate, key, ())
    with pytest.raises(InputError, match=words):
        require_fit(identity, Path("anna.p12"), NOW)
    assert words in refused(sign_pdf(drawn, identity, moment=MOMENT), trusting(root))


def test_a_certificate_for_documents_and_one_of_a_seal_count(drawn, certify, root):
    certificate, key = certify("Office", root, purposes=[DOCUMENTS])
    pdf = sign_pdf(drawn, Identity(certificate, key, ()), moment=MOMENT)
    assert verify(pdf, trusting(root)).signer == "CN=Office"


def test_a_certificate_of_ones_own_counts_if_it_is_the_one_trusted(drawn, certify):
    own = certify("Carl")
    pdf = sign_pdf(drawn, Identity(*own, ()), moment=MOMENT)
    assert verify(pdf, trusting(own)).root == "CN=Carl"
    assert "leads to none" in refused(pdf, trusting(certify("Carl")))


def test_the_key_of_another_signs_nothing_for_a_certificate(drawn, anna, certify, root):
    _, thief = certify("Thief")
    reasons = refused(sign_pdf(drawn, replace(anna, key=thief), moment=MOMENT), trusting(root))
    assert "is broken: it is not by the certificate that it names" in reasons


def test_names_cannot_turn_a_line_around(drawn, certify):
    certificate, key = certify("An\u202ena\nPDF signature: trusted")
    found = verify(sign_pdf(drawn, Identity(certificate, key, ()), moment=MOMENT))
    assert "\u202e" not in found.signer
    assert "\n" not in found.signer


@pytest.fixture
def files(anna, root, tmp_path):
    """Write the identity in every form, and return the folder."""
    pem = anna.certificate.public_bytes(Encoding.PEM)
    above = [root[0], *anna.above]
    chain = b"".join(it.public_bytes(Encoding.PEM) for it in above)
    plain = (Encoding.PEM, PrivateFormat.PKCS8)
    key = anna.key.private_bytes(*plain, NoEncryption())
    locked = anna.key.private_bytes(*plain, BestAvailableEncryption(b"horse"))
    contents = {
        "chain.pem": chain + pem,
        "anna.key": key,
        "locked.key": locked,
        "all.pem": key + chain + pem,
        "root.der": root[0].public_bytes(Encoding.DER),
    }
    for name, secret in (("open.p12", NoEncryption()), ("locked.p12", None)):
        hidden = secret or BestAvailableEncryption(b"horse")
        contents[name] = pkcs12.serialize_key_and_certificates(
            None, anna.key, anna.certificate, above, hidden
        )
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def no_passphrase():
    raise AssertionError("nobody should be asked for a passphrase")


@pytest.mark.parametrize(
    ("names", "passphrase"),
    [
        (["open.p12"], no_passphrase),
        (["locked.p12"], lambda: "horse"),
        (["all.pem"], no_passphrase),
        (["chain.pem", "anna.key"], no_passphrase),
        (["chain.pem", "locked.key"], lambda: "horse"),
    ],
)
def test_an_identity_comes_from_pkcs12_or_pem(files, anna, names, passphrase):
    found = load_identity(*(files / name for name in names), passphrase=passphrase)
    assert found.certificate == anna.certificate
    assert found.above == anna.above  # without the root
    assert found.key.private_numbers() == anna.key.private_numbers()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["locked.p12"], "the passphrase does not open this file"),
        (["chain.pem", "locked.key"], "the passphrase does not open this key"),
        (["chain.pem"], "comes without its key"),
        (["root.der"], "neither PKCS #12 nor PEM"),
        (["open.p12", "anna.key"], "must be PEM"),
        (["chain.pem", "chain.pem"], "no key of a kind"),
        (["anna.key", "anna.key"], "holds no certificate"),
        (["nowhere.p12"], "cannot be read"),
    ],
)
def test_an_identity_that_cannot_be_used_is_refused(files, names, words):
    with pytest.raises(InputError, match=words):
        load_identity(*(files / name for name in names), passphrase=lambda: "wrong")


def test_keys_that_no_reader_of_pdf_knows_or_trusts_are_refused(files):
    cases = {
        "RSA or ECDSA": ed25519.Ed25519PrivateKey.generate(),
        "1024 bits is too short": rsa.generate_private_key(65537, 1024),  # noqa: S505 - too short on purpose
        "no certificate here belongs": rsa.generate_private_key(65537, 2048),
    }
    for words, key in cases.items():
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (files / "own.key").write_bytes(pem)
        with pytest.raises(InputError, match=words):
            load_identity(files / "chain.pem", files / "own.key", passphrase=no_passphrase)


def test_rsa_signs_as_well(drawn, certify):
    pair = certify("Anna", key=rsa.generate_private_key(65537, 2048))
    pdf = sign_pdf(drawn, Identity(*pair, ()), moment=MOMENT)
    assert verify(pdf, trusting(pair)).root == "CN=Anna"


def test_roots_are_pem_or_der(files, anna, root):
    found = load_roots([files / "root.der", files / "chain.pem"])
    assert found == (root[0], root[0], *anna.above, anna.certificate)
    for name in ("anna.key", "open.p12"):
        with pytest.raises(InputError, match="holds no certificate"):
            load_roots([files / name])


@pytest.fixture
def folder(signable, judged, drawn):
    """Return the folder of a check with a PDF."""
    (signable / "report.pdf").write_bytes(drawn)
    files = {path.name: path.read_bytes() for path in signable.iterdir() if path.name != MANIFEST}
    content = manifest_bytes(files, judged.evidence, judged.verdict)
    (signable / MANIFEST).write_bytes(content)
    return signable


def sign_folder(folder, identity):
    pdf = signed_report(folder, identity, all_metrics(), moment=MOMENT)
    (folder / SIGNED_REPORT).write_bytes(pdf)
    return pdf


def test_a_folder_holds_with_a_signed_pdf_in_it(folder, anna, root):
    assert verify_signed_report(folder, trust=None) is None
    sign_folder(folder, anna)
    verify_folder(folder, all_metrics())
    assert verify_signed_report(folder, trust=trusting(root)).signer == "CN=Anna"
    (folder / SIGNED_REPORT).unlink()
    with pytest.raises(IntegrityError, match=r"there is no report\.signed\.pdf"):
        verify_signed_report(folder, trust=trusting(root))


def test_the_signed_pdf_of_another_folder_is_found(folder, anna, drawn):
    other = weasyprint.HTML(string="<p>met").write_pdf()
    (folder / SIGNED_REPORT).write_bytes(sign_pdf(other, anna, moment=MOMENT))
    with pytest.raises(IntegrityError, match=r"is not the report\.pdf beside it"):
        verify_signed_report(folder, trust=None)
    (folder / SIGNED_REPORT).write_bytes(drawn)
    with pytest.raises(IntegrityError, match="written anew"):
        verify_signed_report(folder, trust=None)
    (folder / SIGNED_REPORT).write_bytes(b"no PDF")
    with pytest.raises(IntegrityError, match="cannot be read"):
        verify_signed_report(folder, trust=None)


def test_nobody_signs_what_does_not_hold(folder, anna):
    (folder / "report.pdf").write_bytes(b"altered")
    with pytest.raises(IntegrityError, match=r"report\.pdf"):
        signed_report(folder, anna, all_metrics(), moment=MOMENT)


def test_a_folder_without_a_pdf_has_none_to_sign(signable, anna):
    with pytest.raises(InputError, match=r"there is no report\.pdf to sign"):
        signed_report(signable, anna, all_metrics(), moment=MOMENT)


def attached(judged):
    """Return a page that carries a check, for which redrawing stands still."""
    contents = {
        "evidence.json": canonical_bytes(judged.evidence),
        "verdict.json": canonical_bytes(judged.verdict),
        "policy.yaml": judged.verdict.policy.text.encode(),
    }
    files = [weasyprint.Attachment(string=text, name=name) for name, text in contents.items()]
    return weasyprint.HTML(string="<p>met").write_pdf(attachments=files)


def test_a_signed_report_is_drawn_again_without_its_signature(judged, anna, root, tmp_path):
    drawn, file = attached(judged), tmp_path / "report.signed.pdf"

    def verified(pdf, trust, again=drawn):
        file.write_bytes(pdf)
        return verify_pdf(file, all_metrics(), redraw=lambda *_, **__: [again], trust=trust)

    signed = sign_pdf(drawn, anna, moment=MOMENT)
    found = verified(signed, trusting(root))
    assert (found.exact, found.drawn, found.signature.signer) == (True, drawn, "CN=Anna")
    assert verified(drawn, None).signature is None
    with pytest.raises(IntegrityError, match="no signature inside the PDF"):
        verified(drawn, trusting(root))  # taken away
    with pytest.raises(IntegrityError, match="gives other bytes"):
        verified(signed, trusting(root), again=drawn + b" ")  # signed, but not what is drawn
    with pytest.raises(IntegrityError, match="does not fit the file"):
        verified(signed.replace(b"Digital signature", b"Digital Signature"), None)
    with pytest.raises(IntegrityError, match="updates beyond it"):
        verified(updated(signed, with_a_larger_page), None)
