#pragma once
#include <graft/qonnx/ops/kernels/multi_threshold.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE std::size_t threshold_axis(const Node& node, std::size_t rank) {
  const std::string layout = node.attr<std::string>("data_layout").value_or("");
  if (layout.empty()) return rank == 3 ? 2 : 1;
  if (layout.size() != rank)
    throw Error("layout " + layout + " of an input of rank " + std::to_string(rank)).field("data_layout");
  const std::size_t channels = layout.find('C');
  return channels == std::string::npos ? 1 : channels;
}

namespace detail {

/// How many of ascending thresholds are not above x.
inline std::size_t count_reached(const std::vector<float>& thresholds, float x) {
  std::size_t first = 0, count = thresholds.size();
  while (count > 0) {  // the first that is above lies in [first, first + count]
    const std::size_t half = count / 2;
    const bool reached = x >= thresholds[first + half];
    first = reached ? first + half + 1 : first;
    count = reached ? count - half - 1 : half;
  }
  return first;
}

}  // namespace detail

GRAFT_INLINE void multi_threshold_kernel(KernelContext& ctx) {
  const Tensor thresholds = ctx.input(1);
  const Dims dims = ctx.input(0).dims();
  const std::size_t axis = threshold_axis(ctx.node(), dims.size());
  if (axis >= dims.size()) throw Error("the input of dims " + graft::to_string(dims) + " has no axis of channels");
  const std::int64_t channels = dims[axis];
  if (thresholds.rank() != 2 || (thresholds.dims()[0] != channels && thresholds.dims()[0] != 1))
    throw Error("its dims " + graft::to_string(thresholds.dims()) + " do not fit " + std::to_string(channels) +
                " channels")
        .field("thresholds");
  const double out_scale = ctx.attr_or<float>("out_scale", 1);
  const float out_bias = ctx.attr_or<float>("out_bias", 0);

  const auto steps = static_cast<std::size_t>(thresholds.dims()[1]);
  std::vector<std::vector<float>> ascending(static_cast<std::size_t>(thresholds.dims()[0]));
  for (std::size_t c = 0; c < ascending.size(); ++c) {
    const auto all = thresholds.data<float>().subspan(c * steps, steps);
    std::copy_if(all.begin(), all.end(), std::back_inserter(ascending[c]), [](float t) { return !std::isnan(t); });
    std::sort(ascending[c].begin(), ascending[c].end());
  }
  // The product is exact in double: what rounds it cannot be joined with the sum.
  std::vector<float> results(steps + 1);
  for (std::size_t n = 0; n <= steps; ++n)
    results[n] = static_cast<float>(out_scale * static_cast<double>(n)) + out_bias;

  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  Tensor y = detail::take_x(ctx);
  const std::int64_t rows = inner == 0 ? 0 : y.size() / inner;
  float* const values = y.mutable_data<float>().data();
  const std::int64_t part = 1 + (1 << 14) / (1 + inner);
  standard_kernels::detail::for_each_range(ctx.parallel(), rows, part, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const auto& own = ascending[ascending.size() == 1 ? 0 : static_cast<std::size_t>(row % channels)];
      for (float* x = values + row * inner; x != values + (row + 1) * inner; ++x)
        *x = results[detail::count_reached(own, *x)];
    }
  });
  ctx.set_output(0, std::move(y));
}

}  // namespace graft::inline v1::qonnx
