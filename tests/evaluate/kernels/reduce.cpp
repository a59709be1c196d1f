#include <limits>
#include <utility>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor x = Tensor::of<float>({2, 3}, {1, -2, 3, 4, 5, -6});
const float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("reductions take axes from an attribute, from an input, or all") {
  CHECK(same(run(11, "ReduceSum", {x}, {{"axes", Ints{-1}}}), Tensor::of<float>({2, 1}, {2, 3})));
  CHECK(same(run(13, "ReduceSum", {x, ints({0})}, {{"keepdims", 0}}), floats({5, 3, -3})));
  CHECK(same(run(13, "ReduceSum", {x}), Tensor::of<float>({1, 1}, {5})));
  CHECK(same(run(13, "ReduceSum", {x, ints({})}, {{"noop_with_empty_axes", 1}}), x));
  CHECK(failure_of(13, "ReduceSum", {x, ints({2})}).find("axis 2") != std::string::npos);
}

TEST_CASE("axes need not be neighbours") {
  CHECK(same(run(13, "ReduceSum", {counting({2, 2, 2}), ints({0, 2})}, {{"keepdims", 0}}), floats({10, 18})));
}

TEST_CASE("each reduction has its own formula") {
  const Attributes rows{{"axes", Ints{1}}, {"keepdims", 0}};
  CHECK(same(run(11, "ReduceMean", {x}, rows), floats({2.0F / 3, 1})));
  CHECK(same(run(11, "ReduceMax", {x}, rows), floats({3, 5})));
  CHECK(same(run(11, "ReduceMin", {x}, rows), floats({-2, -6})));
  CHECK(same(run(11, "ReduceProd", {x}, rows), floats({-6, -120})));
  CHECK(same(run(11, "ReduceL1", {x}, rows), floats({6, 15})));
  CHECK(same(run(11, "ReduceSumSquare", {x}, rows), floats({14, 77})));
  CHECK(same(run(11, "ReduceL2", {Tensor::of<float>({1, 2}, {3, 4})}, rows), floats({5})));
  CHECK(same(run(11, "ReduceLogSum", {Tensor::of<float>({1, 2}, {0.25F, 0.75F})}, rows), floats({0})));
  CHECK(same(run(11, "ReduceLogSumExp", {Tensor::of<float>({1, 2}, {1000, 1000})}, rows), floats({1000.6931F}), 1e-3));
}

TEST_CASE("integers reduce exactly, bytes in their own type") {
  const std::int64_t big = std::int64_t{1} << 60;
  CHECK(same(run(13, "ReduceSum", {ints({big, 1}), ints({0})}, {{"keepdims", 0}}), Tensor::scalar(big + 1)));
  CHECK(same(run(12, "ReduceMax", {Tensor::of<std::uint8_t>({2}, {200, 7})}, {{"keepdims", 0}}),
             Tensor::scalar<std::uint8_t>(200)));
}

TEST_CASE("a long sum keeps its digits") {
  const Tensor tenths = Tensor::of({1 << 20}, std::vector<float>(1 << 20, 0.1F));
  CHECK(run(13, "ReduceSum", {tenths}, {{"keepdims", 0}}).item<float>() == Approx(104857.6).epsilon(1e-4));
}

TEST_CASE("nothing reduces to the neutral element") {
  const Tensor nothing(DType::f32, {0});
  CHECK(same(run(13, "ReduceSum", {nothing}), floats({0})));
  CHECK(same(run(18, "ReduceProd", {nothing}), floats({1})));
  CHECK(same(run(20, "ReduceMax", {nothing}), floats({-infinity})));
  CHECK(same(run(18, "ReduceMin", {nothing}), floats({infinity})));
}

TEST_CASE("ArgMax and ArgMin give the first or the last place") {
  const Tensor ties = Tensor::of<float>({2, 3}, {2, 1, 2, 0, 0, 5});
  CHECK(same(run(13, "ArgMax", {ties}, {{"axis", 1}}), Tensor::of<std::int64_t>({2, 1}, {0, 2})));
  CHECK(same(run(13, "ArgMax", {ties}, {{"axis", 1}, {"select_last_index", 1}, {"keepdims", 0}}), ints({2, 2})));
  CHECK(same(run(13, "ArgMin", {ties}, {{"keepdims", 0}}), ints({1, 1, 0})));
}

TEST_CASE("nothing reduces to an extreme of its own type") {
  const auto extremes = [](DType dtype) {
    const Tensor nothing(dtype, {0});
    return std::pair(run(20, "ReduceMax", {nothing}).to<std::int64_t>()[0],
                     run(20, "ReduceMin", {nothing}).to<std::int64_t>()[0]);
  };
  CHECK(extremes(DType::i8) == std::pair<std::int64_t, std::int64_t>(-128, 127));
  CHECK(extremes(DType::u8) == std::pair<std::int64_t, std::int64_t>(0, 255));
  CHECK(extremes(DType::u32) == std::pair<std::int64_t, std::int64_t>(0, 4294967295));
  CHECK(extremes(DType::boolean) == std::pair<std::int64_t, std::int64_t>(0, 1));
  CHECK(extremes(DType::i32) == std::pair<std::int64_t, std::int64_t>(-2147483648LL, 2147483647));
}
