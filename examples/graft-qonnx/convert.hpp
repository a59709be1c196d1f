#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/rewrite.hpp>
#include <graft/surgery.hpp>

/// The format that a conversion makes.
enum class Destination { quant, qcdq, qdq, qop, integer, multithreshold };

struct ConvertOptions {
  Destination to = Destination::quant;
  graft::qonnx::ZeroPoints zero_points = graft::qonnx::ZeroPoints::even;
  bool narrow_types = false, lower_rest = false, keep_overridable = false;
  bool least_bits = false;  // Quant of a constant gets the fewest bits
  bool any_ties = false;    // thresholds halfway between integers are converted too
  int opset = 0;            // 0: the lowest opset of the conversion
};

/// Reports that sums of integers are not converted.
inline graft::Pass report_integer_operators() {
  return graft::pass("report_integer_operators", [](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    if (!context.refusals) return report;
    for (const graft::Graph* const scope : graft::scopes_of(graph))
      for (const graft::Node& node : scope->nodes())
        if (node.is("MatMulInteger") || node.is("ConvInteger"))
          report.refusals.push_back({"report_integer_operators", graft::display_name(node),
                                     "sums of integers have no conversion to floats between quantizers"});
    return report;
  }).preserves_all();
}

/// Other formats become Quant or Q/DQ first; nodes that have that form already stay.
inline graft::Pass conversion(const ConvertOptions& options) {
  namespace qonnx = graft::qonnx;
  const bool is_narrow = options.narrow_types;
  const int wanted = options.opset != 0 ? options.opset
                     : options.to == Destination::quant || options.to == Destination::multithreshold ? 0
                     : is_narrow                                                                     ? 21
                                                                                                     : 13;
  graft::Pass pass = qonnx::canonical_operators();
  if (!options.keep_overridable) pass |= graft::freeze_inputs();
  pass |= qonnx::fold_transpose_into_quantized_constant();  // products must read their weights directly
  if (wanted != 0) pass |= graft::raise_opset(wanted);
  const qonnx::QuantToQdqOptions to_qdq{
      .narrow_types = is_narrow, .lower_rest = options.lower_rest, .zero_points = options.zero_points};
  const graft::Pass from_thresholds = qonnx::multi_threshold_to_quant({.any_ties = options.any_ties});
  const graft::Pass from_operators = qonnx::quantized_operators_to_qdq();
  const graft::Pass to_quant = qonnx::qdq_to_quant(
      {.zero_points = options.zero_points, .least_bits_of_constants = options.least_bits});
  const graft::Pass rest = report_integer_operators();
  switch (options.to) {
    case Destination::quant: return pass | from_thresholds | from_operators | to_quant | rest;
    case Destination::qcdq: return pass | from_thresholds | from_operators | qonnx::quant_to_qcdq(to_qdq) | rest;
    case Destination::qdq: return pass | from_thresholds | from_operators | qonnx::quant_to_qdq(to_qdq) | rest;
    case Destination::qop:
      return pass | from_thresholds | qonnx::quant_to_qcdq(to_qdq) | qonnx::qdq_to_quantized_operators();
    case Destination::integer:
      return pass | from_thresholds | from_operators | qonnx::quant_to_qcdq(to_qdq) |
             qonnx::qdq_to_integer_operators();
    case Destination::multithreshold:  // weights keep their quantizers
      return pass | from_operators | qonnx::quant_to_multi_threshold() | to_quant | rest;
  }
  return pass;
}
