#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// RNN, GRU, LSTM. X: [sequence, batch, input], or batch first with layout = 1 (version 14). Y: [sequence, directions,
/// batch, hidden], or [batch, sequence, directions, hidden]. The last states lack the sequence. R: [directions, .,
/// hidden], or with its last two axes exchanged.
inline Verdict recurrent_along(InferContext& c, std::size_t hidden_axis) {
  const Shape x = c.shape(0), r = c.shape(2);
  if (x.known() && x.rank() != 3) return Verdict::no("the input of a recurrent operator must have rank 3");
  if (r.known() && r.rank() != 3) return Verdict::no("the recurrence weight must have rank 3");
  const bool batch_first = c.attr("layout", 0) != 0;
  const Dim sequence = x.known() ? x[batch_first ? 1 : 0] : Dim(), batch = x.known() ? x[batch_first ? 0 : 1] : Dim();
  const std::string_view direction = c.attr<std::string_view>("direction").value_or("forward");
  const Dim directions(direction == "bidirectional" ? 2 : 1);
  const auto hidden = unify(Dim(c.attr("hidden_size", -1)), r.known() ? r[hidden_axis] : Dim());
  if (!hidden) return Verdict::no("hidden_size differs from that of the recurrence weight");
  if (batch_first) {
    c.set_shape(0, {batch, sequence, directions, *hidden});
  } else {
    c.set_shape(0, {sequence, directions, batch, *hidden});
  }
  for (std::size_t i = 1; i < c.output_count(); ++i) {
    c.set_shape(i, {batch_first ? batch : directions, batch_first ? directions : batch, *hidden});
  }
  return Verdict::yes();
}

inline Verdict recurrent(InferContext& c) { return recurrent_along(c, 2); }

/// DynamicQuantizeLSTM of com.microsoft.
inline Verdict transposed_recurrent(InferContext& c) { return recurrent_along(c, 1); }

}  // namespace graft::inline v1::infer
