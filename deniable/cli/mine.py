"""`deniable mine`: what goes together in the true transactions, from randomised ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from deniable.cli.bars import Bar
from deniable.cli.estimates import DEFAULT_BINS, EVERY_VALUE, bins_or_few, edges, is_all, is_numeric, shares
from deniable.cli.mined import plain, present, save_picture, surest_first
from deniable.cli.question_options import MostShare
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Flip
from deniable.core.domains.domain import Domain
from deniable.core.intervals import check_level
from deniable.core.schema import Schema
from deniable.errors import FileError, ParameterError
from deniable.files.atomic import refuse_same, write_text
from deniable.mining.after_searching import AFTER_SEARCHING, NAMED_BEFOREHAND
from deniable.plurals import counted

if TYPE_CHECKING:
    import pandas as pd

    from deniable.mining.transactions import Transactions

INTERRUPTED = 130

Data = Annotated[
    str,
    typer.Argument(
        help="Transactions: a FIMI file (one line of items per transaction, .gz too), a CSV or Parquet path or glob, or "
        "duckdb:///f.db#table, sqlite:///f.db#table, postgresql://...#table."
    ),
]
MinSupport = Annotated[float, typer.Option("--min-support", "-m", help="The least share of transactions: 0.01 is 1%.")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")]
Kept = Annotated[float | None, typer.Option(help="Without a schema: every item was kept with this probability...")]
LeftAbsent = Annotated[float | None, typer.Option(help="... and every absent item was left absent with this one.")]
Method = Annotated[str | None, typer.Option(help="shrunk, unbiased, mask, re or mmask.", show_default="shrunk")]
Rules = Annotated[
    bool,
    typer.Option(
        "--rules",
        help="Show association rules instead of itemsets, those that are surest first: by the lower end of the interval of their "
        "confidence, then by support (by confidence where there are no intervals).",
    ),
]
MinConfidence = Annotated[float, typer.Option(help="With --rules: the least confidence.")]
MaxLen = Annotated[int | None, typer.Option(help="Items in an itemset, at most.")]
MaxCandidates = Annotated[
    int, typer.Option(min=1, help="Stop before a length has more candidates; a tenth may be found in all.")
]
MinProbability = Annotated[float | None, typer.Option(help="Keep only itemsets that are frequent with this probability.")]
FalseDiscoveryRate = Annotated[
    float | None, typer.Option("--false-discovery-rate", help="Keep the share of wrong itemsets below this.")
]
Bins = Annotated[
    list[str] | None,
    typer.Option(
        help="Bins of a number, such as age=5, age=18,30,45,90, or age=all for every value; repeatable. Without it 10 bins if there "
        "are over 25 values (with --json, over 100)."
    ),
]
TaxonomyFile = Annotated[
    Path | None, typer.Option(help='JSON file that says what items are, such as {"milk": "drink", "drink": "grocery"}.')
]
Target = Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
NamedBeforehand = Annotated[
    bool,
    typer.Option(
        "--named-beforehand",
        help="Shorter intervals, for itemsets (with --rules, rules) that you had in mind before the search; of all that is found too "
        "many of them miss.",
    ),
]
Top = Annotated[int, typer.Option(min=1, help="How many to print, best first (rules: surest first).")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write all of them as CSV.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")]
Plot = Annotated[Path | None, typer.Option(help="Save a picture of the best (.svg, .png or .html).")]
Json = Annotated[bool, typer.Option("--json", help="Print all as JSON instead of a table.")]


def mine(
    data: Data,
    min_support: MinSupport,
    schema: SchemaFile = None,
    p: Kept = None,
    q: LeftAbsent = None,
    method: Method = None,
    rules: Rules = False,
    min_confidence: MinConfidence = 0.8,
    max_len: MaxLen = None,
    max_candidates: MaxCandidates = 20_000_000,
    min_probability: MinProbability = None,
    false_discovery_rate: FalseDiscoveryRate = None,
    bins: Bins = None,
    taxonomy: TaxonomyFile = None,
    most: MostShare = None,
    target: Target = "population",
    level: Level = 0.95,
    named_beforehand: NamedBeforehand = False,
    top: Top = 25,
    output: Output = None,
    force: Force = False,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Find items that occur together in the true transactions. Ctrl-C keeps the lengths that are done."""
    check_level(level)
    _check_kind(data)
    _check_outputs(data, output, plot, force)
    channel, kinds = _channel(schema, p, q), _taxonomy(taxonomy)
    opened = _open(data, channel, bins, most, as_json)

    import deniable as dn

    itemsets = dn.frequent_itemsets(
        opened.transactions, min_support=min_support, method=method, max_len=max_len, max_candidates=max_candidates,
        min_probability=min_probability, false_discovery_rate=false_discovery_rate, target=target, confidence=level, progress=Bar(),
        keep_interrupted=True, taxonomy=kinds, interval=NAMED_BEFOREHAND if named_beforehand else AFTER_SEARCHING,
    )  # fmt: skip
    stopped = itemsets.attrs.get("interrupted")
    if stopped == 1:
        raise KeyboardInterrupt
    _tell_search(itemsets.attrs)
    shown = _rules(itemsets, opened.transactions, min_confidence, level, kinds) if rules else itemsets
    if plot is not None and not len(shown):
        lower = "--min-confidence or --min-support" if rules else "--min-support"
        raise ParameterError("nothing_to_draw", "Nothing was found, so there is no picture; lower {lower}.", lower=lower)
    told = {str(name): value for name, value in (itemsets.attrs | shown.attrs).items()}
    present(shown, told, rules, top, level, as_json)
    opened.tell_bins()
    for sentence in _saved(shown, rules, level, output, force, plot):
        if not as_json:
            print(sentence)
    if stopped is not None:
        raise typer.Exit(INTERRUPTED)


class _Opened(NamedTuple):
    """Transactions, their schema if they have one, and the numbers that were put into bins unasked."""

    transactions: Transactions
    schema: Schema | None
    binned: list[str]

    def tell_bins(self) -> None:
        """Say that bins were chosen, and what else can be had."""
        for name in self.binned:
            if not any(str(item).startswith(f"{name}=") for item in self.transactions.items.names):
                continue
            assert self.schema is not None
            every = f"; each by itself: --bins {name}={EVERY_VALUE}" if _minable(self.schema[name].domain) else ""
            print(
                f"Values of {name} were put into {DEFAULT_BINS} bins{every}; your own bins: --bins {name}=5, or {name}= with their edges.",
                file=sys.stderr,
            )


def _open(data: str, channel: Schema | Channel | None, bins: list[str] | None, most: str | None, as_json: bool) -> _Opened:
    import deniable as dn
    from deniable.engines.opening import open_data
    from deniable.mining.transactions import is_table

    source = open_data(data, channel) if is_table(data) else None
    channel = channel if source is None else source.schema
    chosen = _bins(bins)
    _check_bins(chosen, channel)
    schema = channel if isinstance(channel, Schema) else None
    few = {} if schema is None else _few_bins(schema, chosen, as_json)
    given = {name: wanted for name, wanted in chosen.items() if wanted is not None}
    transactions = dn.Transactions(data if source is None else source, channel, {**given, **few} or None, shares(most))
    if transactions.schema is None:
        print("No schema and no p and q: the data is taken as it is, undistorted.", file=sys.stderr)
    return _Opened(transactions, schema, list(few))


def _tell_search(about: dict[str, Any]) -> None:
    """What is to be known of a search besides what it has found."""
    if about.get("interrupted") is not None:
        print(f"Interrupted while itemsets of {about['interrupted']} were counted; the shorter ones are kept.", file=sys.stderr)
    for assumed in about.get("assumes", ()):
        print(f"Intervals behind noise assume that {assumed}.", file=sys.stderr)


def _rules(
    itemsets: pd.DataFrame, transactions: Transactions, min_confidence: float, level: float, kinds: dict[str, Any] | None
) -> pd.DataFrame:
    """The rules that follow from the itemsets, surest first."""
    import deniable as dn

    here = None if transactions.remote is not None else transactions
    rules = surest_first(dn.association_rules(itemsets, min_threshold=min_confidence, level=level, data=here, taxonomy=kinds))
    if "no_interval" in rules.attrs:
        print(f"No intervals of confidence. {rules.attrs['no_interval']}", file=sys.stderr)
    if not len(rules):
        print(
            f"No rule has a confidence of {min_confidence:g} or more; lower --min-confidence, or --min-support for more itemsets.",
            file=sys.stderr,
        )
    return rules


def _saved(
    shown: pd.DataFrame, rules: bool, level: float, output: Path | None, force: bool, plot: Path | None
) -> Iterator[str]:
    """Write what was asked for, and say what was written."""
    if output is not None:
        # A file is handed on alone: it says itself what its intervals are.
        write_text(output, plain(shown).assign(interval=shown.attrs["interval"]).to_csv(index=False), force)
        yield f"{counted(len(shown), 'rule' if rules else 'itemset')} written to {output}."
    if plot is not None:
        save_picture(shown, rules, level, plot)
        yield f"Picture: {plot}"


def _check_kind(data: str) -> None:
    """A questionnaire or a picture has words too, but no baskets."""
    from deniable.mining.transactions import is_table

    if not is_table(data) and not data.lower().removesuffix(".gz").endswith((".dat", ".txt")):
        raise FileError(
            "file_kind",
            "{path} is not mined: it must end in .csv, .csv.gz or .parquet, or in .dat or .txt (FIMI: one line of items per "
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
        kinds = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError("taxonomy_file", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None
    except ValueError as error:
        raise FileError("taxonomy_json", "{path} is not JSON: {reason}.", path=str(path), reason=str(error)) from None
    if not isinstance(kinds, dict):
        raise FileError("taxonomy_kind", "{path} must hold an object from items to what they are.", path=str(path))
    from deniable.mining.taxonomy import Taxonomy

    Taxonomy(kinds)  # what makes no sense is said before anything is read
    return kinds


def _bins(given: list[str] | None) -> dict[str, Any]:
    """Bins by attribute; None for every value by itself."""
    chosen = {}
    for text in given or []:
        name, separator, wanted = (part.strip() for part in text.partition("="))
        if not separator:
            raise ParameterError("bins_option", "--bins is written NAME=5 or NAME=18,30,45,90, got {got!r}.", got=text)
        chosen[name] = None if is_all(wanted) else edges(wanted)
    return chosen


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
    few = {name: bins_or_few(None, channel.domain) for name, channel in schema.items() if name not in chosen}
    return {name: bins for name, bins in few.items() if bins is not None and not (as_json and _minable(schema[name].domain))}


def _minable(domain: Domain) -> bool:
    """Whether every value may be an item."""
    from deniable.mining.attributes import MOST_NUMBERS

    return domain.has_grid and domain.size <= MOST_NUMBERS
