"""Classifiers learn on a real cluster of Dask, through joblib's backend, and are the same to the last byte."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.ensemble import RandomForestClassifier

import deniable as dn

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed: pip install deniable[dask]")
# What Dask warns of is not ours.
pytestmark = [pytest.mark.xdist_group("servers"), pytest.mark.filterwarnings("ignore:::distributed")]

B = dn.Binary()
SCHEMA = dn.Schema({**{f"x{i}": dn.KRR(B, 0.8) for i in range(6)}, "c": dn.Identity(B)}, target="c")


@pytest.fixture(scope="module")
def cluster():
    """Two workers, processes of their own, that talk over the loopback interface; no dashboard."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, worker_dashboard_address=None
        ) as started,
        distributed.Client(started),
    ):
        yield started


@pytest.fixture(scope="module")
def reported():
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, (500, 2))
    truth = pd.DataFrame(np.repeat(coins, 3, axis=1), columns=[f"x{i}" for i in range(6)]).assign(c=coins[:, 0] ^ coins[:, 1])
    return SCHEMA.randomise(truth, rng)


def forest():
    return dn.UnbiasedForest(SCHEMA, n_estimators=6)


def ensemble():
    members = [dn.ReconstructionNaiveBayes(), dn.AsReported(RandomForestClassifier(5, min_samples_leaf=5))]
    return dn.ReconstructionEnsemble(SCHEMA, members, bagging=2, boosting=2, combination="stacked", stack_folds=2)


def auto():
    return dn.AutoClassifier(SCHEMA)


@pytest.mark.parametrize("make", [forest, ensemble, auto])
def test_what_learned_on_a_cluster_is_the_same_file(make, cluster, reported, tmp_path):
    make().fit(reported).save(tmp_path / "here.json")
    done = len(distributed.default_client().run_on_scheduler(_tasks_done))
    with parallel_config(backend="dask"):
        make().fit(reported).save(tmp_path / "there.json")
    assert len(distributed.default_client().run_on_scheduler(_tasks_done)) > done
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


def _tasks_done(dask_scheduler):
    """Tasks that the workers have ended."""
    return [key for key, *_ in dask_scheduler.transition_log if "Batch" in str(key) or "batch" in str(key)]
