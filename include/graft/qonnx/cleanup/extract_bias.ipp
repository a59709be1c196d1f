#pragma once
#include <graft/qonnx/cleanup/extract_bias.hpp>

#include <algorithm>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/bias_operand.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass extract_bias() {
  return detail::node_sweep("extract_bias", [](Node& node, Rewriter& rewriter) {
    if ((!node.is("Conv") && !node.is("ConvTranspose")) || node.input(2) == nullptr) return detail::not_concerned();
    const std::size_t rank = std::max(node.input(1)->shape().rank(), node.output(0)->shape().rank());
    if (rank < 3) return Verdict::no("its rank is not known");
    Value& bias = *node.input(2);
    Value& product = *rewriter.clone(node, {node.input(0), node.input(1)}).output(0);
    Value& sum = rewriter.op("Add", {&product, &detail::bias_operand(bias, rank, rewriter)});
    return rewriter.replace(*node.output(0), sum);
  });
}

}  // namespace graft::inline v1::qonnx
