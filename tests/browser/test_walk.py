"""The whole way, without a terminal: from a closed survey to a comparison, a cross table, a rule, the report on paper and the page that
everyone may see. By the keyboard and without script; then every page on the way is looked at, on wide and narrow screens, light and dark,
in both languages: axe, nothing cut off, no point without its interval, no impossible share, no code where there is a text."""

import re

import pytest

from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.pages import Speech
from tests.browser.walking import Reader, choose, fill, follow, kept_in, pages_of, press, tick
from tests.results.residents import QUESTIONS, YAML, open_residents
from tests.web.results_reader import faults

pytestmark = pytest.mark.xdist_group("browser")

PL = Speech("pl")
CODES = {*re.findall(r"\b[qc]_\w+", YAML), "q_fun_c_park", "q_fun_c_bets", "q_safe_c_day", "q_safe_c_night", "yes", "no"}
RESIDENTS = 5_000
SMALL = [(320, "dark", "pl")]
WHOLE = [(width, scheme, language) for width in (1280, 320) for scheme in ("light", "dark") for language in ("pl", "en")]


@pytest.fixture
def town(served):
    """The survey, closed under a name that nothing else has; gives it, and the cookie of an owner."""
    store = served.store
    slug = f"residents-{len(store.slugs())}"
    open_residents(store, RESIDENTS, slug)
    store.close_survey(slug)
    store.add_account(slug, "owner", slug, COMMAND_LINE)
    return slug, served.accounts._new_session(store.choose_password(slug, "no password has this hash"))


def a_comparison(one):
    """Do more people smoke in the centre than in the south?"""
    follow(one, PL["view_compare"])
    choose(one, "of", "Czy pali")
    choose(one, "first", "Gdzie Pan")
    choose(one, "second", "Gdzie Pan/Pani mieszka? Po")
    press(one, PL["show"])
    assert one.get_by_text("jest większa, niż można wyjaśnić przypadkiem").count() == 1


def a_cross_table(one):
    follow(one, PL["view_cross"])
    choose(one, "by", "Mieszkanie")
    choose(one, "of", "Czy zalega")
    press(one, PL["show"])
    assert one.locator("table.cross td .strip").count() >= 4


def a_rule(one):
    """Those who rent are more often behind with bills."""
    follow(one, PL["view_together"])
    for question in ("Mieszkanie", "Czy pali Pan/Pani papierosy?", "Czy zalega Pan/Pani z rachunkami?"):
        tick(one, question)
    choose(one, "support", "5%")
    choose(one, "confidence", "30%")
    press(one, PL["show"])
    given = one.locator(".group", has_text="Mieszkanie: wynajmowane")
    assert given.count() == 1
    assert one.get_by_text("Czy zalega Pan/Pani z rachunkami? Tak").count() >= 1


def chosen_in(one):
    return one.locator(".chosen .what").all_inner_texts()


def printed(one, path):
    """The report that is open, on paper: how many pages, and none but the last left half empty."""
    assert one.locator("script, style, img").count() == 0
    assert one.locator(".cross td strong").count() >= 4
    assert one.locator("ol li").count() >= 4  # a sentence for each rule
    path.write_bytes(one.pdf(prefer_css_page_size=True))
    count = len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))
    filled = pages_of(path)
    assert len(filled) == count
    assert min(filled[:-1]) > 0.55, filled
    return count


def walked(one, url, slug, pictures):
    """From the list of surveys to the public page; gives the addresses of all pages on the way."""
    seen = {}

    def here(name):
        seen[name] = one.url.split("#")[0]

    one.goto(f"{url}/organiser")
    here("list")
    follow(one, f"{PL['see_results']}: {slug}")
    here("overview")
    for name, view in (("compare", a_comparison), ("cross", a_cross_table), ("together", a_rule)):
        view(one)
        here(name)
        press(one, PL["put_into_report"])
        one.go_back()
    follow(one, PL["report"])
    here("report")
    titles = chosen_in(one)
    assert len(titles) == QUESTIONS + 2 + 3  # the boxes and the rows of the table are two each
    fill(one, "title_pl", "Jak się nam żyje")
    fill(one, "title_en", "How we live")
    fill(one, "words_pl", "Szanowni Państwo,")
    one.keyboard.press("Enter")
    one.keyboard.press("Enter")
    one.keyboard.type("oto wyniki.")
    fill(one, "words_en", "Dear councillors,")
    press(one, PL["remove_view"].format(view=titles[3]))
    press(one, PL["move_up"].format(view=titles[4]))  # what was typed is kept, too
    assert chosen_in(one)[2:4] == [titles[4], titles[2]]
    assert one.locator("#words_pl").input_value() == "Szanowni Państwo,\n\noto wyniki."
    for language in ("pl", "en"):
        press(one, PL["report_open"].format(language=PL[f"spoken_{language}"]))
        here(f"report_{language}")
        assert 6 <= printed(one, pictures / f"report_{language}.pdf") <= 16
        one.go_back()
    press(one, PL["public_page"])
    follow(one, PL["preview_in"].format(language=PL["spoken_pl"]))
    here("preview")
    one.go_back()
    press(one, PL["do_release"])
    assert one.locator("h1").inner_text() == "Udostępnić wyniki ankiety „Życie w naszym mieście”?"
    press(one, PL["do_release"])
    here("released")
    follow(one, f"{url}/s/{slug}/results")
    assert one.locator("h1").inner_text() == "Jak się nam żyje"
    here("public")
    follow(one, "English")
    here("public_en")
    one.goto(f"{url}/organiser")
    follow(one, f"{PL['public_page']}: {slug}")
    assert one.url == seen["public"]
    results = f"{url}/organiser/surveys/{slug}/results"
    return seen | {f"form_{view}": f"{results}/choose?view={view}" for view in ("compare", "cross", "together")}


def looked_at(reader, seen, language, pictures):
    """What is wrong with any page, in one language; each page is photographed."""
    wrong, one = [], reader.page

    def look(name):
        # A condition that is typed is made of codes, so its example is.
        hint = f"a code: {Speech(language)['condition_hint'].format(example='')}"
        coded = faults(one.content(), CODES | ({"no answer"} if language == "pl" else set()))
        found = reader.wrong() + [fault for fault in coded if not fault.startswith(hint)]
        said = one.locator("main").inner_text()
        found += [text for text in ("?:", "(KRR)", "None", "nan") if re.search(rf"{re.escape(text)}(?!\w)", said)]
        dark, width = one.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), one.viewport_size["width"]
        one.screenshot(path=pictures / f"{name}-{language}-{width}-{'dark' if dark else 'light'}.png", full_page=True)
        wrong.extend((name, language, fault) for fault in found)

    for name, address in seen.items():
        if name in ("report_en", "public_en", "report_pl") and not name.endswith(language):
            continue
        one.goto(f"{address}{'&' if '?' in address else '?'}lang={language}" if "/organiser" in address else address)
        look(name)
        if name == "released":
            one.locator(".actions button").first.click()  # "really release it?"
            look("sure")
    return wrong


@pytest.mark.parametrize("screens", [SMALL, pytest.param(WHOLE, marks=pytest.mark.slow)], ids=["small", "whole"])
def test_from_a_closed_survey_to_a_report_and_a_public_page(page, served, town, tmp_path, screens):
    url, (slug, cookie) = served.url, town
    pictures = kept_in(tmp_path)
    walker = Reader(page, cookie, viewport={"width": 1100, "height": 900}, java_script_enabled=False, locale="pl-PL")
    seen = walked(walker.page, url, slug, pictures)
    assert (walker.asked, walker.refused) == ({url.split("/")[2]}, [])
    wrong = []
    for width, scheme, language in screens:
        reader = Reader(
            page, cookie, viewport={"width": width, "height": 900}, color_scheme=scheme, locale=f"{language}-{language.upper()}"
        )
        wrong += [(width, scheme, *one) for one in looked_at(reader, seen, language, pictures)]
        assert reader.refused == []
        reader.context.close()
    walker.context.close()
    assert wrong == []
