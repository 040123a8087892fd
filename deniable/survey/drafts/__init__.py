"""Questionnaires that are being written: their parts, the fields of forms for them, their mistakes, and what to begin from."""
