"""Lists of people in LimeSurvey's form, and tokens that only their list knows."""

import csv
import datetime

import pytest

import deniable as dn
from deniable.errors import DataError, FileError, RefusedError
from deniable.survey.invitations import COLUMNS, invite, new_token, read_list, revoke, with_states, write_list
from deniable.survey.store import Store
from deniable.survey.submission import token_hash

pytestmark = pytest.mark.servers


@pytest.fixture
def town(tmp_path, standin):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin(invited=True))
        yield store


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_list_gets_tokens_and_limesurveys_columns(town, tmp_path, standin, send):
    given = tmp_path / "people.csv"
    given.write_text(
        "\ufefffirstname,lastname,email,language,attribute_1\n"
        'Ada,"King, Countess",ada@town.example,en,ward 3\nŻaneta,Nowak,z@town.example,pl,\n',
        encoding="utf-8",
    )
    made = invite(town, "town", read_list(given))
    write_list(tmp_path / "invited.csv", made)
    rows = rows_of(tmp_path / "invited.csv")
    assert tuple(rows[0])[:14] == COLUMNS
    assert tuple(rows[0])[14:] == ("attribute_1",)
    assert rows[0] | {"token": ""} == {
        "tid": "1", "firstname": "Ada", "lastname": "King, Countess", "email": "ada@town.example", "emailstatus": "OK",
        "token": "", "language": "en", "validfrom": "", "validuntil": "", "invited": "N", "reminded": "N", "remindercount": "0",
        "completed": "N", "usesleft": "1", "attribute_1": "ward 3",
    }  # fmt: skip
    assert len({row["token"] for row in rows}) == 2
    assert (tmp_path / "invited.csv").stat().st_mode & 0o077 == 0
    assert send(town, standin.body(token=rows[1]["token"])) == [None]
    states = with_states(town, "town", read_list(tmp_path / "invited.csv"))
    assert [(row["completed"], row["usesleft"]) for row in states] == [("N", "1"), ("N", "1")]
    town.close_survey("town")
    states = with_states(town, "town", read_list(tmp_path / "invited.csv"))
    assert [(row["completed"], row["usesleft"]) for row in states] == [("N", "1"), ("Y", "0")]
    assert town.overview("town").invitations == 2


def test_a_list_can_be_read_again_and_grow(town, tmp_path):
    (tmp_path / "people.csv").write_text("email\na@town.example\n")
    first = invite(town, "town", read_list(tmp_path / "people.csv"))
    again = invite(town, "town", [*first, {"email": "b@town.example"}])
    assert again[0]["token"] == first[0]["token"]
    assert town.overview("town").invitations == 2


def test_names_and_addresses_are_not_stored(town, tmp_path):
    (tmp_path / "people.csv").write_text("firstname,email\nUnmistakable,canary@town.example\n")
    made = invite(town, "town", read_list(tmp_path / "people.csv"))
    town.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("town.db*") if path.is_file())
    for text in ("Unmistakable", "canary", made[0]["token"]):
        assert text.encode() not in kept


@pytest.mark.servers
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "none of the columns"),
        ("name,address\nx,y\n", "none of the columns"),
        ("email,email\na,b\n", "a column twice"),
        ("email,token\n", "no rows"),
        ("email,token\na,short\n", "could be guessed"),
        ("email,token\na\n", "1 cell, the header 2"),
        ("email,validfrom\na,tomorrow\n", "validfrom is not a date"),
        ("email,validuntil\na,2026-02-30\n", "validuntil is not a date"),
        ("email,usesleft\na,5\n", "usesleft must be 1"),
        ("email,validfrom,validuntil\na,2027-02-01,2027-01-31\n", "validuntil is before validfrom"),
        (f"email\n{'x' * 140_000}\n", "line 2: field larger than"),
        ('email\n"a\n' + "x" * 140_000, "quotation mark"),
        (f"email,token\na,{'x' * 30}\nb,{'x' * 30}\n", "twice"),
    ],
)
def test_bad_lists_are_refused_with_their_lines(town, tmp_path, text, says):
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=says):
        invite(town, "town", read_list(path))
    assert town.overview("town").invitations == 0


def test_lists_that_are_not_there_or_of_another_survey_are_refused(town, tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        read_list(tmp_path / "nobody.csv")
    with pytest.raises(DataError, match="no token of town"):
        with_states(town, "town", [{"token": new_token()}])
    with pytest.raises(RefusedError, match="no survey"):
        invite(town, "village", [{"email": "a"}])


def test_first_and_last_days_of_limesurvey_are_read(town, standin, send):
    made = invite(town, "town", [{"email": "a", "validuntil": "2020-01-01 00:00"}, {"email": "b", "validfrom": "2020-01-01"}])
    outcomes = send(town, *(standin.body(token=row["token"]) for row in made))
    assert outcomes[0].code == "token_not_now"
    assert outcomes[1] is None


def test_an_invitation_holds_on_its_first_and_on_its_last_day(town, standin, send):
    today = datetime.date.today()
    days = [{"validfrom": str(today), "validuntil": str(today)}, {"validuntil": str(today - datetime.timedelta(1))}]
    made = invite(town, "town", [{"email": name, **each} for name, each in zip("ab", days, strict=True)])
    held, over = send(town, *(standin.body(token=row["token"]) for row in made))
    assert held is None or datetime.date.today() > today  # midnight may have passed meanwhile
    assert over.code == "token_not_now"


def test_inviting_one_list_twice_is_refused_unless_it_is_meant(town, tmp_path):
    (tmp_path / "people.csv").write_text("email\na@town.example\nb@town.example\n")
    people = read_list(tmp_path / "people.csv")
    first = invite(town, "town", people)
    with pytest.raises(RefusedError, match="town has 2 invitations already, and 2 rows"):
        invite(town, "town", people)
    assert town.overview("town").invitations == 2
    assert len(invite(town, "town", [*first, {"email": "c@town.example"}])) == 3
    invite(town, "town", people, again=True)
    assert town.overview("town").invitations == 5


def test_one_address_twice_is_refused_unless_it_is_meant(town):
    people = [{"email": "a@town.example"}, {"email": " A@town.example "}, {"email": ""}, {"email": ""}]
    with pytest.raises(RefusedError, match=r"a@town.example"):
        invite(town, "town", people)
    assert town.overview("town").invitations == 0
    assert len(invite(town, "town", people, again=True)) == 4


def test_tokens_are_taken_back_and_used_ones_stay_used(town, standin, send):
    made = invite(town, "town", [{"email": "a"}, {"email": "b"}, {"email": "c"}])
    assert send(town, standin.body(token=made[0]["token"])) == [None]
    town.mix(1, least=1)
    assert revoke(town, "town", made[:2]) == (1, 1)
    outcomes = send(town, *(standin.body(token=row["token"]) for row in made))
    assert [None if one is None else one.code for one in outcomes] == ["token_used", "token_unknown", None]
    with pytest.raises(DataError, match="no token of town"):
        revoke(town, "town", made[:2])


def test_taking_a_token_back_does_not_tell_that_its_answer_waits(town, standin, send, stored):
    made = invite(town, "town", [{"email": "a"}, {"email": "b"}])
    assert send(town, standin.body(token=made[0]["token"])) == [None]
    assert [revoke(town, "town", [row]) for row in made] == [(1, 0), (1, 0)]
    outcomes = send(town, *(standin.body(token=row["token"]) for row in made))
    assert [one.code for one in outcomes] == ["token_unknown"] * 2
    assert len(stored(town)) == 1


def test_a_token_that_was_tried_and_taken_back_cannot_be_put_back(town, standin, send):
    """Anyone who tries another's invitation to see whether it was used must not be able to hide it: its owner is told."""
    [made] = invite(town, "town", [{"email": "a"}])
    hashed = token_hash("town", made["token"])
    revoke(town, "town", [made])
    with pytest.raises(RefusedError, match="taken back"):
        town.add_invitations("town", [(hashed, None, None)])
    assert [one.code for one in send(town, standin.body(token=made["token"]))] == ["token_unknown"]
    assert town.overview("town").invitations == 0


@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_lists_of_spreadsheets_are_read_whatever_parts_their_cells(tmp_path, mark):
    path = tmp_path / "people.csv"
    path.write_bytes(f'\ufefffirstname{mark}"email"\r\n"Żaneta, dr"{mark}z@town.example\r\n'.encode())
    assert read_list(path) == [{"firstname": "Żaneta, dr", "email": "z@town.example"}]


def test_lists_in_other_encodings_are_asked_about_and_then_read(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes("email,lastname\na,Żółć\n".encode("cp1250"))
    with pytest.raises(FileError, match="'Żłć' in windows-1250"):
        read_list(path)
    with dn.reading_csv(encoding="windows-1250"):
        assert read_list(path) == [{"email": "a", "lastname": "Żółć"}]
    path.write_bytes("email;lastname\na;Żółć, dr\n".encode("utf-16"))
    assert read_list(path) == [{"email": "a", "lastname": "Żółć, dr"}]


def test_formulas_are_defused_and_come_back_as_they_were(town, tmp_path):
    given = {
        "email": "@x",
        "firstname": "=1+1",
        "lastname": "-Ada",
        "attribute_1": "+48 555 0100",
        "attribute_2": "+1+cmd|x",
        "@n": "'s",
    }
    made = invite(town, "town", [given])
    write_list(tmp_path / "out.csv", made)
    [row] = rows_of(tmp_path / "out.csv")
    assert (row["email"], row["firstname"], row["lastname"]) == ("'@x", "'=1+1", "'-Ada")
    assert (row["attribute_1"], row["attribute_2"]) == ("+48 555 0100", "'+1+cmd|x")
    assert row["token"] == made[0]["token"]
    assert read_list(tmp_path / "out.csv") == made
    assert all(token[0].isalnum() and token[-1].isalnum() for token in (new_token() for _ in range(1_000)))
