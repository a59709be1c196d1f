#include <graft/vocabulary/reshaping.hpp>

#include <catch2/catch.hpp>
#include <graft/pattern.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a reshaping is found whatever its attributes and other inputs") {
  for (const char* text :
       {"y = Reshape(x, i64[1] 6)", "y = Reshape(x, i64[1] 6) {allowzero=1}", "y = Flatten(x)",
        "y = Flatten(x) {axis=0}", "y = Squeeze(x)", "y = Squeeze(x, i64[1] 0)", "y = Unsqueeze(x, i64[1] 1)"}) {
    Model model = graph(std::string("x: f32[1,2,3]; ") + text);
    CHECK(match(vocabulary::reshaping(vocabulary::x), *model.graph().find("y")->producer()));
  }
  Model squeeze = graph("opset 11; x: f32[1,2,3]; y = Squeeze(x) {axes=[0]}");
  CHECK(match(vocabulary::reshaping(vocabulary::x), *squeeze.graph().find("y")->producer()));
  Model transpose = graph("x: f32[1,2,3]; y = Transpose(x)");
  CHECK_FALSE(match(vocabulary::reshaping(vocabulary::x), *transpose.graph().find("y")->producer()));
}
