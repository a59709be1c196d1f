#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor einsum(const char* equation, const std::vector<Tensor>& inputs) {
  return run(12, "Einsum", inputs, {{"equation", equation}});
}

}  // namespace

TEST_CASE("Einsum of one operand") {
  const Tensor x = counting({2, 3});
  CHECK(same(einsum("ij->ji", {x}), Tensor::of<float>({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(same(einsum("ij->i", {x}), floats({3, 12})));
  CHECK(same(einsum("ij->", {x}), Tensor::scalar(15.0F)));
  CHECK(same(einsum("ba", {x}), Tensor::of<float>({3, 2}, {0, 3, 1, 4, 2, 5})));
  const Tensor square = counting({2, 2}, 1);
  CHECK(same(einsum("ii->i", {square}), floats({1, 4})));
  CHECK(same(einsum("ii", {square}), Tensor::scalar(5.0F)));
  CHECK(same(einsum("...ii -> ...i", {counting({2, 2, 2})}), Tensor::of<float>({2, 2}, {0, 3, 4, 7})));
}

TEST_CASE("Einsum of several operands") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::of<float>({2, 2}, {5, 6, 7, 8});
  CHECK(same(einsum("ij,jk->ik", {a, b}), Tensor::of<float>({2, 2}, {19, 22, 43, 50})));
  CHECK(same(einsum("ij,jk", {a, b}), Tensor::of<float>({2, 2}, {19, 22, 43, 50})));
  CHECK(same(einsum("ij,kj->ki", {a, b}), Tensor::of<float>({2, 2}, {17, 39, 23, 53})));
  CHECK(same(einsum("ij,ij->", {a, b}), Tensor::scalar(70.0F)));
  CHECK(same(einsum("ij,kl->", {a, b}), Tensor::scalar(260.0F)));
  CHECK(same(einsum("i,j->ij", {ints({1, 2}), ints({3, 4})}), Tensor::of<std::int64_t>({2, 2}, {3, 4, 6, 8})));
  CHECK(same(einsum("ij,jk,k->i", {a, b, floats({1, -1})}), floats({-3, -7})));
  CHECK(same(einsum("i,i,i->i", {floats({1, 2}), floats({3, 4}), floats({5, 6})}), floats({15, 48})));
}

TEST_CASE("what the ellipses of Einsum cover broadcasts") {
  const Tensor a = counting({2, 1, 2});
  const Tensor b = counting({3, 2}, 1);
  CHECK(same(einsum("...i,...i->...", {a, b}), Tensor::of<float>({2, 3}, {2, 4, 6, 8, 18, 28})));
  CHECK(same(einsum("...,...", {floats({1, 2}), Tensor::scalar(3.0F)}), floats({3, 6})));
  CHECK(einsum("ij,jk->ik", {Tensor(DType::f32, {2, 0}), Tensor(DType::f32, {0, 3})}).dims() == Dims{2, 3});
}

TEST_CASE("equations that do not fit are refused") {
  const Tensor x = counting({2, 3});
  const auto refused = [&](const char* equation, const std::vector<Tensor>& inputs) {
    return failure_of(12, "Einsum", inputs, {{"equation", equation}}) != "";
  };
  CHECK(refused("i->i", {x}));
  CHECK(refused("ij,jk->ik", {x}));
  CHECK(refused("ij->k", {x}));
  CHECK(refused("ij->ii", {x}));
  CHECK(refused("...->", {x}));
  CHECK(refused("i1->i", {x}));
  CHECK(refused("ii->i", {x}));
  CHECK(refused("ij,ij->i", {x, counting({2, 2})}));
}

TEST_CASE("Einsum of no inputs is refused") { CHECK(failure_of(12, "Einsum", {}, {{"equation", ""}}) != ""); }
