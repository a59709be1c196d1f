#include <graft/quantize/tune/detail/find_blocks.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// "3 s": the number of layers of each block, and its output. Layers multiply by a constant.
std::vector<std::string> blocks_of(const std::string& text) {
  const Model model = graph(text);
  std::vector<const Node*> layers;
  for (const Node& node : model.graph().nodes())
    if ((node.is("Conv") || node.is("MatMul")) && node.input(1)->is_constant()) layers.push_back(&node);
  std::vector<std::string> found;
  for (const detail::BlockSpan& block :
       detail::find_blocks(model.graph(), detail::LiveValues(model.graph()), layers)) {
    CHECK(block.first < block.last);
    found.push_back(std::to_string(block.last_layer - block.first_layer) + " " + std::string(block.output->name()));
  }
  return found;
}

}  // namespace

TEST_CASE("a residual block is one block", "[quantize]") {
  CHECK(blocks_of("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; "
                  "a = Relu(Conv(x, w)); b = Relu(Conv(a, w)); c = Relu(Conv(b, w)); d = Conv(c, w); s = Add(d, a); "
                  "y = Conv(s, w)") == std::vector<std::string>{"1 a", "3 s", "1 y"});
}

TEST_CASE("attention is one block, and so are the two products behind it", "[quantize]") {
  const std::string attention =
      "q = MatMul(x, w); m = Expand(mask, Shape(q)); k = MatMul(x, w); v = MatMul(x, w); "
      "p = Transpose(k) {perm=[1,0]}; s = MatMul(q, p); n = Sub(m, s); "
      "t = Softmax(n); c = MatMul(t, v); o = MatMul(c, w); r = Add(o, x); ";
  const std::string rest = "f = Relu(MatMul(r, w)); g = MatMul(f, w); y = Add(g, r)";
  // The mask m lives on to the end. What follows the last layer belongs to its block.
  CHECK(blocks_of("x: f32[8,8]; mask: f32[8,8]; w = f32[8,8] random; " + attention + rest +
                  "; z = Add(y, m); return z") == std::vector<std::string>{"4 r", "2 z"});
}

TEST_CASE("layers of a chain make blocks of three", "[quantize]") {
  CHECK(blocks_of("x: f32[4,8]; w = f32[8,8] random; a = MatMul(x, w); b = MatMul(a, w); c = MatMul(b, w); "
                  "d = MatMul(c, w); y = MatMul(d, w)") == std::vector<std::string>{"3 c", "2 y"});
}

TEST_CASE("a block ends at a graph output, and others follow", "[quantize]") {
  const std::string chain =
      "x: f32[4,8]; w = f32[8,8] random; a = MatMul(x, w); b = MatMul(a, w); c = MatMul(b, w); y = MatMul(c, w); ";
  CHECK(blocks_of(chain + "return y, b") == std::vector<std::string>{"2 b", "2 y"});
  CHECK(blocks_of(chain + "return y, a, c") == std::vector<std::string>{"1 a", "2 c", "1 y"});
  // A block that computes an output beside its own would learn only one of them.
  CHECK(blocks_of("x: f32[4,8]; w = f32[8,8] random; a = MatMul(x, w); b = MatMul(a, w); h = MatMul(b, w); "
                  "c = MatMul(b, w); y = MatMul(c, w); return y, h") == std::vector<std::string>{"2 b", "1 y"});
}

TEST_CASE("a tensor that a body has read belongs to layers", "[quantize]") {
  CHECK(blocks_of("x: f32[4,8]; c: bool[]; w = f32[8,8] random; a = MatMul(x, w); b = MatMul(a, w); "
                  "i = If(c) {then_branch={ t = Neg(a) }, else_branch={ u = Abs(a) }}; d = MatMul(b, w); f = "
                  "MatMul(d, w); e = Add(f, i); y = MatMul(e, w)") == std::vector<std::string>{"1 a", "3 e", "1 y"});
}

TEST_CASE("branches that do not meet again make none", "[quantize]") {
  CHECK(blocks_of("x: f32[4,8]; w = f32[8,8] random; a = Relu(MatMul(x, w)); y = MatMul(a, w); z = MatMul(a, w); "
                  "return y, z") == std::vector<std::string>{"1 a"});
}
