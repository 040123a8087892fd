"""What would make a failed check hold is data; each face writes it its own way, and the library knows nothing of options."""

import ast
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn
import deniable.publish
from deniable.cli.option_words import in_options
from deniable.cli.publish_words import as_option
from deniable.errors import Setting
from deniable.publish.checks.limits import Limits
from deniable.publish.files import publish_file


def exposed(rows=300):
    rng = np.random.default_rng(3)
    ill = rng.choice(["no", "yes"], rows, p=[0.7, 0.3])
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": rng.integers(20, 80, rows),
            "on pills": np.where(ill == "yes", "many", "few"),
            "ill": ill,
        }
    )


LOOSE = {"min_rows": 1, "max_posterior": 1.0, "max_skew": 1.0, "max_skew_ratio": 100.0, "min_deniability": 0.05}


@pytest.mark.filterwarnings("ignore:Column 'id'")
def test_every_failed_check_carries_settings_and_both_faces_write_them():
    publication = dn.publish_frame(exposed(), "ill", limits=Limits(rows=20, skew=0.05), **LOOSE)
    (guaranteed,) = publication.guarantees
    settings = {check.name: dict(check.remedy.settings) for check in guaranteed.failed}
    assert settings["small groups"] == {"min_rows": 20}
    assert settings["skew"] == {"max_skew": 0.05}
    assert settings["other columns"] == {"recode": True, "drop": []}
    assert settings["identifiers"] == {"drop": ["id"]}
    assert all(check.remedy is None for check in guaranteed.checks if check.passed)
    in_python, typed = guaranteed.remedies(), guaranteed.remedies(as_option)
    assert in_python["small groups"] == "let no group be smaller: min_rows=20"
    assert typed["small groups"] == "let no group be smaller: --min-rows 20"
    assert in_python["identifiers"] == "leave the column out: drop=['id']"
    assert typed["identifiers"] == "leave the column out: --drop id"
    assert "--drop" in typed["other columns"]
    assert "'on pills'" in typed["other columns"]
    assert "--" not in repr(publication) + publication.to_html().partition("</style>")[2]
    assert "To fix it, let no group be smaller: --min-rows 20" in publication.to_html(as_option)


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore:Column 'id'")
def test_an_error_carries_the_settings_that_pass(tmp_path):
    exposed().to_csv(tmp_path / "true.csv", index=False)
    with pytest.raises(dn.DeniableError) as caught:
        publish_file(tmp_path / "true.csv", tmp_path / "out.csv", ["ill"], strict=True)
    error = caught.value
    assert error.parameters["remedy"] == {"drop": ["id", "on pills"]}
    assert str(error).endswith("With these settings all checks pass: drop=['id', 'on pills']")
    assert "--" not in str(error)
    fixed = publish_file(tmp_path / "true.csv", tmp_path / "out.csv", ["ill"], strict=True, **error.parameters["remedy"])
    assert (fixed.passed, fixed.remedy) == (True, {})


def test_errors_name_a_setting_that_each_face_writes():
    people = pd.DataFrame({"town": ["A", None, "B"] * 20, "ill": ["yes", "no"] * 30})
    with pytest.raises(dn.DeniableError) as caught:
        dn.publish_frame(people, "ill")
    assert caught.value.parameters["remedy"] == Setting("missing", "no answer")
    assert str(caught.value).endswith("say what they are called: missing='no answer'.")
    assert in_options(caught.value).endswith("say what they are called: --missing 'no answer'.")
    assert pickle.loads(pickle.dumps(caught.value)).parameters["remedy"] == caught.value.parameters["remedy"]


def test_options_are_quoted_for_shells_and_named_alone_where_the_value_is_the_owners_choice():
    assert as_option(Setting("drop", ["it's", "$HOME"])) == """--drop 'it'"'"'s' --drop '$HOME'"""
    assert as_option(Setting("min_deniability")) == "--min-deniability"
    assert as_option(Setting("shuffle", True)) == "--shuffle"


def options_in(text):
    """Options of a command line in the strings of a module, colours of CSS aside."""
    strings = [
        node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [found for string in strings for found in re.findall(r"(?<!var\()--[a-z][a-z-]+", string)]


def test_the_library_names_no_options():
    folder = Path(deniable.publish.__file__).parent
    named = {path.name: options_in(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")}
    assert {name: options for name, options in named.items() if options} == {}
    assert options_in('"add --force"') == ["--force"]
