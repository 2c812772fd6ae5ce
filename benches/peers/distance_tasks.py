"""One peer in one process: `python distance_tasks.py TASK`.

Reads lines of JSON, `{"batch": B, "steps": S}`, and answers each with one:
steps taken, wall seconds, CPU seconds of the process and the losses at both ends.
The first line for a batch size also warms up, outside the clock.
`python distance_tasks.py describe` prints versions.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

# Set before the libraries load: one thread.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np

# Our predictor: see crates/isochrone-experiments/src/bench/distance.rs.
INPUTS, HIDDEN, DIMS = 41, 64, 20
WINDOW_STEPS = 500
RATE, BETAS, EPSILON = 1e-5, (0.9, 0.999), 1e-8

SCAN_STEPS = 100
# Batches made before the clock starts; a run goes round them. At least as many as ours in bytes, so
# that no peer has its data in the cache where ours has not.
PAIRS = 65_536
WARM_UP_STEPS = 20

Result = dict[str, Any]
Run = Callable[[int], tuple[float, float]]  # steps -> the first and the last loss


def batches_of(batch: int) -> tuple[np.ndarray, np.ndarray]:
    """States (all earlier, then all later ones) and lags of each batch."""
    rng = np.random.default_rng(0)
    count = max(1, PAIRS // batch)
    states = rng.uniform(-0.5, 0.5, (count, 2 * batch, INPUTS)).astype(np.float32)
    return states, rng.integers(1, WINDOW_STEPS, (count, batch)).astype(np.float32)


def weights() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    made = []
    for rows, columns in ((INPUTS, HIDDEN), (HIDDEN, DIMS)):
        bound = rows**-0.5
        made += [rng.uniform(-bound, bound, shape) for shape in ((rows, columns), (columns,))]
    return [array.astype(np.float32) for array in made]


# ---------------------------------------------------------------------- PyTorch


def torch_model() -> Any:
    import torch

    model = torch.nn.Sequential(
        torch.nn.Linear(INPUTS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, DIMS)
    )
    w1, b1, w2, b2 = (torch.from_numpy(array) for array in weights())
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), (w1.T, b1, w2.T, b2), strict=True):
            parameter.copy_(value)
    return model


def torch_run(batch: int, fused: bool, compiled: bool) -> Run:
    import torch

    torch.set_num_threads(1)
    model = torch_model()
    adam = torch.optim.Adam(
        model.parameters(), lr=RATE, betas=BETAS, eps=EPSILON, fused=True if fused else None
    )
    states, lags = (list(torch.from_numpy(array)) for array in batches_of(batch))

    def loss_of(rows: torch.Tensor, lags: torch.Tensor) -> torch.Tensor:
        points = model(rows)
        distances = (points[batch:] - points[:batch]).abs().sum(1)
        return (distances - lags).square().mean()

    if compiled:
        loss_of = torch.compile(loss_of)

    def run(steps: int) -> tuple[float, float]:
        losses = []
        for step in range(steps):
            at = step % len(states)
            adam.zero_grad()
            loss = loss_of(states[at], lags[at])
            loss.backward()
            adam.step()
            losses.append(loss.item())
        return losses[0], losses[-1]

    return run


# -------------------------------------------------------------------------- JAX


def jax_step(batch: int) -> tuple[Any, Callable[..., Any]]:
    """Parameters with their moments, and a step as a function of them."""
    import jax
    import jax.numpy as jnp

    parameters = [jnp.asarray(array) for array in weights()]
    zeros = [jnp.zeros_like(p) for p in parameters]
    state = (parameters, zeros, [jnp.zeros_like(p) for p in parameters], jnp.float32(0))
    beta_1, beta_2 = BETAS

    def loss_of(parameters: Any, rows: Any, lags: Any) -> Any:
        w1, b1, w2, b2 = parameters
        points = jax.nn.relu(rows @ w1 + b1) @ w2 + b2
        distances = jnp.abs(points[batch:] - points[:batch]).sum(1)
        return jnp.square(distances - lags).mean()

    def step(state: Any, rows: Any, lags: Any) -> tuple[Any, Any]:
        parameters, first, second, time = state
        loss, slopes = jax.value_and_grad(loss_of)(parameters, rows, lags)
        time = time + 1
        first = [beta_1 * m + (1 - beta_1) * g for m, g in zip(first, slopes)]
        second = [beta_2 * v + (1 - beta_2) * g * g for v, g in zip(second, slopes)]
        start_1, start_2 = 1 - beta_1**time, 1 - beta_2**time
        parameters = [
            p - RATE * (m / start_1) / (jnp.sqrt(v / start_2) + EPSILON)
            for p, m, v in zip(parameters, first, second)
        ]
        return (parameters, first, second, time), loss

    return state, step


def jax_jit(batch: int) -> Run:
    import jax
    import jax.numpy as jnp

    state, step = jax_step(batch)
    step = jax.jit(step, donate_argnums=0)
    states, lags = ([jnp.asarray(part) for part in array] for array in batches_of(batch))

    def run(steps: int) -> tuple[float, float]:
        nonlocal state
        losses = []
        for number in range(steps):
            at = number % len(states)
            state, loss = step(state, states[at], lags[at])
            losses.append(float(loss))
        return losses[0], losses[-1]

    return run


def jax_scan(batch: int) -> Run:
    import jax
    import jax.numpy as jnp

    state, step = jax_step(batch)
    states, lags = (jnp.asarray(array) for array in batches_of(batch))

    @jax.jit
    def hundred(state: Any, start: Any, states: Any, lags: Any) -> tuple[Any, Any]:
        def one(state: Any, number: Any) -> tuple[Any, Any]:
            at = (start + number) % states.shape[0]
            return step(state, states[at], lags[at])

        return jax.lax.scan(one, state, jnp.arange(SCAN_STEPS))

    def run(steps: int) -> tuple[float, float]:
        nonlocal state
        losses: list[float] = []
        for start in range(0, steps, SCAN_STEPS):
            state, some = hundred(state, start, states, lags)
            losses += np.asarray(some).tolist()
        return losses[0], losses[-1]

    return run


TASKS: dict[str, Callable[[int], Run]] = {
    "torch-eager": lambda batch: torch_run(batch, fused=False, compiled=False),
    "torch-fused": lambda batch: torch_run(batch, fused=True, compiled=False),
    "torch-compile": lambda batch: torch_run(batch, fused=True, compiled=True),
    "jax-jit": jax_jit,
    "jax-scan": jax_scan,
}

# ------------------------------------------------------------------------- main


def measure(task: str, run: Run, steps: int) -> Result:
    if task == "jax-scan":
        steps = -(-steps // SCAN_STEPS) * SCAN_STEPS
    wall, cpu = time.perf_counter(), time.process_time()
    first, last = run(steps)
    return {
        "steps": steps,
        "wall_s": time.perf_counter() - wall,
        "cpu_s": time.process_time() - cpu,
        "first_loss": first,
        "last_loss": last,
    }


def main() -> None:
    (task,) = sys.argv[1:]
    if task == "describe":
        names = ("torch", "jax", "jaxlib", "numpy")
        print(json.dumps({"packages": {name: metadata.version(name) for name in names}}))
        return
    runs: dict[int, Run] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        batch = asked["batch"]
        if batch not in runs:
            runs[batch] = TASKS[task](batch)
            runs[batch](WARM_UP_STEPS)
        print(json.dumps(measure(task, runs[batch], asked["steps"])), flush=True)


if __name__ == "__main__":
    main()
