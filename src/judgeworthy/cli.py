"""The command line."""

import asyncio
import sys

import click

from judgeworthy import study
from judgeworthy.datasets import tydiqa
from judgeworthy.errors import JudgeworthyError, ServerMissingError
from judgeworthy.models import catalog, local
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import missing, with_more_room
from judgeworthy.sections import calibration, verdicts


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
    judges = {judge for name in names for judge in study.load(name).judges}
    wanted = [known[name] for name in sorted(judges)] or list(known.models.values())
    for model in wanted:
        if model.file is not None:
            click.echo(local.check(model.file))


@main.command()
@click.argument("source", type=click.Choice(["tydiqa"]))
def data(source: str) -> None:
    """Download a data set whose text is not part of the project, and say what it holds."""
    path = tydiqa.location()
    if not tydiqa.present(path):
        tydiqa.download(path)
    click.echo(f"{source}: {path}")
    for language in tydiqa.LANGUAGES:
        click.echo(tydiqa.read(path, language).summary())


@main.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "--more-room", is_flag=True, help="Ask again, with twice the tokens, what was cut off."
)
def record(name: str, more_room: bool) -> None:
    """Ask the models of STUDY for the replies that are not recorded yet."""
    chosen = study.load(name)
    known = catalog.load()
    store = calibration.record(chosen)
    requests = calibration.requests(chosen)
    if more_room:
        requests = {
            judge: with_more_room(asked, store.read(judge)) for judge, asked in requests.items()
        }
    if any(
        known[judge].local and missing(requests[judge], store.read(judge)) for judge in requests
    ):
        local.installed_build()
    judges = {judge: known[judge] for judge in chosen.judges}
    try:
        outcome = asyncio.run(collect(requests, judges, store, verdicts.invalid))
    except KeyboardInterrupt:
        raise click.ClickException(
            "stopped; what was recorded is kept, the same command goes on"
        ) from None
    if chosen.own_text:
        for judge in chosen.judges:
            store.pack(judge)
    _report(outcome, chosen)
    if not chosen.own_text:
        calibration.keep(chosen)


def _report(outcome: Outcome, chosen: study.Study) -> None:
    click.echo(f"{outcome.recorded} recorded, {outcome.already} already there")
    items = calibration.items(chosen) if outcome.failures else []
    asked = {
        verdicts.request(item, judge, chosen).id: f"{item.condition} {item.question.id}"
        for judge in chosen.judges
        for item in items
    }
    for failure in outcome.failures:
        place = asked.get(failure.request.id, failure.request.id)
        click.echo(f"no reply from {failure.request.model} to {place}: {failure.reason}")
    for reason in outcome.stopped:
        click.echo(reason)
    if outcome.failures or outcome.stopped:
        sys.exit(1)
