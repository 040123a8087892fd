"""Questions that pages and reports ask of a survey, and their answers: numbers with errors, sentences, pictures, tables, code."""
