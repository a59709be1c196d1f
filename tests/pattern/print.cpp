#include <graft/pattern/print.hpp>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

Tensor nothing() { return {}; }
Ints no_order() { return {}; }

}  // namespace

TEST_CASE("a pattern prints as it is written") {
  CHECK(to_string(op<"Relu">(op<"Conv">(x, w, opt(b)))) == "Relu(Conv(%x, %w, %b?))");
  CHECK(to_string(op<"Conv">(x, w).as(conv)) == "Conv(%x, %w) as conv");
  CHECK(to_string(op<"Concat">(rest<"l">, op<"Concat">(rest<>).with(axis)).with(axis == 1)) ==
        "Concat(%l..., Concat(...) {axis}) {axis=1}");
  CHECK(to_string(op<"Clip">(any, none)) == "Clip(_, none)");
  CHECK(to_string(one_of<"Relu", "Tanh">(x)) == "Relu|Tanh(%x)");
  CHECK(to_string(any_op(x)) == "*(%x)");
  CHECK(to_string(either(x, w)) == "either(%x, %w)");
  CHECK(to_string(op<"Max">(each(op<"Relu">(x)))) == "Max(each(Relu(%x)))");
  CHECK(to_string(chain(one_of<"Reshape", "Flatten">, x).as(act)) == "chain(Reshape|Flatten, %x) as act");
  CHECK(to_string(op<"Add">(node<"split">.out(0), node<"split">.out(1))) == "Add(split.out(0), split.out(1))");
  CHECK(to_string(roots(op<"Relu">(x), op<"Neg">(x))) == "Relu(%x) and Neg(%x)");
}

TEST_CASE("constraints and attributes print") {
  CHECK(to_string(op<"Add">(x.rank(4).dtype(DType::u8, DType::i8), w.scalar().positive())) ==
        "Add(%x.rank(4).dtype(u8, i8), %w.scalar().positive())");
  CHECK(to_string(op<"Add">(x.shape(1, -1), w.all_equal(0.5))) == "Add(%x.shape[1,-1], %w.all_equal(0.5))");
  CHECK(to_string(op<"Transpose">(x).with(opt(perm))) == "Transpose(%x) {perm?}");
  CHECK(to_string(op<"Transpose">(x).with(perm == ints(1, 0))) == "Transpose(%x) {perm=[1,0]}");
  CHECK(to_string(op<"Pad">(x).with(attr<"mode", std::string_view> == "edge", alpha == 0.5f)) ==
        "Pad(%x) {mode=\"edge\", alpha=0.5}");
  CHECK(to_string(op<"Cast">(x).with(attr<"to", DType> == DType::f16)) == "Cast(%x) {to=f16}");
  CHECK(to_string(op<"Conv">(x, w).with(axis == 1, any_attributes).as(conv)) == "Conv(%x, %w) {axis=1, ...} as conv");
  CHECK(to_string(op<"Conv">(x, w).with(any_attributes)) == "Conv(%x, %w) {...}");
}

TEST_CASE("a replacement prints as it is written") {
  CHECK(to_string(conv(x, tensor<nothing>(), opt(b))) == "conv(%x, tensor(...), %b?)");
  CHECK(to_string(outputs(op<"Add">(x, scalar(2.0f)), none, folded(op<"Mul">(w, w)))) ==
        "outputs(Add(%x, scalar(2)), none, folded(Mul(%w, %w)))");
  CHECK(to_string(op<"Reshape">(x, ints(1, -1)).like(conv).with(perm = perm.named<"inner">())) ==
        "Reshape(%x, [1,-1]) {perm=inner}");
  CHECK(to_string(op<"Transpose">(x).with(perm = call<no_order>())) == "Transpose(%x) {perm=...}");
}
