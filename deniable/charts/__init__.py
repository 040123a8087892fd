"""Pictures from plain arrays: estimated shares with their whiskers, several of them on one page, saved as a file."""

from deniable.charts.distribution import distribution_chart
from deniable.charts.panels import panels
from deniable.charts.save import save

__all__ = ["distribution_chart", "panels", "save"]
