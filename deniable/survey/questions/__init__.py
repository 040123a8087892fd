"""The kinds of questions: what each may say in a questionnaire, and which attributes hide its answers."""
