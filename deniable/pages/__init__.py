"""Web pages: one renderer and one folder of templates for every page that Python writes."""

from deniable.pages.renderer import TEMPLATES, render

__all__ = ["TEMPLATES", "render"]
