#pragma once
#include <graft/lower/four_d/flatten_to_reshape.hpp>

#include <graft/config.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass flatten_to_reshape() {
  return detail::surgery_of_nodes("flatten_to_reshape", {"Flatten"}, [](const detail::Surgery& at) {
    if (at.node.input(0) == nullptr) return Verdict::no("it reads nothing");
    return at.rewriter.replace(*at.node.output(0),
                               at.op_with("Reshape", *at.node.input(0), {{"shape", {1, 1, 1, -1}}}, {}, "reshape"));
  });
}

}  // namespace graft::inline v1
