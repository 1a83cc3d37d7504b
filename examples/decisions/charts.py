"""The charts of the story, as PNG and SVG: the simulated outcome of each action, and the months behind it."""

from pathlib import Path
from typing import Any


def draw(found: dict[str, Any], folder: Path) -> list[str]:
    """Writes ``outcome.png`` and ``outcome.svg``; their names. Each option is a line from p5 to p95 with its mean."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "licet"
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    outcome, months = figure.subplots(1, 2, width_ratios=(3, 2))
    options = found["plan"]["options"]
    for place, one in enumerate(options):
        risk, mean = one["risk"], one["expected_value"]["value"]
        low, high = risk["p5_downside"]["value"], risk["p95_upside"]["value"]
        best = one["action"] == found["plan"]["recommended_action"]
        colour = "#1f6f5c" if best else "#9aa5a1"
        outcome.plot((low, high), (place, place), color=colour, linewidth=9, solid_capstyle="butt")
        outcome.plot(mean, place, "o", color="white", markeredgecolor="black")
        outcome.annotate(f"{mean:,.0f}", (mean, place), xytext=(0, 10), textcoords="offset points", ha="center")
    outcome.set_yticks(range(len(options)), [one["action"] for one in options])
    outcome.margins(x=0.08)
    outcome.set_ylim(-0.6, len(options) - 0.2)
    outcome.set_xlabel(f"{options[0]['expected_value']['unit']}: 5th to 95th percentile, and mean")
    outcome.set_title("What a winter month brings", loc="left")
    sold = found["sold"]["months"]
    months.bar(list(sold), list(sold.values()), color="#c98b2b", width=0.6)
    months.set_ylabel("desk lamps sold")
    months.set_title("Last winter", loc="left")
    for axes in (outcome, months):
        axes.spines[["top", "right"]].set_visible(False)
    names = ["outcome.png", "outcome.svg"]
    figure.savefig(folder / names[0], dpi=150)
    figure.savefig(folder / names[1], metadata={"Date": None})
    return names
