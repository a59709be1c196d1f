#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/outputs.hpp>
#include <graft/surgery/rename.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/surgery/to_inference.hpp>

namespace graft::inline v1::detail {

/// Pairs of names, from two lists.
inline std::vector<std::pair<std::string, std::string>> renamings(const SurgeonArguments& arguments) {
  const auto& olds = given<std::vector<std::string>>(arguments, "old_names");
  const auto& news = given<std::vector<std::string>>(arguments, "new_names");
  if (olds.size() != news.size())
    throw Error("'old_names' are " + std::to_string(olds.size()) + ", 'new_names' " + std::to_string(news.size()));
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < olds.size(); ++i) pairs.emplace_back(olds[i], news[i]);
  return pairs;
}

/// Renames existing inputs or outputs. Ignores unknown names, with a warning, because one configuration may serve
/// models with a few different names.
inline Pass rename_known(const SurgeonArguments& arguments, bool is_input) {
  return pass("rename",
              [names = renamings(arguments), is_input](Graph& graph, Context& context) {
                std::vector<const Value*> values(graph.inputs().begin(), graph.inputs().end());
                if (!is_input) values.assign(graph.outputs().begin(), graph.outputs().end());
                std::vector<std::pair<std::string, std::string>> known;
                std::vector<std::string> warnings;
                for (const auto& pair : names) {
                  const bool is_there = std::any_of(values.begin(), values.end(), [&](const Value* value) {
                    return value != nullptr && value->name() == pair.first;
                  });
                  if (is_there) known.push_back(pair);
                  else
                    warnings.push_back("'" + pair.first + "' is ignored: the graph has no such " +
                                       (is_input ? "input" : "output"));
                }
                for (const std::string& warning : warnings) context.write_log(warning);
                Report report = (is_input ? rename_inputs(known) : rename_outputs(known)).run(graph, context);
                report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
                return report;
              })
      .preserves_all();
}

inline std::vector<std::size_t> permutation(const SurgeonArguments& arguments) {
  std::vector<std::size_t> order;
  for (const std::int64_t number : given<std::vector<std::int64_t>>(arguments, "permutation"))
    order.push_back(as_position(number, "permutation"));
  return order;
}

/// Finds the name of an input or output by its position, and runs the pass that make(name) returns.
template <class F>
Pass by_position(std::string what, std::size_t index, bool is_input, F make) {
  return pass("rename_" + what + "_dims",
              [=](Graph& graph, Context& context) {
                const std::size_t count = is_input ? graph.inputs().size() : graph.output_count();
                if (index >= count) throw Error("the graph has no " + what + " " + std::to_string(index));
                const Value& value = is_input ? *graph.inputs()[index] : *graph.output(index);
                return make(std::string(value.name())).run(graph, context);
              })
      .preserves_all();
}

inline Pass rename_input_dim(const SurgeonArguments& arguments) {
  const auto rename = [axis = given_position(arguments, "dim_idx"), symbol = given_text(arguments, "dim_name")](
                          std::string name) { return rename_input_dims(std::move(name), axis, symbol); };
  refuse_both(arguments, "input_name", "input_idx");
  if (arguments.count("input_name") != 0) return rename(given_text(arguments, "input_name"));
  const auto position = arguments.count("input_idx") != 0 ? given_position(arguments, "input_idx") : 0;
  return by_position("input", position, true, rename);
}

inline Pass rename_output_dim(const SurgeonArguments& arguments) {
  const auto rename = [axis = given_position(arguments, "dim_idx"), symbol = given_text(arguments, "dim_name")](
                          std::string name) { return rename_output_dims(std::move(name), axis, symbol); };
  return by_position("output", given_position(arguments, "output_idx"), false, rename);
}

GRAFT_INLINE std::vector<Surgeon> signature_surgeons() {
  using Arguments = const SurgeonArguments&;
  constexpr auto text_kind = ParameterKind::text, texts_kind = ParameterKind::texts;
  constexpr auto integer = ParameterKind::integer, integers = ParameterKind::integers;
  constexpr Intent signature{.signature = true};
  return {
      {"AddIntermediateTensorsToOutputs",
       "makes these tensors outputs, or all outputs of nodes",
       {{"intermediate_tensor_to_add", texts_kind, false}},
       signature,
       [](Arguments arguments) {
         const auto names = arguments.find("intermediate_tensor_to_add");
         if (names == arguments.end()) return add_intermediate_tensors_to_outputs();
         const auto& tensors = std::get<std::vector<std::string>>(names->second);
         return tensors.empty() ? add_intermediate_tensors_to_outputs() : add_intermediate_tensors_to_outputs(tensors);
       }},
      {"ExposeOutputs",
       "makes the first outputs of these nodes outputs of the graph",
       {{"names", texts_kind}},
       signature,
       [](Arguments arguments) { return expose_outputs(given_texts(arguments, "names")); }},
      {"ExposeQuantizedOutput",
       "replaces an output by its integers, with scale and zero point as outputs",
       {{"output_name", text_kind}},
       {.values = "integers instead of floats", .signature = true},
       [](Arguments arguments) { return expose_quantized_output(given_text(arguments, "output_name")); }},
      {"InferShapes",
       "declares the types that follow from inputs and constants",
       {},
       {},
       [](Arguments) { return infer_shapes(); }},
      {"RemoveAllTensorValueShapes",
       "removes the shapes of inner tensors from their declared types",
       {},
       {},
       [](Arguments) { return remove_all_tensor_value_shapes(); }},
      {"RemoveInitializerFromInputs",
       "turns inputs that have an initializer into constants",
       {},
       signature,
       [](Arguments) { return freeze_inputs(); }},
      {"RemoveInputs",
       "removes inputs, and nodes that need them",
       {{"names", texts_kind}},
       {.values = "as without the inputs", .shapes = true, .signature = true},
       [](Arguments arguments) { return remove_inputs(given_texts(arguments, "names")); }},
      {"RemoveMemcpy", "removes copies between devices", {}, {}, [](Arguments) { return remove_memcpy(); }},
      {"RemoveShapes", "removes the declared types of inner values", {}, {}, [](Arguments) { return remove_shapes(); }},
      {"RenameInputDims",
       "names an extent of an input",
       {{"dim_idx", integer}, {"dim_name", text_kind}, {"input_name", text_kind, false}, {"input_idx", integer, false}},
       signature,
       [](Arguments arguments) { return rename_input_dim(arguments); }},
      {"RenameInputs",
       "renames inputs",
       {{"old_names", texts_kind}, {"new_names", texts_kind}},
       signature,
       [](Arguments arguments) { return rename_known(arguments, true); }},
      {"RenameOutputDims",
       "names an extent of an output",
       {{"output_idx", integer}, {"dim_idx", integer}, {"dim_name", text_kind}},
       signature,
       [](Arguments arguments) { return rename_output_dim(arguments); }},
      {"RenameOutputs",
       "renames outputs",
       {{"old_names", texts_kind}, {"new_names", texts_kind}},
       signature,
       [](Arguments arguments) { return rename_known(arguments, false); }},
      {"ReorderInputs",
       "reorders inputs",
       {{"permutation", integers}},
       signature,
       [](Arguments arguments) { return reorder_inputs(permutation(arguments)); }},
      {"ZeroOutInput",
       "replaces an input of a node by zeros",
       {{"node_name", text_kind}, {"input_idx", integer}},
       {.values = "as with zeros", .shapes = true},
       [](Arguments arguments) {
         return zero_out_input(given_text(arguments, "node_name"), given_position(arguments, "input_idx"));
       }},
  };
}

}  // namespace graft::inline v1::detail
