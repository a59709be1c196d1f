#include <graft/surgery/rename_input_dims.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "signature.hpp"
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

std::string renamed(const std::string& text, const std::string& input, std::size_t axis, const std::string& symbol) {
  Model model = graph(text);
  rename_input_dims(input, axis, symbol).run(model);
  CHECK(unsound(model).empty());
  return signature(model);
}

}  // namespace

TEST_CASE("a number becomes a symbol, and outputs follow", "[rename_input_dims]") {
  CHECK(renamed("x: f32[1,3]; y = MatMul(x, f32[3,4] random)", "x", 0, "N") == "f32[N,3] -> f32[N,4]");
  CHECK(renamed("x: f32[1,3]; h = Neg(x) : f32[1,3]; y = Transpose(h)", "x", 0, "N") == "f32[N,3] -> f32[3,N]");
}

TEST_CASE("a symbol that other inputs bear stays theirs", "[rename_input_dims]") {
  CHECK(renamed("x: f32[N]; z: f32[N]; y = Neg(x); v = Neg(z)", "x", 0, "M") == "f32[M] f32[N] -> f32[M] f32[N]");
  CHECK(renamed("x: f32[N]; y = own::Op(x) : f32[N]", "x", 0, "M") == "f32[M] -> f32[M]");
  CHECK(renamed("x: f32[?,2]; y = Neg(x)", "x", 0, "M") == "f32[M,2] -> f32[M,2]");
}

TEST_CASE("what stays a number is a number", "[rename_input_dims]") {
  CHECK(renamed("x: f32[1,6]; y = Reshape(x, i64[2] {3,2})", "x", 0, "N") == "f32[N,6] -> f32[3,2]");
}

TEST_CASE("inputs and axes that there are not are errors", "[rename_input_dims]") {
  const auto why = [](const char* input, std::size_t axis, const char* symbol) {
    return refusal(graph("x: f32[2]; z: f32; y = Neg(x); v = Neg(z)"), rename_input_dims(input, axis, symbol));
  };
  CHECK_THAT(why("y", 0, "N"), Contains("is no input"));
  CHECK_THAT(why("x", 1, "N"), Contains("x: has no axis 1"));
  CHECK_THAT(why("z", 0, "N"), Contains("has no axis 0"));
  CHECK_THAT(why("x", 0, ""), Contains("empty"));
}
