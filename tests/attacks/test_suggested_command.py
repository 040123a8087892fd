"""The attack on a suggestion: after a failed check `publish` tries options on the true answers and names those that pass.

Which column has to go says what the answers are related to, so the suggestion is for the owner alone: nobody who reads the published
files may find it there.
"""

import numpy as np
import pandas as pd

from deniable.publish.files import publish_file


def test_the_options_found_by_trying_are_in_no_published_file(tmp_path):
    ill = np.array(["no", "yes"] * 200)
    people = pd.DataFrame({"town": ["A"] * 200 + ["B"] * 200, "pills": np.where(ill == "yes", "many", "few"), "ill": ill})
    people.to_csv(tmp_path / "t.csv", index=False)
    found = publish_file(tmp_path / "t.csv", tmp_path / "out.csv", ["ill"], report=tmp_path / "owner.html")
    assert found.remedy == {"drop": ["pills"]}
    published = {path.name: path.read_text() for path in tmp_path.iterdir() if path.name not in ("t.csv", "owner.html")}
    assert set(published) == {"out.csv", "out.publication.json"}
    for name, text in published.items():
        assert "--drop" not in text, name
        assert "drop=" not in text, name
