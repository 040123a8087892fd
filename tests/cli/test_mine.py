"""Mining on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.mining.search import Search


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    base = rng.random((4_000, 6)) < 0.4
    truth = base | (rng.random((4_000, 1)) < 0.15)
    frame = pd.DataFrame(truth.astype(int), columns=["bread", "milk", "eggs", "tea", "salt", "soap"])
    schema = dn.Schema({name: dn.Flip(0.8, 0.9) for name in frame})
    frame.to_csv(tmp_path / "truth.csv", index=False)
    schema.randomise(tmp_path / "truth.csv", output=tmp_path / "reported.csv", rng=rng)
    reported = pd.read_csv(tmp_path / "reported.csv").to_numpy()
    lines = [" ".join(str(i) for i in np.flatnonzero(row)) for row in reported]
    (tmp_path / "reported.dat").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_json_is_what_python_finds(run, folder):
    code, out, err = run("mine", "reported.csv", "-m", "0.2", "--json")
    told = json.loads(out)
    expected = dn.frequent_itemsets(folder / "reported.csv", None, 0.2)
    assert (code, told["method"], told["rows"], err) == (0, "shrunk", 4_000, "")
    assert [frozenset(row["itemsets"]) for row in told["itemsets"]] == expected["itemsets"].tolist()
    assert [row["support"] for row in told["itemsets"]] == pytest.approx(expected["support"].tolist())


def test_a_fimi_file_needs_its_factors_and_says_when_it_has_none(run, folder):
    code, out, err = run("mine", "reported.dat", "-m", "0.2", "--p", "0.8", "--q", "0.9", "--method", "unbiased", "--json")
    expected = dn.frequent_itemsets(folder / "reported.csv", None, 0.2, "unbiased")
    assert code == 0
    assert [row["support"] for row in json.loads(out)["itemsets"]] == pytest.approx(expected["support"].tolist())
    assert "undistorted" not in err
    assert "undistorted" in run("mine", "reported.dat", "-m", "0.5")[2]


def test_a_table_a_file_and_a_picture(run, folder):
    code, out, _ = run("mine", "reported.csv", "-m", "0.2", "--top", "3", "-o", "all.csv", "--plot", "sets.svg")
    assert code == 0
    assert "95% interval" in out
    assert "The best 3 of" in out
    written = pd.read_csv(folder / "all.csv")
    assert "bread, milk" in set(written["itemsets"])
    assert (folder / "sets.svg").read_text().startswith("<svg")
    code, _, err = run("mine", "reported.csv", "-m", "0.2", "-o", "all.csv")
    assert (code, "exists already" in err) == (2, True)


def test_rules(run, folder):
    code, out, _ = run("mine", "reported.csv", "-m", "0.2", "--rules", "--min-confidence", "0.5", "--plot", "rules.png")
    assert code == 0
    assert "=>" in out
    assert "confidence" in out
    assert (folder / "rules.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(run("mine", "reported.csv", "-m", "0.2", "--rules", "--min-confidence", "0.5", "--json")[1])
    assert all(rule["confidence"] >= 0.5 for rule in told["rules"])


@pytest.mark.parametrize("method", ["mask", "re", "mmask"])
def test_literal_methods_are_at_hand(run, folder, method):
    code, out, _ = run("mine", "reported.csv", "-m", "0.2", "--method", method, "--max-len", "2")
    assert code == 0
    assert f"({method}, 4,000 transactions)" in out


def test_an_interrupted_run_keeps_the_lengths_that_are_done(run, folder, monkeypatch):
    full = json.loads(run("mine", "reported.csv", "-m", "0.1", "--json")[1])["itemsets"]
    assert max(len(row["itemsets"]) for row in full) >= 3
    following = Search.next_level

    def interrupted(self, max_len):
        if self.length == 2:
            raise KeyboardInterrupt
        return following(self, max_len)

    monkeypatch.setattr(Search, "next_level", interrupted)
    code, out, err = run("mine", "reported.csv", "-m", "0.1", "--json", "-o", "done.csv")
    kept = json.loads(out)
    assert code == 130
    assert "Interrupted while itemsets of 3 were counted" in err
    assert kept["interrupted"] == 3
    # Intervals depend on how much was searched, all else does not.
    ends = {"support_low", "support_high"}
    kept_rows, all_rows = (
        [{k: v for k, v in row.items() if k not in ends} for row in rows_] for rows_ in (kept["itemsets"], full)
    )
    assert kept_rows == [row for row in all_rows if len(row["itemsets"]) <= 2]
    assert len(pd.read_csv(folder / "done.csv")) == len(kept["itemsets"])
    with pytest.raises(KeyboardInterrupt):
        dn.frequent_itemsets(folder / "reported.csv", None, 0.1)


def test_numbers_are_cut_into_bins(run, tmp_path):
    rng = np.random.default_rng(5)
    schema = dn.Schema({"age": dn.Retention(dn.Integer(0, 99), 0.6), "sex": dn.KRR(dn.Nominal(["F", "M"]), 0.8)})
    pd.DataFrame({"age": rng.integers(0, 100, 2_000), "sex": rng.choice(["F", "M"], 2_000)}).to_csv("t.csv", index=False)
    schema.randomise(tmp_path / "t.csv", output=tmp_path / "r.csv")
    code, out, _ = run("mine", "r.csv", "-m", "0.05", "--bins", "age=0,30,60,99")
    assert code == 0
    assert "age=[30, 60)" in out
    assert "age=[0, 30)" in run("mine", "r.csv", "-m", "0.05", "--bins", "age=0,30,60,99", "--json")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.dat", "-m", "0.1"), "does not exist"),
        (("reported.csv", "-m", "0"), "above 0"),
        (("reported.csv", "-m", "2"), "at most 1"),
        (("reported.dat", "-m", "0.1", "--p", "0.8"), "belong together"),
        (("reported.dat", "-m", "0.1", "--p", "0.4", "--q", "0.6"), "p + q = 1"),
        (("reported.csv", "-m", "0.1", "--method", "magic"), "unbiased"),
        (("reported.csv", "-m", "0.1", "--bins", "age"), "NAME=5"),
        (("reported.csv", "-m", "0.1", "--plot", "x.pdf"), ".svg"),
        (("reported.csv", "-m", "0.1", "-o", "reported.csv", "-f"), "is an input"),
        (("reported.csv", "-m", "0.1", "-o", "nowhere/all.csv"), "folder nowhere does not exist"),
        (("reported.csv", "-m", "0.1", "-o", "."), "is a folder"),
        (("reported.csv", "-m", "0.1", "-o", "x.svg", "--plot", "./x.svg"), "both x.svg"),
        (("twice.csv", "-m", "0.1"), "twice.csv has two columns named a"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(run, folder, arguments, words, monkeypatch):
    (folder / "twice.csv").write_text("a,a,b\n1,0,1\n")
    # All this is known before anything is counted.
    monkeypatch.setattr(Search, "levels", None)
    code, out, err = run("mine", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_with_nothing_found_nothing_is_written_or_drawn(run, folder):
    before = sorted(folder.iterdir())
    code, out, err = run("mine", "reported.csv", "-m", "0.99", "-o", "all.csv", "--plot", "sets.svg")
    assert (code, out) == (2, "")
    assert "Nothing was found" in err
    assert sorted(folder.iterdir()) == before
    assert run("mine", "reported.csv", "-m", "0.99", "-o", "all.csv")[0] == 0


def test_what_intervals_behind_noise_assume_is_said(run, folder):
    rng = np.random.default_rng(4)
    schema = dn.Schema({"age": dn.Additive(dn.Integer(18, 90), dn.Normal(10))})
    pd.DataFrame({"age": rng.integers(18, 91, 1_000)}).to_csv(folder / "ages.csv", index=False)
    schema.randomise(folder / "ages.csv", output=folder / "hidden.csv", rng=rng)
    code, _, err = run("mine", "hidden.csv", "-m", "0.1", "--bins", "age=18,50,90")
    assert code == 0
    assert "assume that no single value of 'age' holds more than 6.85% of the people" in err


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    schema = dn.Schema({"age": dn.Identity(dn.Integer(18, 90)), "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    pd.DataFrame({"age": [18 + i % 73 for i in range(400)], "smokes": ["no", "yes"] * 200}).to_csv(
        folder / "t.csv", index=False
    )
    schema.randomise(folder / "t.csv", output=folder / "r.csv")
    return folder / "r.csv"


def test_numbers_get_bins_and_the_hints_are_true(run, people):
    code, _, err = run("mine", people, "-m", "0.05")
    assert code == 0
    assert "Values of age were put into 10 bins; each by itself: --bins age=all" in err
    code, out, _ = run("mine", people, "-m", "0.005", "--bins", "age=all", "--max-len", "1", "--top", "100")
    assert (code, "age=18" in out) == (0, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--bins", "smokes=5"), "--bins is for attributes that are numbers, and smokes is not one."),
        (("--bins", "nope=all"), "--bins names nope, which the schema does not have; it has age, smokes."),
        (("--bins", "age=18,x,90"), "got 'x' in '18,x,90'"),
        (("--method", "foo"), "method must be one of shrunk, unbiased, mask, re, mmask, got 'foo'."),
        (("--max-len", "0"), "--max-len must be a whole number"),
        (("--max-candidates", "2"), "Raise --min-support, lower --max-len, or raise --max-candidates"),
    ],
)
def test_errors_speak_of_options_not_of_python(run, people, given, said):
    code, _, err = run("mine", people, "-m", "0.05", *given)
    assert code == 2
    assert said in err
    assert not any(word in err for word in ("['", "dn.", "bins=", "max_len"))


def test_one_rule_is_one_rule(run, tmp_path):
    (tmp_path / "b.dat").write_text("1 2\n1 2\n1 2\n2\n")
    _, out, _ = run("mine", tmp_path / "b.dat", "-m", "0.5", "--rules", "--min-confidence", "0.9")
    assert "1 rule (" in out


def test_a_rule_of_three_people_does_not_stand_before_one_of_hundreds(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("1 2\n" * 3 + "3 4\n" * 190 + "3\n" * 10 + "4\n" * 200)
    asked = ("mine", "b.dat", "-m", "0.005", "--rules", "--min-confidence", "0.9")

    def order(*more):
        return [rule["antecedents"] for rule in json.loads(run(*asked, "--json", *more)[1])["rules"]]

    # 95% of 200 people are at least 91% of everybody, 100% of three at least 44%.
    assert order() == [[3], [1], [2]]
    _, out, _ = run(*asked, "-o", "all.csv")
    assert out.index("3 => 4") < out.index("1 => 2")
    assert pd.read_csv(tmp_path / "all.csv")["antecedents"].tolist() == [3, 1, 2]
    # Of these transactions alone nothing is in doubt, and methods without intervals have only the confidence.
    assert order("--target", "respondents") == [[1], [2], [3]]
    assert order("--method", "mmask", "--p", "1", "--q", "1") == [[1], [2], [3]]


def test_rules_that_are_equally_sure_are_ordered_by_support(run, tmp_path):
    # Noise leaves the confidence of both open down to 0.
    lines = "1 2\n" * 30 + "3 4\n" * 60 + "5\n" * 10
    (tmp_path / "b.dat").write_text(lines)
    _, out, _ = run(
        "mine", tmp_path / "b.dat", "-m", "0.01", "--rules", "--min-confidence", "0", "--p", ".55", "--q", ".55", "--json"
    )
    told = [(rule["confidence_low"], rule["support"]) for rule in json.loads(out)["rules"]]
    assert len({low for low, _ in told}) < len(told), "some are equally sure"
    assert told == sorted(told, reverse=True)


def test_the_help_says_in_which_order_rules_come(run):
    assert "lower end of the interval" in " ".join(run("mine", "--help")[1].split())


@pytest.mark.parametrize("rules", [False, True])
def test_intervals_of_what_was_named_beforehand(run, folder, rules):
    asked = ("mine", "reported.csv", "-m", "0.2", *(("--rules", "--min-confidence", "0.5") if rules else ()))
    told = json.loads(run(*asked, "--named-beforehand", "--json")[1])
    found = dn.frequent_itemsets(folder / "reported.csv", None, 0.2, interval="named beforehand")
    expected = dn.association_rules(found, min_threshold=0.5) if rules else found
    low = "confidence_low" if rules else "support_low"
    assert (told["interval"], told["level_of_each"]) == ("named beforehand", 0.95)
    rows = pd.DataFrame(told["rules" if rules else "itemsets"])
    assert sorted(rows[low]) == pytest.approx(sorted(expected[low]))
    searched = pd.DataFrame(json.loads(run(*asked, "--json")[1])["rules" if rules else "itemsets"])
    assert (searched[low] < rows[low]).any()
    assert (searched[low] <= rows[low]).all()
    out = " ".join(run(*asked, "--named-beforehand", "-o", "named.csv")[1].split())
    assert f"Each interval is for {'a rule' if rules else 'an itemset'} named before the search" in out
    assert set(pd.read_csv(folder / "named.csv")["interval"]) == {"named beforehand"}
