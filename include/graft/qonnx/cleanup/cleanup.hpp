#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <graft/graph/dims.hpp>
#include <graft/rewrite/pass.hpp>

// In this order, each a pass of its own:
//   canonical_operators()                      operators of QONNX bear its domain
//   change_batch(), set_input_shapes()         if asked for
//   freeze_inputs()                            initializers stop being inputs
//   infer_shapes()                             what is known of shapes is declared
//   known_contents, fold_constants()           shapes that are known are constants, too; but quantizers stay
//   fold_transpose_into_quantized_constant()
//   unique_parameters()                        after folding, which lets equal results share one
//   eliminate_dead_code()
//   extract_bias()                             if asked for
//   infer_shapes()                             of what is new
//   numbered_node_names()                      Conv_0
//   readable_tensor_names()                    Conv_0_out0, Conv_0_param0
//
// Values stay. The signature does, except for static inputs and what is asked for.

namespace graft::inline v1::qonnx {

struct CleanupOptions {
  /// Quantizers over constants stay as they are, else they are folded as other operators: Quant, BipolarQuant,
  /// FloatQuant, Trunc, QuantizeLinear, DequantizeLinear.
  bool keep_quantizers = true;
  /// The batch of all inputs: see change_batch().
  std::optional<std::int64_t> batch{};
  /// Shapes that inputs are to have, by name: see set_input_shapes().
  std::map<std::string, Dims> input_shapes{};
  bool extract_biases = false;
  /// Inputs and outputs become global_in, global_out: see readable_tensor_names().
  bool rename_signature = false;
};

/// The pass that makes of an exported model one that other passes, and people, find their way in. Run twice it changes
/// nothing more.
Pass cleanup(CleanupOptions options = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/cleanup.ipp>
#endif
