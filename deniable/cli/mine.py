"""`deniable mine`: what goes together in the true transactions, from randomised ones."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from deniable.cli.bars import Bar
from deniable.cli.estimates import DEFAULT_BINS, EVERY_VALUE, bins_or_few, edges, is_all, is_numeric, shares
from deniable.cli.question_options import MostShare
from deniable.cli.show import console
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Flip
from deniable.core.domains.domain import Domain
from deniable.core.estimate import check_level
from deniable.core.schema import Schema
from deniable.errors import FileError, ParameterError
from deniable.files.atomic import refuse_same, write_text
from deniable.plurals import counted

if TYPE_CHECKING:
    import pandas as pd

INTERRUPTED = 130
IN_PICTURE = 30
ROUNDING = 1e-6
"""The ends of an interval that is a single point meet up to this."""


def mine(
    data: Annotated[
        str,
        typer.Argument(
            help="Transactions: a FIMI file (a line of items each, .gz too), a CSV or Parquet path or glob, or "
            "duckdb:///f.db#table, sqlite:///f.db#table, postgresql://...#table."
        ),
    ],
    min_support: Annotated[float, typer.Option("--min-support", "-m", help="The least share of transactions: 0.01 is 1%.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")
    ] = None,
    p: Annotated[float | None, typer.Option(help="Without a schema: every item was kept with this probability...")] = None,
    q: Annotated[float | None, typer.Option(help="... and every absent item was left absent with this one.")] = None,
    method: Annotated[str | None, typer.Option(help="shrunk, unbiased, mask, re or mmask.", show_default="shrunk")] = None,
    rules: Annotated[
        bool,
        typer.Option(
            "--rules",
            help="Show association rules instead of itemsets, those that are surest first: by the lower end of the interval of their "
            "confidence, then by support (by confidence where there are no intervals).",
        ),
    ] = False,
    min_confidence: Annotated[float, typer.Option(help="With --rules: the least confidence.")] = 0.8,
    max_len: Annotated[int | None, typer.Option(help="Items in an itemset, at most.")] = None,
    max_candidates: Annotated[
        int, typer.Option(min=1, help="Stop before a length has more candidates; a tenth may be found in all.")
    ] = 20_000_000,
    min_probability: Annotated[
        float | None, typer.Option(help="Keep only itemsets that are frequent with this probability.")
    ] = None,
    false_discovery_rate: Annotated[
        float | None, typer.Option("--false-discovery-rate", help="Keep the share of wrong itemsets below this.")
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(
            help="Bins of a number, such as age=5, age=18,30,45,90, or age=all for every value; repeatable. Without it 10 bins if there "
            "are over 25 values (with --json, over 100)."
        ),
    ] = None,
    taxonomy: Annotated[
        Path | None, typer.Option(help='JSON file that says what items are, such as {"milk": "drink", "drink": "grocery"}.')
    ] = None,
    most: MostShare = None,
    target: Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")] = "population",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    top: Annotated[int, typer.Option(min=1, help="How many to print, best first (rules: surest first).")] = 25,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write all of them as CSV.")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Save a picture of the best (.svg, .png or .html).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all as JSON instead of a table.")] = False,
) -> None:
    """Find items that occur together in the true transactions. Ctrl-C keeps the lengths that are done."""
    check_level(level)
    _check_kind(data)
    _check_outputs(data, output, plot, force)
    channel = _channel(schema, p, q)
    kinds = _taxonomy(taxonomy)

    import deniable as dn
    from deniable.engines.opening import open_data
    from deniable.mining.transactions import is_table

    source = open_data(data, channel) if is_table(data) else None
    channel = channel if source is None else source.schema
    chosen = _bins(bins)
    _check_bins(chosen, channel)
    few = _few_bins(channel, chosen, as_json) if isinstance(channel, Schema) else {}
    given = {name: wanted for name, wanted in chosen.items() if wanted is not None}
    transactions = dn.Transactions(data if source is None else source, channel, {**given, **few} or None, shares(most))
    if transactions.schema is None:
        print("No schema and no p and q: the data is taken as it is, undistorted.", file=sys.stderr)
    found = dn.frequent_itemsets(
        transactions, min_support=min_support, method=method, max_len=max_len, max_candidates=max_candidates,
        min_probability=min_probability,
        false_discovery_rate=false_discovery_rate, target=target, confidence=level, progress=Bar(), keep_interrupted=True,
        taxonomy=kinds,
    )  # fmt: skip
    stopped = found.attrs.get("interrupted")
    if stopped == 1:
        raise KeyboardInterrupt
    if stopped is not None:
        print(f"Interrupted while itemsets of {stopped} were counted; the shorter ones are kept.", file=sys.stderr)
    for assumed in found.attrs.get("assumes", ()):
        print(f"Intervals behind noise assume that {assumed}.", file=sys.stderr)
    shown = found
    if rules:
        here = None if transactions.remote is not None else transactions
        shown = _surest_first(dn.association_rules(found, min_threshold=min_confidence, level=level, data=here, taxonomy=kinds))
        if "no_interval" in shown.attrs:
            print(f"No intervals of confidence. {shown.attrs['no_interval']}", file=sys.stderr)
        if not len(shown):
            print(
                f"No rule has a confidence of {min_confidence:g} or more; lower --min-confidence, or --min-support for more itemsets.",
                file=sys.stderr,
            )
    if plot is not None and not len(shown):
        lower = "--min-confidence or --min-support" if rules else "--min-support"
        raise ParameterError("nothing_to_draw", "Nothing was found, so there is no picture; lower {lower}.", lower=lower)
    _present(shown, found.attrs, rules, top, level, as_json)
    if isinstance(channel, Schema):
        _tell_bins(
            channel, [name for name in few if any(str(item).startswith(f"{name}=") for item in transactions.items.names)]
        )
    if output is not None:
        write_text(output, _plain(shown).to_csv(index=False), force)
        if not as_json:
            print(f"{counted(len(shown), 'rule' if rules else 'itemset')} written to {output}.")
    if plot is not None:
        _picture(shown, rules, level, plot)
        if not as_json:
            print(f"Picture: {plot}")
    if stopped is not None:
        raise typer.Exit(INTERRUPTED)


def _check_kind(data: str) -> None:
    """A questionnaire or a picture has words too, but no baskets."""
    from deniable.mining.transactions import is_table

    if not is_table(data) and not data.lower().removesuffix(".gz").endswith((".dat", ".txt")):
        raise FileError(
            "file_kind",
            "{path} is not mined: it must end in .csv, .csv.gz or .parquet, or in .dat or .txt (FIMI: a line of items a "
            "transaction; .gz too), or be an address such as sqlite:///FILE#TABLE.",
            path=data,
        )


def _check_outputs(data: str, output: Path | None, plot: Path | None, force: bool) -> None:
    """What would fail at the end fails before hours of work."""
    for path in (output, plot):
        if path is not None:
            refuse_same(path, Path(data))
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
    if output is None:
        return
    if not output.parent.is_dir():
        raise FileError("no_folder", "The folder {folder} does not exist; create it first.", folder=str(output.parent))
    if output.is_dir():
        raise FileError("folder_in_the_way", "{path} is a folder, not a file.", path=str(output))
    if plot is not None and output.resolve() == plot.resolve():
        raise ParameterError("same_output", "--output and --plot are both {path}; give each its own name.", path=str(output))
    if output.exists() and not force:
        raise ParameterError("output_exists", "{path} exists already; choose another name, or --force.", path=str(output))


def _channel(schema: Path | None, p: float | None, q: float | None) -> Schema | Channel | None:
    if schema is not None:
        if p is not None or q is not None:
            raise ParameterError("schema_and_factors", "Give --schema or --p and --q, not both.")
        return Schema.load(schema)
    if (p is None) != (q is None):
        raise ParameterError("one_factor", "--p and --q belong together: give both, or a schema.")
    return None if p is None or q is None else Flip(p, q)


def _taxonomy(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError("taxonomy_file", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None
    except ValueError as error:
        raise FileError("taxonomy_json", "{path} is not JSON: {reason}.", path=str(path), reason=str(error)) from None
    if not isinstance(found, dict):
        raise FileError("taxonomy_kind", "{path} must hold an object from items to what they are.", path=str(path))
    from deniable.mining.taxonomy import Taxonomy

    Taxonomy(found)  # what makes no sense is said before anything is read
    return found


def _bins(given: list[str] | None) -> dict[str, Any]:
    """Bins by attribute; None for every value by itself."""
    found = {}
    for text in given or []:
        name, separator, wanted = (part.strip() for part in text.partition("="))
        if not separator:
            raise ParameterError("bins_option", "--bins is written NAME=5 or NAME=18,30,45,90, got {got!r}.", got=text)
        found[name] = None if is_all(wanted) else edges(wanted)
    return found


def _check_bins(chosen: dict[str, Any], schema: Schema | Channel | None) -> None:
    if not chosen:
        return
    if not isinstance(schema, Schema):
        raise ParameterError(
            "bins_without_schema", "--bins needs a schema that says what the numbers may be: give it with --schema."
        )
    unknown = [name for name in chosen if name not in schema]
    if unknown:
        raise ParameterError(
            "bins_unknown",
            "--bins names {got}, which the schema does not have; it has {allowed}.",
            got=unknown,
            allowed=list(schema),
        )
    words = [name for name in chosen if not is_numeric(schema[name].domain)]
    if words:
        raise ParameterError(
            "bins_need_numbers", "--bins is for attributes that are numbers, and {got} is not one.", got=words[0]
        )


def _few_bins(schema: Schema, chosen: dict[str, Any], as_json: bool) -> dict[str, int]:
    """Some bins by itself for every number of more values than anybody reads (than can be mined, for programs), unless some were given."""
    found = {name: bins_or_few(None, channel.domain) for name, channel in schema.items() if name not in chosen}
    return {name: bins for name, bins in found.items() if bins is not None and not (as_json and _minable(schema[name].domain))}


def _minable(domain: Domain) -> bool:
    """Whether every value may be an item."""
    from deniable.mining.attributes import MOST_NUMBERS

    return domain.has_grid and domain.size <= MOST_NUMBERS


def _tell_bins(schema: Schema, few: list[str]) -> None:
    """Say that bins were chosen, and what else can be had."""
    for name in few:
        every = f"; each by itself: --bins {name}={EVERY_VALUE}" if _minable(schema[name].domain) else ""
        told = f"Values of {name} were put into {DEFAULT_BINS} bins{every}; your own bins: --bins {name}=5, or {name}= with their edges."
        print(told, file=sys.stderr)


def _words(items: Any) -> str:
    return ", ".join(map(str, _in_order(items)))


def _in_order(items: Any) -> list[Any]:
    numbers = all(isinstance(item, int) for item in items)
    return sorted(items, key=None if numbers else str)


def _plain(shown: pd.DataFrame) -> pd.DataFrame:
    """The frame with sets written out: items in order, separated by commas."""
    sets = [name for name in ("itemsets", "antecedents", "consequents") if name in shown]
    return shown.assign(**{name: shown[name].map(_words) for name in sets})


def _present(shown: pd.DataFrame, about: dict[str, Any], rules: bool, top: int, level: float, as_json: bool) -> None:
    if as_json:
        sets = [name for name in ("itemsets", "antecedents", "consequents") if name in shown]
        listed = shown.assign(**{name: shown[name].map(_in_order) for name in sets})
        told = {key: about.get(key) for key in ("method", "target", "rows", "min_support", "interrupted")}
        content = {**told, "level": level, "rules" if rules else "itemsets": json.loads(listed.to_json(orient="records"))}
        print(json.dumps(content, indent=2, ensure_ascii=False))
        return
    percent = f"{100 * level:g}% interval"
    measure = "confidence" if rules else "support"
    ends = [measure, f"{measure}_low", f"{measure}_high"]
    shown = shown.assign(**dict(zip(ends, _held(*(shown[name] for name in ends)), strict=True)))
    what = counted(len(shown), "rule" if rules else "itemset")
    table = Table(title=f"{what} ({about['method']}, {counted(about['rows'], 'transaction')})")
    if rules:
        table.add_column("rule", overflow="fold")
        for name in ("support", "confidence", percent, "lift"):
            table.add_column(name, justify="right")
        for row in shown.head(top).to_dict("records"):
            table.add_row(
                f"{_words(row['antecedents'])} => {_words(row['consequents'])}", f"{row['support']:.2%}", f"{row['confidence']:.1%}",
                _interval(row["confidence_low"], row["confidence_high"], 1), f"{row['lift']:.2f}",
            )  # fmt: skip
    else:
        table.add_column("itemset", overflow="fold")
        for name in ("support", percent, "reported", "P(frequent)"):
            table.add_column(name, justify="right")
        for row in _best(shown).head(top).to_dict("records"):
            table.add_row(
                _words(row["itemsets"]), f"{row['support']:.2%}",
                _interval(row["support_low"], row["support_high"], 2),
                f"{row['reported_support']:.2%}", "" if math.isnan(row["probability_frequent"]) else f"{row['probability_frequent']:.2f}",
            )  # fmt: skip
    console().print(table)
    listed_rows = len(shown) if rules else len(_best(shown))
    if listed_rows < len(shown):
        print(f"{counted(len(shown) - listed_rows, 'single item is', 'single items are')} not listed; --output writes all.")
    if listed_rows > top:
        print(f"The best {top:,} of {listed_rows:,}; --top shows more, --output writes all.")


def _interval(low: float, high: float, digits: int) -> str:
    """An interval of shares; biased methods have none."""
    if math.isnan(low):
        return "none"
    return f"{low:.{digits}%} to {high:.{digits}%}"


def _held(value: pd.Series, low: pd.Series, high: pd.Series) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Shares as people are shown them: between 0 and 1, and inside their own intervals. Shrunk points may leave those of unbiased ones."""
    point = value.clip(0, 1)
    return (
        point,
        low.clip(0, 1).where(lambda end: ~(end > point), point),
        high.clip(0, 1).where(lambda end: ~(end < point), point),
    )


def _surest_first(rules: pd.DataFrame) -> pd.DataFrame:
    """Rules by what their confidence is at least: 100% of three people is no news. Where nothing is in doubt, by the confidence."""
    doubtful = (rules["confidence"] - rules["confidence_low"]) > ROUNDING
    by = ["confidence_low", "support"] if doubtful.any() else ["confidence"]
    # Equal ones stay as mlxtend lists them.
    return rules.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _best(found: pd.DataFrame) -> pd.DataFrame:
    """Longer itemsets first where there are any: single items are no news."""
    several = found[found["itemsets"].map(len) > 1]
    chosen = several if len(several) else found
    return chosen.sort_values("support", ascending=False, kind="stable")


def _picture(shown: pd.DataFrame, rules: bool, level: float, plot: Path) -> None:
    from deniable import charts

    whiskers = f"{100 * level:g}% interval"
    if rules:
        rows = shown.head(IN_PICTURE)
        labels = [f"{_words(a)} => {_words(c)}" for a, c in zip(rows["antecedents"], rows["consequents"], strict=True)]
        value, low, high, compare, title = (
            rows["confidence"],
            rows["confidence_low"],
            rows["confidence_high"],
            None,
            "Rules: confidence",
        )
    else:
        rows = _best(shown).head(IN_PICTURE)
        labels = [_words(items) for items in rows["itemsets"]]
        value, low, high = rows["support"], rows["support_low"], rows["support_high"]
        compare, title = {"reported": rows["reported_support"].to_numpy()}, "Itemsets: support"
    point, least, greatest = (column.to_numpy() for column in _held(value, low, high))
    chart = charts.distribution_chart(labels, point, least, greatest, title=title, compare=compare, whiskers=whiskers)
    charts.save(chart, plot)
