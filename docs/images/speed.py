"""The bar chart of the README: the time that others take for the same work, in multiples of ours, read from docs/benchmarks.md.

    pip install matplotlib
    python docs/images/speed.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent
OURS, THEIRS = "#1b7f5c", "#c2571a"


def cells(*beginning: str) -> list[str]:
    """The row of a table in the book that begins with these cells."""
    for line in (HERE.parent / "benchmarks.md").read_text().splitlines():
        row = [cell.strip() for cell in line.strip("| ").split("|")]
        if row[: len(beginning)] == list(beginning):
            return row
    raise SystemExit(f"docs/benchmarks.md has no row {beginning}")


def first(cell: str) -> float:
    """Its first number."""
    return float(cell.split()[0].replace(",", ""))


def ratios() -> list[tuple[str, float]]:
    """What is compared, and their time over ours."""
    scipy = cells("1,000,323", "factor+query", "scipy splu (splu-colamd)")
    images = first(cells("isochrone, pairs")[2])
    bars = [
        ("exact times of 10⁶ states: SciPy", first(scipy[4]) / first(scipy[3])),
        ("update of SAC, 2 × 64: Stable-Baselines3", first(cells("2 × 64")[3])),
        ("update of SAC, 2 × 256: Stable-Baselines3", first(cells("2 × 256")[3])),
    ]
    for batch, program in (
        ("32", "PyTorch, eager"), ("32", "JAX, `jit`"), ("32", "JAX, `lax.scan` of 100 steps"),
        ("8,192", "PyTorch, `torch.compile`, fused Adam"), ("8,192", "JAX, `jit`"),
    ):  # fmt: skip
        name = program.replace("`", "").replace(", fused Adam", "").replace(" of 100 steps", "").replace(", ", " ")
        bars.append((f"distance, batch of {batch}: {name}", first(cells(batch, program)[3])))
    return [*bars, ("convolutions over 128 images: PyTorch", 1 / images)]


def main() -> None:
    bars = ratios()[::-1]
    figure, axes = plt.subplots(figsize=(8, 3.4))
    places = range(len(bars))
    axes.barh(places, [ratio - 1 for _, ratio in bars], left=1, color=[OURS if ratio > 1 else THEIRS for _, ratio in bars])
    for place, (_, ratio) in zip(places, bars, strict=True):
        beside = {"x": ratio * 1.04} if ratio > 1 else {"x": ratio / 1.04, "ha": "right"}
        axes.text(**beside, y=place, s=f"{ratio:.2g}", va="center", fontsize=9)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(list(places), [name for name, _ in bars], fontsize=9)
    axes.set_xscale("log")
    axes.set_xticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    axes.minorticks_off()
    axes.set_xlim(0.27, 9)
    axes.set_xlabel("their time ÷ ours, one thread (green: ours is faster)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"] = "speed"
    figure.savefig(HERE / "speed.svg", metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
