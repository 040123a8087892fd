"""What views are called, in the texts of a survey: lists of views say it, and so do headings of those of which nothing is shown."""

from __future__ import annotations

from deniable.picture_words import answer_to
from deniable.results.conditions import in_words, read_condition
from deniable.results.material import Spoken
from deniable.results.questions import Comparison, Question, Together


def named(question: Question, spoken: Spoken) -> str:
    """A view in a few words: what it is of, by which groups, of whom.

    >>> from deniable.core.question_texts import Question as Texts
    >>> from deniable.results.words import said_in
    >>> spoken = Spoken(said_in("en"), {"sex": Texts("Your sex", {"F": "Female", "M": "Male"})})
    >>> named(Comparison("sex", "sex == 'F'", "sex == 'M'"), spoken)
    'Your sex: Your sex: Female / Your sex: Male'
    """

    def condition(text: str) -> str:
        read = read_condition(text)
        return "" if read is None else in_words(read, spoken.questions, spoken.said)

    said, of = spoken.said, getattr(question, "of", None)
    if isinstance(question, Together):
        return ", ".join(said.quoted.format(text=spoken.title(name)) for name in question.of)
    if of is None:
        return said.overview
    if isinstance(question, Comparison):
        what = said.mean.format(title=spoken.title(of)) if question.mean else spoken.title(of)
        return answer_to(what, f"{condition(question.first)} / {condition(question.second)}")
    by, where = getattr(question, "by", None), getattr(question, "where", None)
    what = spoken.title(of) if by is None else said.words.one_by_other.format(one=spoken.title(of), other=spoken.title(by))
    what = said.mean.format(title=what) if question.view == "mean" else what
    return what if where is None else f"{what} ({condition(where)})"
