"""The files for pipelines, run as the pipelines run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest
from ruamel.yaml import YAML

from privgate.testing.samples import SURVEY_COLUMNS, survey

ROOT = Path(__file__).parents[2]
CI = ROOT / "examples" / "ci"
RULE = "metric: crp, rationale: so, source: {kind: house, ref: tests}"
POLICY = f"""\
privgate: policy/v1
id: small
version: 1.0.0
title: Small
rules:
  - {{id: copies, measure: share, require: {{max: 0.05}}, {RULE}}}
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipelines run in a shell")
# What pip needs to build from the checkout without a network.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
INTERNAL = ("evidence.json", "verdict.json", "manifest.json", "records")
SCHEMAS = {
    ROOT / "action.yml": "vendor.github-actions",
    CI / "github-workflow.yml": "vendor.github-workflows",
    CI / "gitlab-ci.yml": "vendor.gitlab-ci",
}
ACTION = YAML(typ="safe").load(ROOT / "action.yml")
GITLAB = YAML(typ="safe").load(CI / "gitlab-ci.yml")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


@pytest.fixture(scope="module")
def tables():
    """Tables of invented people; the leaky ones are those of train."""
    train = survey(250, 1)
    return {
        "train": train,
        "holdout": survey(200, 2),
        "honest": survey(220, 3),
        "leaky": train,
    }


@pytest.fixture
def folder(tmp_path, tables):
    """A folder with a leaky release, and an honest table beside it."""
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    shutil.copy(tmp_path / "leaky.csv", tmp_path / "synthetic.csv")
    columns = {column: dict(entry) for column, entry in SURVEY_COLUMNS.items()}
    data = {name: {"path": f"{name}.csv"} for name in ("train", "holdout", "synthetic")}
    content = {"privgate": "release/v1", "name": "survey", "data": data, "columns": columns}
    (tmp_path / "release.yaml").write_text(json.dumps(content), "utf-8")
    (tmp_path / "small.yaml").write_text(POLICY, "utf-8")
    return tmp_path


@pytest.fixture
def shell(folder, tmp_path_factory):
    """Return a function that runs a script in a shell in which privgate is a command."""
    commands = tmp_path_factory.mktemp("bin")
    call = '-c "from privgate.cli.main import run; run()"'
    for name, words in {"privgate": call, "python": ""}.items():
        command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n'
        (commands / name).write_text(command, "utf-8")
        (commands / name).chmod(0o755)

    def run(*words, **environment):
        path = f"{commands}{os.pathsep}{os.environ['PATH']}"
        known = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}
        return subprocess.run(
            words,
            cwd=folder,
            env=known | {"PATH": path, "PYTHONPATH": str(ROOT)} | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def made_honest(folder):
    shutil.copy(folder / "honest.csv", folder / "synthetic.csv")


def filled_in(text, inputs):
    """A text of the action with the inputs in place of their expressions."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda it: inputs[it[1]], text)


@pytest.fixture
def act(shell, folder):
    """Return a function that runs the step of the action that checks, as the runner does."""

    def run(**given):
        defaults = {name: it.get("default", "") for name, it in ACTION["inputs"].items()}
        inputs = defaults | {"release": "release.yaml", "policy": "small.yaml"} | given
        step = STEPS["Check the release"]
        script = folder / "step.sh"
        script.write_text(step["run"], "utf-8")
        for name in ("output", "summary"):
            (folder / name).write_text("", "utf-8")
        done = shell(
            *("bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)),
            **{name: filled_in(text, inputs) for name, text in step["env"].items()},
            GITHUB_OUTPUT=str(folder / "output"),
            GITHUB_STEP_SUMMARY=str(folder / "summary"),
        )
        lines = (folder / "output").read_text("utf-8").splitlines()
        return done, dict(line.split("=", 1) for line in lines)

    return run


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.name)
def test_files_follow_the_schemas_of_their_services(file):
    options = ("--builtin-schema", SCHEMAS[file])
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *options, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_becomes_part_of_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_what_holds_exact_counts_is_not_uploaded():
    upload = STEPS["Keep the report"]
    assert upload["if"].startswith("${{ always()")
    paths = [Path(path).name for path in upload["with"]["path"].splitlines()]
    assert not {*paths, "privgate-report"}.isdisjoint({"report.html", "junit.xml"})
    assert set(paths).isdisjoint({*INTERNAL, "privgate-report", "*"})
    kept = GITLAB["privgate"]["artifacts"]
    told = [*kept["paths"], *kept["reports"].values()]
    assert not [path for path in told if Path(path).name in {*INTERNAL, "privgate-report"}]


@pytest.mark.slow
def test_the_action_fails_with_the_verdict_and_tells_it(act, folder):
    done, outputs = act()
    assert done.returncode == 1, done.stdout + done.stderr
    assert outputs == {"exit-code": "1", "outcome": "violated"}
    assert re.search(r"(?m)^::error title=copies%3A ", done.stdout)
    assert "This release does not meet the policy" in (folder / "summary").read_text("utf-8")
    written = {path.name for path in (folder / "privgate-report").iterdir()}
    assert {"report.html", "junit.xml", "privgate.sarif", "summary.md"} <= written


@pytest.mark.slow
def test_the_action_passes_a_release_that_is_met_with_further_options(act, folder):
    made_honest(folder)
    options = "--language\nde\n\n--seed\n7\n"
    done, outputs = act(options=options, format="markdown", out="my report")
    assert done.returncode == 0, done.stdout + done.stderr
    assert outputs == {"exit-code": "0", "outcome": "met"}
    assert "Diese Freigabe" in (folder / "my report" / "summary.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("release", ["nowhere.yaml", "$(touch pwned)`touch pwned`; exit 0"])
def test_the_action_fails_where_nothing_can_be_judged(act, folder, release):
    done, outputs = act(release=release)
    assert done.returncode == 2
    assert outputs == {"exit-code": "2", "outcome": "unusable"}
    assert "::error title=privgate::Nothing was judged" in done.stdout
    assert not (folder / "pwned").exists()


@pytest.mark.slow
def test_the_action_fails_where_something_cannot_be_shown(act, folder):
    made_honest(folder)
    told = json.loads((folder / "release.yaml").read_text("utf-8"))
    del told["data"]["holdout"]
    (folder / "alone.yaml").write_text(json.dumps(told), "utf-8")
    demanding = POLICY.replace("rules:", "requires: {holdout: true}\nrules:")
    (folder / "demanding.yaml").write_text(demanding, "utf-8")
    done, outputs = act(release="alone.yaml", policy="demanding.yaml", format="junit")
    assert done.returncode == 3, done.stdout + done.stderr
    assert outputs == {"exit-code": "3", "outcome": "not_assessed"}
    assert "<error" in (folder / "privgate-report" / "junit.xml").read_text("utf-8")


@pytest.mark.slow
def test_the_action_installs_what_it_lies_beside(shell, tmp_path):
    target = tmp_path / "site"
    done = shell(
        *("bash", "-eo", "pipefail", "-c", STEPS["Install privgate"]["run"]),
        **OFFLINE,
        PIP_TARGET=str(target),
        GITHUB_ACTION_PATH=str(ROOT),
    )
    assert done.returncode == 0, done.stderr
    assert (target / "privgate" / "_data" / "policies" / "public-release-strict.yaml").is_file()


@pytest.mark.slow
def test_the_pipeline_of_gitlab_fails_with_the_verdict_and_keeps_its_files(shell, folder):
    job = GITLAB["privgate"]
    variables = GITLAB["variables"] | {"PRIVGATE_POLICY": "small.yaml"}
    done = shell("sh", "-ec", "\n".join(job["script"]), **variables)
    assert done.returncode == 1, done.stdout + done.stderr
    kept = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    assert [path for path in kept if not (folder / path).is_file()] == []
    assert job["artifacts"]["when"] == "always"
    assert "allow_failure" not in job


@pytest.mark.skipif(shutil.which("curl") is None, reason="the job's image has curl")
def test_the_note_is_posted_to_the_merge_request(shell, folder):
    received = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            received.append((self.path, self.headers["PRIVATE-TOKEN"], parse_qs(body)["body"][0]))
            self.send_response(201)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, daemon=True).start()
    (folder / "privgate-report").mkdir()
    note = "## ✗ a & b + c\n\n| d |\n"
    (folder / "privgate-report" / "summary.md").write_text(note, "utf-8")
    done = shell(
        *("sh", "-ec", "\n".join(GITLAB["privgate-note"]["script"])),
        CI_API_V4_URL=f"http://127.0.0.1:{server.server_port}/api/v4",
        CI_PROJECT_ID="7",
        CI_MERGE_REQUEST_IID="3",
        PRIVGATE_TOKEN="secret",  # noqa: S106 - of a service that this test is
        no_proxy="127.0.0.1",
    )
    server.shutdown()
    server.server_close()
    assert done.returncode == 0, done.stderr
    assert received == [("/api/v4/projects/7/merge_requests/3/notes", "secret", note)]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_publishes_only_what_is_met(shell, folder):
    shutil.copy(CI / "Makefile", folder)
    for _ in range(2):  # the report of a violated check must not count as done
        assert shell("make", "POLICY=small.yaml").returncode == 2
        assert (folder / "privgate-report" / "report.html").is_file()
        assert not (folder / "published").exists()
    made_honest(folder)
    done = shell("make", "POLICY=small.yaml")
    assert done.returncode == 0, done.stderr
    assert (folder / "published" / "synthetic.csv").is_file()


def commands():
    """The commands of the other files, with the names in their gaps filled in."""
    stages = YAML(typ="safe").load(CI / "dvc.yaml")["stages"]
    snakefile = (CI / "Snakefile").read_text("utf-8")
    (snake,) = re.findall(r'"(privgate check .+)"', snakefile)
    inputs = {"{input[0]}": "release.yaml", "{params.policy}": "public-release-strict"}
    for gap, text in inputs.items():
        snake = snake.replace(gap, text)
    return {"dvc": stages["gate"]["cmd"], "snakemake": snake}


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["dvc", "snakemake"])
def test_commands_of_other_tools_end_with_the_verdict(shell, folder, tool):
    command = commands()[tool].replace("public-release-strict", "small.yaml")
    done = shell("bash", "-c", command)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (folder / "privgate-report" / "report.html").is_file()


# Newer versions are for whoever raises these; each brings some hundred packages.
TOOLS = {"dvc": "dvc==3.67.1", "snakemake": "snakemake==9.27.1"}


@pytest.fixture(params=TOOLS)
def tool(request, tmp_path_factory):
    """The name and program of a tool: that of the machine, or one fetched for `.ci/run`."""
    found = shutil.which(request.param)
    if found is not None:
        return request.param, found
    if os.environ.get("PRIVGATE_PACKAGES") != "required":
        pytest.skip(f"{request.param} is not installed")
    place = tmp_path_factory.mktemp("tool")
    venv.create(place)
    pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python")]
    # Python compiles what is used; pip would compile everything.
    options = ("--disable-pip-version-check", "--no-compile", "--quiet")
    command = [*pip, "install", *options, TOOLS[request.param]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return request.param, str(place / "bin" / request.param)


@pytest.mark.slow
def test_other_tools_publish_only_what_is_met(shell, folder, tool):
    name, program = tool
    file = "dvc.yaml" if name == "dvc" else "Snakefile"
    text = (CI / file).read_text("utf-8")
    (folder / file).write_text(text.replace("public-release-strict", "small.yaml"), "utf-8")
    environment = {"DVC_NO_ANALYTICS": "1", "HOME": str(folder)}
    if name == "dvc":
        assert shell(program, "init", "--no-scm", "--quiet", **environment).returncode == 0
    words, refused = (["repro"], 255) if name == "dvc" else (["--cores", "1"], 1)
    for _ in range(2):  # the report of a violated check must not count as done
        done = shell(program, *words, **environment)
        assert done.returncode == refused, done.stdout + done.stderr
        assert (folder / "privgate-report" / "report.html").is_file()
        assert not (folder / "published").exists()
    made_honest(folder)
    done = shell(program, *words, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "published" / "synthetic.csv").read_bytes() == (
        folder / "honest.csv"
    ).read_bytes()


def test_a_snakefile_keeps_the_report_and_asks_for_the_stamp():
    text = (CI / "Snakefile").read_text("utf-8")
    outputs = re.findall(r"(?s)output:(.*?)(?:params|shell):", text)
    assert 'touch("privgate.met")' in outputs[1]
    assert not any("privgate-report" in output for output in outputs)
    assert 'gate="privgate.met"' in text


@pytest.fixture
def hooks(tmp_path_factory):
    """A repository with what pre-commit needs of the checkout, and its commit."""
    place = tmp_path_factory.mktemp("hooks")
    for name in ("privgate", "policies", "templates", "examples/demo"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, place)
    return place, committed(place)


def committed(place):
    who = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)  # noqa: S607
    told = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(told, cwd=place, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_hooks_find_faults_before_a_commit(shell, folder, hooks, tmp_path_factory):
    place, revision = hooks
    names = [{"id": "privgate-policy-lint"}, {"id": "privgate-waiver-lint"}]
    config = {"repos": [{"repo": str(place), "rev": revision, "hooks": names}]}
    (folder / ".pre-commit-config.yaml").write_text(json.dumps(config), "utf-8")
    (folder / "policies").mkdir()
    shutil.copy(ROOT / "policies" / "ci-smoke.yaml", folder / "policies" / "good.yaml")
    (folder / "bad.policy.yaml").write_text(POLICY.replace("share", "sahre"), "utf-8")
    (folder / "waivers.yaml").write_text("privgate: waivers/v1\nwaivers: [{rule: x}]\n", "utf-8")
    committed(folder)
    packages = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    environment = OFFLINE | {"PYTHONPATH": packages, "SOURCE_DATE_EPOCH": "1796000000"}
    environment["PRE_COMMIT_HOME"] = str(tmp_path_factory.mktemp("home"))

    def run():
        call = (sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never")
        return shell(*call, **environment)

    done = run()
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"privgate policy lint\.+Failed", done.stdout), done.stdout
    assert "bad.policy.yaml:6" in done.stdout
    assert "policies/good.yaml: 0 errors" in done.stdout
    assert re.search(r"privgate waiver lint\.+Failed", done.stdout), done.stdout
    for name in ("bad.policy.yaml", "waivers.yaml"):
        (folder / name).unlink()
    committed(folder)
    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"privgate policy lint\.+Passed", done.stdout), done.stdout
