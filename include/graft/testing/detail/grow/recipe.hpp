#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1::detail {

constexpr std::uint32_t dtype_bit(DType dtype) { return std::uint32_t{1} << static_cast<std::uint32_t>(dtype); }

/// The requirements of an operand's value.
struct Want {
  std::size_t least_rank = 0, max_rank = 5;
  schema::TypeSet dtypes{0xffffffff};
  bool numeric = false;        // all extents are numbers
  bool exact = false;          // prefer values that no operator has rounded
  bool positive = false;       // for constants
  std::optional<Dims> dims{};  // exactly these

  Want of(std::uint32_t bits) const {
    Want want = *this;
    want.dtypes.bits &= bits;
    return want;
  }
};

inline constexpr std::uint32_t float_bits =
    dtype_bit(DType::f32) | dtype_bit(DType::f16) | dtype_bit(DType::bf16) | dtype_bit(DType::f64);
inline constexpr std::uint32_t index_bits = dtype_bit(DType::i64) | dtype_bit(DType::i32);

/// Thrown if the drawn values do not fit the operator; nothing is added.
struct Unfit {};

class NodeMaker;

/// How to make the operands and attributes of some operators, whose names are joined by '|'.
struct Recipe {
  std::string_view ops;
  void (*make)(NodeMaker& node);
};

std::span<const Recipe> elementwise_recipes();
std::span<const Recipe> movement_recipes();
std::span<const Recipe> indexing_recipes();
std::span<const Recipe> reduction_recipes();
std::span<const Recipe> window_recipes();
std::span<const Recipe> product_recipes();
std::span<const Recipe> normalization_recipes();
std::span<const Recipe> quantization_recipes();
std::span<const Recipe> transformer_recipes();

/// nullptr for an operator without a recipe.
const Recipe* find_recipe(std::string_view op);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/grow/elementwise.ipp>
#include <graft/testing/detail/grow/indexing.ipp>
#include <graft/testing/detail/grow/movement.ipp>
#include <graft/testing/detail/grow/normalizations.ipp>
#include <graft/testing/detail/grow/products.ipp>
#include <graft/testing/detail/grow/quantization.ipp>
#include <graft/testing/detail/grow/recipe.ipp>
#include <graft/testing/detail/grow/reductions.ipp>
#include <graft/testing/detail/grow/transformers.ipp>
#include <graft/testing/detail/grow/windows.ipp>
#endif
