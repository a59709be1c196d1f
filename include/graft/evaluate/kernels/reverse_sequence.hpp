#pragma once
#include <cstring>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels {

/// Reverses the first sequence_lens[batch] steps of each batch.
inline void reverse_sequence(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto time_axis = ctx.attr<std::int64_t>("time_axis");
  const auto batch_axis = ctx.attr<std::int64_t>("batch_axis");
  if (x.rank() < 2 || time_axis < 0 || time_axis > 1 || batch_axis != 1 - time_axis)
    throw detail::failure({"time axis ", time_axis, " and batch axis ", batch_axis, " of ", x});
  const std::int64_t steps = x.dims()[detail::to_size(time_axis)];
  const std::int64_t batches = x.dims()[detail::to_size(batch_axis)];
  const Ints lengths = ctx.input(1).to<std::int64_t>();
  if (detail::to_int(lengths.size()) != batches) throw detail::failure({lengths.size(), " lengths for ", x});
  const std::size_t chunk = detail::to_size(detail::extent(x.dims(), 2, x.rank())) * detail::element_size(x);
  const auto place = [&](std::int64_t time, std::int64_t batch) {
    return detail::to_size(time_axis == 0 ? time * batches + batch : batch * steps + time) * chunk;
  };
  Tensor y(x.dtype(), x.dims());
  std::byte* const to = y.mutable_bytes().data();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t length = lengths[detail::to_size(batch)];
    if (length < 0 || length > steps) throw detail::failure({"a length of ", length, " in ", x});
    for (std::int64_t time = 0; time < steps; ++time) {
      const std::int64_t from = time < length ? length - 1 - time : time;
      std::memcpy(to + place(time, batch), x.bytes().data() + place(from, batch), chunk);
    }
  }
  ctx.set_output(0, std::move(y));
}

inline void add_reverse_sequence(Kernels& kernels) { kernels.add("ReverseSequence", reverse_sequence); }

}  // namespace graft::inline v1::standard_kernels
