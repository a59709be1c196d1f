#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/detail/recurrent_activation.hpp>

namespace graft::inline v1::kernels::detail {

/// One direction of an LSTM. Gates stand in ONNX's order: input, output, forget, cell.
template <class T>
struct LstmDirection {
  const RecurrentActivation* activations;  // of the gates, of the cell's input, of its output
  std::int64_t batch, hidden;
  const T* recurrence;  // [4 hidden, hidden]
  const T* peepholes;   // [3 hidden], for input, output, forget; or nullptr
  T clip;               // what enters an activation is within [-clip, clip]; 0 for no bound
  bool coupled;         // the forget gate is what the input gate leaves
  std::vector<T> h, c;  // [batch, hidden]

  /// Takes the gates' share of one time step's input, [batch, 4 hidden], and moves h and c on for those that go on.
  void step(std::vector<T> gates, const std::vector<bool>& goes_on) {
    add_product(Product{batch, hidden, 4 * hidden, true}, h.data(), recurrence, gates.data());
    for (std::int64_t n = 0; n < batch; ++n) {
      if (goes_on[to_size(n)]) step(gates.data() + n * 4 * hidden, h.data() + n * hidden, c.data() + n * hidden);
    }
  }

 private:
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
    for (std::int64_t k = 0; clip > 0 && k < hidden; ++k) x[k] = std::clamp(x[k], -clip, clip);
    activations[which](x, hidden);
  }
};

/// The extents of an LSTM, with its tensors in the order of layout 0.
struct Lstm {
  std::int64_t steps, batch, width, hidden, directions;
  Tensor x, w, r, bias, initial_h, initial_c, peepholes;
  Ints lengths;  // of the sequences of the batch
  bool starts_backwards, coupled;
  float clip;
  std::vector<RecurrentActivation> activations;  // three for each direction

  template <class T>
  std::vector<T> initial(const Tensor& state, std::int64_t direction) const {
    const std::size_t count = to_size(batch * hidden);
    if (!state) return std::vector<T>(count, T{0});
    const T* from = state.data<T>().data() + direction * batch * hidden;
    return std::vector<T>(from, from + count);
  }

  /// The biases and the input's share of the gates of every step, [steps, batch, 4 hidden].
  template <class T>
  std::vector<T> input_gates(std::int64_t direction) const {
    const std::int64_t n = 4 * hidden;
    std::vector<T> gates(to_size(steps * batch * n), T{0});
    if (bias) {
      const T* b = bias.data<T>().data() + direction * 2 * n;
      for (std::size_t i = 0; i < gates.size(); ++i) gates[i] = b[to_int(i) % n] + b[n + to_int(i) % n];
    }
    add_product(Product{steps * batch, width, n, true}, x.data<T>().data(), w.data<T>().data() + direction * n * width,
                gates.data());
    return gates;
  }

  /// y is [steps, directions, batch, hidden], zero where a sequence has ended, the last states
  /// [directions, batch, hidden].
  template <class T>
  void run(T* y, T* last_h, T* last_c) const {
    const std::int64_t n = batch * hidden;
    for (std::int64_t d = 0; d < directions; ++d) {
      LstmDirection<T> cell{activations.data() + 3 * d,
                            batch,
                            hidden,
                            r.data<T>().data() + d * 4 * hidden * hidden,
                            peepholes ? peepholes.data<T>().data() + d * 3 * hidden : nullptr,
                            static_cast<T>(clip),
                            coupled,
                            initial<T>(initial_h, d),
                            initial<T>(initial_c, d)};
      const std::vector<T> gates = input_gates<T>(d);
      const bool backwards = starts_backwards != (d == 1);
      for (std::int64_t i = 0; i < steps; ++i) {
        std::vector<T> now(to_size(4 * n));
        std::vector<bool> goes_on;
        const auto time = [&](std::int64_t k) { return backwards ? lengths[to_size(k)] - 1 - i : i; };
        for (std::int64_t k = 0; k < batch; ++k) {
          goes_on.push_back(i < lengths[to_size(k)]);
          if (!goes_on.back()) continue;
          std::copy_n(gates.begin() + (time(k) * batch + k) * 4 * hidden, 4 * hidden, now.begin() + k * 4 * hidden);
        }
        cell.step(std::move(now), goes_on);
        for (std::int64_t k = 0; k < batch; ++k) {
          if (goes_on[to_size(k)])
            std::copy_n(cell.h.begin() + k * hidden, hidden, y + ((time(k) * directions + d) * batch + k) * hidden);
        }
      }
      for (std::int64_t k = 0; k < batch; ++k) {
        if (lengths[to_size(k)] > 0) continue;
        std::fill_n(cell.h.begin() + k * hidden, hidden, T{0});
        std::fill_n(cell.c.begin() + k * hidden, hidden, T{0});
      }
      std::copy(cell.h.begin(), cell.h.end(), last_h + d * n);
      std::copy(cell.c.begin(), cell.c.end(), last_c + d * n);
    }
  }
};

}  // namespace graft::inline v1::kernels::detail
