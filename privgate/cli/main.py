"""The command ``privgate``. The only place that turns an error into an exit code."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from types import FrameType
from typing import Annotated, NoReturn

import typer

from privgate.cli import (
    cache,
    calibrate,
    check,
    clean,
    compare,
    demo,
    doctor,
    explain,
    init,
    key,
    ledger,
    metric,
    policy,
    power,
    release,
    render,
    sign,
    verify,
    waiver,
)
from privgate.cli.console import complain, emit, prepare_streams, say
from privgate.cli.debugging import debug_wanted, take_debug_flag
from privgate.errors import ExitCode, PrivgateError, PrivgateWarning


class Stopped(BaseException):
    """The user or the system asked the run to end; no handler of errors may swallow that."""


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A release gate for synthetic data: measure disclosure risk, judge it against a written "
    "policy, keep the evidence.",
    epilog="Exit codes: 0 met, 1 violated, 2 unusable command, policy or data, 3 not assessed. "
    "--debug, anywhere, shows tracebacks; they may quote records.",
)
check.add_to(app)
clean.add_to(app)
compare.add_to(app)
demo.add_to(app)
init.add_to(app)
explain.add_to(app)
render.add_to(app)
sign.add_to(app)
verify.add_to(app)
power.add_to(app)
calibrate.add_to(app)
app.add_typer(policy.app, name="policy")
app.add_typer(waiver.app, name="waiver")
app.add_typer(metric.app, name="metric")
app.add_typer(release.app, name="release")
app.add_typer(ledger.app, name="ledger")
app.add_typer(key.app, name="key")
app.add_typer(cache.app, name="cache")
doctor.add_to(app)


def _print_version(asked: bool) -> None:
    if asked:
        emit(f"privgate {version('privgate')}")
        raise typer.Exit


@app.callback()
def _privgate(
    shown: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    del shown


def run() -> NoReturn:
    """Run the command line and exit with its code; no traceback reaches a user."""
    take_debug_flag(sys.argv)
    prepare_streams()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        with warnings.catch_warnings():
            if not debug_wanted():
                warnings.showwarning = _teller()
            app(prog_name="privgate")
    except PrivgateError as error:
        if debug_wanted():
            raise
        complain(error)
        sys.exit(error.exit_code)
    except Stopped as wish:
        say("stopped; nothing that was not finished was written")
        sys.exit(wish.args[0])
    except Exception as error:
        if debug_wanted():
            raise
        # The text of an unexpected exception may quote a record.
        say(
            f"error: privgate stopped unexpectedly ({type(error).__name__}). Run the command with "
            "--debug and report what it shows, after removing record values"
        )
        sys.exit(ExitCode.UNUSABLE)
    sys.exit(ExitCode.MET)


def _teller() -> Callable[..., None]:
    """Return what says once what privgate warns of; libraries warn their developers."""
    told: set[str] = set()

    def tell(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        text = f"warning: {message}"
        if issubclass(category, PrivgateWarning) and text not in told:
            told.add(text)
            say(text)

    return tell


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind, so that temporary files go; typer would exit without a word on an interrupt."""
    del frame
    raise Stopped(128 + number)
