#include <graft/pattern/constants.hpp>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

Tensor twice(const Tensor& of) { return of; }

}  // namespace

TEST_CASE("tensor is a row that computes from its captures") {
  constexpr auto p = tensor<twice>(w);
  CHECK(p.nodes[0].step == Step::computed);
  CHECK(p.attrs[0].mode == AttrMode::computed);
  CHECK(p.attrs[0].word_count == 1);
  CHECK(p.words[0] == static_cast<std::int64_t>(w.id));
  STATIC_REQUIRE(decltype(p)::captures::has(w.id));
}

TEST_CASE("folded wraps what is to be evaluated") {
  constexpr auto p = folded(op<"Mul">(w, s));
  CHECK(p.nodes[0].step == Step::folded);
  CHECK(p.nodes[1].step == Step::op);
  CHECK(p.nodes[1].same_value);
  CHECK(p.nodes[0].end == 4);
}

TEST_CASE("scalar holds a number of its own type, or of a value's") {
  constexpr auto f = scalar(0.5f);
  CHECK(f.nodes[0].step == Step::scalar);
  CHECK(static_cast<DType>(f.nodes[0].out) == DType::f32);
  CHECK(f.attrs[0].literal.f == 0.5);
  constexpr auto i = scalar(-3).like(x);
  CHECK(static_cast<DType>(i.nodes[0].out) == DType::i64);
  CHECK(i.attrs[0].literal.i == -3);
  CHECK(i.attrs[0].literal.f == -3);
  CHECK(i.nodes[0].like_id == x.id);
  constexpr auto a = scalar(alpha);
  CHECK(a.attrs[0].mode == AttrMode::capture);
  CHECK(a.attrs[0].id == alpha.id);
  constexpr auto c = scalar(call<[](float of) { return 2 * of; }>(alpha));
  CHECK(c.attrs[0].mode == AttrMode::computed);
}
