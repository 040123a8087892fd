"""An estimate and its error: a value, how it was obtained, what it speaks about, and how far it may be off."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate_text import label_words, page, sentences_of, text
from deniable.core.intervals import Moments, score_interval
from deniable.core.polish import Polish
from deniable.core.question_texts import QuestionTexts
from deniable.core.simplex import project
from deniable.errors import NoIntervalError, ParameterError
from deniable.picture_words import ENGLISH, POLISH, Words, words_of
from deniable.plurals import counted
from deniable.progress import Progress, Silent

TARGETS = ("population", "respondents")
DRAWS = 200
"""So many re-estimates make a variability band."""
AT_ONCE = 25
"""So many re-estimates are made in step."""
FEWEST = 5
"""Of fewer people no shares are shown: one of them would be 20% or more."""
MOST_ROOM = 10
"""An axis of means shows all that is possible unless that is so many times as wide as what is drawn."""


class Estimate:
    """Estimated shares (or other numbers), one per label, with their covariance.

    `target` says what the error bars are about: the "population" that the respondents are a sample of, or the "respondents"
    themselves, of whom only the randomisation is uncertain.

    >>> import deniable as dn
    >>> estimate = dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96))
    >>> estimate.value.round(3).tolist()
    [0.95, 0.05]
    """

    bias: Floats | None = None
    """How far the values may be off, besides their standard errors, for the truths that are assumed; None if they are unbiased."""
    assumes: tuple[str, ...] = ()
    """What the values take for granted, in words."""
    notes: tuple[str, ...] = ()
    """What else is to be said of them."""
    warnings: tuple[str, ...] = ()
    """Why they may mean nothing at all."""
    whole: int = 1
    """Each so many values are shares that add up to 1."""
    attributes: tuple[str, ...] = ()
    """What the labels are values of: one attribute, or that of the groups and that within them; empty where labels are no values."""
    language: str | None = None
    """The language of the labels, where they are texts of a survey."""
    group_sizes: Floats | None = None
    """How many of the reports are estimated to come from the group that each value is about; None where that is everyone."""
    sizes_known: bool = False
    """Whether nothing that decides who is in these groups is hidden, so that their sizes are no estimates."""
    exact: bool = False
    """Whether nothing that was asked is hidden, and the values are of the respondents themselves: they are counted, not estimated."""
    sides: tuple[tuple[str, Estimate], ...] = ()
    """Of a difference between two groups: each group, and its own share or mean."""
    by: str | None = None
    """The attribute whose labels are groups, where each value is about one of them."""
    table: tuple[tuple[str, tuple[Any, ...]], tuple[str, tuple[Any, ...]]] | None = None
    """Of a cross table: the names and labels of its rows and of its columns."""
    row_people: Callable[[], Floats] | None = None
    """Of a cross table: how many respondents are estimated to have each label of its rows, where that is known better than by its cells."""
    _in_points: bool | None = None
    _on_a_scale: bool | None = None

    def __init__(
        self,
        value: Any,
        labels: Sequence[Any],
        *,
        n: int,
        method: str,
        target: str = "population",
        covariance: Any = None,
        name: str = "",
        moments: Moments | None = None,
        no_interval: str | None = None,
        resample: Callable[[np.random.Generator, int], Floats] | None = None,
        limits: tuple[float, float] | None = (0.0, 1.0),
        worth: Any = None,
        ends: Callable[[float], tuple[Floats, Floats]] | None = None,
        assumes: Sequence[str] = (),
        bias: Any = None,
        notes: Sequence[str] = (),
        whole: int = 1,
        group_sizes: Any = None,
    ) -> None:
        if target not in TARGETS:
            raise ParameterError("target", "target must be one of {allowed}, got {got!r}.", allowed=list(TARGETS), got=target)
        self.value: Floats = np.asarray(value, dtype=np.float64)
        self.labels = tuple(labels)
        self.n = n
        self.method = method
        self.target = target
        self.name = name
        self.limits = limits
        self.assumes = tuple(assumes)
        self.notes = tuple(notes)
        self.whole = whole
        self.group_sizes = None if group_sizes is None else np.asarray(group_sizes, dtype=np.float64)
        self.bias = None if bias is None else np.asarray(bias, dtype=np.float64)
        self.worth = None if worth is None else np.asarray(worth, dtype=np.float64)
        self._covariance = None if covariance is None else np.asarray(covariance, dtype=np.float64)
        self._moments = moments
        self._no_interval = no_interval
        self._resample = resample
        self._ends = ends
        self._resampled: list[Floats] = []

    def __float__(self) -> float:
        """The value, where there is one."""
        if len(self.value) != 1:
            raise TypeError(
                f"This estimate has {len(self.value)} values: take one by its label, estimate[{self.labels[0]!r}], or .value."
            )
        return float(self.value[0])

    def __getitem__(self, label: Any) -> float:
        """The value of a label.

        >>> import deniable as dn
        >>> round(dn.reconstruct({"a": 60, "b": 40}, dn.KRR(dn.Nominal(["a", "b"]), 0.75))["a"], 4)
        0.7
        """
        if label not in self.labels:
            raise KeyError(f"There is no {label!r}; there are {', '.join(map(repr, self.labels[:20]))}.")
        return float(self.value[self.labels.index(label)])

    __iter__ = None
    """Values, labels and errors would all be reasonable: `to_frame()` has them side by side."""

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the values."""
        if self._covariance is None:
            raise NoIntervalError("no_covariance", "Method {method!r} gives no covariance.", method=self.method)
        return self._covariance

    @property
    def se(self) -> Floats:
        """The standard errors of the values: how much they vary, which leaves out what a method is biased by. There are some wherever there
        is a `band`; where a method has no covariance they are those of the band's re-estimates, which are simulated when first asked for.

        >>> import deniable as dn
        >>> dn.reconstruct([60, 40], dn.KRR(dn.Binary(), 0.75)).se.round(3).tolist()
        [0.098, 0.098]
        """
        if self._covariance is None and self._resample is not None:
            self._simulate(None)
            spread: Floats = np.nanstd(self._resampled, axis=0, ddof=1)
            return spread
        if self._covariance is None:
            raise self._unknown("no_error", "standard error")
        errors: Floats = np.sqrt(np.maximum(np.diag(self._covariance), 0.0))
        return errors

    def _unknown(self, code: str, what: str) -> NoIntervalError:
        reason = self._no_interval or "its error is not known."
        return NoIntervalError(
            code, "Method {method!r} gives no {what}: {reason}", method=self.method, what=what, reason=reason
        )

    @property
    def has_interval(self) -> bool:
        """Whether `interval` has an honest answer."""
        return self._no_interval is None and self._covariance is not None

    @property
    def why_no_interval(self) -> str | None:
        """The reason why there is no interval, or None."""
        return self._no_interval

    @property
    def has_band(self) -> bool:
        """Whether `band` and `se` have an answer: they do together or not at all."""
        return self._resample is not None or self._covariance is not None

    @property
    def error_is_known(self) -> bool:
        """Whether `band` and `se` have an answer at once, with nothing left to simulate."""
        return self._covariance is not None or bool(self._resampled)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends of a confidence interval for each value; a biased method has none and raises.

        >>> import deniable as dn
        >>> low, high = dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96)).interval()
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.919, 0.024], [0.976, 0.081])
        """
        check_level(level)
        if not self.has_interval:
            raise NoIntervalError(
                "no_interval",
                "Method {method!r} gives no confidence interval: {reason}",
                method=self.method,
                reason=self._no_interval or "its error is not known.",
            )
        if self._ends is not None:
            low, high = self._ends(level)
        elif self._moments is not None:
            low, high = score_interval(self._moments, self.n, level, self.target)
        else:
            reach = NormalDist().inv_cdf(0.5 + level / 2) * self.se
            # An impossible value is cut, which must not make it seem certain.
            low, high = np.minimum(self.value, self._possible) - reach, np.maximum(self.value, self._possible) + reach
        if self.limits is not None:
            low, high = np.clip(low, *self.limits), np.clip(high, *self.limits)
        return self._holding_the_point(low, high)

    def _holding_the_point(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """At the border of what is possible the point shown may differ from the unbiased centre; a line drawn around it holds it."""
        return np.fmin(low, self._possible), np.fmax(high, self._possible)

    @property
    def shown(self) -> Floats:
        """The values as people are shown them: the nearest that are possible. Shares lie between 0 and 1 and add up to 1; those of fewer
        than five people, and of a group for which the interval leaves every value open, are not a number. `value` is what the method
        says, and the one to compute with.

        >>> Estimate([1.25, -0.25], ["yes", "no"], n=40, method="joint", covariance=np.eye(2), whole=2).shown.tolist()
        [1.0, 0.0]
        """
        return np.where(self.too_few | self.left_open, np.nan, self._possible)

    @property
    def _possible(self) -> Floats:
        if self.limits is None:
            return self.value
        if self.whole > 1:
            groups = self.value.reshape(-1, self.whole)
            return np.concatenate([project(shares) if np.isfinite(shares).all() else shares for shares in groups])
        return np.clip(self.value, *self.limits)

    @property
    def too_few(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which values are about groups of too few people to be shown."""
        if self.group_sizes is None:
            return np.zeros(len(self.value), dtype=bool)
        few: np.ndarray[Any, np.dtype[np.bool_]] = self.group_sizes < FEWEST
        return few

    @property
    def left_open(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which values are about groups so well hidden that their 95% intervals leave every possible value open: a point would mislead."""
        if self.group_sizes is None or self.limits is None or self.limits[0] == self.limits[1] or not self.has_interval:
            return np.zeros(len(self.value), dtype=bool)
        low, high = self.interval()
        slack = 1e-9 * (self.limits[1] - self.limits[0])
        each = (low <= self.limits[0] + slack) & (high >= self.limits[1] - slack)
        return each.reshape(-1, self.whole).all(axis=1).repeat(self.whole)

    @property
    def said_instead(self) -> list[str | None]:
        """What is said instead of each value that is not shown; None for the others."""
        if self.group_sizes is None:
            return [None] * len(self.value)
        words = words_of(self.language)
        return [
            words.few_answers.format(size=words.number(size, ",.0f")) if few else words.cannot_be_told if left_open else None
            for size, few, left_open in zip(self.group_sizes, self.too_few, self.left_open, strict=True)
        ]

    def with_value(self, value: Any, method: str | None = None) -> Estimate:
        """The same intervals with another point, found by another method."""
        other = copy.copy(self)
        other.value, other.method = np.asarray(value, dtype=np.float64), method or self.method
        other._ends, other._resample = self.interval, None
        return other

    def band(
        self,
        level: float = 0.95,
        draws: int | None = None,
        rng: np.random.Generator | None = None,
        progress: Progress | None = None,
    ) -> tuple[Floats, Floats]:
        """A variability band: where the middle `level` of re-estimates falls. Not a confidence interval: what the method is biased by does
        not show in it. It is stretched to the value itself where re-estimates drift off.

        Methods without a covariance are repeated on simulated reports, `draws` times (200 unless it was done already). Re-estimates of the
        others are normal, so that the band is the value plus and minus so many standard errors.

        >>> import deniable as dn, numpy as np
        >>> channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(2))
        >>> estimate = dn.reconstruct(1000 * channel.push(np.full(10, 0.1)), channel)
        >>> low, high = estimate.band(draws=20, rng=np.random.default_rng(1))
        >>> bool((low <= high).all())
        True
        """
        check_level(level)
        if self._resample is None:
            if self._covariance is None:
                raise self._unknown("no_band", "variability band")
            reach = NormalDist().inv_cdf(0.5 + level / 2) * self.se
            low, high = self.value - reach, self.value + reach
            if self.limits is not None:
                low, high = np.clip(low, *self.limits), np.clip(high, *self.limits)
            return self._holding_the_point(low, high)
        self._simulate(draws, rng, progress)
        # Simulated reports may say nothing of a small group; what the others say of it counts.
        low, high = np.nanquantile(self._resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return self._holding_the_point(low, high)

    def _simulate(self, draws: int | None, rng: np.random.Generator | None = None, progress: Progress | None = None) -> None:
        """Estimate again from simulated reports, unless that was done already as often as is asked for."""
        assert self._resample is not None
        draws = (len(self._resampled) or DRAWS) if draws is None else draws
        if rng is None and len(self._resampled) == draws:
            return
        generator = np.random.default_rng() if rng is None else rng
        self._resampled = []
        progress = progress or Silent()
        progress.start("simulating reports", draws)
        try:
            for done in range(0, draws, AT_ONCE):
                # Some in step cost less than one after the other; all at once would take much memory.
                many = min(AT_ONCE, draws - done)
                self._resampled.extend(self._resample(generator, many))
                progress.advance(many)
        finally:
            progress.finish()

    @property
    def is_share(self) -> bool:
        """Whether the values are shares of a whole, to be read as percentages."""
        return self.limits == (0.0, 1.0)

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

    def in_words(self, texts: QuestionTexts, language: str | None = None) -> Estimate:
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
        other.language = language or texts.languages[0]
        other._in_points, other._on_a_scale = self.in_points, self.on_a_scale
        if words_of(other.language) is POLISH:
            other._speak(Polish({name: question.title for name, question in questions.items()}))
        asked = [questions.get(name) for name in self.attributes]
        groups = questions.get(self.by or "")
        if groups is not None and not self.attributes:
            other.labels = tuple(map(groups.label, self.labels))
        if not any(asked):
            return other

        def words(at: int, label: Any) -> Any:
            question = asked[at]
            return label if question is None else question.label(label)

        other.labels = tuple(
            tuple(words(at, part) for at, part in enumerate(label)) if isinstance(label, tuple) else words(0, label)
            for label in self.labels
        )
        titles = [question.title if question else name for question, name in zip(asked, self.attributes, strict=True)]
        if self.table is not None:
            down, across = (
                (title, tuple(words(at, label) for label in labels))
                for at, (title, (_, labels)) in enumerate(zip(titles, self.table, strict=True))
            )
            other.table = down, across
        spoken, condition = words_of(other.language), self.name.partition(" where ")[2]
        one, *others = titles if self.group_sizes is None else titles[::-1]
        other.name = spoken.one_by_other.format(one=one, other=others[0]) if others else one
        other.name += spoken.where.format(condition=condition) if condition else ""
        return other

    def _speak(self, polish: Polish) -> None:
        """Say in Polish what is no text of the survey; labels that are answers become its texts."""
        self.name = polish.name(self.name)
        self.assumes = tuple(map(polish.sentence, self.assumes))
        self.notes = tuple(map(polish.sentence, self.notes))
        self.warnings = tuple(map(polish.sentence, self.warnings))
        self.sides = tuple((group, copy.copy(side)) for group, side in self.sides)
        for _, side in self.sides:
            side.language = self.language
        self._no_interval = None if self._no_interval is None else polish.sentence(self._no_interval)
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
        check_level(level)
        # Altair takes longer to import than most estimates to compute; only pictures pay for it.
        from deniable import charts

        unseen = np.isnan(self.shown)
        seen = np.flatnonzero(~unseen)
        if not len(seen):
            raise NoIntervalError("too_few", "No picture of {name}: {reason}.", name=self.name, reason=self.said_instead[0])
        words = words_of(self.language)
        ends = self.interval(level) if self.has_interval else self.band(level) if self.has_band else None
        whiskers = (words.interval if self.has_interval else words.band).format(level=words.number(100 * level, "g"))
        if self._groups is not None:
            chart = self._small_multiples(self._groups, ends, compare or {}, whiskers, words, title)
        else:
            left_out = [f"{label_words(self.labels[i])}: {self.said_instead[i]}" for i in np.flatnonzero(unseen)]
            sentences = [words.not_drawn.format(groups="; ".join(left_out))] if left_out else []
            # A curve would hide that something is left out.
            positions, beside = (None, []) if left_out else _curve(self.labels, charts.MANY_NUMBERS)
            if positions is not None:
                sentences.append(words.curve.format(count=words.number(len(positions), ",")))
                sentences += [self._cell(seen[i], ends, words) for i in beside]
                seen = np.delete(seen, beside)
                compare = {name: np.delete(series, beside) for name, series in compare.items()} if compare else None
            scale = 100.0 if self.in_points else 1.0
            drawn = [self.shown[seen], *(() if ends is None else (end[seen] for end in ends))]
            labels = [label_words(self.labels[i]) for i in seen]
            heading, scope = self._heading
            chart = charts.distribution_chart(
                labels,
                scale * self.shown[seen],
                None if ends is None else scale * ends[0][seen],
                None if ends is None else scale * ends[1][seen],
                title=heading if title is None else title,
                compare={name: scale * np.asarray(series) for name, series in compare.items()}
                if compare and scale != 1
                else compare,
                note=self._caption(words) + scope,
                as_percent=self.is_share,
                whiskers=whiskers,
                words=words,
                unit=words.percentage_points if self.in_points else None,
                reach=self._reach(np.concatenate(drawn)),
                from_zero=not self.on_a_scale,
                positions=positions,
            )
            chart = charts.with_sentences(
                chart, [*sentences, *sentences_of(self, words)], 0 if positions else charts.room_of(labels)
            )
        return charts.with_picture(charts.in_language(chart, words))

    @property
    def _groups(self) -> list[tuple[Any, slice]] | None:
        """Where the values of each group stand, if every label is (group, label) and all groups have the same labels."""
        if not all(isinstance(label, tuple) and len(label) == 2 for label in self.labels):
            return None
        names = list(dict.fromkeys(group for group, _ in self.labels))
        size = len(self.labels) // len(names)
        within = [label for _, label in self.labels[:size]]
        if self.labels != tuple((group, label) for group in names for label in within):
            return None
        return [(group, slice(at * size, (at + 1) * size)) for at, group in enumerate(names)]

    def _small_multiples(
        self,
        groups: list[tuple[Any, slice]],
        ends: tuple[Floats, Floats] | None,
        compare: dict[str, Any],
        whiskers: str,
        words: Words,
        title: str | None,
    ) -> Any:
        """One panel for each group, with its estimated size; groups of too few people to say anything are named beneath."""
        from deniable import charts

        drawn, left_out = [], []
        sizes = self._people_in(groups)
        within = [label for _, label in self.labels[groups[0][1]]]
        positions, beside = _curve(within, charts.MANY_NUMBERS)
        kept = np.delete(np.arange(len(within)), beside)
        for (name, place), size in zip(groups, sizes, strict=True):
            if self.is_share and (size < FEWEST or np.isnan(self.shown[place]).any()):
                few = words.few_answers.format(size=words.number(size, ",.0f"))
                left_out.append(f"{label_words(name)}: {self.said_instead[place.start] or few}")
                continue
            members = place.start + kept
            low, high = (None, None) if ends is None else (ends[0][members], ends[1][members])
            compared = {key: np.asarray(series)[members] for key, series in compare.items()}
            sized = words.known_size if self.sizes_known else words.size
            told = sized.format(size=words.number(size, ",.0f"), n=words.number(self.n, ",")) if self.is_share else ""
            told += "".join(f"; {self._cell(place.start + i, ends, words)}" for i in beside)
            # A number by itself is no title.
            above = name if isinstance(name, str) or not self.attributes else f"{self.attributes[0]}: {label_words(name)}"
            drawn.append(charts.Group(label_words(above), self._possible[members], low, high, size, told, compared))
        beneath = [words.not_drawn.format(groups="; ".join(left_out))] if left_out else []
        beneath += [] if positions is None else [words.curve.format(count=words.number(len(positions), ","))]
        if not drawn:
            reason = "; ".join(left_out)
            raise NoIntervalError("too_few", "No picture of {name}: {reason}.", name=self.name, reason=reason)
        return charts.grouped_chart(
            [label_words(within[i]) for i in kept],
            drawn,
            title=self._heading[0] if title is None else title,
            note=f"{self._caption(words)}; {words.of_everyone if self.group_sizes is None else words.within_groups}",
            beneath=[*beneath, *sentences_of(self, words)],
            as_percent=self.is_share,
            whiskers=whiskers,
            words=words,
            positions=positions,
        )

    def _people_in(self, groups: list[tuple[Any, slice]]) -> list[float]:
        """How many respondents each group of labels is estimated to have."""
        if self.group_sizes is not None:
            return [float(self.group_sizes[place.start]) for _, place in groups]
        if self.row_people is not None:
            return [float(people) for people in self.row_people()]
        # Cells as they are shown, none below 0, would make rare labels too frequent.
        sums = np.array([self.value[place].sum() for _, place in groups])
        return [self.n * float(share) for share in (project(sums) if self.is_share else sums)]

    @property
    def on_a_scale(self) -> bool:
        """Whether the values are on the scale of an attribute, as means and quantiles are, for which 0 is a number like any other."""
        if self._on_a_scale is not None:
            return self._on_a_scale
        return self.name.startswith(("mean of ", "quantile")) and self.labels != ("difference",) and not self.is_share

    def _reach(self, drawn: Floats) -> tuple[float, float] | None:
        """The numbers that an axis shows in any case: all possible ones of a scale, unless what is drawn would shrink to a dot on it."""
        if not self.on_a_scale or self.limits is None or not np.isfinite(self.limits).all():
            return None
        return self.limits if MOST_ROOM * (np.nanmax(drawn) - np.nanmin(drawn)) >= self.limits[1] - self.limits[0] else None

    @property
    def _heading(self) -> tuple[str, str]:
        """The name without what is said of those who answered, and that, for the small line."""
        for words in (ENGLISH, POLISH):
            name, found, rest = self.name.rpartition(f" ({words.among_answers}")
            if found:
                return name, f", {words.among_answers}{rest.removesuffix(')')}"
        return self.name, ""

    def _cell(self, i: int, ends: tuple[Floats, Floats] | None, words: Words) -> str:
        """One value in words, without its group."""
        written = words.percent if self.is_share else words.number
        between = "" if ends is None else " " + words.between.format(low=written(ends[0][i]), high=written(ends[1][i]))
        label = self.labels[i][-1] if self._groups is not None else self.labels[i]
        return f"{label_words(label)}: {written(self.shown[i])}{between}."

    @property
    def caption(self) -> str:
        """How many reports, by which method, and what the error bars are about."""
        return self._caption(words_of(self.language))

    def _caption(self, words: Words) -> str:
        direct = among = bars = ""
        if self.worth is not None and len(self.worth) == 1 and self.worth[0] >= 1 and not self.exact:
            worth = round(float(self.worth[0]))
            direct = ", " + (
                f"worth {counted(worth, 'direct answer')}"
                if words is ENGLISH
                else words.worth.format(n=words.number(worth, ","))
            )
        if self.group_sizes is not None and self.by is None and np.ptp(self.group_sizes) == 0:
            inside = words.known_in_the_group if self.sizes_known else words.in_the_group
            among = ", " + inside.format(n=words.number(self.group_sizes[0], ",.0f"))
        if (self.has_interval or self.has_band) and not self.exact:
            bars = ", " + words.error_bars[self.target]
        found_by = words.methods.get(self.method, self.method)
        method = f", {found_by}" if found_by else ""
        reports = counted(self.n, "report") if words is ENGLISH else words.reports.format(n=words.number(self.n, ","))
        return f"{reports}{among}{direct}{method}{bars}"

    @property
    def in_points(self) -> bool:
        """Whether the value is a difference of shares, to be read in percentage points."""
        return self.limits == (-1.0, 1.0) and self.name.startswith("share of ") if self._in_points is None else self._in_points

    @property
    def verdict(self) -> str:
        """In words whether the (first) value can be told from 0 at the 95% level; a difference of shares in percentage points.

        >>> Estimate([2.0], ["difference"], n=100, method="joint", covariance=[[0.25]], limits=None).verdict
        'above 0: 2 (95% interval 1.02 to 2.98)'
        """
        words = words_of(self.language)
        low, high = (float(end[0]) for end in self.interval())
        where_it_lies = words.above_zero if low > 0 else words.below_zero if high < 0 else words.near_zero
        times, digits = (100, ".1f") if self.in_points else (1, ".4g")
        value, *ends = (words.number(times * number, digits) for number in (float(self._possible[0]), low, high))
        return words.verdict.format(
            found=where_it_lies,
            value=f"{value} {words.points}" if self.in_points else value,
            interval=words.interval.format(level=95),
            ends=words.ends.format(low=ends[0], high=ends[1]),
        )

    @property
    def comparison(self) -> str:
        """In which of two groups it is more, in words; empty where that cannot be told.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1] * 70 + [0] * 60, "b": ["m"] * 70 + ["f"] * 60}), schema)
        >>> sample.difference("a == 1", between=("b == 'f'", "b == 'm'")).comparison
        "It is less frequent where b == 'f' than where b == 'm'."
        """
        if len(self.sides) != 2 or not self.has_interval or self.said_instead != [None]:
            return ""
        (low,), (high,) = self.interval()
        if low <= 0 <= high:
            return ""
        words = words_of(self.language)
        told = words.compared_shares if self.in_points else words.compared_means
        return told[bool(low > 0)].format(first=self.sides[0][0], second=self.sides[1][0])

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return page(self)


def _curve(labels: Sequence[Any], most: int) -> tuple[list[float] | None, list[int]]:
    """The labels as numbers where more than `most` of them rise one after the other, and the places of the others, such as "no answer"."""
    beside = [i for i, label in enumerate(labels) if isinstance(label, bool) or not isinstance(label, (int, float, np.number))]
    if len(beside) > 1 or len(labels) - len(beside) <= most:
        return None, []
    numbers = [float(label) for i, label in enumerate(labels) if i not in beside]
    return (numbers, beside) if all(a < b for a, b in pairwise(numbers)) else (None, [])


def check_level(level: Any) -> None:
    """Refuse what is no confidence level."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError("level", "level must be a number between 0 and 1 such as 0.95, got {got!r}.", got=level)
