"""`deniable completion`: what a shell needs to complete commands and options with the Tab key."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Annotated

import typer
from typer._completion_classes import completion_init
from typer._completion_shared import get_completion_script

from deniable.errors import ParameterError

SHELLS = ("bash", "zsh", "fish")
ASKED = "_DENIABLE_COMPLETE"
"""Set by the script when a shell asks what may come next."""


def answer_shells() -> None:
    """Let the command line answer a shell that asks. (Otherwise Typer does so only with options of its own, which write into the
    shell's files unasked.)"""
    if ASKED in os.environ:
        completion_init()


def completion(
    shell: Annotated[str | None, typer.Argument(help="bash, zsh or fish; by default the one you use ($SHELL).")] = None,
) -> None:
    """Print the script with which a shell completes commands and options with Tab. Write it where your shell looks for such scripts:

    \b
    bash  mkdir -p ~/.local/share/bash-completion/completions
          deniable completion bash > ~/.local/share/bash-completion/completions/deniable
    zsh   mkdir -p ~/.zfunc
          deniable completion zsh > ~/.zfunc/_deniable
          and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit && compinit
    fish  mkdir -p ~/.config/fish/completions
          deniable completion fish > ~/.config/fish/completions/deniable.fish

    Then open a new terminal. (bash needs its package bash-completion; or write into ~/.bashrc: eval "$(deniable completion bash)")
    """
    wanted = shell if shell is not None else PurePath(os.environ.get("SHELL", "")).name
    if wanted not in SHELLS:
        raise ParameterError(
            "no_such_shell", "There is a completion script for {allowed}, not for {got!r}; name one of them.",
            allowed=", ".join(SHELLS), got=wanted,
        )  # fmt: skip
    print(get_completion_script(prog_name="deniable", complete_var=ASKED, shell=wanted))
