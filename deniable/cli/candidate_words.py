"""What `deniable candidates` says beside its list, in English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class CandidateWords:
    """The sentences of one language, and the names of the columns where they are not those of the data frame."""

    columns: Mapping[str, str]
    note: str
    warning: str
    written: str
    between: str
    drawn: str
    nobodys: str
    no_codes: str
    not_kept: str
    kept: str


ENGLISH = CandidateWords(
    columns=MappingProxyType({}),
    note="note",
    warning="warning",
    written="{rows} written to {path}; {expected} of them are expected to meet the condition{between}.",
    between=" (95% interval: {low} to {high})",
    drawn="Rows with the same probability are in the order of a draw, {draw}: with --draw anyone can make this list again and see that "
    "nobody was favoured.",
    nobodys="nothing here tells whose rows these are: they are in random order",
    no_codes=", and there are no receipt codes. That is what linkage: none means in a survey: no answer belongs to anyone, which was "
    "promised to those who answered and cannot be undone. How many there are can still be estimated: deniable count, share. To invite "
    "the likeliest, run the next survey with linkage: code, which gives everyone a receipt code that can be announced, or with "
    "linkage: register, which keeps contact details beside the answers; its page says so before the first question.",
    not_kept=", unless it was kept when they were randomised, and no column is shown beside them. --keep shows a column that tells whose "
    "they are, such as an identifier kept by deniable randomise --keep.",
    kept=" This file has {columns}: --keep {first}.",
)
POLISH = CandidateWords(
    columns=MappingProxyType({"part": "część", "row": "wiersz", "probability": "prawdopodobieństwo", "draw": "losowanie"}),
    note="uwaga",
    warning="ostrzeżenie",
    written="Zapisano w {path}, liczba wierszy: {rows}; warunek spełnia z nich szacunkowo {expected}{between}.",
    between=" (przedział 95%: od {low} do {high})",
    drawn="Wiersze o tym samym prawdopodobieństwie są w kolejności losowania {draw}: z --draw każdy może odtworzyć tę listę i "
    "sprawdzić, że nikogo nie faworyzowano.",
    nobodys="nic tu nie mówi, czyje są te wiersze: są w losowej kolejności",
    no_codes=" i nie ma kodów potwierdzenia. Tak jest w ankiecie z linkage: none: żadnej odpowiedzi nie można przypisać do osoby, co "
    "obiecano respondentom i czego nie da się cofnąć. Można oszacować, ile jest takich osób: deniable count, share. Aby zaprosić "
    "najbardziej prawdopodobne, w następnej ankiecie trzeba użyć linkage: code (każdy dostaje kod potwierdzenia i kody można ogłosić) albo "
    "linkage: register (dane kontaktowe są przy odpowiedziach); strona ankiety mówi o tym przed pierwszym pytaniem.",
    not_kept=", chyba że zachowano ją przy zniekształcaniu, i nie ma przy nich żadnej kolumny. --keep pokazuje kolumnę, która mówi, "
    "czyje są, na przykład identyfikator przekazany przez deniable randomise --keep.",
    kept=" W tym pliku są: {columns}; np. --keep {first}.",
)


def candidate_words(language: str | None) -> CandidateWords:
    """The words of a language; English where there are none.

    >>> candidate_words("pl").note, candidate_words(None).note
    ('uwaga', 'note')
    """
    return POLISH if language == "pl" else ENGLISH
