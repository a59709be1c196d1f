#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/testing/detail/grow/want.hpp>

namespace graft::inline v1::detail {

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
