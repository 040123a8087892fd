"""Write pages.json: surveys that respondents' pages must accept or refuse (docs/page-rules.md).

A vector is one replacement in the text of a survey: `old`, which stands there once, becomes `new`. What is accepted and which rule is
broken is said here by hand; page and Python must both find it.
"""

# ruff: noqa: E501
# A vector in one line is easier to compare with what it replaces.

from __future__ import annotations

import json
from pathlib import Path

from deniable.survey.questionnaire import Questionnaire

SURVEY = """
survey: town
title: {en: Town, pl: Miasto}
organiser: Town hall
contact: town@town.example
other_way: Call us.
languages: [en, pl]
pages:
- title: First
  elements:
  - {type: information, name: hello, title: Welcome}
  - {type: consent, name: agree, title: I take part}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}
  - {type: number, name: cups, title: Cups, grid: true, min: 0, max: 3, privacy: {design: laplace, scale: 3, answered: 0.7}}
- elements:
  - {type: checkbox, name: took, title: Took, choices: [żubr, other things], privacy: light}
  - {type: matrix, name: trust, title: Trust, rows: [police], columns: [little, much], privacy: {design: neighbours, level: strong}}
  - type: rating
    name: constructor
    title: Debt
    choices: [low, high]
    visibleIf: "{district} = 'north'"
    privacy: {design: unrelated, theta: 0.6, innocuous: {low: 0.4, high: 0.4, no answer: 0.2}, asked: true, question: Born in May?}
"""
SMOKES = '"name":"smokes","title":{"en":"Do you smoke?","pl":"Do you smoke?"},"description":null,"private":true,"attributes":["smokes"]'
KRR = '{"law":"mixture","denominator":5,"diagonal":2,"replacement":[1,1,1],"attributes":["smokes"]}'
OPEN = '{"law":"mixture","denominator":1,"diagonal":1,"replacement":[0,0,0],"attributes":["district"]}'
ASKED = '{"law":"mixture","denominator":25,"diagonal":15,"replacement":[4,4,2],"attributes":["constructor"]}'
CUPS = '{"law":"silent","denominator":42949672960,"even":[3221225472,3221225472,3221225472,3221225472],"inner":{"law":"shift","denominator":4294967296,"inputs":4,"outputs":4,"lowest":-3,"kernel":[920478502,364152733,508216078,709272670,508216078,364152733,920478502]},"attributes":["cups"]}'
TOP = '{"survey":"town"'
IF = '"visibleIf":{"name":"district","equal":true,"value":"north"}'
CONDITION = f'"rows":[],{IF}'
DISTRICT = (
    '"name":"district","title":{"en":"District","pl":"District"},"description":null,"private":false,"attributes":["district"]'
)
HELLO = '"name":"hello","title":{"en":"Welcome","pl":"Welcome"}'
TITLE = '"title":{"en":"Town","pl":"Miasto"}'


def mixture(*numbers: int) -> str:
    """A recipe of smokes with another diagonal and other replacements."""
    return f'{{"law":"mixture","denominator":{sum(numbers)},"diagonal":{numbers[0]},"replacement":{list(numbers[1:])},"attributes":["smokes"]}}'


def cups(weights: list[list[int]]) -> str:
    """A recipe of cups by a table."""
    rows = json.dumps(weights, separators=(",", ":"))
    return f'{{"law":"table","denominator":{sum(weights[0])},"weights":{rows},"attributes":["cups"]}}'


GOOD = [
    ("a key that no page knows", TOP, '{"mixing":{"a":[1e999]},"survey":"town"'),
    ("a whole number with a point", '"version":1', '"version":1.0'),
    ("a recipe written with exponents", KRR, KRR.replace('"denominator":5', '"denominator":0.5e1')),
    ("odds of exactly 20", KRR, mixture(19, 1, 1, 1)),
    ("a table within the limit", KRR, '{"law":"table","denominator":6,"weights":[[4,1,1],[2,3,1],[1,1,4]],"attributes":["smokes"]}'),
    ("a mixture that avoids the truth", KRR, mixture(-1, 2, 2, 2)),
    ("white space", TOP, '{ \n\t"survey" :\r"town"'),
    ("a byte order mark is dropped", TOP, "\ufeff" + TOP),
    ("no key for what is null", '"closes":null,', ""),
    ("an escape for a letter", '"title":{"en":"Town"', '"title":{"en":"T\\u006fwn"'),
    ("Hebrew letters", '"title":{"en":"Town"', '"title":{"en":"\u05e2\u05d9\u05e8"'),
    ("closed", '"open":true', '"open":false'),
    ("by invitation", '"invited":false', '"invited":true'),
    ("a day", '"closes":null', '"closes":"2099-12-31"'),
    ("a number of which one bit is sent", CUPS, cups([[15, 3, 3], [11, 7, 3], [7, 11, 3], [3, 15, 3], [3, 3, 15]])),
    ("a number that is sent more finely", CUPS, cups([[3, 3, 1, 1, 1, 1, 2], [1, 3, 3, 1, 1, 1, 2], [1, 1, 3, 3, 1, 1, 2], [1, 1, 1, 3, 3, 1, 2], [1, 1, 1, 1, 1, 1, 6]])),
]  # fmt: skip
BAD = [
    ("json", "a key twice", TOP, '{"survey":"a","survey":"town"'),
    ("json", "a key twice, once in disguise", TOP, '{"\\u0073urvey":"a","survey":"town"'),
    ("json", "NaN", '"version":1', '"version":NaN'),
    ("json", "a comma too many", TOP, '{,"survey":"town"'),
    ("json", "nested too deeply", TOP, '{"x":' + "[" * 50 + "]" * 50 + ',"survey":"town"'),
    ("version", "version as text", '"version":1', '"version":"1"'),
    ("version", "version true", '"version":1', '"version":true'),
    ("version", "no version", '"version":1', '"version":null'),
    ("version", "beyond 2^53", '"version":1', '"version":9007199254740993'),
    ("version", "infinite", '"version":1', '"version":1e999'),
    ("languages", "no language", '"languages":["en","pl"]', '"languages":[]'),
    ("languages", "twice", '"languages":["en","pl"]', '"languages":["en","en"]'),
    ("languages", "look-alike", '"languages":["en","pl"]', '"languages":["\u0435n","pl"]'),
    ("languages", "with a line's end", '"languages":["en","pl"]', '"languages":["en\\n","pl"]'),
    ("text", "a language missing", TITLE, '"title":{"en":"Town"}'),
    ("text", "blank", TITLE, '"title":{"en":" \u200b\u3164","pl":"Miasto"}'),
    ("text", "not a text", TITLE, '"title":{"en":["Town"],"pl":"Miasto"}'),
    ("text", "turned round", TITLE, '"title":{"en":"\u202eTown","pl":"Miasto"}'),
    ("text", "half a character", TITLE, '"title":{"en":"T\\ud800","pl":"Miasto"}'),
    ("text", "a control", TITLE, '"title":{"en":"T\\u0007","pl":"Miasto"}'),
    ("text", "from the prototype", TITLE, '"title":{"__proto__":{"en":"Town","pl":"Miasto"}}'),
    ("flag", "open as text", '"open":true', '"open":"true"'),
    ("flag", "invited as a number", '"invited":false', '"invited":0'),
    ("flag", "an unknown linkage", '"linkage":"none"', '"linkage":"None"'),
    ("flag", "linkage in a list", '"linkage":"none"', '"linkage":["none"]'),
    ("day", "no day", '"closes":null', '"closes":"2099-13-01"'),
    ("day", "other digits", '"closes":null', '"closes":"\u0662\u0660\u0662\u0667-03-31"'),
    ("type", "an unknown type", '"type":"boolean"', '"type":"comment"'),
    ("type", "an inherited type", '"type":"boolean"', '"type":"toString"'),
    ("type", "a type in a list", '"type":"boolean"', '"type":["boolean"]'),
    ("name", "a selector", SMOKES, SMOKES.replace('"name":"smokes"', '"name":"x\\"],[name=\\"q-smokes"')),
    ("name", "a look-alike", SMOKES, SMOKES.replace('"name":"smokes"', '"name":"sm\u043ekes"')),
    ("name", "too long", SMOKES, SMOKES.replace('"smokes"', '"' + "s" * 41 + '"')),
    ("name", "with a line's end", SMOKES, SMOKES.replace('"name":"smokes"', '"name":"smokes\\n"')),
    ("name", "the prototype", SMOKES, SMOKES.replace('"smokes"', '"__proto__"')),
    ("name_twice", "in other letters", SMOKES, SMOKES.replace('"smokes"', '"DISTRICT"')),
    ("name_twice", "the column of another question", SMOKES, SMOKES.replace('"smokes"', '"trust_police"')),
    ("private", "an empty list", SMOKES, SMOKES.replace('"private":true', '"private":[]')),
    ("private", "a word", SMOKES, SMOKES.replace('"private":true', '"private":"true"')),
    ("private", "nothing", SMOKES, SMOKES.replace('"private":true', '"private":null')),
    ("private", "one", SMOKES, SMOKES.replace('"private":true', '"private":1')),
    ("private", "of what asks nothing", f'{HELLO},"description":null,"private":false', f'{HELLO},"description":null,"private":true'),
    ("choices", "three for a boolean", '{"value":"yes"', '{"value":"maybe","text":{"en":"M","pl":"M"}},{"value":"yes"'),
    ("choices", "a boolean turned round", '{"value":"no",', '{"value":"not",'),
    ("choices", "the same twice", '{"value":"south"', '{"value":"north"'),
    ("choices", "no answer as a choice", '{"value":"south"', '{"value":"no answer"'),
    ("choices", "a number as value", '{"value":"south"', '{"value":2'),
    ("choices", "rows where there are none", CONDITION, CONDITION.replace("[]", '[{"value":"a","text":{"en":"A","pl":"A"}}]')),
    ("choices", "a matrix without rows", '"rows":[{"value":"police","text":{"en":"police","pl":"police"}}]', '"rows":[]'),
    ("grid", "a step that does not fit", '"grid":{"min":0,"max":3,"step":1}', '"grid":{"min":0,"max":3,"step":2}'),
    ("grid", "numbers as text", '"grid":{"min":0,"max":3,"step":1}', '"grid":{"min":"0","max":3,"step":1}'),
    ("grid", "too fine", '"grid":{"min":0,"max":3,"step":1}', '"grid":{"min":0,"max":1000,"step":1}'),
    ("grid", "of a question with choices", SMOKES, SMOKES + ',"grid":{"min":0,"max":1,"step":1}'),
    ("condition", "on a private answer", IF, IF.replace("district", "smokes").replace("north", "yes")),
    ("condition", "on what is not asked", IF, IF.replace("district", "nothing")),
    ("condition", "on no choice", IF, IF.replace("north", "east")),
    ("condition", "equal as text", IF, IF.replace("true", '"true"')),
    ("condition", "on itself", IF, IF.replace("district", "constructor").replace("north", "low")),
    ("condition", "on several columns", IF, IF.replace("district", "took").replace("north", "other things")),
    ("condition", "not a rule", IF, '"visibleIf":[]'),
    ("attributes", "one more", DISTRICT, DISTRICT.replace('["district"]', '["district","smokes"]')),
    ("attributes", "another's", SMOKES, SMOKES.replace('["smokes"]', '["district"]')),
    ("attributes", "none", SMOKES, SMOKES.replace('["smokes"]', "[]")),
    ("attributes", "a text", SMOKES, SMOKES.replace('["smokes"]', '"smokes"')),
    ("attributes", "of a box", '["took_żubr",', '["took_zubr",'),
    ("attributes", "of a box in another form of Unicode", '["took_żubr",', '["took_z\u0307ubr",'),
    ("asked", "of an open question", DISTRICT, DISTRICT + ',"asked":{"en":"May?","pl":"May?"}'),
    ("recipe", "drawn twice", KRR, f"{KRR},{KRR}"),
    ("recipe", "not drawn", f",{KRR}", ""),
    ("recipe", "two columns in one draw", KRR, KRR.replace('["smokes"]', '["smokes","district"]')),
    ("recipe", "a column that nobody asked", KRR, f"{KRR},{KRR.replace('smokes', 'more')}"),
    ("recipe", "no list", '"blocks":[', '"blocks":0,"old":['),
    ("not_identity", "an open answer that is mixed", OPEN, OPEN.replace('"denominator":1', '"denominator":4').replace("[0,0,0]", "[1,1,1]")),
    ("not_identity", "an open answer for fewer labels", OPEN, OPEN.replace("[0,0,0]", "[0,0]")),
    ("odds", "just above 20", KRR, mixture(1901, 100, 100, 100)),
    ("odds", "9e15", KRR, mixture(9_007_199_254_740_000, 1, 1, 1)),
    ("odds", "as it is", KRR, mixture(1, 0, 0, 0)),
    ("odds", "weights that do not add up", KRR, KRR.replace('"denominator":5', '"denominator":6')),
    ("odds", "a denominator of 2^53", KRR, KRR.replace('"denominator":5', '"denominator":9007199254740992')),
    ("odds", "negative", KRR, mixture(4, -1, 1, 1)),
    ("odds", "a weight as text", KRR, KRR.replace("[1,1,1]", '[1,"1",1]')),
    ("odds", "a weight in a list", KRR, KRR.replace("[1,1,1]", "[1,[1],1]")),
    ("odds", "half a weight", KRR, KRR.replace("[1,1,1]", "[1,0.5,1.5]")),
    ("odds", "too few labels", KRR, mixture(2, 1, 1)),
    ("odds", "a law without a draw of its own", KRR, '{"law":"group","sizes":[3],"denominator":5,"tell":1,"innocuous":[[1,1,1]],"attributes":["smokes"]}'),
    ("odds", "an unknown law", KRR, KRR.replace("mixture", "magic")),
    ("odds", "a table with a zero", KRR, '{"law":"table","denominator":5,"weights":[[4,0,1],[1,3,1],[1,1,3]],"attributes":["smokes"]}'),
    ("odds", "a shift that stays", KRR, '{"law":"shift","denominator":1,"inputs":3,"outputs":3,"lowest":0,"kernel":[1],"attributes":["smokes"]}'),
    # Of 400 cases all tell the truth, where 300 of 400 are shown: the inner recipe has 800.
    ("odds", "parts that are no multiples", KRR, '{"law":"silent","denominator":500,"even":[50,50],"inner":{"law":"mixture","denominator":800,"diagonal":400,"replacement":[200,200]},"attributes":["smokes"]}'),
    ("odds", "a second question that is never told from the first", ASKED, ASKED.replace('"diagonal":15', '"diagonal":0').replace("[4,4,2]", "[9,9,7]")),
    ("odds", "a second question by another law", ASKED, '{"law":"table","denominator":6,"weights":[[4,1,1],[2,3,1],[1,1,4]],"attributes":["constructor"]}'),
    # JSON's -0 divides to minus infinity in JavaScript, which is less than any limit.
    ("odds", "a table with minus zero", KRR, '{"law":"table","denominator":1,"weights":[[1,-0,-0],[-0,1,-0],[-0,-0,1]],"attributes":["smokes"]}'),
    ("odds", "a mixture with minus zero", KRR, '{"law":"mixture","denominator":1,"diagonal":1,"replacement":[-0,-0.0,-0],"attributes":["smokes"]}'),
    ("odds", "a second question with minus zero", ASKED, ASKED.replace('"denominator":25', '"denominator":15').replace("[4,4,2]", "[-0,-0.0,-0]")),
    ("odds", "a second question whose own answer is told", ASKED, '{"law":"mixture","denominator":1000011,"diagonal":9,"replacement":[1000000,1,1],"attributes":["constructor"]}'),
    ("odds", "a second answer that is known", ASKED, ASKED.replace('"diagonal":15', '"diagonal":20').replace('"denominator":25', '"denominator":30')),
    ("odds", "a bit that proves a number", CUPS, cups([[18, 0, 3], [11, 7, 3], [7, 11, 3], [3, 15, 3], [3, 3, 15]])),
    ("odds", "a bit that tells too much", CUPS, cups([[41, 2, 2], [30, 13, 2], [13, 30, 2], [2, 41, 2], [2, 2, 41]])),
    ("odds", "rows of different lengths", CUPS, cups([[15, 3, 3], [11, 7, 1, 2], [7, 11, 3], [3, 15, 3], [3, 3, 15]])),
    ("odds", "a first row that is shorter", CUPS, cups([[18, 3], [11, 7, 3], [7, 11, 3], [3, 15, 3], [3, 3, 15]])),
    ("odds", "one report only", CUPS, cups([[21], [21], [21], [21], [21]])),
    ("odds", "no report at all", CUPS, cups([[], [], [], [], []])),
    ("odds", "a row for silence too few", CUPS, cups([[15, 3, 3], [11, 7, 3], [7, 11, 3], [3, 15, 3]])),
    ("odds", "a row that does not add up", CUPS, cups([[15, 3, 3], [11, 7, 3], [7, 11, 4], [3, 15, 3], [3, 3, 15]])),
    ("odds", "a first row that is no list", CUPS, cups([[15, 3, 3], [11, 7, 3], [7, 11, 3], [3, 15, 3], [3, 3, 15]]).replace("[15,3,3]", '"153"')),
    ("odds", "fewer reports than labels of a yes or no", KRR, '{"law":"table","denominator":6,"weights":[[5,1],[3,3],[1,5]],"attributes":["smokes"]}'),
    ("odds", "silence around a coarse table", CUPS, '{"law":"silent","denominator":80,"even":[20,20],"inner":{"law":"table","denominator":10,"weights":[[6,4],[5,5],[5,5],[4,6]]},"attributes":["cups"]}'),
]  # fmt: skip


def main() -> None:
    """Write the file anew."""
    told = {**Questionnaire.parse(SURVEY).client(), "version": 1, "open": True, "contacts_until": None}
    for block in told["recipe"]["blocks"]:
        block["attributes"] = block.pop("attributes")  # last, so that what follows can be written in one piece
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    vectors = [{"why": "as it is", "old": "", "new": "", "refused": None}]
    vectors += [{"why": why, "old": old, "new": new, "refused": None} for why, old, new in GOOD]
    vectors += [{"why": why, "old": old, "new": new, "refused": code} for code, why, old, new in BAD]
    for vector in vectors:
        assert not vector["old"] or text.count(str(vector["old"])) == 1, (vector["why"], text.count(str(vector["old"])))
    lines = ",\n".join(json.dumps(vector) for vector in vectors)
    Path(__file__).with_name("pages.json").write_text(f'{{"survey": {json.dumps(text)},\n"vectors": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
