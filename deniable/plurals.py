"""Numbers with their nouns: 1 row, 2 rows; 1 odpowiedź, 2 odpowiedzi, 5 odpowiedzi."""

from __future__ import annotations


def counted(number: float, one: str, many: str | None = None) -> str:
    """A whole number with its noun, in English.

    >>> counted(1, "row"), counted(1_200, "row"), counted(0, "answer"), counted(2, "person", "people")
    ('1 row', '1,200 rows', '0 answers', '2 people')
    """
    return f"{number:,.0f} {one if number == 1 else many or one + 's'}"


def counted_in_polish(number: int, one: str, few: str, many: str) -> str:
    """The same in Polish, which has two plurals: `few` after 2, 3, 4, 22, ... (not 12, 13, 14), `many` after all others.

    >>> [counted_in_polish(n, "osoba", "osoby", "osób") for n in (1, 2, 5, 12, 22, 1_000)]
    ['1 osoba', '2 osoby', '5 osób', '12 osób', '22 osoby', '1000 osób']
    >>> counted_in_polish(21_500, "osoba", "osoby", "osób").replace("\\xa0", " ")
    '21 500 osób'
    """
    is_few = number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)
    return f"{grouped_in_polish(number)} {one if number == 1 else few if is_few else many}"


def grouped_in_polish(number: int) -> str:
    """A whole number; Polish groups digits by a space that does not break, from five digits on.

    >>> grouped_in_polish(604), grouped_in_polish(21_500).replace("\\xa0", " ")
    ('604', '21 500')
    """
    return f"{number:,}".replace(",", "\xa0") if number >= 10_000 else str(number)
