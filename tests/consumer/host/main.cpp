#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>

#include "other_part.hpp"

namespace {

// Two of graft's own steps and a rule of the host. graft/simplify.hpp would bring the evaluator, to fold constants.
constexpr auto x = graft::val<"x">;
constexpr auto relu_relu = graft::rule<"relu-relu">(graft::op<"Relu">(graft::op<"Relu">(x)), graft::op<"Relu">(x));

graft::Pass simplify() { return graft::fixpoint(graft::remove_identity, relu_relu) | graft::eliminate_dead_code(); }

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

}  // namespace

// Loads, rewrites, saves and reloads. The bytes come from the other part, and it reads the result.
int main() try {
  const std::string bytes = make_model();
  std::ofstream("model.onnx", std::ios::binary) << bytes;

  graft::Model model = graft::Model::load("model.onnx");
  model.save("copy.onnx");
  expect(bytes_of("copy.onnx") == bytes, "a model that nothing edits is saved as it was");

  graft::Context context;
  context.provenance = true;
  simplify().run(model, context);
  expect(graft::rules_of(*model.graph().first_node()) == "relu-relu", "the new node names its rule");
  model.save("simple.onnx");
  const std::string simple = bytes_of("simple.onnx");
  expect(op_types(simple) == "Relu", "one node is left");

  graft::Model::load("simple.onnx").save("again.onnx");
  expect(bytes_of("again.onnx") == simple, "the result reloads");

  ONNX_NAMESPACE::ModelProto proto;
  expect(proto.ParseFromString(bytes), "the bytes parse");
  graft::Model view = graft::Model::view(proto);
  simplify().run(view);
  view.commit();
  expect(proto.graph().node_size() == 1, "a view commits to the host's proto");
  return failures;
} catch (const graft::Error& error) {
  std::printf("%s\n", error.what());
  return 1;
}
