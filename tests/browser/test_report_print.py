"""The report in a real browser: on paper, on a telephone and in the dark, with nothing run and nothing fetched."""

import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.question_texts import QuestionTexts
from deniable.results.report.contents import Contents, compared
from deniable.results.report.making import report_of_export

HOSTILE = '"><img src=https://third.example/x onerror=document.title="hit">'


@pytest.fixture
def report(tmp_path):
    rng = np.random.default_rng(3)
    titles = {"sex": "Płeć", "smokes": "Czy pali Pan/Pani papierosy, choćby czasem? " + HOSTILE}
    labels = {"sex": {"F": "Kobieta", "M": "Mężczyzna"}, "smokes": {"no": "Nie", "yes": "Tak"}}
    texts = QuestionTexts(
        ["pl"],
        {
            name: {"title": {"pl": titles[name]}, "labels": {label: {"pl": text} for label, text in labels[name].items()}}
            for name in titles
        },
    )
    schema = dn.Schema({"sex": dn.Identity(dn.Nominal(["F", "M"])), "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8)})
    truth = pd.DataFrame({"sex": rng.choice(["F", "M"], 1000), "smokes": rng.choice(["no", "yes"], 1000, p=[0.7, 0.3])})
    truth.to_csv(tmp_path / "truth.csv", index=False)
    schema.with_texts(texts).randomise(tmp_path / "truth.csv", output=tmp_path / "answers.csv")
    contents = Contents(compare=(compared("smokes: sex == 'F' | sex == 'M'"),))
    made = tmp_path / "report.html"
    made.write_text(report_of_export(tmp_path / "answers.csv", contents), encoding="utf-8")
    return made


def test_the_report_prints_and_reads_everywhere(report, page, tmp_path):
    page.goto(report.as_uri())
    assert page.title() != "hit"
    assert [one.url for one in page.seen] == [report.as_uri()]
    assert page.locator("script, img").count() == 0
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 4
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == "rgb(20, 23, 26)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="light", media="screen")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
