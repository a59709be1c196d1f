#include <graft/vocabulary/attention_scores.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// The operators that follow the product `s`.
std::string row_of(const std::string& text) {
  const Model model = graph("x: f32[2,4,8]; y: f32[2,8,4]; m: f32[2,4,4]; s = MatMul(x, y); " + text);
  std::string ops;
  for (const Node* const node : vocabulary::nodes_to_softmax(*model.graph().find("s")->producer()))
    ops += (ops.empty() ? "" : " ") + std::string(node->op_type());
  return ops;
}

}  // namespace

TEST_CASE("scores are followed to their Softmax") {
  CHECK(row_of("z = Softmax(s)") == "Softmax");
  CHECK(row_of("z = Softmax(Add(Div(s, f32[] 2), m))") == "Div Add Softmax");
  CHECK(row_of("z = Softmax(Relu(s))").empty());
  CHECK(row_of("z = Neg(s)").empty());
  CHECK(row_of("z = Softmax(s); return z, s").empty());
  CHECK(row_of("z = Softmax(s); w = Neg(s); return z, w").empty());
  std::string longest = "s";
  for (int i = 0; i < 7; ++i) longest = "Add(" + longest + ", m)";
  CHECK(row_of("z = Softmax(" + longest + ")").ends_with("Softmax"));
  CHECK(row_of("z = Softmax(Add(" + longest + ", m))").empty());
}
