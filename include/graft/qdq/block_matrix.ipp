#pragma once
#include <graft/qdq/block_matrix.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/detail/block_search.hpp>

namespace graft::inline v1 {

namespace detail {

/// Packs each row of `width` numbers of `bits` bits, the lowest bit first. Each row starts at a byte.
inline std::vector<std::uint8_t> packed_bits(std::span<const std::uint8_t> numbers, std::size_t width, int bits) {
  const std::size_t bytes = (width * static_cast<std::size_t>(bits) + 7) / 8;
  std::vector<std::uint8_t> packed(width == 0 ? 0 : numbers.size() / width * bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t bit = i % width * static_cast<std::size_t>(bits), at = i / width * bytes + bit / 8;
    const unsigned shifted = static_cast<unsigned>(numbers[i]) << bit % 8;
    packed[at] = static_cast<std::uint8_t>(packed[at] | shifted);
    if (shifted > 0xff) packed[at + 1] = static_cast<std::uint8_t>(packed[at + 1] | shifted >> 8);
  }
  return packed;
}

/// new_chooser() returns a function of its own for each run of rows; called with the values of a block and its first
/// column, it returns the q-params.
template <class NewChooser>
BlockMatrix quantized_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                             const ParallelFor* parallel, const NewChooser& new_chooser) {
  form.check();
  BlockMatrix result(columns == 0 ? 0 : matrix.size() / columns, columns, form);
  constexpr std::size_t elements_at_a_time = 1 << 14;
  const std::size_t rows_at_a_time = std::max<std::size_t>(1, elements_at_a_time / std::max<std::size_t>(1, columns));
  const auto quantize_rows = [&](std::int64_t first_row, std::int64_t last_row) {
    auto choose = new_chooser();
    for (auto row = static_cast<std::size_t>(first_row); row < static_cast<std::size_t>(last_row); ++row) {
      for (std::size_t k = 0; k < result.blocks(); ++k) {
        const std::size_t first = k * result.block_size(), count = std::min(result.block_size(), columns - first);
        const std::span<const float> values = matrix.subspan(row * columns + first, count);
        const BlockQParams params = choose(values, first);
        result.set_qparams(row, k, params);
        for (std::size_t i = 0; i < count; ++i)
          result.codes[row * columns + first + i] = static_cast<std::uint8_t>(params.code(values[i], form));
      }
    }
  };
  for_each_range(parallel, static_cast<std::int64_t>(result.rows),
                                           static_cast<std::int64_t>(rows_at_a_time), quantize_rows);
  return result;
}

}  // namespace detail

GRAFT_INLINE void BlockForm::check() const {
  if (bits < 2 || bits > 8) throw Error("blocks have 2 to 8 bits, not " + std::to_string(bits)).field("bits");
  if (block_size < 16 || block_size > 256 || !std::has_single_bit(static_cast<std::uint64_t>(block_size)))
    throw Error("the block size is a power of two from 16 to 256, not " + std::to_string(block_size))
        .field("block_size");
}

GRAFT_INLINE std::int32_t BlockQParams::code(float x, const BlockForm& form) const {
  const float steps = std::nearbyint(x / scale) + static_cast<float>(zero_point);
  return static_cast<std::int32_t>(std::clamp(steps, 0.0F, static_cast<float>(form.highest())));
}

GRAFT_INLINE BlockQParams nearest_block_qparams(std::span<const float> values, const BlockForm& form) {
  float least = 0, greatest = 0;
  for (const float value : values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  if (form.symmetric) {
    if (form.positive_scales) {
      const double low = -double{least} / form.middle(), high = double{greatest} / (form.middle() - 1);
      return {detail::block_scale(std::max(low, high)), form.middle()};
    }
    const double extreme = -least > greatest ? least : greatest;
    return {detail::block_scale(extreme / -form.middle()), form.middle()};
  }
  const float scale = detail::block_scale((static_cast<double>(greatest) - least) / form.highest());
  const float zero = std::nearbyint(-least / scale);
  return {scale, static_cast<std::int32_t>(std::clamp(zero, 0.0F, static_cast<float>(form.highest())))};
}

GRAFT_INLINE BlockQParams searched_block_qparams(std::span<const float> values, std::span<const float> importance,
                                                 const BlockForm& form) {
  return detail::BlockSearch(form)(values, importance);
}

GRAFT_INLINE BlockMatrix::BlockMatrix(std::size_t row_count, std::size_t column_count, const BlockForm& block_form)
    : rows(row_count), columns(column_count), form(block_form), codes(rows * columns), scales(rows * blocks()),
      zero_points(rows * blocks()) {}

GRAFT_INLINE BlockQParams BlockMatrix::qparams(std::size_t row, std::size_t block) const {
  return {scales[row * blocks() + block], zero_points[row * blocks() + block]};
}

GRAFT_INLINE void BlockMatrix::set_qparams(std::size_t row, std::size_t block, const BlockQParams& params) {
  scales[row * blocks() + block] = params.scale;
  zero_points[row * blocks() + block] = static_cast<std::uint8_t>(params.zero_point);
}

GRAFT_INLINE std::vector<float> BlockMatrix::values() const {
  std::vector<float> result(codes.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      result[row * columns + column] = qparams(row, column / block_size()).value(codes[row * columns + column]);
  return result;
}

GRAFT_INLINE Tensor BlockMatrix::packed_codes() const {
  const std::size_t padded = blocks() * block_size();
  std::vector<std::uint8_t> all(rows * padded);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < padded; ++column)
      all[row * padded + column] = column < columns ? codes[row * columns + column]
                                                    : zero_points[row * blocks() + column / block_size()];
  const std::size_t bytes = block_size() * static_cast<std::size_t>(form.bits) / 8;
  const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  return Tensor::of<std::uint8_t>({extent(rows), extent(blocks()), extent(bytes)},
                                  detail::packed_bits(all, block_size(), form.bits));
}

GRAFT_INLINE Tensor BlockMatrix::packed_zero_points() const {
  const std::vector<std::uint8_t> packed = detail::packed_bits(zero_points, blocks(), form.bits);
  const auto height = static_cast<std::int64_t>(rows);
  return Tensor::of<std::uint8_t>({height, height == 0 ? 0 : static_cast<std::int64_t>(packed.size()) / height},
                                  packed);
}

GRAFT_INLINE BlockMatrix nearest_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                                        const ParallelFor* parallel) {
  return detail::quantized_blocks(matrix, columns, form, parallel, [&] {
    return [&](std::span<const float> values, std::size_t) { return nearest_block_qparams(values, form); };
  });
}

GRAFT_INLINE BlockMatrix searched_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                                         std::span<const float> importance, const ParallelFor* parallel) {
  return detail::quantized_blocks(matrix, columns, form, parallel, [&] {
    return [search = detail::BlockSearch(form), importance](std::span<const float> values, std::size_t first) mutable {
      return search(values, importance.empty() ? importance : importance.subspan(first, values.size()));
    };
  });
}

}  // namespace graft::inline v1
