"""Steps a MuJoCo model with the engine's own Python package and prints every state, bit for bit.

Reads one JSON object from standard input: `xml`, `start_qpos`, `controls` (one list per step) and `walls`
(centres of wall cells; a step that ends with the body's centre inside one puts it back, velocity unchanged).
Prints one line per step: qpos and qvel as hexadecimal floats.
"""

import json
import sys

import mujoco
import numpy as np

HALF_CELL_M = 1.0


def is_in_wall(place: np.ndarray, walls: np.ndarray) -> bool:
    return len(walls) > 0 and bool(np.any(np.all(np.abs(walls - place) <= HALF_CELL_M, axis=1)))


def main() -> None:
    task = json.load(sys.stdin)
    model = mujoco.MjModel.from_xml_string(task["xml"])
    data = mujoco.MjData(model)
    walls = np.array(task["walls"])
    data.qpos[:] = task["start_qpos"]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    for controls in task["controls"]:
        before = data.qpos[:2].copy()
        data.ctrl[:] = controls
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        if is_in_wall(data.qpos[:2], walls):
            data.qpos[:2] = before
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
        print(" ".join(float(x).hex() for x in np.concatenate([data.qpos, data.qvel])))


main()
