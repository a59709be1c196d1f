#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor number(std::int64_t n) { return Tensor::scalar(n); }

}  // namespace

TEST_CASE("NonMaxSuppression keeps the best of boxes that overlap") {
  // The second box covers two thirds of what it and the first cover; the third stands apart.
  const Tensor boxes = Tensor::of<float>({1, 3, 4}, {0, 0, 1, 1, 0, 0.2F, 1, 1.2F, 0, 5, 1, 6});
  const Tensor scores = Tensor::of<float>({1, 1, 3}, {0.9F, 0.8F, 0.7F});
  const auto select = [&](std::int64_t most, float overlap, float least) {
    return run(11, "NonMaxSuppression",
               {boxes, scores, number(most), Tensor::scalar(overlap), Tensor::scalar(least)});
  };
  CHECK(same(select(3, 0.5F, 0), Tensor::of<std::int64_t>({2, 3}, {0, 0, 0, 0, 0, 2})));
  CHECK(same(select(3, 0.7F, 0), Tensor::of<std::int64_t>({3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 2})));
  CHECK(same(select(1, 0.7F, 0), Tensor::of<std::int64_t>({1, 3}, {0, 0, 0})));
  CHECK(same(select(3, 0.5F, 0.8F), Tensor::of<std::int64_t>({1, 3}, {0, 0, 0})));
  CHECK(run(11, "NonMaxSuppression", {boxes, scores}).dims() == Dims{0, 3});
  CHECK(failure_of(11, "NonMaxSuppression", {boxes, Tensor::of<float>({1, 1, 2}, {1, 2})}) != "");
}

TEST_CASE("NonMaxSuppression by class, boxes in any corner order or by centre") {
  const Tensor turned = Tensor::of<float>({1, 2, 4}, {1, 1, 0, 0, 0, 0, 1, 1});
  const Tensor scores = Tensor::of<float>({1, 2, 2}, {0.1F, 0.2F, 0.4F, 0.3F});
  const std::vector<Tensor> rest{number(2), Tensor::scalar(0.5F)};
  CHECK(same(run(11, "NonMaxSuppression", {turned, scores, rest[0], rest[1]}),
             Tensor::of<std::int64_t>({2, 3}, {0, 0, 1, 0, 1, 0})));
  const Tensor centred = Tensor::of<float>({1, 2, 4}, {0, 0, 2, 2, 4, 0, 2, 2});
  CHECK(run(11, "NonMaxSuppression", {centred, scores, rest[0], rest[1]}, {{"center_point_box", 1}}).dims() ==
        Dims{4, 3});
}

TEST_CASE("RoiAlign averages samples of a region's bins") {
  const Tensor x = counting({1, 1, 4, 4});
  const Tensor whole = Tensor::of<float>({1, 4}, {0, 0, 4, 4});
  const Attributes quarters{{"output_height", 2}, {"output_width", 2}, {"sampling_ratio", 2}};
  CHECK(same(run(16, "RoiAlign", {x, whole, ints({0})}, quarters),
             Tensor::of<float>({1, 1, 2, 2}, {2.5F, 4.5F, 10.5F, 12.5F})));
  // Without the shift by half an element the last samples are held at the border.
  CHECK(same(run(10, "RoiAlign", {x, whole, ints({0})}, quarters),
             Tensor::of<float>({1, 1, 2, 2}, {5, 6.75F, 12, 13.75F})));
  CHECK(same(run(16, "RoiAlign", {x, Tensor::of<float>({1, 4}, {0, 0, 2, 2}), ints({0})}, {{"spatial_scale", 2.0F}}),
             Tensor::of<float>({1, 1, 1, 1}, {7.5F})));
}

TEST_CASE("RoiAlign far outside is zero, of images that are not there an error") {
  const Tensor x = counting({1, 1, 2, 2}, 1);
  const Tensor far = Tensor::of<float>({1, 4}, {100, 100, 101, 101});
  CHECK(run(16, "RoiAlign", {x, far, ints({0})}).item<float>() == 0);
  CHECK(run(16, "RoiAlign", {x, far, ints({0})}, {{"mode", "max"}}).item<float>() == 0);
  CHECK(run(16, "RoiAlign", {Tensor(DType::f32, {1, 1, 0, 2}), far, ints({0})}).item<float>() == 0);
  CHECK(run(16, "RoiAlign", {x, Tensor::of<float>({1, 4}, {2, 2, 0, 0}), ints({0})}).item<float>() == 0);
  CHECK(failure_of(16, "RoiAlign", {x, far, ints({1})}) != "");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(failure_of(16, "RoiAlign", {x, Tensor::of<float>({1, 4}, {nan, 0, 1, 1}), ints({0})}) != "");
}

TEST_CASE("RoiAlign takes the largest weighted element") {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {1, 8});
  const Tensor middle = Tensor::of<float>({1, 4}, {0.75F, 0.25F, 1.25F, 0.75F});
  CHECK(run(16, "RoiAlign", {x, middle, ints({0})}, {{"mode", "max"}, {"sampling_ratio", 1}}).item<float>() == 4);
}

TEST_CASE("RoiAlign knows two modes and two kinds of coordinates") {
  const std::vector<Tensor> inputs{counting({1, 1, 4, 4}), Tensor::of<float>({1, 4}, {0, 0, 2, 2}), ints({0})};
  CHECK(failure_of(16, "RoiAlign", inputs) == "");
  CHECK(failure_of(16, "RoiAlign", inputs, {{"mode", "sum"}}) != "");
  CHECK(failure_of(16, "RoiAlign", inputs, {{"coordinate_transformation_mode", "asymmetric"}}) != "");
}
