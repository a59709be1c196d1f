#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/testing/text.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor ids = Tensor::of<std::int32_t>({2, 2}, {0, 1, 2, 0});
const Tensor words = Tensor::of<float>({3, 2}, {0, 1, 4, 6, 10, 30});
const Tensor places = Tensor::of<float>({3, 2}, {1, 2, 3, 3, 0, 0});

std::vector<Tensor> embed(std::vector<Tensor> inputs) {
  return run_op(1, "com.microsoft::EmbedLayerNormalization", inputs, {{"epsilon", 0.0F}}, 3);
}

}  // namespace

TEST_CASE("EmbedLayerNormalization normalizes the sum of words and places") {
  const auto y = embed({ids, {}, words, places, {}, floats({1, 10}), floats({0, 100})});
  CHECK(same(y[2], Tensor::of<float>({2, 2, 2}, {1, 3, 7, 9, 11, 32, 3, 4})));
  CHECK(same(y[0], Tensor::of<float>({2, 2, 2}, {-1, 110, -1, 110, -1, 110, -1, 110})));
  CHECK(same(y[1], Tensor::of<std::int32_t>({2}, {0, 0})));
}

TEST_CASE("EmbedLayerNormalization with segments, a mask and positions") {
  const Tensor types = Tensor::of<std::int32_t>({2, 2}, {1, 1, 0, 0});
  const Tensor kinds = Tensor::of<float>({2, 2}, {0, 0, 100, 200});
  const Tensor mask = Tensor::of<std::int32_t>({2, 2}, {1, 0, 2, 1});
  const auto y = embed({ids, types, words, places, kinds, floats({1, 1}), floats({0, 0}), mask,
                        Tensor::of<std::int32_t>({1, 2}, {1, 2})});
  CHECK(same(y[2], Tensor::of<float>({2, 2, 2}, {103, 204, 104, 206, 13, 33, 0, 1})));
  CHECK(same(y[1], Tensor::of<std::int32_t>({2}, {1, 1})));
}

TEST_CASE("EmbedLayerNormalization refuses indices that count from the back") {
  const std::string why =
      failure_of(1, "com.microsoft::EmbedLayerNormalization",
                 {Tensor::of<std::int32_t>({1, 1}, {-1}), {}, words, places, {}, floats({1, 1}), floats({0, 0})});
  CHECK(why.find("-1") != std::string::npos);
}

TEST_CASE("EmbedLayerNormalization refuses an embedding that is not a table") {
  const std::string why = failure_of(1, "com.microsoft::EmbedLayerNormalization",
                                     {ids, {}, Tensor::scalar(1.0F), places, {}, floats({1, 1}), floats({0, 0})});
  CHECK(why.find("is not a table") != std::string::npos);
}

TEST_CASE("EmbedLayerNormalization refuses masks of other batches") {
  const Tensor none(DType::i32, {0, 2});
  const auto why = [&](const Tensor& given, const Tensor& mask) {
    return failure_of(1, "com.microsoft::EmbedLayerNormalization",
                      {given, {}, words, places, {}, floats({1, 1}), floats({0, 0}), mask});
  };
  CHECK(why(none, Tensor::of<std::int32_t>({1, 2}, {1, 1})) != "");
  CHECK(why(ids, Tensor::of<std::int32_t>({3, 1}, {1, 1, 1})) != "");
  CHECK(why(none, none) == "");
}
