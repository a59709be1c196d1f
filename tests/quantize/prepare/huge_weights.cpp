#include <graft/quantize/prepare/huge_weights.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// x -> Conv y -> Relu z -> Conv v, the second with this weight.
Model two_convs(float weight) {
  Net net;
  Value& z = net.op("Relu", {&net.conv(*net.x)}, "z");
  return net.build({&net.op("Conv", {&z, &net.constant("w", {1, 0, 0, weight}, {2, 2, 1, 1})}, "v")});
}

std::string found(const Model& model, const Ranges& ranges) {
  std::string names;
  for (const Value* const value : values_around_huge_weights(model.graph(), ranges))
    names += (names.empty() ? "" : " ") + std::string(value->name());
  return names;
}

}  // namespace

TEST_CASE("weights are huge where four steps of the input cross the range of the output", "[quantize]") {
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-9, 9}}, {"z", {0, 6}}, {"v", {-1, 2}}};
  CHECK(found(two_convs(31.8f), ranges) == "");
  for (const float weight : {31.9f, -31.9f, 1e6f}) CHECK(found(two_convs(weight), ranges) == "z v");
}

TEST_CASE("the output is what Relu makes of it, and ranges are taken with 0", "[quantize]") {
  const Model model = two_convs(1);
  CHECK(found(model, {{"x", {-1, 1}}, {"y", {-9, 9}}, {"z", {0, 0.01f}}, {"v", {-1, 2}}}) == "x z y");
  CHECK(found(model, {{"x", {0.9f, 1}}, {"y", {-9, 9}}, {"z", {0, 0.01f}}, {"v", {-1, 2}}}) == "x z y");
  CHECK(found(model, {{"x", {-1, 1}}, {"z", {0.99f, 1}}, {"v", {-1, 2}}}) == "");
}

TEST_CASE("nothing is huge of which no range is known, or that varies", "[quantize]") {
  CHECK(found(two_convs(1e6f), {{"x", {-1, 1}}, {"v", {-1, 2}}}) == "");
  CHECK(found(two_convs(1e6f), {{"x", {-1, 1}}, {"z", {0, 6}}}) == "");
  Net net;
  Value& w = net.builder.input("w", DType::f32, {2, 2, 1, 1});
  CHECK(found(net.build({&net.op("Conv", {net.x, &w}, "y")}), {{"x", {-1, 1}}, {"y", {0, 1e-9f}}}) == "");
}
