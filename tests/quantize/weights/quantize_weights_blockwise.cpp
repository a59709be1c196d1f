#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

Pass blockwise(const BlockwiseOptions& options = {}) {
  return quantize_weights_blockwise(targets::ort_cpu_x64, options);
}

Tensor wave(Dims dims) {
  std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(3 * i + 1));
  return Tensor::of<float>(std::move(dims), values);
}

/// The largest distance between outputs before and after, as a part of the largest value.
float distance(const std::string& text, const Pass& pass, const Feeds& feeds) {
  Model model = graph(text);
  const std::vector<float> before = Evaluator(model.graph()).run(feeds)[0].to<float>();
  CHECK(pass.run(model).changes != 0);
  CHECK(verify(model).empty());
  const std::vector<float> after = Evaluator(model.graph()).run(feeds)[0].to<float>();
  float most = 0, largest = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    most = std::max(most, std::abs(after[i] - before[i]));
    largest = std::max(largest, std::abs(before[i]));
  }
  return most / largest;
}

const std::string product = "opset 21; w = f32[40,6] random; x: f32[N,40]; y = MatMul(x, w)";

}  // namespace

TEST_CASE("a MatMul becomes a MatMulNBits, with everything stated", "[blockwise]") {
  Model model = graph(product);
  CHECK(blockwise().run(model).changes == 1);
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()) == "MatMulNBits");
  const Node& node = node_making(model, "y");
  CHECK(node.attr<std::int64_t>("K") == 40);
  CHECK(node.attr<std::int64_t>("N") == 6);
  CHECK(node.attr<std::int64_t>("bits") == 4);
  CHECK(node.attr<std::int64_t>("block_size") == 32);
  CHECK(node.attr<std::int64_t>("accuracy_level") == 4);
  CHECK(node.input(1)->constant()->dims() == Dims{6, 2, 16});
  CHECK(node.input(2)->constant()->dims() == Dims{12});
  CHECK(node.input(3)->constant()->dims() == Dims{6});
  CHECK(model.graph().find("w") == nullptr);
  CHECK(model.opset("com.microsoft") == 1);
  Model symmetric = graph(product);
  blockwise({.weights = {.bits = 8, .symmetric = true}, .accuracy_level = 1}).run(symmetric);
  CHECK(node_making(symmetric, "y").input_count() == 3);
  CHECK(node_making(symmetric, "y").attr<std::int64_t>("accuracy_level") == 1);
}

TEST_CASE("or a DequantizeLinear of blocks, for the runtime to fuse", "[blockwise]") {
  for (const bool symmetric : {false, true}) {
    Model model = graph(product);
    blockwise({.weights = {.symmetric = symmetric}, .operators = BlockOperators::standard}).run(model);
    CHECK(verify(model).empty());
    CHECK(ops(model.graph()) == "DequantizeLinear MatMul");
    const Node& node = *node_making(model, "y").input(1)->producer();
    CHECK(node.attr<std::int64_t>("axis") == 0);
    CHECK(node.attr<std::int64_t>("block_size") == 32);
    CHECK(node.input(0)->constant()->dtype() == (symmetric ? DType::i4 : DType::u4));
    CHECK(node.input(0)->constant()->dims() == Dims{40, 6});
    CHECK(node.input(1)->constant()->dims() == Dims{2, 6});
    CHECK(node.input_count() == (symmetric ? 2 : 3));
  }
  Model old = graph("opset 20; w = f32[40,6] random; x: f32[N,40]; y = MatMul(x, w)");
  CHECK_THROWS_WITH(blockwise({.operators = BlockOperators::standard}).run(old), Catch::Contains("opset 21"));
}

TEST_CASE("all forms compute nearly what floats do, and both operators the same", "[blockwise]") {
  const Feeds feeds{{"x", wave({3, 40})}};
  for (const bool symmetric : {false, true}) {
    for (const BlockMethod method : {BlockMethod::nearest, BlockMethod::search}) {
      const BlockForm form{.symmetric = symmetric, .positive_scales = symmetric};
      BlockwiseOptions options{.weights = form, .method = method, .accuracy_level = 1};
      CHECK(distance(product, blockwise(options), feeds) < 0.15F);
      Model contrib = graph(product), standard = graph(product);
      blockwise(options).run(contrib);
      blockwise({.weights = form, .method = method, .operators = BlockOperators::standard}).run(standard);
      const std::vector<float> a = Evaluator(contrib.graph()).run(feeds)[0].to<float>(),
                               b = Evaluator(standard.graph()).run(feeds)[0].to<float>();
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-5));
      options.weights.bits = 8;
      CHECK(distance(product, blockwise(options), feeds) < 0.01F);
    }
  }
}

TEST_CASE("blocks: a Gemm is transposed and scaled beforehand, its bias added behind", "[blockwise]") {
  const BlockwiseOptions fine{.weights = {.bits = 8}, .accuracy_level = 1};
  CHECK(distance("opset 21; w = f32[6,40] random; b = f32[6] random; x: f32[3,40]; "
                 "y = Gemm(x, w, b) {transB=1, alpha=-2., beta=3.}",
                 blockwise(fine), {{"x", wave({3, 40})}}) < 0.01F);
  CHECK(distance("opset 21; w = f32[40,6] random; c: f32[3,1]; x: f32[40,3]; y = Gemm(x, w, c) {transA=1, beta=0.5}",
                 blockwise(fine), {{"x", wave({40, 3})}, {"c", wave({3, 1})}}) < 0.01F);
}

TEST_CASE("GPTQ needs what calibration gathers", "[blockwise]") {
  Model model = graph(product);
  const Pass gptq = blockwise({.method = BlockMethod::gptq});
  CHECK_THROWS_WITH(gptq.run(model), Catch::Contains("observe_gram_matrices"));
  const std::vector<Feeds> samples{{{"x", wave({20, 40})}}};
  Model other = graph(product);
  const std::vector<float> floats = Evaluator(other.graph()).run(samples[0])[0].to<float>();
  const auto error = [&](const Model& quantized) {
    const std::vector<float> got = Evaluator(quantized.graph()).run(samples[0])[0].to<float>();
    double sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += std::pow(got[i] - floats[i], 2);
    return sum;
  };
  (observe_gram_matrices(samples) | gptq).run(model);
  blockwise({.method = BlockMethod::nearest}).run(other);
  CHECK(error(model) < 0.5 * error(other));
}

TEST_CASE("GPTQ of a weight that several share heeds the inputs of all", "[blockwise]") {
  // Their order makes no difference.
  const std::string head = "opset 21; w = f32[40,6] random; x: f32[N,40]; z: f32[N,40]; ";
  const auto codes = [&](const std::string& text) {
    Model model = graph(head + text);
    Tensor other = wave({20, 40});
    std::vector<float> values = other.to<float>();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 40 < 20 ? 4.0F : 0.1F;
    const std::vector<Feeds> samples{{{"x", wave({20, 40})}, {"z", Tensor::of<float>({20, 40}, values)}}};
    (observe_gram_matrices(samples) | blockwise({.method = BlockMethod::gptq})).run(model);
    CHECK(ops(model.graph()) == "MatMulNBits MatMulNBits");
    CHECK(node_making(model, "a").input(1) == node_making(model, "b").input(1));
    return node_making(model, "a").input(1)->constant()->to<int>();
  };
  const std::vector<int> both = codes("a = MatMul(x, w); b = MatMul(z, w); return a, b");
  CHECK(both == codes("b = MatMul(z, w); a = MatMul(x, w); return a, b"));
  CHECK(both != codes("a = MatMul(x, w); b = MatMul(x, w); return a, b"));
  CHECK(both != codes("a = MatMul(z, w); b = MatMul(z, w); return a, b"));
}

TEST_CASE("a weight has the same integers in every scope that reads it", "[blockwise]") {
  const std::string text =
      "opset 21; w = f32[40,6] random; x: f32[20,40]; c: bool[]; h = MatMul(x, w); "
      "y = If(c) {then_branch={ g = MatMul(x, w) }, else_branch={ n = Neg(x); k = MatMul(n, w) }}; return h, y";
  std::vector<float> values = wave({20, 40}).to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 40 < 20 ? 4.0F : 0.1F;
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({20, 40}, values)}, {"c", Tensor::scalar(true)}}};
  const BlockwiseOptions options{.method = BlockMethod::gptq};
  std::vector<std::vector<int>> codes;
  for (const Pass& pass : {observe_gram_matrices(samples) | blockwise(options),
                           quantize_weights_blockwise(targets::ort_cpu_x64, options, samples)}) {
    Model model = graph(text);
    pass.run(model);
    for (const Graph* const scope : model.scopes())
      for (const Node& node : scope->nodes())
        if (node.is("com.microsoft::MatMulNBits")) codes.push_back(node.input(1)->constant()->to<int>());
  }
  REQUIRE(codes.size() == 6);
  for (const std::vector<int>& one : codes) CHECK(one == codes.front());
}

TEST_CASE("what calibration gathers weighs the search, and GPTQ has every form", "[blockwise]") {
  std::vector<float> values = wave({20, 40}).to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 40 % 8 == 0 ? 10.0F : 0.5F;
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({20, 40}, values)}}};
  const std::vector<float> floats = Evaluator(graph(product).graph()).run(samples[0])[0].to<float>();
  const auto error = [&](const Pass& pass) {
    Model model = graph(product);
    pass.run(model);
    const std::vector<float> got = Evaluator(model.graph()).run(samples[0])[0].to<float>();
    double sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += std::pow(got[i] - floats[i], 2);
    return sum;
  };
  const Pass observe = observe_gram_matrices(samples);
  for (const bool symmetric : {false, true}) {
    for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard}) {
      BlockwiseOptions options{.weights = {.symmetric = symmetric}, .operators = operators};
      if (operators == BlockOperators::contrib) options.accuracy_level = 1;
      const double blind = error(blockwise(options));
      CHECK(error(observe | blockwise(options)) < 0.8 * blind);
      options.method = BlockMethod::gptq;
      CHECK(error(observe | blockwise(options)) < 0.5 * blind);
    }
  }
}

TEST_CASE("blocks: a DequantizeLinear has positive scales", "[blockwise]") {
  for (const BlockMethod method : {BlockMethod::nearest, BlockMethod::search}) {
    Model model = graph(product);
    blockwise({.weights = {.symmetric = true}, .method = method, .operators = BlockOperators::standard}).run(model);
    const Node& node = *node_making(model, "y").input(1)->producer();
    for (const float scale : node.input(1)->constant()->to<float>()) CHECK(scale > 0);
  }
}

TEST_CASE("blocks: 5 to 7 bits are stored in 8", "[blockwise]") {
  static constexpr std::array<int, 1> bits{6};
  static constexpr std::array<BlockKernel, 2> kernels{
      {{"DequantizeLinear", bits}, {"com.microsoft::GatherBlockQuantized", bits}}};
  Target target = targets::ort_cpu_x64;
  target.block_kernels = kernels;
  for (const bool symmetric : {false, true}) {
    const BlockForm form{6, 32, symmetric};
    const Pass pass = quantize_weights_blockwise(target, {.weights = form, .operators = BlockOperators::standard});
    Model model = graph(product);
    pass.run(model);
    CHECK(node_making(model, "y").input(1)->dtype() == DType::f32);
    const Node& node = *node_making(model, "y").input(1)->producer();
    CHECK(node.input(0)->constant()->dtype() == (symmetric ? DType::i8 : DType::u8));
    CHECK(distance(product, pass, {{"x", wave({3, 40})}}) < 0.04F);
    Model table = graph("opset 21; t = f32[30,72] random; ids: i64[2]; y = Gather(t, ids)");
    quantize_weights_blockwise(target, {.weights = form, .tables = EmbeddingOptions{.least_elements = 1}}).run(table);
    const Tensor codes = *node_making(table, "y").input(0)->constant();
    CHECK(codes.dtype() == DType::u8);
    CHECK(std::ranges::max(codes.to<int>()) > 50);
  }
}

TEST_CASE("blocks: a weight that several share is stored once", "[blockwise]") {
  Model model = graph("opset 21; w = f32[16,16] random; x: f32[N,16]; a = MatMul(x, w); b = MatMul(a, w); return b");
  blockwise().run(model);
  CHECK(model.graph().initializers().size() == 3);
}

TEST_CASE("blocks: what stays in float, and why", "[blockwise]") {
  using Notes = std::vector<std::string>;
  const auto notes_of = [](const std::string& text, const Pass& pass) {
    Model model = graph(text);
    const Report report = pass.run(model);
    CHECK(report.changes == 0);
    return report.notes;
  };
  const std::string none = "the target has no kernel for weights of this many bits in blocks of this size";
  CHECK(notes_of(product, blockwise({.weights = {.bits = 3}})) == Notes{"'y' stays in float: " + none});
  CHECK(notes_of(product, blockwise({.weights = {.bits = 8}, .operators = BlockOperators::standard})) ==
        Notes{"'y' stays in float: " + none});
  CHECK(notes_of(product, quantize_weights_blockwise(targets::onednn)) == Notes{"'y' stays in float: " + none});
  CHECK(notes_of("opset 21; w = f32[2,3,4] random; x: f32[2,5,3]; y = MatMul(x, w)", blockwise()) ==
        Notes{"'y' stays in float: its weight is not one matrix"});
  Model model = graph(product);
  Context context;
  (exclude_nodes({NamePattern("y")}) | blockwise()).run(model, context);
  CHECK(ops(model.graph()) == "MatMul");
  CHECK_THROWS_WITH(blockwise({.weights = {.block_size = 20}}), Catch::Contains("power of two"));
}

TEST_CASE("blocks: options of contrib operators are refused with standard ones", "[blockwise]") {
  BlockwiseOptions level{.operators = BlockOperators::standard, .accuracy_level = 1};
  BlockwiseOptions bits{.operators = BlockOperators::standard, .table_bits = 8};
  CHECK_THROWS_WITH(blockwise(level), Catch::Contains("accuracy_level"));
  CHECK_THROWS_WITH(blockwise(bits), Catch::Contains("table_bits"));
  level.operators = bits.operators = BlockOperators::contrib;
  CHECK_NOTHROW(level.check());
  CHECK_NOTHROW(bits.check());
}

TEST_CASE("tables become blocks that the runtime gathers", "[blockwise]") {
  const std::string text =
      "opset 21; t = f32[30,72] random; ids: i64[2,2]; y = Gather(t, ids); "
      "z = Gather(t, ids) {axis=-2}";
  const Feeds feeds{{"ids", Tensor::of<std::int64_t>({2, 2}, {0, 29, 7, -1})}};
  const EmbeddingOptions any{.least_elements = 1};
  for (const bool symmetric : {false, true}) {
    for (const int bits : {2, 4, 8}) {
      const BlockwiseOptions options{.weights = {bits, 32, symmetric}, .tables = any};
      Model model = graph(text);
      CHECK(blockwise(options).run(model).step("quantize_tables_blockwise")->changes == 1);
      CHECK(ops(model.graph()) == "GatherBlockQuantized GatherBlockQuantized");
      CHECK(model.graph().initializers().size() == (symmetric ? 2 : 3));
      CHECK(model.graph().find("y")->dtype() == DType::f32);
      CHECK(node_making(model, "y").attr<std::int64_t>("bits") == std::max(bits, 4));
      CHECK(distance(text, blockwise(options), feeds) < (bits == 8 ? 0.01F : 0.15F));
    }
  }
  Model portable = graph(text), wide = graph(text), kept = graph(text);
  blockwise({.operators = BlockOperators::standard, .tables = any}).run(portable);
  CHECK(ops(portable.graph()) == "Gather Cast Mul Gather Cast Mul");
  blockwise({.tables = any, .table_bits = 8}).run(wide);
  CHECK(node_making(wide, "y").attr<std::int64_t>("bits") == 8);
  blockwise({.tables = std::nullopt}).run(kept);
  CHECK(ops(kept.graph()) == "Gather Gather");
  Model deep = graph("opset 21; t = f32[4,3,2] random; ids: i64[2]; y = Gather(t, ids)");
  CHECK(blockwise({.tables = any}).run(deep).step("quantize_tables_blockwise")->notes ==
        std::vector<std::string>{"'t' stays in float: it is not a matrix"});
}

TEST_CASE("weights of products in bodies stand in these bodies, where the runtime looks for them", "[blockwise]") {
  const std::string text =
      "opset 21; w = f32[40,6] random; x: f32[N,40]; c: bool[]; "
      "y = If(c) {then_branch={ g = MatMul(x, w) }, else_branch={ n = Neg(x); h = MatMul(n, w) }}";
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard}) {
    Model model = graph(text);
    CHECK(blockwise({.operators = operators}).run(model).changes == 2);
    CHECK(verify(model).empty());
    CHECK(model.graph().find("w") == nullptr);
    std::size_t constants = 0;
    for (const Graph* const scope : model.scopes())
      for (const Node& node : scope->nodes())
        if (node.is("DequantizeLinear") || node.is("com.microsoft::MatMulNBits"))
          for (const Value* const input : node.inputs())
            if (input != nullptr && input->initializer() != nullptr) constants += &input->graph() == scope;
    CHECK(constants == 6);
    const Feeds feeds{{"x", wave({3, 40})}, {"c", Tensor::scalar(true)}};
    CHECK(distance(text, blockwise({.operators = operators}), feeds) < 0.2F);
  }
}
