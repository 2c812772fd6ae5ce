"""Data of others."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from isochrone import DistanceModel
from isochrone.data import from_d4rl, from_minari


def test_d4rl_ends_where_it_says() -> None:
    states = np.arange(12.0).reshape(6, 2)
    data = {
        "observations": states,
        "terminals": np.array([0, 1, 0, 0, 0, 0], dtype=bool),
        "timeouts": np.array([0, 0, 0, 1, 0, 0], dtype=bool),
    }
    episodes = from_d4rl(data)
    assert [len(episode) for episode in episodes] == [2, 2, 2]
    np.testing.assert_array_equal(np.concatenate(episodes), states)
    with pytest.raises(ValueError, match="no 'qpos'"):
        from_d4rl(data, key="qpos")


def test_d4rl_files(tmp_path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        file["observations"] = np.zeros((4, 3))
        file["infos/qpos"] = np.ones((4, 2))
        file["terminals"] = np.array([0, 0, 1, 0], dtype=bool)
    assert [episode.shape for episode in from_d4rl(tmp_path / "a.hdf5", "infos/qpos")] == [(3, 2), (1, 2)]
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert [len(episode) for episode in from_d4rl(file)] == [3, 1]
    np.savez(tmp_path / "a.npz", observations=np.zeros((4, 3)), terminals=[0, 1, 0, 0])
    assert [len(episode) for episode in from_d4rl(np.load(tmp_path / "a.npz"))] == [2, 2]


class Episodes:
    def __init__(self, observations) -> None:
        self.observations = observations

    def iterate_episodes(self):
        yield SimpleNamespace(observations=self.observations)


def test_minari_dictionaries_need_a_key() -> None:
    places = np.zeros((5, 2))
    assert from_minari(Episodes(places))[0].shape == (5, 2)
    goal = Episodes({"achieved_goal": places, "observation": np.zeros((5, 4))})
    assert from_minari(goal, key="achieved_goal")[0].shape == (5, 2)
    with pytest.raises(ValueError, match="say which with key="):
        from_minari(goal)
    with pytest.raises(ValueError, match="no entry 'place'"):
        from_minari(goal, key="place")


def test_a_folder_of_parquet_is_read_by_name(tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(400, 2)), axis=0).astype(np.float32)
    table = pyarrow.table(
        {"where": list(walk), "run": np.repeat(np.arange(8), 50), "frame_index": np.tile(np.arange(50), 8)}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    model = DistanceModel(passes=1, seed=0).fit(str(tmp_path / "*.parquet"), state="where", episode="run")
    assert model.about["states"] == {"state": ["where"], "episode": "run"}
    assert model.about["training"]["episodes"] + model.about["training"]["held_out_episodes"] == 8
    assert model.assess(str(tmp_path / "*.parquet"))["which"] == "held_out"
