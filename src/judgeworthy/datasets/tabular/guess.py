"""Which column holds what: by its name in English, German and other tongues, then by content.

What a name says outright counts first. *Answer* or *Antwort* alone may be the right answer or the
model's: it is the right one only if no other column is. Where no name tells, a question is what
ends in a question mark, an id what is short and never repeats, a language what is nearly always
one, a reference the next column of texts, and a response what often says the reference.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from judgeworthy.datasets.tabular import language
from judgeworthy.datasets.tabular.rows import Response
from judgeworthy.datasets.tabular.table import Table
from judgeworthy.errors import DataError
from judgeworthy.study.columns import Columns
from judgeworthy.text import fold, matches_any


def _plain(name: str) -> str:
    """Write a name in small letters without marks, as words."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-.]+", " ", name)
    apart = unicodedata.normalize("NFD", fold(words))
    return fold("".join(each for each in apart if not "\u0300" <= each <= "\u036f"))


def _folded(names: str) -> str:
    return "|".join(name if name.isascii() else _plain(name) for name in names.split("|"))


ROLES = (
    *("question", "references", "id", "language", "response", "model", "label"),
    *("cluster", "answer_type"),
)
_NAMES = {
    "id": "id|nr|no|number|num|nummer|lfd nr|key|uid|qid|question id|questionid|frage id|item id"
    "|sample id|doc id|example id|index|identifier|kennung",
    "question": "question|questions|question text|query|frage|fragen|fragetext|aufgabe|prompt"
    "|input|problem|instruction|pregunta|pergunta|domanda|vraag|soru|вопрос|السؤال|سؤال|ప్రశ్న|प्रश्न|問題|问题",
    "references": "references?|reference answers?|gold|gold answers?"
    "|golden answers?|correct answers?|right answers?|expected|expected answers?|expected output"
    "|ground truth|target|targets|ideal|ideal answer|solution|answer key|musterlosung"
    "|musterloesung|musterantwort|losung|loesung"
    "|referenz|referenzen|referenzantwort|richtige antwort|richtige antworten|erwartete antwort"
    "|sollantwort|reponse correcte|reponse attendue|respuesta correcta|resposta correta"
    "|الإجابة الصحيحة|సరైన జవాబు|सही उत्तर|answers text",
    "language": "language|lang|language code|locale|sprache|sprachcode|langue|idioma|lingua|taal"
    "|اللغة|لغة|భాష|भाषा|语言",
    "model": "model|model name|modell|modellname|system|generator|modele|modelo|modello",
    "label": "human|human label|human judge?ment|human verdict|label|gold label|judge?ment|verdict"
    "|correct|is correct|correctness|acceptable|annotation|annotator|rating|urteil|bewertung"
    "|richtig|korrekt|menschliches urteil",
    "cluster": "cluster|document|document title|doc|article|passage id|source document|dokument"
    "|gruppe|group|quelle",
    "answer_type": "answer type|antworttyp|antwortart",
}
_ANSWER = _folded(
    "answers?|antwort|antworten|reponse|respuesta|resposta|risposta|antwoord|cevap|ответ|جواب"
    "|الإجابة|الجواب|జవాబు|సమాధానం|उत्तर|答案|回答"
)
_RESPONSE = (
    r"\b(?:responses?|outputs?|completions?|predictions?|predicted|generated|generation|hypothesis"
    r"|modellantwort|modellausgabe|ausgabe|candidate)\b"
    rf"|\b(?:model|modell?s?|system|llm|bot|ki|ai)\b.*\b(?:{_ANSWER})\b"
    rf"|\b(?:{_ANSWER})\b.*\S"
)
_LABEL_OF = r"\b(?:human|label|judge?ment|verdict|correct|urteil|bewertung|richtig|korrekt)\b"
_NEVER = (
    r"\b(?:context|passages?|documents?|evidence|explanation|rationale|notes?|comments?|domain"
    r"|category|topic|difficulty|source|url|kontext|textstelle|erklarung|begrundung|kommentar"
    r"|bemerkung|kategorie|thema|schwierigkeit|quelle|date|datum|time|latency|tokens|cost|score"
    r"|length|start|end)\b"
)
_MARKS = ("?", "؟", "？", "՞", ";")
_SEPARATORS = ("|", "\n")
_SAID = 0.2  # of the rows in which a response says the reference
_ROWS = 200  # are looked at


def columns(table: Table, given: Sequence[tuple[str, str]] = ()) -> Columns:
    """Decide which column holds what.

    Parameters
    ----------
    table : Table
    given : sequence of (role, column)
        What the user says; roles are `ROLES`.

    Raises
    ------
    DataError
        If no column is found to hold the questions, or the references.
    """
    guess = _Guess(table)
    for role, column in given:
        guess.take(role, column)
    guess.by_name()
    guess.by_content()
    return guess.result()


class _Guess:
    """The columns that are left, and those that are taken."""

    def __init__(self, table: Table) -> None:
        self.rows = table.rows[:_ROWS]
        self.names = {column: _plain(column) for column in table.columns}
        self.left = list(table.columns)
        self.taken: dict[str, list[str]] = {role: [] for role in ROLES}

    def take(self, role: str, column: str) -> None:
        self.taken[role].append(column)
        self.left = [name for name in self.left if name != column]

    def by_name(self) -> None:
        for role, names in _NAMES.items():
            for column in self._like(rf"(?:{_folded(names)})(?: \d+)?"):
                once = not self.taken[role] or role == "references"
                if once and (role != "label" or self._has_labels(column)):
                    self.take(role, column)
        for column in self._like(rf".*(?:{_RESPONSE}).*"):
            if self._has_texts(column) and not self._has_labels(column):
                self.take("response", column)
        for column in self._like(rf"(?:{_ANSWER})"):
            self.take("response" if self.taken["references"] else "references", column)
        for column in self._like(rf".*{_LABEL_OF}.*"):
            if self._has_labels(column):
                self.take("label", column)

    def by_content(self) -> None:
        self._first("question", lambda column: self._share(column, _asks) >= 0.5)
        self._first("language", lambda column: self._share(column, _is_language) >= 0.9)
        self._first("id", self._is_id)
        self._first("references", self._has_texts)
        if not self.taken["response"]:
            for column in [name for name in self.left if self._says_references(name)]:
                self.take("response", column)

    def result(self) -> Columns:
        one = {role: names[0] if names else None for role, names in self.taken.items()}
        for role in ("question", "references"):
            if one[role] is None:
                raise DataError(
                    f"no column is found to hold the {role}; say which with --column {role}=NAME. "
                    f"There are: {', '.join(self.names)}."
                )
        shared = ("question", "id", "language", "cluster", "answer_type")
        return Columns.model_validate(
            {name: one[name] for name in shared}
            | {"references": self.taken["references"], "separator": self._separator()}
            | self._responses(one["model"])
        )

    def _responses(self, model: str | None) -> dict[str, object]:
        found = self.taken["response"]
        if model and len(found) == 1:
            label = self.taken["label"][0] if self.taken["label"] else None
            return {"response": found[0], "model": model, "label": label}
        called = _short_names(found)
        return {"responses": called, "labels": dict(self._labels(called))}

    def _labels(self, called: dict[str, str]) -> Iterable[tuple[str, str]]:
        """Yield whose responses a column labels: the only ones, or those that it names."""
        for column in self.taken["label"]:
            for model in called:
                if len(called) == 1 or _plain(model) in self.names[column]:
                    yield model, column
                    break

    def _separator(self) -> str | None:
        cells = [row.cells.get(name, "") for row in self.rows for name in self.taken["references"]]
        return next((mark for mark in _SEPARATORS if any(mark in cell for cell in cells)), None)

    def _like(self, pattern: str) -> list[str]:
        return [name for name in self.left if re.fullmatch(pattern, self.names[name])]

    def _first(self, role: str, fits: Callable[[str], bool]) -> None:
        if not self.taken[role]:
            fitting = (name for name in self.left if fits(name))
            if (column := next(fitting, None)) is not None:
                self.take(role, column)

    def _share(self, column: str, said: Callable[[str], bool]) -> float:
        texts = self._texts(column)
        return sum(map(said, texts)) / len(texts) if texts else 0.0

    def _texts(self, column: str) -> list[str]:
        return [text for row in self.rows if (text := row.text(column))]

    def _has_texts(self, column: str) -> bool:
        """Whether a column may hold answers: texts of which most differ, not just marks."""
        texts = self._texts(column)
        varied = len(set(texts)) > max(2, len(texts) / 3) or len(texts) < 6
        return bool(texts) and varied and not re.search(_NEVER, self.names[column])

    def _has_labels(self, column: str) -> bool:
        odd = [Response("", "", "", text).is_labelled_oddly for text in self._texts(column)]
        return bool(odd) and sum(odd) <= 0.1 * len(odd)

    def _is_id(self, column: str) -> bool:
        texts = self._texts(column)
        short = all(len(text) <= 40 and not re.search(r"\s", text) for text in texts)
        alone = len(set(texts)) >= 0.9 * len(self.rows)
        return short and alone and list(self.names).index(column) == 0

    def _says_references(self, column: str) -> bool:
        references = self.taken["references"]
        if not references or not self._has_texts(column):
            return False
        pairs = [
            (row.text(column), row.texts(references[0], self._separator())) for row in self.rows
        ]
        said = [matches_any(text, right) for text, right in pairs if text and right]
        return bool(said) and sum(said) / len(said) >= _SAID


def _asks(text: str) -> bool:
    return text.endswith(_MARKS)


def _is_language(text: str) -> bool:
    return len(text) <= 20 and language.code(text) is not None


def _short_names(found: Sequence[str]) -> dict[str, str]:
    """Call each column of responses by what tells it from the others."""
    if len(found) < 2:
        return {column: column for column in found}
    words = [re.split(r"[\s_:/]+", column) for column in found]
    shared = set.intersection(*(set(each) for each in words))
    short = [" ".join(word for word in each if word not in shared) for each in words]
    unique = len(set(short)) == len(short) and all(short)
    return dict(zip(short if unique else found, found, strict=True))
