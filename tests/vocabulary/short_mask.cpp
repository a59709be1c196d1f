#include <graft/vocabulary/short_mask.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

bool may_be_short(const std::string& opset, const std::string& inputs) {
  const Model model = graph("opset " + opset +
                            "; q: f32[B,2,S,4]; k: f32[B,2,T,4]; m: f32[1,T]; n: f32[1,N]; s: f32[]; "
                            "pk: f32[B,2,P,4]; y = Attention(q, k, k" +
                            inputs + ")");
  const Node& node = *model.graph().find("y")->producer();
  return vocabulary::may_have_short_mask(node, node.input(1)->shape()[2]);
}

}  // namespace

TEST_CASE("masks may be short since opset 24, where they are not known to have all keys") {
  CHECK(may_be_short("24", ", n"));
  CHECK(may_be_short("24", ", s"));
  CHECK(may_be_short("24", ", m, pk, pk"));
  CHECK_FALSE(may_be_short("24", ", m"));
  CHECK_FALSE(may_be_short("24", ""));
  CHECK_FALSE(may_be_short("23", ", n"));
}
