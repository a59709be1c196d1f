#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor a_turned = Tensor::of<float>({3, 2}, {1, 4, 2, 5, 3, 6});
const Tensor b = Tensor::of<float>({3, 2}, {1, 0, 0, 1, 1, 1});
const Tensor b_turned = Tensor::of<float>({2, 3}, {1, 0, 1, 0, 1, 1});
const Tensor product = Tensor::of<float>({2, 2}, {4, 5, 10, 11});

}  // namespace

TEST_CASE("Gemm multiplies, transposed or not") {
  CHECK(same(run(13, "Gemm", {a, b}), product));
  CHECK(same(run(13, "Gemm", {a_turned, b}, {{"transA", 1}}), product));
  CHECK(same(run(13, "Gemm", {a, b_turned}, {{"transB", 1}}), product));
  CHECK(same(run(13, "Gemm", {a_turned, b_turned}, {{"transA", 1}, {"transB", 1}}), product));
}

TEST_CASE("Gemm scales, and broadcasts its bias one way") {
  CHECK(same(run(13, "Gemm", {a, b, floats({1, 2})}, {{"alpha", 0.5}, {"beta", 10.0}}),
             Tensor::of<float>({2, 2}, {12, 22.5F, 15, 25.5F})));
  CHECK(same(run(13, "Gemm", {a, b, Tensor::of<float>({2, 1}, {1, 2})}), Tensor::of<float>({2, 2}, {5, 6, 12, 13})));
  CHECK(failure_of(13, "Gemm", {a, b, counting({3, 2, 2})}).find("bias") != std::string::npos);
  CHECK(failure_of(13, "Gemm", {a, a}).find("[2,3]") != std::string::npos);
}

TEST_CASE("MatMul broadcasts the axes before the matrices") {
  const Tensor stack = Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4});
  const Tensor turn = Tensor::of<float>({2, 2}, {0, 1, 1, 0});
  CHECK(same(run(13, "MatMul", {stack, turn}), Tensor::of<float>({2, 1, 2}, {2, 1, 4, 3})));
  const Tensor turns = Tensor::of<float>({3, 1, 2, 2}, {0, 1, 1, 0, 1, 0, 0, 1, 2, 0, 0, 2});
  const Tensor y = run(13, "MatMul", {stack, turns});
  CHECK(same(y, Tensor::of<float>({3, 2, 1, 2}, {2, 1, 4, 3, 1, 2, 3, 4, 2, 4, 6, 8})));
}

TEST_CASE("MatMul takes vectors for rows on the left and columns on the right") {
  CHECK(same(run(13, "MatMul", {floats({1, 2}), floats({3, 4})}), Tensor::scalar(11.0F)));
  CHECK(same(run(13, "MatMul", {floats({1, 1}), a}), floats({5, 7, 9})));
  CHECK(same(run(13, "MatMul", {a, floats({1, 1, 1})}), floats({6, 15})));
  CHECK(failure_of(13, "MatMul", {Tensor::scalar(1.0F), a}).find("scalar") != std::string::npos);
}

TEST_CASE("products of integers are exact") {
  const Tensor big = Tensor::of<std::int64_t>({1, 2}, {(std::int64_t{1} << 53) + 1, 1});
  CHECK(same(run(13, "MatMul", {big, Tensor::of<std::int64_t>({2, 1}, {1, 1})}),
             Tensor::of<std::int64_t>({1, 1}, {(std::int64_t{1} << 53) + 2})));
  CHECK(same(run(13, "Gemm", {Tensor::of<double>({1, 1}, {1e300}), Tensor::of<double>({1, 1}, {2})}),
             Tensor::of<double>({1, 1}, {2e300})));
}
