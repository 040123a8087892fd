"""Pictures from plain arrays: estimated shares with their whiskers, several of them on one page, saved as a file."""

from deniable.charts.curve import MANY_NUMBERS
from deniable.charts.distribution import distribution_chart
from deniable.charts.groups import Group, grouped_chart
from deniable.charts.layout import room_of
from deniable.charts.notebook import with_picture
from deniable.charts.panels import panels, with_sentences
from deniable.charts.save import check_path, in_language, save

__all__ = [
    "MANY_NUMBERS",
    "Group",
    "check_path",
    "distribution_chart",
    "grouped_chart",
    "in_language",
    "panels",
    "room_of",
    "save",
    "with_picture",
    "with_sentences",
]
