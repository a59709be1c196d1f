#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/kernels/layer_normalization.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The rows of a table [rows, H] at the indices, which must not be negative.
inline Tensor embedded(const Tensor& table, const Tensor& indices) {
  if (table.rank() != 2) throw failure({"an embedding ", table, " is not a table"});
  Ints rows = indices.to<std::int64_t>();
  for (const std::int64_t row : rows)
    if (row < 0) throw failure({"the index ", row, " of an embedding is negative"});
  return take_slices(table, 0, rows, indices.dims());
}

/// The number of ones in each row of a mask; 0 without a mask.
inline Tensor mask_lengths(const Tensor& mask, std::int64_t batch) {
  Tensor lengths(DType::i32, {batch});
  if (!mask) return lengths;
  if (mask.rank() != 2 || mask.dims()[0] != batch) throw failure({"the mask ", mask, " for ", batch, " batches"});
  const Ints elements = mask.to<std::int64_t>();
  const std::int64_t width = mask.dims()[1];
  auto row = elements.begin();
  for (std::int32_t& length : lengths.mutable_data<std::int32_t>()) {
    length = static_cast<std::int32_t>(std::count(row, row + width, 1));
    row += width;
  }
  return lengths;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// com.microsoft's: LayerNormalization of the sum of word, position and segment embeddings. Without position_ids the
/// positions are 0, 1 ... S-1. Outputs: normalized, mask_index, sum.
inline void embed_layer_normalization(KernelContext& ctx) {
  const Tensor ids = ctx.take_input(0);
  if (ids.rank() != 2) throw detail::failure({"input_ids of ", ids.dims()});
  const std::int64_t batch = ids.dims()[0], steps = ids.dims()[1];
  Ints counted(static_cast<std::size_t>(steps));
  std::iota(counted.begin(), counted.end(), 0);
  const Tensor positions = ctx.has_input(8) ? ctx.take_input(8) : Tensor::of(Dims{1, steps}, counted);
  Tensor sum = detail::arithmetic_onto<detail::Add>(detail::embedded(ctx.input(2), ids), "position_embedding",
                                                    detail::embedded(ctx.input(3), positions));
  if (ctx.has_input(1))
    sum = detail::arithmetic_onto<detail::Add>(std::move(sum), "segment_embedding",
                                               detail::embedded(ctx.input(4), ctx.input(1)));
  ctx.set_output(0, detail::scaled_standardized(sum, 2, ctx.attr_or<float>("epsilon", 1e-12F), ctx.take_input(5),
                                                ctx.take_input(6)));
  ctx.set_output(1, detail::mask_lengths(ctx.has_input(7) ? ctx.take_input(7) : Tensor(), batch));
  ctx.set_output(2, std::move(sum));
}

inline void add_embed_layer_normalization(Kernels& kernels) {
  kernels.add("com.microsoft::EmbedLayerNormalization", embed_layer_normalization);
}

}  // namespace graft::inline v1::standard_kernels
