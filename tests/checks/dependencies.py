"""The headers include the standard library, protobuf, ONNX's definitions and Eigen, and nothing else."""

import re

from house import OPTIONAL, headers, includes, report

# What the standard library and POSIX call their headers: no folder, or sys/.
STANDARD = re.compile(r"<(sys/)?[a-z_0-9]+(\.h)?>")
# Missing in g++ 12 or clang 14, or there to print with.
REFUSED = {"<format>", "<print>", "<expected>", "<source_location>", "<ranges>", "<iostream>"}
THIRD_PARTY = ("<Eigen/", "<unsupported/Eigen/", "<google/protobuf/")
# Each is included in one place: the first so that its warnings are silenced once, the second because it is optional.
ONE_PLACE = {"<onnx/onnx_pb.h>": "graft/graph/onnx.hpp", "<onnxruntime_c_api.h>": "graft/evaluate/onnxruntime_api.hpp"}


def faults():
    for header in headers():
        for line, spelling in includes(header):
            if spelling.strip("<>") in map(str, OPTIONAL) and header not in OPTIONAL:
                yield f"{header}:{line}: {spelling} is optional and may not be included here"
            if spelling.startswith("<graft/") or spelling.startswith(THIRD_PARTY):
                continue
            if spelling in ONE_PLACE:
                if str(header) != ONE_PLACE[spelling]:
                    yield f"{header}:{line}: {spelling} is included by {ONE_PLACE[spelling]} only"
            elif spelling in REFUSED or not STANDARD.fullmatch(spelling):
                yield f"{header}:{line}: {spelling} may not be included here"


report(faults())
