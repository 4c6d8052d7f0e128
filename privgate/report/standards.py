"""What makes a PDF both PDF/A-3u and PDF/UA-1, where WeasyPrint writes one of the two."""

from __future__ import annotations

from typing import Any

from privgate.errors import RenderError

_END = b"</rdf:RDF>"
_UA = "http://www.aiim.org/pdfua/ns/id/"
# PDF/A knows the name of no other standard, so the file has to define the property that names it.
_CLAIM = f"""
<rdf:Description rdf:about="" xmlns:pdfuaid="{_UA}">
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description>
<rdf:Description rdf:about=""
 xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
 xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>
<pdfaSchema:namespaceURI>{_UA}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289 that the file keeps to</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
""".encode()


def claim_accessibility(_document: Any, pdf: Any) -> None:
    """Add to the metadata of a tagged PDF/A-3 file that it keeps to PDF/UA-1, too.

    Parameters
    ----------
    _document
        The laid-out document, as WeasyPrint hands it to a finisher.
    pdf
        The file that WeasyPrint is about to write.

    Raises
    ------
    RenderError
        If the metadata are not of the form this was written for.

    Notes
    -----
    The identifiers are those of ISO 14289-1:2014, clause 5, and ISO 19005-3:2012, clause 6.6.4;
    the definition of a property that PDF/A does not know is that of clause 6.6.2.3.
    """
    number = int(pdf.catalog["Metadata"].split()[0])
    stream = pdf.objects[number]
    content = b"".join(stream.stream)
    if content.count(_END) != 1:
        raise RenderError("the PDF could not be drawn: its metadata cannot name PDF/UA")
    stream.stream = [content.replace(_END, _CLAIM + _END)]
    stream.compress = False  # readable for programs that look for the claim
    _silence_signs(pdf)
    _index_identifiers(pdf)
    files = pdf.catalog.get("AF", [])
    files[:] = dict.fromkeys(files)  # WeasyPrint lists every attached file twice


def _index_identifiers(pdf: Any) -> None:
    """List the elements that have an identifier, as the heads have that cells of tables name.

    ISO 32000-1, table 322, demands the list wherever there is an identifier.
    """
    import pydyf  # noqa: PLC0415 - comes with WeasyPrint, which may be missing

    named: list[Any] = [
        entry for entry in pdf.objects if isinstance(entry, dict) and {"ID", "S"} <= entry.keys()
    ]
    names = pydyf.Array()
    for entry in sorted(named, key=lambda entry: bytes(entry["ID"].data)):
        names.extend([entry["ID"], entry.reference])
    root = pdf.objects[int(pdf.catalog["StructTreeRoot"].split()[0])]
    root["IDTree"] = pydyf.Dictionary({"Names": names})


def _silence_signs(pdf: Any) -> None:
    """Turn pictures without a text, which only decorate the word beside them, into empty text.

    PDF/UA-1, 7.3, wants a text for every figure. A sign repeats the outcome that stands beside it,
    so a screen reader should pass over it.
    """
    for entry in pdf.objects:
        if isinstance(entry, dict) and entry.get("S") == "/Figure" and "Alt" not in entry:
            entry["S"] = "/Span"
            entry["ActualText"] = "()"
            entry.pop("A", None)
