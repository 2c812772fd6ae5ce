"""Rows per second of batch scoring: `isochrone embed`, one process of Python, and Ray Data on the same files.

    pip install "ray[data]" "fsspec[http]" pyarrow ../../python
    python ../../examples/python/make_robot_log.py robot --episodes 3300 --failures 500
    isochrone fit robot -o robot.isochrone
    python ray_scoring.py robot robot.isochrone --isochrone isochrone

Every way reads the same Parquet files, embeds every state and writes the points as Parquet. Ways take turns; the table has medians.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isochrone import DistanceModel

BATCH = 10_000
COLUMNS = ["index", "observation.state"]


class Embedder:
    """Loaded once in every worker."""

    def __init__(self, model: str) -> None:
        self.distance = DistanceModel.load(model)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        states = np.stack(batch["observation.state"]).astype(np.float32)
        return {"index": batch["index"], "point": self.distance.embed(states)}


def by_command(options: argparse.Namespace, out: Path) -> None:
    command = [options.isochrone, "embed", options.model, options.logs, "-o", out / "points.parquet"]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def by_python(options: argparse.Namespace, out: Path) -> None:
    embed = Embedder(options.model)
    for number, file in enumerate(options.files):
        table = pq.read_table(file, columns=COLUMNS)
        states = table["observation.state"].combine_chunks()
        states = states.flatten().to_numpy().reshape(len(table), -1)
        found = embed({"index": table["index"].to_numpy(), "observation.state": states})
        points = pa.FixedSizeListArray.from_arrays(pa.array(found["point"].ravel()), found["point"].shape[1])
        pq.write_table(pa.table({"index": found["index"], "point": points}), out / f"{number}.parquet")


def by_ray(options: argparse.Namespace, out: Path) -> None:
    import ray

    rows = ray.data.read_parquet([str(file) for file in options.files], columns=COLUMNS)
    points = rows.map_batches(
        Embedder, fn_constructor_args=(str(options.model),), batch_size=BATCH, compute=ray.data.ActorPoolStrategy(size=options.workers)
    )
    points.write_parquet(str(out))


WAYS = {"isochrone embed": by_command, "Python, one process": by_python, "Ray Data, map_batches": by_ray}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--isochrone", default="isochrone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.model = options.model.resolve()
    options.files = sorted(options.logs.resolve().glob("data/*/*.parquet"))
    rows = sum(pq.read_metadata(file).num_rows for file in options.files)

    import ray

    began = time.perf_counter()
    # Readers need a slot beside the actors.
    ray.init(num_cpus=options.workers + 1, include_dashboard=False, log_to_driver=False)
    start_s = time.perf_counter() - began
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(options.rounds):
        for way, run in WAYS.items():
            out = Path(tempfile.mkdtemp())
            began = time.perf_counter()
            run(options, out)
            seconds[way].append(time.perf_counter() - began)
            shutil.rmtree(out)
    for way, taken in seconds.items():
        median = statistics.median(taken)
        print(json.dumps({"way": way, "rows": rows, "seconds": round(median, 2), "rows_per_s": round(rows / median), "least_s": round(min(taken), 2), "most_s": round(max(taken), 2)}))
    print(json.dumps({"way": "Ray, starting it", "seconds": round(start_s, 2), "workers": options.workers}))


if __name__ == "__main__":
    main()
