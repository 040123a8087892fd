"""Commands that are imported when they are called: `--help` and a mistyped name need no numpy."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from deniable.cli.hints import Hinting
from deniable.cli.quick_start import spare_pandas


@dataclass(frozen=True)
class Lazy:
    """Where in this package a command, or a group of them, is found, and its line in `--help`."""

    module: str
    attribute: str
    help: str
    reads_csv: bool = False
    draws: bool = False
    spares_pandas: bool = False

    def load(self, name: str) -> Any:
        """The command itself."""
        if self.spares_pandas:
            spare_pandas()
        command = getattr(import_module(f"deniable.cli.{self.module}"), self.attribute)
        if isinstance(command, typer.Typer):
            made: Any = get_group(command)
        else:
            if self.draws:
                from deniable.cli.asked import draws_pictures

                command = draws_pictures(command)
            if self.reads_csv:
                from deniable.cli.csv_options import reads_csv

                command = reads_csv(command)
            alone = typer.Typer(rich_markup_mode=None, add_completion=False)
            alone.command(name, cls=Hinting)(command)
            made = get_command(alone)
        made.name = name
        return made


def lazy_group(commands: dict[str, Lazy]) -> type[TyperGroup]:
    """A group of these commands, in this order."""

    class Group(TyperGroup):
        """Knows the names of its commands, and loads one when it is called."""

        def list_commands(self, ctx: Any) -> list[str]:
            return [*commands, *(name for name in self.commands if name not in commands)]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return commands[cmd_name].load(cmd_name) if cmd_name in commands else super().get_command(ctx, cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            rows = [(name, lazy.help) for name, lazy in commands.items()]
            rows += [(name, one.get_short_help_str()) for name, one in self.commands.items() if name not in commands]
            with formatter.section("Commands"):
                formatter.write_dl(rows)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            # "Did you mean" looks among these; none of them is called.
            for name in commands:
                self.commands.setdefault(name, TyperCommand(name))
            return super().resolve_command(ctx, args)

    return Group
