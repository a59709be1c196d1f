// A custom pipeline: passes of graft, a function as a pass, and rules that run to their fixpoint, chained with |.
//
//   custom_pipeline MODEL.onnx OUT.onnx
#include <iostream>
#include <map>
#include <string>

#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>
#include <graft/surgery.hpp>

int main(int argc, char** argv) try {
  using namespace graft;
  if (argc != 3) {
    std::cerr << "usage: custom_pipeline MODEL.onnx OUT.onnx\n";
    return 2;
  }
  // Anything callable with (Graph&, Context&) is a pass.
  const Pass count_operators = pass("count_operators", [](Graph& graph, Context&) {
    std::map<std::string, int> counts;
    for (const Node& node : graph.nodes()) ++counts[std::string(node.op_type())];
    Report report;
    for (const auto& [op, count] : counts) report.notes.push_back(std::to_string(count) + " " + op);
    return report;
  });

  const Pass pipeline = raise_opset(13) | fold_constants() | fixpoint(bn_into_conv, add_into_conv_bias) |
                        eliminate_dead_code() | count_operators;
  std::cout << to_string(pipeline) << "\n";

  Model model = Model::load(argv[1]);
  Context context;
  context.budget.seconds = 60;
  std::cout << to_string(pipeline.run(model, context));
  model.save(argv[2]);
} catch (const graft::Error& error) {
  std::cerr << "custom_pipeline: " << error.what() << "\n";
  return 1;
}
