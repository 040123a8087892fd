"""What estimates assume, remark and warn of, and why there is none, in the language and the texts of a survey."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from deniable.core.estimate import Estimate
from deniable.core.polish import Polish
from deniable.errors import DeniableError
from deniable.picture_words import answer_to
from deniable.results.bins import label_in_words, spelled
from deniable.results.conditions import in_words
from deniable.results.material import Spoken
from deniable.statistics.condition_parser import parse

_IN_BIN = re.compile(r"(?P<name>.+) in (?P<bin>\[[^\[\]()]+[)\]])")
_NOT_TOLD = {
    "en": "The reports do not tell true answers apart that look (nearly) alike in them. Fewer or wider groups may help, or the mean.",
    "pl": "Zgłoszenia nie pozwalają odróżnić prawdziwych odpowiedzi, które wyglądają w nich (prawie) tak samo. Pomóc może mniej grup, "
    "szersze przedziały albo średnia.",
}
_SAYS_NOTHING = {
    "en": "Every true answer is reported with the same probabilities, so the reports say nothing.",
    "pl": "Każda prawdziwa odpowiedź jest zgłaszana z tym samym prawdopodobieństwem, więc zgłoszenia nic nie mówią.",
}
_NOBODY = {"en": "There seems to be nobody in this group.", "pl": "W tej grupie najwyraźniej nikogo nie ma."}
_WHY = MappingProxyType(
    dict.fromkeys(["rows_coincide", "ill_conditioned", "singular", "wide_domain"], _NOT_TOLD)
    | {"no_information": _SAYS_NOTHING, "empty_group": _NOBODY}
)


def remarks(estimates: Sequence[Estimate | None], spoken: Spoken) -> tuple[str, ...]:
    """What estimates assume, remark and warn of, each once, as sentences.

    >>> from deniable.core.question_texts import Question
    >>> from deniable.results.words import said_in
    >>> note = "nobody is in the group (sex == 'F')"
    >>> estimate = Estimate([0.5], ["share"], n=9, method="joint", covariance=[[0.1]], notes=[note])
    >>> remarks([estimate], Spoken(said_in("pl"), {"sex": Question("Płeć", {"F": "Kobieta"})}))
    ('Uwaga: nie ma osób, dla których „Płeć: Kobieta”.',)
    """
    words, found = spoken.said.words, []
    for estimate in estimates:
        if estimate is None:
            continue
        for form, sentences in (
            (words.assumed, estimate.assumes),
            (words.note, estimate.notes),
            (words.warning, estimate.warnings),
        ):
            found += [as_sentence(form.format(what=_told(one, estimate, spoken))) for one in sentences]
    return tuple(dict.fromkeys(found))


def why_not(error: DeniableError, spoken: Spoken) -> str:
    """Why there is no estimate.

    >>> from deniable.errors import NotInvertibleError
    >>> from deniable.results.words import said_in
    >>> why_not(NotInvertibleError("no_information", "Nothing is told."), Spoken(said_in("pl"), {}))[:36]
    'Każda prawdziwa odpowiedź jest zgłas'
    """
    known = _WHY.get(error.code)
    if known is None:
        return as_sentence(spoken.said.cannot_be_told)
    return known[spoken.said.words.language]


def as_sentence(text: str) -> str:
    """A text that begins and ends as sentences do.

    >>> as_sentence("too few answers")
    'Too few answers.'
    """
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _told(remark: str, estimate: Estimate, spoken: Spoken) -> str:
    """A remark in the survey's texts, then in its language: what stands in quotes is carried over."""

    def quoted(text: str) -> str:
        return spoken.said.quoted.format(text=text)

    for inside in _in_brackets(remark):
        group = _group(inside, estimate, spoken)
        remark = remark if group is None else remark.replace(f"({inside})", f"({quoted(group)})")
    named = [name for name in spoken.questions if repr(name) in remark]
    for name in named:
        question = spoken.questions[name]
        for label in question.labels:
            if label not in spoken.questions:
                text = str(question.label(label))
                remark = remark.replace(repr(label), quoted(text))
                # What people are taken to answer: "(no: 40%, yes: 60%)".
                remark = text.join(re.split(rf"(?<=[( ]){re.escape(label)}(?=: [\d.]+%)", remark))
    if spoken.said.words.language == "pl":
        return Polish({name: question.title for name, question in spoken.questions.items()}).sentence(remark)
    for name in named:
        remark = remark.replace(repr(name), quoted(spoken.questions[name].title))
    return remark


def _group(inside: str, estimate: Estimate, spoken: Spoken) -> str | None:
    """What stands in brackets, where it is a condition on questions, a bin or the label of a group; else None."""
    labels = [label for label in estimate.labels if str(label) == inside]
    if labels and estimate.by is not None:
        return label_in_words(spoken.questions.get(estimate.by), labels[0], spoken.said)
    found = _IN_BIN.fullmatch(inside)
    if found is not None and found["name"] in spoken.questions:
        return answer_to(spoken.title(found["name"]), spelled(found["bin"], spoken.said))
    try:
        condition = parse(inside)
    except DeniableError:
        return None
    return in_words(condition, spoken.questions, spoken.said) if set(condition.attributes()) <= set(spoken.questions) else None


def _in_brackets(text: str) -> Iterator[str]:
    """What stands in round brackets, the outermost ones. A bin ends in one that was never opened."""
    depth, begin = 0, 0
    for place, character in enumerate(text):
        if character == "(":
            begin = place + 1 if depth == 0 else begin
            depth += 1
        elif character == ")" and depth and not _ends_a_bin(text[begin:place]):
            depth -= 1
            if depth == 0:
                yield text[begin:place]


def _ends_a_bin(before: str) -> bool:
    """Whether a bracket that comes next closes a bin: "[18, 25" is open before it."""
    return before.rfind("[") > max(before.rfind("]"), before.rfind(")"))
