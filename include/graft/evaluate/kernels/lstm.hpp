#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/lstm.hpp>
#include <graft/evaluate/detail/permute.hpp>
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::kernels::detail {

/// The functions of the gates, of the cell's input and of its output, for each direction.
inline std::vector<RecurrentActivation> read_lstm_activations(const KernelContext& ctx, DType dtype,
                                                              std::int64_t directions) {
  std::vector<std::string> names = ctx.optional_attr<std::vector<std::string>>("activations")
                                       .value_or(std::vector<std::string>{});
  const bool none = names.empty();
  for (std::int64_t d = 0; none && d < directions; ++d) names.insert(names.end(), {"Sigmoid", "Tanh", "Tanh"});
  if (to_int(names.size()) != 3 * directions)
    throw failure({names.size(), " functions for ", directions, " directions"}).field("activations");
  ActivationReader reader(ctx, dtype);
  std::vector<RecurrentActivation> activations;
  for (const std::string& name : names) activations.push_back(reader.next(name));
  return activations;
}

}  // namespace graft::inline v1::kernels::detail

namespace graft::inline v1::kernels {

/// Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with forget gates and peepholes: LSTM-22. Where the
/// standard is silent, ONNX Runtime is followed: the input and forget gates are coupled as f = 1 - i, and a sequence of
/// no steps leaves states of 0.
inline void lstm(KernelContext& ctx) {
  const bool batch_first = ctx.attr_or<std::int64_t>("layout", 0) != 0;
  const DType dtype = ctx.input(0).dtype();
  const auto read = [&](std::size_t i, bool turns) {
    if (!ctx.has_input(i)) return Tensor();
    const Tensor x = detail::cast(ctx.take_input(i), detail::computed_in(dtype));
    return batch_first && turns && x.rank() == 3 ? detail::permuted(x, {1, 0, 2}) : x;
  };
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
  const auto direction = detail::choice(ctx, "direction", {"forward", "reverse", "bidirectional"});
  lstm.directions = direction == "bidirectional" ? 2 : 1;
  lstm.starts_backwards = direction == "reverse";
  lstm.coupled = ctx.attr_or<std::int64_t>("input_forget", 0) != 0;
  lstm.clip = ctx.attr_or<float>("clip", 0);
  if (!(lstm.clip >= 0)) throw Error("is no bound").field("clip");
  lstm.activations = detail::read_lstm_activations(ctx, lstm.x.dtype(), lstm.directions);

  const std::int64_t d = lstm.directions, n = lstm.batch, h = lstm.hidden;
  element_count(Dims{d, lstm.steps, n, 8, h});
  if (const auto declared = ctx.optional_attr<std::int64_t>("hidden_size"); declared.value_or(h) != h)
    throw detail::failure({*declared, " with recurrences of ", lstm.r}).field("hidden_size");
  const std::pair<const Tensor*, Dims> expected[] = {{&lstm.w, {d, 4 * h, lstm.width}}, {&lstm.r, {d, 4 * h, h}},
                                                     {&lstm.bias, {d, 8 * h}},          {&lstm.initial_h, {d, n, h}},
                                                     {&lstm.initial_c, {d, n, h}},      {&lstm.peepholes, {d, 3 * h}}};
  for (const auto& [tensor, dims] : expected) {
    if (*tensor && tensor->dims() != dims) throw detail::failure({*tensor, " instead of ", dims});
  }
  lstm.lengths = ctx.has_input(4) ? ctx.input(4).to<std::int64_t>() : Ints(detail::to_size(n), lstm.steps);
  if (detail::to_int(lstm.lengths.size()) != n) throw detail::failure({lstm.lengths.size(), " lengths for ", lstm.x});
  for (const std::int64_t length : lstm.lengths) {
    if (length < 0 || length > lstm.steps) throw detail::failure({"a length of ", length, " for ", lstm.x});
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

inline void add_lstm(Kernels& kernels) { kernels.add("LSTM", lstm); }

}  // namespace graft::inline v1::kernels
