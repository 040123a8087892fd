"""The privacy report: what a questionnaire gives away, in words that need no statistics."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.channels.base import Channel, rounded_up
from deniable.core.question_texts import Question
from deniable.core.schema import Schema, summed
from deniable.errors import ParameterError
from deniable.pages import render
from deniable.privacy.attacks.correlation import remaining_error
from deniable.privacy.attacks.linkage import Linkage, reidentification_rate
from deniable.privacy.measures.single_entry import by_attribute
from deniable.privacy.measures.worst_case import posterior_bound
from deniable.privacy.reporting.deployments import DEPLOYMENTS, Deployment
from deniable.privacy.reporting.polish import capital, number, sayer
from deniable.privacy.reporting.rows import SUPPOSED, Row, row_of
from deniable.privacy.reporting.warnings import ALL_TOGETHER, weak_together
from deniable.privacy.reporting.words import (
    FIGURES_DIFFER,
    FOR_SCALE,
    HOW_TO_READ,
    ONE_LIE,
    ONE_REPORT,
    factor,
    odds,
    percent,
    together,
)

if TYPE_CHECKING:
    import pandas as pd


class PrivacyReport:
    """One row per question, the whole, warnings and published figures to compare with; as text, frame or web page.

    Parameters
    ----------
    schema, rows
        The schema, and what each of its blocks gives away.
    errors, linkage
        What attackers who know the population achieve, where that was tried.
    notes
        Pairs of a question and a note about it.
    language
        The language that the report is shown in.

    Examples
    --------
    >>> import deniable as dn
    >>> report = dn.privacy.report(dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8)}))
    >>> report.rows[0].says
    "if someone reports 'yes', the chance that the true answer is 'yes' rises from 10% to at most 31%"
    """

    def __init__(
        self,
        schema: Schema,
        rows: tuple[Row, ...],
        errors: pd.DataFrame | None = None,
        linkage: Linkage | None = None,
        notes: tuple[tuple[str, str], ...] = (),
        language: str = "en",
    ) -> None:
        self.schema = schema
        self.rows = rows
        self.private = tuple(row for row in rows if not row.open)
        # Open questions are named as such; they do not make the epsilon of the others infinite.
        self.epsilon = summed([row.epsilon for row in self.private])
        self.notes = notes
        self.language = language
        self.errors = errors
        self.linkage = linkage
        self.deployments: tuple[Deployment, ...] = DEPLOYMENTS

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """(question, warning) for all rows."""
        each = tuple((row.name, warning) for row in self.rows for warning in row.warnings)
        return (*each, *((ALL_TOGETHER, warning) for warning in weak_together([row.epsilon for row in self.private])))

    @property
    def asked_openly(self) -> tuple[str, ...]:
        """The questions whose answers are reported as they are."""
        return tuple(row.name for row in self.rows if row.open)

    @property
    def titles(self) -> dict[str, str]:
        """The words of each question, where they are known."""
        return {row.name: row.text for row in self.rows if row.text}

    def called(self, name: str) -> str:
        """A question by its own words and its name; by its name alone where its words are not known."""
        text = self.titles.get(name)
        if text is None:
            return sayer(self.language)(name) if name == ALL_TOGETHER else name
        return f"„{text}” ({name})" if self.language == "pl" else f"“{text}” ({name})"

    def _listed(self, names: Iterable[str]) -> str:
        # Polish shows the words of the questions itself, in place of their names.
        return ", ".join(name if self.language == "pl" else self._words(name) for name in names)

    def _words(self, name: str) -> str:
        return f"“{self.titles[name]}”" if name in self.titles else name

    @property
    def summary(self) -> str:
        """The whole questionnaire in a few sentences."""
        names = self.asked_openly
        if not self.private:
            every = "The one question is" if len(names) == 1 else "All questions are"
            return f"{every} asked openly: not protected by randomisation. Anyone who sees the reports knows the true answers."
        kind = "private question" if names else "question"
        count = sum(len(row.questions) for row in self.private)
        what = f"the one {kind}" if count == 1 else f"all {count} {kind}s"
        openly = f" Asked openly: not protected by randomisation ({self._listed(names)})." if names else ""
        if math.isinf(self.epsilon):
            unlimited = [row.name for row in self.private if math.isinf(row.epsilon)]
            return (
                f"Someone who answers {what} is guaranteed nothing: some reports rule out true answers "
                f"({self._listed(unlimited)}).{openly}"
            )
        return (
            f"Whatever someone reports to {what}, and whatever else is known about them, the odds of any true answer change "
            f"{odds(self.epsilon)}. {self.at_worst}{openly}"
        )

    @property
    def together(self) -> str:
        """What all hidden answers of one person give away together."""
        if not self.private:
            return "Nothing is hidden."
        which = "Private answers together" if self.asked_openly else "Together"
        return f"{which}: epsilon {rounded_up(self.epsilon)} per respondent; {together(self.epsilon)}."

    @property
    def at_worst(self) -> str:
        """What all reports of one person together can do."""
        if math.isinf(self.epsilon):
            return "Some reports rule out true answers."
        after = posterior_bound(self.epsilon, SUPPOSED)
        return f"Something that was thought 10% likely before is then at most {percent(after, up=True)} likely."

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame, one row per block: questions, hidden_by, answers, epsilon, odds, worst_case, supposing, counts_as, warnings.

        >>> import deniable as dn
        >>> dn.privacy.report(dn.datasets.town_schema()).to_frame().index.tolist()
        ['salary', 'age', 'sex', 'credit', 'children']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "questions": [", ".join(row.questions) for row in self.rows],
                "hidden_by": [row.hidden_by for row in self.rows],
                "answers": [row.answers for row in self.rows],
                "epsilon": [row.epsilon for row in self.rows],
                "odds": [row.odds for row in self.rows],
                "worst_case": [row.says for row in self.rows],
                "supposing": [row.supposing for row in self.rows],
                "counts_as": [row.counts_as for row in self.rows],
                "warnings": [" ".join(row.warnings) for row in self.rows],
            },
            index=pd.Index([row.name for row in self.rows], name="block"),
        )

    def to_html(self) -> str:
        """A complete web page: no scripts, no network, readable in light and dark and by a screen reader."""
        return self._rendered("privacy_report.html")

    def _repr_html_(self) -> str:
        return self._rendered("privacy_fragment.html")

    def _rendered(self, template: str) -> str:
        return render(
            template,
            report=self,
            # The language of the page itself; questions may be shown in others.
            spoken="pl" if self.language == "pl" else "en",
            say=sayer(self.language, self.titles),
            number=partial(number, language=self.language),
            capital=capital,
            factor=factor,
            epsilon=rounded_up(self.epsilon),
            change=factor(odds(self.epsilon)),
            how_to_read=HOW_TO_READ,
            one_report=ONE_REPORT,
            one_lie=ONE_LIE,
            for_scale=FOR_SCALE,
            figures_differ=FIGURES_DIFFER,
        )

    def __repr__(self) -> str:
        lines = [f"Privacy report: {self.together[0].lower()}{self.together[1:]}"]
        lines += textwrap.wrap(self.summary, 110, initial_indent="  ", subsequent_indent="  ")
        for row in self.rows:
            tells = "asked openly" if row.open else f"epsilon {row.shown_epsilon}; a report changes anyone's odds {row.odds}"
            lines += ["", f"{row.name}: {tells}"]
            asked = [f"“{row.text}”"] if row.text else []
            lie = [f"{ONE_LIE} {row.counts_as}."] if row.counts_as else []
            for text in (
                *asked,
                f"Hidden by: {row.hidden_by}.",
                row.sentence,
                *lie,
                *(f"Warning: {warning}" for warning in row.warnings),
            ):
                lines += textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="    ")
        for name, note in self.notes:
            lines += ["", *textwrap.wrap(f"Note: {name}: {note}", 110, subsequent_indent="  ")]
        for text in self.attacks:
            lines += ["", *textwrap.wrap(text, 110, subsequent_indent="  ")]
        lines += ["", *textwrap.wrap(ONE_REPORT, 110, subsequent_indent="  "), "", f"{FOR_SCALE}:"]
        lines += [f"  {d.who} ({d.year}): epsilon {d.epsilon}, {d.of_what}" for d in self.deployments]
        return "\n".join(lines)

    @property
    def attacks(self) -> tuple[str, ...]:
        """What attackers who know the population achieve, where one was given."""
        sentences = []
        if self.linkage is not None:
            sentences.append(str(self.linkage))
        if self.errors is not None:
            sentences.extend(
                f"Anyone who knows how the population's answers are related still misses the true {name} by "
                f"{row['shown']:,.3g} on average (root mean square; the noise alone suggests {row['reported']:,.3g})."
                for name, row in self.errors.iterrows()
            )
        return tuple(sentences)


def report(
    schema: Mapping[str, Channel],
    prior: Mapping[str, Any] | None = None,
    population: Any = None,
    rng: np.random.Generator | None = None,
    texts: Mapping[str, Question] | None = None,
) -> PrivacyReport:
    """What a schema gives away, question by question: epsilon, odds, the worst case in words, and warnings.

    Attributes with the channel `Identity` are asked openly: they are named as such, and the epsilon of the whole is that of the others.
    For a questionnaire: `deniable.survey.reporting.privacy_report`.

    Parameters
    ----------
    schema : Schema or mapping from name to Channel
        How the answers are randomised.
    prior : mapping, optional
        Distributions of the answers by attribute. For an attribute without one, the worst case is that of an answer thought 10% likely
        (up to ten labels: the bound before e^epsilon / (before e^epsilon + 1 - before)), or that of equally likely answers.
    population : frame, optional
        True answers, or made-up ones like them, on which two attacks are tried: tracing reports to people, and filtering the noise
        out of numbers.
    rng : numpy.random.Generator, optional
        Makes the attacks repeatable.
    texts : mapping, optional
        What the questions and answers say (`schema.texts.questions("pl")`), to show answers by their texts.

    Returns
    -------
    PrivacyReport
        Print it, or take it as a frame (`to_frame`) or a web page (`to_html`).

    Examples
    --------
    >>> import deniable as dn
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8)})
    >>> print(dn.privacy.report(schema, prior={"smokes": 0.1}).rows[0].says)
    if someone reports 'yes', the chance that the true answer is 'yes' rises from 10% to at most 31%
    """
    if not isinstance(schema, Mapping):
        raise ParameterError(
            "report_schema", "report takes a schema (or a mapping from name to channel), got {got!r}.", got=schema
        )
    read = schema if isinstance(schema, Schema) else Schema(schema)
    given = by_attribute(read, prior)
    rows = tuple(row_of(block, read, given, texts) for block in read.blocks)
    notes = tuple((name, f"assumed: {channel.assumption}.") for name, channel in read.items() if channel.assumption is not None)
    if population is None:
        return PrivacyReport(read, rows, notes=notes)
    noisy = any(channel.adds_noise for channel in read.values())
    return PrivacyReport(
        read,
        rows,
        errors=remaining_error(read, population, rng=rng) if noisy else None,
        linkage=reidentification_rate(read, population, rng=rng),
        notes=notes,
    )
