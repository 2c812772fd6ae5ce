#!/usr/bin/env python3
"""Trainings that are disturbed until they are done, each against an unbroken twin: scripts/soak.py --minutes 60 --csv FILE

Kills, full disks, read-only folders, frozen ranks and clocks that jump, at random moments. A command that fails must leave a
folder to go on with; `isochrone resume` must end with the bytes of the twin. One row per training that came to its end. Needs root
(it mounts a file system of its own), libfaketime, and a build with the MPI plugins (scripts/build-mpi.sh).

Exits with 1 if bytes differ or a run cannot go on.
"""

from __future__ import annotations

import argparse
import csv
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMALL = (
    "batch_steps=4000 initial_states=2000 on_policy_states=500 evaluation.rollouts=1 evaluation.horizon_steps=100 "
    "evaluation.long_horizon_steps=150 evaluate_every=2"
)
CASES = {
    "trpo": f"point-mass iterations=6 {SMALL}",
    "trpo-learned": f"point-mass-off-policy iterations=5 distance.initial_samples=4000 {SMALL}",
    "sac-learned": f"point-mass-sac-off-policy iterations=6 distance.initial_samples=4000 {SMALL} batch_steps=1000",
    "maze-ant": f"maze-ant iterations=4 {SMALL}",
}
RECORDS = ("checkpoint.isochrone", "metrics.jsonl", "eval.jsonl", "goals.jsonl", "distance.jsonl", "spec.toml")
FAULTS = ("kill", "full disk", "read-only", "frozen rank", "clock")
DISK_MB = 256
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
COLUMNS = ("case", "seed", *(fault.replace(" ", "_").replace("-", "_") for fault in FAULTS), "seconds", "twin_seconds", "peak_mb", "different", "revision")


class Disk:
    """A small file system, which can be filled and made read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ballast = folder, folder / "ballast"
        folder.mkdir(parents=True, exist_ok=True)
        self._mount(f"size={DISK_MB}m")

    def _mount(self, options: str) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], check=True)

    def fill(self, left_bytes: int) -> None:
        with self.ballast.open("wb") as file:
            for _ in range(100):
                free = shutil.disk_usage(self.folder).free
                try:
                    os.posix_fallocate(file.fileno(), 0, max(1, free - left_bytes))
                    return
                except OSError as error:
                    # The training took some of it in between.
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self) -> None:
        self.ballast.unlink()

    def protect(self, kind: str) -> None:
        """`ro` or `rw`; a process that still writes keeps it writable for a moment."""
        for _ in range(50):
            done = subprocess.run(["mount", "-o", f"remount,{kind}", self.folder], capture_output=True, check=False)
            if done.returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit(f"cannot remount {self.folder} {kind}: {done.stderr.decode()}")

    def close(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=False)


class Training:
    """One training of a case, with its faults."""

    def __init__(self, options: argparse.Namespace, case: str, seed: int, disk: Disk) -> None:
        self.isochrone, self.disk, self.case, self.seed = options.isochrone.resolve(), disk, case, seed
        self.folder, self.twin = disk.folder / "run", options.work / f"twin-{case}-{seed}"
        self.random = random.Random(f"{options.seed} {case} {seed}")
        self.faults: Counter[str] = Counter()
        self.peak_kb = 0

    def start(self, fault: str | None) -> subprocess.Popen[bytes]:
        """Begins, or goes on if there is something to go on with."""
        if (self.folder / "manifest.json").exists():
            command = [self.isochrone, "resume", self.folder]
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
            command = [self.isochrone, "train", *CASES[self.case].split(), f"seed={self.seed}", "--out", self.folder]
        command += ["--threads", str(self.random.choice([1, 2]))]
        environment = dict(os.environ)
        if fault == "frozen rank":
            launcher = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]
            command = [*launcher, *command, "--mpi", "--patience-s", "5"]
        if fault == "clock":
            self.clock = self.twin.with_suffix(".clock")
            self.jump()
            environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1"}
        return subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def jump(self) -> None:
        self.clock.write_text(f"{self.random.choice('+-')}{self.random.randint(1, 400)}d\n")

    def ranks(self) -> list[int]:
        """Processes of the command, not of its launcher."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == str(self.isochrone).encode() and str(self.folder).encode() in words:
                found.append(int(entry.name))
        return found

    def wait(self, process: subprocess.Popen[bytes], seconds: float | None) -> bool:
        """Whether it ended within so many seconds; notes how much memory it used."""
        deadline = time.monotonic() + (seconds if seconds is not None else 3_600)
        while process.poll() is None and time.monotonic() < deadline:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
                self.peak_kb = max(self.peak_kb, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        return process.poll() is not None

    def disturb(self, fault: str, process: subprocess.Popen[bytes]) -> None:
        """While it runs."""
        if fault == "kill":
            process.kill()
        elif fault == "full disk":
            self.disk.fill(self.random.choice([0, 1_000, 20_000]))
            self.wait(process, None)
            self.disk.empty()
        elif fault == "read-only":
            # A file that is open for writing keeps a mount writable: make it end first, and try in vain to go on.
            process.terminate()
            self.wait(process, None)
            self.disk.protect("ro")
            if self.start(None).wait() == 0 and not self.is_done():
                raise SystemExit("a run on a read-only disk says that it went well")
            self.disk.protect("rw")
        elif fault == "frozen rank":
            for rank in self.ranks()[-1:]:
                os.kill(rank, signal.SIGSTOP)
            self.wait(process, None)
            for rank in self.ranks():
                os.kill(rank, signal.SIGKILL)
        elif fault == "clock":
            for _ in range(5):
                self.jump()
                if self.wait(process, 0.3):
                    break
            process.kill()
        process.wait()

    def is_done(self) -> bool:
        return all((self.folder / name).exists() and (self.folder / name).read_bytes() == text for name, text in self.expected.items())

    def run(self) -> dict[str, object]:
        """To its end, disturbed again and again."""
        began = time.monotonic()
        done = subprocess.run(
            [self.isochrone, "train", *CASES[self.case].split(), f"seed={self.seed}", "--threads", "1", "--out", self.twin],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"the twin of {self.case} failed: {done.stderr.decode()}")
        twin_seconds = time.monotonic() - began
        self.expected = {name: (self.twin / name).read_bytes() for name in RECORDS if (self.twin / name).exists()}
        began = time.monotonic()
        # Each kind twice on average, then to the end.
        faults = self.random.choices(FAULTS, k=2 * len(FAULTS))
        while True:
            fault = faults.pop() if faults else None
            process = self.start(fault)
            ended = self.wait(process, self.random.uniform(0, 0.35) * twin_seconds if fault else None)
            if fault and not ended:
                self.disturb(fault, process)
                self.faults[fault] += 1
                continue
            complaint = process.stderr.read().decode() if process.stderr else ""
            if process.returncode:
                raise SystemExit(f"{self.case}, seed {self.seed}, cannot go on after {dict(self.faults)}: {complaint}")
            break
        different = [name for name, text in self.expected.items() if (self.folder / name).read_bytes() != text]
        shutil.rmtree(self.folder)
        shutil.rmtree(self.twin)
        counts = {fault.replace(" ", "_").replace("-", "_"): self.faults[fault] for fault in FAULTS}
        seconds = {"seconds": round(time.monotonic() - began), "twin_seconds": round(twin_seconds)}
        return {"case": self.case, "seed": self.seed, **counts, **seconds, "peak_mb": self.peak_kb // 1024, "different": " ".join(different)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isochrone", type=Path, default=ROOT / "target/debug/isochrone")
    parser.add_argument("--work", type=Path, default=Path("/tmp/isochrone-soak"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="of the faults; give another one to go on another day")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--revision", default="")
    parser.add_argument("--csv", type=Path, required=True)
    options = parser.parse_args()
    if not Path(FAKETIME).exists():
        raise SystemExit("libfaketime is missing: apt-get install libfaketime")
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    # An ordinary end, which unmounts the disk.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("soak: stopped"))
    disk = Disk(options.work / "disk")
    deadline, number, lost = time.monotonic() + 60 * options.minutes, 0, 0
    try:
        while time.monotonic() < deadline:
            case = options.cases[number % len(options.cases)]
            row = Training(options, case, 1_000 * options.seed + number, disk).run() | {"revision": options.revision}
            is_new = not options.csv.exists()
            with options.csv.open("a", newline="") as file:
                table = csv.DictWriter(file, COLUMNS)
                if is_new:
                    table.writeheader()
                table.writerow(row)
            print(*row.values(), flush=True)
            lost += bool(row["different"])
            number += 1
    finally:
        disk.close()
    if lost:
        sys.exit(f"{lost} of {number} trainings differ from their twins")


if __name__ == "__main__":
    main()
