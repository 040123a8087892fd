"""How kernels are compiled: once, then kept on disk, without Python's lock, and callable from Python and kernels only.

numba would also make each callable from C, which nobody asks for and which is 5% of the first use.
"""

from __future__ import annotations

from functools import partial

from numba import njit

compiled = partial(njit, cache=True, nogil=True, no_cfunc_wrapper=True)

inlined = partial(compiled, inline="always")
"""For the steps of one long kernel: they are put into it as if they were written there. As layers they would be optimised twice."""
