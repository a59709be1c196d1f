#include <graft/simplify/activation.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr std::string_view head = "opset 20; x: f32[2,N]; ";
std::string in(std::string_view text) { return std::string(head) + std::string(text); }
const std::string result = in("y = Gelu(x)");

}  // namespace

TEST_CASE("gelu in three associations, and any order") {
  for (const std::string_view text : {"y = Mul(Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)",
                                      "y = Mul(f32[1] 0.5, Mul(Add(f32[] 1, Erf(Div(x, f32[] 1.4142135))), x))",
                                      "y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))",
                                      "y = Mul(Mul(f32[] 0.5, Add(f32[] 1, Erf(Mul(f32[] 0.70710678, x)))), x)",
                                      "y = Mul(Mul(x, f32[] 0.5), Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1))",
                                      "y = Mul(Add(Erf(Mul(x, f32[] 0.70710678)), f32[1] 1), Mul(f32[] 0.5, x))"}) {
    INFO(text);
    CHECK(given(in(text)).rule(gelu).becomes(result));
    CHECK(given(in(text)).rule(gelu).equivalent());
  }
}

TEST_CASE("gelu through all variants") {
  for (const std::string_view text :
       {"d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(x, a); y = Mul(m, f32[] 0.5)",
        "d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(a, f32[] 0.5); y = Mul(x, m)",
        "d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(x, f32[] 0.5); y = Mul(m, a)"}) {
    const VariantReport report = variants(gelu, in(text));
    CHECK(report);
    CHECK(report.find("another consumer of %d")->outcome == Variant::Outcome::refused);
    CHECK(report.find("another consumer of %m")->outcome == Variant::Outcome::refused);
    CHECK(report.find("opset 19")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("contrib_gelu at any opset, whose domain is imported") {
  const std::string text = "opset 13; x: f16[4]; y = Mul(x, Mul(Add(Erf(Div(x, f16[] 1.414)), f16[] 1), f16[] 0.5))";
  CHECK(given(text).rule(contrib_gelu).becomes("opset 13; x: f16[4]; y = com.microsoft::Gelu(x)"));
  CHECK(given(text).rule(gelu).refuses("opset 13 lacks Gelu"));
}

TEST_CASE("gelu refuses other constants") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(in(text)).rule(gelu).refuses(reason);
  };
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.5)), f32[] 1), f32[] 0.5))", "sqrt(2)"));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Mul(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))", "sqrt(2)"));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.25))", ""));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 2), f32[] 0.5))", ""));
  CHECK(refuses("z: f32[2,N]; y = Mul(z, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))", ""));
}
