"""Features of one's own as states: a column of 384 numbers per frame.

    pip install "../../python" pyarrow
    isochrone collect maze-ant --starts anywhere --steps 100 --episodes 200 --image 32 -o ant.parquet
    python features.py ant.parquet features.parquet
    isochrone fit features.parquet --state features -o features.isochrone

Here the features are a fixed, seeded projection of the rendered frames. It stands for the vision model that you have: whatever writes a
list of numbers for each frame will do. Without arguments it makes a few images itself, and fits and asks a distance.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isochrone import DistanceModel

FEATURES, SEED = 384, 0


def project(images: np.ndarray) -> np.ndarray:
    """The features of images, one row each."""
    pixels = images.reshape(len(images), -1).astype(np.float32) / 255
    projection = np.random.default_rng(SEED).normal(size=(pixels.shape[1], FEATURES)) / np.sqrt(pixels.shape[1])
    return (pixels @ projection).astype(np.float32)


def write(images: np.ndarray, episodes: np.ndarray, file: Path) -> None:
    column = pa.FixedSizeListArray.from_arrays(pa.array(project(images).ravel()), FEATURES)
    pq.write_table(pa.table({"episode_index": episodes, "features": column}), file)


def convert(source: Path, target: Path) -> None:
    """The frames of `isochrone collect --image` as features."""
    table = pq.read_table(source, columns=["episode_index", "observation.image"])
    images = [np.frombuffer(image.as_py(), dtype=np.uint8) for image in table["observation.image"]]
    write(np.stack(images), table["episode_index"].to_numpy(), target)


def walking_dots(episodes: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A bright dot that crosses an image of 16 × 16 pixels, again and again."""
    rng = np.random.default_rng(1)
    starts, speeds = rng.uniform(2, 13, (episodes, 1, 2)), rng.normal(0, 0.1, (episodes, 1, 2))
    places = np.clip(starts + speeds * np.arange(steps)[:, None], 0, 15).reshape(-1, 2)
    rows, columns = np.arange(16)[None, :, None], np.arange(16)[None, None, :]
    squares = (rows - places[:, :1, None]) ** 2 + (columns - places[:, 1:, None]) ** 2
    images = (255 * np.exp(-squares / 8)).astype(np.uint8)
    return images, np.repeat(np.arange(episodes), steps)


def main() -> None:
    if len(sys.argv) == 3:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    images, episodes = walking_dots(episodes=200, steps=50)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "features.parquet"
        write(images, episodes, file)
        model = DistanceModel(target="window", passes=20).fit(file, state="features")
        score = model.score(file, state="features")
        exported = Path(folder) / "features.onnx"
        model.export_onnx(exported)
        print(f"rank correlation with held-out steps {score.spearman:.2f}; ONNX of {exported.stat().st_size // 1000} kB")
        assert score.spearman is not None and score.spearman > 0.5


if __name__ == "__main__":
    main()
