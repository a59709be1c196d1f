#pragma once
#include <graft/qonnx/cleanup/sub_to_add.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// The least integer stays what it is, and so does what it is added to, both modulo their range.
inline Tensor negated(const Tensor& constant) {
  if (is_float(constant.dtype())) {
    std::vector<double> values = constant.to<double>();
    for (double& value : values) value = -value;
    return Tensor::of(constant.dtype(), constant.dims(), values);
  }
  std::vector<std::int64_t> values = constant.to<std::int64_t>();
  const std::int64_t least = constant.dtype() == DType::i32 ? INT32_MIN : INT64_MIN;
  for (std::int64_t& value : values)
    if (value != least) value = -value;
  return Tensor::of(constant.dtype(), constant.dims(), values);
}

inline constexpr auto sub_to_add = rule<"sub-to-add">(
    op<"Sub">(x, c.dtype(DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64)).as(outer),
    op<"Add">(x, tensor<negated>(c)).like(outer));

}  // namespace vocabulary

namespace qonnx {

GRAFT_INLINE constinit const RuleView sub_to_add = vocabulary::sub_to_add.view();

GRAFT_INLINE Pass subs_to_adds() { return on_typed_graph("subs_to_adds", sweep(sub_to_add)); }

}  // namespace qonnx

}  // namespace graft::inline v1
