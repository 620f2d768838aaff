"""The widget: one item at a time in a notebook, labelled by keys.

Each label is on disk before the next item is shown. Whatever ends, the page or the kernel, the same
call goes on at the first item without a label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import anywidget
import traitlets

from judgeworthy import study as studies
from judgeworthy.annotation import labels, sample, sheet
from judgeworthy.annotation.labels import ADJUDICATED, Label
from judgeworthy.annotation.sample import Item
from judgeworthy.errors import DataError, JudgeworthyError
from judgeworthy.study import Study

_FOLDER = Path(__file__).parent


class Annotation(anywidget.AnyWidget):
    """Items to be labelled by one annotator.

    Parameters
    ----------
    study : Study
    annotator : str
    items : sequence of Item
        In the order in which they are shown.

    Raises
    ------
    ParameterError
        If the name cannot name an annotator.
    DataError
        If the annotator's file is broken.
    """

    _esm = _FOLDER / "widget.js"
    _css = _FOLDER / "widget.css"
    items: "traitlets.List[dict[str, str]]" = traitlets.List().tag(sync=True)
    said: "traitlets.Dict[str, dict[str, str]]" = traitlets.Dict().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    guideline = traitlets.Unicode().tag(sync=True)

    def __init__(self, study: Study, annotator: str, items: Sequence[Item]) -> None:
        self._study = study
        self._annotator = annotator
        super().__init__(
            items=[asdict(item) for item in items],
            said=self._kept(),
            language=study.language,
            guideline=sheet.guideline(study.language),
        )
        self.on_msg(self._receive)

    def __repr__(self) -> str:
        return f"annotate('{self._study.name}', annotator='{self._annotator}')"

    def _kept(self) -> dict[str, dict[str, str]]:
        kept = labels.read(self._study, self._annotator)
        return {id_: {"label": each.label, "comment": each.comment} for id_, each in kept.items()}

    def _receive(self, _: object, message: Mapping[str, str], __: object) -> None:
        """Save what the page sends, and tell the page whether it is on disk."""
        answer = {"number": message["number"], "id": message["id"]}
        try:
            label = self._label(message)
            labels.save(self._study, self._annotator, [label])
            self.said = self._kept()
        except (JudgeworthyError, OSError) as error:
            self.send({**answer, "fault": str(error)})
        else:
            self.send({**answer, "label": label.label, "comment": label.comment})

    def _label(self, message: Mapping[str, str]) -> Label:
        """Return what is said now; a comment alone leaves the label as it is."""
        kept = self._kept().get(message["id"], {"label": ""})
        said = message["label"] or kept["label"]
        if said not in ("", *labels.LABELS):
            raise DataError(f"'{said}' is no label.")
        return Label(message["id"], said, message["comment"].strip())


def annotate(name: str, annotator: str, others: int | None = None) -> Annotation:
    """Label the responses of a study in a notebook; go on where the annotator stopped.

    Parameters
    ----------
    name : str
        Of the study.
    annotator : str
        Who labels; names the file ``data/labels/<study>/<annotator>.csv``. As ``adjudicated`` one
        decides what annotators label differently.
    others : int, optional
        As in `sample.draw`.

    Raises
    ------
    ParameterError, DataError, MissingRepliesError
        As `sample.draw`; if the name cannot name an annotator; if a file of labels is broken; if
        there is nothing to adjudicate.
    """
    study = studies.load(name)
    labels.file(study, annotator)
    if annotator == ADJUDICATED:
        return Annotation(study, annotator, _disputed(study))
    return Annotation(study, annotator, sample.draw(study, others).items)


def _disputed(study: Study) -> list[Item]:
    everything = sample.everything(study)
    ids = labels.disagreements(labels.load(study)).index
    items = [everything[id_] for id_ in ids if id_ in everything]
    if not items:
        raise DataError(
            f"Study '{study.name}': no item has two different labels, so there is nothing to "
            "adjudicate; have two people label first."
        )
    return items
