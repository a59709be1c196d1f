#include <graft/testing/equivalent.hpp>

#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

std::string difference(std::string_view before, std::string_view after, const Equivalence& how = {}) {
  return equivalent(graph(before).graph(), graph(after).graph(), how).message();
}

}  // namespace

TEST_CASE("graphs that compute the same are equivalent") {
  CHECK(difference("x: f32[2,N]; y = Relu(Relu(x))", "x: f32[2,N]; y = Relu(x)") == "");
  CHECK(difference("x: f32[3]; y = Mul(Add(x, f32[] 1), f32[] 3)", "x: f32[3]; y = Add(Mul(x, f32[] 3), f32[] 3)") ==
        "");
  CHECK(difference("x: bool[4]; y = Not(Not(x))", "x: bool[4]; y = Identity(x)") == "");
  CHECK(difference("x: i64[4]; y = Neg(Neg(x))", "x: i64[4]; y = Identity(x)") == "");
}

TEST_CASE("a difference says where") {
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = Abs(x)").find("output %y is ") != std::string::npos);
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = Identity(x)").find("with set 2 of feeds, output %y") == 0);
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = Unsqueeze(x, i64[1] 0)").find("is f32[1,2], was f32[2]") !=
        std::string::npos);
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = Cast(x) {to=f64}").find("is f64[2], was f32[2]") !=
        std::string::npos);
  CHECK(difference("x: f32[2]; y = Relu(x); z = Neg(x)", "x: f32[2]; y = Relu(x)") == "1 outputs, were 2");
}

TEST_CASE("the tolerance is kept, and grows with the tensor") {
  CHECK(difference("x: f32[9]; y = Identity(x)", "x: f32[9]; y = Add(x, f32[] 0.01)") != "");
  CHECK(difference("x: f32[9]; y = Identity(x)", "x: f32[9]; y = Add(x, f32[] 0.01)", {.atol = 0.02}) == "");
  CHECK(difference("x: f32[9]; y = Identity(x)", "x: f32[9]; y = Mul(x, f32[] 1.01)", {.atol = 0, .rtol = 0.02}) == "");
  CHECK(difference("x: i64[4]; y = Identity(x)", "x: i64[4]; y = Add(x, i64[] 1)") != "");
  CHECK(difference("x: i64[4]; y = Add(x, i64[] 9007199254740992)", "x: i64[4]; y = Add(x, i64[] 9007199254740993)") !=
        "");
}

TEST_CASE("special values are among the feeds") {
  // Equal everywhere but at one.
  CHECK(difference("x: f32[8]; y = Identity(x)", "x: f32[8]; y = Where(Equal(x, f32[] 2.5), f32[] 0, x)") != "");
  CHECK(difference("x: f32[8]; y = Mul(x, f32[] 0)", "x: f32[8]; y = Sub(x, x)") == "");
  CHECK(difference("x: f32[64]; y = Mul(x, f32[] 0)", "x: f32[64]; y = Min(Abs(x), f32[] 0)", {.non_finite = true}) !=
        "");
  CHECK(difference("x: f32[64]; y = Exp(Abs(x))", "x: f32[64]; y = Exp(Abs(x))", {.non_finite = true}) == "");
}

TEST_CASE("an overridable initializer is overridden now and then") {
  CHECK(difference("x: f32[2]; w: f32[2] = 1; y = Mul(x, w)", "x: f32[2]; w: f32[2] = 1; y = Identity(x)") != "");
  CHECK(difference("x: f32[2]; w: f32[2] = 1; y = Mul(x, w)", "x: f32[2]; w: f32[2] = 2; y = Mul(x, w)") != "");
}

TEST_CASE("symbolic dims vary, and can be fixed") {
  // Equal for N = 1 only.
  CHECK(difference("x: f32[N]; y = Identity(x)", "x: f32[N]; y = Add(x, Sub(Size(x), i64[] 1))") != "");
  constexpr std::string_view sum = "x: f32[N]; y = ReduceSum(x) {keepdims=1}";
  CHECK(difference("x: f32[N]; y = Identity(x)", "x: f32[N]; y = ReduceSum(x)") != "");
  CHECK(difference(sum, "x: f32[N]; y = Identity(x)", {.dims = {{"N", 1}}}) == "");
  // A size that the graph itself does not take is passed over.
  CHECK(difference("x: f32[N]; y = Reshape(x, i64[2] {2,2})", "x: f32[N]; y = Reshape(x, i64[2] {2,-1})") == "");
}

TEST_CASE("a graph that cannot be evaluated is not equivalent to anything") {
  CHECK(difference("x: f32[2]; y = test::Op(x)", "x: f32[2]; y = test::Op(x)").find("the graph cannot be evaluated") ==
        0);
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = test::Op(x)").find("it cannot be run") !=
        std::string::npos);
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; z: f32[2]; y = Add(x, z)").find("it cannot be run") !=
        std::string::npos);
}

TEST_CASE("types are held against what is computed") {
  Model wrong = graph("x: f32[2,3]; h = Relu(x); y = Neg(h)");
  const Model right = graph("x: f32[2,3]; h = Relu(x); y = Neg(h)");
  wrong.graph().set_type(*wrong.graph().find("h"), tensor_type(DType::f32, Shape(Dims{3, 2})));
  CHECK(equivalent(right.graph(), wrong.graph()).message() ==
        "with set 0 of feeds, %h is declared as f32[3,2] and is f32[2,3]");
  CHECK(equivalent(wrong.graph(), wrong.graph()));  // it was wrong before
}

TEST_CASE("equal seeds give equal feeds") {
  const auto found = [](std::uint64_t seed) {
    return difference("x: f32[4]; y = Relu(x)", "x: f32[4]; y = Identity(x)", {.inputs = 3, .seed = seed});
  };
  CHECK(found(1) == found(1));
  CHECK((found(1) != found(2) || found(1) != found(3)));
}

TEST_CASE("where an operator jumps, rounding explains a difference, and nothing else does") {
  // n / 41 * 41 is a hair less than n for some n.
  const char* const before = "n: i32[200]; x = Cast(n) {to=f32}; y = Floor(Mul(Div(x, f32[] 41), f32[] 41))";
  const auto differs = [&](const char* after, bool stable_only) {
    return difference(before, after, {.stable_only = stable_only}) != "";
  };
  CHECK(differs("n: i32[200]; y = Floor(Cast(n) {to=f32})", false));
  CHECK_FALSE(differs("n: i32[200]; y = Floor(Cast(n) {to=f32})", true));
  CHECK(differs("n: i32[200]; y = Floor(Add(Cast(n) {to=f32}, f32[] 5))", true));
  CHECK(differs("n: i32[200]; y = Abs(Cast(n) {to=f32})", true));
  // It does not explain what is exact.
  CHECK(difference("x: f32[8]; y = Floor(x)", "x: f32[8]; y = Ceil(x)", {.stable_only = true}) != "");
}

TEST_CASE("feeds at which the graph is not finite may be left out") {
  const char* const inverse = "x: f32[2]; y = Mul(Reciprocal(Mul(x, f32[] 0)), f32[] 0)";
  CHECK(difference(inverse, "x: f32[2]; y = Mul(x, f32[] 0)") != "");
  const auto is_left_out = [](const char* before, const char* after) {
    return difference(before, after, {.stable_only = true}).find("not finite") != std::string::npos;
  };
  CHECK(is_left_out(inverse, "x: f32[2]; y = Mul(x, f32[] 0)"));
  // In a body, which an observer of the graph does not see.
  CHECK(is_left_out(R"(x: f32[2]; zero = f32[] 0; go = bool[] 1
      y = If(go) {then_branch={ t = Atan(Reciprocal(Mul(x, zero))) }, else_branch={ u = Abs(x) }})",
                    "x: f32[2]; y = Mul(x, f32[] 0)"));
  // A value of which no type is known.
  Model steep = graph("x: f32[2]; y = Atan(Reciprocal(Mul(x, f32[] 0)))");
  const Model bare(steep.commit()), other = graph("x: f32[2]; y = Mul(x, f32[] 0)");
  REQUIRE(bare.graph().first_node()->output(0)->type() == nullptr);
  CHECK(equivalent(bare.graph(), other.graph(), {.stable_only = true}).message().find("not finite") !=
        std::string::npos);
}

TEST_CASE("where a half is rounded to what is nearly 0, rounding explains a difference") {
  // exp(-17) is 0.69 times the least half, to which it is rounded; exp(11) is 59874.
  const std::string zero = "x: f16[2]; zero = Mul(x, f16[] 0); y = ", exact = zero + "Exp(Add(zero, f16[] -6))";
  const std::string before = zero + "Mul(Exp(Add(zero, f16[] -17)), f16[] 59874)";
  CHECK(difference(before, exact) != "");
  CHECK(difference(before, exact, {.stable_only = true}) == "");
  CHECK(difference(before, zero + "Add(zero, f16[] 1)", {.stable_only = true}) != "");
}

TEST_CASE("noise changes no extents, and a graph that noise breaks has none to compare") {
  // 3 * 1 is 3 rows, and 3 * 0.9999999 is 2, which do not fit to the slopes.
  const std::string resize = "x: i32[2,3,1]; none = f32[0] {}; y = PRelu(Resize(x, none, f32[3] {1,1,2}) "
                             "{mode=\"nearest\"}, i32[3,1] 2); n: i32[200]; ";
  const std::string jump = "z = Floor(Mul(Div(Cast(n) {to=f32}, f32[] 41), f32[] 41))";
  const auto differs = [&](const std::string& after) {
    return difference((resize + jump).c_str(), (resize + after).c_str(), {.stable_only = true}) != "";
  };
  CHECK_FALSE(differs("z = Floor(Cast(n) {to=f32})"));
  CHECK(differs("z = Floor(Add(Cast(n) {to=f32}, f32[] 5))"));
}
