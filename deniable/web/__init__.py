"""What a respondent's browser runs: `static/randomise.js`, which randomises answers before they are sent."""
