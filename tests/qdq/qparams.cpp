#include <graft/qdq/qparams.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

constexpr float smallest_normal = std::numeric_limits<float>::min();
constexpr float largest = std::numeric_limits<float>::max();

}  // namespace

TEST_CASE("a range of one sign is widened to contain 0", "[quantize]") {
  CHECK(choose_qparams({1, 5.1f}, DType::u8) == QParams{0.02f, 0, DType::u8});
  CHECK(choose_qparams({-5.1f, -1}, DType::u8) == QParams{0.02f, 255, DType::u8});
  CHECK(choose_qparams({0, 5.1f}, DType::i8) == QParams{0.02f, -128, DType::i8});
}

TEST_CASE("the zero point is rounded half to even", "[quantize]") {
  CHECK(choose_qparams({-0.5f, 254.5f}, DType::u8) == QParams{1, 0, DType::u8});
  CHECK(choose_qparams({-1.5f, 253.5f}, DType::u8) == QParams{1, 2, DType::u8});
  CHECK(choose_qparams({-1.25f, 253.75f}, DType::u8) == QParams{1, 1, DType::u8});
  CHECK(choose_qparams({-127.5f, 127.5f}, DType::i8) == QParams{1, 0, DType::i8});
}

TEST_CASE("the scale is computed in double and stored as float32", "[quantize]") {
  const Range range{-largest, 0.9f * largest};  // whose width is not a float32
  const QParams q = choose_qparams(range, DType::u8);
  CHECK(q.scale == static_cast<float>((static_cast<double>(largest) + static_cast<double>(range.max)) / 255));
  CHECK(q.zero_point == 134);
  CHECK(choose_qparams({0, 1}, DType::u16).scale == static_cast<float>(1.0 / 65535));
}

TEST_CASE("a scale is never 0, denormal or infinite", "[quantize]") {
  CHECK(choose_qparams({0, 0}, DType::u8) == QParams{1, 0, DType::u8});
  CHECK(choose_qparams({0, 0}, DType::i8) == QParams{1, -128, DType::i8});
  CHECK(choose_qparams({}, DType::u8) == QParams{1, 0, DType::u8});
  CHECK(choose_qparams({0, 0}, DType::i8, ZeroPoint::middle) == QParams{1, 0, DType::i8});
  for (const float tiny : {std::numeric_limits<float>::denorm_min(), smallest_normal, 1e-37f}) {
    CHECK(choose_qparams({0, tiny}, DType::u8).scale == smallest_normal);
    CHECK(choose_qparams({-tiny, 0}, DType::i8, ZeroPoint::middle).scale == smallest_normal);
  }
  CHECK(std::isfinite(choose_qparams({-largest, largest}, DType::i8).scale));
}

TEST_CASE("a middle zero point makes the range symmetric without the lowest value", "[quantize]") {
  CHECK(choose_qparams({-1, 12.7f}, DType::i8, ZeroPoint::middle) == QParams{0.1f, 0, DType::i8});
  CHECK(choose_qparams({-12.7f, 1}, DType::i8, ZeroPoint::middle) == QParams{0.1f, 0, DType::i8});
  CHECK(choose_qparams({-12.7f, 1}, DType::u8, ZeroPoint::middle) == QParams{0.1f, 128, DType::u8});
  CHECK(choose_qparams({0, 32767}, DType::i16, ZeroPoint::middle) == QParams{1, 0, DType::i16});
}

TEST_CASE("narrowed q-params have the same range in fewer integers", "[quantize]") {
  CHECK(narrowed(QParams{1, 0, DType::u8}, 4) == QParams{17, 0, DType::u8});
  CHECK(narrowed(QParams{1, 255, DType::u8}, 4) == QParams{17, 15, DType::u8});
  CHECK(narrowed(QParams{1, 128, DType::u8}, 3) == QParams{255 / 7.0F, 4, DType::u8});
  CHECK(narrowed(QParams{1, -128, DType::i8}, 4) == QParams{17, -8, DType::i8});
  CHECK(narrowed(QParams{7, 0, DType::i8}, 4) == QParams{127, 0, DType::i8});
  CHECK(narrowed(QParams{0.5F, 9, DType::u8}, 8) == QParams{0.5F, 9, DType::u8});
  for (float scale = 1e-3F; scale < 10; scale *= 1.37F)  // a tensor behind a Clip must not reach beyond it
    for (int bits = 2; bits < 8; ++bits) {
      const QParams q = narrowed(QParams{scale, 0, DType::u8}, bits);
      CHECK(q.dequantize((1 << bits) - 1) <= QParams{scale, 0, DType::u8}.range().max);
      CHECK(q.dequantize((1 << bits) - 1) >= QParams{scale, 0, DType::u8}.range().max * 0.999999F);
    }
  CHECK_THROWS(narrowed(QParams{}, 1));
  CHECK_THROWS(narrowed(QParams{}, 9));
}

TEST_CASE("symmetric q-params of fewer bits reach as far with fewer steps", "[quantize]") {
  CHECK(symmetric_qparams({-1, 6.3f}, DType::i8, 7) == QParams{0.1f, 0, DType::i8});
  CHECK(symmetric_qparams({-6.3f, 1}, DType::u8, 7) == QParams{0.1f, 128, DType::u8});
  CHECK(symmetric_qparams({-3, 2}, DType::i8, 2) == QParams{3, 0, DType::i8});
  CHECK(symmetric_qparams({-1, 12.7f}, DType::i8, 8) == choose_qparams({-1, 12.7f}, DType::i8, ZeroPoint::middle));
  CHECK(symmetric_qparams({}, DType::i8, 4) == QParams{1, 0, DType::i8});
  CHECK_THROWS_WITH(symmetric_qparams({0, 1}, DType::i8, 1), "1 bits, not 2 to 8 as i8 has");
  CHECK_THROWS_WITH(symmetric_qparams({0, 1}, DType::i8, 9), "9 bits, not 2 to 8 as i8 has");
}

TEST_CASE("an infinite or undefined range is refused", "[quantize]") {
  CHECK_THROWS_WITH(choose_qparams({0, INFINITY}, DType::u8), "the range is not finite");
  CHECK_THROWS_AS(choose_qparams({-INFINITY, 0}, DType::u8), Error);
  CHECK_THROWS_AS(choose_qparams({0, NAN}, DType::u8), Error);
  CHECK_THROWS_WITH(symmetric_qparams({-INFINITY, 1}, DType::i8, 8), "the range is not finite");
  CHECK_THROWS_WITH(symmetric_qparams({NAN, NAN}, DType::i8, 8), "the range is not finite");
}

TEST_CASE("a range with its min above its max is refused", "[quantize]") {
  CHECK_THROWS_WITH(choose_qparams({6, -1}, DType::u8), "its min is above its max");
  CHECK_THROWS_WITH(choose_qparams({6, -1}, DType::u8, ZeroPoint::middle), "its min is above its max");
  CHECK_THROWS_WITH(symmetric_qparams({6, -1}, DType::i8, 8), "its min is above its max");
  CHECK_THROWS_WITH(choose_qparams({INFINITY, 0}, DType::u8), "its min is above its max");
}

TEST_CASE("the quantized range covers the wanted one to half a step, and 0 exactly", "[quantize]") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-20, 20), mantissa(-1, 1);
  for (int i = 0; i < 20000; ++i) {
    Range range;
    for (int k = 0; k < 2; ++k) {
      const float x = std::ldexp(mantissa(random), static_cast<int>(exponent(random)));
      range.merge({x, x});
    }
    for (const DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16}) {
      const QParams q = choose_qparams(range, dtype);
      REQUIRE(q.zero_point >= q.lowest());
      REQUIRE(q.zero_point <= q.highest());
      REQUIRE(q.dequantize(q.zero_point) == 0);
      const double slack = q.scale * (0.5 + 1e-2);  // the scale is rounded, 65535 times
      REQUIRE(q.range().min <= std::min(0.0f, range.min) + slack);
      REQUIRE(q.range().max >= std::max(0.0f, range.max) - slack);
    }
  }
}

TEST_CASE("every integer stands for a finite float", "[quantize]") {
  constexpr float most = std::numeric_limits<float>::max();
  std::vector<float> ends{0, 1, most / 65535, most / 255, most / 3, std::nextafter(most, 0.0f), most};
  for (int i = 1; i < 40; ++i) ends.push_back(most / (1 + static_cast<float>(i) / 37));
  for (const DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16})
    for (const float min : ends)
      for (const float max : ends)
        for (const ZeroPoint zero_point : {ZeroPoint::free, ZeroPoint::middle}) {
          const QParams q = choose_qparams({-min, max}, dtype, zero_point);
          CHECK(std::isfinite(q.range().min));
          CHECK(std::isfinite(q.range().max));
          CHECK(q.range().min <= 0);
          CHECK(q.range().max >= 0);
          if (max == most) CHECK(q.range().max > 0.98f * most);
        }
  for (const DType dtype : {DType::u8, DType::i8})
    for (int bits = 2; bits <= 8; ++bits) {
      const QParams q = symmetric_qparams({-most, most}, dtype, bits);
      CHECK(std::isfinite(q.range().min));
      CHECK(std::isfinite(q.range().max));
    }
}
