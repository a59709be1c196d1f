#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Two steps: one is turned by a quarter, one stays.
const Tensor cosines = Tensor::of<float>({1, 2, 2}, {0, 0, 1, 1});
const Tensor sines = Tensor::of<float>({1, 2, 2}, {1, 1, 0, 0});
const Tensor x = Tensor::of<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});

}  // namespace

TEST_CASE("RotaryEmbedding turns pairs from both halves, or neighbours") {
  CHECK(same(run(23, "RotaryEmbedding", {x, cosines, sines}),
             Tensor::of<float>({1, 1, 2, 4}, {-3, -4, 1, 2, 5, 6, 7, 8})));
  CHECK(same(run(23, "RotaryEmbedding", {x, cosines, sines}, {{"interleaved", 1}}),
             Tensor::of<float>({1, 1, 2, 4}, {-2, 1, -4, 3, 5, 6, 7, 8})));
}

TEST_CASE("RotaryEmbedding looks angles up, and turns a part of a head") {
  const Tensor cosine_table = Tensor::of<float>({2, 1}, {1, 0});
  const Tensor sine_table = Tensor::of<float>({2, 1}, {0, 1});
  const Tensor positions = Tensor::of<std::int64_t>({1, 2}, {1, 0});
  CHECK(same(run(23, "RotaryEmbedding", {x, cosine_table, sine_table, positions}, {{"rotary_embedding_dim", 2}}),
             Tensor::of<float>({1, 1, 2, 4}, {-2, 1, 3, 4, 5, 6, 7, 8})));
  CHECK(failure_of(23, "RotaryEmbedding", {x, cosine_table, sine_table, positions}) != "");
  CHECK(failure_of(23, "RotaryEmbedding", {x, cosines, sines}, {{"rotary_embedding_dim", 3}}) != "");
}

TEST_CASE("RotaryEmbedding of heads side by side") {
  const Tensor flat = Tensor::of<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor one = Tensor::of<float>({1, 2, 1}, {0, 1}), other = Tensor::of<float>({1, 2, 1}, {1, 0});
  CHECK(same(run(23, "RotaryEmbedding", {flat, one, other}, {{"num_heads", 2}}),
             Tensor::of<float>({1, 2, 4}, {-2, 1, -4, 3, 5, 6, 7, 8})));
  CHECK(failure_of(23, "RotaryEmbedding", {flat, one, other}, {{"num_heads", 3}}) != "");
}

TEST_CASE("com.microsoft's RotaryEmbedding counts from one position, and takes the size of heads from its table") {
  const Tensor cosine_table = Tensor::of<float>({3, 1}, {9, 0, 1}), sine_table = Tensor::of<float>({3, 1}, {9, 1, 0});
  const Tensor flat = Tensor::of<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor turned = Tensor::of<float>({1, 2, 4}, {-2, 1, -4, 3, 5, 6, 7, 8});
  const auto rotate = [](const Tensor& input, const Tensor& positions, const Tensor& cosine, const Tensor& sine,
                         const Attributes& attributes = {}) {
    return run(1, "com.microsoft::RotaryEmbedding", {input, positions, cosine, sine}, attributes);
  };
  CHECK(same(rotate(flat, ints({1}), cosine_table, sine_table), turned));
  CHECK(same(rotate(flat, Tensor::of<std::int64_t>({1, 2}, {1, 2}), cosine_table, sine_table), turned));
  CHECK(same(rotate(x, ints({1}), cosine_table, sine_table, {{"rotary_embedding_dim", 2}, {"num_heads", 1}}),
             Tensor::of<float>({1, 1, 2, 4}, {-2, 1, 3, 4, 5, 6, 7, 8})));
}
