"""Robot logs: how far along is a frame, and which episodes succeeded? From states alone, with no setting to choose.

    python examples/python/robot_log.py

Fits a distance to 80 synthetic episodes (`make_robot_log.py`), takes the last states of their successes as goals, has ε
chosen for a stated false-positive rate, and asks of 800 episodes of another draw whether they arrived.
"""

import numpy as np
from make_robot_log import draw

from isochrone import DistanceModel

FALSE_POSITIVE_RATE = 0.05


def ranks(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values))


def progress(distance: DistanceModel, states: np.ndarray) -> float:
    """Rank correlation of the distance to an episode's own end with the frames left."""
    left = np.arange(len(states))[::-1]
    return float(np.corrcoef(ranks(distance(states, states[-1])), left)[0, 1])


def main() -> dict[str, float]:
    episodes, success = draw(episodes=80, failures=12, seed=0)
    distance = DistanceModel(seed=0).fit(episodes)
    print(distance, "\n")

    along = [progress(distance, states) for states, good in zip(episodes, success) if good]
    print(f"progress of {len(along)} successful episodes: median rank correlation {np.median(along):.4f}")

    goals = np.array([states[-1] for states, good in zip(episodes, success) if good])
    found = distance.suggest_epsilon(goals, episodes, false_positive_rate=FALSE_POSITIVE_RATE)
    print(
        f"ε for {found.goals} goals: {found.epsilon:.1f} steps; {found.false_positives:.1%} of {found.negatives} held-out frames "
        f"more than {found.before_end_steps} steps before their end are within it"
    )

    others, arrived = draw(episodes=800, failures=120, seed=1)
    last = np.array([states[-1] for states in others])
    reached = distance.to_nearest(last, goals) < found.epsilon
    called = {"successes": reached[arrived].mean(), "failures": reached[~arrived].mean()}
    for which, share in called.items():
        print(f"of the {which} of another draw, {share:.1%} are called reached")
    return {"progress": float(np.median(along)), **called}


if __name__ == "__main__":
    main()
