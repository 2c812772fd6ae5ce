"""Long work: progress, Ctrl-C, threads; and packages that are not there."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import isochrone
from isochrone import DistanceModel, _isochrone


@pytest.fixture
def listens_to_ctrl_c():
    """A process started in the background ignores SIGINT, and so would the test."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_fit_at_once(listens_to_ctrl_c) -> None:
    walks = [np.cumsum(np.random.default_rng(0).normal(size=(2_000, 2)), axis=0) for _ in range(20)]
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        DistanceModel(passes=100_000).fit(walks)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "call", ["model.assess(walks)", "model.score(walks)", "model.suggest_epsilon(goals, walks)"]
)
def test_ctrl_c_interrupts_an_assessment(call) -> None:
    # Minutes of work if nobody interrupts it.
    code = f"""
        import signal
        import numpy as np
        from isochrone import DistanceModel
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        walks = [np.cumsum(rng.normal(size=(10_000, 2)), axis=0) for _ in range(300)]
        goals = np.concatenate(walks[:2])
        model = DistanceModel(passes=1, held_out=0.0, hidden=[1024]).fit([rng.normal(size=(50, 2)) for _ in range(4)])
        print("begins", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    run = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            time.sleep(2.0)
            assert child.poll() is None
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "interrupted\n"
            assert time.monotonic() - began < 5
        finally:
            child.kill()


def test_other_threads_run_meanwhile() -> None:
    walks = [np.cumsum(np.random.default_rng(0).normal(size=(2_000, 2)), axis=0) for _ in range(5)]
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    before = counted[0]
    DistanceModel(passes=20, seed=0).fit(walks)
    stop.set()
    other.join()
    assert counted[0] - before > 20


class Listener:
    def __init__(self) -> None:
        self.told = []

    def begins(self, what, units):
        self.told.append((what, units))

    def skips(self, units):
        pass

    def advances(self, units, told):
        self.told.append(units)

    def notes(self, text):
        pass

    def warns(self, text):
        pass

    def close(self):
        pass


def test_progress_adds_up(walks) -> None:
    states = np.concatenate(walks).astype(np.float32)
    data = _isochrone.Data.arrays(states, [len(walk) for walk in walks])
    listener = Listener()
    _isochrone.Distance.fit(data, {"passes": 3, "held_out": 0.0}, listener)
    (first, _), (second, units), *done = listener.told
    assert (first, second) == ("looking through the data", "learning")
    assert sum(done) == units == 3 * len(states)


def test_an_error_in_a_callback_is_told(walks) -> None:
    class Broken(Listener):
        def advances(self, units, told):
            raise RuntimeError("no more")

    data = _isochrone.Data.arrays(np.concatenate(walks).astype(np.float32), [len(walk) for walk in walks])
    with pytest.raises(RuntimeError, match="no more"):
        _isochrone.Distance.fit(data, {}, Broken())


def test_work_is_logged(walks, caplog) -> None:
    with caplog.at_level(logging.INFO, logger="isochrone"):
        DistanceModel(passes=1).fit(walks)
    assert any("learned from" in record.message for record in caplog.records)


def test_numpy_is_all_it_needs() -> None:
    code = """
        import sys
        class Refuse:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in {"gymnasium", "matplotlib", "tqdm", "minari", "h5py", "scipy"}:
                    raise ImportError(f"no {name}")
        sys.meta_path.insert(0, Refuse())
        import numpy as np, isochrone
        model = isochrone.DistanceModel(passes=1).fit([np.arange(20.0)[:, None]] * 3)
        for ask, package in [
            (lambda: isochrone.GoalWrapper, "gymnasium"),
            (lambda: model.fit([np.arange(20.0)[:, None]], progress_bar=True), "tqdm"),
            (lambda: isochrone.data.from_minari("a"), "minari"),
            (lambda: isochrone.data.from_d4rl("a"), "h5py"),
        ]:
            try:
                ask()
            except ImportError as error:
                assert package in str(error) and "pip install" in str(error), error
            else:
                raise AssertionError(package)
        print("fine")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_the_command_is_the_command(tmp_path) -> None:
    run = [sys.executable, "-m", "isochrone"]
    done = subprocess.run([*run, "-V"], capture_output=True, text=True)
    assert done.stdout.strip() == f"isochrone {isochrone.__version__}" and done.returncode == 0
    done = subprocess.run([*run, "--version"], capture_output=True, text=True)
    assert "\nrevision " in done.stdout and "\nMuJoCo 3." in done.stdout
    done = subprocess.run([*run, "info", str(tmp_path / "none")], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("isochrone: ")
    done = subprocess.run([*run, "fitt"], capture_output=True, text=True)
    assert done.returncode == 2


def test_messages_of_mujoco_stay_with_its_own_package(tmp_path) -> None:
    pytest.importorskip("mujoco")
    code = """
        import mujoco, isochrone.envs
        isochrone.envs.NativeEnv("point-mass-room").reset(seed=0)
        ball = "<worldbody><body><freejoint/><geom size='0.1'/></body></worldbody>"
        model = mujoco.MjModel.from_xml_string(f"<mujoco>{ball}</mujoco>")
        data = mujoco.MjData(model)
        data.qvel[:] = 1e20
        mujoco.mj_step(model, data)
    """
    # Elsewhere: the engine leaves a log where it stands.
    known = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(isochrone.__file__))}
    run = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, env=known)
    assert done.returncode == 0, done.stderr
    assert "huge value in QVEL" in done.stdout + done.stderr


def test_threads_are_some(tmp_path) -> None:
    with pytest.raises(ValueError, match="threads is 0"):
        isochrone.train("point-2d", tmp_path / "run", threads=0)
