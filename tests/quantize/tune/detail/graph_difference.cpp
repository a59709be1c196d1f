#include <graft/quantize/tune/detail/graph_difference.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/model.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

detail::GraphDifference difference(const std::string& a, const std::string& b) {
  const Model first = graph(a), second = graph(b);
  return detail::GraphDifference(first.graph(), second.graph());
}

}  // namespace

TEST_CASE("graphs differ from the first node on that reads other constants or is another one", "[quantize]") {
  const std::string net = "x: f32[2]; w = f32[2] {1, 2}; v = f32[2] {3, 4}; a = Add(x, w); b = Mul(a, v); y = Neg(b)";
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = net;
    return difference(net, text.replace(text.find(from), from.size(), to));
  };
  const detail::GraphDifference none = difference(net, net);
  CHECK(none.is_none);
  CHECK(none.first == 3);
  CHECK_FALSE(none.in_constants_alone);

  const detail::GraphDifference constant = replaced("{3, 4}", "{3, 5}");
  CHECK(constant.first == 1);
  CHECK(constant.in_constants_alone);
  CHECK_FALSE(constant.is_none);

  const detail::GraphDifference op = replaced("Mul(a", "Sub(a");
  CHECK(op.first == 1);
  CHECK_FALSE(op.in_constants_alone);
  CHECK(replaced("Neg(b)", "Neg(a)").first == 2);
  CHECK(replaced("Neg(b)", "Elu(b)").first == 2);
  CHECK_FALSE(replaced("y = Neg(b)", "c = Neg(b); y = Neg(c)").in_constants_alone);
  CHECK_FALSE(replaced("y = Neg(b)", "c = Neg(b); y = Neg(c)").is_none);
}

TEST_CASE("attributes and the outputs of a graph count", "[quantize]") {
  const std::string net = "x: f32[2]; a = Elu(x) {alpha=2}; y = Neg(a)";
  CHECK(difference(net, "x: f32[2]; a = Elu(x) {alpha=3}; y = Neg(a)").first == 0);
  CHECK(difference(net, net).is_none);
  CHECK_FALSE(difference(net, net + "; return y, a").is_none);
}
