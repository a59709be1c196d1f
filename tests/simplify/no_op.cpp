#include <graft/simplify/no_op.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// How many contents the run had computed when it came to the last Identity.
std::size_t computed = 0;
constexpr auto count_what_is_computed =
    rule<"count-what-is-computed">(op<"Identity">(any), [](const auto&, Rewriter& rewriter) {
      computed = rewriter.known_contents().computed();
      return Verdict::no("it only counts");
    });

/// y = Neg(f), where f(x) does nothing.
template <rule_like R>
void goes(const R& rule, std::string_view inputs, std::string_view f) {
  const std::string head(inputs);
  INFO(f);
  CHECK(given(head + "; y = Neg(" + std::string(f) + ")").rule(rule).becomes(head + "; y = Neg(x)"));
}
template <rule_like R>
void stays(const R& rule, std::string_view inputs, std::string_view f, std::string_view reason) {
  INFO(f);
  CHECK(given(std::string(inputs) + "; y = Neg(" + std::string(f) + ")").rule(rule).refuses(reason));
}

}  // namespace

TEST_CASE("remove_cast") {
  goes(remove_cast, "x: f32[2]", "Cast(x) {to=f32}");
  goes(remove_cast, "opset 19; x: f32", "Cast(x) {to=f32, saturate=0}");
  stays(remove_cast, "x: f16[2]", "Cast(x) {to=f32}", "changes the dtype");
  stays(remove_cast, "x: f32[2]", "Cast(x) {to=f16}", "changes the dtype");
  goes(remove_cast_like, "x: f32[2]; z: f32[7]", "CastLike(x, z)");
  stays(remove_cast_like, "x: f32[2]; z: f16[]", "CastLike(x, z)", "changes the dtype");
  CHECK(variants(remove_cast, "x: f32[2,N]; h = Relu(x); c = Cast(h) {to=f32}; y = Neg(c)"));
}

TEST_CASE("remove_transpose") {
  goes(remove_transpose, "x: f32[2,3]", "Transpose(x) {perm=[0,1]}");
  goes(remove_transpose, "x: f32[2]", "Transpose(x)");
  stays(remove_transpose, "x: f32[2,2]", "Transpose(x)", "order of axes");
  stays(remove_transpose, "x: f32", "Transpose(x)", "order of axes");
  stays(remove_transpose, "x: f32[2,2]", "Transpose(x) {perm=[1,0]}", "order of axes");
  CHECK(variants(remove_transpose, "x: f32[2,N,4]; y = Transpose(Relu(x)) {perm=[0,1,2]}"));
}

TEST_CASE("remove_reshape") {
  goes(remove_reshape, "x: f32[2,3]", "Reshape(x, i64[2] {2, -1})");
  goes(remove_reshape, "x: f32[N,3]", "Reshape(x, i64[2] {0, 3})");
  goes(remove_reshape, "x: f32[N,3]", "Reshape(x, Shape(x))");
  goes(remove_flatten, "x: f32[N,3]", "Flatten(x)");
  goes(remove_flatten, "x: f32[N,3]", "Flatten(x) {axis=-1}");
  goes(remove_reshape, "opset 1; x: f32[2,3]", "Reshape(x) {shape=[2,3]}");
  stays(remove_reshape, "x: f32[2,3]", "Reshape(x, i64[2] {3, 2})", "change the shape");
  goes(remove_reshape, "x: f32[?,3]", "Reshape(x, i64[2] {-1, 3})");
  goes(remove_reshape, "x: f32[?,3,?]", "Reshape(x, i64[3] {0, 3, -1})");
  goes(remove_reshape, "x: f32[?,3]", "Reshape(x, i64[2] {7, 3})");
  goes(remove_reshape, "x: f32[0,3]", "Reshape(x, i64[2] {0, 3}) {allowzero=1}");
  goes(remove_flatten, "x: f32[?,?]", "Flatten(x)");
  goes(remove_flatten, "x: f32[1,?]", "Flatten(x) {axis=0}");
  stays(remove_flatten, "x: f32[?,3]", "Flatten(x) {axis=0}", "change the shape");
  stays(remove_reshape, "x: f32[?,?]", "Reshape(x, i64[2] {7, 3})", "change the shape");
  stays(remove_reshape, "x: f32[?,?]", "Reshape(x, i64[2] {0, 3})", "change the shape");  // no elements: another shape
  stays(remove_reshape, "x: f32[?,3]", "Reshape(x, i64[3] {-1, 3, 1})", "change the shape");
  goes(remove_reshape, "x: f32[?,3]", "Reshape(x, i64[2] {0, 3}) {allowzero=1}");  // there is no other 0 by 3
  stays(remove_reshape, "x: f32[?,?]", "Reshape(x, i64[2] {0, 3}) {allowzero=1}", "change the shape");
  stays(remove_flatten, "x: f32", "Flatten(x)", "change the shape");
  CHECK(variants(remove_flatten, "x: f32[2,N]; y = Flatten(Relu(x))"));
  CHECK(variants(remove_reshape, "x: f32[2,N]; y = Reshape(Relu(x), i64[2] 0)"));
}

TEST_CASE("remove_reshape looks at a chain of shape arithmetic once, whatever it removes on the way") {
  constexpr std::size_t links = 100;
  std::string text = "x: f32[N,3]; z: f32[?,?]; s0 = Shape(x);", results;
  for (std::size_t i = 1; i <= links; ++i) {
    const std::string at = std::to_string(i), before = std::to_string(i - 1);
    text += "t" + at + " = Reshape(s" + before + ", i64[1] -1); s" + at + " = Add(t" + at + ", i64[2] {1, 1});";
    text += "r" + at + " = Reshape(z, s" + at + ");";
    results += ", r" + at;
  }
  Model model = graph(text + "y = Identity(s" + std::to_string(links) + "); return y" + results);
  computed = 0;
  CHECK(fixpoint(remove_reshape, count_what_is_computed).run(model).changes == links);
  CHECK(computed >= links);
  CHECK(computed <= 6 * links);  // not links * links / 2
}

TEST_CASE("remove_expand") {
  goes(remove_expand, "x: f32[2,3]", "Expand(x, i64[1] 3)");
  goes(remove_expand, "x: f32[2,3]", "Expand(x, i64[2] {1, 3})");
  goes(remove_expand, "x: f32[2,N]", "Tile(x, i64[2] 1)");
  goes(remove_expand, "x: f32[?,3]", "Expand(x, i64[2] {1, 3})");
  goes(remove_expand, "x: f32[?,?]", "Expand(x, i64[1] 1)");
  goes(remove_expand, "x: f32[?]", "Expand(x, i64[0] 1)");
  goes(remove_expand, "x: f32", "Tile(x, i64[2] 1)");
  stays(remove_expand, "x: f32[?,3]", "Expand(x, i64[2] {2, 3})", "change the shape");
  stays(remove_expand, "x: f32", "Expand(x, i64[1] 1)", "change the shape");
  stays(remove_expand, "x: f32[2,1]", "Expand(x, i64[1] 3)", "change the shape");
  stays(remove_expand, "x: f32[2,3]", "Expand(x, i64[3] {1, 2, 3})", "change the shape");
  CHECK(variants(remove_expand, "x: f32[2,3]; y = Expand(Relu(x), i64[2] {2, 1})"));
}

TEST_CASE("remove_split") {
  goes(remove_split, "x: f32[2,3]", "Split(x, i64[1] 3) {axis=1}");
  goes(remove_split, "x: f32[2,N]; s: i64[1]", "Split(x, s) {axis=1}");
  goes(remove_split, "opset 18; x: f32", "Split(x) {num_outputs=1}");
  goes(remove_split, "opset 11; x: f32[2,?]", "Split(x) {axis=-1, split=[3]}");
  goes(remove_split, "opset 11; x: f32[2,?]", "Split(x)");
  stays(remove_split, "x: f32[2,4]; a, b = Split(x, i64[2] 2) {axis=1}; c = Relu(b)", "a", "change the shape");
  CHECK(variants(remove_split, "x: f32[2,3]; y = Split(Relu(x), i64[1] 3) {axis=1}"));
}

TEST_CASE("remove_slice") {
  goes(remove_slice, "x: f32[2,3]", "Slice(x, i64[1] 0, i64[1] 9, i64[1] 1)");
  goes(remove_slice, "opset 9; x: f32[2,3]", "Slice(x) {starts=[0], ends=[3], axes=[1]}");
  stays(remove_slice, "x: f32[2,3]", "Slice(x, i64[1] -1, i64[1] -9, i64[1] 1, i64[1] -1)", "steps");
  stays(remove_slice, "x: f32[2,3]", "Slice(x, i64[1] 1, i64[1] 9, i64[1] 1)", "change the shape");
  stays(remove_slice, "x: f32[2,3]; s: i64[1]", "Slice(x, s, i64[1] 9, i64[1] 1)", "not constant");
  CHECK(variants(remove_slice, "x: f32[2,3]; y = Slice(Relu(x), i64[1] 0, i64[1] 3, i64[1] 1, i64[1] 1)"));
}

TEST_CASE("remove_pad") {
  goes(remove_pad, "x: f32[2,N]", "Pad(x, i64[4] 0, f32[] 3) {mode=\"edge\"}");
  goes(remove_pad, "opset 10; x: f32[2,N]", "Pad(x) {pads=[0,0,0,0], value=1}");
  stays(remove_pad, "x: f32[2,3]", "Pad(x, i64[0] 0)", "it pads");
  goes(remove_pad, "opset 18; x: f32[2,3]", "Pad(x, i64[2] 0, _, i64[1] 1)");
  stays(remove_pad, "x: f32[2,3]", "Pad(x, i64[4] {0, 1, 0, -1})", "it pads");  // the same shape, moved
  CHECK(variants(remove_pad, "x: f32[2,3]; y = Pad(Relu(x), i64[4] 0, f32[] 3)"));
}

TEST_CASE("remove_concat") {
  goes(remove_concat, "x: f32[2,N]", "Concat(x) {axis=1}");
  goes(remove_concat, "x: f32", "Concat(x) {axis=-1}");
  goes(remove_concat, "x: f32[2,N]", "Sum(x)");
  goes(remove_concat, "x: f32[2,N]", "Mean(x)");
  stays(remove_concat, "x: f32[2,N]", "Concat(x, x) {axis=0}", "");
  CHECK(variants(remove_concat, "x: f32[2,N]; y = Max(Relu(x))"));
}

TEST_CASE("remove_clip") {
  goes(remove_clip, "x: i32[2]", "Clip(x)");
  goes(remove_clip, "x: f32[2]", "Clip(x, f32[] -inf, f32[] inf)");
  goes(remove_clip, "opset 6; x: f32[2]", "Clip(x) {min=-inf, max=inf}");
  for (const std::string head : {"opset 6; x: f32[2]", "x: f32[2]", "x: f16[2]", "x: bf16[2]", "x: f64[2]"})
    stays(remove_clip, head, "Clip(x)", "bound");  // infinities change
  stays(remove_clip, "x: f32[2]", "Clip(x, f32[] 0)", "bound");
  stays(remove_clip, "x: f32[2]", "Clip(x, _, f32[] 6)", "bound");
  stays(remove_clip, "x: f32[2]; b: f32[]", "Clip(x, b)", "constant");
  CHECK(variants(remove_clip, "x: f32[2,N]; h = Relu(x); c = Clip(h, f32[] -inf, f32[] inf); y = Neg(c)"));
}

TEST_CASE("logic that does nothing") {
  const auto logic = [](const RuleView& rule, const std::string& head, const std::string& f) {
    return given(head + "y = Identity(" + f + ")").rule(rule).becomes(head + "y = Identity(x)");
  };
  const std::string head = "x: bool[2,3]; ";
  CHECK(logic(remove_and_true, head, "And(bool[3] true, x)"));
  CHECK(logic(remove_or_false, head, "Or(x, bool[] false)"));
  CHECK(logic(remove_or_false, head, "Xor(bool[1,1] false, x)"));
  CHECK(logic(remove_or_false, "opset 18; x: u8; ", "BitwiseOr(u8[] 0, x)"));
  CHECK(logic(remove_or_false, "opset 18; x: i8[2]; ", "BitwiseXor(i8[2] 0, x)"));
  CHECK(logic(remove_shift_0, "x: u8[2]; ", "BitShift(x, u8[2] 0) {direction=\"LEFT\"}"));
  CHECK(given(head + "y = And(x, bool[] false)").rule(remove_and_true).refuses("all_equal"));
  CHECK(given(head + "y = Or(x, bool[] true)").rule(remove_or_false).refuses("all_equal"));
  CHECK(given(head + "y = Or(x, bool[4,1,1] false)").rule(remove_or_false).refuses("broadcast"));
  CHECK(variants(remove_and_true, "x: bool[2,N]; c = bool[1] true; h = Not(x); a = And(h, c); y = Not(a)"));
  CHECK(variants(remove_or_false, "x: bool[2,N]; c = bool[1] false; h = Not(x); a = Or(h, c); y = Not(a)"));
  CHECK(variants(remove_shift_0,
                 "x: u8[2,N]; c = u8[1] 0; h = Identity(x); a = BitShift(h, c) {direction=\"LEFT\"};"
                 "y = Cast(a) {to=f32}"));
}

TEST_CASE("arithmetic that does nothing") {
  goes(remove_add_0, "x: f32", "Add(x, f32[] 0)");
  goes(remove_mul_1, "x: f32[?,?]", "Mul(x, f32[1,1] 1)");
  goes(remove_mul_1, "x: f16[?,3]", "Mul(f16[3] 1, x)");
  stays(remove_mul_1, "x: f32[?,?]", "Mul(x, f32[3] 1)", "broadcast");
  stays(remove_add_0, "x: f32", "Add(x, f32[1] 0)", "broadcast");
  goes(remove_add_0, "x: f32[2,3]", "Add(f32[3] 0, x)");
  goes(remove_add_0, "x: i64[N]", "Add(x, i64[] 0)");
  goes(remove_sub_0, "x: f32[2,3]", "Sub(x, f32[] 0)");
  goes(remove_mul_1, "x: f32[2,3]", "Mul(x, f32[1,1] 1)");
  goes(remove_div_1, "x: i64[2,3]", "Div(x, i64[] 1)");
  goes(remove_div_1, "x: f32[2,3]", "Pow(x, f32[] 1)");
  stays(remove_add_0, "x: f32[1,3]", "Add(x, f32[2,3] 0)", "broadcast");
  stays(remove_add_0, "x: f32[3]", "Add(x, f32[1,1] 0)", "broadcast");
  stays(remove_mul_1, "x: f32[3]", "Mul(x, f32[3] {1, 1, 2})", "all_equal");
  stays(remove_sub_0, "x: f32[3]", "Sub(f32[] 0, x)", "constant");
  stays(remove_div_1, "x: f32[3]", "Div(f32[] 1, x)", "constant");
  CHECK(variants(remove_add_0, "x: f32[2,N]; c = f32[1] 0; h = Relu(x); a = Add(h, c); y = Neg(a)"));
  CHECK(variants(remove_sub_0, "x: f32[2,N]; c = f32[1] 0; h = Relu(x); a = Sub(h, c); y = Neg(a)"));
  CHECK(variants(remove_mul_1, "x: f32[2,N]; c = f32[1] 1; h = Relu(x); a = Mul(h, c); y = Neg(a)"));
  CHECK(variants(remove_div_1, "x: f32[2,N]; c = f32[1] 1; h = Relu(x); a = Div(h, c); y = Neg(a)"));
}
