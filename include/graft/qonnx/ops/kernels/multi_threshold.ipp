#pragma once
#include <graft/qonnx/ops/kernels/multi_threshold.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>

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

/// The number of elements that are compared together, at most.
constexpr std::int64_t threshold_block = 64;

/// Elements of one channel or, if channels are innermost, of all channels. In the second case, each row of thresholds
/// has one for each channel.
struct Thresholding {
  const float* thresholds;
  std::int64_t steps;
  std::int64_t row;      // 0: one channel
  const float* results;  // by count
  float* values;
  std::int64_t count;
};

/// Counts for several vectors together. Comparing with all thresholds is faster than a search with its branches.
struct ThresholdLoop {
  template <int Width>
  [[gnu::always_inline]] static void run(const Thresholding& work) {
    constexpr std::int64_t block = threshold_block;
    std::int64_t i = 0;
    for (; i + block <= work.count; i += block) run_block<Width>(work, i, work.values + i);
    if (i == work.count) return;
    float rest[block] = {};
    for (std::int64_t k = 0; i + k < work.count; ++k) rest[k] = work.values[i + k];
    run_block<Width>(work, i, rest);
    for (std::int64_t k = 0; i + k < work.count; ++k) work.values[i + k] = rest[k];
  }

 private:
  template <int Width>
  [[gnu::always_inline]] static void run_block(const Thresholding& work, std::int64_t first, float* values) {
    using V = Vectors<Width>;
    constexpr std::int64_t vectors = 4;
    static_assert(threshold_block % (vectors * Width) == 0);
    for (std::int64_t from = 0; from < threshold_block; from += vectors * Width) {
      // Four variables: without -O2, compilers do not keep an array of vectors in registers.
      typename V::Floats x0, x1, x2, x3, t0, t1, t2, t3;
      typename V::Bits n0{}, n1{}, n2{}, n3{};
      V::load(x0, values + from);
      V::load(x1, values + from + Width);
      V::load(x2, values + from + 2 * Width);
      V::load(x3, values + from + 3 * Width);
      if (work.row == 0) {
        for (const float* t = work.thresholds; t != work.thresholds + work.steps; ++t) {
          n0 -= x0 >= *t;
          n1 -= x1 >= *t;
          n2 -= x2 >= *t;
          n3 -= x3 >= *t;
        }
      } else {
        const float* row = work.thresholds + first + from;
        for (std::int64_t step = 0; step < work.steps; ++step, row += work.row) {
          V::load(t0, row);
          V::load(t1, row + Width);
          V::load(t2, row + 2 * Width);
          V::load(t3, row + 3 * Width);
          n0 -= x0 >= t0;
          n1 -= x1 >= t1;
          n2 -= x2 >= t2;
          n3 -= x3 >= t3;
        }
      }
      const typename V::Bits reached[vectors]{n0, n1, n2, n3};
      std::int32_t counts[vectors * Width];
      __builtin_memcpy(counts, reached, sizeof counts);
      for (std::int64_t k = 0; k < vectors * Width; ++k) values[from + k] = work.results[counts[k]];
    }
  }
};

/// Converts [channels, steps] to rows of one threshold for each channel, with padding that vectors may read.
inline std::vector<float> in_rows(std::span<const float> thresholds, std::int64_t channels, std::int64_t steps) {
  const std::int64_t row = channels + threshold_block;
  std::vector<float> rows(static_cast<std::size_t>(row * steps));
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t t = 0; t < steps; ++t)
      rows[static_cast<std::size_t>(t * row + c)] = thresholds[static_cast<std::size_t>(c * steps + t)];
  return rows;
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

  const std::int64_t steps = thresholds.dims()[1];
  // The product is exact in double: its rounding cannot be merged with that of the sum.
  std::vector<float> results(static_cast<std::size_t>(steps) + 1);
  for (std::size_t n = 0; n < results.size(); ++n)
    results[n] = static_cast<float>(out_scale * static_cast<double>(n)) + out_bias;

  Tensor y = detail::take_x(ctx);
  std::int64_t run = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) run *= dims[i];
  std::span<const float> all = thresholds.data<float>();
  std::vector<float> rows;
  const bool shared = thresholds.dims()[0] == 1, innermost = run == 1 && !shared;
  if (shared) run = std::min<std::int64_t>(y.size(), 1 << 12);
  if (innermost) {
    run = channels;
    all = rows = detail::in_rows(all, channels, steps);
  }
  float* const values = y.mutable_data<float>().data();
  const std::int64_t runs = run == 0 ? 0 : (y.size() + run - 1) / run;
  const std::int64_t part = 1 + (1 << 14) / (1 + run);
  for_each_range(ctx.parallel(), runs, part, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t channel = shared || innermost ? 0 : i % channels;
      standard_kernels::run_simd<detail::ThresholdLoop>(
          detail::Thresholding{all.data() + channel * steps, steps, innermost ? channels + detail::threshold_block : 0,
                               results.data(), values + i * run, std::min(run, y.size() - i * run)});
    }
  });
  ctx.set_output(0, std::move(y));
}

}  // namespace graft::inline v1::qonnx
