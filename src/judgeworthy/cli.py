"""The command line."""

import asyncio
import sys

import click

from judgeworthy import study
from judgeworthy.datasets import tydiqa
from judgeworthy.errors import JudgeworthyError
from judgeworthy.models import catalog, local
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import with_more_room
from judgeworthy.sections import calibration, verdicts


class _Commands(click.Group):
    """Commands whose faults are told in words, without a traceback."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except JudgeworthyError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_Commands)
@click.version_option(package_name="judgeworthy")
def main() -> None:
    """Audit LLM judges that see no reference answer."""


@main.command()
@click.argument("names", nargs=-1, metavar="[STUDY]...")
@click.option("--local", "ask", is_flag=True, help="Only tell, by the exit code, if any is local.")
def models(names: tuple[str, ...], ask: bool) -> None:
    """Bring the files of the local models, all or those of the studies, and check them."""
    known = catalog.load()
    judges = {judge for name in names for judge in study.load(name).judges}
    wanted = [known[name] for name in sorted(judges)] or list(known.models.values())
    files = [model.file for model in wanted if model.file is not None]
    if ask:
        sys.exit(not files)
    for file in files:
        click.echo(local.check(file))


@main.command()
@click.argument("source", type=click.Choice(["tydiqa"]))
def data(source: str) -> None:
    """Download a data set whose text is not part of the project, and say what it holds."""
    path = tydiqa.location()
    if not path.is_file() and not any(path.glob("*.json*")) and not any(path.glob("*.parquet")):
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
    judges = {judge: known[judge] for judge in chosen.judges}
    try:
        outcome = asyncio.run(collect(requests, judges, store, verdicts.invalid))
    except KeyboardInterrupt:
        raise click.ClickException(
            "stopped; what was recorded is kept, the same command goes on"
        ) from None
    _report(outcome)
    if chosen.own_text:
        for judge in chosen.judges:
            store.pack(judge)
    else:
        calibration.keep_judgments(chosen)


def _report(outcome: Outcome) -> None:
    click.echo(f"{outcome.recorded} recorded, {outcome.already} already there")
    for failure in outcome.failures:
        click.echo(f"no reply to {failure.request.model} {failure.request.id}: {failure.reason}")
    for reason in outcome.stopped:
        click.echo(reason)
    if outcome.failures or outcome.stopped:
        sys.exit(1)
