#pragma once
#include <cstdint>
#include <utility>

#include <graft/evaluate/detail/gru.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels {

/// Elman, "Finding Structure in Time", 1990: RNN-22.
inline void rnn(KernelContext& ctx) {
  const detail::Recurrence all = detail::read_recurrence(ctx, 1, {"Tanh"});
  Tensor y(all.x.dtype(), {all.steps, all.directions, all.batch, all.hidden}), last_h = all.states();
  detail::visit<float, double>(all.x.dtype(), [&]<class T>() {
    for (std::int64_t d = 0; d < all.directions; ++d) {
      detail::RnnDirection<T> cell{all.activations.data() + d, all.batch,
                                   all.hidden,                 all.recurrence<T>(d),
                                   static_cast<T>(all.clip),   all.initial<T>(all.initial_h, d)};
      all.run<T>(cell, all.input_gates<T>(d, 1), d, y.mutable_data<T>().data(), last_h.mutable_data<T>().data());
    }
  });
  all.give(ctx, 0, std::move(y));
  all.give(ctx, 1, std::move(last_h));
}

/// Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014: GRU-22.
inline void gru(KernelContext& ctx) {
  const detail::Recurrence all = detail::read_recurrence(ctx, 3, {"Sigmoid", "Tanh"});
  const bool linear_before_reset = ctx.attr_or<std::int64_t>("linear_before_reset", 0) != 0;
  const std::int64_t h = all.hidden;
  Tensor y(all.x.dtype(), {all.steps, all.directions, all.batch, h}), last_h = all.states();
  detail::visit<float, double>(all.x.dtype(), [&]<class T>() {
    for (std::int64_t d = 0; d < all.directions; ++d) {
      const bool apart = linear_before_reset && all.bias;
      detail::GruDirection<T> cell{all.activations.data() + 2 * d,
                                   all.batch,
                                   h,
                                   all.recurrence<T>(d),
                                   apart ? all.bias.data<T>().data() + (d * 6 + 5) * h : nullptr,
                                   linear_before_reset,
                                   static_cast<T>(all.clip),
                                   all.initial<T>(all.initial_h, d)};
      all.run<T>(cell, all.input_gates<T>(d, apart ? 2 : 3), d, y.mutable_data<T>().data(),
                 last_h.mutable_data<T>().data());
    }
  });
  all.give(ctx, 0, std::move(y));
  all.give(ctx, 1, std::move(last_h));
}

inline void add_gru(Kernels& kernels) {
  kernels.add("GRU", gru);
  kernels.add("RNN", rnn);
}

}  // namespace graft::inline v1::standard_kernels
