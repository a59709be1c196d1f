#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Gather puts the indices' dims in place of the axis") {
  const Tensor x = counting({2, 3});
  CHECK(same(run(13, "Gather", {x, Tensor::scalar<std::int64_t>(-1)}), Tensor::of<float>({3}, {3, 4, 5})));
  const Tensor index = Tensor::of<std::int32_t>({1, 2}, {2, 0});
  CHECK(same(run(13, "Gather", {x, index}, {{"axis", 1}}), Tensor::of<float>({2, 1, 2}, {2, 0, 5, 3})));
  CHECK(run(13, "Gather", {x, ints({})}).dims() == Dims{0, 3});
  CHECK(failure_of(13, "Gather", {x, ints({2})}).find("index 2 is outside 2") != std::string::npos);
}

TEST_CASE("GatherElements looks each element up along one axis") {
  const Tensor x = counting({2, 3});
  const Tensor index = Tensor::of<std::int64_t>({2, 2}, {0, -1, 1, 1});
  CHECK(same(run(13, "GatherElements", {x, index}, {{"axis", 1}}), Tensor::of<float>({2, 2}, {0, 2, 4, 4})));
  CHECK(same(run(13, "GatherElements", {x, index}), Tensor::of<float>({2, 2}, {0, 4, 3, 4})));
}

TEST_CASE("GatherND reads places of several axes") {
  const Tensor x = counting({2, 2, 2});
  CHECK(same(run(13, "GatherND", {x, Tensor::of<std::int64_t>({2, 2}, {0, 1, 1, 0})}),
             Tensor::of<float>({2, 2}, {2, 3, 4, 5})));
  CHECK(same(run(13, "GatherND", {x, Tensor::of<std::int64_t>({2, 1}, {1, 0})}, {{"batch_dims", 1}}),
             Tensor::of<float>({2, 2}, {2, 3, 4, 5})));
  CHECK(failure_of(13, "GatherND", {x, Tensor::of<std::int64_t>({1, 4}, {0, 0, 0, 0})}) != "");
}

TEST_CASE("Compress keeps the slices or the elements where its condition holds") {
  const Tensor x = counting({3, 2});
  const Tensor condition = Tensor::of<bool>({2}, std::vector<bool>{false, true});
  CHECK(same(run(11, "Compress", {x, condition}, {{"axis", 0}}), Tensor::of<float>({1, 2}, {2, 3})));
  CHECK(same(run(11, "Compress", {x, condition}, {{"axis", -1}}), Tensor::of<float>({3, 1}, {1, 3, 5})));
  CHECK(same(run(11, "Compress", {x, condition}), floats({1})));
  const Tensor longer = Tensor::of<bool>({3}, std::vector<bool>{false, false, true});
  CHECK(failure_of(11, "Compress", {x, longer}, {{"axis", 1}}) != "");
}

TEST_CASE("Gather checks the indices of slices that hold nothing") {
  CHECK(failure_of(13, "Gather", {Tensor(DType::f32, {3, 0}), ints({7})}) != "");
  CHECK(run(13, "Gather", {Tensor(DType::f32, {3, 0}), ints({2, -1})}).dims() == Dims{2, 0});
}
