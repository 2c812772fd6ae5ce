"""Distances between images."""

from __future__ import annotations

import numpy as np
import pytest

from isochrone import DistanceModel


def dot(at: float) -> np.ndarray:
    """A bright column of pixels in a dark image."""
    columns = np.arange(8)
    bright = 255 * np.exp(-((columns - at) ** 2))
    return np.tile(bright[None, :, None], (6, 1, 2)).astype(np.uint8)


def test_a_dot_that_walks_is_as_far_as_it_walked() -> None:
    rng = np.random.default_rng(0)
    episodes = []
    for _ in range(30):
        start, step = rng.uniform(0, 7), rng.choice([-0.1, 0.1])
        episodes.append(np.stack([dot(np.clip(start + step * t, 0, 7)) for t in range(40)]))
    model = DistanceModel(
        target="window", window_steps=40, clip_frames=8, channels=[4, 4], strides=[1, 2], hidden=[16], batch=32, passes=20
    ).fit(episodes)
    spec = model.about["spec"]
    assert spec["encoder"]["architecture"]["cnn"]["shape"] == [6, 8, 2]
    assert spec["objective"]["clips"]["frames"] == 8
    near, far = model(dot(1.0), dot(2.0)), model(dot(1.0), dot(5.0))
    assert isinstance(near, float) and near < far
    images = np.stack([dot(1.0), dot(2.0)])
    assert model(images, images[:1]).shape == (2,) and model.embed(images).shape == (2, 20)
    assert np.array_equal(model.embed(images), model.embed(images.reshape(2, -1)))
    # One array of all images with the episode of each learns the same.
    ids = np.repeat(np.arange(30), 40)
    again = DistanceModel(
        target="window", window_steps=40, clip_frames=8, channels=[4, 4], strides=[1, 2], hidden=[16], batch=32, passes=20
    ).fit(np.concatenate(episodes), ids)
    assert again(images[0], images[1]) == model(images[0], images[1])


def test_images_are_bytes() -> None:
    with pytest.raises(ValueError, match="episode 1 has no states"):
        DistanceModel().fit([np.zeros((5, 4, 4, 3), np.uint8), np.zeros((0, 4, 4, 3), np.uint8)])
    with pytest.raises(TypeError, match="images are arrays of uint8, 0 to 255, not of float64"):
        DistanceModel().fit([np.zeros((5, 4, 4, 3))])
