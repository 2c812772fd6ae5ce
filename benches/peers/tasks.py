"""One measurement per process: `python tasks.py TASK WANTED_STATES` prints one JSON object.

`peers.py` starts each task in a child of its own, so that the peak memory it
reports belongs to that task alone.
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any, NamedTuple, TypeVar

# Set before numpy loads its BLAS: the comparison is one thread against one thread.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

PITCH = 20  # a room is 19 cells wide, plus one cell of wall
DOOR = 9  # the middle cell of a room's side
CELLS_PER_ROOM = 363  # 19 * 19 floor cells, plus about two doors
KNOWN_SIZES = {10_000: 10_879, 100_000: 98_703, 1_000_000: 1_000_323}

EIGENPAIRS = 32
# The null vector is found along with the others, so one more is asked for.
WANTED_PAIRS = EIGENPAIRS + 1
LANCZOS_VECTORS = 2 * WANTED_PAIRS + 1  # what scipy would choose itself
EIGEN_TOLERANCE = 1e-10
CHECKED_STATES = 64
SEED = 64
# A copy of a repeated eigenvalue closer than this to the last one is not missed
# by anyone who keeps the 1e-8 tolerance of the comparison.
INERTIA_MARGIN = 1e-8
QUERY_REPEATS = 5
WARM_UP_STATES = 363

Result = dict[str, Any]
T = TypeVar("T")


class Rooms(NamedTuple):
    """The walk on a grid of rooms: its Laplacian and its edges, each edge once."""

    states: int
    laplacian: sp.csc_matrix
    tails: np.ndarray
    heads: np.ndarray

    @property
    def goal(self) -> int:
        return self.states // 2

    @property
    def conductance(self) -> float:
        """W_ij of any two neighbours: stationary mass 1/n times probability 1/4."""
        return 0.25 / self.states


def round_half_up(x: float) -> int:
    return math.floor(x + 0.5)


def floor_plan(wanted: int) -> np.ndarray:
    """True where a cell is floor."""
    across = max(1, round_half_up(math.sqrt(wanted / CELLS_PER_ROOM)))
    down = max(1, round_half_up(wanted / CELLS_PER_ROOM / across))
    row = np.arange(PITCH * down - 1)[:, None] % PITCH
    column = np.arange(PITCH * across - 1)[None, :] % PITCH
    wall_row, wall_column = row == PITCH - 1, column == PITCH - 1
    door = (wall_row & (column == DOOR)) | (wall_column & (row == DOOR))
    return ~(wall_row | wall_column) | door


def build_rooms(wanted: int) -> Rooms:
    floor = floor_plan(wanted)
    number = np.cumsum(floor).reshape(floor.shape) - 1
    beside = floor[:, :-1] & floor[:, 1:]
    below = floor[:-1] & floor[1:]
    tails = np.concatenate([number[:, :-1][beside], number[:-1][below]])
    heads = np.concatenate([number[:, 1:][beside], number[1:][below]])
    states = int(floor.sum())
    assert KNOWN_SIZES.get(wanted, states) == states, f"{wanted}: {states} states"
    return Rooms(states, laplacian_of(states, tails, heads), tails, heads)


def laplacian_of(states: int, tails: np.ndarray, heads: np.ndarray) -> sp.csc_matrix:
    entries = np.full(2 * len(tails), 0.25 / states)
    ends = (np.concatenate([tails, heads]), np.concatenate([heads, tails]))
    weights = sp.coo_matrix((entries, ends), shape=(states, states)).tocsc()
    return sp.csc_matrix(sp.diags(np.asarray(weights.sum(axis=0)).ravel()) - weights)


def grounded(rooms: Rooms) -> sp.csc_matrix:
    """The Laplacian without state 0: symmetric positive definite."""
    return rooms.laplacian[1:, 1:].tocsc()


def goal_side(rooms: Rooms) -> np.ndarray:
    """The right-hand side of "goal to all": a unit at the goal, drained evenly."""
    side = np.full(rooms.states, -1.0 / rooms.states)
    side[rooms.goal] += 1.0
    return side[1:]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


# ---------------------------------------------------------------- factorisations


def splu_mmd(matrix: sp.csc_matrix) -> Any:
    return sla.splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def splu_colamd(matrix: sp.csc_matrix) -> Any:
    return sla.splu(matrix, permc_spec="COLAMD")


def factor_and_query(
    rooms: Rooms,
    factor: Callable[[sp.csc_matrix], Any],
    solve: Callable[[Any, np.ndarray], np.ndarray],
) -> Result:
    matrix, side = grounded(rooms), goal_side(rooms)
    factored, factor_s = timed(lambda: factor(matrix))
    queries = [timed(lambda: solve(factored, side))[1] for _ in range(QUERY_REPEATS)]
    return {
        "cpu_s": factor_s + queries[0],
        "factor_s": factor_s,
        "query_s": statistics.median(queries),
    }


def scipy_factor(factor: Callable[[sp.csc_matrix], Any]) -> Callable[[Rooms], Result]:
    return lambda rooms: factor_and_query(rooms, factor, lambda lu, b: lu.solve(b))


def cholmod_factor(ordering: str) -> Callable[[Rooms], Result]:
    def task(rooms: Rooms) -> Result:
        from sksparse.cholmod import cholesky

        return factor_and_query(
            rooms,
            lambda matrix: cholesky(matrix, mode="auto", ordering_method=ordering),
            lambda cholesky_factor, side: cholesky_factor(side),
        )

    return task


# ---------------------------------------------------------------------- spectrum


class Spectrum(NamedTuple):
    values: np.ndarray  # ascending, the null one left out
    vectors: np.ndarray
    factor_s: float
    lanczos_s: float
    solves: int


def spectrum(rooms: Rooms, factor: Callable[[sp.csc_matrix], Any]) -> Spectrum:
    """eigsh in shift-invert mode, with the factor made here rather than inside it.

    The shift -1/n^2 is of the size of the smallest non-zero eigenvalue: a
    hundred times larger takes twice the solves, smaller gains nothing.
    """
    shift = -1.0 / rooms.states**2
    shifted = (rooms.laplacian - shift * sp.identity(rooms.states)).tocsc()
    factored, factor_s = timed(lambda: factor(shifted))
    solves = 0

    def solve(side: np.ndarray) -> np.ndarray:
        nonlocal solves
        solves += 1
        return factored.solve(side)

    (values, vectors), lanczos_s = timed(
        lambda: sla.eigsh(
            rooms.laplacian,
            k=WANTED_PAIRS,
            sigma=shift,
            OPinv=sla.LinearOperator(shifted.shape, matvec=solve, dtype=float),
            ncv=LANCZOS_VECTORS,
            tol=EIGEN_TOLERANCE,
            v0=np.random.default_rng(SEED).standard_normal(rooms.states),
        )
    )
    order = np.argsort(values)[1:]
    return Spectrum(values[order], vectors[:, order], factor_s, lanczos_s, solves)


def scipy_spectral(factor: Callable[[sp.csc_matrix], Any]) -> Callable[[Rooms], Result]:
    def task(rooms: Rooms) -> Result:
        found = spectrum(rooms, factor)
        return {
            "cpu_s": found.factor_s + found.lanczos_s,
            "factor_s": found.factor_s,
            "no_factor_s": found.lanczos_s,
            "solves": found.solves,
        }

    return task


# -------------------------------------------------------------- reference values


def energy(rooms: Rooms, x: np.ndarray) -> float:
    """x'Lx summed over edges: no cancellation, unlike x @ (L @ x)."""
    difference = x[rooms.tails] - x[rooms.heads]
    return rooms.conductance * float(difference @ difference)


def commute_times(rooms: Rooms, chosen: np.ndarray) -> tuple[list[float], list[float]]:
    """Commute times goal-chosen: as the solve gives them, and to second order.

    2b'x - x'Lx differs from b'L^+b by the square of the error of x only, so the
    second list is a yardstick finer than the solver it comes from.
    """
    factored = splu_mmd(grounded(rooms))
    plain, refined = [], []
    for state in chosen:
        side = np.zeros(rooms.states)
        side[rooms.goal], side[state] = 1.0, -1.0
        x = np.zeros(rooms.states)
        x[1:] = factored.solve(side[1:])
        time_between = float(x[rooms.goal] - x[state])
        plain.append(time_between)
        refined.append(2.0 * time_between - energy(rooms, x))
    return plain, refined


def rayleigh_quotient(rooms: Rooms, vector: np.ndarray) -> float:
    centred = vector - vector.mean()
    return energy(rooms, centred) / float(centred @ centred)


def eigenvalues_below(rooms: Rooms, bound: float) -> int | None:
    """How many eigenvalues lie below `bound`, by Sylvester's law of inertia.

    None if scipy pivoted off the diagonal, for then the signs say nothing.
    """
    shifted = (rooms.laplacian - bound * sp.identity(rooms.states)).tocsc()
    factored = splu_mmd(shifted)
    if not np.array_equal(factored.perm_r, factored.perm_c):
        return None
    return int((factored.U.diagonal() < 0).sum())


def is_complete(rooms: Rooms, values: np.ndarray) -> bool | None:
    """Whether no eigenvalue below the last one was overlooked (None: unknown)."""
    bound = values[-1] * (1.0 - INERTIA_MARGIN)
    below = eigenvalues_below(rooms, bound)
    if below is None:
        return None
    return below == 1 + int((values < bound).sum())


def worst_relative(found: list[float], truth: list[float]) -> float:
    return max(abs(a / b - 1.0) for a, b in zip(found, truth, strict=True))


def chosen_states(rooms: Rooms) -> np.ndarray:
    generator = np.random.default_rng(SEED)
    others = np.delete(np.arange(rooms.states), rooms.goal)
    return np.sort(generator.choice(others, CHECKED_STATES, replace=False))


def reference(rooms: Rooms) -> Result:
    chosen = chosen_states(rooms)
    plain, refined = commute_times(rooms, chosen)
    found = spectrum(rooms, splu_mmd)
    quotients = sorted(rayleigh_quotient(rooms, v) for v in found.vectors.T)
    return {
        "goal": rooms.goal,
        "chosen": chosen.tolist(),
        "commute": refined,
        "eigenvalues": quotients,
        "commute_error_of_scipy": worst_relative(plain, refined),
        "eigenvalue_error_of_scipy": worst_relative(found.values.tolist(), quotients),
        "spectrum_complete": is_complete(rooms, found.values),
    }


# ------------------------------------------------------------- graph libraries


def networkx_resistance(rooms: Rooms) -> Result:
    import networkx as nx

    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (int(a), int(b), rooms.conductance) for a, b in zip(rooms.tails, rooms.heads, strict=True)
    )
    other = rooms.states - 1
    value, cpu_s = timed(
        lambda: nx.resistance_distance(
            graph, rooms.goal, other, weight="weight", invert_weight=False
        )
    )
    truth = commute_times(rooms, np.array([other]))[1][0]
    return {"cpu_s": cpu_s, "error": abs(float(value) / truth - 1.0)}


def adjacency(rooms: Rooms) -> sp.csr_matrix:
    off_diagonal = sp.diags(rooms.laplacian.diagonal()) - rooms.laplacian
    weights = sp.csr_matrix(off_diagonal)
    weights.eliminate_zeros()
    return weights


def sklearn_embedding(rooms: Rooms) -> Result:
    from sklearn.manifold import SpectralEmbedding

    weights = adjacency(rooms)
    embedding = SpectralEmbedding(
        EIGENPAIRS, affinity="precomputed", eigen_solver="arpack", random_state=SEED
    )
    return {"cpu_s": timed(lambda: embedding.fit_transform(weights))[1]}


def sknetwork_embedding(rooms: Rooms) -> Result:
    from sknetwork.embedding import Spectral

    weights = adjacency(rooms)
    return {"cpu_s": timed(lambda: Spectral(EIGENPAIRS).fit_transform(weights))[1]}


# -------------------------------------------------------------------- the child


TASKS: dict[str, Callable[[Rooms], Result]] = {
    "splu-mmd": scipy_factor(splu_mmd),
    "splu-colamd": scipy_factor(splu_colamd),
    "cholmod-default": cholmod_factor("default"),
    "cholmod-amd": cholmod_factor("amd"),
    "eigsh-mmd": scipy_spectral(splu_mmd),
    "eigsh-colamd": scipy_spectral(splu_colamd),
    "reference": reference,
    "networkx-resistance": networkx_resistance,
    "sklearn-spectral": sklearn_embedding,
    "sknetwork-spectral": sknetwork_embedding,
}

PACKAGES = (
    "numpy",
    "scipy",
    "networkx",
    "scikit-learn",
    "scikit-network",
    "scikit-sparse",
)


def version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def blas_of_cholmod() -> str | None:
    """The library behind CHOLMOD's dense blocks; None without scikit-sparse."""
    try:
        import sksparse.cholmod  # noqa: F401  (its loading maps the library)
    except ImportError:
        return None
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "libblas.so" in line}
    return ", ".join(sorted(os.path.realpath(path) for path in paths)) or "unknown"


def describe_machine() -> Result:
    return {
        "python": sys.version.split()[0],
        "packages": {package: version_of(package) for package in PACKAGES},
        "cholmod_blas": blas_of_cholmod(),
        "lanczos_vectors": LANCZOS_VECTORS,
        "eigen_tolerance": EIGEN_TOLERANCE,
    }


def measure(task: str, wanted: int) -> Result:
    # The first call into a library pays for loading it; that is not the work.
    TASKS[task](build_rooms(WARM_UP_STATES))
    rooms = build_rooms(wanted)
    result = TASKS[task](rooms)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"states": rooms.states, "peak_mb": peak_kib * 1024 / 1e6, **result}


def main() -> None:
    if sys.argv[1] == "describe":
        result = describe_machine()
    else:
        result = measure(sys.argv[1], int(sys.argv[2]))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
