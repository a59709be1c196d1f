#include <graft/quantize/place/commutation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/kernel/activation.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

using Function = std::function<double(double)>;

/// A node, and what it computes.
struct Subject {
  const Node* node;
  Function f;
};

constexpr std::array dtypes{DType::u8, DType::i8, DType::u16, DType::i16};

struct Subjects : Net {
  Subjects() : Net(20) {}

  Subject relu() {
    return {make("Relu"), [](double v) { return std::fmax(v, 0); }};
  }
  Subject abs() {
    return {make("Abs"), [](double v) { return std::abs(v); }};
  }
  Subject leaky(float alpha) {
    return {make("LeakyRelu", {{"alpha", alpha}}), [=](double v) { return v < 0 ? double{alpha} * v : v; }};
  }
  Subject clipped(float min, float max) {
    return {clip(*x, min, max, "clip" + std::to_string(number++)).producer(),
            [=](double v) { return std::fmin(std::fmax(v, double{min}), double{max}); }};
  }
  Subject sigmoid() {
    return {make("Sigmoid"), [](double v) { return 1 / (1 + std::exp(-v)); }};
  }
  Subject tanh() {
    return {make("Tanh"), [](double v) { return std::tanh(v); }};
  }
  Subject elu() {
    return {make("Elu"), [](double v) { return v < 0 ? std::expm1(v) : v; }};
  }
  Subject hard_swish() {
    return {make("HardSwish"), [](double v) { return v * std::fmin(std::fmax(v / 6 + 0.5, 0), 1); }};
  }

 private:
  const Node* make(std::string_view type, const Attributes& attributes = {}) {
    return op(type, {x}, "f" + std::to_string(number++), attributes).producer();
  }
  int number = 0;
};

std::mt19937& random_bits() {
  static std::mt19937 random(8);
  return random;
}
float uniform(float min, float max) { return std::uniform_real_distribution<float>(min, max)(random_bits()); }

QParams any_qparams(DType dtype) {
  QParams q{std::exp(uniform(-5, 1)), 0, dtype};
  q.zero_point = std::uniform_int_distribution(q.lowest(), q.highest())(random_bits());
  return q;
}

double quantized(double x, const QParams& q) {
  return std::clamp(detail::round_half_even(x / q.scale) + q.zero_point, double(q.lowest()), double(q.highest()));
}
double dequantized_from(double code, const QParams& q) { return (code - q.zero_point) * q.scale; }

/// By how many steps any of the integers moves if f is computed of integers: as clamping them, or else rounded.
double max_of_integers(const Subject& subject, const QParams& q) {
  const bool is_clip = subject.node->is("Clip");
  const double low = quantized(subject.f(-1e30), q), high = quantized(subject.f(1e30), q);
  double most = 0;
  for (int code = q.lowest(); code <= q.highest(); ++code) {
    const double wanted = subject.f(dequantized_from(code, q));
    const double given = is_clip ? std::clamp<double>(code, low, high) : quantized(wanted, q);
    most = std::max(most, std::abs(dequantized_from(given, q) - wanted) / q.scale);
  }
  return most;
}

/// The same of values, most of them where rounding turns, without the pair in front.
double max_of_values(const Subject& subject, const QParams& before, const QParams& behind) {
  double most = 0, furthest = 0;
  const double slope = static_cast<double>(steepest_slope(*subject.node));
  const auto [min, max] = before.range();
  for (int i = 0; i < 600; ++i) {
    const double code = std::uniform_int_distribution(before.lowest(), before.highest() - 1)(random_bits());
    const double near_tie = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 0.4999999 : uniform(0, 1);
    const double x = dequantized_from(code + near_tie, before);
    if (x < double{min} || x > double{max}) continue;
    const double passed = subject.f(dequantized_from(quantized(x, before), before));
    most = std::max(most, std::abs(quantized(subject.f(x), behind) - quantized(passed, behind)));
    const double result = dequantized_from(quantized(passed, behind), behind);
    const bool is_clipped = passed < double{behind.range().min} || passed > double{behind.range().max};
    if (!is_clipped) furthest = std::max(furthest, std::abs(result - subject.f(x)));
  }
  CHECK(furthest <= (slope * before.scale + behind.scale) / 2 * (1 + 1e-6));
  return most;
}

}  // namespace

TEST_CASE("integers move by no more than the bound when a DequantizeLinear passes, and some as far", "[quantize]") {
  Subjects make;
  for (const DType dtype : dtypes) {
    const int trials = bits(dtype) == 8 ? 60 : 4;
    double closest_leaky = 1;
    for (int i = 0; i < trials; ++i) {
      const QParams q = any_qparams(dtype);
      const auto check = [&](const Subject& subject, bool reached) {
        INFO(subject.node->op_type() << " " << to_string(dtype) << " " << q.scale << " " << q.zero_point);
        const double bound = commutation_bound(*subject.node, q), most = max_of_integers(subject, q);
        CHECK(most <= bound + 1e-3);
        if (reached) CHECK(most >= bound - 1e-3);
        return bound - most;
      };
      check(make.relu(), true);
      CHECK(commutation_bound(*make.relu().node, q) == 0);
      check(make.abs(), true);
      check(make.leaky(0.5f), q.zero_point > q.lowest());
      check(make.leaky(uniform(1.5f, 3)), false);
      check(make.leaky(-0.5f), false);
      closest_leaky = std::min(closest_leaky, check(make.leaky(uniform(0.01f, 0.3f)), false));
      const float min = uniform(q.range().min, 0), max = uniform(0, q.range().max);
      check(make.clipped(min, max), true);
      check(make.clipped(uniform(q.range().min, q.range().max), q.range().max), true);
      check(make.clipped(q.range().max + q.scale, INFINITY), true);
      CHECK(commutation_bound(*make.clipped(min, max).node, q) <= 0.5);
    }
    CHECK(closest_leaky < 0.01);
  }
}

TEST_CASE("a Clip to multiples of the scale moves nothing, and one beyond the integers moves them far", "[quantize]") {
  Subjects make;
  const QParams q{0.5f, 10, DType::u8};
  CHECK(commutation_bound(*make.clipped(-2, 6).node, q) == 0);
  CHECK(commutation_bound(*make.clipped(-2, 6.125f).node, q) == 0.25);
  CHECK(commutation_bound(*make.clipped(-100, 1000).node, q) == 0);
  CHECK(commutation_bound(*make.clipped(200, 300).node, q) == 155);
  CHECK(commutation_bound(*make.abs().node, QParams{1, 0, DType::i8}) == 1);
  CHECK(commutation_bound(*make.leaky(3).node, QParams{1, -64, DType::i8}) == 128);
  CHECK(commutation_bound(*make.leaky(0.1f).node, QParams{1, 0, DType::u8}) == 0);
}

TEST_CASE("no bound is known of what has no form of integers, or no slope", "[quantize]") {
  Subjects make;
  const QParams q{0.5f, 10, DType::u8};
  CHECK(std::isinf(commutation_bound(*make.sigmoid().node, q)));
  CHECK(std::isinf(commutation_bound(*make.op("PRelu", {make.x, make.x}, "p").producer(), q)));
  CHECK(std::isinf(commutation_bound(*make.op("Neg", {make.x}, "n").producer(), q)));
  CHECK(std::isinf(commutation_bound(*make.op("Neg", {make.x}, "m").producer(), q, q)));
  Value& flat = make.constant("flat", {0.5f, 1}, {2, 1, 1});
  Value& steep = make.constant("steep", {0.5f, 3}, {2, 1, 1});
  CHECK(commutation_bound(*make.op("PRelu", {make.x, &flat}, "r").producer(), q) == 0.5);
  CHECK(commutation_bound(*make.op("PRelu", {make.x, &steep}, "t").producer(), q) == 20);  // of -30 + 10, below 0
}

TEST_CASE("values move by no more than the bound when the pair in front goes, and some as far", "[quantize]") {
  Subjects make;
  const auto check = [](const Subject& subject, DType dtype) {
    double closest = 1e9;
    for (int i = 0; i < 60; ++i) {
      const Range range{-uniform(0.5f, 12), uniform(0.5f, 12)};
      const QParams before = choose_qparams(range, dtype);
      const float top = static_cast<float>(subject.f(range.max)) * std::exp(uniform(-3, 0));
      const QParams behind = choose_qparams({std::min(0.0f, static_cast<float>(subject.f(-1.5))), top}, dtype);
      const double bound = commutation_bound(*subject.node, before, behind);
      const double most = max_of_values(subject, before, behind);
      INFO(subject.node->op_type() << " " << to_string(dtype) << " " << before.scale << " " << behind.scale);
      REQUIRE(most <= bound);
      closest = std::min(closest, bound - most);
    }
    INFO(subject.node->op_type() << " " << to_string(dtype));
    CHECK(closest == 0);
  };
  for (const DType dtype : dtypes)
    for (const Subject& subject : {make.relu(), make.abs(), make.leaky(0.3f), make.leaky(-2), make.clipped(-1, 6),
                                   make.sigmoid(), make.tanh(), make.elu(), make.hard_swish()})
      check(subject, dtype);
}

TEST_CASE("with one scale before and behind nothing moves where the activation keeps the grid", "[quantize]") {
  Subjects make;
  for (const DType dtype : dtypes) {
    for (int i = 0; i < 30; ++i) {
      const QParams before = any_qparams(dtype);
      QParams behind = any_qparams(dtype);
      behind.scale = before.scale;
      const Subject clip = make.clipped(-3 * before.scale, 40 * before.scale);
      for (const Subject& subject : {make.relu(), make.abs(), make.leaky(-1), clip}) {
        INFO(subject.node->op_type() << " " << to_string(dtype) << " " << before.scale);
        if (!subject.node->is("Clip")) CHECK(commutation_bound(*subject.node, before, behind) == 0);
        if (commutation_bound(*subject.node, before, behind) == 0) CHECK(max_of_values(subject, before, behind) == 0);
      }
      CHECK(commutation_bound(*make.leaky(0.5f).node, before, behind) == 1);
      CHECK(commutation_bound(*make.sigmoid().node, before, behind) == 1);
    }
  }
}
