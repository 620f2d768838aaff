"""The widget as the kernel sees it: what it shows, and what it does with what the page sends."""

from typing import Any

import pytest

from judgeworthy.annotation import labels, sample
from judgeworthy.annotation.labels import Label
from judgeworthy.annotation.widget import Annotation, annotate
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.study import Study


def send(widget: Annotation, id_: str, label: str, comment: str = "") -> dict[str, Any]:
    """Send what the page sends, and return what the page is answered."""
    answers: list[dict[str, Any]] = []
    widget.send = answers.append
    widget._handle_custom_msg({"number": "1", "id": id_, "label": label, "comment": comment}, [])
    (answer,) = answers
    return answer


def test_it_shows_the_sample_and_nothing_that_tells_whose_it_is(study: Study) -> None:
    widget = annotate("ar", annotator="anna")
    shown = [sample.Item(**item) for item in widget.items]
    assert tuple(shown) == sample.draw(study).items
    state = str(widget.get_state(["items", "said", "language", "guideline"]))
    assert not any(f"'{name}'" in state for name in (*study.models, "verdict", "flips"))
    assert len(annotate("ar", annotator="anna", others=1).items) == 5
    assert repr(widget) == "annotate('ar', annotator='anna')"


def test_a_label_is_on_disk_when_the_page_is_answered(study: Study) -> None:
    widget = annotate("ar", annotator="anna")
    id_ = widget.items[0]["id"]
    assert send(widget, id_, "UNSURE", " لماذا؟ ") == {
        "number": "1",
        "id": id_,
        "label": "UNSURE",
        "comment": "لماذا؟",
    }
    assert labels.read(study, "anna") == {id_: Label(id_, "UNSURE", "لماذا؟")}
    assert annotate("ar", annotator="anna").said == {id_: {"label": "UNSURE", "comment": "لماذا؟"}}


def test_a_comment_alone_leaves_the_label_as_it_is(study: Study) -> None:
    widget = annotate("ar", annotator="anna")
    first, second = (item["id"] for item in widget.items[:2])
    send(widget, first, "CORRECT")
    send(widget, first, "", "later")
    send(widget, second, "", "unlabelled")
    assert labels.read(study, "anna") == {
        first: Label(first, "CORRECT", "later"),
        second: Label(second, "", "unlabelled"),
    }


def test_a_label_that_cannot_be_saved_is_answered_with_the_fault(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = annotate("ar", annotator="anna")
    id_ = widget.items[0]["id"]
    assert "no label" in send(widget, id_, "MAYBE")["fault"]

    def full(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    assert send(widget, id_, "CORRECT")["fault"] == "disk full"
    assert labels.read(study, "anna") == {}


def test_who_adjudicates_is_shown_what_annotators_label_differently(study: Study) -> None:
    with pytest.raises(DataError, match="nothing to adjudicate; have two people label first"):
        annotate("ar", annotator="adjudicated")
    first, second = (item.id for item in sample.draw(study).items[:2])
    labels.save(study, "anna", [Label(first, "CORRECT"), Label(second, "CORRECT")])
    labels.save(study, "omar", [Label(first, "UNSURE"), Label(second, "CORRECT")])
    widget = annotate("ar", annotator="adjudicated")
    assert [item["id"] for item in widget.items] == [first]
    send(widget, first, "INCORRECT")
    assert labels.final(study)[first] == "INCORRECT"


def test_a_name_that_is_no_name_is_told_before_anything_is_labelled(study: Study) -> None:
    with pytest.raises(ParameterError, match="'Anna' cannot name an annotator"):
        annotate("ar", annotator="Anna")
