#include <graft/session/output_difference.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

Tensor floats(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}
double between(const Tensor& expected, const Tensor& actual) {
  OutputDifference difference;
  compare_output("y", expected, actual, difference);
  return difference.relative;
}
const double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("outputs differ relative to the largest magnitude") {
  CHECK(between(floats({1, -8}), floats({1, -8})) == 0);
  CHECK(between(floats({1, -8}), floats({1.5f, -8})) == 0.0625);
  CHECK(between(floats({0}), floats({1})) > 1e6);
  CHECK(between(floats({0, 0}), floats({0, 1e-30f})) < 1e-12);
  CHECK(between(floats({NAN, 2}), floats({NAN, 2})) == 0);
  CHECK(between(floats({NAN, 2}), floats({2, 2})) == infinity);
  CHECK(between(floats({INFINITY, 2}), floats({-INFINITY, 2})) == infinity);
  CHECK(between(floats({1, 2}), Tensor::of<float>({2, 1}, {1, 2})) == infinity);
  CHECK(between(Tensor::of<std::int64_t>({1}, {100}), Tensor::of<std::int64_t>({1}, {99})) == 0.01);
  CHECK(between(floats({1}), Tensor::of<double>({1}, {1})) == infinity);
  CHECK(between(floats({}), floats({})) == 0);
}

TEST_CASE("the output with the largest difference is named") {
  OutputDifference difference;
  compare_output("same", floats({1}), floats({1}), difference);
  CHECK(difference.output.empty());
  compare_output("far", floats({1}), floats({1.5f}), difference);
  compare_output("near", floats({1}), floats({1.25f}), difference);
  CHECK(difference.output == "far");
  CHECK(difference.relative == 0.5);
}
