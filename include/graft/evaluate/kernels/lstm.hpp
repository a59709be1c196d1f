#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/permute.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::kernels::detail {

/// One direction of an LSTM with the default activations. Gates stand in ONNX's order: input, output, forget, cell.
template <class T>
struct LstmDirection {
  std::int64_t batch, hidden;
  const T* recurrence;  // [4 hidden, hidden]
  const T* peepholes;   // [3 hidden], for input, output, forget; or nullptr
  std::vector<T> h, c;  // [batch, hidden]

  /// Takes the gates' share of one time step's input, [batch, 4 hidden], and moves h and c on.
  void step(std::vector<T> gates) {
    add_product(Product{batch, hidden, 4 * hidden, true}, h.data(), recurrence, gates.data());
    for (std::int64_t n = 0; n < batch; ++n) {
      const T* gate = gates.data() + n * 4 * hidden;
      for (std::int64_t k = 0; k < hidden; ++k) {
        T& cell = c[to_size(n * hidden + k)];
        const T input = sigmoid(gate[k] + peep(0, k) * cell);
        const T forget = sigmoid(gate[2 * hidden + k] + peep(2, k) * cell);
        cell = forget * cell + input * std::tanh(gate[3 * hidden + k]);
        const T output = sigmoid(gate[hidden + k] + peep(1, k) * cell);
        h[to_size(n * hidden + k)] = output * std::tanh(cell);
      }
    }
  }

 private:
  static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
  T peep(std::int64_t gate, std::int64_t k) const { return peepholes != nullptr ? peepholes[gate * hidden + k] : T{0}; }
};

/// The extents of an LSTM, with its tensors in the order of layout 0.
struct Lstm {
  std::int64_t steps, batch, width, hidden, directions;
  Tensor x, w, r, bias, initial_h, initial_c, peepholes;
  bool starts_backwards;

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

  /// y is [steps, directions, batch, hidden], the last states [directions, batch, hidden].
  template <class T>
  void run(T* y, T* last_h, T* last_c) const {
    const std::int64_t n = batch * hidden;
    for (std::int64_t d = 0; d < directions; ++d) {
      LstmDirection<T> cell{batch,
                            hidden,
                            r.data<T>().data() + d * 4 * hidden * hidden,
                            peepholes ? peepholes.data<T>().data() + d * 3 * hidden : nullptr,
                            initial<T>(initial_h, d),
                            initial<T>(initial_c, d)};
      const std::vector<T> gates = input_gates<T>(d);
      for (std::int64_t i = 0; i < steps; ++i) {
        const std::int64_t t = starts_backwards != (d == 1) ? steps - 1 - i : i;
        cell.step(std::vector<T>(gates.begin() + t * 4 * n, gates.begin() + (t + 1) * 4 * n));
        std::copy(cell.h.begin(), cell.h.end(), y + (t * directions + d) * n);
      }
      std::copy(cell.h.begin(), cell.h.end(), last_h + d * n);
      std::copy(cell.c.begin(), cell.c.end(), last_c + d * n);
    }
  }
};

}  // namespace graft::inline v1::kernels::detail

namespace graft::inline v1::kernels {

/// With the default activations, without clipping, coupled gates, or sequences of different lengths.
inline void lstm(KernelContext& ctx) {
  for (const std::string_view name : {"activations", "clip"}) {
    if (ctx.node().attribute(name) != nullptr) throw Error("is not supported").field(name);
  }
  if (ctx.attr_or<std::int64_t>("input_forget", 0) != 0) throw Error("is not supported").field("input_forget");
  const bool batch_first = ctx.attr_or<std::int64_t>("layout", 0) != 0;
  const DType dtype = ctx.input(0).dtype();
  const auto read = [&](std::size_t i, bool turns) {
    if (!ctx.has_input(i)) return Tensor();
    const Tensor x = detail::cast(ctx.take_input(i), detail::computed_in(dtype));
    return batch_first && turns && x.rank() == 3 ? detail::permuted(x, {1, 0, 2}) : x;
  };
  if (ctx.has_input(4)) {
    for (const std::int64_t length : ctx.input(4).to<std::int64_t>()) {
      if (length != ctx.input(0).dims()[batch_first ? 1 : 0])
        throw Error("sequences of different lengths are not supported");
    }
  }
  detail::Lstm lstm{};
  lstm.x = read(0, true);
  lstm.w = read(1, false);
  lstm.r = read(2, false);
  lstm.bias = read(3, false);
  lstm.initial_h = read(5, true);
  lstm.initial_c = read(6, true);
  lstm.peepholes = read(7, false);
  if (lstm.x.rank() != 3 || lstm.w.rank() != 3 || lstm.r.rank() != 3)
    throw Error("an input, weight or recurrence has not rank 3");
  lstm.steps = lstm.x.dims()[0];
  lstm.batch = lstm.x.dims()[1];
  lstm.width = lstm.x.dims()[2];
  lstm.hidden = lstm.r.dims()[2];
  const auto direction = ctx.attr<std::string_view>("direction");
  lstm.directions = direction == "bidirectional" ? 2 : 1;
  lstm.starts_backwards = direction == "reverse";

  const std::int64_t d = lstm.directions, n = lstm.batch, h = lstm.hidden;
  const std::pair<const Tensor*, Dims> expected[] = {{&lstm.w, {d, 4 * h, lstm.width}}, {&lstm.r, {d, 4 * h, h}},
                                                     {&lstm.bias, {d, 8 * h}},          {&lstm.initial_h, {d, n, h}},
                                                     {&lstm.initial_c, {d, n, h}},      {&lstm.peepholes, {d, 3 * h}}};
  for (const auto& [tensor, dims] : expected) {
    if (*tensor && tensor->dims() != dims) throw detail::failure({*tensor, " instead of ", dims});
  }

  Tensor y(lstm.x.dtype(), {lstm.steps, d, n, h});
  Tensor last_h(lstm.x.dtype(), {d, n, h});
  Tensor last_c(lstm.x.dtype(), {d, n, h});
  detail::visit<float, double>(lstm.x.dtype(), [&]<class T>() {
    lstm.run(y.mutable_data<T>().data(), last_h.mutable_data<T>().data(), last_c.mutable_data<T>().data());
  });
  if (batch_first) {
    y = detail::permuted(y, {2, 0, 1, 3});
    last_h = detail::permuted(last_h, {1, 0, 2});
    last_c = detail::permuted(last_c, {1, 0, 2});
  }
  ctx.set_output(0, detail::cast(std::move(y), dtype));
  ctx.set_output(1, detail::cast(std::move(last_h), dtype));
  ctx.set_output(2, detail::cast(std::move(last_c), dtype));
}

inline void add_lstm(Kernels& kernels) { kernels.add("LSTM", {7}, lstm); }

}  // namespace graft::inline v1::kernels
