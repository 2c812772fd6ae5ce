"""Distances in steps, learned from trajectories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from . import _isochrone
from ._numbers import count, with_counts
from ._progress import DataWarning, logger, progress, warn_of_data
from ._trajectories import GOALS_ARE, as_floats, as_goals, as_rows, data_of, image_shape
from .reward import Kind, Reward
from .settings import Head, Scaling, table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["DataWarning", "DistanceModel", "EpisodeScore", "FrameProgress", "GoalEpsilon", "Score"]

Path = Union[str, "os.PathLike[str]"]

Target = Literal["window", "first_passage", "bootstrapped", "geodesic", "graph_drawing"]
Sampler = Literal["each_first_hit", "uniform_pairs", "uniform_start_then_end"]

WHOLE = {
    "window_steps", "clip_frames", "dims", "batch", "passes", "landmarks", "hop_steps", "goals", "target_copy_steps",
    "streams", "shuffle_mb", "chunk_rows", "seed", "fourier_features",
}  # fmt: skip
"""Settings that are whole numbers …"""
LISTS = {"image", "channels", "strides", "hidden"}
"""… and those that are lists of them."""


@dataclass(frozen=True)
class Score:
    """Calibration: predicted against observed steps, over pairs of states of one episode."""

    spearman: float | None
    """Rank correlation of predicted with observed steps; None if either is constant."""
    error_steps: float | None
    """Mean of \\|observed − predicted\\| over ten bins of prediction, with censored pairs only over bins in which nearly all goals
    were reached; None if there is none."""
    pairs: int
    """Pairs compared."""
    censored: int
    """Pairs whose episode ended before the goal was reached."""


@dataclass(frozen=True)
class GoalEpsilon:
    """An ε for a set of goals, and its statistics on the episodes it was chosen on."""

    epsilon: float
    """A state counts as reached if the nearest goal is fewer steps away than this."""
    false_positive_rate: float
    """The largest false-positive rate, as given."""
    false_positives: float
    """The share of negatives within ε."""
    negatives: int
    """Frames that must not count as reached."""
    before_end_steps: int
    """Negatives are more than this many steps before the end of their episode."""
    goals: int
    """Number of goals."""
    ends: int
    """Episodes whose last state was compared with the goals."""
    ends_reached: float
    """The share of those last states within ε of another goal than themselves."""


@dataclass(frozen=True)
class FrameProgress:
    """How far along every frame of some episodes is: one entry of each array per frame."""

    episode_index: NDArray[np.int64]
    """The episode, as its file calls it; counted from 0 for arrays."""
    frame_index: NDArray[np.int64]
    """The frame within its episode."""
    index: NDArray[np.int64]
    """The row, as its file calls it; counted from 0 for arrays."""
    progress: NDArray[np.float32]
    """From 0 at the start to 1 at the goal."""
    steps_to_go: NDArray[np.float32]
    """Mean steps left, by calibration on held-out episodes."""
    steps_to_go_low: NDArray[np.float32]
    """Four of five frames have at least so many steps left, and at most ``steps_to_go_high``; NaN without calibration."""
    steps_to_go_high: NDArray[np.float32]
    """See ``steps_to_go_low``."""


@dataclass(frozen=True)
class EpisodeScore:
    """How an episode compares with the others, all in steps."""

    episode_index: int
    """The episode, as its file calls it; counted from 0 for arrays."""
    score: float
    """From 0 to 1: 1 is like the others, ½ if one of its measures is twice as large as usual."""
    reason: str
    """That measure in words."""
    steps: int
    """Steps taken."""
    predicted_steps: float
    """Steps predicted from its start to its end."""
    end_steps: float
    """Steps from its end to where episodes usually end, or to the nearest goal."""
    unfamiliar_steps: float
    """Mean steps between its states and those of other episodes."""
    stalled_steps: float
    """Steps in which it stood still."""
    reversed_steps: float
    """Steps that it moved away from the usual ends, or from the goals."""
    loop_steps: float
    """Steps of the longest way that led back to where it began."""


class DistanceModel:
    """How many steps lie between two states, under the behaviour policy that made the data.

    Parameters
    ----------
    target:
        The regression target; None takes ``"window"`` or ``"first_passage"``, whichever predicts held-out episodes
        better. ``"window"`` is the paper's: mean steps until a state is reached, given that it is reached
        within ``window_steps``. ``"first_passage"``: until a ball of ``radius`` round it is entered, given that it is
        entered within the episode. ``"bootstrapped"``: the same without the condition. ``"geodesic"``: the fewest steps,
        along the shortest routes of a roadmap of the data. ``"graph_drawing"`` learns no steps: Wu, Tucker and Nachum's
        Laplacian representation, to compare with.
    window_steps:
        The largest lag; the length of typical episodes if None.
    radius:
        Radius within which two states count as one, in the units of the states; for ``"first_passage"`` and ``"bootstrapped"``.
    sampler:
        How pairs are drawn from a window.
    clip_frames:
        States of a clip, each embedded once and all pairs of them learned from; pairs of single states if None.
    beta, gap_ratio, diagonal:
        ``"graph_drawing"``: the weight of the repulsion, the ratio of the geometric gaps between neighbours (0 is the next
        step, 1 any later one), and the mean square of each dimension, ``"one"`` or ``"over_dims"``.
    image:
        Height, width and channels of states that are images; those of the data if None.
    channels, strides:
        Channels that each 3×3 convolution over images puts out, and pixels between its places.
    inputs:
        ``"standardised"`` entries, or ``"raw"`` ones as in the paper.
    fourier_features, fourier_frequency:
        How many random Fourier features of the inputs the layers see, and the standard deviation of their frequencies in radians
        per unit of the inputs. They tell places apart that are near each other, as both sides of a thin wall. The inputs themselves
        if None.
    hidden:
        Widths of the network's hidden layers.
    dims:
        Dimensions of the embedding, in which a norm counts steps.
    head:
        Whether the distance can differ by direction: ``"symmetric"``, ``"potential"`` or ``"quasimetric"``.
    p, q:
        The distance is the p-norm to the power of q.
    scaling:
        Whether targets are divided by their running mean.
    batch:
        Pairs per update.
    learning_rate, final_learning_rate:
        Adam's learning rate at the start and at the end, with exponential decay.
    passes:
        Passes over the data; as many as 20,000 updates take if None.
    held_out:
        The share of held-out episodes, for evaluation.
    landmarks, hop_steps:
        The roadmap of ``"geodesic"``: how many landmarks, and the longest hop.
    goals:
        States kept as goals, for ``"bootstrapped"``.
    target_copy_steps:
        Updates between copies of the target network of ``"bootstrapped"``.
    streams, shuffle_mb, chunk_rows:
        How data are shuffled: streams, memory in megabytes, and states that pairs are drawn from at a time. They change
        the result.
    seed:
        Seed of all random streams: the same seed and data give the same file, byte for byte.

    None means the default of ``isochrone fit``; the settings have the same names there.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> episodes = [np.cumsum(rng.normal(size=(100, 2)), axis=0) for _ in range(20)]
    >>> model = DistanceModel(passes=1, seed=0).fit(episodes)
    >>> model([0.0, 0.0], [3.0, 4.0]) > 0
    True
    """

    def __init__(
        self,
        *,
        target: Target | None = None,
        window_steps: int | None = None,
        radius: float | None = None,
        sampler: Sampler | None = None,
        clip_frames: int | None = None,
        beta: float | None = None,
        gap_ratio: float | None = None,
        diagonal: Literal["one", "over_dims"] | None = None,
        image: Sequence[int] | None = None,
        channels: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        inputs: Literal["standardised", "raw"] | None = None,
        fourier_features: int | None = None,
        fourier_frequency: float | None = None,
        hidden: Sequence[int] | None = None,
        dims: int | None = None,
        head: Head | None = None,
        p: float | None = None,
        q: float | None = None,
        scaling: Scaling | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        final_learning_rate: float | None = None,
        passes: int | None = None,
        held_out: float | None = None,
        landmarks: int | None = None,
        hop_steps: int | None = None,
        goals: int | None = None,
        target_copy_steps: int | None = None,
        streams: int | None = None,
        shuffle_mb: int | None = None,
        chunk_rows: int | None = None,
        seed: int | None = None,
    ) -> None:
        named = {
            "window_steps": window_steps,
            "radius": radius,
            "sampler": sampler,
            "clip_frames": clip_frames,
            "beta": beta,
            "gap_ratio": gap_ratio,
            "diagonal": diagonal,
            "image": image,
            "channels": channels,
            "strides": strides,
            "inputs": inputs,
            "fourier_features": fourier_features,
            "fourier_frequency": fourier_frequency,
            "hidden": hidden,
            "dims": dims,
            "head": head,
            "p": p,
            "q": q,
            "scaling": scaling,
            "batch": batch,
            "learning_rate": learning_rate,
            "final_learning_rate": final_learning_rate,
            "passes": passes,
            "held_out": held_out,
            "landmarks": landmarks,
            "hop_steps": hop_steps,
            "goals": goals,
            "target_copy_steps": target_copy_steps,
            "streams": streams,
            "shuffle_mb": shuffle_mb,
            "chunk_rows": chunk_rows,
            "seed": seed,
        }
        # The target of a fit is a word, that of an agent's distance a table.
        words = {} if target is None else {"target": target}
        self._settings: dict[str, Any] | None = {**words, **table(with_counts(named, WHOLE, LISTS))}
        self._distance: _isochrone.Distance | None = None

    # Learning

    def fit(
        self,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
        progress_bar: bool = False,
    ) -> DistanceModel:
        """Learns from trajectories, and returns itself.

        Parameters
        ----------
        data:
            A list of arrays, one per episode, each of shape (steps, entries), or (steps, height, width, channels) and uint8 for
            images; or one array of all states with ``episode_ids``; or the path or pattern of .parquet, .npz and .csv files, or several.
        episode_ids:
            The episode of each state; states of an episode must be contiguous.
        state, episode:
            For files: the columns of the states and of the episode index, if they differ from the format's default names
            (``observation.state`` and ``episode_index``, in .npz ``observations`` and ``terminals``).
        progress_bar:
            Show a tqdm progress bar.
        """
        if self._settings is None:
            raise ValueError("this distance was read from a file: make a DistanceModel(…) with the settings you want, and fit that")
        if isinstance(data, Iterator):
            data = list(data)
        given = data_of(data, episode_ids, state, episode)
        image = image_shape(data, episode_ids)
        settings = self._settings if image is None else {"image": list(image), **self._settings}
        shown = progress(progress_bar)
        try:
            self._distance = _isochrone.Distance.fit(given, settings, shown)
        finally:
            shown.close()
        training = self.about["training"]
        logger.info("learned from %d transitions", training["transitions"])
        return self

    @classmethod
    def euclidean(
        cls,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        window_steps: int = 25,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
    ) -> DistanceModel:
        """The Euclidean distance between standardised states, in steps by the lags of a window: what a learned one must beat."""
        given = data_of(data, episode_ids, state, episode)
        return cls._of(_isochrone.Distance.euclidean(given, count("window_steps", window_steps)))

    def score(
        self,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
        include_learned: bool = False,
    ) -> Score:
        """Calibration: predicted against observed steps. :meth:`assess` reports more; :meth:`fit` lists the arguments.

        Of the training data only held-out episodes are used, unless ``include_learned``. In other data,
        whole episodes that it learned from (of at least 16 states) are recognised and refused; of more than 512, a sample is.
        """
        _, found = self._assess(data, episode_ids, state, episode, include_learned)
        calibration = found["calibration"]
        line = calibration["with_censored" if calibration["n_censored"] else "among_hits"]
        return Score(
            spearman=found["spearman"],
            error_steps=line and line["error_steps"],
            pairs=calibration["n_observations"],
            censored=calibration["n_censored"],
        )

    def assess(
        self,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
        include_learned: bool = False,
    ) -> Assessment:
        """Assesses the distance on these trajectories.

        Calibration, triangle inequality, one-way structure of the data, and a suggestion for ε. Print it for a report;
        use it as a dictionary for the numbers. Arguments are those of :meth:`fit`; :meth:`score` says which episodes
        are used.
        """
        return Assessment(*self._assess(data, episode_ids, state, episode, include_learned))

    def _states(self, values: ArrayLike, what: str = "states", *advice: str) -> NDArray[np.float32]:
        """States as numbers; an image as one row of pixels."""
        states = as_floats(values, what, *advice)
        images = self.about["spec"]["encoder"]["architecture"].get("cnn")
        if images is not None and states.shape[-3:] == tuple(images["shape"]):
            states = states.reshape(*states.shape[:-3], -1)
        return states

    def _goals(self, values: ArrayLike, name: str = "goals") -> NDArray[np.float32]:
        """A set of goals, one in each row."""
        return as_goals(self._states(values, name, GOALS_ARE), name)

    # Asking

    def __call__(self, states: ArrayLike, goals: ArrayLike) -> float | NDArray[np.float64]:
        """Steps from states to goals: one of each, equally many of both, or one against many.

        A state or goal far outside the training data gives a :class:`DataWarning`, here and in all that takes states;
        :meth:`is_outside` says which.
        """
        states, goals = self._states(states), self._states(goals, "goals")
        steps = self._learned.between(as_rows(states), as_rows(goals))
        self._warn_of_outside(states, goals)
        return float(steps[0]) if states.ndim == 1 and goals.ndim == 1 else steps

    def embed(self, states: ArrayLike) -> NDArray[np.float32]:
        """Points in the space where ``norm(a - b, p) ** q`` counts steps; ``about["spec"]`` has p and q (1 by default).

        With head ``"potential"`` or ``"quasimetric"`` the last entry ``u`` of a point is its potential, and steps from
        ``a`` to ``b`` are that norm plus ``u(b) - u(a)``. The norm is over the other entries with ``"potential"``, over
        all entries with ``"quasimetric"``.
        """
        states = self._states(states)
        points = self._learned.embed(as_rows(states))
        self._warn_of_outside(states)
        return points[0] if states.ndim == 1 else points

    def to_nearest(self, states: ArrayLike, goals: ArrayLike) -> float | NDArray[np.float64]:
        """Steps from each state to the nearest of a set of goals, for example the last states of many episodes."""
        states, goals = self._states(states), self._goals(goals)
        steps, _ = self._learned.to_nearest(as_rows(states), goals)
        self._warn_of_outside(states, goals)
        return float(steps[0]) if states.ndim == 1 else steps

    def is_outside(self, states: ArrayLike) -> bool | NDArray[np.bool_]:
        """Whether a state is far outside the training data: some entry beyond its range by more than the whole range.

        Distances there are extrapolated. Always False for an agent's distance, which stores no ranges.
        """
        states = self._states(states)
        outside = self._learned.outside(as_rows(states))
        return bool(outside[0]) if states.ndim == 1 else outside

    def suggest_epsilon(
        self,
        goals: ArrayLike,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        false_positive_rate: float = 0.05,
        before_end_steps: int | None = None,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
        include_learned: bool = False,
    ) -> GoalEpsilon:
        """The largest ε for a set of goals within a false-positive rate.

        Negatives are the frames of these episodes more than ``before_end_steps`` before their end (by default a tenth of
        the median episode). At most ``false_positive_rate`` of them are within ε. :meth:`score` says which episodes are
        used.

        Use it as ``distance.to_nearest(state, goals) < found.epsilon``.
        """
        given = self._given(data, episode_ids, state, episode)
        goals = self._goals(goals)
        steps = None if before_end_steps is None else count("before_end_steps", before_end_steps)
        rate = float(false_positive_rate)
        choose = self._learned.epsilon_for_all if include_learned else self._learned.epsilon_for
        with _named_as_here():
            found = choose(given, goals, rate, steps)
        self._warn_of_outside(goals)
        return GoalEpsilon(**found)

    # Logs

    def progress(
        self,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        to: ArrayLike | None = None,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
    ) -> FrameProgress:
        """How far along every frame is, and how many steps are left: towards the end of its own episode, or towards the
        nearest of the states in ``to``. :meth:`fit` lists the other arguments.

        ``pandas.DataFrame(vars(model.progress(…)))`` is a table of it; ``isochrone progress`` writes the file that
        LeRobot's sample weighting reads.
        """
        given = self._given(data, episode_ids, state, episode)
        goals = self._ends(to)
        return FrameProgress(**_isochrone.log_progress(self._learned, given, goals))

    def episodes(
        self,
        data: Any,
        episode_ids: ArrayLike | None = None,
        *,
        to: ArrayLike | None = None,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
    ) -> list[EpisodeScore]:
        """A score and a reason for every episode, in the order of the data: which of them are bad?

        Ends are compared with the states in ``to``, or with where a quarter of the other episodes end. No labels are
        needed. :meth:`fit` lists the other arguments.
        """
        given = self._given(data, episode_ids, state, episode)
        goals = self._ends(to)
        return [EpisodeScore(**found) for found in _isochrone.log_episodes(self._learned, given, goals)]

    def set_reached(
        self,
        goals: ArrayLike,
        data: Any,
        episode_ids: ArrayLike | None = None,
        **options: Any,
    ) -> GoalEpsilon:
        """Gives the distance a success test: reached means within ε steps of the nearest of these goals.

        ε is that of :meth:`suggest_epsilon`, which also lists the arguments. The test is part of the file that
        :meth:`save` writes.
        """
        found = self.suggest_epsilon(goals, data, episode_ids, **options)
        self._distance = _isochrone.with_reached(
            self._learned,
            self._goals(goals),
            found.epsilon,
            found.false_positive_rate,
            found.false_positives,
            found.negatives,
        )
        return found

    def reached(self, states: ArrayLike) -> bool | NDArray[np.bool_]:
        """Is the task done? By the success test of :meth:`set_reached` or ``isochrone reached``."""
        states = self._states(states)
        reached = self._is_reached(states)
        self._warn_of_outside(states)
        return bool(reached[0]) if states.ndim == 1 else reached

    def _is_reached(self, states: NDArray[np.float32]) -> NDArray[np.bool_]:
        return _isochrone.is_reached(self._learned, as_rows(states))

    def nearest(
        self, goal: ArrayLike, states: ArrayLike, k: int = 5
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The ``k`` states with the fewest steps to a goal, or to the nearest of several: their indices, and the steps.
        An exact search."""
        goal, states = self._goals(goal, "goal"), self._states(states)
        places, steps = self._learned.nearest(goal, as_rows(states), count("k", k))
        self._warn_of_outside(states, goal)
        return places.astype(np.intp), steps

    def as_reward(
        self,
        epsilon: float,
        kind: Kind = "sparse",
        *,
        reached: float = 0.0,
        otherwise: float = -1.0,
        max_steps: float | None = None,
        discount: float | None = None,
    ) -> Reward:
        """The reward of goal-conditioned learning, with the signature of ``compute_reward``, which Stable-Baselines3's
        HER calls.

        Parameters
        ----------
        epsilon:
            A goal nearer than this many steps is reached.
        kind:
            ``"sparse"``: ``reached`` within ε, ``otherwise`` elsewhere. ``"dense"``: exp(−steps / ε). ``"linear"``:
            −steps / ``max_steps``, at least −1. ``"potential"``: sparse, plus γ φ(after) − φ(before), where φ is the
            linear reward.
        reached, otherwise:
            The two values of the sparse reward: 0 and −1, or for example 1 and 0.
        max_steps:
            The distance at which ``"linear"`` is −1.
        discount:
            γ, the learner's discount factor, for ``"potential"``.
        """
        return Reward(
            self, epsilon, kind, reached=reached, otherwise=otherwise, max_steps=max_steps, discount=discount
        )

    # Keeping

    @property
    def about(self) -> dict[str, Any]:
        """Metadata of its file: spec, training data, and calibration on held-out episodes."""
        return self._learned.about()

    @property
    def is_symmetric(self) -> bool:
        """Whether both directions have the same distance."""
        return self._learned.is_symmetric

    def save(self, file: Path) -> None:
        """Writes the file that ``isochrone fit`` writes: one safetensors file, readable from every language."""
        self._learned.save(os.fspath(file))

    @classmethod
    def load(cls, file: Path) -> DistanceModel:
        """Reads a file that :meth:`save` or ``isochrone fit`` wrote."""
        return cls._of(_isochrone.Distance.load(os.fspath(file)))

    def export_onnx(self, file: Path) -> None:
        """Exports the distance as an ONNX model.

        Inputs ``state`` and ``goal`` (N × entries, f32), outputs ``steps`` (N) and ``point``, the point of ``state``.
        """
        self._learned.save_onnx(os.fspath(file))

    def __repr__(self) -> str:
        if self._distance is None:
            return "DistanceModel(not fitted)"
        return f"DistanceModel(states of {self._distance.inputs} entries, in steps)"

    def __str__(self) -> str:
        return repr(self) if self._distance is None else self._distance.text().rstrip()

    def __getstate__(self) -> dict[str, Any]:
        content = None if self._distance is None else bytes(self._distance.to_bytes())
        return {"settings": self._settings, "file": content}

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state["file"]
        self._settings = state["settings"]
        self._distance = None if content is None else _isochrone.Distance.of_bytes(content)

    @classmethod
    def _of(cls, distance: _isochrone.Distance) -> DistanceModel:
        model = cls()
        model._settings, model._distance = None, distance
        return model

    @property
    def _learned(self) -> _isochrone.Distance:
        if self._distance is None:
            raise ValueError("nothing is learned yet: call fit, or load a file")
        return self._distance

    def _assess(
        self,
        data: Any,
        episode_ids: ArrayLike | None,
        state: str | Sequence[str] | None,
        episode: str | None,
        include_learned: bool,
    ) -> tuple[str, dict[str, Any]]:
        given = self._given(data, episode_ids, state, episode)
        assess = self._learned.assess_all if include_learned else self._learned.assess
        with _named_as_here():
            return assess(given)

    def _given(
        self,
        data: Any,
        episode_ids: ArrayLike | None,
        state: str | Sequence[str] | None,
        episode: str | None,
    ) -> _isochrone.Data:
        known = self.about["states"]
        return data_of(data, episode_ids, state or known["state"], episode or known["episode"], self._look)

    def _look(self, states: NDArray[np.float32]) -> None:
        """Warns of data in other units, say. States of another length are refused by what comes next."""
        if states.shape[1] == self._learned.inputs:
            self._warn_of_outside(states)

    def _ends(self, to: ArrayLike | None) -> NDArray[np.float32] | None:
        """The goals of an argument ``to``."""
        if to is None:
            return None
        goals = self._goals(to, "to")
        self._look(goals)
        return goals

    def _warn_of_outside(self, *some: NDArray[np.float32]) -> bool:
        """Warns of states far outside the training data, and says whether there were any."""
        far = [found for found in (self._learned.first_outside(as_rows(states)) for states in some) if found is not None]
        for n, first in far:
            what = "a state is" if n == 1 else f"{n} states are"
            warn_of_data(
                f"{what} far outside the training data ({first}): distances there are extrapolated and may mean nothing"
            )
        return bool(far)


class Assessment(dict):
    """The result of :meth:`DistanceModel.assess`: a dictionary of numbers; prints as a report."""

    def __init__(self, text: str, found: dict[str, Any]) -> None:
        super().__init__(found)
        self.text = text

    def __str__(self) -> str:
        return self.text.rstrip()


@contextmanager
def _named_as_here() -> Iterator[None]:
    """Errors that name options of the command name ours instead."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace("(--all)", "(include_learned=True)")) from None
