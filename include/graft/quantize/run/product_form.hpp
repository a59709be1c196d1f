#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace graft::inline v1 {

/// How a quantized model computes a product of a tensor and a constant, MatMul or Gemm.
enum class ProductForm : std::uint8_t {
  in_float,
  fixed,        ///< in integers, between Q/DQ pairs whose scales are fixed: static quantization
  dynamic,      ///< in integers, of activations that are quantized as the model runs
  weight_only,  ///< of activations in float, by a weight in integers
};

/// "float", "static", "dynamic", "weight-only".
std::string_view to_string(ProductForm form);

/// What became of one product.
struct ProductResult {
  std::string node;  ///< by its display_name() in the prepared model
  ProductForm form = ProductForm::in_float;
  std::string why;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/product_form.ipp>
#endif
