"""Nearest states by the vector engine that you have: DuckDB, LanceDB or FAISS.

    pip install "../../python" duckdb lancedb faiss-cpu pyarrow
    python search.py                          # 20,000 rows, a few seconds
    python search.py --rows 1000000 --json    # the table of docs/scale.md

An embedding in which a norm counts steps can be indexed like any other vectors. With p = 2 the norm is the Euclidean one, which every
engine has. The exact search of each must find what `DistanceModel.nearest` finds; the approximate one has a recall.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from isochrone import DistanceModel

QUERIES, K = 100, 10
Search = Callable[[np.ndarray], np.ndarray]
"""Queries to the rows of their K nearest points."""


def walks(rows: int, seed: int, entries: int = 14, steps: int = 250) -> list[np.ndarray]:
    """Stands for your logs: smooth random movements of an arm with 14 joints."""
    rng = np.random.default_rng(seed)
    episodes = []
    for _ in range(-(-rows // steps)):
        speed = rng.normal(size=entries) / 50
        pushes = rng.normal(size=(steps, entries)) / 100
        episodes.append(np.cumsum(speed + np.cumsum(pushes, axis=0) / 10, axis=0).astype(np.float32))
    return episodes


@contextmanager
def duckdb_exact(points: np.ndarray, folder: Path) -> Iterator[Search]:
    import duckdb

    database = duckdb.connect(str(folder / "points.duckdb"))
    table = pa.table({"row": np.arange(len(points)), "point": vectors(points)})
    database.register("given", table)
    width = points.shape[1]
    database.execute(f"CREATE TABLE points AS SELECT row, point::FLOAT[{width}] AS point FROM given")
    find = f"SELECT row FROM points ORDER BY array_distance(point, $q::FLOAT[{width}]), row LIMIT {K}"
    yield lambda queries: np.array([[row for (row,) in database.execute(find, {"q": q.tolist()}).fetchall()] for q in queries])
    database.close()


@contextmanager
def lancedb_exact(points: np.ndarray, folder: Path) -> Iterator[Search]:
    table = lance_table(points, folder)
    yield lambda queries: np.array([lance_rows(table.search(q).bypass_vector_index()) for q in queries])


@contextmanager
def lancedb_approximate(points: np.ndarray, folder: Path) -> Iterator[Search]:
    table = lance_table(points, folder)
    partitions = max(1, int(np.sqrt(len(points))))
    table.create_index(metric="l2", index_type="IVF_FLAT", vector_column_name="point", num_partitions=partitions)
    yield lambda queries: np.array([lance_rows(table.search(q).nprobes(20)) for q in queries])


def lance_table(points: np.ndarray, folder: Path):
    import lancedb

    table = pa.table({"row": np.arange(len(points)), "point": vectors(points)})
    return lancedb.connect(str(folder / "lance")).create_table("points", table)


def lance_rows(search) -> list[int]:
    return search.distance_type("l2").limit(K).select(["row", "_distance"]).to_arrow()["row"].to_pylist()


@contextmanager
def faiss_exact(points: np.ndarray, _folder: Path) -> Iterator[Search]:
    import faiss

    index = faiss.IndexFlat(points.shape[1], faiss.METRIC_L2)  # for p = 1: faiss.METRIC_L1
    index.add(points)
    yield lambda queries: index.search(queries, K)[1]


@contextmanager
def faiss_approximate(points: np.ndarray, _folder: Path) -> Iterator[Search]:
    import faiss

    index = faiss.IndexHNSWFlat(points.shape[1], 32, faiss.METRIC_L2)
    index.hnsw.efSearch = 64
    index.add(points)
    yield lambda queries: index.search(queries, K)[1]


def vectors(points: np.ndarray) -> pa.FixedSizeListArray:
    return pa.FixedSizeListArray.from_arrays(pa.array(points.ravel()), points.shape[1])


ENGINES = {
    "DuckDB, exact": duckdb_exact,
    "LanceDB, exact": lancedb_exact,
    "LanceDB, IVF_FLAT": lancedb_approximate,
    "FAISS, IndexFlat": faiss_exact,
    "FAISS, HNSW": faiss_approximate,
}


def peak_mb() -> float:
    """The largest resident size since this was last asked; NaN where there is no /proc."""
    try:
        status = Path("/proc/self/status").read_text()
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return float("nan")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure(name: str, file: Path, queries: np.ndarray, truth: np.ndarray) -> dict[str, object]:
    """Runs in a process of its own, so that the peak memory is that of this engine."""
    points = np.load(file)
    peak_mb()
    before = peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with ENGINES[name](points, Path(folder)) as search:
            built = time.perf_counter()
            found = search(queries)
            done = time.perf_counter()
    after = peak_mb()
    # By distance, not by number: of two states at the same place, either is right.
    distance = lambda rows: np.linalg.norm(points[rows] - queries[:, None], axis=2)  # noqa: E731
    farthest = distance(truth).max(axis=1, keepdims=True)
    return {
        "engine": name,
        "rows": len(points),
        "build_s": round(built - began, 2),
        "query_ms": round(1000 * (done - built) / len(queries), 3),
        "recall": round(float((distance(found) <= farthest * (1 + 1e-5)).mean()), 4),
        "memory_mb": after - before if np.isnan(after) else round(after - before),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES), metavar="ENGINE")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    episodes = walks(options.rows, seed=0)
    states = np.concatenate(episodes)
    distance = DistanceModel(p=2, q=1, passes=1, seed=0).fit(episodes)
    points = distance.embed(states)
    # Goals of other episodes: states of the data themselves would be found too easily.
    goals = np.stack([episode[len(episode) // 2] for episode in walks(250 * QUERIES, seed=1)])
    began = time.perf_counter()
    truth = np.array([distance.nearest(goal, states, k=K)[0] for goal in goals])
    ours_ms = 1000 * (time.perf_counter() - began) / len(truth)

    found = [{"engine": "isochrone, states", "rows": len(states), "build_s": 0.0, "query_ms": round(ours_ms, 3), "recall": 1.0}]
    queries = distance.embed(goals)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "points.npy"
        np.save(file, points)
        for name in options.engines:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(measure, (name, file, queries, truth)))
    for row in found:
        if row["engine"].endswith(("exact", "IndexFlat")) and row["recall"] < 1.0:
            raise SystemExit(f"{row['engine']} found other states than `nearest`: recall {row['recall']}")
        print(json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
