#include <graft/surgery/tied_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/testing.hpp>
#include "sound.hpp"

using namespace graft;

namespace {

constexpr std::int64_t rows = 300, columns = 64;

std::vector<float> matrix(std::uint32_t seed) {
  std::vector<float> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows * columns); ++i) {
    seed = seed * 1664525 + 1013904223;
    values.push_back(static_cast<float>(seed >> 8) / (1 << 23) - 1);
  }
  return values;
}

/// A table in 8 bits, and a weight in other ones.
Model language_model(const std::vector<float>& table, const std::vector<float>& weight, const BlockForm& form) {
  Builder builder(21);
  builder.import("com.microsoft", 1);
  Value &ids = builder.input("ids", DType::i64, {"N"}), &x = builder.input("x", DType::f32, {"N", columns});
  const BlockMatrix codes = nearest_blocks(table, columns, {.bits = 8, .block_size = 32});
  const BlockMatrix head = nearest_blocks(weight, columns, form);
  const auto numbers = [&](const char* name, Dims dims, const std::vector<float>& values) {
    return &builder.constant(Tensor::of<float>(std::move(dims), values), name);
  };
  const auto bytes = [&](const char* name, Dims dims, const std::vector<std::uint8_t>& values) {
    return &builder.constant(Tensor::of<std::uint8_t>(std::move(dims), values), name);
  };
  Value& embedded = builder.op(
      "com.microsoft::GatherBlockQuantized",
      {bytes("table", {rows, columns}, codes.codes), &ids, numbers("scales", {rows, columns / 32}, codes.scales),
       bytes("zeros", {rows, columns / 32}, codes.zero_points)},
      {{"bits", 8}, {"block_size", 32}, {"quantize_axis", 1}});
  builder.output(embedded, "embedded");
  Value& logits = builder.op(
      "com.microsoft::MatMulNBits",
      {&x, &builder.constant(head.packed_codes(), "head"),
       numbers("head_scales", {static_cast<std::int64_t>(head.scales.size())}, head.scales),
       form.symmetric ? nullptr : &builder.constant(head.packed_zero_points(), "head_zeros"), nullptr,
       numbers("bias", {rows}, std::vector<float>(rows, 2))},
      {{"K", columns}, {"N", rows}, {"bits", form.bits}, {"block_size", form.block_size}, {"accuracy_level", 1}});
  builder.output(logits, "logits");
  return builder.build();
}

}  // namespace

TEST_CASE("a product by the same matrix in fewer bits reads the table", "[share_embedding_lm_head]") {
  for (const BlockForm form : {BlockForm{.bits = 4, .block_size = 32}, BlockForm{.bits = 2, .block_size = 16},
                               BlockForm{.bits = 4, .block_size = 64, .symmetric = true}}) {
    Model model = language_model(matrix(1), matrix(1), form);
    CHECK(share_embedding_lm_head().run(model).changes == 1);
    CHECK(unsound(model).empty());
    const Node& product = *model.graph().find("logits")->producer();
    CHECK(product.input(1)->producer()->input(0) == model.graph().find("table"));
    CHECK(product.input(2) == model.graph().find("scales"));
    CHECK(product.input(3) == model.graph().find("zeros"));
    CHECK(product.attr<std::int64_t>("bits") == 8);
    CHECK(product.attr<std::int64_t>("block_size") == 32);
    CHECK(product.attr<std::int64_t>("accuracy_level") == 1);
    CHECK(product.input(5) == model.graph().find("bias"));
    CHECK(model.graph().find("head") == nullptr);
    // As if the weight had been stored like the table.
    const Model wanted = language_model(matrix(1), matrix(1), {.bits = 8, .block_size = 32});
    CHECK(equivalent(wanted.graph(), model.graph()));
    CHECK(share_embedding_lm_head().run(model).changes == 0);
  }
}

TEST_CASE("what is stored in other sizes than its product says stays", "[share_embedding_lm_head]") {
  Model model = language_model(matrix(1), matrix(1), {.bits = 4, .block_size = 32});
  Graph& graph = model.graph();
  graph.set_initializer(*graph.find("head_scales"), Tensor::of<float>({2}, {1, 1}));
  CHECK(share_embedding_lm_head().run(model).changes == 0);
}

TEST_CASE("a table with scales of another dtype than its product stays", "[share_embedding_lm_head]") {
  Model model = language_model(matrix(1), matrix(1), {.bits = 4, .block_size = 32});
  Graph& graph = model.graph();
  const std::vector<float> scales = graph.find("head_scales")->constant()->to<float>();
  graph.set_initializer(*graph.find("head_scales"),
                        Tensor::of<float>(DType::f16, {static_cast<std::int64_t>(scales.size())}, scales));
  CHECK(share_embedding_lm_head().run(model).changes == 0);
}

TEST_CASE("a product by another matrix stays", "[share_embedding_lm_head]") {
  Model model = language_model(matrix(1), matrix(2), {.bits = 4, .block_size = 32});
  CHECK(share_embedding_lm_head().run(model).changes == 0);
}

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
         "e = com.microsoft::GatherBlockQuantized(t, i, s" +
         std::string(zero_points) +
         ") {bits=8, block_size=16, quantize_axis=1};"
         "w = u8[3,2,16] random(0, 255, " +
         std::string(weight_seed) +
         "); r = f32[6] random(0.1, 1, 2);"
         "o = u8[6] random(100, 140, 3);"
         "y = com.microsoft::MatMulNBits(x, w, r" +
         std::string(others) + ") {K=32, N=3, bits=8, block_size=16}";
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
  for (const char* const x : {"B,S,2", "0,S,2", "S,0,2", "3,0,2"}) CHECK(becomes(tied(x, product), tied(x, computed)));
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
