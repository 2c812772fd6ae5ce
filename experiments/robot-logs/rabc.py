"""Reads a file of `isochrone progress` with LeRobot's own sample weighting: does it find every frame, and weigh spoilt
episodes less than good ones?

    python -m venv venv-lerobot && venv-lerobot/bin/pip install lerobot==0.6.1 pandas pyarrow    # Python 3.12 or later
    venv-lerobot/bin/python rabc.py --progress work/push-0/to.parquet --logs logs/test/push-0.parquet
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow.parquet as pq
from lerobot.rewards.sarm.rabc import RABCWeights

CHUNK = 20
"""Frames that a policy predicts at once; a quarter of these episodes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--progress", required=True)
    parser.add_argument("--logs", required=True, help="the file of collect.py that the progress is of")
    options = parser.parse_args()
    weights = RABCWeights(options.progress, chunk_size=CHUNK)
    logs = pq.read_table(options.logs)
    index, spoilt = np.array(logs["index"]), np.array(logs["kind"].to_pylist()) != "good"
    deltas = np.array([weights._compute_delta(int(at)) for at in index], dtype=np.float32)
    raw = weights._compute_weights(deltas)
    print(weights.get_stats())
    print(f"{len(index)} frames, {np.isfinite(deltas).sum()} found, {np.isnan(deltas).sum()} with the fallback weight")
    print(f"mean raw weight: good episodes {raw[~spoilt].mean():.3f}, spoilt ones {raw[spoilt].mean():.3f}")
    _, stats = weights.compute_batch_weights({"index": index[:: max(1, len(index) // 256)]})
    print(f"a batch: {stats}")
    assert np.isfinite(deltas).all() and raw[spoilt].mean() < raw[~spoilt].mean()


if __name__ == "__main__":
    main()
