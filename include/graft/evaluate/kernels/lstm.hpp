#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/recurrence.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// One direction of an LSTM. The gates are in ONNX's order: input, output, forget, cell.
template <class T>
struct LstmDirection {
  const RecurrentActivation* activations;  // of the gates, the cell's input and its output
  std::int64_t batch, hidden;
  const T* recurrence;  // [4 hidden, hidden]
  const T* peepholes;   // [3 hidden], for input, output, forget; or nullptr
  T clip;               // inputs of activations are clipped to [-clip, clip]; 0: no limit
  bool coupled;         // the forget gate is 1 minus the input gate
  std::vector<T> h, c;  // [batch, hidden]
  /// If set, this is multiplied instead of h; sequences that had ended a step before are 0 in it.
  std::function<Tensor(const Tensor& h)> rounded{};
  std::vector<bool> went_on{};  // which sequences had not ended in the step before

  void step(std::vector<T> gates, const std::vector<bool>& goes_on) {
    const Tensor factor = rounded ? rounded(seen_states(goes_on)) : Tensor();
    add_product(Product{batch, hidden, 4 * hidden, true}, rounded ? factor.data<T>().data() : h.data(), recurrence,
                gates.data());
    for (std::int64_t n = 0; n < batch; ++n) {
      if (goes_on[to_size(n)]) step(gates.data() + n * 4 * hidden, h.data() + n * hidden, c.data() + n * hidden);
    }
  }

 private:
  /// h with 0 for the sequences that had ended a step before.
  Tensor seen_states(const std::vector<bool>& goes_on) {
    Tensor states = Tensor::of({batch, hidden}, h);
    T* row = states.mutable_data<T>().data();
    for (std::int64_t n = 0; n < batch; ++n, row += hidden)
      if (!went_on.empty() && !went_on[to_size(n)]) std::fill_n(row, hidden, T{0});
    went_on = goes_on;
    return states;
  }

  void step(T* gates, T* out, T* cell) const {
    T* const input = gates;
    T* const output = gates + hidden;
    T* const forget = gates + 2 * hidden;
    T* const fresh = gates + 3 * hidden;
    activate(0, input, cell, 0);
    if (coupled) {
      for (std::int64_t k = 0; k < hidden; ++k) forget[k] = 1 - input[k];
    } else {
      activate(0, forget, cell, 2);
    }
    activate(1, fresh);
    for (std::int64_t k = 0; k < hidden; ++k) cell[k] = forget[k] * cell[k] + input[k] * fresh[k];
    activate(0, output, cell, 1);
    std::copy_n(cell, hidden, out);
    activate(2, out);
    for (std::int64_t k = 0; k < hidden; ++k) out[k] *= output[k];
  }
  void activate(std::size_t which, T* x, const T* cell, std::int64_t peephole) const {
    for (std::int64_t k = 0; peepholes != nullptr && k < hidden; ++k)
      x[k] += peepholes[peephole * hidden + k] * cell[k];
    activate(which, x);
  }
  void activate(std::size_t which, T* x) const {
    bound(x, hidden, clip);
    activations[which](x, hidden);
  }
};

/// The common part of both LSTMs. rounded: if set, this function of a state [batch, hidden] is multiplied instead of
/// the state.
inline void run_lstm(KernelContext& ctx, const Recurrence& all,
                     const std::function<Tensor(const Tensor& h)>& rounded = {}) {
  const Tensor initial_c = take_recurrent(ctx, all, 6, true);
  const Tensor peepholes = take_recurrent(ctx, all, 7, false);
  const bool coupled = ctx.attr_or<std::int64_t>("input_forget", 0) != 0;
  const std::int64_t h = all.hidden;
  check_dims({{&initial_c, {all.directions, all.batch, h}}, {&peepholes, {all.directions, 3 * h}}});

  Tensor y(all.x.dtype(), {all.steps, all.directions, all.batch, h});
  Tensor last_h = all.states(), last_c = all.states();
  visit<float, double>(all.x.dtype(), [&]<class T>() {
    for (std::int64_t d = 0; d < all.directions; ++d) {
      LstmDirection<T> cell{all.activations.data() + 3 * d,
                            all.batch,
                            h,
                            all.recurrence<T>(d),
                            peepholes ? peepholes.data<T>().data() + d * 3 * h : nullptr,
                            static_cast<T>(all.clip),
                            coupled,
                            all.initial<T>(all.initial_h, d),
                            all.initial<T>(initial_c, d),
                            rounded};
      all.run<T>(cell, all.input_gates<T>(d, 4), d, y.mutable_data<T>().data(), last_h.mutable_data<T>().data());
      all.take_last<T>(cell.c, d, last_c.mutable_data<T>().data());
    }
  });
  all.give(ctx, 0, std::move(y));
  all.give(ctx, 1, std::move(last_h));
  all.give(ctx, 2, std::move(last_c));
}

}  // namespace detail

/// Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with forget gates and peepholes: LSTM-22. Where the
/// standard is silent, it follows ONNX Runtime: the input and forget gates are coupled as f = 1 - i, and a sequence of
/// no steps leaves states of 0.
inline void lstm(KernelContext& ctx) {
  detail::run_lstm(ctx, detail::read_recurrence(ctx, 4, {"Sigmoid", "Tanh", "Tanh"}));
}

inline void add_lstm(Kernels& kernels) { kernels.add("LSTM", lstm); }

}  // namespace graft::inline v1::standard_kernels
