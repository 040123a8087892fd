"""What the owner's report of a publication takes from here until it has a template of its own (`deniable/pages`)."""

from __future__ import annotations

from deniable.pages import TEMPLATES

_STYLE = f"\n{(TEMPLATES / 'report.css').read_text(encoding='utf-8')}"


def _open(label: str) -> str:
    # On a narrow screen rows are shown as blocks; the roles keep the table a table for a screen reader.
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n<table role="table">\n'


def _head(*headings: str) -> str:
    """Column headings; a leading # marks a column of numbers."""
    cells = "".join(
        f'<th scope="col" role="columnheader" class="{"number" if heading.startswith("#") else "words"}">{heading.lstrip("#")}</th>'
        for heading in headings
    )
    return f'<thead role="rowgroup"><tr role="row">{cells}</tr></thead>\n'
