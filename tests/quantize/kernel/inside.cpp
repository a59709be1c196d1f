#include <graft/quantize/kernel/inside.hpp>

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("q-params lie inside bounds if no quantized value is beyond, in float32", "[quantize]") {
  CHECK(inside({6.0f / 255, 0, DType::u8}, {0, 6}));
  CHECK_FALSE(inside({std::nextafter(6.0f / 255, 1.0f), 0, DType::u8}, {0, 6}));
  CHECK_FALSE(inside({1.0f / 255, 1, DType::u8}, {0, 6}));
  CHECK(inside({1.0f / 128, 128, DType::u8}, {-1, 1}));
  CHECK_FALSE(inside({1.0f / 127, 128, DType::u8}, {-1, 1}));
  CHECK(inside({0.1f, 128, DType::u8}, {-INFINITY, INFINITY}));
}

TEST_CASE("a scale that rounding left too large goes down by units in the last place", "[quantize]") {
  const float bound = 7.97f;
  const QParams q = choose_qparams({0, bound}, DType::u8);
  REQUIRE_FALSE(inside(q, {0, bound}));
  const QParams fitted = fitted_inside(q, {0, bound});
  CHECK(inside(fitted, {0, bound}));
  CHECK(fitted.scale == std::nextafter(q.scale, 0.0f));
}

TEST_CASE("a range that reaches beyond the bounds shrinks to them", "[quantize]") {
  CHECK(fitted_inside({6.1f / 255, 0, DType::u8}, {0, 6}) == QParams{6.0f / 255, 0, DType::u8});
  CHECK(fitted_inside({1, -128, DType::i8}, {0, 6}) == QParams{6.0f / 255, -128, DType::i8});
  CHECK(fitted_inside({1.0f / 127.5f, 128, DType::u8}, {-1, 1}) == QParams{1.0f / 128, 128, DType::u8});
}

TEST_CASE("q-params that are inside stay as they are", "[quantize]") {
  const QParams q{0.01f, 3, DType::u8};
  CHECK(fitted_inside(q, {-1, 6}) == q);
}

TEST_CASE("a zero point on the wrong side of a bound moves rather than the scale collapses", "[quantize]") {
  const Range bounds{-0.013f, 6};
  const QParams q = choose_qparams(bounds, DType::u8);
  REQUIRE(q.zero_point == 1);
  REQUIRE_FALSE(inside(q, bounds));
  const QParams fitted = fitted_inside(q, bounds);
  CHECK(inside(fitted, bounds));
  CHECK(fitted.zero_point == 0);
  CHECK(fitted.range().max > 5.99f);
}

TEST_CASE("a zero point that must stay gets a smaller scale, unless that loses a step", "[quantize]") {
  CHECK(scaled_inside({6.0f / 127, 0, DType::i8}, {-6, 6}) == QParams{6.0f / 128, 0, DType::i8});
  CHECK(scaled_inside({6.1f / 255, 0, DType::u8}, {0, 6}) == QParams{6.0f / 255, 0, DType::u8});
  const QParams uneven{6.0f / 127, 0, DType::i8};
  for (const Range bounds : {Range{-1, 6}, Range{0, 6}, Range{-6, 0}}) CHECK(scaled_inside(uneven, bounds) == uneven);
}

TEST_CASE("bounds that no scale fits leave the q-params alone", "[quantize]") {
  const QParams q{0.1f, 0, DType::u8};
  CHECK(fitted_inside(q, {0.5f, 6}) == q);
  CHECK(fitted_inside(q, {-6, -0.5f}) == q);
  CHECK(fitted_inside(q, {0, 0}) == q);
}

TEST_CASE("what is fitted inside any bounds around 0 is inside, and loses little", "[quantize]") {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> size(0.01f, 16);
  for (int i = 0; i < 20000; ++i) {
    const Range bounds{i % 3 == 0 ? 0 : -size(random), size(random)};
    for (const DType dtype : {DType::u8, DType::i8}) {
      const QParams q = choose_qparams(bounds, dtype);
      const QParams fitted = fitted_inside(q, bounds);
      REQUIRE(inside(fitted, bounds));
      REQUIRE(fitted.scale <= q.scale);
      REQUIRE(fitted.range().max >= bounds.max - 1.5f * q.scale);
      REQUIRE(fitted.range().min <= bounds.min + 1.5f * q.scale);
      if (bounds.min == 0) REQUIRE(fitted.scale >= q.scale * (1 - 1e-6f));
    }
  }
}
