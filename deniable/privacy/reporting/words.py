"""Probabilities and odds in words, never rounded in favour of the design."""

from __future__ import annotations

import math
from typing import Any

from deniable.privacy.measures.worst_case import Rise

ONE_REPORT = (
    "Epsilon limits what one person's report says about that person. It does not cover what rows give away about one another, as in a "
    "sorted file; that is why rows are shuffled when they are randomised."
)

ONE_LIE = "One dishonest answer can shift an estimated count by up to"
FOR_SCALE = "For comparison, figures that others have published"
FIGURES_DIFFER = (
    "Figures published by the organisations themselves. What they count differs (one report, a day, a whole census), so they are a "
    "scale, not a ranking."
)
MANY = 1_000_000
"""Answers that change odds by more prove practically everything: what was thought of one person in a million is then as likely as not."""
# Words between ** are shown in bold.
HOW_TO_READ = (
    "A hidden answer is randomised before it is sent, so nobody can take what is reported at face value. What a report can still say "
    "about the person behind it is measured by what it does to the **odds**: if an answer was thought 10% likely (odds of 1 to 9) and a "
    "report changes the odds by a factor of 4, the answer is then 31% likely (odds of 4 to 9). **Epsilon** is the logarithm of that "
    "factor: 0 means that a report says nothing, each further 0.7 doubles the factor, and the epsilons of several questions add up. All "
    "figures are those of the most revealing report; no other report says more."
)


def odds(epsilon: float) -> str:
    """Epsilon in words: by what factor a report can change the odds of any answer, rounded up.

    >>> odds(math.log(3)), odds(2.0), odds(13.385), odds(math.inf)
    ('by a factor of at most 3.0', 'by a factor of at most 7.4', 'by a factor of at most 660,000', 'without limit')
    """
    if math.isinf(epsilon):
        return "without limit"
    if epsilon > 700:
        return f"by a factor of at most e^{math.ceil(epsilon):,}"
    factor = math.exp(epsilon)
    if factor < 100:
        return f"by a factor of at most {math.ceil(factor * 10 - 1e-6) / 10:.1f}"
    if factor < 1000:
        return f"by a factor of at most {math.ceil(factor - 1e-6)}"
    # Two significant figures are enough for a large number.
    exponent = math.floor(math.log10(factor))
    leading = math.ceil(factor / 10.0 ** (exponent - 1) - 1e-6)
    if exponent < 12:
        return f"by a factor of at most {leading * 10 ** (exponent - 1):,}"
    return f"by a factor of at most {leading / 10:.1f} x 10^{exponent}"


def is_many(epsilon: float) -> bool:
    """Whether odds change by so much that the number tells nobody anything: by a factor of more than a million.

    >>> is_many(math.log(999_999)), is_many(32.2)
    (False, True)
    """
    return epsilon > math.log(MANY) + 1e-9


def together(epsilon: float) -> str:
    """What all answers of one person together do to odds.

    >>> together(math.log(45))
    'the odds change by a factor of at most 45.0'
    >>> together(32.2)
    'the odds may change by a factor of more than a million: they prove practically everything'
    """
    if is_many(epsilon) and not math.isinf(epsilon):
        return "the odds may change by a factor of more than a million: they prove practically everything"
    return f"the odds change {odds(epsilon)}"


def factor(odds_in_words: str) -> str:
    """The same for a column that is headed "by a factor of".

    >>> factor(odds(2.0)), factor("without limit")
    ('at most 7.4', 'without limit')
    """
    return odds_in_words.removeprefix("by a factor of ")


def percent(chance: float, up: bool = False, down: bool = False) -> str:
    """A chance in percent with as many digits as it needs; `up` rounds up, `down` rounds down, and only certainty is called 100%.
    A whole percentage that would be off by more than half a percent gets one digit more.

    >>> percent(0.1), percent(0.3077, up=True), percent(1 / 73), percent(0.99996, up=True), percent(1.0)
    ('10%', '31%', '1.4%', '99.996%', '100%')
    >>> percent(0.0536, down=True), percent(0.1196, down=True), percent(0.3, down=True)
    ('5.3%', '11.9%', '30%')
    >>> percent(0.8714, up=True), percent(0.625), percent(0.625, up=True)
    ('87.2%', '63%', '63%')
    """
    if chance <= 0 or chance >= 1:
        return "0%" if chance <= 0 else "100%"
    edge = min(chance, 1 - chance) * 100
    digits = 0 if edge >= 9.5 else max(1, 1 - math.floor(math.log10(edge)) - (edge >= 1))
    whole = chance * 100
    moved = math.ceil(whole - 1e-9) - whole if up else whole - math.floor(whole + 1e-9) if down else 0.0
    if digits == 0 and moved > 0.5 + 1e-6:
        digits = 1
    scale = 10.0**digits
    exact = chance * 100 * scale
    scaled = math.ceil(exact - 1e-9) if up else math.floor(exact + 1e-9) if down else math.floor(exact + 0.5)
    return f"{scaled / scale:.{digits}f}".rstrip("0").rstrip(".") + "%" if digits else f"{int(scaled)}%"


def quoted(label: Any) -> str:
    """A label as it stands in a sentence: words in quotes, numbers without."""
    return f"'{label}'" if isinstance(label, str) else str(label)


def sentence(worst: Rise) -> str:
    """What the worst report does, for someone who has never heard of epsilon.

    >>> sentence(Rise("yes", "yes", 0.1, 0.3077))
    "if someone reports 'yes', the chance that the true answer is 'yes' rises from 10% to at most 31%"
    """
    start = f"if someone reports {quoted(worst.report)}, "
    if worst.after >= 1:
        return start + f"the true answer is certainly {quoted(worst.truth)}; before, its chance was {percent(worst.before)}"
    return start + (
        f"the chance that the true answer is {quoted(worst.truth)} rises from {percent(worst.before)} "
        f"to at most {percent(worst.after, up=True)}"
    )
