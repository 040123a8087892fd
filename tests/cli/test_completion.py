"""Completion with the Tab key: the scripts, and what shells are answered. bash is run; zsh and fish are asked as by their scripts."""

import os
import re
import subprocess
import sys

import pytest

COMMAND = f'#!/bin/sh\nexec "{sys.executable}" -m deniable "$@"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the command, as it is installed."""
    made = tmp_path_factory.mktemp("bin")
    (made / "deniable").write_text(COMMAND)
    (made / "deniable").chmod(0o755)
    return made


def asked(folder, arguments=(), **environment):
    given = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **environment}
    return subprocess.run([folder / "deniable", *arguments], env=given, capture_output=True, text=True, timeout=120)


def test_bash_completes_commands_their_options_and_files(folder, tmp_path):
    script = asked(folder, ["completion", "bash"]).stdout
    (tmp_path / "s.sh").write_text(
        script + 'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deniable_completion deniable; '
        'echo "${COMPREPLY[*]}" | tr "\\n" " "; echo; }\n'
        "ask deniable surv\nask deniable survey ex\nask deniable count --sch\ncomplete -p deniable\n"
    )
    given = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", tmp_path / "s.sh"], env=given, capture_output=True, text=True, timeout=120)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:3] == ["survey", "export", "--schema"]
    # Where nothing of ours fits, names of files are completed.
    assert "-o default" in lines[3]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("shell", "environment"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "deniable surv"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "deniable surv", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_the_scripts_of_other_shells_ask_for_what_is_answered(folder, shell, environment):
    script = asked(folder, ["completion"], SHELL=f"/usr/bin/{shell}").stdout
    assert all(name in script for name in environment)
    variable, kind = re.search(r"(_DENIABLE_COMPLETE)=(\w+)", script).groups()
    reply = asked(folder, **environment, **{variable: kind})
    assert "survey" in reply.stdout
    assert reply.stderr == ""


def test_another_shell_is_refused_and_help_says_where_scripts_go(run, monkeypatch):
    code, _, err = run("completion", "tcsh")
    assert (code, "bash, zsh, fish, not for 'tcsh'" in err) == (2, True)
    monkeypatch.delenv("SHELL", raising=False)
    assert run("completion")[0] == 2
    code, out, _ = run("completion", "--help")
    assert all(
        place in out
        for place in ("bash-completion/completions/deniable", "~/.zfunc/_deniable", "fish/completions/deniable.fish")
    )
