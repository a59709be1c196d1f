"""Every header that is not of its folder alone compiles on its own, without a warning.

One that lacks an include compiles only behind a header that brings what it lacks. So a few units include the headers in
several orders: behind no header that it does not include does a header stand in all of them.
"""

import concurrent.futures
import os

from house import headers, own_includes, report, warnings

BASE = ["onnx/onnx_pb.h", "Eigen/Core"]


def closures():
    """By public header, the public headers that it includes, directly or not."""
    direct = {header: set(own_includes(header)) for header in headers()}
    public = {header for header in direct if "detail" not in header.parts and header.stem != "separate"}
    result = {}
    for header in sorted(public):
        seen, left = {header}, [header]
        while left:
            fresh = direct[left.pop()] - seen
            seen |= fresh
            left += fresh
        result[header] = (seen & public) - {header}
    return result


def orders(closure):
    """Each with headers behind those that they include, and no longer than it takes to bring something new."""
    apart = {header: {other for other in closure if other != header and other not in closure[header]
                      and header not in closure[other]} for header in closure}
    while any(apart.values()):
        order, left, useful = [], set(closure), 0
        while left:
            # The one that has still to be in front of most others.
            next_one = max(sorted(left), key=lambda header: len(apart[header] & left))
            for header in sorted(closure[next_one] & left, key=lambda header: len(closure[header])) + [next_one]:
                left.remove(header)
                order.append(header)
                if apart[header] & left:
                    useful = len(order)
                    apart[header] -= left
        yield order[:useful]


def faults():
    units = ["".join(f"#include <{name}>\n" for name in BASE + order) for order in orders(closures())]
    print(f"{len(units)} orders")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(warnings, units))


report(faults())
