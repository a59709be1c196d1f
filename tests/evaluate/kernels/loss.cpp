#include <cmath>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("NegativeLogLikelihoodLoss picks the target's class, weighted") {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor target = ints({1, 0});
  const auto loss = [&](const Attributes& attributes, std::vector<Tensor> more = {}) {
    more.insert(more.begin(), {x, target});
    return run(13, "NegativeLogLikelihoodLoss", more, attributes);
  };
  CHECK(same(loss({}), Tensor::scalar(-3.0F)));
  CHECK(same(loss({{"reduction", "sum"}}), Tensor::scalar(-6.0F)));
  CHECK(same(loss({{"reduction", "none"}}), floats({-2, -4})));
  CHECK(same(loss({{"reduction", "none"}}, {floats({10, 1, 1})}), floats({-2, -40})));
  CHECK(same(loss({}, {floats({10, 1, 1})}), Tensor::scalar(-42.0F / 11)));
  CHECK(same(loss({{"ignore_index", 1}}), Tensor::scalar(-4.0F)));
  CHECK(same(loss({{"ignore_index", 0}, {"reduction", "none"}}), floats({-2, 0})));
}

TEST_CASE("an ignored target need not be a class, any other must") {
  const Tensor x = Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4});
  const Tensor target = Tensor::of<std::int64_t>({2, 2}, {0, -1, -1, 0});
  CHECK(same(run(13, "NegativeLogLikelihoodLoss", {x, target}, {{"ignore_index", -1}}), Tensor::scalar(-2.5F)));
  CHECK(failure_of(13, "NegativeLogLikelihoodLoss", {x, target}).find("target -1") != std::string::npos);
  CHECK(failure_of(13, "NegativeLogLikelihoodLoss", {x, ints({0, 0})}) != "");
  CHECK(failure_of(13, "NegativeLogLikelihoodLoss", {x, target, floats({1, 2})}, {{"ignore_index", -1}}) != "");
}

TEST_CASE("SoftmaxCrossEntropyLoss starts from scores, and gives the log probabilities too") {
  const Tensor x = Tensor::of<float>({1, 2}, {0, std::log(3.0F)});
  const auto outputs = run_op(13, "SoftmaxCrossEntropyLoss", {x, ints({1})}, {}, 2);
  CHECK(same(outputs[0], Tensor::scalar(std::log(4.0F / 3))));
  CHECK(same(outputs[1], Tensor::of<float>({1, 2}, {-std::log(4.0F), std::log(0.75F)})));
  CHECK(failure_of(13, "SoftmaxCrossEntropyLoss", {floats({1}), ints({0})}) != "");
}
