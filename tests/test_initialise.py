"""From a spreadsheet to a study: what init says, what it writes, and that the study then runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from datasets.tabular.sheets import FAULTY, HEADING, ROWS, SOUND, write
from datasets.tabular.test_logs import lm_eval, sample
from judgeworthy import datasets, study
from judgeworthy.cli import main
from judgeworthy.sections import calibration
from judgeworthy.sections.human_agreement import labelled
from judgeworthy.sections.sensitivity import asked, cells, comparisons, estimates
from models.server import Endpoint, serving


@pytest.fixture
def endpoint(project: Path) -> Iterator[Endpoint]:
    """An endpoint that serves the project's one judge."""
    with serving(Endpoint()) as served:
        models = project / "params" / "models.yaml"
        models.write_text(models.read_text().replace("http://127.0.0.1:9/v1", served.url))
        yield served


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def studies(project: Path) -> list[str]:
    return sorted(path.stem for path in (project / "params").glob("my*.yaml"))


def test_faults_are_all_told_nothing_is_written_and_the_exit_code_is_1(
    project: Path, tmp_path: Path
) -> None:
    done = run("init", "my", "--data", write(tmp_path / "own.csv", ROWS))
    assert done.exit_code == 1
    told = [line for line in done.output.splitlines() if ", row " in line]
    assert len(told) == len(FAULTY)
    assert "8 rows are faulty. Mend the file, or go on without these rows: add --leave-out-fa" in (
        done.output
    )
    assert studies(project) == []
    assert not (project / "data" / "own").exists()


def test_a_file_of_three_languages_makes_a_study_a_language(project: Path, tmp_path: Path) -> None:
    done = run("init", "my", "--data", write(tmp_path / "own.csv", ROWS), "--leave-out-faulty")
    assert done.exit_code == 0, done.output
    assert studies(project) == ["my-ar", "my-en", "my-te"]
    assert f"  {HEADING[3]}: right answer, several joined by '|'" in done.output
    assert "Telugu (తెలుగు)" in done.output
    assert done.output.endswith('Next: make record STUDY="my-en my-ar my-te"\n')
    loaded = study.load("my-te")
    assert (loaded.language, loaded.faulty_rows, loaded.judges) == ("te", "leave_out", ("judge",))
    assert len(datasets.questions(loaded)) == 3


def test_the_plan_of_both_stages_is_shown(project: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "own.csv", SOUND)
    done = run("init", "my", "--data", file, "--language", "en")
    assert done.exit_code == 0, done.output
    assert studies(project) == ["my"]
    rows = [
        line.split()[:4] for line in done.output.splitlines() if line.lstrip().startswith("my ")
    ]
    assert rows == [["my", "calibration", "1", "judge"], ["my", "sensitivity", "1", "judge"]]


def test_a_file_of_the_project_stays_and_another_is_copied_and_kept_private(
    project: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path / "own.csv", SOUND)
    done = run("init", "my", "--data", outside, "--language", "en")
    assert f"Copied: {outside} to data/own/own.csv; change it there from now on." in done.output
    copied = project / "data" / "own" / "own.csv"
    assert copied.read_bytes() == outside.read_bytes()
    for folder in (copied.parent, project / "data" / "replies" / "my"):
        assert (folder / ".gitignore").read_text() == "*\n"
    (project / "mine").mkdir()
    inside = write(project / "mine" / "task.xlsx", SOUND)
    assert run("init", "my2", "--data", inside, "--language", "ar").exit_code == 0
    assert study.load("my2").files == ("mine/task.xlsx",)


def test_samples_of_lm_eval_keep_the_folder_that_names_their_model(
    project: Path, tmp_path: Path
) -> None:
    file = lm_eval(tmp_path, *(sample(number) for number in range(3)))
    done = run("init", "my", "--data", file, "--language", "en")
    assert done.exit_code == 0, done.output
    assert {one.model for one in datasets.brought(study.load("my"))} == {"org/model-7b"}


def test_without_a_language_the_faults_are_told_all_the_same(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("question,answer\nWhy?,N/A\nHow?,\n", encoding="utf-8")
    done = run("init", "my", "--data", file)
    assert (done.exit_code, done.output.count(", row ")) == (1, 2)
    assert "say it with --language" in done.output


def test_types_with_one_question_each_lend_to_one_another(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("question,answer\nWho wrote Emma?,Jane Austen\nHow many legs?,8\n")
    run("init", "my", "--data", file, "--language", "en")
    loaded = study.load("my")
    assert loaded.calibration is not None
    assert loaded.calibration.wrong_answers == "random"
    assert len(datasets.wrong_answers(loaded).donors) == 2


def test_one_question_alone_has_no_calibration(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("question,answer,response\nWho wrote Emma?,Jane Austen,Jane\n")
    run("init", "my", "--data", file, "--language", "en")
    assert (study.load("my").calibration, len(datasets.questions(study.load("my")))) == (None, 1)


def test_a_parameter_file_is_never_overwritten(project: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "own.csv", SOUND)
    (project / "params" / "my-ar.yaml").write_text("mine", encoding="utf-8")
    done = run("init", "my", "--data", file)
    assert done.exit_code == 1
    assert "my-ar.yaml is there and stays as it is; remove it, or choose another name" in (
        done.output
    )
    assert studies(project) == ["my-ar"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("My Study",), "cannot name a study"),
        (("models",), "cannot name a study"),
        (("summary",), "cannot name a study"),
        (("my", "--language", "xx"), "'xx' is no language"),
        (("my", "--language", "fr"), "no sound row in the language 'fr'"),
        (("my", "--column", "questoin=Frage"), "no role 'questoin'. Did you mean 'question'?"),
        (("my", "--column", "question=Frag"), "no column 'Frag'. Did you mean 'Frage'?"),
    ],
)
def test_what_cannot_be_is_told(
    project: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("init", *words, "--data", write(tmp_path / "own.csv", SOUND))
    assert done.exit_code == 1
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_file_without_a_language_asks_for_it(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("question,answer\nWhy?,x\nHow?,y\n", encoding="utf-8")
    assert "say it with --language" in run("init", "my", "--data", file).output
    done = run("init", "my", "--data", file, "--language", "Finnish")
    assert done.exit_code == 0, done.output
    assert "sensitivity: no: there are no responses, and no prompt to ask for them in" in (
        done.output
    )
    loaded = study.load("my")
    assert (loaded.language, loaded.sensitivity) == ("fi", None)


def test_questions_alone_are_answered_by_models_where_a_prompt_is(
    project: Path, tmp_path: Path
) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("question,answer\nWhy?,x\nHow?,y\n", encoding="utf-8")
    assert run("init", "my", "--data", file, "--language", "en").exit_code == 0
    assert study.load("my").generators == ("judge",)


def test_a_study_of_own_data_is_recorded_and_estimated(
    endpoint: Endpoint, project: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "own.csv", ROWS)
    assert run("init", "my", "--data", file, "--leave-out-faulty").exit_code == 0
    done = run("record", "my-ar")
    assert done.exit_code == 0, done.output
    chosen = study.load("my-ar")
    whose = [body for _, body in endpoint.asked if "response_format" not in body]
    assert whose == [], "the file's responses are not generated again"
    assert len(calibration.load(chosen)) == len(calibration.items(chosen))
    table = asked.load(chosen)
    assert set(table["generator"]) == {HEADING[4], ""}
    assert set(cells.pools(chosen, "judge")) == {cells.ALL}
    assert estimates.responses(table, chosen)["complete"].tolist() == [3]
    assert len(estimates.acceptance(table, chosen)) > 0
    assert not comparisons.compared(table, chosen).empty
    assert "0 recorded" in run("record", "my-ar").output


def test_in_a_language_without_prompts_the_placebo_alone_is_left_out(
    endpoint: Endpoint, project: Path, tmp_path: Path
) -> None:
    file = tmp_path / "plain.csv"
    rows = [f"Mikä on {n}?,vastaus {n},Se on {n}.,{n % 2}" for n in range(24)]
    file.write_text("\n".join(["question,answer,response,correct", *rows]), encoding="utf-8")
    done = run("init", "my", "--data", file, "--language", "fi")
    assert "human agreement: yes, on 24 labelled responses" in done.output
    assert run("record", "my").exit_code == 0
    chosen = study.load("my")
    table = asked.load(chosen)
    assert set(table["variant"]) >= {"", "sampled-1", "paraphrase"}
    assert "irrelevant" not in set(table["variant"])
    measured = comparisons.compared(table, chosen).set_index("measure")["n"]
    assert (measured[comparisons.SEED] > 0, measured[comparisons.IRRELEVANT]) == (True, 0)
    people = labelled.load(chosen)
    assert people["human"].sum() == len(people) / 2
    assert chosen.labels_at_random
