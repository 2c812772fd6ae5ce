"""Isochrone beside its peers: same graph, same machine, one thread, taken in turns.

Prints a Markdown report; see README.md for how to read it. This process imports
neither numpy nor scipy: a child's peak memory starts from that of the process
that started it, so the starter has to stay small.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "RAYON_NUM_THREADS",
    )
}
ERROR_LIMIT = 1e-8
PEAK_LIMIT_MB = 1000.0
VALUE_OPERATIONS = "factor+diagonal+query,spectral"

Result = dict[str, Any]
Rounds = list[Result]  # one result per round


@dataclass(frozen=True)
class Comparison:
    """One line of the report: our operation beside one peer's."""

    operation: str
    peer: str
    variants: tuple[str, ...]  # the fastest of these stands for the peer
    field: str  # which of the peer's times
    limit: float | None  # the target: our time over theirs


SPLU = ("splu-mmd", "splu-colamd")
CHOLMOD = ("cholmod-default", "cholmod-amd")
EIGSH = ("eigsh-mmd", "eigsh-colamd")
COMPARISONS = (
    Comparison("factor+query", "scipy splu", SPLU, "cpu_s", 0.5),
    Comparison("factor+query", "CHOLMOD", CHOLMOD, "cpu_s", 1.15),
    Comparison("query", "scipy splu", SPLU, "query_s", None),
    Comparison("query", "CHOLMOD", CHOLMOD, "query_s", None),
    Comparison("factor+diagonal+query", "no peer", (), "cpu_s", None),
    Comparison("spectral", "scipy eigsh", EIGSH, "cpu_s", 0.6),
    Comparison("spectral-no-factor", "scipy eigsh", EIGSH, "no_factor_s", None),
)

# Ours first, then the peers that do the same work: neighbours in time, so that
# whatever else the machine does falls on both.
TURNS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("factor+query", "query", "factor+diagonal+query"), SPLU + CHOLMOD),
    (("spectral", "spectral-no-factor"), EIGSH),
)

GRAPH_LIBRARIES = (
    ("networkx-resistance", 1024, "resistance_distance, one pair: a dense inverse"),
    ("sklearn-spectral", 10_000, "SpectralEmbedding(32, arpack): normalised Laplacian"),
    ("sknetwork-spectral", 10_000, "Spectral(32): normalised Laplacian"),
)


def note(message: str) -> None:
    print(f"peers: {message}", file=sys.stderr, flush=True)


# --------------------------------------------------------------------- children


def run_json(command: list[str]) -> Any:
    done = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def run_peer(task: str, wanted: int) -> Result:
    return run_json([sys.executable, str(HERE / "tasks.py"), task, str(wanted)])


class Isochrone:
    """Our own program, held to the contract in README.md."""

    def __init__(self, program: str) -> None:
        self.program = program

    def bench(self, wanted: int, operations: str, *extra: str) -> list[Result]:
        size = ["--states", str(wanted), "--operations", operations]
        return run_json([self.program, "bench", "exact", *size, "--json", *extra])

    def measure(self, wanted: int, operation: str) -> Result:
        found = [r for r in self.bench(wanted, operation) if r["operation"] == operation]
        if len(found) != 1:
            raise SystemExit(f"{self.program}: {len(found)} results for {operation}")
        return found[0]

    def version(self) -> str:
        done = subprocess.run([self.program, "--version"], capture_output=True, text=True)
        return done.stdout.strip() or "isochrone of unknown version"


def find_isochrone(path: str | None) -> Isochrone | None:
    program = shutil.which(path or "isochrone")
    if program is not None:
        return Isochrone(program)
    if path is not None:
        raise SystemExit(f"no program at {path}")
    note("no isochrone found (--isochrone PATH): measuring the peers alone")
    return None


# ----------------------------------------------------------------------- rounds


def append(times: dict[str, Rounds], name: str, result: Result) -> None:
    times.setdefault(name, []).append(result)
    note(f"  {name}: {result['cpu_s']:.3f} s, {result['peak_mb']:.0f} MB")


def one_round(
    wanted: int,
    ours: Isochrone | None,
    available: set[str],
    times: dict[str, Rounds],
) -> None:
    for operations, tasks in TURNS:
        if ours is not None:
            for operation in operations:
                append(times, operation, ours.measure(wanted, operation))
        for task in tasks:
            if task in available:
                append(times, task, run_peer(task, wanted))


def all_rounds(
    wanted: int, rounds: int, ours: Isochrone | None, available: set[str]
) -> dict[str, Rounds]:
    times: dict[str, Rounds] = {}
    for number in range(1, rounds + 1):
        note(f"{wanted} states, round {number} of {rounds}")
        one_round(wanted, ours, available, times)
    return times


def check_sizes(times: dict[str, Rounds], wanted: int, states: int) -> None:
    """Stops a comparison of two different graphs; ours may name either number."""
    for name, results in times.items():
        for result in results:
            if result["states"] not in (wanted, states):
                raise SystemExit(f"{name}: {result['states']} states, not {states}")


# ----------------------------------------------------------------------- values


def read_column(path: Path, key: str, value: str) -> dict[int, float]:
    with path.open(newline="") as lines:
        return {int(row[key]): float(row[value]) for row in csv.DictReader(lines)}


def worst_relative(found: Iterable[float], truth: Iterable[float]) -> float:
    return max(abs(a / b - 1.0) for a, b in zip(found, truth, strict=True))


def our_errors(ours: Isochrone, wanted: int, reference: Result) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        ours.bench(wanted, VALUE_OPERATIONS, "--values", folder)
        commute = read_column(Path(folder, "commute.csv"), "state", "commute")
        spectrum = read_column(Path(folder, "eigenvalues.csv"), "index", "eigenvalue")
    if len(commute) != reference["states"]:
        raise SystemExit(f"commute.csv: {len(commute)} states")
    chosen = [commute[state] for state in reference["chosen"]]
    return {
        "commute": worst_relative(chosen, reference["commute"]),
        "spectral": worst_relative(
            (spectrum[i] for i in sorted(spectrum)), reference["eigenvalues"]
        ),
    }


# ----------------------------------------------------------------------- ratios


def median_of(results: Rounds, field: str) -> float:
    return statistics.median(result[field] for result in results)


def fastest(comparison: Comparison, times: dict[str, Rounds]) -> str | None:
    """The peer's best setting in this run: the baseline."""
    measured = [name for name in comparison.variants if name in times]
    return min(measured, key=lambda name: median_of(times[name], comparison.field), default=None)


def ratio_of(ours: Rounds, theirs: Rounds, field: str) -> Result:
    ratios = [a["cpu_s"] / b[field] for a, b in zip(ours, theirs, strict=True)]
    return {
        "median": statistics.median(ratios),
        "min": min(ratios),
        "max": max(ratios),
        "rounds": ratios,
    }


def compare(comparison: Comparison, times: dict[str, Rounds]) -> Result:
    ours, variant = times.get(comparison.operation), fastest(comparison, times)
    line: Result = {
        "operation": comparison.operation,
        "peer": comparison.peer,
        "variant": variant,
        "limit": comparison.limit,
    }
    if ours:
        line["ours_cpu_s"] = median_of(ours, "cpu_s")
        line["ours_peak_mb"] = max(result["peak_mb"] for result in ours)
    if variant:
        line["peer_cpu_s"] = median_of(times[variant], comparison.field)
        line["peer_peak_mb"] = max(result["peak_mb"] for result in times[variant])
    if ours and variant:
        line["ratio"] = ratio_of(ours, times[variant], comparison.field)
    return line


def compare_size(wanted: int, rounds: int, ours: Isochrone | None, available: set[str]) -> Result:
    note(f"{wanted} states: reference values")
    reference = run_peer("reference", wanted)
    times = all_rounds(wanted, rounds, ours, available)
    check_sizes(times, wanted, reference["states"])
    return {
        "wanted": wanted,
        "states": reference["states"],
        "lines": [compare(comparison, times) for comparison in COMPARISONS],
        "our_errors": our_errors(ours, wanted, reference) if ours else None,
        "reference": reference,
        "rounds": times,
    }


# ----------------------------------------------------------------------- report


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def megabytes(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def verdict(value: float, limit: float) -> str:
    return "met" if value <= limit else "MISSED"


def ratio_cell(ratio: Result | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio['median']:.2f} [{ratio['min']:.2f}-{ratio['max']:.2f}]"


def target_cell(line: Result) -> str:
    if line["limit"] is None:
        return "-"
    wanted = f"<= {line['limit']:g}"
    if "ratio" not in line:
        return wanted
    return f"{wanted}: {verdict(line['ratio']['median'], line['limit'])}"


def error_cell(operation: str, errors: Result | None) -> str:
    """The timed runs give no values; those of a run of their own stand for them."""
    if errors is None:
        return "-"
    kind = "spectral" if operation.startswith("spectral") else "commute"
    return f"{errors[kind]:.1e}"


def main_row(size: Result, line: Result) -> list[str]:
    peer = f"{line['peer']} ({line['variant']})" if line["variant"] else line["peer"]
    return [
        f"{size['states']:,}",
        line["operation"],
        peer,
        seconds(line.get("ours_cpu_s")),
        seconds(line.get("peer_cpu_s")),
        ratio_cell(line.get("ratio")),
        target_cell(line),
        f"{megabytes(line.get('ours_peak_mb'))} / {megabytes(line.get('peer_peak_mb'))}",
        error_cell(line["operation"], size["our_errors"]),
    ]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main_table(sizes: list[Result]) -> str:
    head = [
        "states",
        "operation",
        "peer (setting)",
        "ours cpu s",
        "peer cpu s",
        "ratio [min-max]",
        "target",
        "peak MB ours / peer",
        "worst relative error",
    ]
    rows = [main_row(size, line) for size in sizes for line in size["lines"]]
    return table(head, rows)


def rest_field(task: str) -> str:
    return "no_factor_s" if task in EIGSH else "query_s"


def settings_table(sizes: list[Result]) -> str:
    rows = [
        [
            f"{size['states']:,}",
            name,
            seconds(median_of(results, "cpu_s")),
            seconds(median_of(results, "factor_s")),
            seconds(median_of(results, rest_field(name))),
            str(results[0].get("solves", 1)),
            megabytes(max(result["peak_mb"] for result in results)),
        ]
        for size in sizes
        for name, results in size["rounds"].items()
        if "factor_s" in results[0]
    ]
    head = ["states", "setting", "total s", "factor s", "rest s", "solves", "peak MB"]
    return table(head, rows)


def libraries_table(results: list[Result]) -> str:
    rows = [
        [f"{r['states']:,}", r["task"], seconds(r["cpu_s"]), megabytes(r["peak_mb"]), r["about"]]
        for r in results
    ]
    return table(["states", "library", "cpu s", "peak MB", "what it does"], rows)


def limits_of(size: Result) -> list[str]:
    """What the report says below the table about one size."""
    reference = size["reference"]
    said = {True: "complete", False: "NOT COMPLETE", None: "not verified complete"}
    lines = [
        f"- {size['states']:,} states: scipy's own error is "
        f"{reference['commute_error_of_scipy']:.1e} (commute times), "
        f"{reference['eigenvalue_error_of_scipy']:.1e} (eigenvalues); "
        f"its spectrum is {said[reference['spectrum_complete']]}."
    ]
    if size["our_errors"] is None:
        return lines
    error = max(size["our_errors"].values())
    peak = max(line["ours_peak_mb"] for line in size["lines"])
    lines.append(
        f"- {size['states']:,} states, ours: worst error {error:.1e} "
        f"(<= {ERROR_LIMIT:g}: {verdict(error, ERROR_LIMIT)}), peak {peak:.0f} MB "
        f"(<= {PEAK_LIMIT_MB:g}: {verdict(peak, PEAK_LIMIT_MB)})."
    )
    return lines


def header(about: Result) -> str:
    packages = ", ".join(f"{k} {v or 'missing'}" for k, v in about["packages"].items())
    lines = [
        f"Date {about['date']}; {about['cpu']}; Python {about['python']}; {packages}; "
        f"{about['isochrone']}; rounds: {about['rounds']}; one thread."
    ]
    if about["cholmod_blas"] is None:
        lines.append("**CHOLMOD could not be loaded: its lines are empty.**")
    else:
        lines.append(f"CHOLMOD's BLAS: `{Path(about['cholmod_blas']).parent.name}`.")
    return "\n\n".join(lines)


def report(everything: Result) -> str:
    sizes = everything["sizes"]
    notes = [line for size in sizes for line in limits_of(size)]
    return "\n\n".join(
        [
            header(everything["about"]),
            main_table(sizes),
            "\n".join(notes),
            "Every setting of the peers:",
            settings_table(sizes),
            "Graph libraries (timed once; only networkx returns a commute time):",
            libraries_table(everything["graph_libraries"]),
        ]
    )


# ------------------------------------------------------------------------- main


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else "unknown"


def describe(rounds: int, ours: Isochrone | None) -> Result:
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "system": platform.platform(),
        "rounds": rounds,
        "isochrone": ours.version() if ours else "isochrone absent",
        **run_json([sys.executable, str(HERE / "tasks.py"), "describe"]),
    }


def available_tasks(about: Result) -> set[str]:
    if about["cholmod_blas"] is not None:
        return {*SPLU, *CHOLMOD, *EIGSH}
    note("CHOLMOD (scikit-sparse) cannot be loaded: going on without it")
    return {*SPLU, *EIGSH}


def time_graph_libraries() -> list[Result]:
    results = []
    for task, wanted, about in GRAPH_LIBRARIES:
        note(f"{task} at {wanted} states")
        results.append({"task": task, "about": about, **run_peer(task, wanted)})
    return results


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", default="10000,100000,1000000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--isochrone", metavar="PATH", help="default: found on PATH")
    parser.add_argument("--json", metavar="FILE", help="write everything measured")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    ours = find_isochrone(arguments.isochrone)
    about = describe(arguments.rounds, ours)
    available = available_tasks(about)
    wanted_sizes = [int(text) for text in arguments.states.split(",")]
    everything: Result = {
        "about": about,
        "sizes": [
            compare_size(wanted, arguments.rounds, ours, available) for wanted in wanted_sizes
        ],
        "graph_libraries": time_graph_libraries(),
    }
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n")
    print(report(everything))


if __name__ == "__main__":
    main()
