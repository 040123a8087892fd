"""Pictures from plain arrays: estimated shares with their whiskers, several of them on one page, saved as a file."""

from deniable.charts.distribution import distribution_chart
from deniable.charts.groups import Group, grouped_chart
from deniable.charts.notebook import with_picture
from deniable.charts.panels import panels
from deniable.charts.save import check_path, in_language, save

__all__ = ["Group", "check_path", "distribution_chart", "grouped_chart", "in_language", "panels", "save", "with_picture"]
