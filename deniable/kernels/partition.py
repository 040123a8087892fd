"""Splitting rows so that every part stays deniable: distances, what a part must meet, and the best partition of an attribute.

Counts are held as running sums: the part from i to j of a table has counts hi[j] - lo[i]. `rules` is a tuple that every function hands
on: (xlog, views, outcomes, need, caps, whole, scratch). `xlog[c]` is c log2 c; a view maps the labels to the answers of one attribute
(the first view is the labels themselves), `outcomes` is how many answers it has. `need` is (fewest rows, largest skew) and then, for each
view, (least entropy in bits, largest share of an answer among those who did not give another one). `caps` is the largest share of each
answer in each view; `whole` are the shares of all rows; `scratch` is room to count in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

SLACK = 1e-10
"""Bits of entropy a row that rounding may cost."""
BLOCK = 256
"""So many parts are valued in one go."""


@compiled(error_model="numpy")
def part_value(kind: int, hi: Any, j: int, lo: Any, i: int, base: Any) -> float:
    """Rows of the part times the distance of its shares to `base`: squared, euclidean, cosine, total variation or chi-square."""
    labels = base.size
    n = 0
    for z in range(labels):
        n += hi[j, z] - lo[i, z]
    distance = 0.0
    if kind == 2:
        squares = 0.0
        both = 0.0
        other = 0.0
        for z in range(labels):
            c = hi[j, z] - lo[i, z]
            squares += float(c) * c
            both += c * base[z]
            other += base[z] * base[z]
        return float(n * max(0.0, 1.0 - both / np.sqrt(squares * other)))
    for z in range(labels):
        apart = hi[j, z] - lo[i, z] - n * base[z]
        if kind == 3:
            distance += abs(apart)
        elif kind == 4:
            if base[z] > 0:
                distance += apart * apart / base[z]
        else:
            distance += apart * apart
    if kind == 0:
        return float(distance / (n * labels))
    if kind == 1:
        return float(np.sqrt(distance) / labels)
    if kind == 3:
        return distance / 2
    return float(distance / n)


@compiled(error_model="numpy")
def admissible(hi: Any, j: int, lo: Any, i: int, rules: Any, slack: float) -> bool:
    """Whether a part has the rows, the entropy in every view, and the shares that it must have."""
    xlog, views, outcomes, need, caps, whole, scratch = rules
    labels = views.shape[1]
    n = 0
    for z in range(labels):
        n += hi[j, z] - lo[i, z]
    if n < need[0, 0] or n == 0:
        return False
    for v in range(views.shape[0]):
        for a in range(outcomes[v]):
            scratch[a] = 0
        for z in range(labels):
            scratch[views[v, z]] += hi[j, z] - lo[i, z]
        spread = xlog[n]
        largest = 0
        second = 0
        for a in range(outcomes[v]):
            with_answer = scratch[a]
            spread -= xlog[with_answer]
            if with_answer > (caps[v, a] + slack) * n:
                return False
            if with_answer > largest:
                second = largest
                largest = with_answer
            elif with_answer > second:
                second = with_answer
        # Ruling out the second answer leaves the first the surest. For every pair of answers this is linear in the counts.
        if spread < (need[v + 1, 0] - slack) * n or largest > (need[v + 1, 1] + slack) * (n - second) + slack * n:
            return False
    if need[0, 1] < 1:
        apart = 0.0
        for z in range(labels):
            apart += abs(hi[j, z] - lo[i, z] - n * whole[z])
        if apart / 2 > (need[0, 1] + slack) * n:
            return False
    return True


@compiled(error_model="numpy")
def lay_out(kind: int, prefix: Any, values: int, base: Any, apart: Any, rows: Any) -> None:
    """Running sums of rows and, label by label, of what the distance compares: differences of two are those of a part."""
    for j in range(values + 1):
        n = 0
        for z in range(base.size):
            n += prefix[j, z]
        rows[j] = n
    for z in range(base.size):
        if kind == 2:
            for j in range(values + 1):
                apart[z, j] = prefix[j, z]
        else:
            scale = 1.0
            if kind == 4:
                scale = 1 / np.sqrt(base[z]) if base[z] > 0 else 0.0
            for j in range(values + 1):
                apart[z, j] = (prefix[j, z] - rows[j] * base[z]) * scale


@compiled(error_model="numpy", fastmath={"nsz", "contract", "arcp"})
def block_values(kind: int, apart: Any, rows: Any, base: Any, begin: int, length: int, j: int, out: Any, both: Any) -> None:
    """part_value of the parts from begin, begin + 1, ... to j. Plain loops over side by side numbers: the compiler does several at once."""
    labels = base.size
    stop = begin + length
    n = rows[j] - rows[begin:stop]
    out[:length] = 0.0
    if kind == 3:
        for z in range(labels):
            starts = apart[z, begin:stop]
            end = apart[z, j]
            for b in range(length):
                out[b] += abs(end - starts[b])
        for b in range(length):
            out[b] *= 0.5
        return
    for z in range(labels):
        starts = apart[z, begin:stop]
        end = apart[z, j]
        for b in range(length):
            out[b] += (end - starts[b]) * (end - starts[b])
    if kind == 0:
        for b in range(length):
            out[b] /= n[b] * labels
    elif kind == 1:
        for b in range(length):
            out[b] = np.sqrt(out[b]) / labels
    elif kind == 4:
        for b in range(length):
            out[b] /= n[b]
    else:
        other = 0.0
        both[:length] = 0.0
        for z in range(labels):
            other += base[z] * base[z]
            starts = apart[z, begin:stop]
            end = apart[z, j]
            for b in range(length):
                both[b] += (end - starts[b]) * base[z]
        for b in range(length):
            out[b] = n[b] * max(0.0, 1.0 - both[b] / np.sqrt(out[b] * other))


@compiled(error_model="numpy")
def best_cuts(kind: int, prefix: Any, values: int, base: Any, rules: Any, prune: bool, room: Any) -> float:
    """The best way to cut ordered values into admissible parts (003, Algorithm 1, corrected); -1 if there is none.

    dp[j] = max over i < j, part (i, j] admissible, of dp[i] + value(i, j). `prefix` holds running counts over the distinct values, so equal
    values stay together. `room` is (dp, bound, back, apart, rows); afterwards back[j] is where the part that ends at j begins.

    Two shortcuts, both exact. (1) What a part must meet survives merging (entropy is concave, all else is linear in the counts or convex in
    the shares), so a cut can only lie where all values up to it, and all after it, are admissible. (2) With `prune`, for distances that
    are convex (all but cosine), value(i', j) <= value(i', i) + value(i, j): no part that begins before i can give more than
    bound[i] + value(i, j), bound[i] being the most that any part ending at i gives, admissible or not. Once the best so far is above
    that, the loop may stop.
    """
    dp, bound, back, apart, rows = room
    none: Any = np.int64(0)
    lay_out(kind, prefix, values, base, apart, rows)
    worths = np.empty(BLOCK)
    both = np.empty(BLOCK)
    dp[0] = 0.0
    bound[0] = -np.inf
    back[0] = 0
    for j in range(1, values + 1):
        dp[j] = -np.inf
        bound[j] = np.inf
        back[j] = 0
        # A little more slack than for parts: rounding must not forbid what parts allow.
        if j < values and not (
            admissible(prefix, j, prefix, none, rules, 3 * SLACK) and admissible(prefix, values, prefix, j, rules, 3 * SLACK)
        ):
            continue
        best = -np.inf
        free = -np.inf
        stop = j
        while stop > 0:
            begin = max(0, stop - BLOCK)
            length = stop - begin
            block_values(kind, apart, rows, base, begin, length, j, worths, both)
            first = worths[0]
            most = -np.inf
            before = dp[begin:stop]
            for b in range(length):
                worths[b] += before[b]
            for b in range(length):
                most = max(most, worths[b])
            free = max(free, most)
            if most > best:
                for b in range(length - 1, -1, -1):
                    if worths[b] > best and admissible(prefix, j, prefix, begin + b, rules, SLACK):
                        best = worths[b]
                        back[j] = begin + b
            if prune and best > bound[begin] + first + 1e-9 * max(1.0, best):
                free = max(free, bound[begin] + first)
                break
            stop = begin
        dp[j] = best
        bound[j] = free
    return dp[values] if dp[values] > -np.inf else -1.0


@compiled(error_model="numpy")
def parts_from_cuts(values: int, back: Any, order: Any, part: Any) -> int:
    """Number the parts that `best_cuts` found from the lowest up; returns how many there are. `order` is the one they were cut in."""
    count = 0
    j = values
    while j > 0:
        count += 1
        j = back[j]
    j = values
    part_number = count
    while j > 0:
        part_number -= 1
        for i in range(back[j], j):
            part[order[i]] = part_number
        j = back[j]
    return count


@compiled(error_model="numpy")
def best_groups(kind: int, prefix: Any, values: int, base: Any, rules: Any, part: Any) -> tuple[float, int]:
    """The best way to group a few unordered values into admissible parts, over all groupings (3^values steps)."""
    masks = 1 << values
    none: Any = np.int64(0)  # a plain zero would be a type of its own, and what it is handed to would be compiled twice
    counts = np.zeros((masks, base.size), np.int32)
    worth = np.full(masks, -1.0)
    for mask in range(1, masks):
        low = 0
        while not mask >> low & 1:
            low += 1
        for z in range(base.size):
            counts[mask, z] = counts[mask & (mask - 1), z] + prefix[low + 1, z] - prefix[low, z]
        if admissible(counts, mask, counts, none, rules, SLACK):
            worth[mask] = part_value(kind, counts, mask, counts, none, base)
    best = np.full(masks, -np.inf)
    chosen = np.zeros(masks, np.int64)
    best[0] = 0.0
    for mask in range(1, masks):
        lowest = mask & -mask
        block = mask
        while block:
            if block & lowest and worth[block] >= 0 and best[mask ^ block] + worth[block] > best[mask]:
                best[mask] = best[mask ^ block] + worth[block]
                chosen[mask] = block
            block = (block - 1) & mask
    if best[masks - 1] == -np.inf:
        return -1.0, 0
    left = masks - 1
    count = 0
    while left:
        for i in range(values):
            if chosen[left] >> i & 1:
                part[i] = count
        left ^= chosen[left]
        count += 1
    return best[masks - 1], count


@compiled(error_model="numpy")
def order_by_shares(prefix: Any, values: int) -> Any:
    """An order of unordered values in which neighbours have like shares: by the main direction in which shares differ.

    For two labels this is the order by share, in which the best parts lie side by side; for more it is a good order, not a proof.
    """
    labels = prefix.shape[1]
    shares = np.empty((values, labels))
    weight = np.empty(values)
    centre = np.zeros(labels)
    total = 0.0
    for i in range(values):
        n = 0
        for z in range(labels):
            n += prefix[i + 1, z] - prefix[i, z]
        weight[i] = n
        total += n
        for z in range(labels):
            shares[i, z] = (prefix[i + 1, z] - prefix[i, z]) / n
            centre[z] += prefix[i + 1, z] - prefix[i, z]
    for z in range(labels):
        centre[z] /= total
    spread = np.zeros((labels, labels))
    for i in range(values):
        for a in range(labels):
            for b in range(labels):
                spread[a, b] += weight[i] * (shares[i, a] - centre[a]) * (shares[i, b] - centre[b])
    direction = np.empty(labels)
    turned = np.empty(labels)
    for a in range(labels):
        direction[a] = a + 1.0
    for _ in range(100):
        length = 0.0
        for a in range(labels):
            turned[a] = 0.0
            for b in range(labels):
                turned[a] += spread[a, b] * direction[b]
            length += turned[a] * turned[a]
        if length == 0:
            break
        for a in range(labels):
            direction[a] = turned[a] / np.sqrt(length)
    # By insertion, which keeps equals in their order: there are at most a thousand categories, and it compiles at once.
    along = np.empty(values)
    order = np.empty(values, np.int64)
    for i in range(values):
        projection = 0.0
        for z in range(labels):
            projection += shares[i, z] * direction[z]
        at = i
        while at > 0 and along[at - 1] > projection:
            along[at] = along[at - 1]
            order[at] = order[at - 1]
            at -= 1
        along[at] = projection
        order[at] = i
    return order
