"""One search over all parts: exact where a part is small, by candidates and then exact where it has lists."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.part import Found, Ids, Part

# Of so few rows each is compared: 1 ms.
_FEW = 4096
# A search for more wants most of what is near: it goes by every row.
_MOST = 1024
# How many candidates are compared exactly for k: rounding moves few of them further than that.
_TIMES, _MORE = 2, 80


def nearest(parts: Sequence[Part], query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
    """Return ids and inner products of the k nearest that are held and allowed, best first.

    Args:
        parts: What to search.
        query: float32 [dim].
        k: How many at most.
        allowed: Ids to search among, ascending; None means all.
    """
    wanted = _TIMES * k + _MORE
    found: list[Found] = [(np.empty(0, np.int64), np.empty(0, np.float32))]
    rough: list[tuple[Part, Ids, NDArray[np.float32]]] = []
    for part in parts:
        if part.lists is None or k > _MOST:
            found.append(part.search(query, k, allowed))
            continue
        chosen = None if allowed is None else part.places_of(allowed)
        if chosen is not None and len(chosen) <= _FEW:
            found.append(part.among(chosen, query, k))
        else:
            places, scores = part.lists.nearest(query, wanted, chosen=chosen, dead=part.dead)
            if len(places) < min(k, part.count if chosen is None else len(chosen)):
                found.append(part.search(query, k, allowed))
            else:
                rough.append((part, places, scores))
    if rough:
        every = np.concatenate([scores for _, _, scores in rough])
        least = np.partition(every, -wanted)[-wanted] if len(every) > wanted else -np.inf
        found += [part.among(np.sort(places[scores >= least]), query, k) for part, places, scores in rough]
    ids, products = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(-products, kind="stable")[:k]
    return ids[order], products[order]


def products(parts: Sequence[Part], query: NDArray[np.float32], allowed: Ids | None) -> Found:
    """Return ids and inner products of all that are held and allowed, in the order in which nearest() gives equal ones.

    Args:
        parts: What to look at.
        query: float32 [dim].
        allowed: Ids to look at, ascending; None means all.
    """
    found: list[Found] = [(np.empty(0, np.int64), np.empty(0, np.float32))]
    found += [part.products(query, allowed) for part in parts]
    ids, scores = (np.concatenate(each) for each in zip(*found, strict=True))
    return ids, scores
