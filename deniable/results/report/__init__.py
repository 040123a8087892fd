"""The report of a survey: one printable page that a town council can read."""
