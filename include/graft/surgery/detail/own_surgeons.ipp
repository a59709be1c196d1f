#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/lower/convert_to_channels_last.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/surgery/to_float32.hpp>
#include <graft/surgery/to_inference.hpp>
#include <graft/surgery/unique_node_names.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<Surgeon> own_surgeons() {
  using Arguments = const SurgeonArguments&;
  constexpr auto texts_kind = ParameterKind::texts;
  constexpr auto integer = ParameterKind::integer, flag = ParameterKind::flag;
  constexpr Intent shapes_and_signature{.shapes = true, .signature = true};
  const std::vector<std::string> none;
  return {
      {"ConvertToChannelsLast", "lets callers feed and get images with their channels last",
       {{"inputs", flag, false, true}, {"outputs", flag, false, true}, {"names", texts_kind, false, none}},
       shapes_and_signature,
       [](Arguments arguments) {
         return convert_to_channels_last({given<bool>(arguments, "inputs"),
                                          given<bool>(arguments, "outputs"), given_texts(arguments, "names")});
       }},
      {"InlineFunctions", "writes the bodies of local functions where they are called", {}, {},
       [](Arguments) { return inline_functions(); }},
      {"RaiseOpset", "raises the version of the main domain", {{"version", integer}}, {},
       [](Arguments arguments) { return raise_opset(static_cast<int>(given_position(arguments, "version"))); }},
      {"ToFloat32", "makes float32 of floats of 16 bits within the graph", {}, {.values = "rounding to 16 bits"},
       [](Arguments) { return to_float32(); }},
      {"ToInference", "makes an inference model of one in training mode", {}, {.values = "as in inference"},
       [](Arguments) { return to_inference(); }},
      {"UniqueNodeNames", "gives every node a name of its own", {}, {}, [](Arguments) { return unique_node_names(); }},
  };
}

}  // namespace graft::inline v1::detail
