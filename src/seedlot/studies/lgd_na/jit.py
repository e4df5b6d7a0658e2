"""The decorator of all compiled kernels, and where their machine code is kept.

numba keys its disk cache by the file of the function, not by the files of the functions it calls, and would
run old code after an edit. So the cache folder carries a digest of all modules with kernels. It lies in
NUMBA_CACHE_DIR when that is set (on a cluster: a folder all nodes share; entries are keyed by CPU kind too),
else beside the modules, and numba falls back to the user's own cache when that cannot be written.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numba

HERE = Path(__file__).resolve().parent


def source_digest() -> str:
    """Digest of the source text of every module in this package that has kernels, 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(HERE.rglob("*.py")):
        text = path.read_bytes()
        if b"\n@kernel" in text:
            digest.update(path.name.encode() + b"\n" + text)
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    base = os.environ.get("NUMBA_CACHE_DIR")
    if not base and not os.access(HERE, os.W_OK):
        return ""
    return str(Path(base or HERE / "__pycache__") / f"lgd_na-{source_digest()}")


def kernel(function=None, signature=None):
    """Compile a function with numba in nopython mode, kept on disk. Usable as @kernel or @kernel(signature=...)."""
    if function is None:
        return lambda function: kernel(function, signature)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _FOLDER or before
    try:
        return numba.njit(signature, cache=True)(function) if signature else numba.njit(cache=True)(function)
    finally:
        numba.config.CACHE_DIR = before


def is_cold() -> bool:
    """Whether nothing of the present source is compiled yet, as far as the cache folder tells."""
    return bool(_FOLDER) and not Path(_FOLDER).is_dir()


_FOLDER = _cache_folder()
