"""Exports: what `dn.read` opens, and only in batches."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import FileError, RefusedError
from deniable.survey.export import export
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.mixing import BATCH

pytestmark = pytest.mark.servers


@pytest.fixture
def town(tmp_path):
    with Store(str(tmp_path / "town.db")) as store:
        yield store


@pytest.mark.servers
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_an_export_opens_and_gives_the_estimate_of_the_reports_themselves(town, tmp_path, standin, send, name):
    survey = standin.Standin()
    town.open_survey(survey)
    people = pd.DataFrame({"smokes": ["no", "yes", None, "no"] * 100, "age": [18 + i % 73 for i in range(400)]})
    reported = survey.schema.randomise(people)
    codes = {name: survey.schema[name].reported.encode(reported[name]) for name in survey.schema}
    send(town, *(standin.body({name: int(codes[name][i]) for name in codes}) for i in range(400)))
    town.close_survey("town")
    assert export(town, "town", tmp_path / name) == 400
    read = dn.read(tmp_path / name)
    for question in ("smokes == 'yes'", "age < 40 and smokes == 'no'"):
        assert np.allclose(read.count(question).value, dn.Sample(reported, survey.schema).count(question).value)
    with pytest.raises(FileError, match="exists already"):
        export(town, "town", tmp_path / name)
    assert export(town, "town", tmp_path / name, force=True) == 400


def test_receipt_codes_are_exported_where_they_are_kept(town, tmp_path, standin, send):
    schema = dn.Schema({"code": dn.KRR(dn.Binary(), 0.75)})
    town.open_survey(standin.Standin(schema=schema, linkage="code"))
    sent = [standin.body({"code": i % 2}, code=standin.code()) for i in range(BATCH)]
    send(town, *sent)
    town.close_survey("town")
    export(town, "town", tmp_path / "out.csv")
    frame = pd.read_csv(tmp_path / "out.csv")
    # The question has the name already.
    assert dict(zip(frame["code_"], frame["code"], strict=True)) == {body["code"]: body["report"]["code"] for body in sent}
    assert dn.read(tmp_path / "out.csv").count("code == 1").n == BATCH


def test_no_cell_of_an_export_for_spreadsheets_is_run(town, tmp_path, standin, send):
    hostile = "-A1-A2-A3-A4"
    town.open_survey(standin.Standin(linkage="code"))
    send(town, standin.body(code=hostile), *(standin.body(code=standin.code()) for _ in range(BATCH)))
    town.close_survey("town")
    export(town, "town", tmp_path / "out.csv", spreadsheet=True)
    content = (tmp_path / "out.csv").read_text(encoding="utf-8-sig")
    assert f"'{hostile}" in content
    assert f";{hostile}" not in content
    assert f';"{hostile}' not in content
    assert dn.read(tmp_path / "out.csv").count("smokes == 'yes'").n == BATCH + 1
    # Of the questionnaire's own answers none can be guarded: it would be another one.
    schema = dn.Schema({"formula": dn.KRR(dn.Nominal(["=1+1", "no"]), 0.75)})
    town.open_survey(standin.Standin(slug="run", schema=schema))
    send(town, *(standin.body({"formula": 0}) for _ in range(BATCH)), slug="run")
    town.close_survey("run")
    with pytest.raises(RefusedError, match="would run '=1\\+1' as a formula"):
        export(town, "run", tmp_path / "run.csv", spreadsheet=True)
    assert export(town, "run", tmp_path / "run.csv") == BATCH


@pytest.mark.servers
def test_nothing_is_shown_before_fifty_and_then_only_whole_batches(town, tmp_path, standin, send):
    town.open_survey(standin.Standin())
    with pytest.raises(RefusedError, match="batches of at least 50"):
        export(town, "town", tmp_path / "out.csv")
    send(town, *(standin.body() for _ in range(BATCH - 1)))
    town.mix(1)
    with pytest.raises(RefusedError, match="batches of at least 50"):
        export(town, "town", tmp_path / "out.csv")
    assert list(tmp_path.glob("out*")) == []
    sizes = []
    for arrivals in (1, 1, 48, 1, 60):
        send(town, *(standin.body() for _ in range(arrivals)))
        town.mix(1)
        sizes.append(export(town, "town", tmp_path / "out.csv", force=True))
    # 50, then 51 and 99 seen as 50, 100 at last, then 160.
    assert sizes == [50, 50, 50, 100, 160]


@pytest.mark.servers
def test_versions_are_exported_apart(town, tmp_path, standin, send):
    town.open_survey(standin.Standin())
    send(town, *(standin.body() for _ in range(BATCH)))
    town.open_survey(standin.Standin(schema=dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.9)}), title="new"))
    send(town, *(standin.body({"smokes": 1}, version=2) for _ in range(4)))
    town.close_survey("town")
    assert export(town, "town", tmp_path / "one.csv", number=1) == BATCH
    assert export(town, "town", tmp_path / "two.csv") == 4
    with pytest.raises(RefusedError, match="no version 3"):
        export(town, "town", tmp_path / "three.csv", number=3)


@pytest.mark.servers
def test_why_there_is_nothing_to_export_is_said_truly(town, tmp_path, standin, send):
    def complaint(number=None):
        with pytest.raises(RefusedError) as refused:
            export(town, "town", tmp_path / "out.csv", number)
        return str(refused.value)

    town.open_survey(standin.Standin(closes=datetime.date.today()))
    town.close_survey("town")
    nothing = (
        "No answers to version 1 of town, which is closed, have been released. Release those that wait, if there are any: "
        "deniable survey close town."
    )
    assert complaint() == nothing
    town.reopen_survey("town")
    send(town, standin.body())
    assert complaint().endswith("Wait for more, or close it.")
    # The last day is over, and no server has closed it.
    with town.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE survey_version SET closes = '2020-01-01'")
    assert complaint() == nothing
    town.close_survey("town")
    assert export(town, "town", tmp_path / "out.csv") == 1
    town.open_survey(standin.Standin(title="two"))
    send(town, *(standin.body(version=2) for _ in range(2)))
    assert "Wait for more. Answers to earlier" in complaint()
    town.close_survey("town")
    assert "No answers to version 2 of town, which is closed, have been released." in complaint()
    assert "Open it again and wait until there are 50." in complaint()
    assert "Answers to earlier versions are kept: number=1." in complaint()


def test_an_export_is_readable_by_its_owner_alone(town, tmp_path, standin, send):
    town.open_survey(standin.Standin())
    send(town, *(standin.body() for _ in range(BATCH)))
    town.close_survey("town")
    export(town, "town", tmp_path / "out.csv")
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("out*")} == {0o600}
    assert len(list(tmp_path.glob("out*"))) == 2


@pytest.mark.servers
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_an_export_carries_the_texts_of_the_questionnaire(town, tmp_path, standin, send, name):
    asked = Questionnaire.load(Path(dn.__file__).parent / "survey" / "town.yaml")
    town.open_survey(asked)
    send(town, *(standin.body(dict.fromkeys(asked.schema, 0)) for _ in range(BATCH)))
    town.close_survey("town")
    export(town, "town", tmp_path / name)
    read = dn.Schema.load(tmp_path / name)
    assert read == asked.schema
    assert read.texts.questions("pl")["children"].title == "Czy masz w domu dzieci?"
    assert read.texts.questions("pl")["sex"].label("F") == "Kobieta"
    assert read.texts.questions("pl")["sex"].label("no answer") == "brak odpowiedzi"
