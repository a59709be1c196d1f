#pragma once
#include <graft/quantize/tune/reconstruct.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/share_parts.hpp>
#include <graft/quantize/kernel/channels.hpp>
#include <graft/quantize/place/bias.hpp>
#include <graft/quantize/tune/detail/block_reconstructor.hpp>
#include <graft/quantize/tune/detail/block_weight.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/lattice.hpp>
#include <graft/quantize/tune/detail/layer_columns.hpp>
#include <graft/quantize/tune/detail/linear_sums.hpp>
#include <graft/quantize/tune/detail/soft_weight.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// A layer of the quantized graph, and where the float graph computes its outputs.
class LinearLayer {
 public:
  /// nullopt if the node has no dequantized constant weight of at most 8 bits.
  static std::optional<LinearLayer> of(Node& node) {
    if (!has_result(node)) return std::nullopt;
    if (std::optional<BlockMatrix> blocks = read_block_weight(node)) return LinearLayer(node, *std::move(blocks));
    if (!(node.is("Conv") || node.is("Gemm") || node.is("MatMul"))) return std::nullopt;
    Node* const weight = node.input(1) != nullptr ? node.input(1)->producer() : nullptr;
    if (weight == nullptr || !is_dequantize(*weight)) return std::nullopt;
    std::optional<QuantizedTensor> constant = quantized_constant(*weight);
    if (!constant || !is_integer(constant->data.dtype()) || bits(constant->data.dtype()) > 8) return std::nullopt;
    return LinearLayer(node, *weight, std::move(*constant));
  }

  Node& node() const { return *node_; }
  const Node& float_node() const { return *float_; }
  /// Of the float weight.
  const Dims& weight_dims() const { return dims_; }
  std::size_t groups() const { return groups_; }
  Eigen::Index inputs() const { return static_cast<Eigen::Index>(inputs_); }
  /// Of a group.
  Eigen::Index outputs() const { return static_cast<Eigen::Index>(outputs_ / groups_); }
  bool has_one_scale() const { return !blocks_ && weight_.scale.size() == 1; }
  bool has_bias() const { return node_->is("Conv") || (node_->is("Gemm") && (!blocks_ || node_->input(2) != nullptr)); }
  /// Where the search begins, for weights of this magnitude.
  RowGrid grid(std::size_t m, double magnitude) const {
    RowGrid grid(inputs(), std::max(magnitude / highest_, 1e-30), lowest_, highest_);
    if (!blocks_) return grid;
    grid.block = static_cast<Eigen::Index>(blocks_->block_size());
    for (Eigen::Index k = 0; k < inputs(); ++k) {
      const BlockQParams q = blocks_->qparams(m, static_cast<std::size_t>(k / grid.block));
      grid.scales(k) = q.scale != 0 ? double{q.scale} : 1e-30;
      grid.lowest(k) = -q.zero_point;
      grid.highest(k) = blocks_->form.highest() - q.zero_point;
    }
    return grid;
  }

  /// Whether it can be learned. max_bytes: of the moments of its inputs.
  Verdict prepare(const Graph& floats, int bits_of_weight, std::size_t max_bytes) {
    if (node_->input(1)->use_count() != 1 || (dequantize_ != nullptr && dequantize_->input(0)->use_count() != 1))
      return Verdict::no("its weight is shared");
    if (node_->is("Gemm") && (node_->attr<std::int64_t>("transA").value_or(0) != 0 || product_factor(*node_) != 1 ||
                              node_->attr<float>("beta").value_or(1) != 1))
      return Verdict::no("its input is transposed, or its alpha or beta is not 1");
    is_in_rows_ = node_->is("Conv") || (node_->is("Gemm") && node_->attr<std::int64_t>("transB").value_or(0) != 0);
    const auto find_if_small = [&] {
      const bool is_small = groups_ * inputs_ * inputs_ <= max_bytes / sizeof(double);
      return is_small ? find_float(floats) : Verdict::no("the moments of its inputs exceed max_bytes");
    };
    if (blocks_) {
      outputs_ = blocks_->rows;
      inputs_ = blocks_->columns;
      dims_ = {static_cast<std::int64_t>(inputs_), static_cast<std::int64_t>(outputs_)};
      if (is_in_rows_) std::swap(dims_[0], dims_[1]);
      return find_if_small();
    }
    dims_ = weight_.data.dims();
    const DType dtype = weight_.data.dtype();
    const std::int32_t middle = is_unsigned_integer(dtype) ? 1 << (bits(dtype) - 1) : 0;
    zero_point_ = middle;
    for (const std::int32_t zero : weight_.zero_point.to<std::int32_t>())
      if (zero != middle) return Verdict::no("its weight has a zero point");
    if (node_->is("Conv") ? dims_.size() < 3 : dims_.size() != 2) return Verdict::no("its weight has another rank");
    if (!has_one_scale() && weight_.axis != channel_axis(*node_, dims_.size()))
      return Verdict::no("its scales are not those of output channels");
    groups_ = node_->is("Conv") ? static_cast<std::size_t>(node_->attr<std::int64_t>("group").value_or(1)) : 1;
    outputs_ = static_cast<std::size_t>(is_in_rows_ ? dims_[0] : dims_[1]);
    if (weight_.data.size() == 0 || groups_ == 0 || outputs_ % groups_ != 0) return Verdict::no("its weight is empty");
    inputs_ = static_cast<std::size_t>(weight_.data.size()) / outputs_;
    highest_ = (1 << (std::min(bits_of_weight, static_cast<int>(bits(dtype))) - 1)) - 1;
    lowest_ = -highest_;
    for (const std::int32_t code : weight_.data.to<std::int32_t>()) {
      lowest_ = std::min(lowest_, code - zero_point_);
      highest_ = std::max(highest_, code - zero_point_);
    }
    return find_if_small();
  }

  /// Whether the bias can be learned. Adds one of zeros, in the target's form, if the layer has none.
  Verdict prepare_bias(const Target& target) {
    if (!has_bias()) return Verdict::yes();
    if (node_->input(2) == nullptr) {
      replace_channel_bias(*node_, std::vector<float>(outputs_), "");
      Report scratch;
      add_bias(*node_, target, scratch);
      weight_ = *quantized_constant(*(dequantize_ = node_->input(1)->producer()));
      has_added_bias_ = true;
    }
    const Value& bias = *node_->input(2);
    const Node* const dequantize = bias.producer();
    if (dequantize != nullptr && is_dequantize(*dequantize)) {
      if (blocks_) return Verdict::no("its bias is in integers");
      if (bias.use_count() != 1) return Verdict::no("its bias is shared");
      const std::optional<QuantizedTensor> constant = quantized_constant(*dequantize);
      if (!constant || static_cast<std::size_t>(constant->data.size()) != outputs_)
        return Verdict::no("its bias has no value for each channel");
      const std::vector<float> scales = constant->scale.to<float>(), weights = weight_.scale.to<float>();
      has_integer_bias_ = true;
      input_scale_ = scales[0] / weights[0];
      read_input_scale();
      return Verdict::yes();
    }
    std::vector<float> values;
    return read_channel_bias(*node_, outputs_, values);
  }

  /// The place of the weight of input k and output m, numbered through all groups.
  std::size_t at(std::size_t k, std::size_t m) const { return is_in_rows_ ? m * inputs_ + k : k * outputs_ + m; }

  /// The weights of output m, [K], of such a tensor.
  Eigen::VectorXd row_of(std::span<const float> weights, std::size_t m) const {
    return Eigen::VectorXd::NullaryExpr(
        inputs(), [&](Eigen::Index k) { return double{weights[at(static_cast<std::size_t>(k), m)]}; });
  }
  std::vector<float> float_weights() const { return float_weight()->to<float>(); }
  /// These outputs of the float node without a bias that the quantized graph adds behind the node.
  void take_bias_off(std::span<const std::size_t> rows, Eigen::MatrixXf& outputs_of_float) const {
    if (bias_behind_.empty() || outputs_of_float.cols() == 0) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      outputs_of_float.row(static_cast<Eigen::Index>(i)).array() -= bias_behind_[rows[i]];
  }
  std::vector<float> weights() const { return blocks_ ? in_order(blocks_->values()) : weight_.values(); }
  /// Zeros if it has none.
  std::vector<float> biases() const {
    std::vector<float> values(outputs_);
    const Value* const bias = has_bias() ? node_->input(2) : nullptr;
    if (bias == nullptr) return values;
    const Node* const dequantize = bias->producer();
    if (dequantize == nullptr || !is_dequantize(*dequantize)) return bias->constant()->to<float>();
    const QuantizedTensor constant = *quantized_constant(*dequantize);
    const std::vector<float> codes = constant.data.to<float>(), scales = constant.scale.to<float>();
    for (std::size_t m = 0; m < outputs_; ++m) values[m] = codes[m] * scales[scales.size() == 1 ? 0 : m];
    return values;
  }

  /// Stores the rows of all groups.
  void store(const std::vector<RoundedRow>& rows) {
    has_changed_ = true;
    if (blocks_) return store_blocks(rows);
    std::vector<std::int32_t> codes(static_cast<std::size_t>(weight_.data.size()));
    std::vector<float> scales = weight_.scale.to<float>(), biases;
    for (std::size_t m = 0; m < outputs_; ++m) {
      const double found = rows[m].scales(0), scale = std::max(found, least_scale(rows[m].bias));
      for (std::size_t k = 0; k < inputs_; ++k)
        codes[at(k, m)] =
            static_cast<std::int32_t>(
                round_half_even(rows[m].codes(static_cast<Eigen::Index>(k)) * found / scale)) +
            zero_point_;
      // Zeros need no scale; a bias may need the one that they have.
      if (!rows[m].codes.isZero()) scales[scales.size() == 1 ? 0 : m] = static_cast<float>(scale);
      biases.push_back(static_cast<float>(rows[m].bias));
    }
    if (has_bias() && node_->input(2) != nullptr) store_biases(biases, scales);
    replace(*dequantize_, 0, Tensor::of(weight_.data.dtype(), weight_dims(), std::span<const std::int32_t>(codes)));
    replace(*dequantize_, 1, Tensor::of<float>(weight_.scale.dims(), scales));
    weight_ = *quantized_constant(*dequantize_);
  }

  /// Each integer may stay, or move by one towards the float weight. Its share begins on the side where it stays.
  SoftWeight soft() const {
    const std::vector<float> codes = blocks_ ? in_order(blocks_->codes) : weight_.data.to<float>();
    const std::vector<float> floats = float_weights();
    SoftWeight result{.weight = node_->input(1),
                      .dims = weight_dims(),
                      .lower = std::vector<float>(codes.size()),
                      .share = std::vector<float>(codes.size()),
                      .scales = blocks_ ? blocks_->scales : weight_.scale.to<float>(),
                      .scale_of = std::vector<std::uint32_t>(codes.size())};
    for (std::size_t m = 0; m < outputs_; ++m)
      for (std::size_t k = 0; k < inputs_; ++k) {
        const std::size_t i = at(k, m), scale = scale_at(k, m);
        const int zero = blocks_ ? blocks_->zero_points[scale] : zero_point_, moved = blocks_ ? zero : 0;
        const auto lowest = static_cast<float>(lowest_ - moved), highest = static_cast<float>(highest_ - moved);
        const float code = codes[i] - static_cast<float>(zero), step = result.scales[scale];
        const float exact = step != 0 ? floats[i] / step : code;
        result.scale_of[i] = static_cast<std::uint32_t>(scale);
        result.lower[i] = std::clamp(exact >= code ? code : code - 1, lowest, highest - 1);
        const float between = std::clamp(exact - result.lower[i], 0.0F, 1.0F);
        result.share[i] = code > result.lower[i] ? 0.7F + 0.3F * between : 0.3F * between;
      }
    if (const Value* const bias = has_bias() ? node_->input(2) : nullptr; bias != nullptr && bias->use_count() == 1) {
      result.bias = bias;
      result.biases = biases();
    }
    return result;
  }

  /// Stores a weight that soft() has made, rounded.
  void store(const SoftWeight& learned) {
    const std::vector<float> old = biases();
    const std::size_t block = blocks_ ? blocks_->block_size() : inputs_;
    std::vector<RoundedRow> rows(outputs_);
    for (std::size_t m = 0; m < outputs_; ++m) {
      rows[m].codes.resize(inputs());
      rows[m].block = static_cast<Eigen::Index>(block);
      rows[m].scales.resize(static_cast<Eigen::Index>((inputs_ + block - 1) / block));
      rows[m].bias = learned.bias != nullptr ? learned.biases[m] : old[m];
      for (std::size_t k = 0; k < inputs_; ++k) {
        const auto input = static_cast<Eigen::Index>(k);
        rows[m].codes(input) = static_cast<std::int16_t>(learned.code(at(k, m)));
        rows[m].scales(input / rows[m].block) = learned.scale(at(k, m));
      }
    }
    read_input_scale();
    store(rows);
  }

  bool has_changed() const { return has_changed_; }
  /// Removes the bias that prepare_bias() has added, if any.
  void drop_added_bias() {
    if (!has_added_bias_) return;
    Value* const bias = node_->input(2);
    node_->graph().resize_inputs(*node_, 2);
    drop_unused(bias);
  }

 private:
  LinearLayer(Node& node, Node& dequantize, QuantizedTensor weight)
      : node_(&node), dequantize_(&dequantize), weight_(std::move(weight)) {}
  LinearLayer(Node& node, BlockMatrix weight)
      : node_(&node),
        dequantize_(is_nbits(node) ? nullptr : node.input(1)->producer()),
        blocks_(std::move(weight)),
        highest_(blocks_->form.highest()) {}

  /// The elements of rows, in the order of the weight.
  template <class T>
  std::vector<float> in_order(const std::vector<T>& by_row) const {
    std::vector<float> result(by_row.size());
    for (std::size_t m = 0; m < outputs_; ++m)
      for (std::size_t k = 0; k < inputs_; ++k) result[at(k, m)] = by_row[m * inputs_ + k];
    return result;
  }

  /// The index of the scale of input k and output m.
  std::size_t scale_at(std::size_t k, std::size_t m) const {
    if (blocks_) return m * blocks_->blocks() + k / blocks_->block_size();
    return has_one_scale() ? 0 : m;
  }

  void store_blocks(const std::vector<RoundedRow>& rows) {
    std::vector<float> biases;
    for (std::size_t m = 0; m < outputs_; ++m) {
      for (std::size_t k = 0; k < inputs_; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        BlockQParams q = blocks_->qparams(m, k / blocks_->block_size());
        q.scale = static_cast<float>(rows[m].scale(i));
        blocks_->set_qparams(m, k / blocks_->block_size(), q);
        blocks_->codes[m * inputs_ + k] = static_cast<std::uint8_t>(rows[m].codes(i) + q.zero_point);
      }
      biases.push_back(static_cast<float>(rows[m].bias));
    }
    store_block_weight(*node_, *blocks_);
    if (has_bias()) replace(*node_, 2, Tensor::list(std::span<const float>(biases)));
  }

  /// An output of the graph has its name behind the pair. A Gemm whose weight has blocks has it behind the Add of its
  /// bias.
  Verdict find_float(const Graph& floats) {
    const Value* wanted = floats.find(node_->output(0)->name());
    if (wanted == nullptr) {
      const Value* const behind = dequantized(*node_->output(0));
      if (behind != nullptr) wanted = floats.find(behind->name());
    }
    if (wanted == nullptr && blocks_) wanted = behind_bias(floats);
    float_ = wanted != nullptr ? wanted->producer() : nullptr;
    const std::optional<Tensor> weight = float_weight();
    if (!weight || weight->dtype() != DType::f32 || weight->dims() != weight_dims())
      return Verdict::no("the float graph has no such layer");
    return Verdict::yes();
  }

  /// Reads the constant that an Add behind the node adds to each output. Returns the float value of the sum.
  const Value* behind_bias(const Graph& floats) {
    const Value& y = *node_->output(0);
    if (y.use_count() != 1) return nullptr;
    const Use& use = *y.uses().begin();
    if (use.is_graph_output() || !use.user()->is("Add")) return nullptr;
    const std::optional<Tensor> bias = constant_input(*use.user(), 1 - use.index());
    if (!bias || bias->dtype() != DType::f32 || static_cast<std::size_t>(bias->size()) != outputs_ ||
        bias->dims().back() != bias->size())
      return nullptr;
    bias_behind_ = bias->to<float>();
    return floats.find(use.user()->output(0)->name());
  }

  /// In the order of the quantized weight.
  std::optional<Tensor> float_weight() const {
    if (float_ == nullptr) return std::nullopt;
    if (!blocks_)
      return float_->is(node_->op_type()) && float_->input(1) != nullptr ? float_->input(1)->constant() : std::nullopt;
    ConstantProduct product;
    if (!is_product(*float_) || !ConstantProduct::read(*float_, product) || product.w->constant()->rank() != 2)
      return std::nullopt;
    const bool has_bias_too = has_bias() || !bias_behind_.empty();
    if ((product.bias != nullptr) != has_bias_too) return std::nullopt;
    return is_in_rows_ ? product.rows() : product.weight();
  }

  /// That of an int32 bias.
  void read_input_scale() {
    const Node* const input = node_->input(0)->producer();
    if (input != nullptr && is_dequantize(*input))
      if (const std::optional<QParams> known = qparams_of(*input)) input_scale_ = known->scale;
  }

  /// With which an int32 bias fits.
  double least_scale(double bias) const {
    constexpr double limit = 1 << 30;
    return has_integer_bias_ ? std::abs(bias) / (limit * double{input_scale_}) : 0;
  }

  void store_biases(const std::vector<float>& biases, const std::vector<float>& scales) {
    Node* const dequantize = node_->input(2)->producer();
    if (dequantize == nullptr || !is_dequantize(*dequantize)) {
      replace(*node_, 2, Tensor::list(std::span<const float>(biases)));
      return;
    }
    QuantizedTensor old = *quantized_constant(*dequantize);
    std::vector<float> steps;
    std::vector<std::int32_t> codes;
    for (std::size_t m = 0; m < outputs_; ++m) {
      const float step = input_scale_ * scales[scales.size() == 1 ? 0 : m];
      codes.push_back(static_cast<std::int32_t>(round_half_even(static_cast<double>(biases[m]) / step)));
      if (steps.empty() || old.scale.size() != 1) steps.push_back(step);
    }
    replace(*dequantize, 0, Tensor::of(old.data.dtype(), old.data.dims(), std::span<const std::int32_t>(codes)));
    replace(*dequantize, 1, Tensor::of<float>(old.scale.dims(), steps));
  }

  static void replace(Node& node, std::size_t input, Tensor by) {
    replace_constant(node, input, std::move(by), std::string(node.input(input)->name()));
  }

  Node *node_, *dequantize_;
  const Node* float_ = nullptr;
  QuantizedTensor weight_{};
  std::optional<BlockMatrix> blocks_{};  // instead of it
  Dims dims_{};
  std::size_t groups_ = 1, inputs_ = 0, outputs_ = 0;  // inputs of an output, outputs of all groups
  std::vector<float> bias_behind_{};  // of the Add behind the node, or empty
  int lowest_ = 0, highest_ = 0;  // of the integers without the zero point, unless a block has its own
  std::int32_t zero_point_ = 0;
  float input_scale_ = 1;
  bool is_in_rows_ = false, has_added_bias_ = false, has_integer_bias_ = false, has_changed_ = false;
};

/// The work of reconstruct() on one graph.
class Reconstructor {
 public:
  Reconstructor(Graph& graph, const Graph& floats, const SampleSource& samples, const WeightForms& forms,
                const Target& target, const Reconstruction& options, const ExecutorFactory& make_executor,
                Context& context)
      : graph_(graph),
        floats_(floats),
        forms_(forms),
        target_(target),
        options_(options),
        make_executor_(make_executor),
        context_(context),
        pool_(static_cast<int>(std::max<std::size_t>(context.threads, 1))),
        parallel_(std::ref(pool_)),
        begin_(std::chrono::steady_clock::now()) {
    const Ranks& ranks = options.ranks;
    if (!(options.drop >= 0 && options.drop <= 1)) raise(Error("a share is from 0 to 1").field("drop"));
    samples_ = for_first(samples, options.samples, context, [&](std::size_t i, const Sample& sample) {
      if (i % ranks.count == ranks.rank) feeds_.push_back(by_name(sample.feeds));
      return true;
    });
    if (samples_ == 0 && !context.is_cancelled()) throw Error("there is no sample to learn from");
  }

  ReconstructedLayers run(Report& report) {
    ReconstructedLayers result;
    result.held_out = samples_ / 4;
    Layers layers;
    for (Node& node : graph_.nodes()) {
      std::optional<LinearLayer> layer = LinearLayer::of(node);
      if (!layer) continue;
      result.layers.push_back({.name = display_name(node)});
      Verdict verdict = layer->prepare(floats_, forms_.of(node).bits_of(node, target_), options_.max_bytes);
      if (verdict) layers.emplace_back(std::move(*layer), result.layers.size() - 1);
      else result.layers.back().why_not = to_string(verdict.reason());
    }
    std::erase_if(layers, [&](auto& layer) {
      const Verdict verdict = layer.first.prepare_bias(target_);
      if (!verdict) result.layers[layer.second].why_not = to_string(verdict.reason());
      return !verdict;
    });
    live_.emplace(graph_);
    const LiveValues float_live(floats_);
    Frontier here(feeds_), wanted(std::move(feeds_));
    AnyExecutor float_executor = make_executor_(floats_);
    const std::vector<BlockSpan> blocks = blocks_of(layers);
    const BlockReconstructor learner(graph_, floats_, float_live, options_, samples_, make_executor_, context_,
                                     parallel());
    Frontier start = here;  // at the first node of the present block
    for (std::size_t i = 0, b = 0; i < layers.size(); ++i) {
      auto& [layer, place] = layers[i];
      ReconstructedLayers::Layer& found = result.layers[place];
      if (!may_go_on()) {
        result.is_complete = false;
        found.why_not = "the time was over";
      } else {
        AnyExecutor executor = make_executor_(graph_);  // earlier layers have changed
        if (b < blocks.size() && i == blocks[b].first_layer) {
          here.advance(graph_, *live_, executor, blocks[b].first);
          start = here;
        }
        here.advance(graph_, *live_, executor, live_->place_of(layer.node()));
        const std::size_t behind = float_live.place_of(layer.float_node()) + 1;
        if (behind < wanted.place()) {
          found.why_not = "the float graph has another order";
        } else {
          wanted.advance(floats_, float_live, float_executor, behind);
          learn(layer, here, executor, wanted, float_executor, found);
        }
      }
      if (b < blocks.size() && i + 1 == blocks[b].last_layer) {
        // Layers have at least half of the time.
        const double seconds = options_.max_seconds / 2 / static_cast<double>(blocks.size());
        if (learn_block(learner, blocks[b], layers, start, wanted, float_executor, seconds, result)) here = start;
        ++b;
      }
      context_.report_progress(Progress{"reconstruct", i + 1, layers.size()});
    }
    for (auto& [layer, place] : layers) {
      if (layer.has_changed()) ++report.changes;
      else layer.drop_added_bias();
    }
    return result;
  }

 private:
  using Layers = std::vector<std::pair<LinearLayer, std::size_t>>;  // with the place in the result
  using Rows = std::vector<std::size_t>;                            // numbered through all groups
  using Sums = std::vector<LinearSums>;                             // of each group

  std::vector<BlockSpan> blocks_of(const Layers& layers) const {
    std::vector<const Node*> nodes;
    for (const auto& [layer, place] : layers) nodes.push_back(&layer.node());
    return options_.block_steps == 0 ? std::vector<BlockSpan>() : find_blocks(graph_, *live_, nodes);
  }

  /// Returns whether it was learned. If so, its layers have changed.
  bool learn_block(const BlockReconstructor& learner, const BlockSpan& span, Layers& layers, const Frontier& start,
                   const Frontier& wanted, AnyExecutor& float_executor, double seconds,
                   ReconstructedLayers& result) const {
    ReconstructedLayers::Block& block = result.blocks.emplace_back();
    std::vector<BlockLayer> inside;
    block.is_complete = may_go_on();
    Verdict verdict = block.is_complete ? Verdict::yes() : Verdict::no("the time was over");
    for (std::size_t i = span.first_layer; i < span.last_layer; ++i) {
      auto& [layer, place] = layers[i];
      block.layers.push_back(result.layers[place].name);
      inside.push_back({&layer.node(), [&layer = layer] { return layer.soft(); },
                        [&layer = layer](const SoftWeight& learned) { layer.store(learned); }});
    }
    try {
      if (verdict) verdict = learner.learn(span, inside, start, wanted, float_executor, seconds, block);
      if (!verdict) block.why_not = to_string(verdict.reason());
    } catch (const Error& error) {
      block.why_not = error.what();
    }
    result.is_complete &= block.is_complete;
    return block.why_not.empty();
  }

  /// The share of the errors of earlier layers that a layer makes up for. On other samples they are other errors.
  static constexpr double compensation = 0.5;

  bool may_go_on() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return on_all(options_.ranks, !context_.is_cancelled() && passed.count() < options_.max_seconds);
  }
  const ParallelFor* parallel() const { return context_.threads > 1 ? &parallel_ : nullptr; }

  void learn(LinearLayer& layer, Frontier& here, AnyExecutor& executor, Frontier& wanted, AnyExecutor& float_executor,
             ReconstructedLayers::Layer& found) {
    const std::size_t groups = layer.groups(), all = groups * static_cast<std::size_t>(layer.outputs());
    const bool holds_out = samples_ >= 4;
    const std::size_t positions =
        std::max<std::size_t>(4096, 8 * static_cast<std::size_t>(layer.inputs())) / samples_ + 1;
    const auto for_samples = [&](const Rows& rows, const auto& take) {
      const auto columns_of = [&](std::size_t i) {
        if (!found.why_not.empty()) return LayerColumns();
        const std::size_t own = i / options_.ranks.count;
        const Tensor x = here.run(own, graph_, executor, {*layer.node().input(0)}).front();
        const Tensor y = wanted.run(own, floats_, float_executor, {*layer.float_node().output(0)}).front();
        try {
          LayerColumns columns = layer_columns(layer.node(), x, y, layer.weight_dims(), rows, positions);
          layer.take_bias_off(rows, columns.outputs);
          return columns;
        } catch (const Error& error) {
          return LayerColumns{.why_not = error.message()};
        }
      };
      share_parts(options_.ranks, samples_, columns_of, [&](std::size_t i, const LayerColumns& columns) {
        if (found.why_not.empty()) found.why_not = columns.why_not;  // equally on all ranks
        if (found.why_not.empty() && columns.inputs.cols() != 0) take(i, columns);
      });
      return found.why_not.empty();
    };

    // Wide layers are learned in parts. Each is spread over all outputs, so the first one is as good as any to decide.
    const std::size_t parts = output_parts(layer);
    Rows rows = part_of(layer, 0, parts);
    const auto outputs_of = [&] { return static_cast<Eigen::Index>(rows.size() / groups); };
    Sums seen(groups, LinearSums(layer.inputs(), outputs_of())), unseen = holds_out ? seen : Sums();
    if (!for_samples(rows, [&](std::size_t i, const LayerColumns& columns) {
          add(columns, holds_out && i % 4 == 3 ? unseen : seen, [](auto& sums, const auto&... of) { sums.add(of...); });
        }))
      return;
    const std::vector<float> floats = layer.float_weights();
    const double damping = best_damping(layer, seen, holds_out ? unseen : seen, floats, rows, found);
    if (damping == 0) {
      found.why_not = "other integers are not better";
      return;
    }
    for (std::size_t g = 0; g < unseen.size(); ++g) seen[g] += unseen[g];
    unseen.clear();
    std::vector<RoundedRow> rounded_rows(all);
    double magnitude = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      if (part != 0) {
        rows = part_of(layer, part, parts);
        for (LinearSums& sums : seen) sums.start_outputs(outputs_of());
        if (!for_samples(rows, [&](std::size_t, const LayerColumns& columns) {
              add(columns, seen, [](auto& sums, const auto&... of) { sums.add_outputs(of...); });
            }))
          return;
      }
      std::vector<RoundedRow> some = rounded(layer, seen, floats, damping, rows, spread(rows.size(), rows.size()),
                                             magnitude);
      for (std::size_t i = 0; i < rows.size(); ++i) rounded_rows[rows[i]] = std::move(some[i]);
    }
    layer.store(rounded_rows);
  }

  /// How many parts of the outputs are learned one after the other, so that their products with the inputs are small.
  std::size_t output_parts(const LinearLayer& layer) const {
    const auto inputs = static_cast<std::size_t>(layer.inputs()), outputs = static_cast<std::size_t>(layer.outputs());
    const std::size_t most = std::max<std::size_t>(options_.max_bytes / sizeof(double) / inputs / layer.groups(), 1);
    return (outputs + most - 1) / most;
  }

  /// The outputs of a part: one of every `parts` in each group.
  static Rows part_of(const LinearLayer& layer, std::size_t part, std::size_t parts) {
    const auto outputs = static_cast<std::size_t>(layer.outputs());
    Rows rows;
    for (std::size_t g = 0; g < layer.groups(); ++g)
      for (std::size_t m = part; m < outputs; m += parts) rows.push_back(g * outputs + m);
    return rows;
  }

  /// The damping with the least error on other samples, which some rows show; 0 if the old integers have no more.
  double best_damping(const LinearLayer& layer, const Sums& seen, const Sums& unseen, const std::vector<float>& floats,
                      const Rows& rows, ReconstructedLayers::Layer& found) const {
    constexpr std::size_t max_rows = 64;
    const Rows some = spread(rows.size(), max_rows);
    const std::size_t of_group = rows.size() / layer.groups();
    const auto sums_of = [&](std::size_t i) -> const LinearSums& { return unseen[some[i] / of_group]; };
    std::vector<OutputSums> wanted(some.size());
    each(some.size(), [&](std::size_t i) {
      wanted[i] = sums_of(i).moved(static_cast<Eigen::Index>(some[i] % of_group), layer.row_of(floats, rows[some[i]]),
                                   compensation);
    });
    const auto error_of = [&](const auto& weights_of, const auto& bias_of) {
      std::vector<double> errors(some.size());
      each(some.size(), [&](std::size_t i) { errors[i] = sums_of(i).error(wanted[i], weights_of(i), bias_of(i)); });
      return std::accumulate(errors.begin(), errors.end(), 0.0);
    };
    double before = 0, power = 0, best = 0;
    {
      const std::vector<float> old = layer.weights(), biases = layer.biases();
      before = error_of([&](std::size_t i) { return layer.row_of(old, rows[some[i]]); },
                        [&](std::size_t i) { return double{biases[rows[some[i]]]}; });
    }
    for (std::size_t i = 0; i < some.size(); ++i)
      power += wanted[i].squares - wanted[i].sum * wanted[i].sum / std::max(sums_of(i).count, 1.0);
    double least_error = before;
    for (const double damping : {0.003, 0.03, 0.3, 3.0, 30.0}) {
      double magnitude = 0;
      const std::vector<RoundedRow> trial = rounded(layer, seen, floats, damping, rows, some, magnitude);
      const double after = error_of([&](std::size_t i) { return trial[i].weights(); },
                                    [&](std::size_t i) { return trial[i].bias; });
      if (!(after < least_error)) continue;
      least_error = after;
      best = damping;
    }
    found.noise_before = power > 0 ? before / power : 0;
    found.noise_after = power > 0 ? least_error / power : 0;
    found.is_measured = true;
    return best;
  }

  /// to(sums, x, y, parallel) for each group.
  template <class To>
  void add(const LayerColumns& columns, Sums& sums, const To& to) const {
    const Eigen::Index k = sums.front().inputs.rows(), m = sums.front().products.cols();
    if (sums.size() == 1) return to(sums.front(), columns.inputs, columns.outputs, parallel());
    const ParallelFor* const alone = nullptr;
    each(sums.size(), [&](std::size_t g) {
      const auto group = static_cast<Eigen::Index>(g);
      to(sums[g], columns.inputs.middleRows(group * k, k), columns.outputs.middleRows(group * m, m), alone);
    });
  }

  template <class F>
  void each(std::size_t count, const F& f) const {
    for_each_part(parallel(), static_cast<std::int64_t>(count),
                  [&](std::int64_t i) { f(static_cast<std::size_t>(i)); });
  }

  /// Ranks share so many rows in parts. These are below 2 GiB, which is as much as a message has.
  std::size_t parts_of(std::size_t count) const {
    constexpr std::size_t most = 1 << 14;
    return options_.ranks.count * (count / (options_.ranks.count * most) + 1);
  }

  /// f(i) for the numbers of a part.
  template <class F>
  void each_of_part(std::size_t part, std::size_t count, const F& f) const {
    const std::size_t parts = parts_of(count), first = part * count / parts;
    each((part + 1) * count / parts - first, [&](std::size_t i) { f(first + i); });
  }

  /// The rows f(0) to f(count - 1), of which each rank makes parts.
  template <class F>
  std::vector<RoundedRow> shared_rows(std::size_t count, const F& f) const {
    std::vector<RoundedRow> rows;
    const std::size_t parts = parts_of(count);
    const auto part = [&](std::size_t number) {
      const std::size_t first = number * count / parts;
      std::vector<RoundedRow> own((number + 1) * count / parts - first);
      each_of_part(number, count, [&](std::size_t i) { own[i - first] = f(i); });
      return own;
    };
    share_parts(options_.ranks, parts, part, [&](std::size_t, std::vector<RoundedRow> some) {
      std::ranges::move(some, std::back_inserter(rows));
    });
    return rows;
  }

  /// Up to so many numbers below `count`, evenly spaced.
  static Rows spread(std::size_t count, std::size_t most) {
    Rows numbers;
    for (std::size_t i = 0; i < std::min(count, most); ++i) numbers.push_back(i * count / std::min(count, most));
    return numbers;
  }

  /// sums: of the outputs `rows`, of which those at the places `which` are rounded. magnitude: of the weights that one
  /// scale for all must reach; 0: it is searched for these.
  std::vector<RoundedRow> rounded(const LinearLayer& layer, const Sums& sums, const std::vector<float>& floats,
                                  double damping, const Rows& rows, const Rows& which, double& magnitude) const {
    const std::size_t of_group = rows.size() / layer.groups();
    std::vector<std::optional<Lattice>> lattices(layer.groups());
    Rows groups;
    for (const std::size_t place : which)
      if (groups.empty() || groups.back() != place / of_group) groups.push_back(place / of_group);
    each(groups.size(), [&](std::size_t i) {
      lattices[groups[i]].emplace(sums[groups[i]], damping, layer.has_bias());
    });
    const auto lattice_of = [&](std::size_t i) -> const Lattice& { return *lattices[which[i] / of_group]; };
    const auto target_of = [&](std::size_t i) {
      const Eigen::VectorXd anchor = layer.row_of(floats, rows[which[i]]);
      const auto column = static_cast<Eigen::Index>(which[i] % of_group);
      return lattice_of(i).target(sums[which[i] / of_group].moved(column, anchor, compensation), anchor);
    };
    if (!layer.has_one_scale())
      return shared_rows(which.size(), [&](std::size_t i) {
        const RowTarget target = target_of(i);
        return lattice_of(i).round_and_scale(target, layer.grid(rows[which[i]], target.magnitude()));
      });
    std::vector<RowTarget> targets(which.size());  // of this rank
    for (std::size_t part = options_.ranks.rank; part < parts_of(which.size()); part += options_.ranks.count)
      each_of_part(part, which.size(), [&](std::size_t i) { targets[i] = target_of(i); });
    const auto with = [&](double largest) {
      const RowGrid grid = layer.grid(0, largest);
      return shared_rows(which.size(), [&](std::size_t i) { return lattice_of(i).round(targets[i], grid); });
    };
    if (magnitude != 0) return with(magnitude);
    double largest = 1e-30, least_loss = std::numeric_limits<double>::infinity();
    for (const RowTarget& target : targets) largest = std::max(largest, target.magnitude());
    largest = -least(options_.ranks, -largest);
    std::vector<RoundedRow> best;
    for (const double share : {1.0, 0.88, 0.76, 0.64, 0.52, 0.4}) {
      std::vector<RoundedRow> trial = with(share * largest);
      double loss = 0;
      for (const RoundedRow& row : trial) loss += row.loss;
      if (!best.empty() && !(loss < least_loss)) continue;
      least_loss = loss;
      magnitude = share * largest;
      best.swap(trial);
    }
    return best;
  }

  Graph& graph_;
  const Graph& floats_;
  const WeightForms& forms_;
  const Target& target_;
  const Reconstruction& options_;
  const ExecutorFactory& make_executor_;
  Context& context_;
  ThreadPool pool_;
  ParallelFor parallel_;
  std::size_t samples_ = 0;   // of all ranks
  std::vector<Feeds> feeds_;  // of this rank
  std::optional<LiveValues> live_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace detail

GRAFT_INLINE std::size_t ReconstructedLayers::learned() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(layers, [](const Layer& layer) { return layer.why_not.empty(); }));
}

GRAFT_INLINE std::size_t ReconstructedLayers::learned_blocks() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks, [](const Block& block) { return block.why_not.empty(); }));
}

GRAFT_INLINE std::string to_string(const ReconstructedLayers& result) {
  double before = 0, after = 0, measured = 0;
  for (const ReconstructedLayers::Layer& layer : result.layers) {
    if (!layer.is_measured) continue;
    before += layer.noise_before;
    after += layer.noise_after;
    ++measured;
  }
  const auto mean = [&](double sum) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", sum / measured);
    return std::string(text.data());
  };
  const auto share = [](std::size_t part, std::size_t all) {
    return std::to_string(part) + " of " + std::to_string(all);
  };
  const std::string blocks =
      result.blocks.empty() ? "" : ", and " + share(result.learned_blocks(), result.blocks.size()) + " blocks";
  const std::string noise = measured == 0 ? "" : ": mean noise " + mean(after) + ", before " + mean(before);
  return "learned " + share(result.learned(), result.layers.size()) + " layers" + blocks + noise +
         (measured != 0 && result.held_out == 0 ? "; no samples are held out, because there are fewer than 4" : "") +
         (result.is_complete ? "" : "; the time was over");
}

namespace detail {

/// Which layers blocks left out; empty if none.
inline std::string note_of_blocks(const ReconstructedLayers& result) {
  std::size_t outside = result.layers.size();
  for (const ReconstructedLayers::Block& block : result.blocks) outside -= block.layers.size();
  if (outside == 0) return "";
  if (result.blocks.empty()) return "no block of layers was found";
  return std::to_string(outside) + (outside == 1 ? " layer is in no block" : " layers are in no block");
}

}  // namespace detail

GRAFT_INLINE Pass reconstruct(const Graph& floats, SampleSource samples, const WeightForms& forms, const Target& target,
                              Reconstruction options, ExecutorFactory make_executor) {
  return pass("reconstruct",
              [&floats, samples = std::move(samples), forms, target, options,
               make_executor = std::move(make_executor)](Graph& graph, Context& context) {
                Report report;
                detail::Reconstructor work(graph, floats, samples, forms, target, options, make_executor, context);
                ReconstructedLayers result = work.run(report);
                if (context.is_cancelled()) {
                  report.outcome = Outcome::cancelled;
                  return report;
                }
                report.notes.push_back(to_string(result));
                for (const ReconstructedLayers::Layer& layer : result.layers)
                  if (!layer.why_not.empty())
                    report.notes.push_back("'" + layer.name + "' was not learned by itself: " + layer.why_not);
                if (options.block_steps != 0)
                  if (std::string outside = detail::note_of_blocks(result); !outside.empty())
                    report.notes.push_back(std::move(outside));
                for (const ReconstructedLayers::Block& block : result.blocks)
                  if (!block.why_not.empty())
                    report.notes.push_back("the block of '" + block.layers.front() +
                                           "' stays as its layers are: " + block.why_not);
                context.facts.provide(std::move(result));
                return report;
              })
      .provides<ReconstructedLayers>()
      .preserves_all();
}

}  // namespace graft::inline v1
