#include <graft/quantize/tune/reconstruct.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/tune/detail/block_weight.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/testing/text.hpp>

#include "quantize/in_process_ranks.hpp"

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;

/// Neighbouring pixels and channels are alike, as in images.
std::vector<Feeds> samples(std::size_t count, std::uint32_t seed, const Dims& dims = {1, 4, 8, 8}) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Feeds> all;
  for (std::size_t i = 0; i < count; ++i) {
    const float slope = normal(random), common = normal(random);
    std::vector<float> values(static_cast<std::size_t>(Tensor(DType::f32, dims).size()));
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j] = common + slope * static_cast<float>(j % 8) / 8 + 0.3F * normal(random);
    all.push_back({{"x", Tensor::of<float>(dims, values)}});
  }
  return all;
}

struct Quantized {
  explicit Quantized(const std::string& text, int bits, Granularity scales = Granularity::per_channel,
                     const Dims& dims = {1, 4, 8, 8})
      : floats(graph(text)), model(floats.clone()), forms(WeightForm(scales, bits)), dims_(dims) {
    calibrate(samples(16, 1, dims)).run(model, context);
    (inject_qdq(target, Placement::all_supported) | quantize_weights(forms, target)).run(model, context);
  }

  Report reconstruct(Reconstruction options = {}, std::size_t threads = 1, ExecutorFactory make_executor = {}) {
    context.threads = threads;
    return graft::reconstruct(floats.graph(), samples(16, 1, dims_), forms, target, std::move(options),
                              std::move(make_executor))
        .run(model, context);
  }
  const ReconstructedLayers& found() const { return *context.facts.find<ReconstructedLayers>(); }
  /// Of the outputs on samples that were not seen.
  double decibels() const { return analyze(floats.graph(), model.graph(), samples(12, 99, dims_)).outputs.decibels; }

  Model floats, model;
  Context context;
  WeightForms forms;
  Dims dims_;
};

const std::string chain =
    "x: f32[1,4,8,8]; w = f32[8,4,3,3] random; b = f32[8] random; v = f32[8,8,3,3] random; u = f32[4,8,1,1] random; "
    "a = Conv(x, w, b) {pads=[1,1,1,1]}; r = Relu(a); c = Conv(r, v) {pads=[1,1,1,1]}; s = Relu(c); y = Conv(s, u)";
const std::string residual =
    "x: f32[1,4,8,8]; w = f32[8,4,1,1] random; d = f32[8,1,3,3] random; u = f32[4,8,1,1] random; "
    "a = Conv(x, w); r = Relu(a); c = Conv(r, d) {group=8, pads=[1,1,1,1]}; s = Relu(c); p = Conv(s, u); y = Add(p, x)";

/// Counts runs.
struct Counting {
  Evaluator evaluator;
  std::atomic<int>& runs;
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) {
    ++runs;
    return evaluator.run(feeds, fetches);
  }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
    evaluator.observe(feeds, fetches, observer);
  }
};

std::string branches_of(const std::string& convs) {
  return "x: f32[1,4,8,8]; w = f32[8,4,1,1] random; v = f32[8,4,1,1] random; u = f32[4,8,1,1] random; " + convs +
         "; s = Add(a, b); y = Conv(s, u)";
}
const std::string branches = branches_of("a = Conv(x, w); b = Conv(x, v)");
const std::string branches_in_another_order = branches_of("b = Conv(x, v); a = Conv(x, w)");

// Their products with the inputs have more than 100 numbers, the moments of these have less.
const std::string gemm_of_40 = "x: f32[6,8]; w = f32[8,40] random; y = Gemm(x, w)";
const std::string conv_of_64 = "x: f32[1,4,8,8]; w = f32[64,2,3,1] random; y = Conv(x, w) {group=2}";

std::vector<std::int32_t> codes_of(const Model& model) {
  std::vector<std::int32_t> codes;
  for (const Node& node : model.graph().nodes()) {
    if (!node.is("Conv") && !node.is("Gemm") && !node.is("MatMul")) continue;
    const QuantizedTensor weight = *quantized_constant(*node.input(1)->producer());
    std::ranges::copy(weight.data.to<std::int32_t>(), std::back_inserter(codes));
  }
  return codes;
}
std::int32_t least_code(const Model& model) { return std::ranges::min(codes_of(model)); }
std::int32_t largest_code(const Model& model) {
  return std::max(std::ranges::max(codes_of(model)), -least_code(model));
}

/// Stores integers of 8 bits in a dtype of fewer. Full: the least ones become the lowest of the dtype.
void narrow_weights(Model& model, DType dtype, bool is_full) {
  for (Node& node : model.graph().nodes()) {
    const auto narrow = [&](std::size_t input) {
      const std::optional<Tensor> old = detail::constant_input(node, input);
      if (!old || old->dtype() != DType::i8) return;
      std::vector<std::int32_t> codes = old->to<std::int32_t>();
      if (is_full) std::ranges::replace(codes, -static_cast<std::int32_t>(highest(dtype)),
                                        static_cast<std::int32_t>(lowest(dtype)));
      detail::replace_constant(node, input, Tensor::of<std::int32_t>(dtype, old->dims(), codes), "narrow");
    };
    if (!is_dequantize(node) || !detail::constant_input(node, 0)) continue;
    narrow(0);
    narrow(2);
  }
}

}  // namespace

TEST_CASE("learned weights of few bits bring outputs nearer to float", "[quantize]") {
  for (const std::string& text : {chain, residual})
    for (const Granularity scales : {Granularity::per_channel, Granularity::per_tensor})
      for (const int bits : {2, 3, 4}) {
        INFO(text << " " << bits << " " << static_cast<int>(scales));
        Quantized net(text, bits, scales);
        const double before = net.decibels();
        const std::size_t nodes = net.model.graph().nodes().size();
        const Report report = net.reconstruct();
        CHECK(net.found().layers.size() == 3);
        CHECK(net.found().learned() >= 2);
        CHECK(report.changes == net.found().learned());
        CHECK(net.found().is_complete);
        CHECK(largest_code(net.model) <= (1 << (bits - 1)) - 1);
        CHECK(net.decibels() > before + 1.5);
        for (const ReconstructedLayers::Layer& layer : net.found().layers)
          CHECK((layer.noise_after < layer.noise_before) == layer.why_not.empty());
        CHECK(net.model.graph().nodes().size() >= nodes);  // biases are added
      }
}

TEST_CASE("weights of a narrow dtype are learned within its integers", "[quantize]") {
  for (const DType dtype : {DType::i2, DType::i4})
    for (const bool is_full : {false, true})
      for (const Granularity scales : {Granularity::per_channel, Granularity::per_tensor}) {
        INFO(dtype << " " << is_full << " " << static_cast<int>(scales));
        Quantized net("opset 25; " + chain, static_cast<int>(bits(dtype)), scales);
        narrow_weights(net.model, dtype, is_full);
        net.forms = scales;  // of 8 bits
        const double before = net.decibels();
        net.reconstruct();
        CHECK(net.found().learned() >= 2);
        CHECK(net.decibels() > before + 1.5);
        CHECK(least_code(net.model) == (is_full ? lowest(dtype) : -highest(dtype)));
      }
}

TEST_CASE("reconstruction does not lose in 8 bits", "[quantize]") {
  for (const std::string& text : {chain, residual}) {
    Quantized net(text, 8);
    const double before = net.decibels();
    net.reconstruct();
    CHECK(net.decibels() > before - 0.1);
  }
}

TEST_CASE("reconstruction does not depend on threads, and goes on where it ended", "[quantize]") {
  Quantized one(residual, 3), three(residual, 3);
  one.reconstruct({}, 1);
  three.reconstruct({}, 3);
  CHECK(one.model.serialize() == three.model.serialize());
  const double once = one.decibels();
  one.reconstruct();
  CHECK(one.decibels() > once - 0.5);
}

TEST_CASE("ranks share samples and channels, and all end with the same model", "[quantize]") {
  for (const Granularity scales : {Granularity::per_channel, Granularity::per_tensor}) {
    Quantized alone(residual, 3, scales);
    alone.reconstruct();
    REQUIRE(alone.found().learned() >= 2);
    for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
      const auto work = [&](Ranks ranks) {
        Quantized net(residual, 3, scales);
        net.reconstruct({.ranks = std::move(ranks)});
        return net.model.serialize() + to_string(net.found());
      };
      for (const std::string& made : by_ranks(count, work))
        CHECK(made == alone.model.serialize() + to_string(alone.found()));
    }
  }
}

TEST_CASE("ranks agree on layers that the float graph has in another order", "[quantize]") {
  const auto work = [](Ranks ranks) {
    Quantized net(branches, 3);
    net.floats = graph(branches_in_another_order);
    net.reconstruct({.samples = 3, .ranks = std::move(ranks)});
    CHECK(net.found().layers.at(1).why_not == "the float graph has another order");
    return net.model.serialize() + to_string(net.found());
  };
  const std::string alone = work({});
  for (const std::string& made : by_ranks(4, work)) CHECK(made == alone);  // the last one has no sample
}

TEST_CASE("each rank runs its samples alone", "[quantize]") {
  const auto runs = [](const Ranks& ranks) {
    std::atomic<int> count = 0;
    Quantized net(chain, 4);
    net.reconstruct({.ranks = ranks}, 1, [&](const Graph& g) { return Counting{Evaluator(g), count}; });
    return count.load();
  };
  const int all = runs({});
  int sum = 0;
  for (const std::string& own : by_ranks(4, [&](const Ranks& ranks) { return std::to_string(runs(ranks)); })) {
    CHECK(std::stoi(own) == all / 4);
    sum += std::stoi(own);
  }
  CHECK(sum == all);
}

TEST_CASE("a layer is learned while all ranks have time", "[quantize]") {
  const auto work = [](const Ranks& ranks) {
    Quantized net(chain, 4);
    const double seconds = ranks.rank == 1 ? 0 : 1000;
    net.reconstruct({.max_seconds = seconds, .ranks = ranks});
    CHECK_FALSE(net.found().is_complete);
    return net.model.serialize();
  };
  const std::string before = Quantized(chain, 4).model.serialize();
  for (const std::string& made : by_ranks(3, work)) CHECK(made == before);
}

TEST_CASE("without time a model stays as it was", "[quantize]") {
  Quantized net(chain, 4);
  const std::string before = net.model.serialize();
  const Report report = net.reconstruct({.max_seconds = 0});
  CHECK(report.changes == 0);
  CHECK_FALSE(net.found().is_complete);
  CHECK(net.found().layers[1].why_not == "the time was over");
  CHECK(net.model.serialize() == before);
}

TEST_CASE("blocks learn what layers alone cannot", "[quantize]") {
  double layers_alone = 0, blocks = 0, noise_before = 0, noise_after = 0;
  std::size_t learned = 0;
  for (const std::string& text : {chain, residual})
    for (const int bits : {2, 3}) {
      INFO(text << " " << bits);
      Quantized alone(text, bits), net(text, bits);
      alone.reconstruct();
      net.reconstruct({.block_steps = 150});
      CHECK(alone.found().blocks.empty());
      REQUIRE(net.found().blocks.size() == 1);
      CHECK(net.found().blocks[0].layers.size() == 3);
      CHECK(largest_code(net.model) <= (1 << (bits - 1)) - 1);
      CHECK(verify(net.model).empty());
      if (net.found().learned_blocks() == 1) {
        ++learned;
        noise_before += net.found().blocks[0].noise_before;
        noise_after += net.found().blocks[0].noise_after;
      }
      layers_alone += alone.decibels();
      blocks += net.decibels();
    }
  CHECK(learned >= 2);
  CHECK(noise_after < 0.95 * noise_before);  // 0.89 to 0.91, as compilers round
  CHECK(blocks > layers_alone + 1);
}

TEST_CASE("a block is kept if held-out samples are better, and else the model is that of its layers", "[quantize]") {
  std::size_t kept = 0, left = 0;
  for (const std::string& text : {chain, residual})
    for (const int bits : {2, 4, 8}) {
      Quantized alone(text, bits), net(text, bits);
      alone.reconstruct();
      net.reconstruct({.block_steps = 3});
      const ReconstructedLayers::Block& block = net.found().blocks.at(0);
      CHECK((block.noise_after < block.noise_before) == block.why_not.empty());
      CHECK((net.model.serialize() == alone.model.serialize()) == !block.why_not.empty());
      ++(block.why_not.empty() ? kept : left);
    }
  CHECK(kept != 0);
  CHECK(left != 0);
}

TEST_CASE("a learned block does not hide why a layer was not learned by itself", "[quantize]") {
  Quantized net(branches, 2);
  net.floats = graph(branches_in_another_order);
  const Report report = net.reconstruct({.block_steps = 150});
  REQUIRE(net.found().learned_blocks() == 1);
  CHECK(net.found().layers.at(1).why_not == "the float graph has another order");
  CHECK(net.found().learned() < 3);
  CHECK(report.changes == 3);
  for (const Node& node : net.model.graph().nodes())
    if (node.is("Conv")) CHECK(node.input(2) != nullptr);  // the block's biases stay
}

TEST_CASE("blocks do not depend on threads, but on the seed", "[quantize]") {
  const auto learned = [](std::size_t threads, std::uint32_t seed) {
    Quantized net(residual, 3);
    net.reconstruct({.block_steps = 40, .drop = 0.5, .seed = seed}, threads);
    CHECK(net.found().learned_blocks() == 1);
    return net.model.serialize();
  };
  const std::string one = learned(1, 7);
  CHECK(learned(3, 7) == one);
  CHECK(learned(1, 8) != one);
}

namespace {

/// Fails on runs for several values.
struct Failing {
  Evaluator evaluator;
  bool fails;
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) {
    if (fails && fetches.size() > 1) throw Error("the disk is full").node("a");
    return evaluator.run(feeds, fetches);
  }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
    evaluator.observe(feeds, fetches, observer);
  }
};

}  // namespace

TEST_CASE("ranks learn the same block as one of them alone", "[quantize]") {
  const auto learned = [](Ranks ranks) {
    Quantized net(residual, 3);
    net.reconstruct({.block_steps = 40, .drop = 0.5, .seed = 7, .ranks = std::move(ranks)});
    const ReconstructedLayers::Block& block = net.found().blocks.at(0);
    return net.model.serialize() + to_string(net.found()) + std::to_string(1e9 * block.noise_after) + block.why_not;
  };
  const std::string alone = learned({});
  CHECK_THAT(alone, Catch::Contains("1 of 1 blocks"));
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{6}})
    for (const std::string& made : by_ranks(count, learned)) CHECK(made == alone);
}

TEST_CASE("if a rank fails in a block, all leave it as its layers are", "[quantize]") {
  Quantized layers(chain, 3);
  layers.reconstruct();
  const auto work = [&](const Ranks& ranks) {
    Quantized net(chain, 3);
    net.reconstruct({.block_steps = 20, .ranks = ranks}, 1,
                    [&](const Graph& g) { return Failing{Evaluator(g), ranks.rank + 1 == ranks.count}; });
    return net.model.serialize() + net.found().blocks.at(0).why_not;
  };
  const std::string expected = layers.model.serialize() + "node 'a': the disk is full";
  CHECK(work({}) == expected);
  for (const std::string& made : by_ranks(3, work)) CHECK(made == expected);
}

TEST_CASE("the first rank without time ends a block for all", "[quantize]") {
  const auto work = [](const Ranks& ranks) {
    Quantized net(chain, 2);
    net.reconstruct({.block_steps = 1000000, .max_seconds = ranks.rank == 1 ? 0.5 : 1000, .ranks = ranks});
    return net.model.serialize();
  };
  const std::vector<std::string> made = by_ranks(3, work);
  CHECK(made[1] == made[0]);
  CHECK(made[2] == made[0]);
}

TEST_CASE("steps of activations between layers of a block are learned, and operators stay fused", "[quantize]") {
  const std::string text =
      "x: f32[1,4,8,8]; w = f32[8,4,1,1] random; v = f32[8,8,1,1] random; u = f32[4,8,1,1] random; "
      "a = Conv(x, w); r = Relu(a); c = Conv(r, v); s = Conv(c, u); y = MaxPool(s) {kernel_shape=[2,2]}";
  const auto scales = [](const Model& model) {
    std::vector<float> found;
    for (const Node& node : model.graph().nodes())
      if (is_quantize(node)) found.push_back(qparams_of(node)->scale);
    return found;
  };
  Quantized alone(text, 3), net(text, 3);
  const std::vector<float> before = scales(net.model);
  alone.reconstruct();
  CHECK(scales(alone.model) == before);
  net.reconstruct({.block_steps = 60});
  REQUIRE(net.found().learned_blocks() == 1);
  const std::vector<float> after = scales(net.model);
  REQUIRE(after.size() == before.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < after.size(); ++i) changed += after[i] != before[i];
  CHECK(changed == 2);  // those behind the Relu and the second Conv
  CHECK(after[0] == before[0]);
  CHECK(after.back() == before.back());
  CHECK(to_string(audit(net.model.graph(), target)) == to_string(audit(alone.model.graph(), target)));
}

TEST_CASE("a run that is cancelled or out of time leaves a valid model", "[quantize]") {
  Quantized whole(residual, 3);
  std::size_t asked = 0;
  whole.context.cancelled = [&] { return ++asked == 0; };
  whole.reconstruct({.block_steps = 20});
  REQUIRE(asked > 20);
  for (std::size_t i = 1; i <= 4; ++i) {
    Quantized net(residual, 3);
    std::size_t told = 0;
    net.context.cancelled = [&] { return ++told > asked * i / 5; };
    CHECK(net.reconstruct({.block_steps = 20}).outcome == Outcome::cancelled);
    CHECK(verify(net.model).empty());
    CHECK(net.decibels() > 0);
  }
  Quantized hasty(residual, 3);
  const Report report = hasty.reconstruct({.block_steps = 1000000, .max_seconds = 0.5});
  CHECK(verify(hasty.model).empty());
  CHECK_FALSE(hasty.found().is_complete);
  CHECK(report.notes.front().ends_with("; the time was over"));
}

TEST_CASE("products of matrices are learned", "[quantize]") {
  const Dims dims{6, 8};
  for (const char* const text :
       {"x: f32[6,8]; w = f32[8,12] random; v = f32[12,5] random; b = f32[12] random; c = f32[5] random; "
        "a = Gemm(x, w, b); r = Relu(a); y = Gemm(r, v, c)",
        "x: f32[6,8]; w = f32[12,8] random; v = f32[5,12] random; "
        "a = Gemm(x, w) {transB=1}; r = Relu(a); y = Gemm(r, v) {transB=1}",
        "x: f32[6,8]; w = f32[8,12] random; v = f32[12,5] random; a = MatMul(x, w); r = Relu(a); y = MatMul(r, v)"}) {
    INFO(text);
    Quantized net(text, 3, Granularity::per_channel, dims);
    const double before = net.decibels();
    net.reconstruct();
    REQUIRE(net.found().layers.size() == 2);
    CHECK(net.found().learned() == 2);
    CHECK(net.decibels() > before + 2);
  }
}

namespace {

/// Products of matrices with weights in blocks.
struct InBlocks {
  explicit InBlocks(const BlockwiseOptions& options,
                    const std::string& text = "w = f32[40,24] random; v = f32[24,5] random; a = MatMul(x, w); "
                                              "r = Relu(a); y = MatMul(r, v)")
      : floats(graph("opset 21; x: f32[6,40]; " + text)),
        model(floats.clone()) {
    quantize_weights_blockwise(target, options).run(model);
  }
  Report reconstruct(Reconstruction options = {}, std::size_t threads = 1) {
    context.threads = threads;
    return graft::reconstruct(floats.graph(), samples(32, 1, {6, 40}), Granularity::per_channel, target,
                              std::move(options))
        .run(model, context);
  }
  const ReconstructedLayers& found() const { return *context.facts.find<ReconstructedLayers>(); }
  double decibels() const { return analyze(floats.graph(), model.graph(), samples(12, 99, {6, 40})).outputs.decibels; }

  Model floats, model;
  Context context;
};

}  // namespace

TEST_CASE("weights in blocks are learned", "[quantize]") {
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard})
    for (const bool symmetric : {false, true})
      for (const int bits : {2, 4}) {
        if (operators == BlockOperators::standard && bits != 4) continue;
        INFO(bits << " " << symmetric << " " << static_cast<int>(operators));
        BlockwiseOptions options{.weights = {.bits = bits, .block_size = 16, .symmetric = symmetric},
                                 .operators = operators};
        if (operators == BlockOperators::contrib) options.accuracy_level = 1;
        InBlocks net(options);
        const Model before = net.model.clone();
        const double decibels = net.decibels();
        net.reconstruct();
        REQUIRE(net.found().layers.size() == 2);
        CHECK(net.found().learned() == 2);
        CHECK(net.decibels() > decibels + 1.5);
        CHECK(verify(net.model).empty());
        auto old = before.graph().nodes().begin();
        for (const Node& node : net.model.graph().nodes()) {
          CHECK(node.op_type() == old->op_type());
          const auto learned = detail::read_block_weight(node), given = detail::read_block_weight(*old++);
          if (!learned) continue;
          CHECK(learned->codes != given->codes);
          CHECK(*std::ranges::max_element(learned->codes) <= learned->form.highest());
          CHECK(learned->zero_points == given->zero_points);
          for (std::size_t i = 0; i < given->scales.size(); ++i) CHECK(learned->scales[i] * given->scales[i] > 0);
        }
        // What is written is what was learned.
        onnx::ModelProto proto;
        REQUIRE(proto.ParseFromString(net.model.serialize()));
        const Model read(std::move(proto));
        CHECK(analyze(net.model.graph(), read.graph(), samples(2, 99, {6, 40})).outputs.cosine == 1);
      }
}

TEST_CASE("blocks of layers whose weights have scales for blocks are learned", "[quantize]") {
  const std::string text =
      "w = f32[32,40] random; b = f32[32] random; v = f32[32,32] random; u = f32[32,4] random; "
      "a = Gemm(x, w, b) {transB=1}; r = Relu(a); c = MatMul(r, v); s = Relu(c); y = MatMul(s, u)";
  std::size_t learned_blocks = 0;
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard})
    for (const bool symmetric : {false, true})
      for (const int bits : {2, 4}) {
        if (operators == BlockOperators::standard && bits != 4) continue;
        INFO(bits << " " << symmetric << " " << static_cast<int>(operators));
        BlockwiseOptions options{.weights = {.bits = bits, .block_size = 16, .symmetric = symmetric},
                                 .operators = operators};
        if (operators == BlockOperators::contrib) options.accuracy_level = 1;
        InBlocks alone(options, text), net(options, text);
        alone.reconstruct();
        net.reconstruct({.block_steps = 60});
        REQUIRE(net.found().blocks.size() == 1);
        const ReconstructedLayers::Block& block = net.found().blocks[0];
        CHECK(block.layers.size() == 3);
        CHECK((block.noise_after < block.noise_before) == block.why_not.empty());
        CHECK((net.model.serialize() == alone.model.serialize()) == !block.why_not.empty());
        CHECK(verify(net.model).empty());
        learned_blocks += net.found().learned_blocks();
        auto old = alone.model.graph().nodes().begin();
        for (const Node& node : net.model.graph().nodes()) {
          const auto learned = detail::read_block_weight(node), given = detail::read_block_weight(*old++);
          if (!learned) continue;
          if (block.why_not.empty()) CHECK(learned->scales != given->scales);
          CHECK(learned->zero_points == given->zero_points);
          CHECK(*std::ranges::max_element(learned->codes) <= learned->form.highest());
          int largest = 0, signs = 0;
          for (std::size_t i = 0; i < given->codes.size(); ++i)
            largest = std::max(largest, std::abs(int{learned->codes[i]} - int{given->codes[i]}));
          for (std::size_t i = 0; i < given->scales.size(); ++i) signs += learned->scales[i] * given->scales[i] < 0;
          CHECK(largest <= 1);
          CHECK(signs == 0);
        }
      }
  CHECK(learned_blocks >= 3);
}

TEST_CASE("a note counts the layers that are in no block", "[quantize]") {
  const auto notes = [](const std::string& products, std::size_t block_steps = 1) {
    InBlocks net({}, "w = f32[40,24] random; v = f32[24,5] random; u = f32[24,5] random; " + products);
    std::string all;
    const Report report = net.reconstruct({.samples = 1, .block_steps = block_steps});
    for (const std::string& note : report.notes) all += note + "\n";
    return all;
  };
  const std::string first = "a = Relu(MatMul(x, w)); ", both = first + "y = MatMul(a, v); z = MatMul(a, u); ";
  CHECK_THAT(notes(both + "return y, z"), Catch::Contains("\n2 layers are in no block\n"));
  CHECK_THAT(notes(both + "return y, z", 0), !Catch::Contains("no block"));
  CHECK_THAT(notes(first + "y = MatMul(a, v)"), !Catch::Contains("no block"));
  CHECK_THAT(notes("y = MatMul(x, w); z = MatMul(x, f32[40,5] random); return y, z"),
             Catch::Contains("\nno block of layers was found\n"));
}

TEST_CASE("weights in blocks of other float products are learned", "[quantize]") {
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard})
    for (const char* const first :
         {"w = f32[24,40] random; a = Gemm(x, w) {transB=1}", "w = f32[40,24] random; a = Gemm(x, w) {alpha=0.5}",
          "w = f32[24,40] random; a = MatMul(x, Transpose(w) {perm=[1,0]})",
          "w = f32[24,40] random; b = f32[24] random; a = Gemm(x, w, b) {transB=1, alpha=2, beta=4}"}) {
      INFO(first << " " << static_cast<int>(operators));
      InBlocks net({.weights = {.bits = 4, .block_size = 16}, .operators = operators},
                   std::string(first) + "; r = Relu(a); v = f32[24,5] random; y = MatMul(r, v)");
      const double decibels = net.decibels();
      net.reconstruct();
      REQUIRE(net.found().layers.size() == 2);
      CHECK(net.found().learned() == 2);
      CHECK(net.found().layers[0].noise_before < 0.2);
      CHECK(net.decibels() > decibels + 1);
      CHECK(verify(net.model).empty());
    }
}

TEST_CASE("weights in blocks depend neither on threads nor on ranks", "[quantize]") {
  const BlockwiseOptions options{.weights = {.bits = 4, .block_size = 16}};
  const auto learned = [&](Ranks ranks, std::size_t threads) {
    InBlocks net(options);
    net.reconstruct({.block_steps = 10, .ranks = std::move(ranks)}, threads);
    return net.model.serialize() + to_string(net.found()) + std::to_string(1e9 * net.found().blocks.at(0).noise_after);
  };
  const std::string alone = learned({}, 1);
  CHECK_THAT(alone, Catch::Contains("learned 2 of 2 layers"));
  CHECK(learned({}, 3) == alone);
  for (const std::string& made : by_ranks(3, [&](Ranks ranks) { return learned(std::move(ranks), 1); }))
    CHECK(made == alone);
}

TEST_CASE("layers that cannot be learned keep their integers, and say why", "[quantize]") {
  const auto why_not = [](Quantized& net) {
    const std::string before = net.model.serialize();
    net.reconstruct();
    CHECK(net.model.serialize() == before);
    return net.found().layers.at(0).why_not;
  };
  Quantized shared("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; a = Conv(x, w); r = Relu(a); y = Conv(r, w)", 4);
  CHECK(why_not(shared) == "its weight is shared");
  Quantized scaled("x: f32[6,8]; w = f32[8,5] random; b = f32[5] random; y = Gemm(x, w, b) {alpha=0.5}", 4,
                   Granularity::per_channel, {6, 8});
  CHECK(why_not(scaled) == "its input is transposed, or its alpha or beta is not 1");
  Quantized other(chain, 4);
  other.floats = graph("x: f32[1,4,8,8]; w = f32[8,4,3,3] random; y = Conv(x, w)");
  CHECK(why_not(other) == "the float graph has no such layer");
}

TEST_CASE("the mean noise is that of the layers that were measured", "[quantize]") {
  ReconstructedLayers result;
  result.held_out = 4;
  result.layers = {{.name = "a", .noise_before = 0.5, .noise_after = 0.25, .is_measured = true},
                   {.name = "b", .why_not = "its weight is shared"},
                   {.name = "c", .noise_before = 0.1, .noise_after = 0.1, .is_measured = true, .why_not = "no"}};
  CHECK(to_string(result) == "learned 1 of 3 layers: mean noise 0.175, before 0.3");
  result.is_complete = false;
  result.layers.resize(2);
  CHECK(to_string(result) == "learned 1 of 2 layers: mean noise 0.25, before 0.5; the time was over");
  result.layers.erase(result.layers.begin());
  CHECK(to_string(result) == "learned 0 of 1 layers; the time was over");

  Quantized shared("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; v = f32[4,4,1,1] random; a = Conv(x, w); r = Relu(a); "
                   "s = Conv(r, w); y = Conv(s, v)",
                   3);
  shared.reconstruct();
  for (const ReconstructedLayers::Layer& layer : shared.found().layers)
    CHECK(layer.is_measured == (layer.noise_before > 0));
  CHECK(std::ranges::count(shared.found().layers, true, &ReconstructedLayers::Layer::is_measured) == 1);
}

TEST_CASE("the result says whether samples were held out", "[quantize]") {
  for (const std::size_t samples : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{16}}) {
    Quantized net(chain, 3);
    const Report report = net.reconstruct({.samples = samples});
    CHECK(net.found().held_out == samples / 4);
    const bool says_none = report.notes.at(0).find("no samples are held out, because there are fewer than 4") !=
                           std::string::npos;
    CHECK(says_none == (samples < 4));
  }
}

TEST_CASE("the float graph may have operators that the quantized one lacks", "[quantize]") {
  Quantized net(chain, 4);
  net.floats = graph("x: f32[1,4,8,8]; n = Sigmoid(Neg(x)); " + chain.substr(chain.find("w = ")) + "; return y, n");
  net.reconstruct();
  CHECK(net.found().learned() == 3);
}

TEST_CASE("the share of activations in float is from 0 to 1", "[quantize]") {
  Quantized net(chain, 4);
  for (const double drop : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH(net.reconstruct({.block_steps = 1, .drop = drop}), Catch::Contains("drop"));
}

TEST_CASE("a layer that cannot be learned runs no more samples", "[quantize]") {
  Quantized net("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; y = Conv(x, w)", 4);
  // Other strides give other dims.
  net.floats = graph("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; y = Conv(x, w) {strides=[2,2]}");
  std::atomic<int> count = 0;
  net.reconstruct({}, 1, [&](const Graph& g) { return Counting{Evaluator(g), count}; });
  CHECK(net.found().layers.at(0).why_not == "its output has other dims than its window");
  CHECK(count < 16 + 16 + 3);  // to the place of the layer in both graphs, and the first sample
}

TEST_CASE("wide layers are learned in parts, whatever the number of threads and ranks", "[quantize]") {
  for (const Granularity scales : {Granularity::per_channel, Granularity::per_tensor})
    for (const auto& [text, dims] : {std::pair(gemm_of_40, Dims{6, 8}), std::pair(conv_of_64, Dims{1, 4, 8, 8})}) {
      INFO(static_cast<int>(scales) << " " << text);
      struct Learned {
        double decibels;
        std::string made;
        int runs;
      };
      const auto learned = [&, &wide = text, &of = dims](Reconstruction options, std::size_t threads) {
        Quantized net(wide, 4, scales, of);
        std::atomic<int> runs = 0;
        net.reconstruct(std::move(options), threads, [&](const Graph& g) { return Counting{Evaluator(g), runs}; });
        return Learned{net.decibels(), net.model.serialize() + to_string(net.found()), runs.load()};
      };
      const Learned whole = learned({}, 1), in_parts = learned({.max_bytes = 800}, 1);
      CHECK(whole.decibels > Quantized(text, 4, scales, dims).decibels() + 1);
      CHECK(in_parts.decibels > whole.decibels - 0.5);
      CHECK(in_parts.runs > whole.runs + 3 * 16);
      CHECK(learned({.max_bytes = 800}, 3).made == in_parts.made);
      for (const std::string& made : by_ranks(3, [&](Ranks ranks) {
             return learned({.max_bytes = 800, .ranks = std::move(ranks)}, 1).made;
           }))
        CHECK(made == in_parts.made);
    }
}

TEST_CASE("a layer whose inputs are too many stays as it is", "[quantize]") {
  Quantized net(chain, 3);
  net.reconstruct({.max_bytes = 36 * 36 * 8});
  std::vector<std::string> reasons;
  for (const ReconstructedLayers::Layer& layer : net.found().layers) reasons.push_back(layer.why_not);
  CHECK(reasons == std::vector<std::string>{"", "the moments of its inputs exceed max_bytes", ""});
}

TEST_CASE("reconstruction needs a sample", "[quantize]") {
  Quantized net(chain, 4);
  CHECK_THROWS_WITH(reconstruct(net.floats.graph(), std::vector<Feeds>(), net.forms, target).run(net.model),
                    Catch::Contains("there is no sample to learn from"));
}
