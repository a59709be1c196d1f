#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/thread_pool.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

using namespace graft;
namespace own = qonnx::detail;

namespace {

/// A sum and then a product, which no compiler contracts.
struct PlusTimes {
  template <int Width>
  [[gnu::always_inline]] void run(typename own::Vectors<Width>::Floats& x,
                                  const typename own::Vectors<Width>::Floats (&p)[2]) const {
    x = (x + p[1]) * p[0];
  }
};

Tensor counting(Dims dims, float first) {
  Tensor tensor(DType::f32, std::move(dims));
  const auto values = tensor.mutable_data<float>();
  std::iota(values.begin(), values.end(), first);
  return tensor;
}

}  // namespace

TEST_CASE("parameters of any broadcast meet their elements, in runs of any length, on threads or not", "[qonnx]") {
  ThreadPool pool(2);
  const ParallelFor parallel = std::ref(pool);
  const Dims shapes[] = {{2, 3, 1, 70}, {2, 3, 5, 7}, {9}, {3, 40000}, {}};
  for (const Dims& dims : shapes) {
    for (std::size_t axes = 0; axes < 1U << dims.size(); ++axes) {
      Dims own = dims;  // of each subset of the axes
      for (std::size_t i = 0; i < own.size(); ++i)
        if ((axes >> i & 1) == 0) own[i] = 1;
      const Tensor x = counting(dims, 1), factor = counting(own, 2), term = Tensor::scalar(0.5F);
      const Tensor y = own::elementwise(PlusTimes(), x, std::array{factor, term}, &parallel);
      const Tensor by_products = own::combine(x, factor, [](float a, float b) { return (a + 0.5F) * b; });
      CHECK(y.to<float>() == by_products.to<float>());
      CHECK(x.to<float>() == counting(dims, 1).to<float>());
    }
  }
}

TEST_CASE("combine broadcasts both ways", "[qonnx]") {
  const Tensor sum = own::combine(counting({2, 1}, 0), counting({3}, 10), [](float a, float b) { return a + b; });
  CHECK(sum.dims() == Dims{2, 3});
  CHECK(sum.to<float>() == std::vector<float>{10, 11, 12, 11, 12, 13});
  CHECK_THROWS_AS(own::combine(counting({2}, 0), counting({3}, 0), [](float a, float) { return a; }), Error);
}
