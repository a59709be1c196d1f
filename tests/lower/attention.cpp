#include <graft/lower/attention.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string join(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

Trial decomposed(std::string_view text) { return given(text).pass(decompose_attentions()); }

/// Equivalent, and nothing of the operators is left.
void check(const std::string& text) {
  INFO(text);
  const Equivalence how{.inputs = 6, .atol = 1e-5, .dims = {{"B", 2}, {"S", 3}, {"T", 4}, {"P", 2}, {"W", 8}}};
  CHECK(decomposed(text).equivalent(how));
  Model model = graph(text);
  decompose_attentions().run(model);
  CHECK(model.opset("com.microsoft") == 0);
  for (const Node& node : model.graph().nodes()) CHECK(node.op_type().find("Attention") == std::string_view::npos);
}

constexpr std::string_view standard_head =
    "opset 23; q: f32[B,4,S,2]; k: f32[B,2,T,2]; v: f32[B,2,T,3]; pk: f32[B,2,P,2]; pv: f32[B,2,P,3]; "
    "mask: f32[B,1,S,T]; chosen: bool[B,1,S,T]; m: f32[B,1,S,T]; ";
constexpr std::string_view flat_head = "opset 23; q: f32[B,S,8]; k: f32[B,T,4]; v: f32[B,T,6]; ";
constexpr std::string_view contrib_head =
    "q: f32[B,S,8]; k: f32[B,S,8]; v: f32[B,S,8]; added: f32[B,1,S,S]; whole: f32[B,1,S,R]; mask: i32[B,S]; "
    "rows: i32[B,S,S]; ends: i32[B]; pk: f32[B,2,P,4]; pv: f32[B,2,P,4]; both: f32[2,B,2,P,4]; b = f32[24] random; "
    "w = f32[8,24] random; ";

}  // namespace

TEST_CASE("main-domain Attention of every form becomes products") {
  for (const std::string_view node :
       {"Attention(q, k, v)", "Attention(q, k, v) {scale=0.3}", "Attention(q, k, v, mask)",
        "Attention(q, k, v, chosen)", "Attention(q, k, v) {is_causal=1}", "Attention(q, k, v, mask) {is_causal=1}",
        "Attention(q, k, v) {softcap=1.5}", "Attention(q, k, v, mask) {softcap=1.5, is_causal=1}",
        "Attention(q, k, v, chosen) {softcap=1.5}", "Attention(q, k, v, _, pk, pv)",
        "Attention(q, k, v, _, pk, pv) {is_causal=1}", "Attention(q, k, v) {softmax_precision=11}"})
    check(join({standard_head, "y = ", node}));
  check(join({standard_head, "y, a, b = Attention(q, k, v, _, pk, pv); return y, a, b"}));
  check(join({flat_head, "y = Attention(q, k, v) {q_num_heads=4, kv_num_heads=2}"}));
}

TEST_CASE("com.microsoft's attention of every form becomes products") {
  for (const std::string_view node :
       {"MultiHeadAttention(q, k, v) {num_heads=2}", "MultiHeadAttention(q, k, v, b) {num_heads=2, scale=0.3}",
        "MultiHeadAttention(q, k, v, _, mask) {num_heads=2}", "MultiHeadAttention(q, k, v, _, ends) {num_heads=2}",
        "MultiHeadAttention(q, k, v, _, rows, added) {num_heads=2}", "MultiHeadAttention(q, pk, pv) {num_heads=2}",
        "MultiHeadAttention(q, k, v, _, _, _, pk, pv) {num_heads=2, unidirectional=1}",
        "Attention(q, w, b, mask) {num_heads=2}", "Attention(q, w, _, rows, _, added) {num_heads=2}",
        "Attention(q, w, b, _, both) {num_heads=2, unidirectional=1}",
        "Attention(q, w, b) {num_heads=2, qkv_hidden_sizes=[6,6,12]}"})
    check(join({contrib_head, "y = com.microsoft::", node}));
  check(join({contrib_head,
              "y, a, c = com.microsoft::MultiHeadAttention(q, k, v, _, _, _, pk, pv) {num_heads=2}; "
              "return y, a, c"}));
  check(join({contrib_head, "y, a = com.microsoft::Attention(q, w, b, _, both) {num_heads=2}; return y, a"}));
}

TEST_CASE("GroupQueryAttention of every form becomes products") {
  constexpr std::string_view head =
      "q: f32[B,S,8]; k: f32[B,S,4]; v: f32[B,S,4]; packed: f32[B,S,16]; pk: f32[B,2,P,2]; pv: f32[B,2,P,2]; "
      "cos = f32[8,1] random; sin = f32[8,1] random; ends = i32[2] 4; total = i32[] 5; ";
  constexpr std::string_view heads = " {num_heads=4, kv_num_heads=2";
  struct Form {
    std::string_view inputs, attributes;
  };
  for (const Form& form :
       {Form{"q, k, v, pk, pv, ends, total", "}"}, Form{"packed, _, _, pk, pv, ends, total", "}"},
        Form{"q, k, v, pk, pv, ends, total", ", scale=0.3, softcap=2.0, local_window_size=2}"},
        Form{"q, k, v, pk, pv, ends, total, cos, sin", ", do_rotary=1}"},
        Form{"q, k, v, pk, pv, i32[2] {4, 3}, total, cos, sin", ", do_rotary=1, rotary_interleaved=1}"}})
    check(join({head, "y, a, b = com.microsoft::GroupQueryAttention(", form.inputs, ")", heads, form.attributes,
                "; return y, a, b"}));
}

TEST_CASE("attention of f16 scales queries and keys in front of their product") {
  Model model = graph("opset 23; q: f16[B,2,S,4]; k: f16[B,2,T,4]; y = Attention(q, k, k)");
  decompose_attentions().run(model);
  std::size_t products = 0;
  for (const Node& node : model.graph().nodes()) {
    if (!node.is("Softmax")) continue;
    REQUIRE(node.input(0)->producer()->is("MatMul"));
    for (const Value* const operand : node.input(0)->producer()->inputs()) products += operand->producer()->is("Mul");
  }
  CHECK(products == 2);
}

TEST_CASE("an explicit scale of 0 holds in the main domain") {
  check(join({standard_head, "y = Attention(q, k, v) {scale=0.0}"}));
}

TEST_CASE("rows that hide all keys are what the operator has") {
  check(join({standard_head, "none = bool[1,4] 0; y = Attention(q, k, v, none)"}));
  check(join({standard_head, "some = bool[1,4] {0, 0, 1, 1}; y = Attention(q, k, v, some) {is_causal=1}"}));
  check(join({standard_head, "low = f32[1,4] {-3.4028234e38, 0, 0, 0}; y = Attention(q, k, v, low) {is_causal=1}"}));
}

TEST_CASE("a float mask of -infinity that hides all keys of a row makes 0") {
  const std::string row = "low = Log(f32[3,4] {0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1}); ";
  for (const std::string_view node : {"Attention(q, k, v, low)", "Attention(q, k, v, low) {is_causal=1}"})
    check(join({standard_head, row, "y = ", node}));
  const std::string last_alone = "low = Log(f32[3,4] {0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1}); ";
  check(join({standard_head, last_alone, "y = Attention(q, k, v, low) {is_causal=1}"}));
  check(join({standard_head, "one = Log(f32[3,1] {0, 1, 1}); y = Attention(q, k, v, one)"}));
  const auto chooses = [](std::string_view mask) {
    Model model = graph(join({standard_head, mask, "y = Attention(q, k, v, chosen_mask)"}));
    decompose_attentions().run(model);
    std::size_t count = 0;
    for (const Node& node : model.graph().nodes()) count += node.is("ReduceMax");
    return count == 1;
  };
  CHECK(chooses("chosen_mask = Where(chosen, f32[] 0, Log(f32[] 0)); "));
  CHECK_FALSE(chooses("chosen_mask = Where(chosen, f32[] 0, f32[] -1e38); "));
}

TEST_CASE("decompose_attentions refuses") {
  const auto refuses = [](std::initializer_list<std::string_view> parts, std::string_view reason) {
    return decomposed(join(parts)).refuses(reason);
  };
  CHECK(refuses({standard_head, "y, _, _, s = Attention(q, k, v); return y, s"}, "scores"));
  CHECK(refuses({"opset 24; ", standard_head.substr(10), "y = Attention(q, k, v, mask, pk, pv)"},
                "shorter than the keys"));
  CHECK(refuses({"opset 25; ", standard_head.substr(10), "y = Attention(q, k, v) {left_window_size=0}"}, "window"));
  CHECK(refuses({"opset 12; ", contrib_head, "y = com.microsoft::MultiHeadAttention(q, k, v) {num_heads=2}"},
                "opset 13"));
  CHECK(refuses({contrib_head, "n: i32[N]; y = com.microsoft::Attention(q, w, b, n) {num_heads=2}"}, "starts"));
  CHECK(refuses({contrib_head, "y = com.microsoft::MultiHeadAttention(q) {num_heads=2}"}, "packed"));
  for (const std::string_view node : {"Attention(q, _, v)", "Attention(q)", "Attention(_, k, v)"})
    CHECK(refuses({standard_head, "y = ", node}, ""));
  for (const std::string_view node :
       {"Attention(q)", "Attention(_, w)", "MultiHeadAttention(_, k, v)", "GroupQueryAttention(_, k, v)"})
    CHECK(refuses({contrib_head, "y = com.microsoft::", node, " {num_heads=2}"}, ""));
  CHECK(refuses({"q: f32[B,S,W]; y = com.microsoft::MultiHeadAttention(q, q, q) {num_heads=2}"}, "size of its heads"));
}
