"""Questions that pages, reports and notebooks ask of a survey, and their answers: numbers with errors, sentences, pictures, tables, code."""
