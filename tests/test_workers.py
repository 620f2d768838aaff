"""What is computed on a cluster is what is computed here, to the last bit."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from judgeworthy import workers
from judgeworthy.errors import ClusterError
from judgeworthy.statistics.resampling import cluster_bootstrap, standardised_bootstrap
from judgeworthy.validation.human_agreement import simulate

VALUES = np.random.default_rng(20261201).normal(size=300)
CLUSTERS = np.repeat(np.arange(60), 5)
STRATA = ["a", "b", "c"] * 100


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two:
        yield two
        workers._joined.cache_clear()


@pytest.mark.slow
def test_bootstraps_draw_the_same_on_a_cluster(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> list[object]:
        return [
            cluster_bootstrap(VALUES, CLUSTERS, resamples=5000, seed=7),
            standardised_bootstrap(VALUES, STRATA, [*STRATA[1:], "a"], CLUSTERS, resamples=5000),
        ]

    here = drawn()
    monkeypatch.setenv(workers.VARIABLE, cluster.scheduler_address)
    assert drawn() == here
    assert any("shard" in name for name in cluster.scheduler.task_prefixes)


@pytest.mark.slow
def test_simulations_come_out_alike_on_a_cluster(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workers.workers() as pool:
        here = simulate(pool, repetitions=3, cells=2)
    monkeypatch.setenv(workers.VARIABLE, cluster.scheduler_address)
    with workers.workers() as pool:
        pd.testing.assert_frame_equal(simulate(pool, repetitions=3, cells=2), here)


def test_what_makes_one_shard_is_not_sent_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.VARIABLE, "tcp://127.0.0.1:9")
    assert workers.spread(len, [[1, 2]]) == [2]


def test_an_address_without_a_scheduler_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(workers.VARIABLE, "tcp://127.0.0.1:9")
    monkeypatch.setattr(workers, "_TIMEOUT", 0.5)
    with pytest.raises(ClusterError, match=r"tcp://127\.0\.0\.1:9: no Dask scheduler answers"):
        workers.spread(len, [[1], [2]])


@pytest.mark.slow
def test_a_scheduler_without_workers_is_an_error_that_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with LocalCluster(n_workers=0, dashboard_address=None) as none:
        monkeypatch.setenv(workers.VARIABLE, none.scheduler_address)
        with pytest.raises(ClusterError, match="has no workers; start some: dask worker"):
            workers.spread(len, [[1], [2]])
