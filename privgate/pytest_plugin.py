"""A plug-in of pytest: ``pytest --privgate RELEASE.yaml --privgate-policy P`` judges a release.

Each rule is a test, and so is the verdict, so that a release that is not met fails whichever rules
there are. Every run of pytest in an environment with privgate loads this module: it imports nothing
but pytest until a release is to be judged.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privgate.data import Release
    from privgate.engine import Assessment
    from privgate.policy import BoundPolicy
    from privgate.report.formats.cases import Case


@dataclass(frozen=True)
class Judged:
    """What became of a release: the assessment, its lines for people, and a case for each test."""

    assessment: Assessment
    text: str
    cases: Mapping[str, Case]


@dataclass
class Gate:
    """One release and one policy; the release is read and judged when the first test runs."""

    release: Path
    policy: BoundPolicy
    waivers: Path | None
    _judged: Judged | None = None
    _fault: str | None = field(default=None)

    def judged(self) -> Judged:
        """Return what became of the release; a fault fails every test, and is not tried again."""
        if self._fault is not None:
            pytest.fail(self._fault, pytrace=False)
        if self._judged is None:
            try:
                self._judged = judge(self.release, self.policy, waivers=self.waivers)
            except pytest.fail.Exception as fault:
                self._fault = str(fault)
                raise
        return self._judged


class RuleItem(pytest.Item):
    """The test of one case: passed if it is met, an expected failure if it does not stop."""

    gate: Gate
    case: str

    def runtest(self) -> None:
        """Judge the release, once for all tests, and fail if this case is not met."""
        from privgate.report.formats.cases import VERDICT, Standing  # noqa: PLC0415

        judged = self.gate.judged()
        case = judged.cases[self.case]
        if case.standing.stops:
            pytest.fail(judged.text if self.case == VERDICT else case.text, pytrace=False)
        if case.standing is not Standing.MET:
            pytest.xfail(case.message)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return what stands over a failure."""
        return self.gate.release, None, f"privgate: {self.case}"


def judge(
    release: str | Path | Release, policy: str | Path | BoundPolicy, *, waivers: Path | None = None
) -> Judged:
    """Return what a policy makes of a release; fails the test that asks if nothing can be judged.

    The texts are those of the shareable report and hold no value of the release.
    """
    from privgate.errors import PrivgateError  # noqa: PLC0415 - see the module's docstring

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's filters must change no measurement
            return _judge(release, policy, waivers)
    except PrivgateError as error:
        fault = str(error)
    except Exception as error:  # noqa: BLE001 - its text may quote a record
        fault = f"privgate stopped unexpectedly ({type(error).__name__}); `privgate check --debug` "
        fault += "shows more"
    pytest.fail(fault, pytrace=False)


def _judge(
    release: str | Path | Release, policy: str | Path | BoundPolicy, waivers: Path | None
) -> Judged:
    from privgate.data import load_release  # noqa: PLC0415
    from privgate.engine import assess  # noqa: PLC0415
    from privgate.executors import Threads, threads_of  # noqa: PLC0415
    from privgate.leakscan import declared_texts, require_no_values  # noqa: PLC0415
    from privgate.policy import load_waivers  # noqa: PLC0415
    from privgate.report import Audience, build_view  # noqa: PLC0415
    from privgate.report.formats import render_text  # noqa: PLC0415
    from privgate.report.formats.cases import cases  # noqa: PLC0415

    bound = _policy(policy)
    given = None if waivers is None else load_waivers(waivers)
    threads = Threads(threads_of(0))
    tables = (
        load_release(Path(release), executor=threads)
        if isinstance(release, str | Path)
        else release
    )
    found = assess(tables, bound, executor=threads, waivers=given)
    evidence, verdict = found.evidence, found.verdict
    told = cases(build_view(evidence, verdict, audience=Audience.SHAREABLE))
    text = render_text(verdict, evidence)
    shown = "\n".join((text, *(f"{case.message}\n{case.text}" for case in told)))
    declared = declared_texts(evidence, verdict)
    require_no_values({"what pytest shows": shown.encode()}, tables, declared=declared)
    return Judged(found, text, {case.id: case for case in told})


def _policy(policy: str | Path | BoundPolicy) -> BoundPolicy:
    from privgate.metrics import all_metrics  # noqa: PLC0415
    from privgate.policy import open_policy  # noqa: PLC0415

    return open_policy(str(policy), all_metrics()) if isinstance(policy, str | Path) else policy


@pytest.fixture(scope="session")
def privgate_check() -> Callable[..., Assessment]:
    """Return a function that fails a test unless a release meets a policy.

    It takes a release file or a :class:`privgate.Release`, and the name, file or object of a
    policy, also a waivers file as ``waivers``. It returns the assessment.
    """

    def check(
        release: str | Path | Release,
        policy: str | Path | BoundPolicy,
        *,
        waivers: Path | None = None,
    ) -> Assessment:
        judged = judge(release, policy, waivers=waivers)
        if judged.assessment.verdict.exit_code:
            pytest.fail(judged.text, pytrace=False)
        return judged.assessment

    return check


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; their names begin with privgate, so that no plug-in has the same."""
    group = parser.getgroup("privgate", "release gate for synthetic data")
    group.addoption(
        "--privgate", metavar="RELEASE.yaml", help="Judge this release, a test for each rule."
    )
    group.addoption(
        "--privgate-policy", metavar="POLICY", help="Name of a built-in policy, or a policy file."
    )
    group.addoption("--privgate-waivers", metavar="FILE", help="Findings that may stand.")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark of the tests known, by which they are chosen."""
    config.addinivalue_line("markers", "privgate: the tests of a release, one for each rule")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by name
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for the verdict and for each rule, if a release is to be judged."""
    release, policy = config.getoption("--privgate"), config.getoption("--privgate-policy")
    waivers = config.getoption("--privgate-waivers")
    if release is None and policy is None and waivers is None:
        return
    if release is None or policy is None:
        raise pytest.UsageError("--privgate and --privgate-policy need each other; give both")
    bound = _usable_policy(policy)
    gate = Gate(Path(release), bound, None if waivers is None else Path(waivers))
    items += _items(session, gate)


def _usable_policy(name: str) -> BoundPolicy:
    from privgate.errors import PrivgateError  # noqa: PLC0415

    try:
        return _policy(name)
    except PrivgateError as error:
        raise pytest.UsageError(str(error)) from None


def _items(session: pytest.Session, gate: Gate) -> list[pytest.Item]:
    from privgate.report.formats.cases import VERDICT  # noqa: PLC0415

    policy = gate.policy.policy
    found: list[pytest.Item] = []
    for name in (VERDICT, *(rule.id for rule in policy.rules)):
        place = f"{gate.release.as_posix()}::{policy.id}::{name}"
        item = RuleItem.from_parent(session, name=name, nodeid=place)
        item.gate, item.case = gate, name
        item.add_marker("privgate")
        found.append(item)
    return found
