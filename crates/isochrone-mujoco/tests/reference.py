"""Steps MuJoCo models with the engine's own Python package and tells every state, bit for bit.

Reads a JSON list of tasks from standard input. A task has `xml`, `start_qpos`, `controls` (one list per step),
`resets` (the steps before which the model goes back to its start), `walls` (centres of wall cells; a step that
ends with the body's centre inside one puts it back, velocity unchanged), `thin_walls` (centre and half lengths of boxes;
a step during which the centre goes through one puts it back, too) and `pushes` (centre and force of cells that push).

Writes one JSON object: the `mujoco` version and, per task, `states` (qpos and qvel after each step, each number as
the integer that has its 64 bits), `put_backs` (steps that were put back), `pushed` (steps during which the floor pushed) and `wall_contacts` (steps whose last
solve had a contact with a geom named `wall_…`).
"""

import json
import sys

import mujoco
import numpy as np

HALF_CELL_M = 1.0


def is_in_wall(place: np.ndarray, walls: np.ndarray) -> bool:
    return len(walls) > 0 and bool(np.any(np.all(np.abs(walls - place) <= HALF_CELL_M, axis=1)))


def crosses(before: np.ndarray, after: np.ndarray, wall: list[list[float]]) -> bool:
    """Whether the segment touches the box, by the parts of it that are level with the box along each axis."""
    enter, leave = 0.0, 1.0
    for start, end, centre, half in zip(before.tolist(), after.tolist(), *wall, strict=True):
        start, length = start - centre, end - start
        if length == 0.0:
            if abs(start) > half:
                return False
            continue
        low, high = sorted(((-half - start) / length, (half - start) / length))
        enter, leave = max(enter, low), min(leave, high)
    return enter <= leave


def push_at(place: np.ndarray, pushes: list[list[list[float]]]) -> list[float]:
    for centre, force in pushes:
        if np.all(np.abs(place - np.array(centre)) <= HALF_CELL_M):
            return force
    return [0.0, 0.0]


def wall_geoms(model: mujoco.MjModel) -> set[int]:
    return {geom for geom in range(model.ngeom) if model.geom(geom).name.startswith("wall_")}


def refresh(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)


def run(task: dict) -> dict:
    model = mujoco.MjModel.from_xml_string(task["xml"])
    data = mujoco.MjData(model)
    walls, geoms = np.array(task["walls"]), wall_geoms(model)
    resets = {0, *task["resets"]}
    answer = {"states": [], "put_backs": 0, "pushed": 0, "wall_contacts": 0}
    for step, controls in enumerate(task["controls"]):
        if step in resets:
            mujoco.mj_resetData(model, data)
            data.qpos[:] = task["start_qpos"]
            refresh(model, data)
        before = data.qpos[:2].copy()
        data.ctrl[:] = controls
        if task["pushes"]:
            data.qfrc_applied[:2] = push_at(before, task["pushes"])
            answer["pushed"] += bool(np.any(data.qfrc_applied))
        mujoco.mj_step(model, data)
        answer["wall_contacts"] += not geoms.isdisjoint(data.contact.geom.flat)
        refresh(model, data)
        after = data.qpos[:2]
        if is_in_wall(after, walls) or any(crosses(before, after, wall) for wall in task["thin_walls"]):
            data.qpos[:2] = before
            refresh(model, data)
            answer["put_backs"] += 1
        answer["states"].append(np.concatenate([data.qpos, data.qvel]).view(np.uint64).tolist())
    return answer


def main() -> None:
    answers = [run(task) for task in json.load(sys.stdin)]
    json.dump({"mujoco": mujoco.__version__, "answers": answers}, sys.stdout)


main()
