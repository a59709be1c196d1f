#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor by_scale(const Tensor& x, std::vector<float> scales, const Attributes& attributes) {
  return run(19, "Resize", {x, Tensor(), floats(std::move(scales))}, attributes);
}

Tensor by_size(const Tensor& x, std::vector<std::int64_t> sizes, const Attributes& attributes) {
  return run(19, "Resize", {x, Tensor(), Tensor(), ints(std::move(sizes))}, attributes);
}

}  // namespace

TEST_CASE("Resize to the nearest, by how coordinates and halves go") {
  const Tensor x = floats({1, 2});
  const auto up = [&](const char* coordinates, const char* rounding) {
    return by_scale(x, {2}, {{"coordinate_transformation_mode", coordinates}, {"nearest_mode", rounding}});
  };
  CHECK(same(up("half_pixel", "round_prefer_floor"), floats({1, 1, 2, 2})));
  CHECK(same(up("asymmetric", "round_prefer_floor"), floats({1, 1, 2, 2})));
  CHECK(same(up("asymmetric", "round_prefer_ceil"), floats({1, 2, 2, 2})));
  CHECK(same(up("asymmetric", "ceil"), floats({1, 2, 2, 2})));
  CHECK(same(up("align_corners", "floor"), floats({1, 1, 1, 2})));
  CHECK(same(by_scale(ints({1, 2}), {2}, {}), ints({1, 1, 2, 2})));
  CHECK(same(run(10, "Resize", {x, floats({2.5F})}), floats({1, 1, 1, 2, 2})));
  CHECK(same(run(7, "Upsample", {x}, {{"scales", Floats{2}}}), floats({1, 1, 2, 2})));
  CHECK(same(run(9, "Upsample", {x, floats({2})}, {{"mode", "linear"}}), floats({1, 1.5F, 2, 2})));
}

TEST_CASE("Resize-10 to the nearest takes the ceil along axes that shrink, the floor along others") {
  const auto resized = [](const Tensor& x, std::vector<float> scales) {
    return run(10, "Resize", {x, floats(std::move(scales))});
  };
  // The standard's resize_downsample_nearest.
  CHECK(same(resized(Tensor::of<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), {1, 1, 0.6F, 0.6F}),
             Tensor::of<float>({1, 1, 1, 2}, {1, 3})));
  CHECK(same(resized(floats({0, 1, 2, 3}), {0.75F}), floats({0, 2, 3})));
  CHECK(same(resized(floats({0, 1, 2, 3, 4, 5, 6}), {0.3F}), floats({0, 4})));
  CHECK(same(resized(Tensor::of<float>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), {0.75F, 1.5F}),
             Tensor::of<float>({3, 3}, {0, 0, 1, 4, 4, 5, 6, 6, 7})));
  // 17 / 1.7 is 10 in float, as the runtime has it, and less in double.
  const Tensor grown = resized(counting({12}), {1.7F});
  CHECK(grown.size() == 20);
  CHECK(grown.to<double>()[17] == 10);
}

TEST_CASE("Resize interpolates lines") {
  const Tensor x = floats({0, 4});
  const auto up = [&](const char* coordinates) {
    return by_size(x, {4}, {{"mode", "linear"}, {"coordinate_transformation_mode", coordinates}});
  };
  CHECK(same(up("half_pixel"), floats({0, 1, 3, 4})));
  CHECK(same(up("pytorch_half_pixel"), floats({0, 1, 3, 4})));
  CHECK(same(up("half_pixel_symmetric"), floats({0, 1, 3, 4})));
  CHECK(same(up("align_corners"), floats({0, 4.0F / 3, 8.0F / 3, 4})));
  CHECK(same(up("asymmetric"), floats({0, 2, 4, 4})));
  const Attributes pytorch{{"mode", "linear"}, {"coordinate_transformation_mode", "pytorch_half_pixel"}};
  CHECK(same(by_size(floats({3, 5, 7}), {1}, pytorch), floats({3})));
  const Attributes linear{{"mode", "linear"}};
  CHECK(same(by_size(Tensor::of<std::uint8_t>({2}, {0, 255}), {4}, linear),
             Tensor::of<std::uint8_t>({4}, {0, 63, 191, 255})));
  CHECK(same(by_size(counting({2, 2}), {2, 4}, linear),
             Tensor::of<float>({2, 4}, {0, 0.25F, 0.75F, 1, 2, 2.25F, 2.75F, 3})));
}

TEST_CASE("Resize by cubic convolution reproduces lines inside, and overshoots") {
  const Tensor x = floats({0, 1, 2, 3, 4, 5});
  const Attributes keys{{"mode", "cubic"}, {"cubic_coeff_a", -0.5F}, {"coordinate_transformation_mode", "asymmetric"}};
  const std::vector<double> y = by_scale(x, {2}, keys).to<double>();
  for (const std::size_t i : {2U, 3U, 4U, 5U, 6U, 7U}) CHECK(y[i] == Approx(static_cast<double>(i) / 2));
  // Half way between two, the weights are a / 8, 1 / 2 - a / 8, and the same mirrored.
  const Tensor step = by_scale(floats({0, 0, 1, 1, 1}), {2}, {{"mode", "cubic"},
                                                             {"coordinate_transformation_mode", "asymmetric"}});
  CHECK(step.to<double>()[3] == Approx(0.5));
  CHECK(step.to<double>()[5] == Approx(1 + 0.75 / 8));
  const Tensor inside = by_scale(floats({1, 2}), {2}, {{"mode", "cubic"},
                                                      {"exclude_outside", 1},
                                                      {"coordinate_transformation_mode", "asymmetric"}});
  CHECK(same(inside, floats({1, 1.5F, 2, 2 + 0.09375F / (0.59375F - 0.09375F)}), 1e-5));
}

TEST_CASE("Resize with antialias averages what it skips") {
  const Attributes smooth{{"mode", "linear"}, {"antialias", 1}};
  CHECK(same(by_size(floats({0, 0, 8, 8}), {2}, smooth), floats({1, 7}), 1e-5));
  CHECK(same(by_size(floats({0, 4}), {4}, smooth), floats({0, 1, 3, 4})));
}

TEST_CASE("Resize crops, and extrapolates beyond the input") {
  const Tensor x = floats({0, 1, 2, 3, 4});
  const Attributes crop{{"mode", "linear"},
                        {"coordinate_transformation_mode", "tf_crop_and_resize"},
                        {"extrapolation_value", 9.0F}};
  const auto region = [&](float from, float to) {
    return run(19, "Resize", {x, floats({from, to}), Tensor(), ints({3})}, crop);
  };
  CHECK(same(region(0.25F, 0.75F), floats({1, 2, 3})));
  CHECK(same(region(0, 2), floats({0, 4, 9})));
  CHECK(same(run(19, "Resize", {x, floats({0.25F, 0.75F}), floats({2})}, crop), floats({1, 1.5F, 2, 2.5F, 3})));
}

TEST_CASE("Resize some axes, keeping the aspect") {
  const Tensor x = counting({2, 4});
  CHECK(by_size(x, {8}, {{"axes", Ints{-1}}}).dims() == Dims{2, 8});
  CHECK(by_size(x, {6, 6}, {{"keep_aspect_ratio_policy", "not_larger"}}).dims() == Dims{3, 6});
  CHECK(by_size(x, {6, 6}, {{"keep_aspect_ratio_policy", "not_smaller"}}).dims() == Dims{6, 12});
  CHECK(by_scale(x, {0.6F, 0.6F}, {}).dims() == Dims{1, 2});
}

TEST_CASE("what Resize cannot do, it says") {
  const Tensor x = floats({1, 2});
  CHECK(failure_of(19, "Resize", {x}) != "");
  CHECK(failure_of(19, "Resize", {x, Tensor(), floats({0})}) != "");
  CHECK(failure_of(19, "Resize", {x, Tensor(), floats({1, 2})}) != "");
  CHECK(failure_of(19, "Resize", {x, Tensor(), floats({2})}, {{"mode", "area"}}) != "");
  CHECK(failure_of(19, "Resize", {x, Tensor(), floats({2})}, {{"nearest_mode", "up"}}) != "");
  CHECK(failure_of(19, "Resize", {floats({}), Tensor(), Tensor(), ints({2})}) != "");
}

TEST_CASE("Resize of an empty batch is empty") {
  const Tensor x(DType::f32, {0, 1, 2, 2});
  for (const char* policy : {"stretch", "not_larger"}) {
    CHECK(run(19, "Resize", {x, Tensor(), Tensor(), ints({0, 1, 4, 4})}, {{"keep_aspect_ratio_policy", policy}})
              .dims()[0] == 0);
  }
  CHECK(run(19, "Resize", {x, Tensor(), Tensor(), ints({0, 1, 4, 4})}).dims() == Dims{0, 1, 4, 4});
  CHECK(run(19, "Resize", {x, Tensor(), floats({2, 1, 2, 2})}, {{"mode", "linear"}}).dims() == Dims{0, 1, 4, 4});
}

TEST_CASE("Resize of integers truncates numbers that are integers except for rounding") {
  const Tensor x = Tensor::of<std::int32_t>({4}, {0, 10, 255, 3});
  // The fifth is (13 * 255 + 3) / 14 = 237.
  CHECK(run(19, "Resize", {x, Tensor(), Tensor(), ints({7})}, {{"mode", "linear"}}).to<int>()[4] == 237);
  CHECK(run(19, "Resize", {Tensor::of<std::int32_t>({2}, {0, 3}), Tensor(), Tensor(), ints({4})}, {{"mode", "linear"}})
            .to<int>() == std::vector{0, 0, 2, 3});
}

TEST_CASE("Upsample knows two modes") {
  CHECK(failure_of(9, "Upsample", {floats({1, 2}), floats({2})}, {{"mode", "cubic"}}) != "");
}
