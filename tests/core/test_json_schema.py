"""The published JSON Schema and the reader agree on what a schema file is."""

import json
from pathlib import Path

import jsonschema
import pytest

import deniable as dn

PUBLISHED = json.loads((Path(dn.__file__).parent / "core" / "schema.v1.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)


def test_the_published_schema_is_itself_valid():
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


def test_every_design_has_an_entry():
    from deniable.core.channels import additive, designs, optional  # noqa: F401
    from deniable.core.channels.base import Channel

    listed = {entry["properties"]["type"]["const"] for entry in PUBLISHED["$defs"]["channel"]["oneOf"]}
    assert listed == {name for name, cls in Channel.designs.items() if cls.__module__.startswith("deniable.")}


@pytest.mark.parametrize(
    "channel",
    [
        dn.Identity(dn.Continuous(0, 1)),
        dn.KRR(dn.Nominal(["a", "b"], missing="no answer"), "1/3"),
        dn.KRR.from_epsilon(dn.Integer(0, 4), 1.0),
        dn.Flip(0.9, 0.6),
        dn.ForcedResponse(0.1, 0.2, dn.Nominal(["no", "yes"])),
        dn.Crosswise(0.25),
        dn.Retention(dn.Continuous(0, 1, "1/3"), 0.5),
        dn.Retention(dn.Continuous(0, 1), 0.5, ([0, 0.5, 1], [0.25, 0.75])),
        dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.25),
        dn.Matrix(dn.Ordinal([1, 2]), [[0.9, 0.1, 0], [0.2, 0.3, 0.5]], outputs=["x", "y", "z"]),
        dn.Neighbours(dn.Ordinal(["l", "m", "h"]), [0.6, 0.2], wrap=True),
        dn.Additive(dn.Integer(0, 9), dn.Uniform(2)),
        dn.Additive(dn.Integer(0, 9), dn.Staircase([1, 2, 1])),
        dn.Multiplicative(dn.Continuous(1, 9), dn.Normal(0.5)),
        dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(2), edges="extend"), 0.9),
    ],
)
def test_what_is_written_is_valid(channel):
    text = dn.Schema({"a": channel}).to_json(notice="words")
    VALIDATOR.validate(json.loads(text))
    assert dn.Schema.from_json(text)["a"] == channel


def test_groups_are_valid_in_both_forms():
    channel = dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.5)
    table = {(0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.25, (1, 1): 0.25}
    schema = dn.Schema({"a": channel, "b": channel, "c": channel}, groups={"g": dn.Group(["a", "b"], table)})
    content = json.loads(schema.to_json())
    VALIDATOR.validate(content)
    content["groups"] = {"g": ["a", "b"]}
    VALIDATOR.validate(content)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.pop("format"),
        lambda c: c.update(extra=1),
        lambda c: c["attributes"]["a"].update(q=1),
        lambda c: c["attributes"]["a"].update(type="Magic"),
        lambda c: c["attributes"]["a"]["domain"].pop("values"),
    ],
)
def test_what_the_reader_refuses_is_invalid_too(change):
    content = json.loads(dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.7)}).to_json(fingerprint=False))
    VALIDATOR.validate(content)
    change(content)
    assert list(VALIDATOR.iter_errors(content))
    with pytest.raises(dn.DeniableError):
        dn.Schema.from_json(json.dumps(content))
