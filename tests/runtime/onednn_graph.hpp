#pragma once
// A model in the terms of oneDNN's Graph API: each node becomes the operation of the same meaning, or the two of a
// product and its bias; what has none becomes a Wildcard, which no partition crosses.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oneapi/dnnl/dnnl_graph.hpp>

#include <graft/quantize.hpp>

class OneDnnGraph {
 public:
  using Op = dnnl::graph::op;
  using Kind = Op::kind;
  using Key = Op::attr;
  using Tensor = dnnl::graph::logical_tensor;
  using Numbers = std::vector<std::int64_t>;

  static constexpr dnnl::engine::kind engine = dnnl::engine::kind::cpu;

  explicit OneDnnGraph(const graft::Graph& graph) {
    for (const graft::Node& node : graph.nodes()) add(node);
    for (const graft::Value* const output : graph.outputs())
      if (output->use_count() > 1) put(Kind::End, {tensor(*output)}, {});
    graph_.finalize();
  }

  std::vector<dnnl::graph::partition> partitions() { return graph_.get_partitions(); }
  /// The operation that computes the node, before a bias is added.
  std::size_t operation(const graft::Node& node) const { return operations_.at(&node); }

 private:
  using Set = std::function<void(Op&)>;

  Tensor tensor(const graft::Value& value) {
    using Type = Tensor::data_type;
    static const std::map<graft::DType, Type> types{{graft::DType::f32, Type::f32},   {graft::DType::f16, Type::f16},
                                                    {graft::DType::bf16, Type::bf16}, {graft::DType::i8, Type::s8},
                                                    {graft::DType::u8, Type::u8},     {graft::DType::i32, Type::s32},
                                                    {graft::DType::boolean, Type::boolean}};
    const auto [place, is_new] = ids_.try_emplace(&value, next_tensor_);
    next_tensor_ += is_new;
    const std::size_t id = place->second;
    const auto type = types.find(value.dtype());
    const auto property =
        value.is_constant() ? Tensor::property_type::constant : Tensor::property_type::undef;
    const std::optional<Numbers> dims = known(value);
    if (!dims) return {id, type == types.end() ? Type::undef : type->second, -1, Tensor::layout_type::strided};
    return {id, type == types.end() ? Type::undef : type->second, *dims, Tensor::layout_type::strided, property};
  }

  static std::optional<Numbers> known(const graft::Value& value) {
    if (!value.shape().known()) return std::nullopt;
    Numbers dims;
    for (std::size_t i = 0; i < value.shape().rank(); ++i) dims.push_back(value.shape()[i].value());
    return dims;
  }

  bool put(Kind kind, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, const Set& set = {}) {
    Op op(next_, kind, inputs, outputs);
    if (set) set(op);
    const bool added = graph_.add_op(op, false) == dnnl::graph::status::success;
    next_ += added;
    return added;
  }

  void add(const graft::Node& node) {
    operations_[&node] = next_;
    if (translate(node)) return;
    std::vector<Tensor> inputs, outputs;
    for (const graft::Value* const input : node.inputs())
      if (input != nullptr) inputs.push_back(tensor(*input));
    for (const graft::Value& output : node.outputs()) outputs.push_back(tensor(output));
    put(Kind::Wildcard, inputs, outputs);
  }

  bool translate(const graft::Node& node) {
    if (graft::is_quantize(node) || graft::is_dequantize(node)) return quantizer(node);
    if (!node.domain().empty()) return false;
    if (node.is("Conv") || node.is("ConvTranspose") || node.is("MatMul") || node.is("Gemm")) return product(node);
    const auto same = elementwise.find(node.op_type());
    if (same != elementwise.end()) return simple(node, same->second, node.input_count());
    if (node.is("Clip")) {
      const std::optional<graft::Range> limits = graft::bounds(node);
      return limits && simple(node, Kind::Clamp, 1, [&](Op& op) {
               op.set_attr(Key::min, limits->min).set_attr(Key::max, limits->max);
             });
    }
    if (node.is("AveragePool") || node.is("MaxPool") || node.is("GlobalAveragePool")) return pool(node);
    if (node.is("Transpose"))
      return simple(node, Kind::StaticTranspose, 1, [&](Op& op) {
        Numbers reversed(node.input(0)->shape().rank());
        std::iota(reversed.rbegin(), reversed.rend(), 0);
        op.set_attr(Key::order, node.attr<Numbers>("perm").value_or(reversed));
      });
    if (node.is("Reshape") || node.is("Flatten") || node.is("Squeeze") || node.is("Unsqueeze")) {
      const std::optional<Numbers> shape = known(*node.output(0));
      return shape && simple(node, Kind::StaticReshape, 1, [&](Op& op) {
               op.set_attr(Key::shape, *shape).set_attr(Key::special_zero, false);
             });
    }
    if (node.is("Resize")) {
      const std::optional<Numbers> shape = known(*node.output(0));
      return shape && simple(node, Kind::Interpolate, 1, [&](Op& op) {
               op.set_attr(Key::mode, node.attr<std::string>("mode").value())
                   .set_attr(Key::coordinate_transformation_mode,
                             node.attr<std::string>("coordinate_transformation_mode").value())
                   .set_attr(Key::data_format, std::string("NCX"))
                   .set_attr(Key::sizes, Numbers(shape->begin() + 2, shape->end()));
             });
    }
    const auto reduction = reductions.find(node.op_type());
    if (reduction == reductions.end()) return false;
    const std::optional<graft::Tensor> given = node.input(1) != nullptr ? node.input(1)->constant() : std::nullopt;
    const Numbers axes = given ? given->to<std::int64_t>() : node.attr<Numbers>("axes").value_or(Numbers{});
    return simple(node, reduction->second, 1, [&](Op& op) {
      op.set_attr(Key::axes, axes).set_attr(Key::keep_dims, node.attr<std::int64_t>("keepdims").value_or(1) != 0);
    });
  }

  /// An operation whose attributes are those of the node, renamed, and what `more` sets.
  bool simple(const graft::Node& node, Kind kind, std::size_t inputs, const Set& more = {}) {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (node.input(i) == nullptr) return false;
      tensors.push_back(tensor(*node.input(i)));
    }
    return put(kind, tensors, {tensor(*node.output(0))}, [&](Op& op) {
      if (more) return more(op);
      if (const auto alpha = node.attr<float>("alpha"); alpha && !node.is("Gelu")) op.set_attr(Key::alpha, *alpha);
      if (const auto beta = node.attr<float>("beta")) op.set_attr(Key::beta, *beta);
      if (node.is("Concat") || kind == Kind::SoftMax || kind == Kind::LogSoftmax)
        op.set_attr(Key::axis, node.attr<std::int64_t>("axis").value());
    });
  }

  bool quantizer(const graft::Node& node) {
    const bool is_quantize = graft::is_quantize(node);
    const std::optional<graft::Tensor> scale = graft::detail::constant_input(node, 1),
                                       zero_point = graft::detail::constant_input(node, 2);
    if (!scale) return simple(node, is_quantize ? Kind::DynamicQuantize : Kind::DynamicDequantize, node.input_count());
    return simple(node, is_quantize ? Kind::Quantize : Kind::Dequantize, 1, [&](Op& op) {
      const bool per_channel = scale->size() > 1;
      op.set_attr(Key::scales, scale->to<float>())
          .set_attr(Key::zps, zero_point ? zero_point->to<std::int64_t>() : Numbers(scale->to<float>().size(), 0))
          .set_attr(Key::qtype, std::string(per_channel ? "per_channel" : "per_tensor"))
          .set_attr(Key::axis, node.attr<std::int64_t>("axis").value_or(1));
    });
  }

  bool product(const graft::Node& node) {
    const graft::Value* const bias = node.input(2);
    const bool has_beta = bias != nullptr && node.attr<float>("beta") != 1.0f;
    if (node.is("Gemm") && (graft::product_factor(node) != 1 || has_beta)) return false;
    const Tensor result = tensor(*node.output(0));
    const Tensor product = bias == nullptr ? result
                                           : Tensor(next_tensor_++, result.get_data_type(), result.get_dims(),
                                                    Tensor::layout_type::strided);
    const bool is_conv = node.is("Conv") || node.is("ConvTranspose");
    const Kind kind = node.is("Conv") ? Kind::Convolution : is_conv ? Kind::ConvTranspose : Kind::MatMul;
    const bool added = put(kind, {tensor(*node.input(0)), tensor(*node.input(1))}, {product}, [&](Op& op) {
      if (is_conv) return window(node, op, true);
      op.set_attr(Key::transpose_a, node.attr<std::int64_t>("transA").value_or(0) != 0)
          .set_attr(Key::transpose_b, node.attr<std::int64_t>("transB").value_or(0) != 0);
    });
    if (!added || bias == nullptr) return added;
    if (bias->shape().rank() != 1) return put(Kind::Add, {product, tensor(*bias)}, {result});
    return put(Kind::BiasAdd, {product, tensor(*bias)}, {result},
               [](Op& op) { op.set_attr(Key::data_format, std::string("NCX")); });
  }

  static void window(const graft::Node& node, Op& op, bool is_conv) {
    const std::size_t rank = node.input(0)->shape().rank() - 2;
    const auto numbers = [&](std::string_view name) {
      return node.attr<Numbers>(name).value_or(Numbers(rank, 1));
    };
    const Numbers pads = node.attr<Numbers>("pads").value_or(Numbers(2 * rank, 0));
    const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank);
    op.set_attr(Key::strides, numbers("strides"))
        .set_attr(Key::pads_begin, Numbers(pads.begin(), half))
        .set_attr(Key::pads_end, Numbers(half, pads.end()))
        .set_attr(Key::data_format, std::string("NCX"));
    if (!node.is("AveragePool") && !node.is("GlobalAveragePool")) op.set_attr(Key::dilations, numbers("dilations"));
    const std::string padding = node.attr<std::string>("auto_pad").value_or("NOTSET");
    if (padding != "NOTSET") op.set_attr(Key::auto_pad, padding);
    if (is_conv)
      op.set_attr(Key::groups, node.attr<std::int64_t>("group").value_or(1))
          .set_attr(Key::weights_format, std::string(node.is("Conv") ? "OIX" : "IOX"));
  }

  bool pool(const graft::Node& node) {
    const std::optional<Numbers> input = known(*node.input(0));
    if (node.output_count() != 1 || !input) return false;
    return simple(node, node.is("MaxPool") ? Kind::MaxPool : Kind::AvgPool, 1, [&](Op& op) {
      window(node, op, false);
      op.set_attr(Key::kernel, node.attr<Numbers>("kernel_shape").value_or(Numbers(input->begin() + 2, input->end())))
          .set_attr(Key::rounding_type,
                    std::string(node.attr<std::int64_t>("ceil_mode").value_or(0) != 0 ? "ceil" : "floor"));
      if (!node.is("MaxPool"))
        op.set_attr(Key::exclude_pad, node.attr<std::int64_t>("count_include_pad").value_or(0) == 0);
    });
  }

  /// Those of one meaning in both: inputs and attributes have the same order and names.
  inline static const std::map<std::string_view, Kind> elementwise{
      {"Abs", Kind::Abs},           {"Add", Kind::Add},         {"Concat", Kind::Concat},
      {"Div", Kind::Divide},        {"Elu", Kind::Elu},         {"Exp", Kind::Exp},
      {"Gelu", Kind::GELU},         {"HardSigmoid", Kind::HardSigmoid},
      {"HardSwish", Kind::HardSwish}, {"LeakyRelu", Kind::LeakyReLU}, {"Log", Kind::Log},
      {"LogSoftmax", Kind::LogSoftmax}, {"Max", Kind::Maximum}, {"Min", Kind::Minimum},
      {"Mish", Kind::Mish},         {"Mul", Kind::Multiply},    {"PRelu", Kind::PReLU},
      {"Reciprocal", Kind::Reciprocal}, {"Relu", Kind::ReLU},   {"Round", Kind::Round},
      {"Sigmoid", Kind::Sigmoid},   {"Softmax", Kind::SoftMax}, {"Softplus", Kind::SoftPlus},
      {"Sqrt", Kind::Sqrt},         {"Sub", Kind::Subtract},    {"Tanh", Kind::Tanh},
      {"Where", Kind::Select}};
  inline static const std::map<std::string_view, Kind> reductions{
      {"ReduceMax", Kind::ReduceMax}, {"ReduceMin", Kind::ReduceMin},   {"ReduceMean", Kind::ReduceMean},
      {"ReduceSum", Kind::ReduceSum}, {"ReduceProd", Kind::ReduceProd}, {"ReduceL1", Kind::ReduceL1},
      {"ReduceL2", Kind::ReduceL2}};

  dnnl::graph::graph graph_{engine};
  std::unordered_map<const graft::Value*, std::size_t> ids_;
  std::unordered_map<const graft::Node*, std::size_t> operations_;
  std::size_t next_ = 0, next_tensor_ = 0;
};
