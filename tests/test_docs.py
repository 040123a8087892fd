"""The Python in README.md and docs/ runs as it is printed, each page from top to bottom.

A block that needs a service, or an engine that is not everybody's, is left out by a comment in the page's source right above it:
<!-- not run: REASON -->
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import deniable as dn

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```[ \t]*(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run:(.*?)-->\s*\Z", re.DOTALL)
NOT_PYTHON = {"", "json", "yaml", "sh", "text", "sql", "javascript", "ini", "nginx"}


@dataclass(frozen=True)
class Block:
    line: int
    code: str
    language: str
    reason: str | None  # why it is not run


def blocks(text):
    found = []
    for match in FENCE.finditer(text):
        excused = NOT_RUN.search(text[: match.start()])
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(line, match[2], match[1].lower(), excused[1].strip() if excused else None))
    return found


def run(text, name):
    """Run the blocks of a page in one namespace; a mistake is reported with the line of the page."""
    namespace = {"__name__": "docs"}
    for block in blocks(text):
        if block.language == "python" and block.reason is None:
            exec(compile("\n" * (block.line - 1) + block.code, name, "exec"), namespace)
    return namespace


@pytest.mark.servers
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    for block in blocks(text):
        assert block.language == "python" or block.language in NOT_PYTHON, f"{page.name}:{block.line}: {block.language}?"
        assert block.reason != "", f"{page.name}:{block.line} is left out without a reason"
    monkeypatch.chdir(tmp_path)
    # A design that a page defines is known to that page alone.
    monkeypatch.setattr(dn.Channel, "designs", dict(dn.Channel.designs))
    run(text, page.name)


def test_the_design_that_a_page_adds_is_taken_like_those_that_came_with_it(monkeypatch):
    """docs/adding-a-design.md: Kuk's cards, against what is known of them."""
    monkeypatch.setattr(dn.Channel, "designs", dict(dn.Channel.designs))
    added = run((ROOT / "docs" / "adding-a-design.md").read_text(encoding="utf-8"), "adding-a-design.md")
    one_card = added["Kuk"]("0.7", "0.4")
    assert one_card.matrix().tolist() == dn.Flip("0.7", "0.6").matrix().tolist()
    # Kuk 1990: with m draws, the mean count of red cards is m (no + share (yes - no)).
    many = added["Kuk"]("0.7", "0.4", 5)
    assert many.push([0.75, 0.25]) @ range(6) == pytest.approx(5 * (0.4 + 0.25 * 0.3))
    assert dn.Channel.designs["Kuk"] is added["Kuk"]
    assert "Kuk" in str(dn.privacy.report(dn.Schema({"smokes": many})))


def test_a_name_that_is_defined_nowhere_is_found_with_its_line():
    text = "# A page\n\n```python\na = 1\n```\n\n```python\nb = a\nc = undefined\n```\n"
    with pytest.raises(NameError, match="undefined") as caught:
        run(text, "page.md")
    assert caught.traceback[-1].lineno + 1 == 9


def test_a_block_is_left_out_only_by_a_comment_right_above_it():
    block = "```python\nraise SystemError\n```\n"
    assert "raise" not in run(f"<!-- not run: needs Spark -->\n{block}", "page.md")
    assert blocks(f"<!-- not run: needs Spark -->\n{block}")[0].reason == "needs Spark"
    with pytest.raises(SystemError):
        run(f"<!-- not run: needs Spark -->\nWords between.\n{block}", "page.md")


PLACEHOLDER = re.compile(r"^[A-Z][A-Z_]{3,}$|@[A-Z_]{3,}@|\bTODO\b", re.MULTILINE)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_nothing_is_left_to_be_filled_in(page):
    left = PLACEHOLDER.search(FENCE.sub("", page.read_text(encoding="utf-8")))
    assert left is None, f"{page.name}: {left and left[0]}"


def test_what_is_left_to_be_filled_in_is_found():
    assert PLACEHOLDER.search("| a | b |\nNOISE_ROW\n")
    assert PLACEHOLDER.search("held @SHARE@ of them")
    assert not PLACEHOLDER.search("KRR and RAPPOR\n`SHAPE_ERROR`\n")


def test_pages_have_python_to_run():
    assert sum(block.language == "python" for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))) >= 7
