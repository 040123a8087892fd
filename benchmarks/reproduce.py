"""Run the papers' experiments again and print them beside the published figures.

    python -m benchmarks.reproduce NAME --data DIR [--published DIR] [--quick] [--resume FILE] [--minutes M]

NAME is a module `benchmarks/reproduce_NAME.py` with a function `run(data, published, quick)`; long ones also take `resume` and `minutes`.
"""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from inspect import signature
from pathlib import Path

import benchmarks

PREFIX = "reproduce_"


def experiments() -> list[str]:
    """The experiments there are.

    >>> isinstance(experiments(), list)
    True
    """
    return sorted(m.name.removeprefix(PREFIX) for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith(PREFIX))


def main() -> None:
    """Run one experiment."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproduce", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=experiments(), help="which experiment")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--published", type=Path, help="folder of the published figures [default: `published` beside the data]")
    parser.add_argument("--quick", action="store_true", help="fewer repeats and settings: minutes instead of hours")
    parser.add_argument(
        "--resume", type=Path, help="of long experiments: a file that keeps what was measured, and goes on from there"
    )
    parser.add_argument("--minutes", type=float, help="of long experiments: stop measuring after so many minutes")
    asked = parser.parse_args()
    published = asked.published or asked.data.parent / "published"
    for folder in (asked.data, published):
        if not folder.is_dir():
            parser.error(f"{folder} is no folder")
    run = import_module(f"benchmarks.{PREFIX}{asked.name}").run
    more = {name: value for name in ("resume", "minutes") if (value := getattr(asked, name)) is not None}
    if set(more) - set(signature(run).parameters):
        parser.error(f"{asked.name} is no long experiment: leave out --resume and --minutes")
    run(asked.data, published, asked.quick, **more)


if __name__ == "__main__":
    main()
