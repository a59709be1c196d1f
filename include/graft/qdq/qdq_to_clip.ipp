#pragma once
#include <graft/qdq/qdq_to_clip.hpp>

#include <cmath>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/detail/pair.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::strip {

inline Verdict has_one_range(const Node& node) {
  const std::optional<Tensor> scale = constant_input(node, 1), zero_point = constant_input(node, 2);
  if (scale->size() != 1 || (zero_point && zero_point->size() != 1))
    return Verdict::no("it has several scales, so several ranges");
  const auto step = scale->item<float>();
  if (!(step > 0) || !std::isfinite(step)) return Verdict::no("its scale is not positive and finite");
  const DType dtype = quantized_dtype(node);
  return is_integer(dtype) && bits(dtype) <= 16 ? Verdict::yes()
                                                : Verdict::no("it is not quantized to integers of at most 16 bits");
}

/// The dequantized end of the dtype's range.
inline float dequantized_end(const Node& node, std::int64_t end) {
  const std::optional<Tensor> zero_point = constant_input(node, 2);
  const std::int64_t zero = zero_point ? zero_point->item<std::int64_t>() : 0;
  return static_cast<float>(end - zero) * constant_input(node, 1)->item<float>();
}

inline float lower_bound(const Node& node) { return dequantized_end(node, lowest(quantized_dtype(node))); }

inline float upper_bound(const Node& node) { return dequantized_end(node, highest(quantized_dtype(node))); }

inline constexpr auto bound_below = param<"min", float>;
inline constexpr auto bound_above = param<"max", float>;

inline constexpr auto qdq_to_clip =
    rule<"qdq-to-clip">(pair, where(of_float, of_same_parameters, predicate<has_one_range>("")(dq)),
                        op<"Clip">(x).with(bound_below = call<lower_bound>(dq), bound_above = call<upper_bound>(dq)))
        .changes_values("rounding to steps of scale");

}  // namespace detail::strip

GRAFT_INLINE constinit const RuleView qdq_to_clip = detail::strip::qdq_to_clip.view();

GRAFT_INLINE Pass qdq_to_clips() { return on_typed_graph("qdq_to_clips", sweep(qdq_to_clip).preserves_all()); }

}  // namespace graft::inline v1
