#include <graft/surgery/tie_word_embeddings.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;

namespace {

const std::string table = "t = f32[3,2] {1, 2, 3, 4, 5, 6}; e = Gather(t, i); ";

std::string tied(std::string_view x, std::string_view product) {
  return "i: i64[4]; x: f32[" + std::string(x) + "]; " + table + std::string(product);
}

const std::string product = "w = f32[2,3] {1, 3, 5, 2, 4, 6}; y = MatMul(x, w)";

TestResult becomes(const std::string& text, const std::string& wanted) {
  Model model = graph(text);
  const Model before = graph(text);
  CHECK(tie_word_embeddings().run(model).changes == 1);
  CHECK(unsound(model).empty());
  CHECK(equivalent(before.graph(), model.graph()));
  CHECK(tie_word_embeddings().run(model).changes == 0);
  return isomorphic(graph(wanted), model);
}

/// A table and a weight of 8 bits in two blocks a row, with these zero points.
std::string in_blocks(std::string_view weight_seed, std::string_view zero_points = "", std::string_view others = "") {
  return "i: i64[4]; x: f32[B,2,32]; "
         "t = u8[3,32] random(0, 255, 1); s = f32[3,2] random(0.1, 1, 2); z = u8[3,2] random(100, 140, 3);"
         "e = com.microsoft::GatherBlockQuantized(t, i, s" + std::string(zero_points) +
         ") {bits=8, block_size=16, quantize_axis=1};"
         "w = u8[3,2,16] random(0, 255, " + std::string(weight_seed) + "); r = f32[6] random(0.1, 1, 2);"
         "o = u8[6] random(100, 140, 3);"
         "y = com.microsoft::MatMulNBits(x, w, r" + std::string(others) + ") {K=32, N=3, bits=8, block_size=16}";
}

}  // namespace

TEST_CASE("a product by the transpose of a table reads the table", "[tie_word_embeddings]") {
  CHECK(becomes(tied("5,2", product), tied("5,2", "y = Gemm(x, t) {transB=1}")));
  CHECK(becomes(tied("B,4,2", product),
                tied("B,4,2", "y = Reshape(Gemm(Reshape(x, i64[2] {-1, 2}), t) {transB=1}, i64[3] {-1, 4, 3})")));
  CHECK(becomes(tied("2", product),
                tied("2", "y = Reshape(Gemm(Reshape(x, i64[2] {-1, 2}), t) {transB=1}, i64[1] {3})")));
}

TEST_CASE("a product that lacks an operand stays", "[tie_word_embeddings]") {
  Model model = graph(tied("5,2", product));
  Graph& whole = model.graph();
  REQUIRE(whole.set_input(*whole.find("y")->producer(), 0, nullptr));
  CHECK(tie_word_embeddings().run(model).changes == 0);
}

TEST_CASE("dims that are not known are computed", "[tie_word_embeddings]") {
  const std::string computed =
      "zero = i64[1] {0}; l = Slice(Shape(x), zero, i64[1] {-1}, zero); d = Concat(l, i64[1] {3}) {axis=0};"
      "y = Reshape(Gemm(Reshape(x, i64[2] {-1, 2}), t) {transB=1}, d) {allowzero=1}";
  for (const char* const x : {"B,S,2", "0,S,2", "S,0,2", "3,0,2"})
    CHECK(becomes(tied(x, product), tied(x, computed)));
}

TEST_CASE("other weights stay", "[tie_word_embeddings]") {
  const auto stays = [](const std::string& text) {
    Model model = graph(text);
    CHECK(tie_word_embeddings().run(model).changes == 0);
  };
  stays(tied("5,2", "w = f32[2,3] {1, 3, 5, 2, 4, 7}; y = MatMul(x, w)"));
  stays(tied("5,3", "w = f32[3,2] {1, 2, 3, 4, 5, 6}; y = MatMul(x, w)"));
  stays("i: i64[4]; x: f32[5,2]; t = f32[3,2] {1, 2, 3, 4, 5, 6}; e = Gather(t, i) {axis=1}; " + product);
  stays("opset 10; " + tied("5,2", product));
  stays("opset 13; " + tied("B,S,2", product));
  stays("opset 13; " + tied("3,0,2", product));
  stays(in_blocks("4"));
  stays(in_blocks("1", ", z"));
}

TEST_CASE("a product of integers reads the codes of the table", "[tie_word_embeddings]") {
  for (const auto& [zero_points, others] : {std::pair("", ""), {", z", ", o"}}) {
    Model model = graph(in_blocks("1", zero_points, others));
    const Model before = graph(in_blocks("1", zero_points, others));
    CHECK(tie_word_embeddings().run(model).changes == 1);
    CHECK(unsound(model).empty());
    CHECK(equivalent(before.graph(), model.graph()));
    const Node& product_of_codes = *model.graph().find("y")->producer();
    CHECK(product_of_codes.input(1)->producer()->input(0) == model.graph().find("t"));
    CHECK(product_of_codes.input(2) == model.graph().find("s"));
    CHECK(model.graph().find("w") == nullptr);
    CHECK(model.graph().find("r") == nullptr);
    CHECK(tie_word_embeddings().run(model).changes == 0);
  }
}
