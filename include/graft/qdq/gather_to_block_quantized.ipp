#pragma once
#include <graft/qdq/gather_to_block_quantized.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::blocks {

inline constexpr auto table = cst<"table">;
inline constexpr auto ids = val<"ids">;
inline constexpr auto axis = attr<"axis", Axis>;
inline constexpr BlockForm form{.bits = 8, .block_size = 32, .symmetric = true};

/// Calls f(block of a row, its number), row by row.
template <class F>
void for_each_block(std::span<const float> values, std::size_t columns, const F& f) {
  const auto size = static_cast<std::size_t>(form.block_size);
  std::size_t block = 0;
  for (std::size_t i = 0; i < values.size();) {
    const std::size_t count = std::min(size, columns - i % columns);
    f(values.subspan(i, count), block++);
    i += count;
  }
}

inline std::size_t columns_of(const Tensor& matrix) { return static_cast<std::size_t>(matrix.dims()[1]); }

/// [rows, blocks], of the table's dtype. Scales below float16's smallest normal number become that number.
inline Tensor scales_of(const Tensor& matrix) {
  constexpr float smallest_half = 0x1p-14F;
  const bool is_half = matrix.dtype() == DType::f16;
  const std::vector<float> values = matrix.to<float>();
  std::vector<float> scales;
  for_each_block(values, columns_of(matrix), [&](std::span<const float> block, std::size_t) {
    const float scale = nearest_block_qparams(block, form).scale;
    scales.push_back(is_half ? std::copysign(std::max(std::abs(scale), smallest_half), scale) : scale);
  });
  const std::int64_t rows = matrix.dims()[0], width = static_cast<std::int64_t>(scales.size()) / rows;
  return Tensor::of<float>(matrix.dtype(), {rows, width}, scales);
}

/// uint8 [rows, columns].
inline Tensor codes_of(const Tensor& matrix) {
  const std::vector<float> values = matrix.to<float>(), scales = scales_of(matrix).to<float>();
  std::vector<std::uint8_t> codes;
  codes.reserve(values.size());
  for_each_block(values, columns_of(matrix), [&](std::span<const float> block, std::size_t i) {
    const BlockQParams params{scales[i], form.middle()};
    for (const float value : block) codes.push_back(static_cast<std::uint8_t>(params.code(value, form)));
  });
  return Tensor::of<std::uint8_t>(matrix.dims(), codes);
}

inline Verdict is_table(const Value& value) {
  const std::optional<Tensor> constant = value.constant();
  if (!constant || constant->rank() != 2) return Verdict::no("its table is not a constant matrix");
  if (constant->dims()[0] < 1 || constant->dims()[1] < form.block_size)
    return Verdict::no("its table has fewer columns than a block");
  for (const Use& use : value.uses()) {
    const Node* const reader = use.user();
    if (reader == nullptr || !reader->is("Gather") || use.index() != 0)
      return Verdict::no("its table has readers other than Gather");
    const std::int64_t along = reader->attr<std::int64_t>("axis").value_or(0);
    if (along != 0 && along != -2) return Verdict::no("its table is read along columns, too");
  }
  return extent_of(constant->to<float>()).finite ? Verdict::yes()
                                                 : Verdict::no("its table has a value that is not finite");
}

inline constexpr auto gather_to_block_quantized =
    rule<"gather-to-block-quantized">(
        op<"Gather">(table.dtype(DType::f32, DType::f16), ids).with(axis == 0), where(predicate<is_table>("")(table)),
        op<"com.microsoft::GatherBlockQuantized">(tensor<codes_of>(table), ids, tensor<scales_of>(table))
            .with(attr<"bits", std::int64_t> = form.bits, attr<"block_size", std::int64_t> = form.block_size,
                  attr<"gather_axis", std::int64_t> = 0, attr<"quantize_axis", std::int64_t> = 1))
        .changes_values("by a step of the scale of a block");

}  // namespace detail::blocks

GRAFT_INLINE constinit const RuleView gather_to_block_quantized = detail::blocks::gather_to_block_quantized.view();

GRAFT_INLINE Pass gathers_to_block_quantized() {
  return on_typed_graph("gathers_to_block_quantized", sweep(gather_to_block_quantized));
}

}  // namespace graft::inline v1
