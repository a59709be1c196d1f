#include <graft/quantize/run/detail/judgement.hpp>

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

detail::Judgement candidate(double cosine, double time, double agreement = 0.9) {
  return {{.cosine = cosine, .agreement = agreement}, true, time};
}

}  // namespace

TEST_CASE("a candidate is better that is nearer and not slower, or faster and as near", "[quantize]") {
  const detail::Judgement other = candidate(0.99, 100);
  CHECK(candidate(0.992, 104).is_better(other));
  CHECK_FALSE(candidate(0.992, 106).is_better(other));
  CHECK_FALSE(candidate(0.9905, 100).is_better(other));  // a twentieth of the error is not a difference
  CHECK(candidate(0.9897, 97).is_better(other));
  CHECK_FALSE(candidate(0.9897, 99).is_better(other));
  CHECK_FALSE(candidate(0.9897, 97, 0.8).is_better(other));
  CHECK_FALSE(candidate(0.98, 50).is_better(other));
  CHECK_FALSE(other.is_better(other));
}

TEST_CASE("beside a poor candidate nearness alone counts, and time where nothing is quantized, but of poor ways",
          "[quantize]") {
  const detail::Judgement poor = candidate(0.9, 100);
  CHECK(candidate(0.91, 500).is_better(poor));
  CHECK_FALSE(candidate(0.9, 1).is_better(poor));
  detail::Judgement floats = candidate(1, 100);
  floats.is_quantized = false;
  CHECK(candidate(0.99, 90).is_better(floats));
  CHECK_FALSE(candidate(0.95, 90).is_better(floats));
  CHECK_FALSE(candidate(1, 99).is_better(floats));
}

TEST_CASE("no candidate is better with a smaller cosine than the least", "[quantize]") {
  for (const double cosine : {0.9, 0.99, 0.999}) {
    const detail::Judgement other = candidate(cosine, 100);
    CHECK_FALSE(candidate(other.least_cosine() - 1e-6, 1).is_better(other));
    if (!other.fidelity.is_poor()) CHECK(candidate(other.least_cosine() + 1e-6, 1).is_better(other));
  }
  CHECK(detail::Judgement().least_cosine() == -1);
}

TEST_CASE("a candidate is nearer than a simpler one by more than the noise", "[quantize]") {
  const auto with_errors = [](std::vector<double> errors) {
    detail::Judgement result;
    result.errors = std::move(errors);
    return result;
  };
  const detail::Judgement simple = with_errors({0.01, 0.02, 0.03, 0.04});
  CHECK(with_errors({0.008, 0.018, 0.028, 0.038}).is_nearer(simple));
  CHECK_FALSE(with_errors({0.002, 0.025, 0.02, 0.048}).is_nearer(simple));       // by 0.001, with a noise of 0.005
  CHECK_FALSE(with_errors({0.0099, 0.0199, 0.0299, 0.0399}).is_nearer(simple));  // by less than a fiftieth
  CHECK_FALSE(simple.is_nearer(simple));
  CHECK(with_errors({0.001}).is_nearer(simple));  // on the samples that both ran on
  const std::vector<double> eight{0.01, 0.02, 0.03, 0.04, 0.01, 0.02, 0.03, 0.04};
  CHECK(with_errors(std::vector<double>(8, 0.05)).is_behind(with_errors(eight)));
  CHECK_FALSE(with_errors(std::vector<double>(7, 0.05)).is_behind(with_errors(eight)));
  CHECK_FALSE(with_errors({}).is_nearer(simple));
}
