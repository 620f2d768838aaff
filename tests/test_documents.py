"""What the documents say exists: links, files, names, tables, columns, keys, options, numbers."""

import importlib
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, get_args

import click
import pandas as pd
import pytest
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import documents
from conftest import COMMITTED
from documents import DOCUMENTS, ROOT, Command, commands, text_of
from judgeworthy import ballots, drafting, judgments, parsing, study
from judgeworthy.card import sizes
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.cli import main
from judgeworthy.models import asking
from judgeworthy.models.catalog import Model
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections import rates
from judgeworthy.sections.peer_ranking import asked, voted
from judgeworthy.simulator import Judge
from judgeworthy.statistics import prediction_powered, resampling
from judgeworthy.statistics.proportions import wilson
from judgeworthy.statistics.rankings import consensus, position, rii
from judgeworthy.study import blocks
from judgeworthy.study.columns import Columns
from judgeworthy.validation import human_agreement

READING, RECORD, KEYS = (
    ROOT / "docs" / f"{name}.md" for name in ("reading", "record", "languages_and_models")
)
STATISTICS, OWN_TASK = ROOT / "docs" / "statistics.md", ROOT / "docs" / "own_task.md"
# What a user's work makes, so that it need not be here.
MADE = ("build/", "data/own", "data/labels/<study>", ".venv", ".env", "figures/<study>/x.csv")
GROWING = (".jsonl", ".torn", ".batches.json")
# Options of other tools.
FOREIGN = {"--log_samples"}
# Files of a user's own, in examples.
USERS = {"own_task.csv", "my.csv"}


def ids(path: Path) -> str:
    return documents.name(path)


def every(program: str) -> list[Any]:
    found = [each for each in commands(program) if each.program == program]
    return [pytest.param(each, id=f"{each.document}: {each.text}") for each in found]


def options(command: click.Command) -> set[str]:
    mine = {option for parameter in command.params for option in parameter.opts}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return mine.union(*map(options, below))


def ours(words: tuple[str, ...]) -> tuple[click.Command, tuple[str, ...]]:
    """Return the command that words name, and the words after it."""
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
    return command, words


@pytest.mark.parametrize("command", every("make"))
def test_a_goal_and_a_variable_of_make_exist(command: Command) -> None:
    makefile = text_of(ROOT / "Makefile")
    for word in command.words[1:]:
        variable, equals, _ = word.partition("=")
        if equals:
            assert re.search(rf"\b{variable} \?=|\$\({variable}\)", makefile), word
        else:
            assert re.search(rf"^{re.escape(word)}:", makefile, re.M), word


@pytest.mark.parametrize("command", every("judgeworthy"))
def test_a_command_of_ours_exists_with_its_options(command: Command) -> None:
    found, words = ours(command.words[1:])
    known = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_an_option_that_is_named_is_one_of_ours(path: Path) -> None:
    named = {word for word in documents.quoted(text_of(path)) if word.startswith("--")}
    assert {word.split()[0] for word in named} - FOREIGN <= options(main)


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_a_link_leads_to_a_file_and_a_heading_that_are_there(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", documents.prose(text_of(path))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        led = (path.parent / file).resolve() if file else path
        assert led.exists(), target
        assert not anchor or anchor in anchors(text_of(led)), target


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", documents.prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_a_file_that_is_named_is_there(path: Path) -> None:
    tops = "|".join(each.name for each in ROOT.iterdir() if not each.name.startswith("."))
    for named in documents.quoted(text_of(path)):
        made = named.startswith(MADE) or named.endswith(GROWING)
        if re.fullmatch(rf"(?:{tops}|\.\w+)/\S*", named) and not made:
            assert list(ROOT.glob(re.sub(r"<\w+>", "*", named.rstrip("/")))), named


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_a_name_of_the_package_is_there(path: Path) -> None:
    for dotted in documents.quoted(text_of(path)):
        if re.fullmatch(r"judgeworthy(?:\.\w+)+", dotted):
            assert resolved(dotted), dotted


def resolved(dotted: str) -> bool:
    """Whether a dotted name is a module, something in one, or an attribute or field of that."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part) and part not in getattr(found, "model_fields", {}):
                return False
            found = getattr(found, part, None)
        return True
    return False


def test_no_document_names_a_path_of_a_machine() -> None:
    for path in DOCUMENTS:
        assert not re.search(r"(?<![\w.<>*])/(?:home|root|tmp|work|Users)/", text_of(path)), path


def test_readme_is_one_page_and_links_every_document() -> None:
    readme = text_of(ROOT / "README.md")
    assert len(readme.splitlines()) <= 90
    for path in DOCUMENTS[1:]:
        assert f"]({documents.name(path)})" in readme, path


# Every committed table, by the name under which reading.md describes it.
def headers() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "figures").glob("*/*.csv")):
        place = path.parent.name if path.parent.name == "summary" else "<study>"
        columns = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        found.setdefault(f"figures/{place}/{path.name}", set()).update(columns)
    return found


HEADERS = headers()
DESCRIBED = re.findall(r"^### `(figures/\S+\.csv)`$", text_of(READING), re.M)


def test_every_committed_table_is_described_once() -> None:
    assert sorted(DESCRIBED) == sorted(HEADERS)


@pytest.mark.parametrize("table", DESCRIBED)
def test_the_columns_described_are_those_of_the_table(table: str) -> None:
    text = documents.section(text_of(READING), f"### `{table}`")
    if "[record.md](record.md) describes the columns" in text or "likewise" in text:
        known = {*judgments.COLUMNS, *asked.COLUMNS}
        assert known >= HEADERS[table]
        return
    described = [name for row in documents.rows(text) for name in documents.names(row[0])]
    recurring = [name for line in also(text) for name in re.findall(r"`([^`]+)`", line)]
    assert set(recurring) <= RECURRING
    assert sorted([*described, *recurring]) == sorted(HEADERS[table])


def also(text: str) -> list[str]:
    return re.findall(r"^Also (.+)\.$", text, re.M)


RECURRING = {
    name
    for row in documents.rows(documents.section(text_of(READING), "## How tables are written"))
    for name in documents.names(row[0])
}


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_a_table_that_is_named_alone_is_one_of_the_results(path: Path) -> None:
    alone = {each for each in documents.quoted(text_of(path)) if re.fullmatch(r"\w+\.csv", each)}
    assert alone - USERS <= {Path(table).name for table in HEADERS}


def test_every_committed_figure_is_described_and_every_described_one_there() -> None:
    text = text_of(READING)
    described = set(re.findall(r"`(figures/\S+\.png)`", text))
    pictures = (ROOT / "figures").glob("*/*.png")
    places = {
        f"figures/{'summary' if path.parent.name == 'summary' else '<study>'}/{path.name}"
        for path in pictures
    }
    assert described == places


def test_every_latex_table_is_that_of_a_described_table_or_named_itself() -> None:
    stems = {Path(table).stem for table in DESCRIBED}
    for path in (ROOT / "figures").glob("*/*.tex"):
        assert path.stem in stems or f"`{path.name}`" in text_of(READING), path


def told(path: Path, heading: str) -> dict[str, str]:
    """Return a table of two columns: names, and what is said of them."""
    found = documents.rows(documents.section(text_of(path), heading))
    return {names[0]: row[1] for row in found if (names := re.findall(r"`([^`]+)`", row[0]))}


def test_the_record_is_described_in_the_words_of_the_code() -> None:
    verdict = {str(name): said for name, said in parsing.REASONS.items()}
    assert told(RECORD, "## A judgment") == judgments.COLUMNS | verdict
    order = {str(name): said for name, said in ballots.REASONS.items() if name not in verdict}
    assert told(RECORD, "## Ballots, maps and votes") == asked.COLUMNS | voted.COLUMNS | order


def test_the_fields_of_requests_and_replies_are_described() -> None:
    request = told(RECORD, "## A request and its identity")
    assert list(request) == list(Request.__dataclass_fields__)
    assert list(told(RECORD, "## A reply")) == list(Reply.__dataclass_fields__)


def test_every_variant_and_reading_of_a_verdict_is_described() -> None:
    text = text_of(RECORD)
    for variant in filter(None, judgments.VARIANTS):
        assert f"`{variant}`" in text, variant


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the keys of a block with their defaults as documents write them."""
    for name, field in model.model_fields.items():
        if name != "name":
            yield f"{prefix}{name}", default(field)


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if value in (None, (), {}):
        return "none"
    if value == get_args(blocks.HarderKind):
        return "all four"
    return f"`[{', '.join(map(str, value))}]`" if isinstance(value, tuple) else f"`{value}`"


BLOCKS: dict[str, type[BaseModel]] = {
    "calibration": blocks.Calibration,
    "harder": blocks.Harder,
    "sensitivity": blocks.Sensitivity,
    "human_agreement": blocks.HumanAgreement,
    "peer_ranking": blocks.PeerRanking,
}


def test_every_key_of_a_study_is_described_with_its_default() -> None:
    assert set(BLOCKS) == set(study.BLOCKS)
    pairs = [pair for name, block in BLOCKS.items() for pair in fields(block, f"{name}.")]
    assert keys("## Every key of a study") == dict([*fields(study.Study), *pairs])


def test_every_key_of_a_model_and_every_threshold_is_described_with_its_default() -> None:
    assert keys("## Every key of a model") == dict(fields(Model))
    card = keys("## Every threshold of the judge card")
    assert card == dict(fields(Thresholds, "judge_card."))


def test_every_key_of_the_columns_of_a_file_is_described() -> None:
    assert set(told(OWN_TASK, "## The file")) == set(Columns.model_fields)


def keys(heading: str) -> dict[str, str]:
    return told(KEYS, heading)


def test_every_environment_variable_of_the_package_is_described() -> None:
    text = text_of(KEYS)
    for path in (ROOT / "src").rglob("*.py"):
        for name in re.findall(r"\"(JUDGEWORTHY_[A-Z_]*[A-Z])\"", text_of(path)):
            assert f"`{name}`" in text, name


def test_every_key_of_an_endpoint_has_its_line_in_the_example() -> None:
    catalog = yaml.safe_load(text_of(ROOT / "params" / "models.yaml"))["models"]
    lines = re.findall(r"^(\w+)=$", text_of(ROOT / ".env.example"), re.M)
    assert {entry["key"] for entry in catalog.values() if "key" in entry} == set(lines)


# What is validated, as statistics.md quotes it.
def coverage(table: pd.DataFrame) -> str:
    """Return coverage by interval as rows of Markdown: mean, lowest, and the least with any.

    A share of 0 or 1 that is planted is held by every interval, and says nothing of coverage.
    """
    by = "interval" if "interval" in table else "measure"
    table = table[~table["truth"].abs().isin([0, 1]) | table[by].eq("flips")]
    lines = []
    for name, mine in table.groupby(by, sort=False):
        low = mine["coverage"].groupby(mine["n"]).min()
        whole = (mine["with_interval"] / mine["repetitions"]).min()
        shown = (mine["coverage"].mean(), low.min(), mine["coverage"].max(), low[30], low[450])
        lines.append(f"| {name} | {' | '.join(f'{each:.3f}' for each in (*shown, whole))} |")
    return "\n".join(lines)


def decisions(table: pd.DataFrame) -> str:
    """Return how often each planted judge is trusted, by number of questions."""
    wide = table.pivot_table("trust without reference", "judge", "n", sort=False)[[30, 100, 450]]
    return "\n".join(
        f"| {judge} | {' | '.join(f'{share:.3f}' for share in row)} |"
        for judge, *row in wide.itertuples()
    )


@pytest.mark.parametrize("path", sorted((ROOT / "validation").glob("*.csv")), ids=ids)
def test_what_is_validated_is_quoted_as_it_was_measured(path: Path) -> None:
    table = pd.read_csv(path)
    expected = decisions(table) if "trusted_low" in table else coverage(table)
    mark = f"<!-- {documents.name(path)} -->"
    parts = text_of(STATISTICS).split(mark)
    assert len(parts) == 3, f"put between two lines {mark}:\n{expected}"
    quoted = "\n".join(parts[1].strip().splitlines()[2:])
    assert quoted == expected, f"put between the two lines {mark}, under its heading:\n{expected}"


def row(table: str, **place: str) -> dict[str, Any]:
    frame = pd.read_csv(ROOT / "figures" / table, keep_default_na=False)
    for name, value in place.items():
        frame = frame[frame[name] == value]
    (found,) = frame.to_dict("records")
    return {str(name): value for name, value in found.items()}


LARGEST = "qwen2.5-coder-1.5b"


def test_the_numbers_of_readme_are_those_of_the_figures() -> None:
    readme = text_of(ROOT / "README.md")
    english, telugu = (row(f"{name}/calibration.csv", judge=LARGEST) for name in ("en", "te"))
    assert (
        f"accepts {english['c1']:.0%} of the right answers to our English questions and "
        f"{english['c2']:.0%} of the wrong ones; in Telugu, {telugu['c1']:.0%} and "
        f"{telugu['c2']:.0%}."
    ).replace("%", " %") in readme
    place = {"judge": LARGEST, "generator": "all generators", "transition": "NR→RC"}
    flips = row("en/sensitivity.csv", **place)
    assert f"takes back {flips['to_incorrect']} of the {flips['accepted_first']} resp" in readme


# The project's own studies; one that a user adds is not what README speaks of.
STAGES = set(COMMITTED)
PEOPLE = {"qa-eval", "openqa-eval", *(f"nomiracl-{language}" for language in ("en", "ar", "te"))}


def test_what_readme_says_of_the_judges_holds() -> None:
    everywhere = pd.read_csv(ROOT / "figures" / "summary" / "calibration.csv")
    mine = everywhere[everywhere["study"].isin(STAGES) & everywhere["judge"].ne(LARGEST)]
    assert (mine["judge"].nunique(), len(mine)) == (2, 12)
    assert (mine["cgp_low"] <= 0).all(), "not shown to tell right from wrong"
    cards = pd.read_csv(ROOT / "figures" / "summary" / "judge_card.csv")
    cards = cards[cards["study"].isin(STAGES | PEOPLE)]
    assert not cards["decision"].eq("trust without reference").any()
    allowed = cards[cards["decision"] == "only with reference"]
    assert allowed[["study", "judge"]].to_numpy().tolist() == [["openqa-eval", "gpt-4"]]


def test_the_studies_that_readme_counts_have_their_sections() -> None:
    assert "calibration and sensitivity on six studies" in text_of(ROOT / "README.md")
    assert "human labels on five" in text_of(ROOT / "README.md")
    assert (len(STAGES), len(PEOPLE)) == (6, 5)
    for name in STAGES | PEOPLE:
        blocks = yaml.safe_load(text_of(ROOT / "params" / f"{name}.yaml"))
        asked_ = ("calibration", "sensitivity") if name in STAGES else ("human_agreement",)
        assert set(asked_) <= set(blocks), name


def test_the_width_that_reading_names_is_wilsons() -> None:
    found = wilson(25, 50)
    assert found.low is not None
    assert f"With 50 questions an interval is about {0.5 - found.low:.2f} to" in text_of(READING)


def test_the_settings_that_documents_name_are_those_of_the_code() -> None:
    said = {
        "docs/statistics.md": (
            f"Under {rii.FEW_PROMPTS} prompts",
            f"at least {position.ORDER_ONLY_SHARE:.0%} of the variance".replace("%", " %"),
            f"p ≤ {position.ORDER_ONLY_LEVEL}",
            f"with {human_agreement.REPETITIONS:,} repetitions",
            f"on {human_agreement.LABELLED:.0%} of the responses".replace("%", " %"),
            f"fewer than {prediction_powered.ENOUGH_LABELS} labels",
        ),
        "docs/reading.md": (
            f"wider than {rates.WIDE}",
            f"no number up to {sizes.SIZES[-1]:,} in all decides",
            f"(C1 {Judge(0).c1}, C2 {Judge(0).c2}, flips at the noise floor)",
        ),
        "docs/recording.md": (
            f"more than {resampling.SHARD:,} `resamples`",
            f"`patience` seconds ({Model.model_fields['patience'].default:.0f})",
        ),
    }
    for document, fragments in said.items():
        for fragment in fragments:
            assert fragment in text_of(ROOT / document), fragment
    assert (asking.TRIES, consensus.KEMENY_LIMIT, drafting.FEWEST_LABELS) == (4, 8, 20)
    assert "tried again: four times" in text_of(ROOT / "docs" / "recording.md")
    assert "up to eight candidates" in text_of(STATISTICS)
    assert "twenty of them add the comparison" in text_of(OWN_TASK)


CITED = {"article", "software", "book", "generic"}


def test_the_citation_is_as_its_format_asks() -> None:
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    known = {
        *("cff-version", "message", "title", "type", "version", "license", "authors", "abstract"),
        *(
            "keywords",
            "references",
            "date-released",
            "identifiers",
            "doi",
            "repository-code",
            "url",
        ),
    }
    assert set(citation) <= known
    assert citation["type"] == "software"
    assert all(isinstance(word, str) for word in citation["keywords"])
    for work in (citation, *citation["references"]):
        assert work["title"]
        assert work["type"] in CITED
        assert work["authors"]
        for author in work["authors"]:
            person, entity = {"family-names", "given-names"}, {"name"}
            assert author.keys() in (person, entity)
        for identifier in work.get("identifiers", ()):
            assert identifier["type"] in ("doi", "url", "swh", "other")
            assert identifier["value"]


def test_what_is_not_released_has_no_date() -> None:
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    released = re.findall(r"^## (\d+\.\d+\.\d+) - (\S+)$", text_of(ROOT / "CHANGELOG.md"), re.M)
    dates = {version: date.fromisoformat(said) for version, said in released}
    given = citation.get("date-released")
    assert given == (dates[citation["version"]].isoformat() if released else None)
    assert "\n## Unreleased\n" in text_of(ROOT / "CHANGELOG.md")
