"""Pictures from plain arrays: estimated shares with their whiskers, several of them on one page, saved as a file."""

from deniable.charts.distribution import distribution_chart
from deniable.charts.notebook import with_picture
from deniable.charts.panels import panels
from deniable.charts.save import check_path, save

__all__ = ["check_path", "distribution_chart", "panels", "save", "with_picture"]
