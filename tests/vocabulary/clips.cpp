#include <graft/vocabulary/clips.hpp>

#include <limits>

#include <catch2/catch.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity();
}

TEST_CASE("bounds that are not given are the lowest and the greatest number") {
  Model model = graph("x: f32[2]; r = Relu(x); c = Clip(x); h: f16[2]; d = Clip(h)");
  const Node& relu = *model.graph().find("r")->producer();
  const Node& node = *model.graph().find("c")->producer();
  CHECK(ClipBounds(relu, {}, {}).min == 0);
  CHECK(ClipBounds(relu, {}, {}).max == infinity);
  constexpr float lowest = std::numeric_limits<float>::lowest(), most = std::numeric_limits<float>::max();
  CHECK(ClipBounds(node, {}, {}).min == lowest);
  CHECK(ClipBounds(node, {}, {}).max == most);
  CHECK(ClipBounds(*model.graph().find("d")->producer(), {}, {}).max == 65504);
  CHECK(ClipBounds(node, -infinity, infinity).min == -infinity);
  CHECK(ClipBounds(node, -infinity, infinity).max == infinity);
  const ClipBounds bounds(node, -1.0f, 6.0f);
  CHECK(bounds.clamped(-2) == -1);
  CHECK(bounds.clamped(3) == 3);
  CHECK(bounds.clamped(7) == 6);
}

TEST_CASE("a clip is a Relu if it can be, and has its bounds where the opset needs them") {
  for (const char* opset : {"opset 10; ", "opset 13; "}) {
    Model model = graph(std::string(opset) + "x: f32[2]; y = Abs(x)");
    Context context;
    Rewriter rewriter(model.graph(), context);
    Value& y = *model.graph().find("y");
    CHECK(clip(rewriter, y, DType::f32, 0, infinity).producer()->is("Relu"));
    CHECK(clip(rewriter, y, DType::f32, 0, std::numeric_limits<float>::max()).producer()->is("Clip"));
    const Node& upper = *clip(rewriter, y, DType::f32, -infinity, 6).producer();
    if (model.graph().opset() < 11) CHECK(upper.attr<float>("min") == -infinity);
    else CHECK(upper.input(1)->constant()->item<float>() == -infinity);
    const Node& node = *clip(rewriter, y, DType::f32, 0, 6).producer();
    CHECK(node.is("Clip"));
    CHECK(node.input_count() == (model.graph().opset() < 11 ? 1 : 3));
    if (model.graph().opset() < 11) {
      CHECK(node.attr<float>("max") == 6);
      CHECK(node.attr<float>("min") == 0);
    } else {
      CHECK(node.input(1)->constant()->item<float>() == 0);
      CHECK(node.input(2)->constant()->item<float>() == 6);
    }
  }
}
