#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include <graft/quantize/run/detail/prepared_model.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// One way to quantize a prepared model.
struct Candidate {
  std::string name;
  const PreparedModel* base;
  std::optional<std::size_t> method{};  ///< that finds the ranges; none if activations are quantized during the run
  bool places_pairs = true;             ///< by inject_qdq(); false: `quantize` decides, or activations wait for the run
  std::optional<Pass> before{};         ///< what runs before ranges are refined: joins convolutions, widens tensors
  Pass quantize;
  ProductForms products{};  ///< that are dynamic or weight-only

  /// The name, and the numbers of these products.
  std::string full_name() const {
    const std::size_t dynamic = products.dynamic.reasons.size(), weight_only = products.size() - dynamic;
    return name + (dynamic == 0 ? "" : ", dynamic products: " + std::to_string(dynamic)) +
           (weight_only == 0 ? "" : ", weight-only products: " + std::to_string(weight_only));
  }
  /// Provides the forms of products. Without these, passes choose all products.
  void provide_products(bool mixes_forms, Facts& facts) const {
    if (!places_pairs) facts.withdraw<ProductForms>();
    else if (mixes_forms) facts.provide(products);
  }
};

}  // namespace graft::inline v1::detail
