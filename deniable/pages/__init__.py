"""Web pages: one renderer and one folder of templates for every page that Python writes."""

from deniable.pages.renderer import TEMPLATES, drawing, render

__all__ = ["TEMPLATES", "drawing", "render"]
