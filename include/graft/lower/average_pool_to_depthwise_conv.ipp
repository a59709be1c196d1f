#pragma once
#include <graft/lower/average_pool_to_depthwise_conv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Ints pads_of_mean(const Node& pool, const Ints& kernel) {
  return pool.attr<Ints>("pads").value_or(Ints(2 * kernel.size(), 0));
}

inline Ints strides_of_mean(const Node& pool, const Ints& kernel) {
  return pool.attr<Ints>("strides").value_or(Ints(kernel.size(), 1));
}

inline Verdict averages_alike(const Value& input, const Node& pool, const Ints& kernel) {
  const Shape from = input.shape();
  if (from.rank() != kernel.size() + 2 || !from[1].known() || from[1] == Dim(0))
    return Verdict::no("the channels are not known");
  if (input.producer() == nullptr) return Verdict::no("no node makes what it reads");
  if (std::any_of(kernel.begin(), kernel.end(), [](std::int64_t extent) { return extent < 1; }))
    return Verdict::no("the kernel is empty");
  return pads_of_mean(pool, kernel) == Ints(2 * kernel.size(), 0) || pool.attr<std::int64_t>("count_include_pad") == 1
             ? Verdict::yes()
             : Verdict::no("means at the border are of fewer values");
}

inline Tensor weight_of_mean(const Value& input, const Ints& kernel) {
  Dims dims{input.shape()[1].value(), 1};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  const float part = 1 / static_cast<float>(element_count(kernel));
  return Tensor::of<float>(dims, std::vector<float>(static_cast<std::size_t>(element_count(dims)), part));
}

inline std::int64_t groups_of_mean(const Value& input) { return input.shape()[1].value(); }

inline constexpr auto mean_pool = node<"mean_pool">;
inline constexpr auto mean_kernel = attr<"kernel_shape", Ints>.named<"mean_kernel">();
inline constexpr auto mean_strides = attr<"strides", Ints>.named<"mean_strides">();
inline constexpr auto mean_pads = attr<"pads", Ints>.named<"mean_pads">();
inline constexpr auto mean_counts_pads = attr<"count_include_pad", std::int64_t>.named<"mean_counts_pads">();
inline constexpr auto mean_group = attr<"group", std::int64_t>.named<"mean_group">();

inline constexpr auto average_pool_to_depthwise_conv = rule<"average-pool-to-depthwise-conv">(
    op<"AveragePool">(x.dtype(DType::f32))
        .with(mean_kernel, opt(mean_strides), opt(mean_pads), opt(mean_counts_pads))
        .as(mean_pool),
    where(predicate<averages_alike>("")(x, mean_pool, mean_kernel)),
    op<"Conv">(x, tensor<weight_of_mean>(x, mean_kernel))
        .with(mean_group = call<groups_of_mean>(x), mean_kernel,
              mean_strides = call<strides_of_mean>(mean_pool, mean_kernel),
              mean_pads = call<pads_of_mean>(mean_pool, mean_kernel)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView average_pool_to_depthwise_conv =
    vocabulary::average_pool_to_depthwise_conv.view();

}  // namespace graft::inline v1
