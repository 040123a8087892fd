"""Surveys: questionnaires and what their privacy costs."""
