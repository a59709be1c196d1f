#pragma once
#include <graft/testing/text.hpp>

#include <map>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/graph_reader.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model graph(std::string_view text, const Operators& operators) {
  Model model{detail::GraphReader(text, operators).read()};
  model.add_operators(operators);
  std::map<const Value*, onnx::TypeProto> false_types;  // of outputs, declared as the text has them
  InferOptions options{.name_unknown = false};
  options.contradiction = [&](const Contradiction& one) { false_types.emplace(one.value, one.declared); };
  infer_shapes(model.graph(), std::move(options));
  for (Value* const output : model.graph().outputs()) {
    if (output->type() == nullptr || output->is_graph_input()) continue;
    const auto declared = false_types.find(output);
    model.graph().declare_type(*output, declared != false_types.end() ? declared->second : *output->type());
  }
  model.commit();
  return model;
}

}  // namespace graft::inline v1
