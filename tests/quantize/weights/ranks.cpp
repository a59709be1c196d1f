#include <graft/quantize/weights/ranks.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/choose_weight_bits.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/in_process_ranks.hpp"
#include "quantize/nets.hpp"

using namespace graft;

namespace {

// Two branches, a product in a body, one that is transposed, one that is excluded, a bias, and a table that a product
// reads too.
const std::string net =
    "opset 21; table = f32[512,32] random; w0 = f32[32,64] random; w1 = f32[32,64] random; "
    "w2 = f32[64,32] random; w3 = f32[64,16] random; w4 = f32[32,8] random; "
    "c = f32[16] random; x: f32[N,32]; go = bool[] 1; "
    "a = Relu(MatMul(x, w0)); b = Relu(MatMul(x, w1)); m = MatMul(Add(a, b), w2); n = Gemm(a, w3, c) {alpha=0.5}; "
    "kept = MatMul(m, w4); t = Gemm(Transpose(m) {perm=[1,0]}, w4) {transA=1}; "
    "i = If(go) {then_branch={ p = MatMul(m, w4) }, else_branch={ q = MatMul(x, w4) }}; "
    "r = Gather(table, i64[2] {0, 511}); s = MatMul(m, Transpose(table)); return n, kept, t, i, r, s";

std::vector<Feeds> samples() {
  std::vector<Feeds> all;
  for (std::size_t s = 0; s < 5; ++s) {
    std::vector<float> values(6 * 32);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(static_cast<float>(i * (s + 2) + 1)) * (i % 32 < 8 ? 6.F : 0.5F);
    all.push_back({{"x", Tensor::of<float>({6, 32}, values)}});
  }
  return all;
}

struct Quantized {
  std::string bytes;
  std::size_t products;
};

Quantized quantized(BlockwiseLearning learning, BlockwiseOptions options, std::size_t threads = 1) {
  Model model = graph(net);
  Context context;
  context.threads = threads;
  exclude_nodes({NamePattern("kept")}).run(model, context);
  if (options.bits_per_weight)
    choose_weight_bits(targets::ort_cpu_x64, options, samples(), learning).run(model, context);
  quantize_weights_blockwise(targets::ort_cpu_x64, options, samples(), std::move(learning)).run(model, context);
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()).find("Gemm") == std::string::npos);
  return {model.commit().SerializeAsString(), context.facts.find<IntegerCounts>()->products};
}

std::vector<std::string> by_ranks(std::size_t count, const BlockwiseOptions& options) {
  return graft::by_ranks(count, [&](Ranks ranks) { return quantized({.ranks = std::move(ranks)}, options).bytes; });
}

}  // namespace

TEST_CASE("weights are the same whatever part of the Gram matrices is in memory", "[blockwise]") {
  for (const BlockMethod method : {BlockMethod::gptq, BlockMethod::search}) {
    const BlockwiseOptions options{.method = method};
    const Quantized all = quantized({}, options);
    CHECK(all.products == 8);
    CHECK(all.bytes == quantized({.max_bytes = 1}, options).bytes);
    CHECK(all.bytes == quantized({.max_bytes = 3 * 60'000}, options, 2).bytes);
    // And those of all Gram matrices beforehand.
    Model model = graph(net), other = graph(net);
    (exclude_nodes({NamePattern("kept")}) | observe_gram_matrices(samples()) |
     quantize_weights_blockwise(targets::ort_cpu_x64, options))
        .run(model);
    quantize_weights_blockwise(targets::ort_cpu_x64, options, samples(), {.max_bytes = 1}).run(other);
    for (const char* const product : {"n", "m"}) {
      const auto codes = [&](const Model& of) {
        const Node& made = node_making(of, product);
        return (made.is("Add") ? made.input(0)->producer() : &made)->input(1)->constant()->to<int>();
      };
      CHECK(codes(model) == codes(other));
    }
  }
}

TEST_CASE("ranks share products, and all end with the same model", "[blockwise]") {
  const BlockwiseOptions options{.method = BlockMethod::gptq};
  const std::string alone = quantized({}, options).bytes;
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{7}})
    for (const std::string& model : by_ranks(count, options)) CHECK(model == alone);
  const BlockwiseOptions standard{.method = BlockMethod::gptq, .operators = BlockOperators::standard};
  CHECK(by_ranks(2, standard).back() == quantized({}, standard).bytes);
}

TEST_CASE("bits of weights depend neither on the memory nor on the ranks", "[blockwise][weight-bits]") {
  const BlockwiseOptions options{.bits_per_weight = 7.5};
  Model model = graph(net);
  (exclude_nodes({NamePattern("kept")}) | observe_gram_matrices(samples()) |
   choose_weight_bits(targets::ort_cpu_x64, options) |
   quantize_weights_blockwise(targets::ort_cpu_x64, options, samples()))
      .run(model);
  const std::string all = model.commit().SerializeAsString();
  std::set<std::int64_t> bits;
  for (const Node& node : model.graph().nodes())
    if (node.is("com.microsoft::MatMulNBits")) bits.insert(node.attr<std::int64_t>("bits").value());
  CHECK(bits == std::set<std::int64_t>{4, 8});
  CHECK(quantized({}, options).bytes == all);
  CHECK(quantized({.max_bytes = 1}, options, 2).bytes == all);
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{7}})
    for (const std::string& made : by_ranks(count, options)) CHECK(made == all);
}

TEST_CASE("a message of another rank that is not of this graph is an error", "[blockwise]") {
  const auto take = [](const std::function<void(onnx::AttributeProto&)>& change) {
    Model model = graph("opset 21; w = f32[32,64] random; v = f32[64] random; x: f32[N,32]; y = Add(MatMul(x, w), v)");
    const auto exchange = [&](const std::string& own) {
      onnx::NodeProto message;
      if (!message.ParseFromString(own) || message.attribute().empty()) return std::vector{own, own};  // of bytes
      change(*message.mutable_attribute(0));
      return std::vector{own, message.SerializeAsString()};
    };
    quantize_weights_blockwise(targets::ort_cpu_x64, {.method = BlockMethod::gptq}, samples(),
                               {.ranks = {0, 2, exchange}})
        .run(model);
  };
  using Weight = onnx::AttributeProto;
  CHECK_NOTHROW(take([](Weight&) {}));
  const std::function<void(Weight&)> changes[] = {
      [](Weight& weight) { weight.set_name("none"); },
      [](Weight& weight) { weight.set_name("v"); },
      [](Weight& weight) { weight.set_name("x"); },
      [](Weight& weight) { weight.clear_ints(); },
      [](Weight& weight) { weight.clear_floats(); },
      [](Weight& weight) { weight.clear_strings(); },
      [](Weight& weight) { weight.set_ints(0, 1); },
      [](Weight& weight) { weight.set_ints(1, 9); },
      [](Weight& weight) { weight.set_ints(2, 63); },
      [](Weight& weight) { weight.set_ints(3, -1); },
      [](Weight& weight) { weight.set_ints(4, 0); },
      [](Weight& weight) { weight.set_ints(4, 16); },
      [](Weight& weight) { weight.add_floats(1); },
      [](Weight& weight) { weight.mutable_strings(0)->pop_back(); },
      [](Weight& weight) { weight.mutable_strings(0)->back() = '\x10'; },
      [](Weight& weight) { weight.mutable_strings(1)->push_back('\1'); },
  };
  for (const auto& change : changes) CHECK_THROWS_AS(take(change), Error);
  const auto garbled = [](const std::string& own) { return std::vector<std::string>{own, "many"}; };
  Model model = graph(net);
  CHECK_THROWS_AS(quantize_weights_blockwise(targets::ort_cpu_x64, {.method = BlockMethod::gptq}, samples(),
                                             {.ranks = {0, 2, garbled}})
                      .run(model),
                  Error);
}

TEST_CASE("weights in groups: what is cancelled is undone", "[blockwise]") {
  Model model = graph(net);
  const std::string before = model.commit().SerializeAsString();
  Context context;
  int runs = 0;
  context.progress = [&](const Progress&) { ++runs; };
  context.cancelled = [&] { return runs > 8; };
  const Pass pass = quantize_weights_blockwise(targets::ort_cpu_x64, {.method = BlockMethod::gptq}, samples(),
                                               {.max_bytes = 1});
  CHECK(pass.run(model, context).outcome == Outcome::cancelled);
  CHECK(model.commit().SerializeAsString() == before);
}
