#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <map>

#include <graft/config.hpp>
#include <graft/testing/detail/unknown_words.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE const Recipe* find_recipe(std::string_view op) {
  static const std::map<std::string_view, const Recipe*> all = [] {
    std::map<std::string_view, const Recipe*> table;
    for (const auto recipes :
         {elementwise_recipes, movement_recipes, indexing_recipes, reduction_recipes, window_recipes, product_recipes,
          normalization_recipes, quantization_recipes, transformer_recipes})
      for (const Recipe& recipe : recipes())
        each_name(recipe.ops, [&](std::string_view name) { table[name] = &recipe; });
    return table;
  }();
  const auto found = all.find(op);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace graft::inline v1::detail
