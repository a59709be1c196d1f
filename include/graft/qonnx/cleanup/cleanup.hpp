#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <graft/graph/dims.hpp>
#include <graft/rewrite/pass.hpp>

// The passes, in this order:
//   canonical_operators()                      one spelling of QONNX's operators
//   change_batch(), set_input_shapes()         if asked for
//   freeze_inputs()                            initializers stop being inputs
//   infer_shapes()                             known shapes are declared
//   known_contents, fold_constants()           known shapes become constants; quantizers stay
//   fold_transpose_into_quantized_constant()
//   unique_parameters()                        after folding, because equal results share a constant
//   eliminate_dead_code()
//   extract_bias()                             if asked for
//   infer_shapes()                             shapes of new values
//   numbered_node_names()                      Conv_0
//   readable_tensor_names()                    Conv_0_out0, Conv_0_param0
//
// Values stay. The signature stays, except for static inputs and the options.

namespace graft::inline v1::qonnx {

struct CleanupOptions {
  /// Keeps quantizers of constants; otherwise they are folded like other operators: Quant, BipolarQuant, FloatQuant,
  /// Trunc, QuantizeLinear, DequantizeLinear.
  bool keep_quantizers = true;
  /// The batch of all inputs: see change_batch().
  std::optional<std::int64_t> batch{};
  /// New shapes of inputs, by name: see set_input_shapes().
  std::map<std::string, Dims> input_shapes{};
  bool extract_biases = false;
  /// Inputs and outputs become global_in, global_out: see readable_tensor_names().
  bool rename_signature = false;
};

/// The pass that gives an exported model a uniform form with readable names. A second run changes nothing.
Pass cleanup(CleanupOptions options = {});

}  // namespace graft::inline v1::qonnx
