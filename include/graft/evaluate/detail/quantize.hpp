#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Maps scales to elements (QuantizeLinear-21): one for all, one for each slice along an axis, or one for each block of
/// an axis.
class Granularity {
 public:
  /// One scale for all.
  explicit Granularity(const Dims& dims) : view_({1, 1, element_count(dims)}, 1) {}
  /// One scale for each slice along the axis, or for each block of this many slices.
  Granularity(const Dims& dims, std::size_t axis, std::int64_t block = 0)
      : view_(dims, axis), block_(block), blocks_(block == 0 ? 0 : ceil_quotient(dims[axis], block)) {}

  /// Calls f(first element, count, first scale, whether the scale advances too) for each run of elements. Splits long
  /// runs for threads.
  template <class F>
  void each_run(const ParallelFor* parallel, const F& f) const {
    constexpr std::int64_t longest = 1 << 15;
    const std::int64_t pieces = (view_.inner + longest - 1) / longest;
    const std::int64_t part = 1 + longest / (1 + view_.inner);
    for_each_range(parallel, view_.outer * view_.extent * pieces, part, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = i / pieces, at = i % pieces * longest, place = row % view_.extent;
        const std::int64_t block = blocks_ == 0 ? 0 : row / view_.extent * blocks_ + place / block_;
        f(row * view_.inner + at, std::min(longest, view_.inner - at), blocks_ == 0 ? place : block * view_.inner + at,
          blocks_ != 0);
      }
    });
  }

 private:
  AxisView view_;
  std::int64_t block_ = 0, blocks_ = 0;
};

/// The scales of a node, from its attributes and the dims of its scale.
inline Granularity read_granularity(const KernelContext& ctx, const Dims& dims, const Tensor& scale) {
  const auto block = ctx.attr_or<std::int64_t>("block_size", 0);
  if (scale.size() == 1 && scale.rank() <= 1 && block == 0) return Granularity(dims);
  const std::size_t axis = normalized_axis(ctx.attr_or<std::int64_t>("axis", 1), dims.size());
  Dims wanted{dims[axis]};
  if (block > 0) {
    wanted = dims;
    wanted[axis] = ceil_quotient(dims[axis], block);
  }
  if (block < 0 || scale.dims() != wanted) throw failure({"a scale of ", scale.dims(), " for an input of ", dims});
  return Granularity(dims, axis, block);
}

/// x / scale in float, rounded to the precision of the division if that is a half.
class Quotients {
 public:
  static constexpr std::int64_t length = 256;
  using Part = Eigen::Array<float, Eigen::Dynamic, 1, 0, length, 1>;

  Quotients(Tensor x, Tensor scale, DType precision, const ParallelFor* parallel)
      : x_(cast(std::move(x), DType::f32)),
        scale_(cast(std::move(scale), DType::f32)),
        precision_(precision),
        parallel_(parallel) {}

  /// Calls f(part, first element, first scale, whether the scale advances too) for each run, in parts of at most
  /// `length` elements.
  template <class F>
  void each_part(const Granularity& granularity, F&& f) const {
    const float* x = x_.data<float>().data();
    const float* scale = scale_.data<float>().data();
    granularity.each_run(parallel_, [&](std::int64_t first, std::int64_t count, std::int64_t scale_at, bool advances) {
      Part part;
      for (std::int64_t i = 0; i < count; i += length) {
        const std::int64_t n = std::min(length, count - i);
        const ConstArray<float> values(x + first + i, n);
        if (!advances && scale[scale_at] == 1 && precision_ == DType::f32) {
          f(values, first + i, scale_at, false);  // division by 1
          continue;
        }
        if (advances) {
          part = values / ConstArray<float>(scale + scale_at + i, n);
        } else {
          part = values / scale[scale_at];
        }
        if (precision_ == DType::f16) part = part.cast<Eigen::half>().cast<float>().eval();
        if (precision_ == DType::bf16) part = part.cast<Eigen::bfloat16>().cast<float>().eval();
        f(ConstArray<float>(part.data(), n), first + i, advances ? scale_at + i : scale_at, advances);
      }
    });
  }

 private:
  Tensor x_, scale_;
  DType precision_;
  const ParallelFor* parallel_;
};

/// A run of quotients with one zero point. The type's bounds are shifted by it.
template <class Q>
struct Rounding {
  const float* x;
  std::int64_t count;
  float low, high, zero;
  Q* y;
};

/// Plain loops, which compilers vectorize where possible.
struct RoundLoop {
  template <int, class Q>
  [[gnu::always_inline]] static void run(const Rounding<Q>& work) {
    constexpr float integers = 12582912;  // 1.5 2^23: adding it rounds numbers below 2^22 in magnitude
    const auto [x, count, low, high, zero, y] = work;
    for (std::int64_t i = 0; i < count; ++i) {
      const float above = x[i] > low ? x[i] : low;
      const float within = above < high ? above : high;
      y[i] = static_cast<Q>(static_cast<std::int32_t>(within + integers - integers + zero));
    }
  }
};

/// saturate(round_half_even(quotient) + zero_point), stored as Q; NaN becomes the lowest value.
template <class Q>
Tensor quantize(const Quotients& quotients, const Granularity& granularity, const Dims& dims,
                const std::vector<float>& zero, DType dtype) {
  const auto low = static_cast<float>(lowest(dtype));
  const auto high = static_cast<float>(highest(dtype));
  Tensor result = unfilled(dtype_of<Q>, dims);
  Q* y = result.mutable_data<Q>().data();
  quotients.each_part(granularity, [&](const auto& part, std::int64_t first, std::int64_t scale, bool advances) {
    const std::int64_t step = advances ? 1 : part.size();
    for (std::int64_t i = 0; i < part.size(); i += step) {
      const float shift = zero[to_size(scale + i)];
      run_simd<RoundLoop>(Rounding<Q>{part.data() + i, step, low - shift, high - shift, shift, y + first + i});
    }
  });
  return result;
}

/// The same for a dtype of integers.
inline Tensor quantize(const Quotients& quotients, const Granularity& granularity, const Dims& dims,
                       const std::vector<float>& zero, DType dtype) {
  if (bits(dtype) < 8) {
    const Tensor bytes = quantize<std::int8_t>(quotients, granularity, dims, zero, dtype);
    return Tensor::of(dtype, dims, bytes.data<std::int8_t>());
  }
  return visit<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t>(
      dtype, [&]<class Q>() { return quantize<Q>(quotients, granularity, dims, zero, dtype); });
}

/// A run with one scale and zero point.
template <class Q>
struct Scaling {
  const Q* x;
  std::int64_t count;
  Q zero;
  float scale;
  float* y;
};

struct ScaleLoop {
  template <int, class Q>
  [[gnu::always_inline]] static void run(const Scaling<Q>& work) {
    const auto [x, count, zero, scale, y] = work;
    using Wide = std::conditional_t<std::is_same_v<Q, std::int32_t>, std::int64_t, Q>;  // the difference may need it
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(Wide{x[i]} - zero) * scale;
  }
};

/// (x - zero_point) * scale in float.
template <class Q>
Tensor dequantize(const Tensor& x, const std::vector<float>& scale, const std::vector<Q>& zero,
                  const Granularity& granularity, const ParallelFor* parallel) {
  Tensor result = unfilled(DType::f32, x.dims());
  float* y = result.mutable_data<float>().data();
  const Q* values = x.data<Q>().data();
  granularity.each_run(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t scale_at, bool advances) {
    const std::int64_t step = advances ? 1 : count;
    for (std::int64_t i = 0; i < count; i += step) {
      const std::size_t at = to_size(scale_at + i);
      run_simd<ScaleLoop>(Scaling<Q>{values + first + i, step, zero[at], scale[at], y + first + i});
    }
  });
  return result;
}

/// Throws Error unless there is one zero point for each scale, or none.
inline void check_zero_point(std::size_t scales, const Tensor* zero) {
  if (zero != nullptr && to_size(zero->size()) != scales)
    throw failure({"a zero point of ", zero->dims(), " for ", scales, " scales"});
}

/// The same for any quantized type; an absent zero point is 0.
inline Tensor dequantize(Tensor x, const std::vector<float>& scale, const Tensor* zero, const Granularity& granularity,
                         const ParallelFor* parallel) {
  check_zero_point(scale.size(), zero);
  if (zero != nullptr && zero->dtype() != x.dtype()) throw failure({"a zero point of ", *zero, " for an input of ", x});
  if (is_float(x.dtype())) {
    x = cast(std::move(x), DType::f32);
  } else if (bits(x.dtype()) < 8) {
    x = cast(std::move(x), DType::i32);
  }
  return visit<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t, float>(x.dtype(), [&]<class Q>() {
    return dequantize<Q>(x, scale, zero != nullptr ? zero->to<Q>() : std::vector<Q>(scale.size(), Q{0}), granularity,
                         parallel);
  });
}

}  // namespace graft::inline v1::standard_kernels::detail
