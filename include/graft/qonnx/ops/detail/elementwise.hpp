#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/ops/detail/broadcast_runs.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// Elements and N parameters: one number for all elements, or one for each.
template <class Operation, std::size_t N, bool uniform>
struct Elements {
  Operation operation;
  const float* x;
  float* y;
  std::int64_t count;
  std::array<const float*, N> parameters;
};

/// y = operation(x, parameters). The last vector is padded, so that a result does not depend on its position.
struct ElementLoop {
  template <int Width, class Operation, std::size_t N, bool uniform>
  [[gnu::always_inline]] static void run(const Elements<Operation, N, uniform>& work) {
    using V = Vectors<Width>;
    typename V::Floats x, parameters[N];
    if constexpr (uniform)
      for (std::size_t k = 0; k < N; ++k) V::fill(parameters[k], *work.parameters[k]);
    std::int64_t i = 0;
    for (; i + Width <= work.count; i += Width) {
      V::load(x, work.x + i);
      if constexpr (!uniform)
        for (std::size_t k = 0; k < N; ++k) V::load(parameters[k], work.parameters[k] + i);
      work.operation.template run<Width>(x, parameters);
      V::store(work.y + i, x);
    }
    if (i == work.count) return;
    float rest[Width];
    const auto load_rest = [&](typename V::Floats & to, const float* from) __attribute__((always_inline)) {
      for (int k = 0; k < Width; ++k) rest[k] = i + k < work.count ? from[i + k] : 1.0F;
      V::load(to, rest);
    };
    load_rest(x, work.x);
    if constexpr (!uniform)
      for (std::size_t k = 0; k < N; ++k) load_rest(parameters[k], work.parameters[k]);
    work.operation.template run<Width>(x, parameters);
    V::store(rest, x);
    for (int k = 0; i + k < work.count; ++k) work.y[i + k] = rest[k];
  }
};

struct HalfEven {
  template <int Width>
  [[gnu::always_inline]] void round(typename Vectors<Width>::Floats& x) const {
    Vectors<Width>::round_half_even(x);
  }
};

struct AnyMode {
  Rounding mode;
  template <int Width>
  [[gnu::always_inline]] void round(typename Vectors<Width>::Floats& x) const {
    Vectors<Width>::round(x, mode);
  }
};

/// An uninitialized float32 tensor.
inline Tensor unfilled(const Dims& dims) {
  const auto count = static_cast<std::size_t>(element_count(dims));
  std::shared_ptr<void> storage(::operator new(count * sizeof(float)), [](void* memory) { ::operator delete(memory); });
  return Tensor(DType::f32, dims, std::move(storage), count * sizeof(float));
}

/// Applies the operation to each element of x and the N parameters, which broadcast to it. Works in place if this is
/// the last use of x.
template <class Operation, std::size_t N>
Tensor elementwise(const Operation& operation, Tensor x, const std::array<Tensor, N>& parameters,
                   const ParallelFor* parallel) {
  std::array<Dims, N> dims;
  std::array<const float*, N> from;
  for (std::size_t k = 0; k < N; ++k) {
    dims[k] = parameters[k].dims();
    from[k] = parameters[k].template data<float>().data();
  }
  const BroadcastRuns<N> runs(x.dims(), dims);
  const float* const in = x.data<float>().data();
  Tensor y = x.sole() ? std::move(x) : unfilled(x.dims());
  float* const out = y.mutable_data<float>().data();

  const auto run_uniform = [&](std::int64_t first, std::int64_t last) {
    runs.each_run(first, last, [&](std::int64_t element, std::int64_t count, const auto& offsets) {
      Elements<Operation, N, true> work{operation, in + element, out + element, count, from};
      for (std::size_t k = 0; k < N; ++k) work.parameters[k] += offsets[k];
      standard_kernels::run_simd<ElementLoop>(work);
    });
  };
  // Advancing parameters are read directly, unless runs are short. Then blocks of them are copied, with constant ones
  // repeated.
  constexpr std::int64_t block = 512;
  const bool long_runs = runs.run_length() >= 64 || runs.run_length() == y.size();
  const auto run_laid_out = [&](std::int64_t begin, std::int64_t end) {
    std::array<std::array<float, block>, N> laid_out;
    Elements<Operation, N, false> work{operation, nullptr, nullptr, 0, {}};
    for (std::size_t k = 0; k < N; ++k)
      if (parameters[k].size() == 1) std::fill_n(laid_out[k].data(), std::min(block, end - begin), *from[k]);
    for (std::int64_t first = begin; first < end; first += block) {
      const std::int64_t last = std::min(first + block, end);
      const auto run = [&](std::int64_t element, std::int64_t count) {
        work.x = in + element;
        work.y = out + element;
        work.count = count;
        standard_kernels::run_simd<ElementLoop>(work);
      };
      for (std::size_t k = 0; k < N; ++k) work.parameters[k] = laid_out[k].data();
      runs.each_run(first, last, [&](std::int64_t element, std::int64_t count, const auto& offsets) {
        for (std::size_t k = 0; k < N; ++k) {
          if (parameters[k].size() == 1) continue;
          float* const to = laid_out[k].data() + (long_runs ? 0 : element - first);
          if (runs.stride(k) == 0) {
            std::fill_n(to, count, from[k][offsets[k]]);
          } else if (long_runs) {
            work.parameters[k] = from[k] + offsets[k];
          } else {
            std::copy_n(from[k] + offsets[k], count, to);
          }
        }
        if (long_runs) run(element, count);
      });
      if (!long_runs) run(first, last - first);
    }
  };
  const bool by_runs = runs.uniform() && long_runs;
  for_each_range(parallel, y.size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
    by_runs ? run_uniform(first, last) : run_laid_out(first, last);
  });
  return y;
}

/// Calls f(a function that rounds a vector). Half to even has a separate loop.
template <class F>
void visit_rounding(RoundingMode mode, const F& f) {
  mode == RoundingMode::half_even ? f(HalfEven{}) : f(AnyMode{Rounding(mode)});
}

/// f(a, b) of two parameters that broadcast to each other.
template <class F>
Tensor combine(const Tensor& a, const Tensor& b, const F& f) {
  const bool longer = a.rank() >= b.rank();
  Dims dims = longer ? a.dims() : b.dims();
  const Dims& other = longer ? b.dims() : a.dims();
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& extent = dims[dims.size() - other.size() + i];
    if (extent == 1) extent = other[i];
  }
  if (!broadcasts_to(other, dims)) throw Error("parameters do not broadcast to each other");
  const BroadcastRuns<2> runs(dims, {a.dims(), b.dims()});
  Tensor result(DType::f32, dims);
  float* const to = result.mutable_data<float>().data();
  const float* const left = a.data<float>().data();
  const float* const right = b.data<float>().data();
  runs.each_run(0, result.size(), [&](std::int64_t first, std::int64_t count, const auto& offsets) {
    for (std::int64_t i = 0; i < count; ++i)
      to[first + i] = f(left[offsets[0] + i * runs.stride(0)], right[offsets[1] + i * runs.stride(1)]);
  });
  return result;
}

template <class F>
Tensor map(const Tensor& a, const F& f) {
  Tensor result(DType::f32, a.dims());
  const auto from = a.data<float>();
  std::transform(from.begin(), from.end(), result.mutable_data<float>().begin(), f);
  return result;
}

/// A parameter in float32, which broadcasts to the first input. Throws Error, with the field, if it does not.
inline Tensor parameter(const KernelContext& ctx, std::size_t i, std::string_view name) {
  const auto refuse = [&](const std::string& message) { throw Error(message).field(name); };
  std::optional<Tensor> tensor = float_parameter(ctx.input(i));
  if (!tensor) refuse("is " + std::string(graft::to_string(ctx.input(i).dtype())) + ", not f32");
  const Dims& dims = ctx.input(0).dims();
  if (!broadcasts_to(tensor->dims(), dims))
    refuse("its dims " + graft::to_string(tensor->dims()) + " do not broadcast to " + graft::to_string(dims));
  return *std::move(tensor);
}

/// Throws Error, with the field, unless is_wanted holds for every element.
template <class F>
void check_each(const Tensor& tensor, std::string_view name, const F& is_wanted, std::string_view wanted) {
  for (const float value : tensor.data<float>())
    if (!is_wanted(value)) throw Error(std::to_string(value) + " is not " + std::string(wanted)).field(name);
}

/// The parameter that is a scale: positive and finite.
inline Tensor scale_parameter(const KernelContext& ctx, std::size_t i, std::string_view name) {
  const Tensor scale = parameter(ctx, i, name);
  check_each(
      scale, name, [](float s) { return s > 0 && s < std::numeric_limits<float>::infinity(); },
      "a positive, finite scale");
  return scale;
}

/// The parameter that is a number of bits.
inline Tensor bits_parameter(const KernelContext& ctx, std::size_t i, std::string_view name) {
  const Tensor bits = parameter(ctx, i, name);
  check_each(
      bits, name, [](float n) { return n >= 1; }, "a width of 1 bit or more");
  return bits;
}

/// Moves the first input out. Throws Error unless it is f32.
inline Tensor take_x(KernelContext& ctx) {
  if (ctx.input(0).dtype() != DType::f32)
    throw Error("the input is " + std::string(graft::to_string(ctx.input(0).dtype())) + ", not f32");
  return ctx.take_input(0);
}

}  // namespace graft::inline v1::qonnx::detail
