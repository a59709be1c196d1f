#include <graft/transformer/detail/repeated_heads.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

namespace {

/// 4 heads over 2 of a cache; `mask` is a statement, `masked` makes scores of s.
std::string shared(std::string_view batch, std::string_view steps, std::string_view past, std::string_view mask,
                   std::string_view masked,
                   std::string_view repeat = "Reshape(Expand(Unsqueeze(@, i64[1] 2), g), h)", int size = 8) {
  const std::string one = std::to_string(size), two = std::to_string(2 * size), four = std::to_string(4 * size);
  const auto typed = [&](std::string_view name, std::string_view extent, std::string_view rest) {
    return std::string(name) + ": f32[" + std::string(batch) + "," + std::string(extent) + "," + std::string(rest) +
           "]; ";
  };
  const auto repeated = [&](std::string_view name) {
    std::string text(repeat);
    return text.replace(text.find('@'), 1, name);
  };
  return typed("q", steps, four) + typed("k", steps, two) + typed("v", steps, two) +
         typed("pk", "2", std::string(past) + "," + one) + typed("pv", "2", std::string(past) + "," + one) +
         "split = i64[4] {0, 0, 2, " + one + "}; g = i64[5] {1, 1, 2, 1, 1}; h = i64[4] {0, 4, -1, " + one +
         "}; "
         "nk = Concat(pk, Transpose(Reshape(k, split)) {perm=[0,2,1,3]}) {axis=2}; "
         "nv = Concat(pv, Transpose(Reshape(v, split)) {perm=[0,2,1,3]}) {axis=2}; "
         "qh = Transpose(Reshape(q, i64[4] {0, 0, 4, " + one + "})) {perm=[0,2,1,3]}; rk = " +
         repeated("nk") + "; rv = " + repeated("nv") + "; " + std::string(mask) +
         "s = Mul(MatMul(qh, Transpose(rk) {perm=[0,1,3,2]}), f32[] 0.3535534); a = MatMul(Softmax(" +
         std::string(masked) +
         ") {axis=-1}, rv); y = Reshape(Transpose(a) {perm=[0,2,1,3]}, i64[3] {0, 0, " + four +
         "}); return y, nk, nv";
}

constexpr std::string_view causal_constant = "m = f32[1,1,2,5] {0, 0, 0, 0, -3.4e38, 0, 0, 0, 0, 0}; ";
constexpr std::string_view ranges =
    "n = Shape(nk) {start=2, end=3}; t = Squeeze(n); o = Squeeze(Shape(pk) {start=2, end=3}); c = Range(i64[] 0, t, "
    "i64[] 1); "
    "r = Unsqueeze(Add(Range(i64[] 0, i64[] 2, i64[] 1), o), i64[1] 1); ";

}  // namespace

TEST_CASE("shared heads behind a cache become GroupQueryAttention where the mask is causal") {
  const auto becomes = [](const std::string& graph, std::string_view wanted) {
    INFO(graph);
    CHECK(operators(fused(graph, fused_operators::ort_cpu).run()) == wanted);
    CHECK(fused(graph, fused_operators::ort_cpu).equivalent({.inputs = 6, .atol = 1e-5, .dims = {{"B", 2}, {"P", 3}}}));
  };
  constexpr std::string_view group = "GroupQueryAttention", multi = "MultiHeadAttention";
  becomes(shared("B", "1", "P", "", "s"), group);
  becomes(shared("B", "1", "P", "", "s", "Reshape(Tile(Unsqueeze(@, i64[1] 2), g), h)"), group);
  becomes(shared("B", "1", "P", "", "s", "Gather(@, i64[4] {0, 0, 1, 1}) {axis=1}"), group);
  becomes(shared("B", "1", "P", "", "s", "Gather(@, i64[4] {0, 1, 0, 1}) {axis=1}"), multi);
  constexpr std::string_view expanded = "Reshape(Expand(Unsqueeze(@, i64[1] 2), g), h)";
  // The kernel needs a multiple of 8.
  becomes(shared("B", "1", "P", "", "s", expanded, 4), multi);
  becomes(shared("B", "1", "P", "", "s", expanded, 12), multi);
  becomes(shared("B", "1", "P", "", "s", expanded, 16), group);
  becomes(shared("1", "2", "3", "", "s"), multi);
  becomes(shared("1", "2", "3", causal_constant, "Add(s, m)"), group);
  becomes(shared("3", "2", "3", causal_constant, "Add(s, m)"), multi);
  std::string other(causal_constant);
  becomes(shared("1", "2", "3", other.replace(other.find("-3.4e38, 0"), 10, "-3.4e38, -3.4e38"), "Add(s, m)"), multi);
  becomes(shared("B", "1", "P", "m: f32[B,1,1,1]; ", "Add(s, m)"), multi);
  const std::string opset = "opset 17; ";
  const auto compared = [&](std::string_view mask) {
    return opset + shared("1", "2", "P", std::string(ranges) + std::string(mask), "Add(s, m)");
  };
  becomes(compared("m = Where(LessOrEqual(c, r), f32[] 0, f32[] -3e38); "), group);
  becomes(compared("m = Where(Less(r, c), f32[] -3e38, f32[] 0); "), group);
  becomes(compared("m = Where(Not(GreaterOrEqual(r, c)), f32[] -3e38, f32[] 0); "), group);
  becomes(
      compared("e = Unsqueeze(Add(o, i64[2] {0, 1}), i64[1] 1); m = Where(LessOrEqual(c, e), f32[] 0, f32[] -3e38); "),
      group);
  becomes(
      compared("e = Unsqueeze(Add(o, i64[2] {0, 2}), i64[1] 1); m = Where(LessOrEqual(c, e), f32[] 0, f32[] -3e38); "),
      multi);
  becomes(compared("m = Where(Less(c, r), f32[] 0, f32[] -3e38); "), multi);
  becomes(compared("m = Where(LessOrEqual(c, r), f32[] 0, f32[] -65504); "), group);  // converted from float16
  becomes(compared("m = Where(LessOrEqual(c, r), f32[] 0, f32[] -100); "), multi);
  becomes(compared("m = Where(GreaterOrEqual(c, r), f32[] 0, f32[] -3e38); "), multi);
}

TEST_CASE("heads that are repeated go into main-domain Attention once") {
  const std::string graph = "opset 23; " + shared("B", "S", "P", "", "s");
  const Run run = fused(graph, fused_operators::onnx).run();
  CHECK(operators(run) == "Attention");
  for (const Node& node : run.model.graph().nodes()) CHECK_FALSE(node.is("Expand"));
  CHECK(fused(graph, fused_operators::onnx).equivalent({.inputs = 6, .atol = 1e-5}));
}

TEST_CASE("queries that share keys of a cache become steps of one head") {
  const auto reads_cache = [](const std::string& graph, const Equivalence& how) {
    INFO(graph);
    CHECK(fused(graph).equivalent(how));
    const Run run = fused(graph).run();
    CHECK(operators(run) == "MultiHeadAttention");
    const Node& present = *run.model.graph().output(1)->producer();
    return present.is("com.microsoft::MultiHeadAttention") && present.input(6)->name() == "pk" &&
           present.attr<std::int64_t>("num_heads") == 2;
  };
  for (const char* const batch : {"1", "3"}) {
    INFO(batch);
    const auto masked = [&](std::string_view mask, std::string_view sum = "Add(s, m)") {
      return shared(batch, "S", "P", mask, sum);
    };
    const Equivalence how{.inputs = 6, .atol = 1e-5, .dims = {{"S", 3}, {"P", 2}, {"T", 5}}};
    CHECK(reads_cache(masked("", "s"), how));
    CHECK(reads_cache(masked("m: f32[1,1,S,T]; "), how));
    CHECK(reads_cache(masked("m: f32[1,1,1,T]; "), how));
    CHECK(reads_cache(masked("m: f32[S,T]; "), how));
    CHECK_FALSE(reads_cache(masked("m: f32[1,4,S,T]; "), how));
    constexpr std::string_view counted =
        "m = Cast(Range(i64[] 0, Gather(Shape(nk), i64[] 2), i64[] 1)) {to=f32}; ";
    CHECK_FALSE(reads_cache(masked(counted), how));
  }
}

TEST_CASE("a mask that is cut to the keys goes into GroupQueryAttention where models only generate") {
  const std::string text =
      "opset 17; " + shared("1", "3", "2",
                            "f: i64[T]; c = Range(i64[] 0, Squeeze(Shape(f)), i64[] 1); r = Unsqueeze(Range(i64[] 2, "
                            "i64[] 5, i64[] 1), i64[1] 1); all = Where(LessOrEqual(c, r), f32[] 0, f32[] -3e38); "
                            "m = Slice(all, i64[1] 0, i64[1] 5, i64[1] 1); ",
                            "Add(s, m)");
  CHECK(operators(fused(text, fused_operators::ort_cpu_generation).run()) == "GroupQueryAttention");
  CHECK(fused(text, fused_operators::ort_cpu_generation).equivalent({.inputs = 4, .atol = 1e-5, .dims = {{"T", 7}}}));
  CHECK(operators(fused(text, fused_operators::ort_cpu).run()) == "MultiHeadAttention");
}

TEST_CASE("a mask that hides more than later keys goes into GroupQueryAttention where models only generate") {
  // Queries at 2, 3, 4; keys from 0 to 4. A row sees at least its own key.
  constexpr std::string_view counts =
      "c = Range(i64[] 0, i64[] 5, i64[] 1); r = Unsqueeze(Range(i64[] 2, i64[] 5, i64[] 1), i64[1] 1); "
      "l = LessOrEqual(c, r); w = Greater(c, Sub(r, i64[] 3)); p = Not(Equal(c, i64[] 0)); ";
  const auto becomes = [&](std::string_view mask, std::string_view wanted) {
    const std::string text = "opset 17; " + shared("1", "3", "2", std::string(counts) + std::string(mask), "Add(s, m)");
    INFO(text);
    CHECK(operators(fused(text, fused_operators::ort_cpu_generation).run()) == wanted);
    CHECK(fused(text, fused_operators::ort_cpu_generation).equivalent({.inputs = 4, .atol = 1e-5}));
    CHECK(operators(fused(text, fused_operators::ort_cpu).run()) == "MultiHeadAttention");
  };
  constexpr std::string_view group = "GroupQueryAttention", multi = "MultiHeadAttention";
  becomes("m = Where(And(l, p), f32[] 0, f32[] -3e38); ", group);
  becomes("m = Where(And(And(w, l), p), f32[] 0, f32[] -inf); ", group);
  becomes("m = Where(Or(Not(l), Not(p)), f32[] -3e38, f32[] 0); ", group);
  becomes(
      "e = Expand(And(Unsqueeze(l, i64[1] 0), p), i64[3] {1, 3, 5}); "
      "m = Unsqueeze(Where(e, f32[] 0, f32[] -3e38), i64[1] 0); ",
      group);
  becomes("m = Where(p, Where(l, f32[] 0.5, f32[] -3e38), f32[] -3e38); ", group);
  // Older exports: the numbers above the diagonal, times the keys after each query, and the padding.
  const std::string low = "t = Trilu(Expand(f32[] -3e38, i64[2] {3, 5}), i64[] 1); ",
                    later = "u = Mul(t, Cast(Greater(c, r)) {to=f32}); ";
  becomes(low + later + "m = Where(Equal(Add(u, Cast(p) {to=f32}), f32[] 0), f32[] -3e38, u); ", group);
  const std::string filled = "t = Trilu(ConstantOfShape(i64[2] {3, 5}) {value=f32[1] -3e38}); ";
  becomes(filled + later + "m = Add(u, f32[] 0); ", multi);
  becomes(filled + "m = Mul(Cast(Greater(c, r)) {to=f32}, t); ", group);
  becomes(low + "m = Mul(t, Cast(l) {to=f32}); ", multi);
  becomes("t = Trilu(Expand(f32[] -3e38, i64[2] {3, 5}), i64[] 4); " + later + "m = Identity(u); ", multi);
  becomes("t = Trilu(Expand(f32[] -3e38, i64[2] {3, 5}), i64[] 1) {upper=0}; " + later + "m = Identity(u); ", multi);
  becomes("m = Where(Or(l, p), f32[] 0, f32[] -3e38); ", multi);
  becomes("m = Where(Not(And(l, p)), f32[] 0, f32[] -3e38); ", multi);
  becomes("m = Where(And(w, p), f32[] 0, f32[] -3e38); ", multi);
  becomes("m = Where(And(l, p), f32[] 0, f32[] -9); ", multi);
  becomes("m = Where(p, Where(l, f32[] 0.5, f32[] -3e38), f32[] 1); ", multi);
}
