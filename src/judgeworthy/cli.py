"""The command line."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import click

from judgeworthy import audit as auditing
from judgeworthy import datasets, initialise, parameters, project, recording, study
from judgeworthy import plan as planning
from judgeworthy.annotation import desk
from judgeworthy.errors import (
    DataError,
    JudgeworthyError,
    MissingRepliesError,
    ParameterError,
    ServerMissingError,
)
from judgeworthy.models import catalog, local
from judgeworthy.models.budget import Limits
from judgeworthy.models.collect import Outcome
from judgeworthy.models.request import Requests
from judgeworthy.study import Study


class _NoServerException(click.ClickException):
    exit_code = 3  # tells make to build the local server


class _Commands(click.Group):
    """Commands whose faults are told in words, without a traceback."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except ServerMissingError as error:
            raise _NoServerException(str(error)) from None
        except JudgeworthyError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_Commands)
@click.version_option(package_name="judgeworthy")
def main() -> None:
    """Audit LLM judges that see no reference answer."""


@main.command()
@click.argument("names", nargs=-1, metavar="[STUDY]...")
def models(names: tuple[str, ...]) -> None:
    """Bring the files of the local models, all or those of the studies, and check them."""
    known = catalog.load()
    asked = {model for name in names for model in study.load(name).models}
    wanted = [known[name] for name in sorted(asked)] or list(known.models.values())
    for model in wanted:
        if model.file is not None:
            click.echo(local.check(model.file))


@main.command()
@click.argument("source", type=click.Choice(datasets.DOWNLOADS))
def data(source: str) -> None:
    """Download a data set whose text is not part of the project, and say what it holds."""
    path, summaries = datasets.fetch(source)
    click.echo(f"{source}: {path}")
    for summary in summaries:
        click.echo(summary)


@main.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "--data",
    "paths",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Your file; may be repeated, such as for a log a model.",
)
@click.option("--language", default="", metavar="CODE", help="Of the rows, if no column tells.")
@click.option(
    "--column",
    "said",
    multiple=True,
    metavar="ROLE=COLUMN",
    help="What a column holds, where it is not found out; may be repeated.",
)
@click.option("--leave-out-faulty", is_flag=True, help="Go on with the sound rows alone.")
def init(
    name: str, paths: tuple[Path, ...], language: str, said: tuple[str, ...], leave_out_faulty: bool
) -> None:
    """Make a study of your own file: CSV, TSV, XLSX, JSON lines, Parquet, or a tool's log.

    It says what the columns are taken for, which analyses they allow and what these cost, and
    writes params/STUDY.yaml, a study a language. Nothing is written if the file has faults.
    """
    pairs = tuple((role, column) for role, _, column in (one.partition("=") for one in said))
    wish = initialise.Wish(name, paths, language, pairs, leave_out_faulty)
    plan = initialise.look(wish)
    click.echo("\n".join(plan.found))
    if plan.faults and not leave_out_faulty:
        raise DataError(initialise.refusal(plan))
    click.echo("\n".join(["", *initialise.write(plan, wish)]))
    planned = {one: list(planning.parts(study.load(one))) for one in plan.files}
    click.echo(planning.table(planned).to_string(index=False))
    click.echo(f'Next: make record STUDY="{" ".join(plan.files)}"')


@main.command()
@click.argument("name", metavar="STUDY")
@click.option("--model", "only", multiple=True, help="Ask this model alone; may be repeated.")
@click.option(
    "--more-room", is_flag=True, help="Ask again, with twice the tokens, what was cut off."
)
@click.option(
    "--batch", is_flag=True, help="Send files of requests, for half the price, within a day."
)
@click.option(
    "--cluster", default="", metavar="ADDRESS", help="Ask from the workers of a Dask cluster."
)
@click.option(
    "--check", is_flag=True, help="Ask for nothing; say whether the record is whole and sound."
)
@click.option("--max-requests", type=click.IntRange(min=0), help="Send no more than this.")
@click.option("--max-tokens", type=click.IntRange(min=0), help="Of prompts and replies together.")
@click.option("--max-usd", type=click.FloatRange(min=0), help="At the prices in models.yaml.")
def record(
    name: str,
    only: tuple[str, ...],
    more_room: bool,
    batch: bool,
    cluster: str,
    check: bool,
    max_requests: int | None,
    max_tokens: int | None,
    max_usd: float | None,
) -> None:
    """Ask the models of STUDY for the replies that are not recorded yet.

    Ctrl-C once lets the requests in flight end. Nothing that was recorded is ever lost, and the
    same command goes on where this one stopped.
    """
    chosen = study.load(name)
    limits = Limits(max_requests, max_tokens, max_usd)
    way = recording.Way(frozenset(only), more_room, limits, batch, cluster)
    for model in only:
        if model not in chosen.models:
            hint = parameters.nearest(model, list(chosen.models))
            raise ParameterError(f"Study '{name}' asks no model '{model}'. {hint}")
    if check:
        _check(chosen)
        return
    done = _Report()
    try:
        for outcome, requests in recording.record(chosen, way):
            done.add(outcome, requests)
    except MissingRepliesError as error:
        done.lines.append(str(error))
    except KeyboardInterrupt:
        raise click.ClickException(
            "stopped; what was recorded is kept, the same command goes on"
        ) from None
    finally:
        recording.pack(chosen, frozenset(only))
    done.show()
    if not only:
        recording.keep(chosen)


@main.group()
def annotate() -> None:
    """Have people label responses: write a sheet for them, read it back."""


@annotate.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "--others",
    type=click.IntRange(min=0),
    metavar="N",
    help="Responses whose verdict does not flip; by default as many as those that flip.",
)
def make(name: str, others: int | None) -> None:
    """Write a blinded sheet of responses of STUDY, as XLSX and CSV, for people to label."""
    for line in desk.make(study.load(name), others):
        click.echo(line)


@annotate.command()
@click.argument("name", metavar="STUDY")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--annotator", required=True, metavar="NAME", help="Who filled the sheet in.")
def read(name: str, file: Path, annotator: str) -> None:
    """Check the sheet FILE that an annotator filled in, and keep its labels."""
    for line in desk.read(study.load(name), file, annotator):
        click.echo(line)


@main.command()
@click.argument("names", nargs=-1, metavar="[STUDY]...")
@click.option(
    "--batch", is_flag=True, help="As it is with --batch where a model has 'batch: true'."
)
def plan(names: tuple[str, ...], batch: bool) -> None:
    """Say what recording would ask for, take and cost: of the studies, or of all.

    Tokens and times are those of the replies that are recorded already to like requests. Where
    there are none, a token is four ASCII characters or one and a half others, and a reply is as
    long as it may be (≤).
    """
    chosen = [study.load(name) for name in names or study.names()]
    planned = {one.name: list(planning.parts(one, batch)) for one in chosen}
    click.echo(planning.table(planned).to_string(index=False))


@main.command()
@click.argument("name", metavar="STUDY")
@click.option("--judge", metavar="NAME", help="Of this judge alone.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(("markdown", "html", "json")),
    default="markdown",
    show_default=True,
    help="How to write it.",
)
def card(name: str, judge: str | None, kind: str) -> None:
    """Write the card of each judge of STUDY: what it may be used for, and why.

    It goes to the terminal, or with > to a file. Run the study's notebooks first.
    """
    # Imported here: with figures and tables they take longer than the other commands do.
    from judgeworthy.card import collected, export, thresholds

    asked = thresholds.load()
    found = collected.cards(study.load(name), asked)
    chosen = found if judge is None else [collected.find(name, judge, found)]
    click.echo(export.FORMATS[kind](chosen, asked))


@main.command()
def report() -> None:
    """Put what was executed on pages that open without a network, in build/report/."""
    # Imported here: what pages are made with takes longer than the other commands do.
    from judgeworthy.report.build import build

    project.enter()
    built = build()
    click.echo(f"{built.front}: {built.pages} pages, {len(built.made)} files made anew")


def _check(chosen: Study) -> None:
    findings = auditing.audit(chosen)
    for line in auditing.report(findings):
        click.echo(line)
    if not all(found.sound for found in findings):
        sys.exit(1)


@dataclass
class _Report:
    """What a recording did, in words."""

    recorded: int = 0
    already: int = 0
    lines: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome, requests: Requests) -> None:
        self.recorded += outcome.recorded
        self.already += outcome.already
        places = {
            request.id: place for asked in requests.values() for place, request in asked.items()
        }
        for failure in outcome.failures:
            place = " ".join(places.get(failure.request.id, failure.request.id).split())
            model = failure.request.model
            self.lines.append(f"no reply from {model} to {place}: {failure.reason}")
        self.lines.extend(outcome.stopped)
        if outcome.halted:
            self.lines.append(outcome.halted)

    def show(self) -> None:
        click.echo(f"{self.recorded} recorded, {self.already} already there")
        for line in self.lines:
            click.echo(line)
        if self.lines:
            sys.exit(1)
