#include <graft/vocabulary/gelu_factor.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

bool is_free(const std::string& text) {
  const Model model = graph("x: f32[2,3]; " + text);
  return bool(vocabulary::is_no_part_of_gelu(*model.graph().find("y")->producer()));
}

}  // namespace

TEST_CASE("the factor of a Gelu is part of it") {
  CHECK_FALSE(is_free("y = Mul(Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)"));
  CHECK_FALSE(is_free("y = Div(Mul(Add(f32[] 1, Tanh(x)), x), f32[] 2)"));
  CHECK_FALSE(is_free("s = Add(x, f32[3] 1); y = Mul(Mul(s, Add(Erf(Div(s, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)"));
  CHECK(is_free("y = Mul(Mul(x, Sigmoid(x)), f32[] 0.5)"));
  CHECK(is_free("y = Mul(Erf(x), f32[] 0.5)"));
  CHECK(is_free("y = Mul(x, f32[] 0.5)"));
}
