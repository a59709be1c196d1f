#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/lower/channels_last.hpp>
#include <graft/qdq/symmetric_int8.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/surgery/change_batch.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/outputs.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/surgery/rename.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/surgery/subgraphs.hpp>
#include <graft/surgery/to_inference.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<Surgeon> own_surgeons() {
  using Arguments = const SurgeonArguments&;
  constexpr auto text_kind = ParameterKind::text, texts_kind = ParameterKind::texts;
  constexpr auto integer = ParameterKind::integer, flag = ParameterKind::flag;
  constexpr Intent signature{.signature = true}, shapes_and_signature{.shapes = true, .signature = true};
  const std::vector<std::string> none;
  return {
      {"ChangeBatch",
       "sets the leading extent of inputs to a number or a symbol",
       {{"batch", integer, false}, {"symbol", text_kind, false}, {"names", texts_kind, false, none}},
       {.values = "results of each sample stay", .shapes = true, .signature = true},
       [](Arguments arguments) {
         const std::vector<std::string>& names = given_texts(arguments, "names");
         const std::vector<BatchInput> inputs(names.begin(), names.end());
         refuse_both(arguments, "batch", "symbol");
         if (arguments.count("batch") != 0) return graft::change_batch(given<std::int64_t>(arguments, "batch"), inputs);
         return graft::change_batch(arguments.count("symbol") != 0 ? given_text(arguments, "symbol") : "N", inputs);
       }},
      {"ConvertToChannelsLast",
       "lets callers feed and receive images with their channels last",
       {{"inputs", flag, false, true}, {"outputs", flag, false, true}, {"names", texts_kind, false, none}},
       shapes_and_signature,
       [](Arguments arguments) {
         return convert_to_channels_last(
             {given<bool>(arguments, "inputs"), given<bool>(arguments, "outputs"), given_texts(arguments, "names")});
       }},
      {"ExposeValues",
       "makes the values whose names match these patterns outputs",
       {{"names", texts_kind}},
       signature,
       [](Arguments arguments) {
         const std::vector<std::string>& names = given_texts(arguments, "names");
         return expose_values(std::vector<NamePattern>(names.begin(), names.end()));
       }},
      {"ExtractSubgraph",
       "extracts the nodes that compute these outputs from these inputs",
       {{"inputs", texts_kind}, {"outputs", texts_kind}},
       shapes_and_signature,
       [](Arguments arguments) {
         return extract_subgraph(given_texts(arguments, "inputs"), given_texts(arguments, "outputs"));
       }},
      {"FixDim",
       "replaces a symbolic extent by a number",
       {{"dim_name", text_kind}, {"value", integer}},
       signature,
       [](Arguments arguments) {
         return fix_dim(given_text(arguments, "dim_name"), given<std::int64_t>(arguments, "value"));
       }},
      {"InlineFunctions",
       "replaces calls of local functions by their bodies",
       {},
       {},
       [](Arguments) { return inline_functions(); }},
      {"FloatBiases",
       "makes float constants of dequantized int32 constants",
       {},
       {},
       [](Arguments) { return float_biases(); }},
      {"QuantizeAlongOutputs",
       "gives weights a scale for each output channel that have them along another axis",
       {},
       {.values = "rounding weights once more"},
       [](Arguments) { return quantize_along_outputs(); }},
      {"QuantizeBehindActivations",
       "moves pairs between a product and its activation behind the activation",
       {},
       {.values = "without one rounding of two"},
       [](Arguments) { return quantize_behind_activations(); }},
      {"RaiseOpset",
       "raises the version of the main domain",
       {{"version", integer}},
       {},
       [](Arguments arguments) { return raise_opset(static_cast<int>(given_position(arguments, "version"))); }},
      {"RenameDim",
       "renames a symbolic extent",
       {{"old_name", text_kind}, {"new_name", text_kind}},
       signature,
       [](Arguments arguments) {
         return rename_dim(given_text(arguments, "old_name"), given_text(arguments, "new_name"));
       }},
      {"StateQuantizers",
       "writes the axes and the zero points of quantizers that state none",
       {},
       {},
       [](Arguments) { return state_quantizers(); }},
      {"SymmetricInt8",
       "makes pairs and dequantized constants of 8 bits int8 with the zero point 0",
       {},
       {.values = "rounding to steps up to twice as large"},
       [](Arguments) { return symmetric_int8(); }},
      {"ToInference",
       "replaces operators in training mode by those of inference",
       {},
       {.values = "as in inference"},
       [](Arguments) { return to_inference(); }},
      {"UniqueNodeNames", "gives every node a unique name", {}, {}, [](Arguments) { return unique_node_names(); }},
  };
}

}  // namespace graft::inline v1::detail
