#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/quantize/target/node_reasons.hpp>

namespace graft::inline v1 {

/// How a quantized model computes a product of a tensor and a constant, MatMul or Gemm.
enum class ProductForm : std::uint8_t {
  in_float,
  static_,      ///< in integers, between Q/DQ pairs whose scales are fixed: static quantization
  dynamic,      ///< in integers, of activations that are quantized as the model runs
  /// Of activations in float, by a weight in integers, with a scale for each block. ONNX Runtime's kernel rounds the
  /// activations to int8 too at accuracy level 4, with a scale for each block of its own.
  weight_only,
  fixed [[deprecated("use static_")]] = static_,
};

/// "float", "static", "dynamic", "weight-only".
std::string_view to_string(ProductForm form);

/// The products of the main graph that are dynamic or weight-only, and why; placement decides which of the others are
/// static. choose_forms_by_cost(), choose_forms_by_error(), choose_one_form() and keep_fewest_in_float() provide them.
/// inject_qdq() leaves them alone; quantize_dynamic() quantizes the dynamic ones and no other product, and
/// quantize_weights_blockwise() the weight-only ones.
struct ProductForms {
  static constexpr std::string_view fact_name = "product_forms";
  static constexpr bool is_decision = true;
  static constexpr int usual_bits = 8;  ///< of weights in blocks, where nothing else is asked for

  NodeReasons dynamic{};
  std::map<int, NodeReasons> weight_only{};  ///< by the bits of their weights

  std::size_t size() const;
  bool holds(const Node& node) const { return is_dynamic(node) || weight_bits(node); }
  bool is_dynamic(const Node& node) const;
  /// nullopt if it is not weight-only.
  std::optional<int> weight_bits(const Node& node) const;

  /// Replaces what was chosen of the node before; static_ and in_float leave it to placement. bits: of a weight-only
  /// product. Gives the node a name if it has none. Whether that is another choice.
  bool choose(Node& node, ProductForm form, std::string_view reason, int bits = usual_bits);
  /// The same of a node in the main graph by its name.
  void choose(const std::string& name, ProductForm form, std::string_view reason, int bits = usual_bits);

  void rename_node(std::string_view from, std::string_view to);
  void copy_node(std::string_view from, std::string_view to);

  /// By name the bits of weight-only products, and 0 for dynamic ones: without the reasons.
  std::map<std::string, int> choices() const;
};

namespace detail {

/// Throws Error for a form that is not for a caller to choose.
void refuse_placed_form(ProductForm form);

}  // namespace detail

}  // namespace graft::inline v1
