#include <graft/quantize/prepare/bound_masks.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// The constant that the node making a value reads, behind the pass.
std::vector<float> bounded(const std::string& text, const char* value, std::size_t input) {
  Model model = graph(text);
  bound_masks().run(model);
  return model.graph().find(value)->producer()->input(input)->constant()->to<float>();
}

}  // namespace

TEST_CASE("the constant that masks scores is bounded", "[quantize]") {
  const std::string text =
      "opset 17; s: f32[1,4]; m: f32[1,4]; k = f32[] -3.4e38; o = f32[] 1; h = Mul(Sub(o, m), k); "
      "t = Unsqueeze(h, i64[1] 0); a = Add(s, t); y = Softmax(a)";
  CHECK(bounded(text, "h", 1) == std::vector<float>{-40});
  CHECK(bounded("opset 17; s: f32[1,4]; c: bool[1,4]; a = Where(c, s, f32[] -10000); y = Softmax(a)", "a", 2) ==
        std::vector<float>{-40});
  CHECK(bounded("opset 17; s: f32[1,3]; a = Add(s, f32[3] {0, -1001, 2}); y = Softmax(a)", "a", 1) ==
        std::vector<float>{0, -40, 2});
}

TEST_CASE("other constants stay, and so do other readers of a mask", "[quantize]") {
  CHECK(bounded("opset 17; s: f32[1,3]; a = Add(s, f32[3] {0, -999, 2}); y = Softmax(a)", "a", 1) ==
        std::vector<float>{0, -999, 2});
  CHECK(bounded("opset 17; s: f32[1,3]; a = Add(s, f32[3] -2000); y = Sigmoid(a)", "a", 1)[0] == -2000);
  // What an Exp reads is none of a mask.
  CHECK(bounded("opset 17; s: f32[1,3]; a = Add(s, f32[3] -2000); y = Softmax(Exp(a))", "a", 1)[0] == -2000);
  const std::string shared =
      "opset 17; s: f32[1,3]; k = f32[3] -2000; a = Add(s, k); y = Softmax(a); b = Add(s, k); z = Neg(b)";
  CHECK(bounded(shared, "a", 1)[0] == -40);
  CHECK(bounded(shared, "b", 1)[0] == -2000);
}
