"""An estimate and its error: a value, how it was obtained, what it speaks about, and how far it may be off."""

from __future__ import annotations

import copy
from typing import Any, Self

from deniable.core import estimate_sentences
from deniable.core.estimate_in_words import retell
from deniable.core.estimate_picture import picture
from deniable.core.estimate_text import page, text
from deniable.core.estimated_values import FEWEST, EstimatedValues
from deniable.core.polish import Polish
from deniable.core.question_texts import QuestionTexts
from deniable.picture_words import POLISH, words_of

__all__ = ["FEWEST", "Estimate"]


class Estimate(EstimatedValues):
    """Estimated shares (or other numbers), one per label, with their covariance.

    `target` says what the error bars are about: the "population" that the respondents are a sample of, or the "respondents"
    themselves, of whom only the randomisation is uncertain.

    >>> import deniable as dn
    >>> estimate = dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96))
    >>> estimate.value.round(3).tolist()
    [0.95, 0.05]
    """

    def to_frame(self, level: float = 0.95, long: bool = False) -> Any:
        """A pandas frame with one row per label: value, and se, low, high and the largest bias where they exist; band_low and band_high
        instead where there is no interval, as far as they need no simulation. Shares within groups have one column for the group and
        one for the label; means in groups have the number of people before them.

        A cross table has the labels of one attribute in rows and those of the other in columns, and holds the values alone;
        `long=True` gives one row per cell, with their errors.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> found = dn.Sample(pd.DataFrame({"a": [1, 1, 0, 0], "b": ["m", "m", "m", "f"]}), schema).crosstab("a", "b")
        >>> found.to_frame()
        b      m      f
        a
        0  0.125  0.375
        1  0.625 -0.125
        >>> found.to_frame(long=True).columns.tolist()
        ['a', 'b', 'value', 'se', 'low', 'high']
        """
        import pandas as pd

        if self.table is not None and not long:
            (down, first), (across, second) = self.table
            index, columns = pd.Index(list(first), name=down), pd.Index(list(second), name=across)
            return pd.DataFrame(self.value.reshape(len(first), len(second)), index=index, columns=columns)
        columns_by_name: dict[str, Any] = {"label": list(self.labels)}
        if self.table is not None:
            columns_by_name = {name: [label[side] for label in self.labels] for side, (name, _) in enumerate(self.table)}
        elif len(self.attributes) > 1:
            columns_by_name = {name: [label[side] for label in self.labels] for side, name in enumerate(self.attributes)}
        if self.by is not None and self.group_sizes is not None:
            columns_by_name["people"] = self.group_sizes
        columns_by_name["value"] = self.value
        if self.error_is_known:
            columns_by_name["se"] = self.se
        if self.has_interval:
            columns_by_name["low"], columns_by_name["high"] = self.interval(level)
        elif self.error_is_known:
            columns_by_name["band_low"], columns_by_name["band_high"] = self.band(level)
        if self.bias is not None:
            columns_by_name["bias"] = self.bias
        return pd.DataFrame(columns_by_name)

    def in_words(self, texts: QuestionTexts, language: str | None = None) -> Self:
        """The same estimate in the words of a survey: what was asked as its name, and the texts of answers as labels, in one of the
        survey's languages (the first unless said). Pictures of it speak that language too, where it is Polish or English.

        >>> import deniable as dn
        >>> from deniable.core.question_texts import QuestionTexts
        >>> texts = QuestionTexts(["en"], {"s": {"title": {"en": "Do you smoke?"}, "labels": {"0": {"en": "No"}, "1": {"en": "Yes"}}}})
        >>> estimate = dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96))
        >>> estimate.attributes = ("s",)
        >>> estimate.in_words(texts).labels
        ('No', 'Yes')
        """
        questions = texts.questions(language)
        other = copy.copy(self)
        other._uncertainty = copy.copy(self._uncertainty)
        other.language = language or texts.languages[0]
        other._in_points, other._on_a_scale = self.in_points, self.on_a_scale
        if words_of(other.language) is POLISH:
            other._speak(Polish({name: question.title for name, question in questions.items()}))
        retell(self, other, questions)
        return other

    def _speak(self, polish: Polish) -> None:
        """Say in Polish what is not a text of the survey; labels that are answers become its texts."""
        self.name = polish.name(self.name)
        self.assumes = tuple(map(polish.sentence, self.assumes))
        self.notes = tuple(map(polish.sentence, self.notes))
        self.warnings = tuple(map(polish.sentence, self.warnings))
        self.sides = tuple((group, copy.copy(side)) for group, side in self.sides)
        for _, side in self.sides:
            side.language = self.language
        if self.why_no_interval is not None:
            self._uncertainty.why_no_interval = polish.sentence(self.why_no_interval)
        if not self.attributes:
            self.labels = tuple(map(polish.label, self.labels))

    def plot(self, level: float = 0.95, compare: dict[str, Any] | None = None, title: str | None = None) -> Any:
        """The estimate as an Altair chart, with its intervals; `compare` adds other series, such as what was reported, `title` is
        written above it instead of its name. Groups (`by`, the first attribute of a cross table) are panels of one axis, each with its
        estimated size. More than 30 numbers are a curve with a band. What is assumed, what else is to be said and what is not drawn stands
        beneath.

        >>> import deniable as dn
        >>> dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96)).plot(title="Smokes").title.text
        'Smokes'
        """
        return picture(self, level, compare, title)

    @property
    def caption(self) -> str:
        """How many reports, by which method, and what the error bars are about."""
        return estimate_sentences.caption(self)

    @property
    def verdict(self) -> str:
        """In words whether the (first) value can be told from 0 at the 95% level; a difference of shares in percentage points.

        >>> Estimate([2.0], ["difference"], n=100, method="joint", covariance=[[0.25]], limits=None).verdict
        'above 0: 2 (95% interval 1.02 to 2.98)'
        """
        return estimate_sentences.verdict(self)

    @property
    def comparison(self) -> str:
        """In which of two groups it is more, in words; empty where that cannot be told.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1] * 70 + [0] * 60, "b": ["m"] * 70 + ["f"] * 60}), schema)
        >>> sample.difference("a == 1", between=("b == 'f'", "b == 'm'")).comparison
        "It is less frequent where b == 'f' than where b == 'm'."
        """
        return estimate_sentences.comparison(self)

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return page(self)
