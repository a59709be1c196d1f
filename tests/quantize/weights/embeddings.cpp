#include <graft/quantize/weights/embeddings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/precision/convert_floats.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const EmbeddingOptions any_size{.least_elements = 1};
const Pass per_channel = quantize_embeddings(Granularity::per_channel, targets::ort_cpu_x64, any_size);
const Pass per_tensor = quantize_embeddings(Granularity::per_tensor, targets::ort_cpu_x64, any_size);

/// Columns of very different ranges, one of zeros.
const std::string tables = "opset 13; t = f32[4,3] {1.27, 0.01, 0, -0.5, 0.02, 0, 0.004, -0.127, 0, 0.3, 0, 0}; ";
const std::string lookup = tables + "ids: i64[2,2]; y = Gather(t, ids); ";

const std::vector<float> wanted{1.27f, 0.01f, 0, -0.5f, 0.02f, 0, 0.004f, -0.127f, 0, 0.3f, 0, 0};

/// The Gather that a value comes from.
const Node& lookup_behind(const Model& model, std::string_view value) {
  const Node* node = &node_making(model, value);
  while (!node->is("Gather")) node = node->input(0)->producer();
  return *node;
}

std::vector<float> run(const Model& model) {
  return Evaluator(model.graph()).run({{"ids", Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, 3})}})[0].to<float>();
}

/// The notes of the pass, which must leave the graph as it is.
std::string why_left(Model& model, Context& context, const Pass& pass = per_channel) {
  const std::string before = model.serialize();
  const Report report = pass.run(model, context);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  std::string notes;
  for (const std::string& note : report.notes) notes += note + "\n";
  return notes;
}
std::string why_left(const std::string& text, const Pass& pass = per_channel) {
  Model model = graph(text);
  Context context;
  return why_left(model, context, pass);
}

}  // namespace

TEST_CASE("a table that Gather reads becomes int8, with a scale for each column", "[embeddings]") {
  Model model = graph(lookup);
  CHECK(per_channel.run(model).changes == 1);
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()) == "Gather Cast Mul");
  const Value& codes = *lookup_behind(model, "y").input(0);
  CHECK(codes.dtype() == DType::i8);
  CHECK(codes.constant()->to<int>() == std::vector<int>{127, 10, 0, -50, 20, 0, 0, -127, 0, 30, 0, 0});
  CHECK(node_making(model, "y").input(1)->constant()->to<float>() == std::vector<float>{0.01f, 0.001f, 0.01f});
  CHECK(model.graph().find("t") == nullptr);
  CHECK(lookup_behind(model, "y").output(0)->dtype() == DType::i8);
  CHECK(model.graph().find("y")->dtype() == DType::f32);
}

TEST_CASE("a table can have one scale", "[embeddings]") {
  CHECK(given(lookup).pass(per_tensor).becomes(
      "opset 13; ids: i64[2,2]; q = Gather(i8[4,3] {127, 1, 0, -50, 2, 0, 0, -13, 0, 30, 0, 0}, ids); "
      "y = Mul(Cast(q) {to=f32}, f32[] 0.01)"));
}

TEST_CASE("values are off by half a step at most, of the column or of the table", "[embeddings]") {
  const std::vector<float> columns{0.01f, 0.001f, 0.01f};
  for (const bool by_column : {true, false}) {
    Model model = graph(lookup);
    (by_column ? per_channel : per_tensor).run(model);
    const std::vector<float> got = run(model);
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(std::abs(got[i] - wanted[i]) <= 0.5001f * (by_column ? columns[i % 3] : 0.01f));
  }
  Model fine = graph("opset 13; t = f32[97,33] random(-3, 2); ids: i64[2,2]; y = Gather(t, ids)");
  const std::vector<float> before = run(fine);
  per_channel.run(fine);
  const std::vector<float> scales = node_making(fine, "y").input(1)->constant()->to<float>(), after = run(fine);
  REQUIRE(scales.size() == 33);
  for (std::size_t i = 0; i < after.size(); ++i)
    CHECK(std::abs(after[i] - before[i]) <= 0.5001f * scales[i % scales.size()]);
}

TEST_CASE("forms say how many bits, and may differ for Gathers of one table", "[embeddings]") {
  Model model = graph(tables + "ids: i64[2,2]; y = Gather(t, ids); z = Gather(t, ids)");
  const WeightForms forms({Granularity::per_channel, 4}, {{NamePattern("z"), {Granularity::per_tensor}}});
  CHECK(quantize_embeddings(forms, targets::ort_cpu_x64, any_size).run(model).changes == 1);
  CHECK(ops(model.graph()) == "Gather Cast Mul Gather Cast Mul");
  CHECK(node_making(model, "z").input(1)->shape().rank() == 0);
  CHECK(lookup_behind(model, "y").input(0)->constant()->to<int>()[0] == 7);
  CHECK(lookup_behind(model, "z").input(0)->constant()->to<int>()[0] == 127);
}

TEST_CASE("a table that several Gathers read is stored once", "[embeddings]") {
  Model model = graph(tables + "ids: i64[2,2]; y = Gather(t, ids); z = Gather(t, ids) {axis=-2}");
  CHECK(per_channel.run(model).changes == 1);
  CHECK(lookup_behind(model, "y").input(0) == lookup_behind(model, "z").input(0));
  CHECK(node_making(model, "y").input(1) == node_making(model, "z").input(1));
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("a table of rank 1, or of more than 2, is one as well", "[embeddings]") {
  Model flat = graph("opset 13; t = f32[4] {1.27, -0.5, 0.01, 0}; ids: i64[2,2]; y = Gather(t, ids)");
  per_channel.run(flat);
  CHECK(node_making(flat, "y").input(1)->shape().rank() == 0);
  CHECK(run(flat) == std::vector<float>{1.27f, -0.5f, 0.01f, 0});
  Model deep = graph("opset 13; t = f32[4,2,2] random; ids: i64[2,2]; y = Gather(t, ids)");
  const std::vector<float> before = run(deep);
  per_channel.run(deep);
  CHECK(node_making(deep, "y").input(1)->shape() == Shape({2}));
  const std::vector<float> after = run(deep);
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i] == Approx(before[i]).margin(0.02));
}

TEST_CASE("tables that must stay in float do, and notes say why", "[embeddings]") {
  CHECK(why_left(tables + "ids: i64[2]; y = Gather(t, ids) {axis=1}") ==
        "'t' stays in float: 'y' reads it along axis 1\n");
  CHECK(why_left(lookup + "h: f32[2,4]; z = MatMul(h, t); return y, z") == "'t' stays in float: 'z' reads it too\n");
  CHECK(why_left(lookup + "return y, t") == "'t' stays in float: it is an output of the graph\n");
  CHECK(why_left("opset 13; t: f32[2,2] = 1; ids: i64[2]; y = Gather(t, ids)") ==
        "'t' stays in float: it is an input that the caller may override\n");
  Model model = graph(lookup);
  model.graph().set_initializer(*model.graph().find("t"), Tensor::of<float>({2, 1}, {1, -INFINITY}));
  Context context;
  CHECK(why_left(model, context) == "'t' stays in float: it holds a value that is not finite\n");
}

TEST_CASE("no table: other dtypes, what is computed, what is small", "[embeddings]") {
  CHECK(why_left("opset 13; t = i64[4,3] 1; ids: i64[2]; y = Gather(t, ids)").empty());
  CHECK(why_left("opset 13; t: f32[4,3]; ids: i64[2]; y = Gather(t, ids)").empty());
  CHECK(why_left("opset 13; t = f32[4,3] 1; i: i64[2,3]; y = GatherElements(t, i)").empty());
  const Pass usual = quantize_embeddings(Granularity::per_channel, targets::ort_cpu_x64);
  CHECK(why_left("opset 13; t = f32[127,128] random; ids: i64[2]; y = Gather(t, ids)", usual).empty());
  Model large = graph("opset 13; t = f32[128,128] random; ids: i64[2]; y = Gather(t, ids)");
  CHECK(usual.run(large).changes == 1);
}

TEST_CASE("a node that is excluded keeps the table of all that share it", "[embeddings]") {
  Model model = graph(lookup + "z = Gather(t, ids)");
  Context context;
  exclude_nodes({NamePattern("z")}).run(model, context);
  CHECK(why_left(model, context) == "'t' stays in float: 'z': it is excluded by name\n");
}

TEST_CASE("the table of each target says whether it takes part", "[embeddings]") {
  for (const Target* const target : targets::all) {
    Model model = graph(lookup);
    INFO(target->name);
    CHECK(quantize_embeddings(Granularity::per_channel, *target, any_size).run(model).changes ==
          (target->has(Quirk::keeps_tables_in_float) ? 0u : 1u));
  }
  Target floats_only = targets::ort_cpu_x64;
  floats_only.integer_operators = {};
  CHECK(why_left(lookup, quantize_embeddings(Granularity::per_channel, floats_only, any_size)).empty());
}

TEST_CASE("what a quantized product reads as well is quantized for each", "[embeddings]") {
  Model tied = graph(tables + "ids: i64[2,2]; x: f32[2,3]; y = Gather(t, ids); "
                              "a = QuantizeLinear(x, f32[] 0.01, u8[] 100); b = DequantizeLinear(a, f32[] 0.01, u8[] "
                              "100); z = Gemm(b, t) {transB=1}; return y, z");
  (quantize_weights(Granularity::per_channel, targets::ort_cpu_x64) | per_channel).run(tied);
  CHECK(tied.graph().find("t") == nullptr);
  CHECK(lookup_behind(tied, "y").input(0)->dtype() == DType::i8);
}

TEST_CASE("a Gather in a body reads the integers of the graph around it", "[embeddings]") {
  Model model = graph(tables + "ids: i64[2,2]; c: bool[]; "
                               "y = If(c) {then_branch={ g = Gather(t, ids) }, else_branch={ h = Gather(t, ids); "
                               "n = Neg(h) }}");
  CHECK(per_channel.run(model).changes == 1);
  CHECK(verify(model).empty());
  CHECK(model.graph().find("t") == nullptr);
  CHECK(model.graph().initializers().size() == 2);
  for (const bool condition : {true, false}) {
    const Feeds feeds{{"ids", Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, 3})},
                      {"c", Tensor::of<bool>({}, {condition})}};
    const std::vector<float> got = Evaluator(model.graph()).run(feeds)[0].to<float>();
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(got[i] == Approx(condition ? wanted[i] : -wanted[i]).margin(0.005));
  }
  Model inside = graph("opset 13; ids: i64[2,2]; c: bool[]; y = If(c) {then_branch={ t = f32[4,3] 1; "
                       "g = Gather(t, ids) }, else_branch={ k = Constant() {value=f32[4,3] 2}; h = Gather(k, ids) }}");
  CHECK(per_channel.run(inside).changes == 2);
  CHECK(verify(inside).empty());
}

TEST_CASE("names stay, and types that the file declares follow", "[embeddings]") {
  Model model = graph(tables + "ids: i64[2,2]; y = Gather(t, ids) : f32[2,2,3]; z = Neg(y); return y, z");
  per_channel.run(model);
  Model saved(model.commit());
  CHECK(verify(saved).empty());
  CHECK(saved.graph().output(0)->name() == "y");
  CHECK(lookup_behind(saved, "y").output(0)->dtype() == DType::i8);
  CHECK(node_making(saved, "z").input(0)->name() == "y");
  CHECK(lookup_behind(saved, "y").name() == "y");  // the Gather's own name
  CHECK(run(saved).size() == wanted.size());
}

TEST_CASE("no newer operator is needed than opset 7 has", "[embeddings]") {
  Model model = graph("opset 7; t = f32[4,3] random; ids: i64[2,2]; y = Gather(t, ids)");
  const std::vector<float> before = run(model);
  per_channel.run(model);
  CHECK(verify(model).empty());
  const std::vector<float> after = run(model);
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i] == Approx(before[i]).margin(0.02));
}

TEST_CASE("16 bit floats become float32 first", "[embeddings]") {
  Model model = graph("opset 13; t = f16[4,3] random; ids: i64[2]; y = Gather(t, ids)");
  CHECK(per_channel.run(model).changes == 0);
  (to_float32() | per_channel).run(model);
  CHECK(ops(model.graph()) == "Gather Cast Mul Cast");
}

TEST_CASE("a pair behind the Gather stays, and the audit finds nothing wrong", "[embeddings]") {
  const std::string text = tables + "ids: i64[2,2]; y = Gather(t, ids); w = f32[3,2] random; h = MatMul(y, w); "
                                    "p = f32[2,3] random; q = Gather(p, ids); s = Add(y, q); return h, s";
  const Ranges ranges{{"y", {-1, 1.5f}}, {"h", {-4, 4}}, {"q", {-2, 2}}, {"s", {-3, 3}}};
  for (const Target* const target : targets::all) {
    for (const Placement placement : {Placement::naive, Placement::all_supported}) {
      for (const Granularity granularity : {Granularity::per_channel, Granularity::per_tensor}) {
        INFO(target->name);
        Model plain = graph(text), model = graph(text);
        const Pass place = inject_qdq(ranges, *target, placement) | quantize_weights(granularity, *target);
        place.run(plain);
        (place | quantize_embeddings(granularity, *target, any_size)).run(model);
        CHECK(verify(model).empty());
        const Audit before = audit(plain.graph(), *target), after = audit(model.graph(), *target);
        CHECK(after.has_errors() == before.has_errors());  // HTP v68 refuses tables in float, with and without it
        CHECK(before.has_errors() == (target == &targets::qnn_htp_v68));
        CHECK(after.fused() == before.fused());
        const Feeds feeds{{"ids", Tensor::of<std::int64_t>({2, 2}, {0, 1, 1, 0})}};
        const auto was = Evaluator(plain.graph()).run(feeds), is = Evaluator(model.graph()).run(feeds);
        for (std::size_t k = 0; k < was.size(); ++k)
          for (std::size_t i = 0; i < was[k].to<float>().size(); ++i)
            CHECK(is[k].to<float>()[i] == Approx(was[k].to<float>()[i]).margin(0.08));
      }
    }
  }
}

TEST_CASE("a lookup may be what stays in float for a goal", "[embeddings]") {
  Model model = graph("opset 13; t = f32[4,2] {100, 1, 0.3, 1, 0.2, 1, 0.1, 1}; ids: i64[2,2]; y = Gather(t, ids); "
                      "d = Mul(y, f32[] 1); x: f32[1,2,2,2]; z = Conv(x, f32[2,2,1,1] random); "
                      "return d, z");
  std::vector<Feeds> samples{{{"ids", Tensor::of<std::int64_t>({2, 2}, {1, 2, 3, 1})},
                              {"x", Tensor::of<float>({1, 2, 2, 2}, {1, 2, 3, 4, -1, -2, -3, -4})}}};
  const Ranges ranges{{"x", {-4, 4}}, {"z", {-16, 16}}};
  const Pass quantize = inject_qdq(ranges, targets::ort_cpu_x64, Placement::naive) | per_channel;
  Context context;
  keep_fewest_in_float({.cosine = 0.99}, quantize, samples).run(model, context);
  CHECK(context.facts.value_or_default<KeptInFloat>().reasons.contains("y"));
  CHECK_FALSE(context.facts.value_or_default<KeptInFloat>().reasons.contains("z"));
}
