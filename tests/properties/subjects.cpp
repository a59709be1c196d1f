#include "subjects.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/verify.hpp>
#include <graft/lower.hpp>
#include <graft/precision.hpp>
#include <graft/qdq.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize/cache/quantize_cache.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/place/commute_deferred.hpp>
#include <graft/quantize/place/commute_lone.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/place/widen_activations.hpp>
#include <graft/quantize/prepare/bound_masks.hpp>
#include <graft/quantize/prepare/equalization.hpp>
#include <graft/quantize/prepare/float_islands.hpp>
#include <graft/quantize/prepare/longer_branches.hpp>
#include <graft/quantize/prepare/name_normalizations.hpp>
#include <graft/quantize/run/detail/random_feeds.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/quantize/target/qnn_htp.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/choose_bit_widths.hpp>
#include <graft/quantize/tune/reconstruct.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/simplify.hpp>
#include <graft/surgery.hpp>
#include <graft/transformer.hpp>

using namespace graft;

namespace {

const std::vector<std::string> transformer_operators{
    "Gelu", "com.microsoft::Gelu", "com.microsoft::QuickGelu", "com.microsoft::FastGelu", "com.microsoft::BiasGelu",
    "LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "com.microsoft::SkipLayerNormalization",
    "com.microsoft::SkipSimplifiedLayerNormalization", "com.microsoft::Attention",
    "com.microsoft::MultiHeadAttention", "com.microsoft::GroupQueryAttention", "Attention", "RotaryEmbedding",
    "com.microsoft::RotaryEmbedding", "com.microsoft::EmbedLayerNormalization", "MatMul", "Add", "Mul", "Transpose",
    "Reshape", "Softmax", "Cast", "Concat"};

std::vector<RuleView> all_of(const Registry<RuleView>& rules) {
  std::vector<RuleView> all;
  for (const std::string_view name : rules.names()) all.push_back(rules.at(name));
  return all;
}

/// Whether the rule can run until it matches nowhere.
bool comes_to_an_end(const RuleView& rule) {
  Model model = Builder(17).build();
  try {
    fixpoint(std::vector<RuleView>{rule}).run(model);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Gives rules what they ask for beyond their patterns.
void suit(const RuleView& rule, Vocabulary& vocabulary) {
  const std::string_view name = rule.name();
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({"known-choice", "known-contents", "known-expand-target", "known-reshape-target"})) {
    vocabulary.operators = {"Shape", "Gather", "Slice", "Concat", "Cast", "Unsqueeze", "Squeeze", "Add", "Mul", "Equal",
                            "Where", "ConstantOfShape", "Reshape", "Expand", "Range", "Greater"};
  }
  if (is_one_of({"add-to-depthwise-conv", "mul-to-depthwise-conv", "hard-sigmoid-to-clip",
                 "hard-swish-to-hard-sigmoid"}))
    vocabulary.operators = {"Conv", "Conv", "Relu", "Clip", "MaxPool"};
  if (is_one_of({"gelu", "gelu-by-tanh"})) vocabulary.opsets = {20, 21, 22, 23};
  if (is_one_of({"bare-rms-normalization", "rms-to-simplified-layer-normalization", "standard-attention",
                 "standard-rotary-embedding", "expand-attention-mask", "decompose-attention"}))
    vocabulary.opsets = {23};
}

void add_rules(std::vector<Subject>& all, const std::string& room, const std::vector<RuleView>& rules,
               const FuzzOptions& usual) {
  for (const RuleView& rule : rules) {
    FuzzOptions options = usual;
    options.sweep = !comes_to_an_end(rule);
    suit(rule, options.vocabulary);
    all.push_back({room + "/" + std::string(rule.name()), {rule}, {}, options});
  }
}

constexpr auto scores = val<"scores">;
constexpr auto lowest = cst<"lowest">.dtype(DType::f32).all_equal(-10000);
/// Scores with a mask, as bound_masks() finds them. Only the left sides count.
constexpr auto masked_sum = rule<"masked-sum">(
    op<"Softmax">(op<"Add">(scores, op<"Where">(val<"seen">, cst<"none">.all_equal(0), lowest))), scores);
constexpr auto masked_product = rule<"masked-product">(
    op<"Softmax">(op<"Add">(scores, op<"Mul">(op<"Cast">(val<"hidden">.dtype(DType::i64, DType::boolean)), lowest))),
    scores);

/// Provides a range for every tensor that may be quantized.
Pass equal_ranges() {
  return pass("equal_ranges",
              [](Graph& graph, Context& context) {
                Ranges ranges;
                for (const Value* const value : observable(graph)) ranges.set(value->name(), {-4, 4});
                context.facts.provide(std::move(ranges));
                return Report();
              })
      .provides<Ranges>()
      .preserves_all();
}

/// Gives each attention caches of no steps, as inputs and outputs of the graph. Returns how many have them.
std::size_t give_caches(Graph& graph) {
  std::size_t count = 0;
  std::vector<Node*> attentions;
  for (Node& node : graph.nodes())
    if (node.is("com.microsoft::GroupQueryAttention") && node.output_count() > 2) attentions.push_back(&node);
  for (Node* const node : attentions) {
    const std::int64_t heads = node->attr<std::int64_t>("kv_num_heads").value_or(1);
    const std::optional<Dims> keys = node->input(1) != nullptr ? node->input(1)->shape().dims() : std::nullopt;
    if (node->input(3) != nullptr || node->input(4) != nullptr || !keys) continue;
    for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
      const Shape empty(Dims{keys->front(), heads, 0, keys->back() / heads});
      Value& past = graph.add_input("past_" + std::to_string(2 * count + i), tensor_type(DType::f32, empty));
      Value& present = *node->output(i - 2);
      if (!graph.set_input(*node, i, &past) || present.name().empty()) continue;
      if (!present.is_graph_output()) graph.add_output(present);
    }
    ++count;
  }
  return count;
}

/// Runs quantize_cache(), which changes the signature, on a copy with caches. Throws Error if the copy is faulty then,
/// or does not run.
Pass quantize_cache_of_copy() {
  return pass("quantize_cache", [](Graph& graph, Context&) {
    Model copy(graph.model().proto(), graph.model());
    infer_shapes(copy.graph());
    if (give_caches(copy.graph()) == 0) return Report();
    const auto feeds = [&copy] { return detail::random_feeds(copy.graph(), Ranges(), 2, 1); };
    Feeds floats;
    try {
      Evaluator(copy.graph()).run(floats = feeds());
    } catch (const Error&) {
      return Report();  // there is no kernel for an operator
    }
    const std::size_t faults = verify(copy).size();
    const Target& target = targets::at_release(targets::ort_cpu_x64, {1, 27});
    quantize_cache(target, 8, std::vector<Feeds>{floats}).run(copy);
    if (verify(copy).size() > faults) throw Error("the copy is faulty");
    Evaluator(copy.graph()).run(feeds());
    return Report();
  });
}

/// Chooses bits for a copy, quantizes it and learns its rounding: passes that need samples and the float graph. Throws
/// Error if the copy is faulty then, or does not run.
Pass learn_few_bits_of_copy() {
  return pass("reconstruct", [](Graph& graph, Context&) {
    const Target& target = targets::ort_cpu_x64;
    Model floats(graph.model().proto(), graph.model());
    std::vector<Feeds> samples;
    try {
      (freeze_inputs() | inline_functions() | raise_opset(13) | unique_node_names() | infer_shapes()).run(floats);
      for (std::uint32_t i = 0; i < 4; ++i) {
        samples.emplace_back();
        for (const auto& [value, tensor] : detail::random_feeds(floats.graph(), Ranges(), 2, i))
          samples.back().emplace_back(std::string(value.name()), tensor);
        Evaluator(floats.graph()).run(samples.back());
      }
    } catch (const Error&) {
      return Report();  // there is no kernel for an operator
    }
    Context known;
    (equal_ranges() | override_activations({{".*", {}, 6}})).run(floats, known);
    const auto quantize = [&](const WeightForms& forms) {
      return inject_qdq(target, Placement::all_supported) | quantize_weights(forms, target);
    };
    try {
      choose_bit_widths(quantize, samples, Granularity::per_channel, target, {.at_most = 1e12}).run(floats, known);
    } catch (const Error& error) {
      if (error.message() == "the model has no layer with a quantized weight") return Report();
      throw;
    }
    const WeightForms forms = known.facts.find<ChosenBitWidths>()->weights(Granularity::per_channel);
    const std::size_t faults = verify(floats).size();
    Model copy = floats.clone();
    (quantize(forms) | reconstruct(floats.graph(), samples, forms, target, {.block_steps = 2})).run(copy, known);
    if (verify(copy).size() > faults) throw Error("the copy is faulty");
    Evaluator(copy.graph()).run(samples.front());
    return Report();
  });
}

}  // namespace

FuzzReport Subject::fuzz(std::uint64_t seed, std::size_t count, double seconds) const {
  FuzzOptions own = options;
  own.seed = seed;
  own.count = count;
  own.seconds = seconds;
  return pass ? graft::fuzz(*pass, own) : graft::fuzz(rules, own);
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  const auto add = [&](const std::string& room, const Pass& pass, FuzzOptions options = {}) {
    all.push_back({room + "/" + pass.name(), {}, pass, std::move(options)});
  };
  const FuzzOptions usual;
  const Pass to_primitives = decompose_fused_operators() | eliminate_dead_code();
  FuzzOptions fusing;
  fusing.before = to_primitives;
  fusing.vocabulary.operators = transformer_operators;
  FuzzOptions simplifying;
  simplifying.before = to_primitives;

  add_rules(all, "simplify", all_of(simplify_rules()), simplifying);
  add_rules(all, "lower", all_of(lower_rules()), usual);
  add_rules(all, "transformer", all_of(transformer_rules()), fusing);
  all.push_back({"simplify/shrinking_rules", shrinking_rules(), {}, simplifying});

  FuzzOptions with_patterns;
  with_patterns.vocabulary.patterns = shrinking_rules();
  add("simplify", simplify(), with_patterns);
  add("simplify", simplify({.merge_matmuls = true, .gemm_of_batches = true}).named("simplify_all"), with_patterns);
  add("simplify", fold_constants());
  add("simplify", eliminate_common_subexpressions());
  add("simplify", eliminate_dead_code());
  add("simplify", merge_matmuls());
  add("simplify", unroll_loops());

  FuzzOptions all_fusions = fusing, all_lowerings;
  all_fusions.vocabulary.patterns = all_of(transformer_rules());
  all_lowerings.vocabulary.patterns = all_of(lower_rules());
  add("transformer", transformer_fusions(), all_fusions);
  FuzzOptions decomposing = all_lowerings;
  decomposing.vocabulary.operators = transformer_operators;
  add("lower", decompose_fused_operators(), decomposing);
  // Of the surgeries for 4-D data those that keep shapes: reduce_max_to_row() and those of inputs and outputs do not.
  for (const Pass& pass : {flush_denormals(), resize_all_axes(), channel_shuffles_to_gathers(), drop_group_indices(),
                           single_rope_caches(), reshape_clip_reduce_sum_to_slices(), reshape_reduce_sum_to_slices(),
                           matmul_to_transpose_conv_transpose()})
    add("lower", pass, all_lowerings);

  for (const Pass& pass : {deduplicate_subgraph_initializers(), remove_memcpy(), remove_unused_functions(),
                           inline_small_functions(), inline_functions_with_unused_outputs(), inline_functions(),
                           to_inference(), unique_node_names(), infer_shapes()})
    add("surgery", pass);
  for (const int opset : {13, 18, 21, 23})
    add("surgery", raise_opset(opset).named("raise_opset_" + std::to_string(opset)));
  const Registry<Optimization> table = optimizations();
  for (const std::string_view name : table.names())
    add("surgery", table.at(name).pass.named("optimization_" + std::string(name)), with_patterns);

  FuzzOptions rounding;
  rounding.atol = std::numeric_limits<double>::infinity();
  FloatOptions at_borders, freely;
  at_borders.keep_io = freely.keep_io = true;
  freely.keep_operators.clear();
  freely.cast_cost = 0;
  for (const Pass& pass : {to_float16(at_borders), to_bfloat16(at_borders), to_float32()})
    add("precision", pass, rounding);
  for (const Pass& pass : {to_float16(freely), to_bfloat16(freely)})
    add("precision", pass.named(pass.name() + "_freely"), rounding);
  FuzzOptions smooth;  // operators that magnify few errors; sums of float16 would overflow
  smooth.vocabulary.operators = {"Add",     "AveragePool", "Concat", "Conv",    "Gather",  "Gemm",
                                 "MatMul",  "LeakyRelu",   "Pad",    "Neg",     "Reshape", "Relu",
                                 "Sigmoid", "Slice",       "Split",  "Tanh",    "Transpose"};
  smooth.vocabulary.dtypes = {DType::f32};
  smooth.vocabulary.functions = false;
  smooth.atol = 0.25;
  add("precision", to_bfloat16(freely).named("to_bfloat16_of_smooth_operators"), smooth);

  FuzzOptions masking = rounding;
  masking.vocabulary.patterns = {masked_sum.view(), masked_product.view()};
  add("quantize", bound_masks(), masking);
  FuzzOptions widening = rounding;
  widening.sweep = true;  // quantized again, its tensors get pairs of the target's own dtype
  for (const Target* const target : {&targets::qnn_htp, &targets::ort_cpu_x64}) {
    const Pass quantize = equal_ranges() | widen_activations(0.5, *target) | inject_qdq(*target, Placement::min_cost);
    add("quantize",
        (raise_opset(21) | quantize | eliminate_dead_code())  // an unused result has a pair as well
            .named("widen_activations_for_" + std::string(target->name)),
        widening);
  }
  FuzzOptions learning = rounding;
  learning.vocabulary.operators = {"Conv", "Conv", "Gemm", "MatMul", "Relu", "Add", "MaxPool", "Concat"};
  learning.vocabulary.dtypes = {DType::f32};
  add("quantize", learn_few_bits_of_copy(), learning);
  FuzzOptions attending;
  for (int more = 0; more < 20; ++more)  // mostly these
    attending.vocabulary.operators.emplace_back("com.microsoft::GroupQueryAttention");
  for (const std::string& op : transformer_operators) attending.vocabulary.operators.push_back(op);
  add("quantize", quantize_cache_of_copy(), attending);
  add("quantize", name_normalizations(), simplifying);
  add("quantize", longer_branches_first());
  add("quantize", float_islands(targets::ort_cpu_x64));
  FuzzOptions equalizing;
  equalizing.vocabulary.operators = {"Conv", "Conv", "Gemm", "Relu", "LeakyRelu", "PRelu", "MaxPool", "AveragePool"};
  equalizing.vocabulary.dtypes = {DType::f32};
  add("quantize", equalize_weights(), equalizing);

  const std::vector<RuleView> stripping{strip_constant, strip_pair, strip_table, qdq_to_clip};
  const std::vector<RuleView> commuting{commute::past_clip, commute::past_deferred, commute::past_movement,
                                        commute::past_no_relu, commute::past_relu, commute::past_signed_relu};
  FuzzOptions quantized;
  quantized.vocabulary.operators = random_operators();
  for (int more = 0; more < 10; ++more)  // mostly these
    for (const char* const op : {"QuantizeLinear", "DequantizeLinear", "Conv", "Relu", "Clip", "Transpose"})
      quantized.vocabulary.operators.push_back(op);
  FuzzOptions commutes = quantized;
  commutes.context.emplace().arguments.push_back(commute::target = targets::ort_cpu_x64);
  add_rules(all, "qdq", stripping, quantized);
  add_rules(all, "quantize", commuting, commutes);
  quantized.vocabulary.patterns = stripping;
  add("qdq", remove_dequantized_constants(), quantized);
  quantized.atol = std::numeric_limits<double>::infinity();  // what was rounded is no more, or elsewhere
  for (const Pass& pass : {remove_qdq(), remove_qdq(true).named("remove_qdq_but_at_inputs"), strip_qdq(),
                           qdq_to_clips()})
    add("qdq", pass, quantized);
  quantized.vocabulary.patterns = commuting;
  for (const Target* const target : targets::all)
    add("quantize", commute_dq_past_activation(*target).named("commute_for_" + std::string(target->name)), quantized);

  FuzzOptions qonnx_graphs;
  qonnx_graphs.vocabulary.kernels = &qonnx::kernels();
  qonnx_graphs.vocabulary.overridable = false;  // cleanup() freezes them
  qonnx_graphs.vocabulary.definitions = qonnx::operators().without_kernels();
  qonnx_graphs.vocabulary.operators = random_operators();
  for (int more = 0; more < 10; ++more) {  // mostly these
    qonnx_graphs.vocabulary.operators.push_back("qonnx.custom_op.general::Quant");
    qonnx_graphs.vocabulary.operators.push_back("Conv");
    qonnx_graphs.vocabulary.operators.push_back("BatchNormalization");
    qonnx_graphs.vocabulary.operators.push_back("Transpose");
  }
  for (const Pass& pass : {qonnx::canonical_operators(), qonnx::extract_quant_scale_zero_point(),
                           qonnx::quant_to_qcdq(), qonnx::quant_to_qdq(), qonnx::absorb_transposes(),
                           qonnx::sink_transposes(),
                           qonnx::to_channels_last(), qonnx::insert_channels_last(),
                           qonnx::batch_norms_to_affine(), qonnx::cleanup(), qonnx::subs_to_adds(),
                           qonnx::extract_bias(), qonnx::divs_to_muls(),
                           qonnx::fold_transpose_into_quantized_constant(), qonnx::unique_parameters(),
                           qonnx::numbered_node_names(), qonnx::readable_tensor_names()})
    add("qonnx", pass, qonnx_graphs);
  return all;
}
