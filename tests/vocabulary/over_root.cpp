#include <graft/vocabulary/over_root.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/pattern.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

inline constexpr auto quotient = query<"quotient">(vocabulary::over_root_mean_square());

std::size_t found_in(std::string_view spelling) {
  Model model =
      graph("x: f32[2,4]; a = Add(ReduceMean(Mul(x, x)) {axes=[1]}, f32[] 0.1); y = " + std::string(spelling));
  return find_all(quotient, model.graph()).size();
}

}  // namespace

TEST_CASE("a quotient by a root in its spellings") {
  for (const std::string_view spelling :
       {"Div(x, Sqrt(a))", "Div(x, Pow(a, f32[] 0.5))", "Mul(x, Reciprocal(Sqrt(a)))", "Mul(Reciprocal(Sqrt(a)), x)",
        "Mul(Div(f32[] 1, Sqrt(a)), x)", "Mul(x, Pow(a, f32[] {-0.5}))"})
    CHECK(found_in(spelling) == 1);
  for (const std::string_view other : {"Div(Sqrt(a), x)", "Mul(x, Sqrt(a))", "Div(x, a)",
                                       "Mul(x, Div(f32[] 2, Sqrt(a)))", "Mul(x, Pow(a, f32[] 0.5))"})
    CHECK(found_in(other) == 0);
}
