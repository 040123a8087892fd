import html
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError
from deniable.privacy.reporting.words import factor

YES_NO = dn.Nominal(["no", "yes"])
FAIR = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
SMOKES = dn.Schema({"smokes": dn.KRR(YES_NO, 0.8)})
EVERYTHING = dn.Schema(
    {
        "age": dn.Additive(dn.Integer(18, 65), dn.Uniform(18)),
        "salary": dn.Additive(dn.Integer(0, 50_000), dn.Laplace(5000)),
        "sex": dn.Identity(dn.Nominal(["F", "M"])),
        "weight": dn.Additive(dn.Continuous(40, 150), dn.Normal(5)),
        "level": dn.Neighbours(dn.Ordinal(["low", "mid", "high"]), [0.6, 0.2]),
        "colour": dn.KRR(dn.Nominal(["red", "blue"], missing="no answer"), 0.5),
        "a": dn.KRR(dn.Binary(), 0.75),
        "b": dn.KRR(dn.Binary(), 0.75),
        "c": FAIR,
        "d": FAIR,
        "children": dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(3)), 0.8),
    },
    groups={"warner": ["a", "b"], "unrelated": ["c", "d"]},
)


def row(report, name):
    return next(row for row in report.rows if row.name == name)


def test_the_sentence_of_the_issue_for_a_given_prior():
    found = dn.privacy.report(SMOKES, prior={"smokes": {"yes": 0.1, "no": 0.9}}).rows[0]
    assert found.says == "if someone reports 'yes', the chance that the true answer is 'yes' rises from 10% to at most 31%"
    assert found.supposing == "with the given distribution of answers"
    assert found.odds == "by a factor of at most 4.0"
    assert found.epsilon == pytest.approx(math.log(4))


def test_without_a_prior_the_sentence_says_what_it_supposes():
    assert (
        dn.privacy.report(SMOKES).rows[0].supposing == "assuming that 10% of people have that answer, whatever the others have"
    )
    age = dn.privacy.report({"age": dn.Retention(dn.Integer(18, 90), 0.5)}).rows[0]
    assert age.supposing == "assuming that all answers are equally likely"
    assert "rises from 1.4% to at most 51%" in age.says  # (0.5 + 0.5 / 73) / 1


def test_the_worst_report_under_equal_chances_is_the_worst_of_all(small_channel):
    """The report looks at column ranges only; here every posterior is computed."""
    from deniable.privacy.reporting.rows import _worst_of_uniform

    found = _worst_of_uniform(small_channel)
    posterior = small_channel.posterior()
    assert found.after == pytest.approx(np.nanmax(posterior))
    place = small_channel.outputs.index(found.report), small_channel.inputs.index(found.truth)
    assert posterior[place] == pytest.approx(found.after)


@pytest.mark.parametrize("before", [0.1])
def test_the_worst_report_for_ten_percent_is_reached_by_some_prior(small_channel, before):
    from deniable.privacy.reporting.rows import _worst_of_few

    if math.isinf(small_channel.epsilon) or small_channel.epsilon == 0:
        return
    found = _worst_of_few(small_channel)
    z, x = small_channel.outputs.index(found.report), small_channel.inputs.index(found.truth)
    column = small_channel.matrix()[:, z]
    prior = np.zeros(len(column))
    prior[int(np.argmin(column))] = 1 - before
    prior[x] += before
    assert small_channel.posterior(prior)[z, x] == pytest.approx(found.after)


def test_every_kind_of_question_gets_its_row_and_its_warning():
    found = dn.privacy.report(EVERYTHING)
    assert [r.name for r in found.rows] == [
        "age", "salary", "sex", "weight", "level", "colour", "warner", "unrelated", "children",
    ]  # fmt: skip
    assert "certainly 18" in row(found, "age").says
    assert "knows the true answer" in row(found, "sex").says
    assert "floating point" in row(found, "weight").says
    assert "no answer" not in row(found, "colour").says
    assert "rule out combinations" in row(found, "warner").says
    assert "from 10% to at most 36%" in row(found, "unrelated").says  # odds change five times: 5 / 14
    warned = {name for name, _ in found.warnings}
    assert warned == {"age", "salary", "sex", "weight", "level", "warner", "children"}
    assert math.isinf(found.epsilon)
    assert "(age, weight, level, warner). Asked openly: not protected by randomisation (sex)." in found.summary


def test_a_prior_for_members_of_a_group_gives_a_bound_for_them():
    schema = dn.Schema({"c": FAIR, "d": FAIR}, groups={"g": ["c", "d"]})
    says = dn.privacy.report(schema, prior={"c": 0.3}).rows[0].says
    # log(1 + 0.5 / (0.5 * 0.25)) = log 5: 0.3 * 5 / (0.3 * 5 + 0.7) = 0.682, the largest rise
    assert "the true answer to 'c' is 1 rises from 30% to at most 68.2%" in says


@pytest.mark.statistical
def test_a_prior_on_a_wide_domain_gives_a_bound():
    found = dn.privacy.report(EVERYTHING, prior={"salary": {3000: 0.4, 4000: 0.6}})
    assert "rises from 40% to at most 99.9932%" in row(found, "salary").says  # e^10 times


def test_the_whole_is_bounded_by_the_sum():
    schema = dn.Schema({"a": dn.KRR(YES_NO, 0.75), "b": dn.KRR(YES_NO, 0.75)})
    found = dn.privacy.report(schema)
    assert found.epsilon == schema.epsilon
    assert "by a factor of at most 9.0" in found.summary
    assert "at most 50% likely" in found.summary  # 9 to 9


def test_the_frame_has_a_row_a_block():
    frame = dn.privacy.report(EVERYTHING).to_frame()
    assert frame.loc["unrelated", "questions"] == "c, d"
    assert frame.loc["unrelated", "epsilon"] == pytest.approx(math.log(5))
    assert list(frame.columns) == [
        "questions", "hidden_by", "answers", "epsilon", "odds", "worst_case", "supposing", "counts_as", "warnings",
    ]  # fmt: skip


def test_the_text_form_is_readable():
    text = repr(dn.privacy.report(SMOKES))
    assert max(map(len, text.splitlines())) <= 112
    for words in (
        "epsilon 1.387",
        "rises from 10% to at most 31%",
        "the true answer is reported 80% of the time (KRR)",
        "RAPPOR (2014)",
    ):
        assert words in text


def test_a_population_adds_what_attackers_achieve():
    rng = np.random.default_rng(1)
    people = dn.datasets.town(1500, rng)[["age", "salary"]]
    schema = dn.Schema(
        {"age": dn.Additive(dn.Integer(18, 90), dn.Laplace(20)), "salary": dn.Retention(dn.Integer(0, 12_000, 100), 0.5)}
    )
    found = dn.privacy.report(schema, population=people, rng=rng)
    assert len(found.attacks) == 2
    assert "misses the true age by" in found.attacks[1]
    assert found.errors.loc["age", "shown"] < found.errors.loc["age", "reported"]
    assert found.attacks[0] in repr(found).replace("\n  ", " ")


class Page(HTMLParser):
    """What the tests ask of a page: tags with their attributes, nesting, text."""

    VOID = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize("schema", [SMOKES, EVERYTHING, dn.datasets.town_schema()])
def test_the_page_is_complete_and_stands_on_its_own(schema):
    text = dn.privacy.report(schema).to_html()
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert page.named("html") == [{"lang": "en"}]
    for tag in ("title", "h1", "main"):
        assert len(page.named(tag)) == 1
    assert len(page.named("h2")) >= 4
    assert len(page.named("caption")) == len(page.named("table")) == 2
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.named("th"))
    assert "prefers-color-scheme: dark" in text
    assert not page.named("script")
    assert not page.named("link")
    assert not page.named("img")
    assert not re.search(r"https?:|src=|@import|url\(|javascript:| on[a-z]+=", text)
    words = " ".join(page.text)
    for found in dn.privacy.report(schema).rows:
        assert found.name in words
        assert factor(found.odds) in words


def test_what_comes_from_the_schema_is_escaped():
    text = dn.privacy.report({"<script>alert(1)</script>": dn.KRR(dn.Nominal(["<b>", "&"]), 0.8)}).to_html()
    assert "<script" not in text
    assert "<b>" not in text
    assert "&lt;script&gt;" in text


def test_in_a_notebook_it_is_a_fragment():
    text = dn.privacy.report(SMOKES)._repr_html_()
    Page(text)
    assert "<html" not in text
    assert "<h1>" in text


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_has_enough_contrast_in_light_and_dark():
    """WCAG AA: at least 4.5 to 1."""
    style = dn.privacy.report(SMOKES).to_html()
    light, dark = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in style.split("prefers-color-scheme", 1))
    for colours in (light, dark):
        for ink in ("ink", "soft", "alarm"):
            for paper in ("paper", "panel", "alarm-paper"):
                bright, dim = sorted((luminance(colours[ink]), luminance(colours[paper])), reverse=True)
                assert (bright + 0.05) / (dim + 0.05) >= 4.5, (ink, paper)


def test_published_figures_name_their_year_and_what_they_count():
    for deployment in dn.privacy.DEPLOYMENTS:
        assert 2014 <= deployment.year <= 2021
        assert deployment.of_what


@pytest.mark.parametrize(
    ("schema", "prior", "says"),
    [
        (SMOKES, {"drinks": 0.1}, "drinks"),
        (SMOKES, {"smokes": {"maybe": 1}}, "prior\\['smokes'\\] names 'maybe'"),
        (SMOKES, 0.1, "must map attributes"),
        (dn.KRR(YES_NO, 0.8), None, "takes a schema"),
    ],
)
def test_bad_input_is_refused(schema, prior, says):
    with pytest.raises(ParameterError, match=says):
        dn.privacy.report(schema, prior)


def test_it_is_said_what_epsilon_does_not_cover():
    found = dn.privacy.report(dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8)}))
    for text in (" ".join(repr(found).split()), html.unescape(found.to_html())):
        assert "It does not cover what rows give away about one another, as in a sorted file" in text


def test_open_columns_are_named_and_do_not_make_the_rest_infinite():
    hidden = {"a": dn.KRR(YES_NO, 0.75), "b": dn.KRR(YES_NO, 0.75)}
    whole = dn.Schema({**hidden, "town": dn.Identity(YES_NO), "weight": dn.Identity(dn.Integer(1, 9))})
    found = dn.privacy.report(whole)
    assert found.epsilon == whole.hidden_epsilon == dn.Schema(hidden).epsilon
    assert found.asked_openly == ("town", "weight")
    for shown in (found.summary, repr(found), found.to_html()):
        assert "Asked openly: not protected by randomisation (town, weight)." in shown
        assert "no guarantee" not in shown
    assert "all 2 private questions" in found.summary
    assert row(found, "town").shown_epsilon == "open"
    assert "infinite" not in repr(found)


def test_where_nothing_is_hidden_no_epsilon_is_shown():
    found = dn.privacy.report(dn.Schema({"town": dn.Identity(YES_NO), "sex": dn.Identity(YES_NO)}))
    assert found.summary.startswith("All questions are asked openly: not protected by randomisation.")
    assert found.together == "Nothing is hidden."
    assert "Private questions" not in found.to_html() or "Nothing is hidden." in found.to_html()


def test_a_constant_column_is_not_called_open():
    found = dn.privacy.report(dn.Schema({"country": dn.Identity(dn.Nominal(["pl"])), "a": dn.KRR(YES_NO, 0.75)}))
    assert found.asked_openly == ()
