#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/lstm.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// What both LSTMs compute. rounded: if it is set, what is multiplied in place of a state [batch, hidden].
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

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with forget gates and peepholes: LSTM-22. Where the
/// standard is silent, ONNX Runtime is followed: the input and forget gates are coupled as f = 1 - i, and a sequence of
/// no steps leaves states of 0.
inline void lstm(KernelContext& ctx) {
  detail::run_lstm(ctx, detail::read_recurrence(ctx, 4, {"Sigmoid", "Tanh", "Tanh"}));
}

inline void add_lstm(Kernels& kernels) { kernels.add("LSTM", lstm); }

}  // namespace graft::inline v1::standard_kernels
