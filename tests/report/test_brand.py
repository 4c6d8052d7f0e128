"""An organisation's look adds to a report and takes nothing from it."""

from __future__ import annotations

import base64
import io
from dataclasses import replace

import pypdf
import pytest

from privgate.errors import InputError, RenderError
from privgate.report import Audience, build_view, load_brand, pdf, render_html, render_pdf
from privgate.report.brand import MOST_LOGO_BYTES
from privgate.report.drawing import drawing_problem

EXTENDS = '{% extends "privgate/report.html.j2" %}'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">{}</svg>'
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def view(sample):
    return build_view(*sample.sample("violated"), audience=Audience.SHAREABLE)


@pytest.fixture
def branded(view, tmp_path):
    """Return the report laid out with a template of the given text."""

    def lay_out(text, *, style=None, logo=None):
        (tmp_path / "report.html.j2").write_text(text, encoding="utf-8")
        if style is not None:
            (tmp_path / "brand.css").write_text(style, encoding="utf-8")
        return render_html(view, brand=load_brand(tmp_path, logo, logo_text="Office"))

    return lay_out


def test_blocks_add_to_the_report(view, branded):
    html = branded(
        EXTENDS + "{% block brand %}<p>Statistics office</p>{% endblock %}"
        "{% block before_report %}<p>For the board.</p>{% endblock %}"
        "{% block after_report %}<p>Questions: desk 4.</p>{% endblock %}"
        "{% block imprint %}<p>{{ view.tool }} at the office</p>{% endblock %}"
    )
    order = [html.index(it) for it in ("Statistics office", view.headline, "For the board.")]
    order += [html.index(it) for it in ("Questions: desk 4.", "at the office")]
    assert order == sorted(order)


def test_a_style_sheet_comes_after_the_built_in_and_before_the_guard(branded):
    html = branded(EXTENDS, style=".outcome { display: none } h1 { color: #7a1f5c }")
    assert (
        html.index("max-width: 80rem") < html.index("#7a1f5c") < html.index("display: block !imp")
    )


@pytest.mark.parametrize(
    "template",
    [
        "<p>All is well.</p>",
        EXTENDS + "{% block brand %}<!--{% endblock %}{% block before_report %}-->{% endblock %}",
        EXTENDS + "{% block brand %}<div hidden>{% endblock %}",
        EXTENDS + '{% block brand %}<div style="display:none">{% endblock %}',
        EXTENDS + '{% block brand %}<div style="color:#fff">{% endblock %}',
        EXTENDS + "{% block brand %}<template>{% endblock %}",
        EXTENDS + "{% block brand %}<script>1</script>{% endblock %}",
        EXTENDS + '{% block brand %}<img src="https://example.org/x.png" alt="">{% endblock %}',
        EXTENDS + '{% block brand %}<p onclick="x()">x</p>{% endblock %}',
        EXTENDS + '{% block brand %}<iframe srcdoc="x"></iframe>{% endblock %}',
        '{% include "privgate/report.html.j2" %}'.replace("include", "set x = 1 #}{# include"),
    ],
)
def test_nothing_is_left_out_hidden_or_loaded(branded, template):
    with pytest.raises(RenderError, match=r"template cannot be used|laid out"):
        branded(template)


def test_words_cannot_be_changed_in_passing(view, branded):
    plain = render_html(view)
    assert branded(plain.replace("{", "&#123;")) is not None
    forged = plain.replace("does not meet the policy", "does now meet the policy")
    assert forged != plain
    with pytest.raises(RenderError, match="leave out, hide or change"):
        branded(forged.replace("{", "&#123;"))


@pytest.mark.parametrize(
    "text",
    [
        "{{ nothing }}",
        "{% if %}",
        "{{ view.__class__.__mro__ }}",
        "{{ words.__init__.__globals__ }}",
        "{{ view.rules.append(1) }}",
        "{{ 1 + 'a' }}",
        '{% include "../secret" %}',
    ],
)
def test_templates_run_in_a_sandbox_and_undefined_names_are_errors(branded, text):
    with pytest.raises(RenderError, match="could not be laid out"):
        branded(EXTENDS + "{% block brand %}" + text + "{% endblock %}")


def test_values_are_escaped(sample, tmp_path):
    evidence, verdict = sample.sample("met")
    release = evidence.release.model_copy(update={"name": "<b>x</b>"})
    evidence = evidence.model_copy(update={"release": release})
    verdict = sample.judge(evidence, verdict.outcome, verdict.rules)
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    (tmp_path / "report.html.j2").write_text(
        EXTENDS + "{% block brand %}<p>{{ view.release }}</p>{% endblock %}", encoding="utf-8"
    )
    html = render_html(view, brand=load_brand(tmp_path, None))
    assert "<p>&lt;b&gt;x&lt;/b&gt;</p>" in html


@pytest.mark.parametrize(
    "style",
    [
        "@import 'x.css';",
        "a { background: url(https://example.org/x) }",
        "a { background: URL( 'x.png' ) }",
        "</style><script>",
        "a { background: \\75rl(x) }",
    ],
)
def test_a_style_sheet_refers_to_nothing(branded, style):
    with pytest.raises(InputError, match="a style sheet may not hold"):
        branded(EXTENDS, style=style)


def test_a_logo_is_embedded_with_its_text(view, tmp_path):
    file = tmp_path / "logo.svg"
    file.write_text(SVG.format('<rect width="9" height="9"/>'), encoding="utf-8")
    html = render_html(view, brand=load_brand(None, file, logo_text='The "office"'))
    assert 'class="logo" src="data:image/svg+xml;base64,' in html
    assert 'alt="The &#34;office&#34;"' in html
    assert 'alt="Logo"' in render_html(view, brand=load_brand(None, file))


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_logo_is_a_described_picture_of_the_pdf(view, tmp_path, suffix):
    file = tmp_path / f"logo.{suffix}"
    file.write_bytes(DOT if suffix == "png" else SVG.format('<path d="M0 0h9v9z"/>').encode())
    brand = load_brand(None, file, logo_text="Statistics office")
    raw = render_pdf(replace(view, sections=view.sections[:1]), brand=brand)
    assert "Statistics office" in pictures_of(pypdf.PdfReader(io.BytesIO(raw)))


def pictures_of(reader):
    """Return the texts of all pictures in a tagged PDF."""
    open_nodes, found = [reader.trailer["/Root"]["/StructTreeRoot"]], []
    while open_nodes:
        node = open_nodes.pop().get_object()
        if isinstance(node, list):
            open_nodes += node
        elif isinstance(node, dict):
            open_nodes += [node["/K"]] if "/K" in node else []
            found += [str(node["/Alt"])] if node.get("/S") == "/Figure" else []
    return found


@pytest.mark.parametrize(
    "content",
    [
        "<script>1</script>",
        "<foreignObject/>",
        "<image href='x.png'/>",
        "<rect onload='x()'/>",
        "<use href='other.svg#a'/>",
        "<use xmlns:xlink='http://www.w3.org/1999/xlink' xlink:href='http://x/#a'/>",
        "<rect fill='url(http://x/#a)'/>",
        "<rect style='fill: url(x)'/>",
        "<style>a{}</style>",
        "<a href='#x'/>",
        "<animate/>",
    ],
)
def test_an_svg_that_does_more_than_draw_is_refused(tmp_path, content):
    file = tmp_path / "logo.svg"
    file.write_text(SVG.format(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"the drawing.*give a PNG") as caught:
        load_brand(None, file)
    assert "logo.svg" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"x" * (MOST_LOGO_BYTES + 1), "512 KiB"),
        (b"GIF89a", "not a PNG"),
        (b"<html/>", "not a PNG"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>', "entities"),
    ],
)
def test_what_is_no_logo_is_refused(tmp_path, content, reason):
    file = tmp_path / "logo"
    file.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        load_brand(None, file)


def test_shapes_gradients_and_own_references_are_a_drawing():
    inside = (
        '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs>'
        '<rect fill="url(#a)"/><use href="#b"/><title>x</title>'
    )
    assert drawing_problem(SVG.format(inside).encode()) is None


def test_a_folder_needs_a_template_or_a_style_sheet(tmp_path):
    with pytest.raises(InputError, match="there is neither"):
        load_brand(tmp_path, None)
    with pytest.raises(InputError, match="neither"):
        load_brand(tmp_path / "missing", None)
    with pytest.raises(InputError, match="cannot be read"):
        load_brand(None, tmp_path / "missing.png")


def test_pictures_are_read_from_their_address_only():
    address = f"data:image/png;base64,{base64.b64encode(DOT).decode()}"
    assert pdf._within(address) == DOT
    with pytest.raises(ValueError, match="nothing outside itself"):
        pdf._within("data:text/css,a{}")
