// Applies passes to a model: PASS,... MODEL RESULT. For the tests that compare a model with what becomes of it in
// another runtime. Prints a line for each node that a pass leaves as it is.
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/rewrite.hpp>

namespace {

graft::Pass pass_named(std::string_view name) {
  using namespace graft;
  const Pass passes[] = {
      qonnx::multi_threshold_to_quant(),   qonnx::qdq_to_integer_operators(),   qonnx::qdq_to_quantized_operators(),
      qonnx::quant_to_multi_threshold(),   qonnx::quantized_operators_to_qdq(),
      qonnx::qdq_to_integer_operators({.uint8_weights = true}).named("qdq_to_uint8_integer_operators"),
      qonnx::qdq_to_quantized_operators({.uint8_weights = true}).named("qdq_to_uint8_quantized_operators"),
  };
  for (const Pass& pass : passes)
    if (pass.name() == name) return pass;
  throw Error("there is no such pass").field(std::string(name));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: graft_integer_model PASS,... MODEL RESULT\n";
    return 2;
  }
  try {
    graft::Model model = graft::Model::load(argv[2]);
    graft::Context context;
    context.refusals = true;
    std::istringstream names(argv[1]);
    for (std::string name; std::getline(names, name, ',');) {
      const graft::Report report = pass_named(name).run(model, context);
      for (const graft::Refusal& refusal : report.refusals)
        std::cout << refusal.rule << ": " << refusal.node << ": " << refusal.why << '\n';
      if (report.changes == 0) throw graft::Error("nothing changed").file(argv[2]).field(name);
    }
    model.save(argv[3]);
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
