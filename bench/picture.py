"""The kept figures as one picture: a call in microseconds beside the peers', and every figure against its must."""

from html import escape
from typing import Any

WIDTH, LABELS, BARS, ROW = 900, 410, 330, 22
MOST = 1.3
"""How far to the right the lower bars reach, in units of the must; what is longer is cut there."""

CALLS = {
    "limit: the bare function": "the bare function, nothing around it",
    "licet": "licet: granted, validated, on the ledger, rendered",
    "openai-agents": "openai-agents on_invoke_tool",
    "mcp": "mcp SDK, direct call",
    "pydantic-ai": "pydantic-ai ToolManager.handle_call",
    "llama-index": "llama-index acall",
    "fastmcp": "FastMCP, direct call",
    "langchain": "LangChain ainvoke",
}
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px }
.small { font-size: 12px; fill: #59636e }
.aim { fill: #1a7f37 } .must { fill: #0969da } .beyond { fill: #cf222e } .peer { fill: #afb8c1 }
.line { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 4 3 }
.limit { fill: #cf222e; font-size: 12px }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 }
  .aim { fill: #3fb950 } .must { fill: #58a6ff } .beyond, .limit { fill: #f85149 } .peer { fill: #59636e }
  .line { stroke: #f85149 }
}
"""


def svg(documents: dict[str, dict[str, Any]]) -> str:
    drawn: list[str] = []
    if any(document["busy"] for document in documents.values()):
        drawn.append(_text(WIDTH, 18, "taken on a busy machine: a draft", "limit", end=True))
    bottom = _calls(drawn, documents["core"]["medians"], 0) if "core" in documents else 0
    bottom = _musts(drawn, documents, bottom + 14)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 8}" role="img" '
        f'aria-label="Measured: licet against its peers">\n<style>{STYLE}</style>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _calls(drawn: list[str], medians: dict[str, float], top: int) -> int:
    drawn.append(_text(0, top + 18, "One tool call, in microseconds (shorter is better)", "title"))
    rows = sorted((medians[case], case) for case in CALLS if case in medians)
    most = max(value for value, _ in rows)
    y = top + 30
    for value, case in rows:
        length = max(1.5, value / most * BARS)
        drawn.append(_text(LABELS - 10, y + 15, CALLS[case], end=True))
        drawn.append(_bar(y, length, "aim" if case == "licet" else "peer"))
        drawn.append(_text(LABELS + length + 8, y + 15, f"{value:.3g}"))
        y += ROW
    return y


def _musts(drawn: list[str], documents: dict[str, dict[str, Any]], top: int) -> int:
    figures = [one for document in documents.values() for one in document["figures"] if one["must"] is not None]
    line = LABELS + BARS / MOST
    drawn.append(_text(0, top + 18, "Every ratio against what it must not exceed", "title"))
    drawn.append(_text(0, top + 36, "green: as good as aimed for, blue: within its must, red: beyond it", "small"))
    drawn.append(_text(line, top + 36, "must", "limit", middle=True))
    y = first = top + 44
    for one in figures:
        drawn.append(_text(LABELS - 10, y + 15, one["name"], end=True, fits=LABELS - 12))
        if one["median"] is None:
            drawn.append(_text(LABELS, y + 15, "skipped: the peer was not installed", "small"))
        else:
            good = one["aim"] is not None and one["median"] <= one["aim"]
            kind = "beyond" if one["median"] > one["must"] else "aim" if good else "must"
            drawn.append(_bar(y, max(1.5, min(one["median"] / one["must"], MOST) / MOST * BARS), kind))
            drawn.append(_text(LABELS + BARS + 10, y + 15, f"{one['median']:.3g} (must {one['must']:.3g})"))
        y += ROW
    drawn.append(f'<line class="line" x1="{line:.1f}" y1="{first}" x2="{line:.1f}" y2="{y}"/>')
    return y


def _bar(y: int, length: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{LABELS}" y="{y + 3}" width="{length:.1f}" height="{ROW - 6}" rx="2"/>'


def _text(
    x: float, y: int, text: str, kind: str = "", *, end: bool = False, middle: bool = False, fits: int = 0
) -> str:
    anchor = ' text-anchor="end"' if end else ' text-anchor="middle"' if middle else ""
    named = f' class="{kind}"' if kind else ""
    squeezed = f' textLength="{fits}" lengthAdjust="spacingAndGlyphs"' if fits and len(text) * 6.6 > fits else ""
    return f'<text x="{x:.1f}" y="{y}"{named}{anchor}{squeezed}>{escape(text, quote=False)}</text>'
