"""Exact steps in a chain that you know: a ring with a one-way door.

    pip install ../../python
    python exact.py
"""

from __future__ import annotations

import numpy as np

from isochrone.markov import Chain

STATES = 12


def ring(door: float) -> Chain:
    """A walker on a ring; from 0 it goes back to the last state with weight `door` instead of 1."""
    weights = np.zeros((STATES, STATES))
    for state in range(STATES):
        weights[state, (state + 1) % STATES] = 1.0
        weights[state, state - 1] = door if state == 0 else 1.0
    return Chain(weights, weights=True)


def main() -> None:
    for name, chain in [("open", ring(1.0)), ("one-way", ring(0.0))]:
        there, back = chain.times(STATES - 1)
        print(f"{name} door, {chain}")
        print(f"  fewest steps from 0 to {STATES - 1}: {chain.shortest_to(STATES - 1)[0]}")
        print(f"  a random walk takes {there[0]:.1f} there and {back[0]:.1f} back")
        print(f"  action distance (half there and back): {chain.action_distances()[0, -1]:.1f}")


if __name__ == "__main__":
    main()
