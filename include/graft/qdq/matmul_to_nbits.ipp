#pragma once
#include <graft/qdq/matmul_to_nbits.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/detail/pair.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::nbits {

/// Elements of a column that share a scale. A scale of a whole column is repeated.
inline std::int64_t block_size_of(const Node& dequantize, std::int64_t rows) {
  if (const auto given = dequantize.attr<std::int64_t>("block_size").value_or(0); given != 0) return given;
  std::int64_t size = 16;
  while (size < 128 && size < rows) size *= 2;
  return size;
}

/// The zero point of integers that MatMulNBits stores without one.
inline std::int32_t middle_of(DType dtype) { return is_unsigned_integer(dtype) ? 1 << (bits(dtype) - 1) : 0; }

/// Whether the blocks of a dequantized weight are as MatMulNBits has them.
inline Verdict is_weight(const Node& dequantize) {
  const Tensor data = constant_input(dequantize, 0).value(), scale = constant_input(dequantize, 1).value();
  if (data.rank() != 2 || data.size() == 0) return Verdict::no("its weight is not a matrix");
  if (!is_integer(data.dtype()) || bits(data.dtype()) > 8)
    return Verdict::no("its weight is not of integers of at most 8 bits");
  if (scale.dtype() != DType::f32) return Verdict::no("its scales are not float32");
  const std::int64_t rows = data.dims()[0], columns = data.dims()[1];
  std::int64_t axis = dequantize.attr<std::int64_t>("axis").value_or(1);
  if (axis < 0) axis += 2;
  if (const auto given = dequantize.attr<std::int64_t>("block_size").value_or(0); given != 0) {
    const bool is_form = given >= 16 && given <= 256 && std::has_single_bit(static_cast<std::uint64_t>(given));
    if (axis != 0 || !is_form) return Verdict::no("its blocks are not 16 to 256 rows, a power of two");
    if (scale.dims() != Dims{(rows + given - 1) / given, columns})
      return Verdict::no("it needs a scale for each block");
  } else if (scale.size() != 1 && (axis != 1 || scale.size() != columns)) {
    return Verdict::no("its scales are not those of columns");
  }
  const std::optional<Tensor> zero = constant_input(dequantize, 2);
  const std::vector<std::int32_t> zeros = zero ? zero->to<std::int32_t>() : std::vector<std::int32_t>{0};
  const auto is_middle = [&](std::int32_t one) { return one == middle_of(data.dtype()); };
  return std::ranges::all_of(zeros, is_middle) ? Verdict::yes() : Verdict::no("its zero point is not the middle");
}

/// The blocks of a weight for which is_weight() holds.
inline BlockMatrix blocks_of(const Node& dequantize) {
  const Tensor data = constant_input(dequantize, 0).value(), scale = constant_input(dequantize, 1).value();
  const std::int64_t rows = data.dims()[0], columns = data.dims()[1];
  BlockForm form{.bits = 2, .block_size = block_size_of(dequantize, rows), .symmetric = true};
  std::vector<std::int32_t> integers = data.to<std::int32_t>();
  for (std::int32_t& integer : integers) integer -= middle_of(data.dtype());
  const auto [least, greatest] = std::ranges::minmax(integers);
  while (least < -form.middle() || greatest >= form.middle()) form.bits *= 2;

  const std::vector<float> scales = scale.to<float>();
  const bool has_blocks = dequantize.attr<std::int64_t>("block_size").value_or(0) != 0;
  BlockMatrix matrix(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), form);
  for (std::size_t n = 0; n < matrix.rows; ++n) {
    for (std::size_t block = 0; block < matrix.blocks(); ++block) {
      const std::size_t place = has_blocks ? block * matrix.rows + n : scales.size() == 1 ? 0 : n;
      matrix.set_qparams(n, block, {scales[place], form.middle()});
    }
    for (std::size_t k = 0; k < matrix.columns; ++k)
      matrix.codes[n * matrix.columns + k] =
          static_cast<std::uint8_t>(integers[k * matrix.rows + n] + form.middle());
  }
  return matrix;
}

inline Verdict is_float32(const Value& x) {
  return x.dtype() == DType::f32 ? Verdict::yes() : Verdict::no("its input is not float32");
}

inline constexpr auto matmul_to_nbits = rule<"matmul-to-nbits">(
    op<"MatMul">(strip::x, strip::dequantize(strip::c, strip::s, opt(strip::z)).as(strip::dq)),
    where(predicate<is_float32>("")(strip::x), predicate<is_weight>("")(strip::dq)),
    [](const auto& m, Rewriter& rewriter) -> Value& {
      const BlockMatrix matrix = blocks_of(m[strip::dq]);
      const auto number = [](std::size_t extent) { return static_cast<std::int64_t>(extent); };
      const Tensor scales = Tensor::of<float>({number(matrix.rows), number(matrix.blocks())}, matrix.scales);
      Value& codes = rewriter.constant(matrix.packed_codes(), m[strip::c].name());
      return rewriter.op("com.microsoft::MatMulNBits",
                         {&m[strip::x], &codes, &rewriter.constant(scales, m[strip::s].name())},
                         {{"K", number(matrix.columns)},
                          {"N", number(matrix.rows)},
                          {"bits", std::int64_t{matrix.form.bits}},
                          {"block_size", matrix.form.block_size},
                          {"accuracy_level", std::int64_t{1}}});
    });

}  // namespace detail::nbits

GRAFT_INLINE constinit const RuleView matmul_to_nbits = detail::nbits::matmul_to_nbits.view();

GRAFT_INLINE Pass matmuls_to_nbits() { return on_typed_graph("matmuls_to_nbits", sweep(matmul_to_nbits)); }

}  // namespace graft::inline v1
