#pragma once
#include <string_view>

#include <graft/quantize/target/node_reasons.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1 {

/// Products, MatMul and Gemm by constants, whose activations are quantized as the model runs. choose_dynamic_by_cost(),
/// choose_dynamic_by_error() and keep_fewest_in_float() provide them; inject_qdq() leaves them alone, and
/// quantize_dynamic() quantizes them and no other product.
struct DynamicProducts : NodeReasons {
  static constexpr std::string_view fact_name = "dynamic_products";
  static constexpr bool is_decision = true;

  /// Those of the facts; none if there are none.
  static DynamicProducts of(const Facts& facts);
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/dynamic_products.ipp>
#endif
