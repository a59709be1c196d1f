#include <graft/quantize/tune/choose_weight_bits.hpp>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

// Blocks of 32 without zero points: 5 bits a weight of 4 bits, 9 of 8 bits.
BlockwiseOptions options(double bits_per_weight) {
  return {.weights = {.bits = 4, .block_size = 32, .symmetric = true},
          .method = BlockMethod::search,
          .bits_per_weight = bits_per_weight};
}

/// Products of three weights of one size. In `hard` one number of each block is far above the others, so that these are
/// rounded coarsely; its input is 0. `easiest` is exact.
Model three_products() {
  Model model = graph(R"(opset 21; x: f32[N,64]
    easy = f32[64,64] random; hard = f32[64,64] random; easiest = f32[64,64] 0.25
    first = MatMul(x, easy); second = MatMul(x, hard); third = MatMul(x, easiest); sum = Add(first, second)
    y = Add(sum, third))");
  Value& hard = *model.graph().find("hard");
  std::vector<float> values = hard.constant()->to<float>();
  for (std::size_t i = 0; i < 64; ++i) values[i] = values[32 * 64 + i] = 40;
  model.graph().set_initializer(hard, Tensor::of<float>({64, 64}, values));
  return model;
}

std::vector<Feeds> samples() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<Feeds> all;
  for (int n = 0; n < 8; ++n) {
    std::vector<float> x(16 * 64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 32 == 0 ? 0 : normal(random);
    all.push_back({{"x", Tensor::of<float>({16, 64}, x)}});
  }
  return all;
}

struct Chosen {
  std::map<std::string, int> bits;
  Report report;
};

const Pass nothing = pass("nothing", [](Graph&, Context&) { return Report(); });

Chosen choose(Model& model, const BlockwiseOptions& how, const Pass& before = nothing,
              const std::vector<Feeds>& inputs = samples(), const Target& target = targets::ort_cpu_x64) {
  Context context;
  Report report = (before | observe_gram_matrices(inputs) | choose_weight_bits(target, how)).run(model, context);
  return {context.facts.find<ProductForms>()->choices(), std::move(report)};
}

}  // namespace

TEST_CASE("weights that lose most get more bits, as far as there is room", "[weight-bits]") {
  Model model = three_products();
  CHECK(choose(model, options(5)).bits == std::map<std::string, int>{{"first", 4}, {"second", 4}, {"third", 4}});
  const Chosen one = choose(model, options(6.4));
  CHECK(one.bits == std::map<std::string, int>{{"first", 4}, {"second", 8}, {"third", 4}});
  CHECK(one.report.changes == 1);
  CHECK(choose(model, options(7.7)).bits == std::map<std::string, int>{{"first", 8}, {"second", 8}, {"third", 4}});
  // A weight without a loss never needs more.
  CHECK(choose(model, options(9)).bits == std::map<std::string, int>{{"first", 8}, {"second", 8}, {"third", 4}});
}

TEST_CASE("weights in float take none of the room", "[weight-bits]") {
  Model model = three_products();
  CHECK(choose(model, options(7), exclude_nodes({"second"})).bits ==
        std::map<std::string, int>{{"first", 8}, {"third", 4}});
}

TEST_CASE("a weight has one number of bits for all its products", "[weight-bits]") {
  Model model = graph(R"(opset 21; x: f32[N,64]; w = f32[64,64] random; v = f32[64,64] random
    first = MatMul(x, w); second = MatMul(first, w); third = MatMul(second, v))");
  const std::map<std::string, int> bits = choose(model, options(7)).bits;
  CHECK(bits.at("first") == bits.at("second"));
  CHECK(bits.at("first") + bits.at("third") == 12);
}

TEST_CASE("all products of a weight count", "[weight-bits]") {
  std::vector<Feeds> inputs = samples();
  for (Feeds& feeds : inputs) feeds.emplace_back("zero", Tensor(DType::f32, {16, 64}));
  // The first product alone loses nothing.
  Model model = graph(R"(opset 21; x: f32[N,64]; zero: f32[N,64]; w = f32[64,64] random
    first = MatMul(zero, w); second = MatMul(x, w); y = Add(first, second))");
  CHECK(choose(model, options(9), nothing, inputs).bits == std::map<std::string, int>{{"first", 8}, {"second", 8}});
  // Of two weights of one loss, that of two products.
  Model alike = graph(R"(opset 21; x: f32[N,64]; w = f32[64,64] random; v = f32[64,64] random
    p = MatMul(x, w); q = MatMul(x, w); r = MatMul(x, v); s = Add(p, q); y = Add(s, r))");
  alike.graph().set_initializer(*alike.graph().find("v"), *alike.graph().find("w")->constant());
  CHECK(choose(alike, options(7)).bits == std::map<std::string, int>{{"p", 8}, {"q", 8}, {"r", 4}});
}

TEST_CASE("losses are those of the operator that reads the blocks", "[weight-bits]") {
  // In each block the greatest magnitude is 8: a scale of -1 has a code for every value, a positive one has not.
  std::vector<float> values(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i / 64 % 16 == 0 ? 8 : static_cast<float>(i % 15) - 7;
  const std::string text = "opset 21; x: f32[N,64]; w = f32[64,64] random; y = MatMul(x, w)";
  const Target& newer = targets::at_release(targets::ort_cpu_x64, {1, 27});
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard}) {
    Model model = graph(text);
    model.graph().set_initializer(*model.graph().find("w"), Tensor::of<float>({64, 64}, values));
    BlockwiseOptions how = options(9);
    how.operators = operators;
    const int bits = choose(model, how, nothing, samples(), newer).bits.begin()->second;
    CHECK(bits == (operators == BlockOperators::standard ? 8 : 4));
  }
}

TEST_CASE("there is an error where even the fewest bits are too many", "[weight-bits]") {
  Model model = three_products();
  CHECK_THROWS_AS(choose_weight_bits(targets::ort_cpu_x64, BlockwiseOptions()), Error);
  CHECK_THROWS_WITH(choose(model, options(4.5)),
                    Catch::Contains("the weights take at least 5 bits on average, with their scales, more than 4.5"));
  QuantizeOptions without_samples;
  without_samples.mode = options(6);
  Context context;
  CHECK_THROWS_WITH(quantize(model, targets::ort_cpu_x64, without_samples, context),
                    Catch::Contains("bits_per_weight: needs samples"));
}

namespace {

/// A product in each of two bodies, a weight of rank 3, and a product that is excluded.
const std::string with_others = R"(opset 21; x: f32[N,64]; go: bool[]; u = f32[64,64] random; v = f32[64,64] random
    cube = f32[2,64,64] random; w = f32[64,64] random
    first = MatMul(x, u); kept = MatMul(first, v); stack = MatMul(kept, cube)
    inner = If(go) {then_branch={ p = MatMul(first, w) }, else_branch={ q = MatMul(x, w) }}
    return stack, inner)";

std::vector<Feeds> samples_with_condition() {
  std::vector<Feeds> all = samples();
  for (Feeds& feeds : all) feeds.emplace_back("go", Tensor::scalar(true));
  return all;
}

QuantizeResult quantized_but_kept(Model& model, double bits_per_weight) {
  QuantizeOptions how;
  how.mode = options(bits_per_weight);
  how.exclude = {NamePattern("kept")};
  return quantize(model, samples_with_condition(), targets::ort_cpu_x64, how);
}

/// By result, in bodies too.
std::map<std::string, std::int64_t> bits_by_result(Model& model) {
  std::map<std::string, std::int64_t> found;
  for (const Graph* const scope : model.scopes())
    for (const Node& node : scope->nodes())
      if (node.is("com.microsoft::MatMulNBits"))
        found.emplace(node.output(0)->name(), node.attr<std::int64_t>("bits").value());
  return found;
}

}  // namespace

TEST_CASE("products without a choice have the fewest bits, or a reason", "[weight-bits]") {
  Model model = graph(with_others);
  const QuantizeResult result = quantized_but_kept(model, 6.4);
  CHECK(bits_by_result(model) == std::map<std::string, std::int64_t>{{"first", 8}, {"p", 4}, {"q", 4}});
  CHECK(result.products == 3);
  std::map<std::string, std::string> outcomes;
  for (const OperatorOutcome& one : result.outcomes)
    outcomes.emplace(one.node, std::string(to_string(one.form)) + ": " + one.text);
  CHECK(outcomes.at("first") == "weight-only: 8 bits: it loses more than others by fewer bits");
  CHECK(outcomes.at("p") == "weight-only: all are, as was asked for");
  CHECK_THAT(outcomes.at("kept"), Catch::StartsWith("float: "));
  CHECK(outcomes.at("stack") == "float: its weight is not one matrix");
}

TEST_CASE("weights in bodies take a part of the room", "[weight-bits]") {
  Model model = graph(with_others);  // (9 + 5 + 5) / 3 = 6.33
  quantized_but_kept(model, 6.3);
  CHECK(bits_by_result(model) == std::map<std::string, std::int64_t>{{"first", 4}, {"p", 4}, {"q", 4}});
}

TEST_CASE("a weight has one number of bits in all scopes, and takes room in each", "[weight-bits]") {
  const std::string text = R"(opset 21; x: f32[N,64]; go: bool[]; w = f32[64,64] random; v = f32[64,64] 0.25
    first = MatMul(x, w); second = MatMul(first, v)
    inner = If(go) {then_branch={ p = MatMul(second, w) }, else_branch={ q = Neg(second) }}; return inner)";
  using Bits = std::map<std::string, std::int64_t>;
  Model all = graph(text), little = graph(text);
  quantized_but_kept(all, 7.7);  // (9 + 9 + 5) / 3 = 7.67
  CHECK(bits_by_result(all) == Bits{{"first", 8}, {"p", 8}, {"second", 4}});
  quantized_but_kept(little, 7.6);
  CHECK(bits_by_result(little) == Bits{{"first", 4}, {"p", 4}, {"second", 4}});
}

namespace {

/// A table that Gather and the last product read, and another weight.
std::string tied(std::int64_t columns, const std::string& head = "y = MatMul(h, Transpose(t))") {
  const std::string k = std::to_string(columns);
  return "opset 21; t = f32[40," + k + "] random; w = f32[" + k + "," + k + "] random; ids: i64[5]; z: f32[5," + k +
         "]; e = Gather(t, ids); h = MatMul(e, w); " + head + "; return e, h, y";
}

/// z is 0.
std::vector<Feeds> sample_of_ids(std::int64_t columns) {
  return {{{"ids", Tensor::of<std::int64_t>({5}, {0, 39, 7, 11, 23})}, {"z", Tensor(DType::f32, {5, columns})}}};
}

BlockwiseOptions with_tables(double bits_per_weight, const BlockForm& weights) {
  return {.weights = weights, .bits_per_weight = bits_per_weight, .tables = EmbeddingOptions{.least_elements = 1}};
}

/// The bits of products in the quantized model, whose weights take at most how.bits_per_weight.
std::map<std::string, std::int64_t> bits_within(Model& model, const BlockwiseOptions& how,
                                                const std::vector<Feeds>& inputs) {
  (observe_gram_matrices(inputs) | choose_weight_bits(targets::ort_cpu_x64, how) |
   quantize_weights_blockwise(targets::ort_cpu_x64, how))
      .run(model);
  double stored = 0, elements = 0;
  for (const Node& node : model.graph().nodes()) {
    if (!node.is("com.microsoft::MatMulNBits")) continue;
    for (std::size_t i = 1; i < node.input_count(); ++i) {
      const Tensor part = node.input(i)->constant().value();
      stored += static_cast<double>(static_cast<std::size_t>(part.size()) * bits(part.dtype()));
    }
    elements += static_cast<double>(node.attr<std::int64_t>("K").value() * node.attr<std::int64_t>("N").value());
  }
  CHECK(stored <= *how.bits_per_weight * elements);
  return bits_by_result(model);
}

}  // namespace

TEST_CASE("a table that a product reads too is stored once, within the room", "[weight-bits]") {
  using Bits = std::map<std::string, std::int64_t>;
  const BlockForm two{.bits = 2, .symmetric = true}, four{.bits = 4, .symmetric = true};
  const auto found = [](const BlockwiseOptions& how) {
    Model model = graph(tied(64));
    const Bits made = bits_within(model, how, sample_of_ids(64));
    CHECK(ops(model.graph()) == "Reshape GatherBlockQuantized MatMulNBits MatMulNBits");
    CHECK(node_making(model, "e").attr<std::int64_t>("bits") == made.at("y"));
    return made;
  };
  // MatMulNBits has 2 bits, which GatherBlockQuantized lacks: (4096 * 3 + 2560 * 5) / 6656 = 3.77.
  CHECK(found(with_tables(3.8, two)) == Bits{{"h", 2}, {"y", 4}});
  Model model = graph(tied(64));
  CHECK_THROWS_WITH(choose(model, with_tables(3.7, two), nothing, sample_of_ids(64)),
                    Catch::Contains("the weights take at least 3.7"));
  CHECK(found(with_tables(5, four)) == Bits{{"h", 4}, {"y", 4}});
  CHECK(found(with_tables(9, four)) == Bits{{"h", 8}, {"y", 8}});
  // table_bits are those of the table: (4096 * 5 + 2560 * 9) / 6656 = 6.54.
  BlockwiseOptions given = with_tables(6.6, four);
  given.table_bits = 8;
  CHECK(found(given) == Bits{{"h", 4}, {"y", 8}});
  given.bits_per_weight = 6.5;
  CHECK_THROWS_AS(choose(model, given, nothing, sample_of_ids(64)), Error);
  given = with_tables(9, four);
  given.table_bits = 4;
  CHECK(found(given) == Bits{{"h", 8}, {"y", 4}});
}

TEST_CASE("a table counts in the form that both operators read", "[weight-bits]") {
  const auto bits_of_y = [](std::int64_t columns, double bits_per_weight) {
    Model model = graph(tied(columns));
    return bits_within(model, with_tables(bits_per_weight, BlockForm()), sample_of_ids(columns)).at("y");
  };
  // Three blocks in a row have no zero points of 4 bits: 5 bits. w has 4 + 1 + 16 / 96.
  CHECK(bits_of_y(96, (96 * (5 + 16 / 96.0) + 40 * 5) / 136 + 1e-6) == 4);
  // 48 has blocks of 16: 4 + 2 bits for t, and of 32 for w, the last one half full: 8 / 48 + 64 * 5 / 48.
  const double of_w = (64 * 5 + 8) / 48.0, least = (48 * of_w + 40 * 6) / 88;
  CHECK(bits_of_y(48, least + 1e-6) == 4);
  CHECK_THROWS_AS(bits_of_y(48, least - 1e-6), Error);
}

TEST_CASE("what Gather takes out of a table counts, too", "[weight-bits]") {
  // The product of the table loses nothing.
  Model model = graph(tied(64, "y = MatMul(z, Transpose(t))"));
  const std::map<std::string, int> bits =
      choose(model, with_tables(9, {.bits = 4, .symmetric = true}), nothing, sample_of_ids(64)).bits;
  CHECK(bits == std::map<std::string, int>{{"h", 8}, {"y", 8}});
}

TEST_CASE("quantize() gives weights the chosen bits", "[weight-bits]") {
  Model model = three_products();
  QuantizeOptions how;
  how.mode = options(6.4);
  quantize(model, samples(), targets::ort_cpu_x64, how);
  std::multiset<std::int64_t> bits;
  for (const Node& node : model.graph().nodes())
    if (node.is("com.microsoft::MatMulNBits")) bits.insert(node.attr<std::int64_t>("bits").value());
  CHECK(bits == std::multiset<std::int64_t>{4, 4, 8});
}
