"""One fuzzer in this process, which ends with its time or with what it found: what ``hunt`` starts."""

import argparse
import base64
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from campaign.fuzz.corpus import TARGETS, kept_inputs

_INSTRUMENTED = ["licet.model", "licet.policy", "licet.schema", "licet.runtime.receive", "licet.workspace"]
_ONE_INPUT_S = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m campaign.fuzz.target", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="a folder for what it needs and what it finds")
    parser.add_argument("--planted", action="store_true", help="with a bug, to see that it is found")
    parser.add_argument("--replay", help="only this input, in base64")
    chosen = parser.parse_args()
    if chosen.replay is not None:
        _module(chosen.target, chosen.planted).check(base64.b64decode(chosen.replay))
        return
    import atheris  # type: ignore[import-untyped]

    with atheris.instrument_imports(include=_INSTRUMENTED):
        module = _module(chosen.target, chosen.planted)
    atheris.Setup(_command(chosen, module), module.check)
    atheris.Fuzz()


def _module(target: str, planted: bool) -> Any:
    module = import_module(f"campaign.fuzz.{target}")
    if planted:
        module.FLAW.plant()
    return module


def _command(chosen: argparse.Namespace, module: Any) -> list[str]:
    """libFuzzer's words: a first corpus that it may write, then those that it only reads."""
    work: Path = chosen.work
    words, seeds, found, grown = work / "words", work / "seeds", work / "found", work / "grown"
    for folder in (seeds, found, grown):
        folder.mkdir(parents=True, exist_ok=True)
    words.write_text("".join(f"{_quoted(word)}\n" for word in module.WORDS))
    for number, seed in enumerate(module.FLAW.seeds if chosen.planted else module.SEEDS):
        (seeds / str(number)).write_bytes(seed.encode("utf-8", "surrogateescape"))
    for number, kept in enumerate([] if chosen.planted else kept_inputs(chosen.target)):
        (seeds / f"kept-{number}").write_bytes(kept)
    return [
        sys.argv[0],
        f"-max_total_time={chosen.seconds}",
        f"-seed={chosen.seed}",
        f"-max_len={module.MOST_BYTES}",
        f"-dict={words}",
        f"-artifact_prefix={found}/",
        f"-timeout={_ONE_INPUT_S}",
        "-print_final_stats=1",
        str(grown),
        str(seeds),
    ]


def _quoted(word: str) -> str:
    data = word.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\x{b:02x}" for b in data) + '"'


if __name__ == "__main__":
    main()
