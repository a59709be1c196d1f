#include "qonnx/ops/run_qonnx.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using Catch::Contains;

namespace {

std::vector<float> trunc_1(const std::vector<float>& x, float scale, float zero, float in, float out,
                           const Attributes& attributes = {}) {
  return numbers(run_qonnx("qonnx.custom_op.general::Trunc",
                           {vector_of(x), number(scale), number(zero), number(in), number(out)}, attributes));
}

std::vector<float> trunc_2(const std::vector<float>& x, float scale, float zero, float out_scale, float out,
                           const Attributes& attributes = {}) {
  return numbers(run_qonnx("qonnx.custom_op.general::Trunc",
                           {vector_of(x), number(scale), number(zero), number(10), number(out_scale), number(out)},
                           attributes, 2));
}

}  // namespace

TEST_CASE("Trunc 1 shifts bits out and keeps scale and zero point", "[qonnx]") {
  CHECK(trunc_1({7, 8, -1, 100}, 1, 0, 6, 4) == std::vector<float>{1, 2, -1, 25});
  CHECK(trunc_1({7, 8, -1}, 0.5F, 0, 6, 4) == std::vector<float>{1.5F, 2, -0.5F});
  CHECK(trunc_1({7, 9}, 1, 1, 6, 4) == std::vector<float>{1, 1});
  CHECK(trunc_1({6, 7, -6}, 1, 0, 6, 4, {{"rounding_mode", "ROUND"}}) == std::vector<float>{2, 2, -2});
  CHECK(trunc_1({6, -6}, 1, 0, 6, 4, {{"rounding_mode", "CEIL"}}) == std::vector<float>{2, -1});
}

TEST_CASE("Trunc 1 rounds to integers first, and does not clamp", "[qonnx]") {
  CHECK(trunc_1({7.6F, 2.5F, 3.5F}, 1, 0, 6, 4) == std::vector<float>{2, 0, 1});
  CHECK(trunc_1({4096}, 1, 0, 6, 4) == std::vector<float>{1024});
}

TEST_CASE("Trunc 2 goes to another scale, and clamps", "[qonnx]") {
  CHECK(trunc_2({7, 8, -1, 1000, -1000}, 1, 0, 4, 4) == std::vector<float>{4, 8, -4, 28, -32});
  CHECK(trunc_2({1000, -1000}, 1, 0, 4, 4, {{"narrow", 1}}) == std::vector<float>{28, -28});
  CHECK(trunc_2({1000, -1000}, 1, 0, 4, 4, {{"signed", 0}}) == std::vector<float>{60, 0});
  CHECK(trunc_2({8, 9, 10, 14}, 1, 2, 4, 8, {{"rounding_mode", "ROUND"}}) == std::vector<float>{6, 10, 10, 14});
}

TEST_CASE("Trunc 2 divides by the power of two that is nearest to the ratio of the scales", "[qonnx]") {
  CHECK(trunc_2({16}, 1, 0, 5, 8) == std::vector<float>{20});
  CHECK(trunc_2({16}, 1, 0, 6, 8) == std::vector<float>{12});
  CHECK(trunc_2({1}, 1, 0, 0.25F, 8) == std::vector<float>{1});
}

TEST_CASE("the import says which Trunc a node is; without one its inputs do", "[qonnx]") {
  const std::vector<Tensor> first{vector_of({-9}), number(1), number(0), number(6), number(4)};
  const std::vector<Tensor> second{vector_of({-9}), number(1), number(0), number(6), number(4), number(4)};
  for (const std::string domain : {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"}) {
    const std::string op = domain + "::Trunc";
    CHECK(numbers(run_qonnx(op, first, {}, 0)) == std::vector<float>{-3});
    CHECK(numbers(run_qonnx(op, second, {}, 0)) == std::vector<float>{-12});
    CHECK(numbers(run_qonnx(op, first, {}, 1)) == std::vector<float>{-3});
    CHECK(numbers(run_qonnx(op, second, {}, 2)) == std::vector<float>{-12});
    CHECK_THAT(qonnx_failure(op, second, {}, 1), Contains("6 inputs"));
    CHECK_THAT(qonnx_failure(op, first, {}, 2), Contains("5 inputs"));
  }
}

TEST_CASE("Trunc refuses what it cannot compute", "[qonnx]") {
  const auto failure = [](float scale, float in, float out, const Attributes& attributes = {}) {
    return qonnx_failure("onnx.brevitas::Trunc", {vector_of({1}), number(scale), number(0), number(in), number(out)},
                         attributes);
  };
  CHECK_THAT(failure(0, 6, 4), Contains("scale: "));
  CHECK_THAT(failure(1, 0, 4), Contains("in_bitwidth: "));
  CHECK_THAT(failure(1, 6, 0), Contains("out_bitwidth: "));
  CHECK_THAT(failure(1, 6, 4, {{"rounding_mode", "?"}}), Contains("rounding_mode: "));
}
