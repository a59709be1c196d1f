#include "passes.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <graft/rewrite.hpp>

namespace {

constexpr auto x = graft::val<"x">;
constexpr auto identity = graft::rule<"identity">(graft::op<"Identity">(x), x);
constexpr auto relu_relu = graft::rule<"relu-relu">(graft::op<"Relu">(graft::op<"Relu">(x)), graft::op<"Relu">(x));

// The host's own rules: graft/simplify.hpp would bring the evaluator, to fold constants.
graft::Pass simplify() { return graft::fixpoint(identity, relu_relu); }

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("not so: ") + what);
}

}  // namespace

std::string run_passes(const std::string& bytes) try {
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
  graft::Model::load("simple.onnx").save("again.onnx");
  expect(bytes_of("again.onnx") == simple, "the result reloads");

  ONNX_NAMESPACE::ModelProto proto;
  expect(proto.ParseFromString(bytes), "the bytes parse");
  graft::Model view = graft::Model::view(proto);
  simplify().run(view, context);
  view.commit();
  expect(proto.SerializeAsString() == simple, "a view commits the same to the host's proto");
  return simple;
} catch (const graft::Error& error) {
  throw std::runtime_error(error.what());
}
