#pragma once
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/control.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

inline Tensor slice_at(const Tensor& x, std::size_t axis, std::int64_t i) {
  if (axis >= x.rank()) throw failure({x, " has no slices"});
  return take_slices(x, axis, {i}, {});
}

/// Moves the first axis of the tensor to another position.
inline Tensor first_axis_moved(const Tensor& x, std::size_t to) {
  std::vector<std::size_t> order(x.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::rotate(order.begin(), order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  return permuted(x, order);
}

/// Reverses the first axis of the tensor.
inline Tensor first_axis_reversed(const Tensor& x) {
  if (x.size() == 0) return x;
  Dims strides = contiguous_strides(x.dims());
  const std::int64_t last = (x.dims()[0] - 1) * strides[0];
  strides[0] = -strides[0];
  return gather_strided(x, x.dims(), last, strides);
}

/// Tensors that are scanned together, each along an axis and from either end.
struct Sequences {
  std::vector<Tensor> tensors;
  std::vector<std::size_t> axes;
  Ints reversed;

  /// The common extent along their axes.
  std::int64_t length() const {
    const std::int64_t first = tensors.front().dims()[axes.front()];
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].dims()[axes[i]] != first) throw failure({"sequences of ", first, " and ", tensors[i]});
    }
    return first;
  }
};

/// Runs the body over the first slices of the sequences. It takes and returns the states; each further output is
/// stacked.
inline std::vector<Stack> run_scan(const KernelContext& ctx, std::vector<Tensor>& states, const Sequences& sequences,
                                   std::int64_t length) {
  std::vector<Stack> collected(ctx.output_count() - states.size());
  for (std::int64_t t = 0; t < length; ++t) {
    std::vector<Tensor> arguments = states;
    for (std::size_t i = 0; i < sequences.tensors.size(); ++i) {
      const std::int64_t at = sequences.reversed[i] != 0 ? length - 1 - t : t;
      arguments.push_back(slice_at(sequences.tensors[i], sequences.axes[i], at));
    }
    std::vector<Tensor> results = ctx.run_body("body", std::move(arguments));
    if (results.size() != ctx.output_count()) throw failure({"the body has ", results.size(), " outputs"});
    for (std::size_t i = 0; i < collected.size(); ++i) collected[i].push(results[states.size() + i]);
    results.resize(states.size());
    states.swap(results);
  }
  return collected;
}

/// The number of inputs after `first` that are states; the others are sequences.
inline std::size_t count_states(const KernelContext& ctx, std::size_t first) {
  const auto scanned = ctx.attr<std::int64_t>("num_scan_inputs");
  const std::int64_t inputs = to_int(ctx.input_count()) - to_int(first);
  if (scanned < 1 || scanned > inputs || inputs - scanned > to_int(ctx.output_count()))
    throw failure({scanned, " of ", ctx.input_count(), " inputs scanned"}).field("num_scan_inputs");
  return to_size(inputs - scanned);
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Along any axis, in either direction.
inline void scan(KernelContext& ctx) {
  const std::size_t count = detail::count_states(ctx, 0);
  std::vector<Tensor> states;
  for (std::size_t i = 0; i < count; ++i) states.push_back(ctx.take_input(i));
  const std::size_t scanned = ctx.input_count() - count;
  detail::Sequences sequences{{}, {}, detail::list_attribute(ctx, "scan_input_directions", scanned, 0)};
  const Ints axes = detail::list_attribute(ctx, "scan_input_axes", scanned, 0);
  for (std::size_t i = 0; i < scanned; ++i) {
    sequences.axes.push_back(detail::normalized_axis(axes[i], ctx.input(count + i).rank()));
    sequences.tensors.push_back(ctx.take_input(count + i));
  }
  const Ints to = detail::list_attribute(ctx, "scan_output_axes", ctx.output_count() - count, 0);
  const Ints reversed = detail::list_attribute(ctx, "scan_output_directions", ctx.output_count() - count, 0);
  std::vector<Stack> collected = detail::run_scan(ctx, states, sequences, sequences.length());
  for (std::size_t i = 0; i < count; ++i) ctx.set_output(i, std::move(states[i]));
  for (std::size_t i = 0; i < collected.size(); ++i) {
    if (collected[i].empty()) {
      const Value& output = *ctx.node().output(count + i);
      const std::size_t rank = output.shape().known() ? std::max<std::size_t>(output.shape().rank(), 1) : 1;
      ctx.set_output(count + i, nothing_stacked(output, detail::normalized_axis(to[i], rank)));
      continue;
    }
    Tensor y = collected[i].take();
    if (reversed[i] != 0) y = detail::first_axis_reversed(y);
    ctx.set_output(count + i, detail::first_axis_moved(y, detail::normalized_axis(to[i], y.rank())));
  }
}

/// Opset 8: each batch separately, along axis 1, up to the length of its sequence; the rest is 0.
inline void scan_batches(KernelContext& ctx) {
  const std::size_t count = detail::count_states(ctx, 1);
  const std::size_t scanned = ctx.input_count() - 1 - count;
  const Ints reversed = detail::list_attribute(ctx, "directions", scanned, 0);
  const Tensor& first = ctx.input(1 + count);
  if (first.rank() < 2) throw detail::failure({first, " has no batches of sequences"});
  const std::int64_t batches = first.dims()[0], longest = first.dims()[1];
  const Ints lengths = ctx.has_input(0) ? ctx.input(0).to<std::int64_t>() : Ints(detail::to_size(batches), longest);
  if (batches == 0 || longest == 0 || detail::to_int(lengths.size()) != batches)
    throw detail::failure({lengths.size(), " lengths of sequences ", first});

  std::vector<Stack> outputs(ctx.output_count());
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::vector<Tensor> states;
    for (std::size_t i = 0; i < count; ++i) states.push_back(detail::slice_at(ctx.input(1 + i), 0, batch));
    detail::Sequences sequences{{}, std::vector<std::size_t>(scanned, 0), reversed};
    for (std::size_t i = 0; i < scanned; ++i) {
      if (ctx.input(1 + count + i).rank() < 2) throw Error("a scanned input has no sequences");
      sequences.tensors.push_back(detail::slice_at(ctx.input(1 + count + i), 0, batch));
    }
    const std::int64_t length = lengths[detail::to_size(batch)];
    if (length < 1 || length > sequences.length()) throw detail::failure({"a length of ", length, " of ", longest});
    std::vector<Stack> collected = detail::run_scan(ctx, states, sequences, length);
    for (std::size_t i = 0; i < count; ++i) outputs[i].push(states[i]);
    for (std::size_t i = 0; i < collected.size(); ++i) outputs[count + i].push(collected[i].take(longest));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) ctx.set_output(i, outputs[i].take());
}

inline void add_scan(Kernels& kernels) { kernels.add("Scan", {8, 8}, scan_batches).add("Scan", {9}, scan); }

}  // namespace graft::inline v1::standard_kernels
