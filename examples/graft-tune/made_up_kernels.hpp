#pragma once
// Models of single operators, in float and in integers, whose times make the costs of a target.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/testing/random.hpp>

/// A model under construction: in float, or with quantizers around its operators.
class MadeUp {
 public:
  MadeUp(const graft::Target& target, bool is_quantized) : target_(target), is_quantized_(is_quantized) {}

  /// Adds an input in float, whatever the dtype of the graph input.
  graft::Value& input(const graft::Dims& dims) {
    const std::string name = "x" + std::to_string(inputs_++);
    const std::vector<graft::Dim> shape(dims.begin(), dims.end());
    if (!is_quantized_) return b.input(name, graft::DType::f32, shape);
    return dequantize(b.input(name, target_.activation, shape));
  }
  void output(graft::Value& value) {
    b.output(is_quantized_ ? quantize(value) : value, "y" + std::to_string(outputs_++));
  }
  /// Names the node that produces the value, to time it.
  void time(graft::Value& value) {
    b.graph().rename(*value.producer(), "timed." + std::to_string(timed_++) + ".");
  }
  /// Adds a weight in the target's dtype.
  graft::Value& weight(graft::Dims dims) {
    if (!is_quantized_) return constant(graft::random_tensor(graft::DType::f32, std::move(dims), random_));
    return integer_weight(std::move(dims));
  }
  graft::Value& integer_weight(graft::Dims dims) {
    graft::Value& data = constant(graft::random_tensor(target_.weight, std::move(dims), random_));
    graft::Value& zero = constant(graft::Tensor(target_.weight, {}));
    return b.op("DequantizeLinear", {&data, &constant(graft::Tensor::scalar(0.01f)), &zero});
  }
  /// Requantizes the result of an operator, if the model is quantized.
  graft::Value& between_quantizers(graft::Value& value) {
    return is_quantized_ ? dequantize(quantize(value)) : value;
  }
  graft::Value& quantize(graft::Value& value) { return b.op("QuantizeLinear", {&value, &scale(), &zero_point()}); }
  graft::Value& dequantize(graft::Value& value) { return b.op("DequantizeLinear", {&value, &scale(), &zero_point()}); }
  graft::Value& constant(graft::Tensor tensor) {
    return b.constant(std::move(tensor), "c" + std::to_string(constants_++));
  }
  /// A convolution next to the timed operator: runtimes keep the convolution's layout between two of them.
  graft::Value& pointwise(graft::Value& x, std::int64_t inputs, std::int64_t outputs) {
    return between_quantizers(b.op("Conv", {&x, &weight({outputs, inputs, 1, 1})}));
  }

  graft::Builder b{17};

 private:
  graft::Value& scale() { return constant(graft::Tensor::scalar(0.05f)); }
  graft::Value& zero_point() {
    graft::Tensor zero(target_.activation, {});
    if (target_.activation == graft::DType::u8) zero.mutable_data<std::uint8_t>()[0] = 128;
    return constant(std::move(zero));
  }

  const graft::Target& target_;
  bool is_quantized_;
  graft::Random random_{1};
  std::size_t inputs_ = 0, outputs_ = 0, constants_ = 0, timed_ = 0;
};

/// An operator on inputs of several sizes.
struct MadeUpKernel {
  std::string op;
  /// Makes the operator for an input of these dims.
  std::function<graft::Value&(MadeUp&, graft::Value& x, const graft::Dims&)> build;
  std::vector<graft::Dims> sizes;
  bool between_convolutions = false;
};

/// The dims of inputs of convolutions.
inline std::vector<graft::Dims> feature_maps() {
  return {{1, 8, 14, 14},  {1, 16, 28, 28},  {1, 16, 112, 112}, {1, 96, 112, 112},
          {1, 64, 56, 56}, {1, 144, 28, 28}, {1, 256, 14, 14},  {1, 512, 7, 7}};
}

inline std::vector<MadeUpKernel> made_up_kernels() {
  using graft::Attributes, graft::Dims, graft::Ints, graft::Tensor, graft::Value;
  const std::vector<Dims> maps = feature_maps();
  const std::vector<Dims> images{{1, 1, 28, 28}, {1, 3, 64, 64}, {1, 3, 112, 112}, {1, 3, 224, 224}};
  const std::vector<Dims> rows{{16, 64}, {64, 256}, {128, 512}, {256, 1024}};
  std::vector<Dims> few_rows = rows;  // to separate the cost of weights from that of products
  few_rows.insert(few_rows.end(), {{1, 256}, {1, 1024}, {4, 512}});

  const auto conv = [](std::int64_t size, bool is_depthwise) {
    return [=](MadeUp& m, Value& x, const Dims& dims) -> Value& {
      Value& w = m.weight({dims[1], is_depthwise ? 1 : dims[1], size, size});
      return m.b.op("Conv", {&x, &w},
                    {{"pads", Ints(4, size / 2)}, {"group", is_depthwise ? dims[1] : std::int64_t{1}}});
    };
  };
  const auto image_conv = [](std::int64_t channels, std::int64_t size) {
    return [=](MadeUp& m, Value& x, const Dims& dims) -> Value& {
      return m.b.op("Conv", {&x, &m.weight({channels, dims[1], size, size})},
                    {{"pads", Ints(4, size / 2)}, {"strides", Ints{2, 2}}});
    };
  };
  const auto product = [](std::string op) {
    return [=](MadeUp& m, Value& x, const Dims& dims) -> Value& {
      return m.b.op(op, {&x, &m.weight({dims[1], dims[1]})});
    };
  };
  const auto unary = [](std::string op, Attributes attributes) {
    return [=](MadeUp& m, Value& x, const Dims&) -> Value& { return m.b.op(op, {&x}, attributes); };
  };
  const auto binary = [](std::string op) {
    return [=](MadeUp& m, Value& x, const Dims& dims) -> Value& {
      return m.b.op(op, {&x, &m.pointwise(m.input(dims), dims[1], dims[1])});
    };
  };
  const auto resize = [](std::string mode) {
    return [=](MadeUp& m, Value& x, const Dims&) -> Value& {
      Attributes attributes{{"mode", mode}};
      if (mode == "nearest") attributes = {{"mode", mode}, {"nearest_mode", "floor"}};
      return m.b.op("Resize", {&x, nullptr, &m.constant(Tensor::of<float>({4}, {1, 1, 2, 2}))}, attributes);
    };
  };
  const auto concat = [](MadeUp& m, Value& x, const Dims& dims) -> Value& {
    return m.b.op("Concat", {&x, &m.pointwise(m.input(dims), dims[1], dims[1])}, {{"axis", 1}});
  };
  const auto where = [](MadeUp& m, Value& x, const Dims& dims) -> Value& {
    graft::Random random(2);
    Value& condition = m.constant(graft::random_tensor(graft::DType::boolean, dims, random));
    return m.b.op("Where", {&condition, &x, &m.input(dims)});
  };
  const std::vector<Dims> resized{maps[1], maps[2], maps[5], maps[6]};
  const Attributes window{{"kernel_shape", Ints{3, 3}}, {"pads", Ints(4, 1)}};
  return {{"Conv", conv(1, false), maps},
          {"Conv", conv(3, false), maps},
          {"Conv", conv(3, true), maps},
          {"Conv", conv(5, true), maps},
          {"Conv", image_conv(16, 3), images},
          {"Conv", image_conv(32, 3), images},
          {"Conv", image_conv(64, 7), images},
          {"Gemm", product("Gemm"), few_rows},
          {"MatMul", product("MatMul"), few_rows},
          {"Add", binary("Add"), maps, true},
          {"Mul", binary("Mul"), maps, true},
          {"Where", where, maps},
          {"Concat", concat, maps, true},
          {"AveragePool", unary("AveragePool", window), maps, true},
          {"GlobalAveragePool", unary("GlobalAveragePool", {}), maps},
          {"LeakyRelu", unary("LeakyRelu", {{"alpha", 0.1f}}), maps, true},
          {"Sigmoid", unary("Sigmoid", {}), maps, true},
          {"Softmax", unary("Softmax", {{"axis", -1}}), rows},
          {"MaxPool", unary("MaxPool", window), maps, true},
          {"Resize", resize("nearest"), resized, true},
          {"Resize", resize("linear"), resized, true},
          {"ReduceMax", unary("ReduceMax", {{"axes", Ints{2, 3}}}), maps},
          {"ReduceMin", unary("ReduceMin", {{"axes", Ints{2, 3}}}), maps},
          {"DepthToSpace", unary("DepthToSpace", {{"blocksize", 2}}), maps},
          {"Transpose", unary("Transpose", {{"perm", Ints{0, 2, 3, 1}}}), maps}};
}

/// Makes one model of all sizes side by side. Only the operators to be timed have names.
inline graft::Model model_of(const MadeUpKernel& kernel, const graft::Target& target, bool is_quantized) {
  MadeUp m(target, is_quantized);
  for (const graft::Dims& dims : kernel.sizes) {
    graft::Value* x = &m.input(dims);
    if (kernel.between_convolutions) x = &m.pointwise(*x, dims[1], dims[1]);
    graft::Value& y = kernel.build(m, *x, dims);
    m.time(y);
    graft::Value* last = &m.between_quantizers(y);
    if (kernel.between_convolutions) last = &m.pointwise(*last, kernel.op == "Concat" ? 2 * dims[1] : dims[1], 8);
    m.output(*last);
  }
  return m.b.build();
}

/// Quantizes a tensor of these dims, whose values decide the scale.
inline graft::Model model_of_dynamic_quantizer(const graft::Target& target, const graft::Dims& dims) {
  MadeUp m(target, false);
  graft::Node& quantizer = m.b.node("DynamicQuantizeLinear", {&m.input(dims)}, 3);
  for (graft::Value& output : quantizer.outputs()) m.b.output(output, std::string(output.name()));
  return m.b.build();
}

/// A convolution in integers between two in float. The conversions between them have these dims, and change layouts
/// too.
inline graft::Model model_of_conversions(const graft::Target& target, const graft::Dims& dims) {
  MadeUp m(target, false);
  const graft::Dims weight{dims[1], dims[1], 1, 1};
  graft::Value& first = m.b.op("Conv", {&m.input(dims), &m.weight(weight)});
  graft::Value& second = m.b.op("Conv", {&m.dequantize(m.quantize(first)), &m.integer_weight(weight)});
  m.b.output(m.b.op("Conv", {&m.dequantize(m.quantize(second)), &m.weight(weight)}), "y");
  return m.b.build();
}
