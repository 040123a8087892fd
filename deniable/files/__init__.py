"""Files: written whole or not at all, tables in pieces, and the text of the schema that travels with them. No schema is known here."""
