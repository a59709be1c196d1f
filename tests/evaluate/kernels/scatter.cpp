#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("ScatterElements puts updates where only one axis is looked up") {
  const Tensor x = counting({2, 3});
  const Tensor index = Tensor::of<std::int64_t>({1, 2}, {-1, 0});
  const Tensor updates = Tensor::of<float>({1, 2}, {10, 20});
  const Tensor along = Tensor::of<float>({2, 3}, {20, 1, 10, 3, 4, 5});
  CHECK(same(run(18, "ScatterElements", {x, index, updates}, {{"axis", 1}}), along));
  CHECK(same(run(10, "Scatter", {x, index, updates}, {{"axis", 1}}), along));
  CHECK(same(run(18, "ScatterElements", {x, index, updates}), Tensor::of<float>({2, 3}, {0, 20, 2, 10, 4, 5})));
  CHECK(failure_of(18, "ScatterElements", {x, index, floats({1, 2})}) != "");
  CHECK(failure_of(18, "ScatterElements", {x, Tensor::of<std::int64_t>({1, 1}, {2}), Tensor::of<float>({1, 1}, {1})})
            .find("outside") != std::string::npos);
}

TEST_CASE("updates of one place combine one after the other") {
  const Tensor index = ints({1, 1});
  const auto scatter = [&](const char* reduction) {
    return run(18, "ScatterElements", {floats({1, 2}), index, floats({3, 5})}, {{"reduction", reduction}});
  };
  CHECK(same(scatter("add"), floats({1, 10})));
  CHECK(same(scatter("mul"), floats({1, 30})));
  CHECK(same(scatter("max"), floats({1, 5})));
  CHECK(same(scatter("min"), floats({1, 2})));
  CHECK(same(scatter("none"), floats({1, 5})));
  const Tensor bytes = Tensor::of<std::uint8_t>({2}, {250, 0});
  CHECK(same(run(18, "ScatterElements", {bytes, ints({0}), Tensor::of<std::uint8_t>({1}, {10})},
                 {{"reduction", "add"}}),
             Tensor::of<std::uint8_t>({2}, {4, 0})));
  CHECK(failure_of(18, "ScatterElements", {floats({1, 2}), index, floats({3, 5})}, {{"reduction", "mean"}}) != "");
}

TEST_CASE("ScatterND puts slices at places of several axes") {
  const Tensor x = counting({2, 2, 2});
  const Tensor index = Tensor::of<std::int64_t>({1, 2}, {1, -2});
  const Tensor slice = Tensor::of<float>({1, 2}, {10, 20});
  CHECK(same(run(16, "ScatterND", {x, index, slice}), Tensor::of<float>({2, 2, 2}, {0, 1, 2, 3, 10, 20, 6, 7})));
  CHECK(same(run(16, "ScatterND", {x, index, slice}, {{"reduction", "add"}}),
             Tensor::of<float>({2, 2, 2}, {0, 1, 2, 3, 14, 25, 6, 7})));
  CHECK(failure_of(16, "ScatterND", {x, index, floats({1})}) != "");
}

TEST_CASE("TensorScatter writes into a cache from each batch's index on") {
  const Tensor cache = Tensor::of<float>({2, 3, 1}, {0, 0, 0, 0, 0, 0});
  const Tensor update = Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4});
  CHECK(same(run(24, "TensorScatter", {cache, update, ints({1, 0})}),
             Tensor::of<float>({2, 3, 1}, {0, 1, 2, 3, 4, 0})));
  CHECK(same(run(24, "TensorScatter", {cache, update, ints({2, 0})}, {{"mode", "circular"}}),
             Tensor::of<float>({2, 3, 1}, {2, 0, 1, 3, 4, 0})));
  CHECK(same(run(24, "TensorScatter", {cache, update}), Tensor::of<float>({2, 3, 1}, {1, 2, 0, 3, 4, 0})));
  CHECK(failure_of(24, "TensorScatter", {cache, update, ints({2, 0})}) != "");
}

TEST_CASE("TensorScatter knows two modes") {
  const std::vector<Tensor> inputs{counting({1, 2, 1}), counting({1, 1, 1}), ints({0})};
  CHECK(failure_of(24, "TensorScatter", inputs) == "");
  CHECK(failure_of(24, "TensorScatter", inputs, {{"mode", "ring"}}) != "");
}
