#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor x = counting({2, 3, 4});

Dims dims_of(int opset, std::string_view op, const std::vector<Tensor>& inputs, const Attributes& attributes = {}) {
  const Tensor y = run(opset, op, inputs, attributes);
  CHECK(y.to<float>() == inputs.front().to<float>());
  return y.dims();
}

}  // namespace

TEST_CASE("Reshape infers one dim and copies zeros") {
  CHECK(dims_of(13, "Reshape", {x, ints({0, -1})}) == Dims{2, 12});
  CHECK(dims_of(13, "Reshape", {x, ints({4, 0, -1})}) == Dims{4, 3, 2});
  CHECK(dims_of(14, "Reshape", {Tensor(DType::f32, {0, 3}), ints({3, 0})}, {{"allowzero", 1}}) == Dims{3, 0});
  CHECK(failure_of(13, "Reshape", {x, ints({-1, -1})}) != "");
  CHECK(failure_of(13, "Reshape", {x, ints({5, -1})}).find("[5,-1]") != std::string::npos);
  CHECK(failure_of(13, "Reshape", {x, ints({1, 1, 1, 0})}) != "");
}

TEST_CASE("Flatten makes a matrix of what lies before an axis and from it on") {
  CHECK(dims_of(13, "Flatten", {x}) == Dims{2, 12});
  CHECK(dims_of(13, "Flatten", {x}, {{"axis", 0}}) == Dims{1, 24});
  CHECK(dims_of(13, "Flatten", {x}, {{"axis", 3}}) == Dims{24, 1});
  CHECK(dims_of(13, "Flatten", {x}, {{"axis", -1}}) == Dims{6, 4});
}

TEST_CASE("Squeeze and Unsqueeze take axes from an attribute or an input") {
  const Tensor thin = counting({1, 3, 1});
  CHECK(dims_of(11, "Squeeze", {thin}) == Dims{3});
  CHECK(dims_of(11, "Squeeze", {thin}, {{"axes", Ints{-1}}}) == Dims{1, 3});
  CHECK(dims_of(13, "Squeeze", {thin, ints({0})}) == Dims{3, 1});
  CHECK(failure_of(13, "Squeeze", {thin, ints({1})}).find("axis 1") != std::string::npos);
  CHECK(dims_of(11, "Unsqueeze", {x}, {{"axes", Ints{0, 4}}}) == Dims{1, 2, 3, 4, 1});
  CHECK(dims_of(13, "Unsqueeze", {x, ints({-1, 1})}) == Dims{2, 1, 3, 4, 1});
  CHECK(failure_of(13, "Unsqueeze", {x, ints({0, 0})}) != "");
}

TEST_CASE("Shape may be cut") {
  CHECK(same(run(13, "Shape", {x}), ints({2, 3, 4})));
  CHECK(same(run(15, "Shape", {x}, {{"start", 1}}), ints({3, 4})));
  CHECK(same(run(15, "Shape", {x}, {{"start", -9}, {"end", -1}}), ints({2, 3})));
  CHECK(same(run(15, "Shape", {x}, {{"start", 2}, {"end", 1}}), ints({})));
  CHECK(same(run(13, "Size", {x}), Tensor::scalar<std::int64_t>(24)));
}

TEST_CASE("Dropout passes its input through, and trains with no one") {
  const auto y = run_op(13, "Dropout", {x}, {}, 2);
  CHECK(same(y[0], x));
  CHECK((y[1].dtype() == DType::boolean && y[1].to<int>() == std::vector<int>(24, 1)));
  CHECK(run_op(10, "Dropout", {x}, {}, 2)[1].to<int>() == std::vector<int>(24, 0));  // as ONNX Runtime has it
  CHECK(same(run(7, "Dropout", {x}), x));
  const Tensor yes = Tensor::of<bool>({}, std::vector<bool>{true});
  CHECK(failure_of(13, "Dropout", {x, Tensor::scalar(0.5F), yes}).find("training_mode") != std::string::npos);
  CHECK(same(run(13, "Dropout", {x, Tensor::scalar(0.0F), yes}), x));
}

TEST_CASE("Identity") { CHECK(same(run(13, "Identity", {x}), x)); }
