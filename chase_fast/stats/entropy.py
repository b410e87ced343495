"""The entropy of a choice, from how often each option was taken."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from chase_fast.stats.arrays import histogram


def miller_madow(counts: npt.ArrayLike) -> float:
    """Entropy in bits, with the correction for small samples.

    The entropy of observed shares is too small on average, by about (K - 1) / (2 n) nats where K
    options can occur. K is taken to be the number of options seen.

    Args:
        counts: How often each option was taken, one of them above 0, shape (k,).

    Raises:
        ArgumentError: They are no such counts.

    Source: G. A. Miller, Note on the bias of information estimates, in H. Quastler (editor),
    Information Theory in Psychology (1955), 95-100.

    >>> round(miller_madow([50, 50]), 4)
    1.0072
    """
    seen = histogram(counts, "counts")
    seen = seen[seen > 0]
    total = int(seen.sum())
    shares = seen / total
    plain = -float(shares @ np.log2(shares))
    return abs(plain) + (len(seen) - 1) / (2 * total * math.log(2))
