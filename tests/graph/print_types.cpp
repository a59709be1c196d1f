// Prints what shape inference says of a model, a line for each value: its name, ": ", its type.
#include <iostream>
#include <string>

#include <graft/graph/infer.hpp>
#include <graft/graph/print.hpp>

namespace {

void print(const graft::Graph& graph, const std::string& scope) {
  const auto line = [&](const graft::Value& value) {
    if (value.name().empty() || value.type() == nullptr) return;
    std::cout << scope << value.name() << ": " << graft::to_string(*value.type()) << '\n';
  };
  for (const graft::Value* const input : graph.inputs()) line(*input);
  for (const graft::Node& node : graph.nodes()) {
    for (const graft::Value& output : node.outputs()) line(output);
    for (const graft::Body& body : node.bodies()) {
      print(*body.graph, scope + std::string(node.output(0)->name()) + "/" + std::string(body.attribute) + "/");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: graft_print_types MODEL.onnx\n";
    return 2;
  }
  try {
    graft::Model model = graft::Model::load(arguments[1]);
    graft::InferOptions options;
    options.assume_defaults = true;
    options.problem = [](const graft::Node& node, const graft::Reason& reason) {
      std::cerr << "node '" << node.name() << "': " << to_string(reason) << '\n';
    };
    graft::infer_shapes(model.graph(), options);
    print(model.graph(), "");
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
