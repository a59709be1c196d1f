#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/map.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/kernels/activation.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// x = f(x) over an array of the dtype for which it was made.
using RecurrentActivation = std::function<void(void* values, std::int64_t count)>;

/// f(x, parameters...) for f32 or f64.
template <class F, class... Parameters>
RecurrentActivation recurrent_activation(DType dtype, F f, Parameters... parameters) {
  if constexpr (sizeof...(Parameters) == 0) {
    return [f, loop = unary_loop<F, float, double>(dtype)](void* x, std::int64_t count) { loop(x, x, count, &f); };
  } else {
    return recurrent_activation(dtype, [=](auto x) { return f(x, static_cast<decltype(x)>(parameters)...); });
  }
}

/// The attributes activations, activation_alpha and activation_beta of LSTM-22. Each function takes the next alpha and
/// beta, if it has parameters. Without a number left, it uses the defaults of the operator of that name.
class ActivationReader {
 public:
  ActivationReader(const KernelContext& ctx, DType dtype)
      : dtype_(dtype),
        alphas_(ctx.optional_attr<Floats>("activation_alpha").value_or(Floats{})),
        betas_(ctx.optional_attr<Floats>("activation_beta").value_or(Floats{})) {}

  /// Throws Error for a function that the standard does not name, and for a function without defaults whose parameters
  /// are missing.
  RecurrentActivation next(std::string_view name) {
    if (name == "Relu") return recurrent_activation(dtype_, Relu());
    if (name == "Tanh") return recurrent_activation(dtype_, Tanh());
    if (name == "Sigmoid") return recurrent_activation(dtype_, Sigmoid());
    if (name == "Softsign") return recurrent_activation(dtype_, Softsign());
    if (name == "Softplus") return recurrent_activation(dtype_, Softplus());
    if (name == "LeakyRelu") return recurrent_activation(dtype_, LeakyRelu(), alpha(0.01F));
    if (name == "Elu") return recurrent_activation(dtype_, Elu(), alpha(1));
    if (name == "ThresholdedRelu") {
      const auto f = [](auto x, auto threshold) { return x >= threshold ? x : decltype(x){0}; };
      return recurrent_activation(dtype_, f, alpha(1));
    }
    if (name == "HardSigmoid") return recurrent_activation(dtype_, HardSigmoid(), alpha(0.2F), beta(0.5F));
    const auto affine = [](auto x, auto a, auto b) { return a * x + b; };
    const auto scaled_tanh = [](auto x, auto a, auto b) { return a * std::tanh(b * x); };
    if (name != "Affine" && name != "ScaledTanh") throw failure({"unknown value ", name}).field("activations");
    const float a = alpha(), b = beta();  // in this order, so that an error names the first missing one
    if (name == "Affine") return recurrent_activation(dtype_, affine, a, b);
    return recurrent_activation(dtype_, scaled_tanh, a, b);
  }

 private:
  float alpha(std::optional<float> otherwise = {}) { return take("activation_alpha", alphas_, otherwise); }
  float beta(std::optional<float> otherwise = {}) { return take("activation_beta", betas_, otherwise); }
  static float take(std::string_view attribute, Floats& list, std::optional<float> otherwise) {
    if (list.empty() && !otherwise) throw Error("a function without a default has no number").field(attribute);
    if (list.empty()) return *otherwise;
    const float first = list.front();
    list.erase(list.begin());
    return first;
  }

  DType dtype_;
  Floats alphas_, betas_;
};

/// The common part of RNN, GRU and LSTM: extents, tensors in the order of layout 0, and the loop over the sequences.
/// Where the standard is silent, it follows ONNX Runtime: a sequence of no steps leaves states of 0.
struct Recurrence {
  DType dtype;  // of the operator; the arithmetic type may differ
  bool batch_first, starts_backwards;
  std::int64_t gates, steps, batch, width, hidden, directions;
  Tensor x, w, r, bias, initial_h;
  Ints lengths;  // of each sequence of the batch
  float clip;
  std::vector<RecurrentActivation> activations;  // the same number for each direction

  /// [batch, hidden]
  template <class T>
  std::vector<T> initial(const Tensor& state, std::int64_t direction) const {
    const std::size_t count = to_size(batch * hidden);
    if (!state) return std::vector<T>(count, T{0});
    const T* from = state.data<T>().data() + direction * batch * hidden;
    return std::vector<T>(from, from + count);
  }

  /// [gates hidden, hidden]
  template <class T>
  const T* recurrence(std::int64_t direction) const {
    return r.data<T>().data() + direction * gates * hidden * hidden;
  }

  /// The biases and the input's contribution to the gates of every step, [steps, batch, gates hidden]. Includes the
  /// recurrence's biases of the first `recurrent` gates.
  template <class T>
  std::vector<T> input_gates(std::int64_t direction, std::int64_t recurrent) const {
    const std::int64_t n = gates * hidden;
    std::vector<T> shares = scratch<T>(steps * batch, n);
    if (bias) {
      const T* b = bias.data<T>().data() + direction * 2 * n;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::int64_t k = to_int(i) % n;
        shares[i] = b[k] + (k < recurrent * hidden ? b[n + k] : T{0});
      }
    }
    add_product(Product{steps * batch, width, n, true}, x.data<T>().data(), w.data<T>().data() + direction * n * width,
                shares.data());
    return shares;
  }

  /// cell.step() gets the input's contribution to the gates of one time step, [batch, gates hidden], and updates
  /// cell.h, [batch, hidden], for sequences that have not ended. y is [steps, directions, batch, hidden], zero after
  /// the end of a sequence; last_h is [directions, batch, hidden].
  template <class T, class Cell>
  void run(Cell& cell, const std::vector<T>& shares, std::int64_t direction, T* y, T* last_h) const {
    const bool backwards = starts_backwards != (direction == 1);
    const std::int64_t n = gates * hidden;
    for (std::int64_t i = 0; i < steps; ++i) {
      std::vector<T> now(to_size(batch * n));
      std::vector<bool> goes_on;
      const auto time = [&](std::int64_t k) { return backwards ? lengths[to_size(k)] - 1 - i : i; };
      for (std::int64_t k = 0; k < batch; ++k) {
        goes_on.push_back(i < lengths[to_size(k)]);
        if (goes_on.back()) std::copy_n(shares.begin() + (time(k) * batch + k) * n, n, now.begin() + k * n);
      }
      cell.step(std::move(now), goes_on);
      for (std::int64_t k = 0; k < batch; ++k) {
        const std::int64_t place = (time(k) * directions + direction) * batch + k;
        if (goes_on[to_size(k)]) std::copy_n(cell.h.begin() + k * hidden, hidden, y + place * hidden);
      }
    }
    take_last(cell.h, direction, last_h);
  }
  /// Copies [batch, hidden] to its place among the directions.
  template <class T>
  void take_last(const std::vector<T>& state, std::int64_t direction, T* to) const {
    to += direction * batch * hidden;
    for (std::int64_t k = 0; k < batch; ++k, to += hidden) {
      if (lengths[to_size(k)] > 0) std::copy_n(state.begin() + k * hidden, hidden, to);
      else std::fill_n(to, hidden, T{0});
    }
  }

  Tensor states() const { return Tensor(x.dtype(), {directions, batch, hidden}); }
  void give(KernelContext& ctx, std::size_t i, Tensor result) const {
    const bool is_sequence = result.rank() == 4;
    if (batch_first) result = is_sequence ? permuted(result, {2, 0, 1, 3}) : permuted(result, {1, 0, 2});
    ctx.set_output(i, cast(std::move(result), dtype));
  }
};

template <class T>
void bound(T* x, std::int64_t count, T clip) {
  for (std::int64_t k = 0; clip > 0 && k < count; ++k) x[k] = std::clamp(x[k], -clip, clip);
}

/// Input i in the arithmetic type; Tensor() if absent. turns: its first two axes follow the layout.
inline Tensor take_recurrent(KernelContext& ctx, const Recurrence& like, std::size_t i, bool turns) {
  if (!ctx.has_input(i)) return Tensor();
  const Tensor x = cast(ctx.take_input(i), computed_in(like.dtype));
  return like.batch_first && turns && x.rank() == 3 ? permuted(x, {1, 0, 2}) : x;
}

inline void check_dims(std::initializer_list<std::pair<const Tensor*, Dims>> expected) {
  for (const auto& [tensor, dims] : expected)
    if (*tensor && tensor->dims() != dims) throw failure({*tensor, " instead of ", dims});
}

/// functions: those of one direction, if the node names none. w and r have the arithmetic type.
inline Recurrence read_recurrence(KernelContext& ctx, std::int64_t gates, const std::vector<std::string>& functions,
                                  Tensor w, Tensor r) {
  Recurrence cell{};
  cell.dtype = ctx.input(0).dtype();
  cell.batch_first = ctx.attr_or<std::int64_t>("layout", 0) != 0;
  cell.gates = gates;
  cell.x = take_recurrent(ctx, cell, 0, true);
  cell.w = std::move(w);
  cell.r = std::move(r);
  cell.bias = take_recurrent(ctx, cell, 3, false);
  cell.initial_h = take_recurrent(ctx, cell, 5, true);
  if (cell.x.rank() != 3 || cell.w.rank() != 3 || cell.r.rank() != 3)
    throw Error("an input, weight or recurrence is not of rank 3");
  cell.steps = cell.x.dims()[0];
  cell.batch = cell.x.dims()[1];
  cell.width = cell.x.dims()[2];
  cell.hidden = cell.r.dims()[2];
  const auto direction = choice(ctx, "direction", {"forward", "reverse", "bidirectional"}, "forward");
  cell.directions = direction == "bidirectional" ? 2 : 1;
  cell.starts_backwards = direction == "reverse";
  cell.clip = ctx.attr_or<float>("clip", 0);
  if (!(cell.clip >= 0)) throw Error("must be at least 0").field("clip");

  std::vector<std::string> names =
      ctx.optional_attr<std::vector<std::string>>("activations").value_or(std::vector<std::string>{});
  for (std::int64_t d = names.empty() ? 0 : cell.directions; d < cell.directions; ++d)
    names.insert(names.end(), functions.begin(), functions.end());
  if (to_int(names.size()) != to_int(functions.size()) * cell.directions)
    throw failure({names.size(), " functions for ", cell.directions, " directions"}).field("activations");
  ActivationReader reader(ctx, cell.x.dtype());
  for (const std::string& name : names) cell.activations.push_back(reader.next(name));

  const std::int64_t d = cell.directions, n = cell.batch, h = cell.hidden;
  element_count(Dims{d, cell.steps, n, 2 * gates, h});
  if (const auto declared = ctx.optional_attr<std::int64_t>("hidden_size"); declared.value_or(h) != h)
    throw failure({*declared, " with recurrences of ", cell.r}).field("hidden_size");
  check_dims({{&cell.w, {d, gates * h, cell.width}},
              {&cell.r, {d, gates * h, h}},
              {&cell.bias, {d, 2 * gates * h}},
              {&cell.initial_h, {d, n, h}}});
  cell.lengths = ctx.has_input(4) ? ctx.input(4).to<std::int64_t>() : Ints(to_size(n), cell.steps);
  if (to_int(cell.lengths.size()) != n) throw failure({cell.lengths.size(), " lengths for ", cell.x});
  for (const std::int64_t length : cell.lengths)
    if (length < 0 || length > cell.steps) throw failure({"a length of ", length, " for ", cell.x});
  return cell;
}

inline Recurrence read_recurrence(KernelContext& ctx, std::int64_t gates, const std::vector<std::string>& functions) {
  const DType wide = computed_in(ctx.input(0).dtype());
  Tensor w = cast(ctx.take_input(1), wide), r = cast(ctx.take_input(2), wide);
  return read_recurrence(ctx, gates, functions, std::move(w), std::move(r));
}

}  // namespace graft::inline v1::standard_kernels::detail
