"""Makes the data files beside it: what pyarrow and NumPy write, as their users write it.

    python3 -m venv /tmp/fixtures && /tmp/fixtures/bin/pip install pyarrow==26.0.1 numpy==2.4.6
    /tmp/fixtures/bin/python make_fixtures.py

All good files hold the same three episodes of 5, 1 and 4 states. Entry j of the state in row r is r + j / 8, which
every type used here holds exactly (whole numbers: r + j). The tests say what must come out.
"""

import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
LENGTHS = [5, 1, 4]
ROWS, WIDTH = sum(LENGTHS), 3
EPISODE = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
FRAME = np.concatenate([np.arange(n) for n in LENGTHS])
STATE = np.arange(ROWS)[:, None] + np.arange(WIDTH)[None, :] / 8
TERMINAL = np.append(np.diff(EPISODE) > 0, True)


def fixed(values, kind):
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel(), kind), WIDTH)


def table(state, episode=pa.array(EPISODE, pa.int64()), frame=pa.array(FRAME, pa.int64())):
    """LeRobot v3's columns, as far as they matter here."""
    return pa.table(
        {
            "observation.state": state,
            "action": fixed(STATE, pa.float32()),
            "timestamp": pa.array(FRAME / 30, pa.float32()),
            "frame_index": frame,
            "episode_index": episode,
            "index": pa.array(np.arange(ROWS), pa.int64()),
            "task_index": pa.array(np.zeros(ROWS), pa.int64()),
        }
    )


def parquet(name, columns, **options):
    pq.write_table(columns, HERE / f"{name}.parquet", **options)


def good_parquet():
    lists = pa.array(STATE.tolist(), pa.list_(pa.float32()))
    parquet("fixed-f32-snappy", table(fixed(STATE, pa.float32())), compression="snappy")
    parquet("fixed-f64-zstd", table(fixed(STATE, pa.float64())), compression="zstd", use_dictionary=False)
    parquet("list-f32-lz4", table(lists), compression="lz4")
    parquet("list-f32-gzip-v2", table(lists), compression="gzip", data_page_version="2.0")
    parquet("list-f32-plain", table(lists), compression="none", use_dictionary=False)
    parquet("row-groups", table(lists), row_group_size=3)
    parquet("byte-stream-split", table(lists), use_dictionary=False, use_byte_stream_split=["observation.state.list.element"])
    small = table(lists, pa.array(EPISODE, pa.int32()), pa.array(FRAME, pa.uint32()))
    parquet("small-integers", small)
    columns = {f"observation.state.{j}": pa.array(STATE[:, j], pa.float32()) for j in reversed(range(WIDTH))}
    columns |= {"episode_index": pa.array(EPISODE, pa.int64())}
    parquet("scalars", pa.table(columns))
    pixels = (np.arange(ROWS)[:, None] + np.arange(WIDTH)[None, :]).astype(np.uint8)
    parquet("pixels-u8", table(pa.array(pixels.tolist(), pa.list_(pa.uint8()))))


def bad_parquet():
    ragged = [row.tolist() for row in STATE]
    ragged[7] = ragged[7][:2]
    parquet("bad-ragged", table(pa.array(ragged, pa.list_(pa.float32()))), row_group_size=4)
    nan = STATE.copy()
    nan[6, 1] = np.nan
    parquet("bad-nan", table(fixed(nan, pa.float32())), row_group_size=4)
    huge = STATE.copy()
    huge[2, 2] = 1e300
    parquet("bad-huge", table(fixed(huge, pa.float64())))
    absent = [row.tolist() for row in STATE]
    absent[4] = None
    parquet("bad-null", table(pa.array(absent, pa.list_(pa.float32()))))
    good = fixed(STATE, pa.float32())
    interleaved = pa.array([0, 0, 1, 1, 0, 0, 1, 1, 2, 2], pa.int64())
    none = {"frame": pa.array([None] * ROWS, pa.int64())}
    parquet("bad-interleaved", table(good, interleaved).drop_columns(["frame_index"]))
    gap = FRAME.copy()
    gap[3:5] += 2
    parquet("bad-gap", table(good, frame=pa.array(gap, pa.int64())))
    parquet("bad-absent-frames", table(good, **none))
    parquet("bad-text", table(pa.array([str(row) for row in STATE])))
    parquet("bad-float-episodes", table(good, pa.array(EPISODE, pa.float64())))
    parquet("bad-lists-of-lists", table(pa.array([[row.tolist()] for row in STATE])))
    parquet("bad-empty", table(good).slice(0, 0))
    parquet("bad-brotli", table(good), compression="brotli")
    parquet("wide", table(pa.array(np.tile(STATE, 2).tolist(), pa.list_(pa.float32()))))


def npz():
    state = STATE.astype(np.float32)
    rest = {"actions": state, "qpos": STATE}
    np.savez(HERE / "ogbench-f32.npz", observations=state, terminals=TERMINAL.astype(np.float32), **rest)
    np.savez_compressed(HERE / "ogbench-f64.npz", observations=STATE, terminals=TERMINAL, **rest)
    np.savez(HERE / "ogbench-big-endian.npz", observations=state.astype(">f4"), terminals=TERMINAL.astype(">i8"))
    whole = np.arange(ROWS)[:, None] + np.arange(WIDTH)[None, :]
    np.savez_compressed(HERE / "ogbench-i16.npz", observations=whole.astype(np.int16), terminals=TERMINAL.astype("u1"))
    pixels = np.arange(ROWS * 12).reshape(ROWS, 2, 2, 3).astype(np.uint8)
    np.savez_compressed(HERE / "ogbench-pixels.npz", observations=pixels, terminals=TERMINAL)
    np.savez(HERE / "bad-fortran.npz", observations=np.asfortranarray(state), terminals=TERMINAL)
    np.savez(HERE / "bad-objects.npz", observations=np.array([{}] * ROWS, object), terminals=TERMINAL)
    np.savez(HERE / "bad-marks.npz", observations=state, terminals=TERMINAL * 0.5)
    np.savez(HERE / "bad-lengths.npz", observations=state, terminals=TERMINAL[:-1])
    np.savez(HERE / "bad-no-terminals.npz", observations=state, rewards=state[:, 0])
    nan = STATE.copy()
    nan[8, 0] = -np.inf
    np.savez_compressed(HERE / "bad-infinite.npz", observations=nan, terminals=TERMINAL)


if __name__ == "__main__":
    good_parquet()
    bad_parquet()
    npz()
