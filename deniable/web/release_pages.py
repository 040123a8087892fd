"""What the pages show on which an owner releases results to everyone, or takes them back."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.dates import day
from deniable.results.draft import languages_of
from deniable.web.pages import spoken
from deniable.web.results_pages import Reader, around


def release_page(
    reader: Reader, host: str, languages: Sequence[str], released: str | None, complaint: str | None, everyone: bool
) -> str:
    """What a public page is, whether there is one, and buttons to release it or take it back.

    Parameters
    ----------
    reader
        Who reads it.
    host
        The address of this server, as the reader's browser has it.
    languages
        Those of the survey.
    released
        The day on which there was a release, if it is still there.
    complaint
        Why nothing can be released now, if that is so.
    everyone
        Whether only questions of everyone can be.

    Returns
    -------
    str
    """
    speech = reader.speech
    told = languages_of(languages)
    return spoken(
        "release.html", speech, title=speech["publish_of"].format(survey=reader.title), me=reader.me, here=reader.publish, asked="",
        languages=told, spoken_in=", ".join(speech[f"in_{one}"] for one in told), complaint=complaint, everyone=everyone,
        day=None if released is None else day(released, speech.language), path=f"/s/{reader.slug}/results", host=host,
        **around(reader, "publish", {}),
    )  # fmt: skip


def sure_page(reader: Reader, what: str, languages: Sequence[str], seen: str, complaint: str | None = None) -> str:
    """Whether results are really to be released ("release") or taken back ("take_back"), and what that does.

    Parameters
    ----------
    reader
        Who reads it.
    what
        Which of the two.
    languages
        Those in which there is a preview.
    seen
        By what the pages are recognised that would be released.
    complaint
        What was wrong, if anything was.

    Returns
    -------
    str
    """
    speech = reader.speech
    path = reader.publish if what == "release" else f"/organiser/surveys/{reader.slug}/take-back"
    return spoken(
        "release_sure.html", speech, title=speech[f"{what}_it"].format(survey=reader.title), me=reader.me, here=reader.publish, asked="",
        what=what, path=path, languages=languages, seen=seen, complaint=complaint, **around(reader, "publish", {}),
    )  # fmt: skip
