#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/recurrence.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// One direction of an RNN.
template <class T>
struct RnnDirection {
  const RecurrentActivation* activation;
  std::int64_t batch, hidden;
  const T* recurrence;  // [hidden, hidden]
  T clip;               // inputs of activations are clipped to [-clip, clip]; 0: no limit
  std::vector<T> h;     // [batch, hidden]

  void step(std::vector<T> next, const std::vector<bool>& goes_on) {
    add_product(Product{batch, hidden, hidden, true}, h.data(), recurrence, next.data());
    bound(next.data(), batch * hidden, clip);
    (*activation)(next.data(), batch * hidden);
    for (std::size_t i = 0; i < h.size(); ++i)
      if (goes_on[i / to_size(hidden)]) h[i] = next[i];
  }
};

/// One direction of a GRU. The gates are in ONNX's order: update, reset, hidden.
template <class T>
struct GruDirection {
  const RecurrentActivation* activations;  // of the gates, and of the hidden gate
  std::int64_t batch, hidden;
  const T* recurrence;      // [3 hidden, hidden]
  const T* recurrent_bias;  // [hidden], of the hidden gate if linear_before_reset; or nullptr
  bool linear_before_reset;
  T clip;            // inputs of activations are clipped to [-clip, clip]; 0: no limit
  std::vector<T> h;  // [batch, hidden]

  void step(std::vector<T> gates, const std::vector<bool>& goes_on) {
    const std::int64_t n = 3 * hidden;
    Product product{batch, hidden, 2 * hidden, true};
    product.stride = n;
    add_product(product, h.data(), recurrence, gates.data());
    for (std::int64_t k = 0; k < batch; ++k) activate(0, gates.data() + k * n, 2 * hidden);

    std::vector<T> from(h), share(h.size(), T{0});  // the hidden gate's part from h
    const auto reset = [&](std::vector<T>& x) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] *= gates[gate(i, 1)];
    };
    if (!linear_before_reset) reset(from);
    for (std::size_t i = 0; recurrent_bias != nullptr && i < share.size(); ++i)
      share[i] = recurrent_bias[i % to_size(hidden)];
    add_product(Product{batch, hidden, hidden, true}, from.data(), recurrence + 2 * hidden * hidden, share.data());
    if (linear_before_reset) reset(share);
    for (std::size_t i = 0; i < share.size(); ++i) share[i] += gates[gate(i, 2)];
    activate(1, share.data(), batch * hidden);
    for (std::size_t i = 0; i < h.size(); ++i) {
      const T update = gates[gate(i, 0)];
      if (goes_on[i / to_size(hidden)]) h[i] = (1 - update) * share[i] + update * h[i];
    }
  }

 private:
  /// The index of that gate of h[i].
  std::size_t gate(std::size_t i, std::size_t which) const {
    const std::size_t wide = to_size(hidden);
    return (i / wide * 3 + which) * wide + i % wide;
  }
  void activate(std::size_t which, T* x, std::int64_t count) const {
    bound(x, count, clip);
    activations[which](x, count);
  }
};

}  // namespace detail

/// Elman, "Finding Structure in Time", 1990: RNN-22.
inline void rnn(KernelContext& ctx) {
  const detail::Recurrence all = detail::read_recurrence(ctx, 1, {"Tanh"});
  Tensor y(all.x.dtype(), {all.steps, all.directions, all.batch, all.hidden}), last_h = all.states();
  detail::visit<float, double>(all.x.dtype(), [&]<class T>() {
    for (std::int64_t d = 0; d < all.directions; ++d) {
      detail::RnnDirection<T> cell{
          all.activations.data() + d,      all.batch, all.hidden, all.recurrence<T>(d), static_cast<T>(all.clip),
          all.initial<T>(all.initial_h, d)};
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
