#include <graft/rewrite/loops.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

inline constexpr auto alpha = attr<"alpha", float>;
inline constexpr auto mode = attr<"mode", std::string_view>;

inline constexpr auto gemm_to_matmul =
    rule<"gemm-to-matmul">(op<"Gemm">(x, w, opt(b)), op<"Add">(op<"MatMul">(x, w), opt(b)));
inline constexpr auto matmul_to_gemm = rule<"matmul-to-gemm">(comm<"Add">(b, op<"MatMul">(x, w)), op<"Gemm">(x, w, b));
inline constexpr auto neg_to_mul = rule<"neg-to-mul">(op<"Neg">(x), op<"Mul">(x, scalar(-1.0f)));
inline constexpr auto mul_to_neg = rule<"mul-to-neg">(op<"Mul">(x, w.all_equal(-1)), op<"Neg">(x));
inline constexpr auto a_to_b = rule<"a-to-b">(op<"Sin">(x), op<"Cos">(x));
inline constexpr auto b_to_c = rule<"b-to-c">(op<"Cos">(x), op<"Tan">(x));
inline constexpr auto c_to_a = rule<"c-to-a">(op<"Tan">(x), op<"Sin">(x));
inline constexpr auto c_to_two = rule<"c-to-two">(op<"Tan">(op<"Tan">(x)), op<"Sin">(x));
inline constexpr auto down = rule<"down">(op<"Relu">(op<"Transpose">(x).as(act)), act(op<"Relu">(x)));
inline constexpr auto up = rule<"up">(op<"Transpose">(op<"Relu">(x)).as(act), op<"Relu">(act(x)));
inline constexpr auto set_mode =
    rule<"set-mode">(op<"Pad">(x, more).with(mode == "edge"), op<"Pad">(x, more).with(mode = "wrap"));
inline constexpr auto keep_mode =
    rule<"keep-mode">(op<"Pad">(x, more).with(mode == "edge"), op<"Pad">(x, more).with(mode = "edge"));
inline constexpr auto dropped = rule<"dropped">(op<"Relu">(op<"Identity">(x)), op<"Relu">(x));
inline constexpr auto by_function =
    rule<"by-function">(op<"Cos">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Sin", {&m[x]}); });
inline constexpr auto deep = rule<"deep">(either(op<"Erf">(x), op<"Abs">(x)), op<"Neg">(op<"Abs">(x)));
inline constexpr auto folds = rule<"folds">(op<"Add">(op<"Add">(x, w), b), op<"Add">(x, folded(op<"Add">(w, b))));

template <class... R>
std::vector<std::string> loops(const R&... rules) {
  const std::vector<RuleView> views{rules.view()...};
  std::vector<std::string> found;
  for (const Loop& loop : find_loops(views))
    found.push_back((loop.certain ? "certain: " : "maybe: ") + to_string(loop));
  return found;
}

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("rules that undo each other are a loop") {
  CHECK(loops(gemm_to_matmul, relu_relu, matmul_to_gemm) ==
        Found{"maybe: 'gemm-to-matmul' -> 'matmul-to-gemm' -> 'gemm-to-matmul'"});
  CHECK(loops(neg_to_mul, mul_to_neg) == Found{"maybe: 'neg-to-mul' -> 'mul-to-neg' -> 'neg-to-mul'"});
  CHECK(loops(a_to_b, b_to_c, c_to_a).size() == 1);
  CHECK(loops(a_to_b, b_to_c, c_to_a)[0].substr(0, 8) == "certain:");
  CHECK(loops(down, up).size() == 1);
}

TEST_CASE("rules that lead nowhere, or to less, are none") {
  CHECK(loops(relu_relu, no_identity, dropped).empty());
  CHECK(loops(a_to_b, b_to_c).empty());
  CHECK(loops(a_to_b, b_to_c, c_to_two).empty());
  CHECK(loops(gemm_to_matmul).empty());
  CHECK(loops(down).empty());
  CHECK(loops(folds).empty());
  CHECK(loops(a_to_b, by_function).empty());
}

TEST_CASE("attributes tell what is written from what is wanted") {
  CHECK(loops(set_mode).empty());
  CHECK(loops(keep_mode) == Found{"maybe: 'keep-mode' -> 'keep-mode'"});
}

TEST_CASE("what is built lies anywhere in the replacement") {
  CHECK(loops(deep) == Found{"certain: 'deep' -> 'deep'"});
}
