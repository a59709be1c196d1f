#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/graph/build.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("the gradient of a Cast between floats passes, that of integers is zero") {
  Builder builder(17);
  const auto gradient = [&](const Tensor& x, DType to) {
    const Node& cast = *builder.op("Cast", {&builder.input("x" + std::to_string(static_cast<int>(x.dtype())) +
                                                               std::to_string(static_cast<int>(to)),
                                                           x.dtype())},
                                   {{"to", static_cast<std::int64_t>(to)}})
                            .producer();
    return backward(cast, std::vector<Tensor>{x}, {}, std::vector<Tensor>{floats({1, 2})}, {true})[0];
  };
  CHECK(same(gradient(floats({3, 4}), DType::f16), floats({1, 2})));
  CHECK(same(gradient(Tensor::of<float>(DType::f16, {2}, {3, 4}), DType::f32), floats({1, 2})));
  CHECK_FALSE(gradient(floats({3, 4}), DType::i32));
  CHECK_FALSE(gradient(ints({3, 4}), DType::f32));
}

TEST_CASE("CastLike has the gradient of Cast") {
  Builder builder(17);
  const Node& cast =
      *builder.op("CastLike", {&builder.input("x", DType::f32), &builder.input("like", DType::f16)}).producer();
  const std::vector<Tensor> inputs{floats({3, 4}), Tensor(DType::f16, {1})};
  const std::vector<Tensor> gradients = backward(cast, inputs, {}, std::vector<Tensor>{floats({1, 2})}, {true, true});
  CHECK(same(gradients[0], floats({1, 2})));
  CHECK_FALSE(gradients[1]);
}
