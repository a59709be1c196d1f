#pragma once
#include <graft/qonnx/cleanup/fold_transpose_into_quantized_constant.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass fold_transpose_into_quantized_constant() {
  return detail::node_sweep("fold_transpose_into_quantized_constant", [](Node& node, Rewriter& rewriter) {
    if (!node.is("Transpose")) return detail::not_concerned();
    Value& quantized = *node.input(0);
    if (!detail::is_quantized_constant(quantized)) return detail::not_concerned();
    const std::optional<Ints> order = detail::order_of(node);
    if (!order) return Verdict::no("its rank is not known");
    Value* const transposed = detail::permuted_constant(quantized, *order, rewriter);
    if (transposed == nullptr) return Verdict::no("the parameters of the quantizer cannot be transposed");
    return rewriter.replace(*node.output(0), *transposed);
  });
}

}  // namespace graft::inline v1::qonnx
