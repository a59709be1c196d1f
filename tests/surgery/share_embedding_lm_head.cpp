#include <graft/surgery/share_embedding_lm_head.hpp>

#include <cstddef>
#include <cstdint>
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
  Value& embedded = builder.op("com.microsoft::GatherBlockQuantized",
                               {bytes("table", {rows, columns}, codes.codes), &ids,
                                numbers("scales", {rows, columns / 32}, codes.scales),
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
