#include <graft/quantize/detail/output_chain.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using detail::OutputChain;

namespace {

std::vector<std::string> nodes(const OutputChain& chain) {
  std::vector<std::string> ops;
  for (const OutputChain::Link* link = chain.nodes; link != nullptr; link = link->next)
    ops.emplace_back(link->node->op_type());
  return ops;
}

}  // namespace

TEST_CASE("a chain has the activations and movements up to a quantizer", "[quantize]") {
  const Model model = graph(
      "opset 13; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; c = Conv(x, w); r = Relu(c); t = Transpose(r); "
      "y = QuantizeLinear(t, f32[] 0.1, u8[] 0)");
  detail::OutputChains chains(targets::ort_cpu_x64);
  const OutputChain chain = chains.behind(*model.graph().find("c"));
  CHECK(chain.end == OutputChain::End::quantize);
  CHECK(chain.result->name() == "c");
  CHECK(chain.last->name() == "t");
  CHECK(chain.user->is("QuantizeLinear"));
  CHECK(nodes(chain) == std::vector<std::string>{"Relu", "Transpose"});
  REQUIRE(chain.activations.size() == 1);
  CHECK(chain.activations[0]->is("Relu"));
  const OutputChain without = chains.behind(*model.graph().find("c"), false);
  CHECK(without.end == OutputChain::End::other_operator);
  CHECK(without.user->is("Relu"));
  CHECK(nodes(without).empty());
}

TEST_CASE("chains share what lies behind both, so that a row of movements is walked once", "[quantize]") {
  const Model model = graph("opset 13; x: f32[2,3]; a = Transpose(x); b = Transpose(a); c = Transpose(b); y = Sin(c)");
  for (const bool forwards : {false, true}) {
    detail::OutputChains chains(targets::ort_cpu_x64);
    if (!forwards) chains.behind(*model.graph().find("b"));
    const OutputChain a = chains.behind(*model.graph().find("a")), b = chains.behind(*model.graph().find("b"));
    CHECK(nodes(a).size() == 2);
    CHECK(a.user->is("Sin"));
    CHECK(b.user == a.user);
    CHECK(b.last == a.last);
    CHECK(a.nodes->next == b.nodes);
  }
}

TEST_CASE("a gate and the product behind it are two activations of a chain", "[quantize]") {
  const Model model = graph(
      "opset 21; x: f32[1,4,4,4]; w = f32[4,4,1,1] random; c = Conv(x, w); g = Sigmoid(c); p = Mul(c, g); "
      "y = QuantizeLinear(p, f32[] 0.1, u8[] 0)");
  detail::OutputChains chains(targets::tensorrt);
  const OutputChain chain = chains.behind(*model.graph().find("c"));
  CHECK(chain.end == OutputChain::End::quantize);
  CHECK(nodes(chain) == std::vector<std::string>{"Sigmoid", "Mul"});
  CHECK(chain.activations.size() == 2);
}
