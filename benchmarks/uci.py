"""The UCI data sets of the papers as frames, with their domains, from a folder with `datasets.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

FINEST = 20_000
"""Numbers with more steps than this between their ends are rounded to fewer decimals."""


@dataclass
class DataSet:
    """True attributes and class, without ids and design columns; missing cells imputed with the mean (numbers, moved to the grid) or the
    mode (labels), as published."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    domains: dict[str, Any]
    imputed: int

    def schema(self, channel: Any) -> dn.Schema:
        """Every attribute behind `channel(domain)`; the class open."""
        return dn.Schema({name: channel(domain) for name, domain in self.domains.items()})


def load(data: Path, name: str) -> DataSet:
    """One data set by its name in `datasets.toml`."""
    about = tomllib.loads((data / "datasets.toml").read_text(encoding="utf-8"))[name]
    frame = pd.read_csv(data / about["file"], keep_default_na=False, na_values=[""], dtype=str)
    frame = frame[frame[about["class"]].notna()].reset_index(drop=True)
    frame = frame.drop(columns=[attribute["name"] for attribute in about["attributes"] if "role" in attribute])
    y = frame.pop(about["class"])
    domains: dict[str, Any] = {}
    imputed = int(frame.isna().sum().sum())
    for attribute in about["attributes"]:
        column = attribute["name"]
        if column not in frame:
            continue
        if attribute["type"] in ("continuous", "integer"):
            values = frame[column].astype(float)
            places = max(_places(cell) for cell in frame[column].dropna())
            low, high = (Fraction(str(attribute[end])) for end in ("min", "max"))
            while places > 0 and (high - low) * 10**places > FINEST:
                places -= 1
            step = Fraction(1, 10**places)
            low, high = low // step * step, -(-high // step) * step
            values = values.fillna(values.mean())
            frame[column] = np.round((values - float(low)) / float(step)) * float(step) + float(low)
            frame[column] = frame[column].round(places)
            domains[column] = dn.Continuous(str(float(low)), str(float(high)), step=str(float(step)))
        else:
            labels = [str(value) for value in attribute["values"]]
            frame[column] = frame[column].fillna(frame[column].mode()[0])
            kind = dn.Ordinal if attribute["type"] == "ordinal" else dn.Nominal
            domains[column] = kind(labels)
    return DataSet(name, frame, y, domains, imputed)


def _places(cell: str) -> int:
    return len(cell.partition(".")[2].rstrip("0"))
