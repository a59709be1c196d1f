#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/datatype/annotations.hpp>
#include <graft/qonnx/datatype/infer_data_types.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using qonnx::DataType;

namespace {

struct QuantOf {
  float scale = 1, zero_point = 0, bits = 4;
  bool is_signed = true;
};

/// A model that quantizes an input, f32[1, 4, 8, 8].
class Net {
 public:
  Net() : b_(13) { b_.import(qonnx::domain, 1); }

  Value& input(DType dtype = DType::f32) {
    return b_.input("x" + std::to_string(b_.graph().inputs().size()), dtype, {1, 4, 8, 8});
  }
  Value& number(float value) { return constant(Tensor::scalar(value)); }
  Value& constant(Tensor tensor) { return b_.constant(std::move(tensor), "c" + std::to_string(constants_++)); }
  Value& quant(Value& x, QuantOf q = {}) {
    return b_.op("qonnx.custom_op.general::Quant", {&x, &number(q.scale), &number(q.zero_point), &number(q.bits)},
                 {{"signed", q.is_signed ? 1 : 0}, {"narrow", 0}});
  }
  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return b_.op(name, inputs, attributes);
  }

  /// The type of a value, which becomes the output.
  std::string type(Value& value, bool allow_scaled_integers = true) {
    Graph& graph = b_.graph();
    return to_string(qonnx::infer_data_types(graph, {allow_scaled_integers}).of(value));
  }

 private:
  Builder b_;
  int constants_ = 0;
};

std::string after_quant(QuantOf q, bool allow_scaled_integers = true) {
  Net net;
  return net.type(net.quant(net.input(), q), allow_scaled_integers);
}

/// Of an operator of two inputs that are quantized like this.
std::string after(std::string_view op, QuantOf a, QuantOf b) {
  Net net;
  return net.type(net.op(op, {&net.quant(net.input(), a), &net.quant(net.input(), b)}));
}

}  // namespace

TEST_CASE("the data type of a Quant follows from scale, zero point, bit width and sign", "[qonnx]") {
  CHECK(after_quant({1, 0, 4, true}) == "INT4");
  CHECK(after_quant({1, 0, 4, false}) == "UINT4");
  CHECK(after_quant({1, 0, 1, true}) == "BIPOLAR");
  CHECK(after_quant({1, 0, 1, false}) == "BINARY");
  CHECK(after_quant({0.5F, 0, 4, true}) == "SCALEDINT<4>");
  CHECK(after_quant({0.5F, 0, 4, false}) == "SCALEDINT<4>");
  CHECK(after_quant({1, 1, 4, true}) == "FLOAT32");
  CHECK(after_quant({1, 0, 3.5F, true}) == "FLOAT32");
  CHECK(after_quant({0.5F, 0, 4, true}, false) == "FLOAT32");
  CHECK(after_quant({1, 0, 4, true}, false) == "INT4");
}

TEST_CASE("parameters of a Quant may differ by channel, be computed, or not be constant", "[qonnx]") {
  Net net;
  Value &x = net.input(), &zero = net.number(0), &four = net.number(4);
  Value& ones = net.constant(Tensor::of<float>({4, 1, 1}, {1, 1, 1, 1}));
  Value& twos = net.op("Add", {&ones, &ones});
  const auto quant = [&](Value& scale, Value& bits) -> Value& {
    return net.op("onnx.brevitas::Quant", {&x, &scale, &zero, &bits});
  };
  CHECK(net.type(quant(ones, four)) == "INT4");
  CHECK(net.type(quant(twos, four)) == "SCALEDINT<4>");
  CHECK(net.type(quant(net.op("ReduceMean", {&x}), four)) == "FLOAT32");
  CHECK(net.type(quant(ones, net.constant(Tensor::of<float>({4, 1, 1}, {4, 4, 3, 4})))) == "FLOAT32");
  CHECK(net.type(net.op("qonnx.custom_op.general::IntQuant", {&x, &ones, &zero, &four})) == "INT4");
}

TEST_CASE("the data types of the other quantizers", "[qonnx]") {
  Net net;
  Value &x = net.input(), &one = net.number(1), &half = net.number(0.5F), &zero = net.number(0), &four = net.number(4);
  const std::string own(std::string(qonnx::domain) + "::");
  CHECK(net.type(net.op(own + "BipolarQuant", {&x, &one})) == "BIPOLAR");
  CHECK(net.type(net.op(own + "BipolarQuant", {&x, &half})) == "FLOAT32");
  CHECK(net.type(net.op(own + "Trunc", {&net.quant(x), &one, &zero, &four, &one})) == "FLOAT32");
  CHECK(net.type(net.op(own + "FloatQuant", {&x, &one, &four, &net.number(3), &net.number(7), &four})) ==
        "FLOAT<4,3,7>");
  CHECK(net.type(net.op(own + "FloatQuant", {&x, &half, &four, &net.number(3), &net.number(7), &four})) == "FLOAT32");
  Value& thresholds = net.constant(Tensor::of<float>({1, 3}, {0, 1, 2}));
  CHECK(net.type(net.op(own + "MultiThreshold", {&x, &thresholds})) == "FLOAT32");
  CHECK(net.type(net.op(own + "MultiThreshold", {&x, &thresholds}, {{"out_dtype", "UINT2"}})) == "UINT2");
  CHECK(net.type(net.op(own + "MultiThreshold", {&x, &thresholds}, {{"out_dtype", "UINT2"}, {"out_scale", 0.5F}})) ==
        "FLOAT32");
  CHECK(net.type(net.op("Sign", {&x})) == "TERNARY");

  Value& byte = net.constant(Tensor::scalar<std::int8_t>(0));
  Value& quantized = net.op("QuantizeLinear", {&x, &half, &byte});
  CHECK(net.type(quantized) == "INT8");
  CHECK(net.type(net.op("DequantizeLinear", {&quantized, &half, &byte})) == "SCALEDINT<8>");
  CHECK(net.type(net.op("QuantizeLinear", {&x, &half})) == "UINT8");
}

TEST_CASE("products and sums are as wide as any integers need", "[qonnx]") {
  const QuantOf integer{1, 0, 4, true}, natural{1, 0, 4, false}, scaled{0.5F, 0, 4, true}, shifted{1, 1, 4, true};
  for (const std::string_view op : {"MatMul", "Add", "Mul", "Conv"}) {
    INFO(op);
    CHECK(after(op, integer, natural) == "INT32");
    CHECK(after(op, natural, natural) == "UINT32");
    CHECK(after(op, scaled, natural) == "SCALEDINT<32>");
    CHECK(after(op, scaled, shifted) == "FLOAT32");
  }
  CHECK(after("Sub", natural, natural) == "INT32");
  CHECK(after("Div", natural, natural) == "FLOAT32");
}

TEST_CASE("movement keeps the data type, and what is computed otherwise is a float", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input());
  CHECK(net.type(net.op("Transpose", {&x}, {{"perm", {0, 2, 3, 1}}})) == "INT4");
  CHECK(net.type(net.op("Flatten", {&x})) == "INT4");
  CHECK(net.type(net.op("SpaceToDepth", {&x}, {{"blocksize", 2}})) == "INT4");
  CHECK(net.type(net.op("ReduceMax", {&x})) == "INT4");
  CHECK(net.type(net.op("MaxPool", {&x}, {{"kernel_shape", {2, 2}}})) == "INT4");
  CHECK(net.type(net.op("Concat", {&x, &x}, {{"axis", 1}})) == "INT4");
  CHECK(net.type(net.op("Clip", {&x, &net.number(0), &net.number(3)})) == "INT4");
  CHECK(net.type(net.op("Relu", {&x})) == "FLOAT32");
  CHECK(net.type(net.op("AveragePool", {&x}, {{"kernel_shape", {2, 2}}})) == "FLOAT32");
  Value& scales = net.constant(Tensor::of<float>({4}, {1, 1, 2, 2}));
  CHECK(net.type(net.op("Resize", {&x, nullptr, &scales}, {{"mode", "nearest"}})) == "INT4");
  CHECK(net.type(net.op("Resize", {&x, nullptr, &scales}, {{"mode", "linear"}})) == "FLOAT32");
  CHECK(net.type(net.op("Relu", {&net.input(DType::f16)})) == "FLOAT16");
}

TEST_CASE("what is joined, filled in or scattered must be of the type", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input());
  Value& sign = net.op("Sign", {&net.input()});
  CHECK(net.type(net.op("Concat", {&x, &sign}, {{"axis", 1}})) == "FLOAT32");
  Value& pads = net.constant(Tensor::of<std::int64_t>({8}, {0, 0, 1, 1, 0, 0, 1, 1}));
  CHECK(net.type(net.op("Pad", {&x, &pads})) == "INT4");
  CHECK(net.type(net.op("Pad", {&x, &pads, &net.number(7)})) == "INT4");
  CHECK(net.type(net.op("Pad", {&x, &pads, &net.number(8)})) == "FLOAT32");
  CHECK(net.type(net.op("Pad", {&x, &pads, &net.number(8)}, {{"mode", "reflect"}})) == "INT4");
  Value& bipolar = net.op("qonnx.custom_op.general::BipolarQuant", {&net.input(), &net.number(1)});
  CHECK(net.type(net.op("Pad", {&bipolar, &pads})) == "FLOAT32");
  Value& at = net.constant(Tensor::of<std::int64_t>({1, 1, 1, 1}, {0}));
  const auto scattered = [&](float number) {
    return net.type(net.op("ScatterElements", {&x, &at, &net.constant(Tensor::of<float>({1, 1, 1, 1}, {number}))}));
  };
  CHECK(scattered(3) == "INT4");
  CHECK(scattered(0.5F) == "FLOAT32");
  CHECK(net.type(net.op("ScatterElements", {&x, &at, &net.input()})) == "FLOAT32");
}

TEST_CASE("positions, masks and counts have the type of their dtype", "[qonnx]") {
  Model model = graph(R"(
      opset 17; x: f32[1,4,8,8]; k = i64[1] 2
      q = qonnx.custom_op.general::Quant(x, f32[] 1, f32[] 0, f32[] 4) {signed=1}
      m, indices = MaxPool(q) {kernel_shape=[2,2]}
      d, mask = Dropout(q, f32[] 0.5, bool[] true)
      t, top = TopK(q, k)
      u, uniques, inverse, counts = Unique(q)
      a, b = Split(q) {axis=1}
      y, scale, zero = DynamicQuantizeLinear(x)
      l, mean, deviation = LayerNormalization(q, f32[8] 1)
      sum = Add(indices, indices)
      best = ArgMax(q))");
  const auto type = [&](const char* name) {
    return to_string(qonnx::infer_data_types(model.graph()).of(*model.graph().find(name)));
  };
  for (const char* const name : {"indices", "top", "uniques", "inverse", "counts", "sum", "best"}) {
    INFO(name);
    CHECK(type(name) == "INT64");
  }
  CHECK(type("mask") == "BINARY");
  for (const char* const name : {"m", "a", "b"}) CHECK(type(name) == "INT4");
  for (const char* const name : {"y", "zero"}) CHECK(type(name) == "UINT8");
  for (const char* const name : {"scale", "l", "mean", "deviation", "t", "u", "d"}) CHECK(type(name) == "FLOAT32");
}

TEST_CASE("annotations say the type of inputs, and of what no rule knows", "[qonnx]") {
  Net net;
  Value& x = net.input();
  Value &moved = net.op("Flatten", {&x}), &unknown = net.op("Relu", {&x}), &known = net.op("Sign", {&x});
  Graph& graph = x.graph();
  qonnx::DataTypes types;
  types.set(x, DataType::unsigned_integer(2));
  types.set(unknown, DataType::integer(3));
  types.set(known, DataType::integer(3));
  qonnx::write_data_types(graph.model(), types);
  const qonnx::DataTypes inferred = qonnx::infer_data_types(graph);
  CHECK(inferred.of(moved) == DataType::unsigned_integer(2));
  CHECK(inferred.of(unknown) == DataType::integer(3));
  CHECK(inferred.of(known) == DataType::ternary());
}

TEST_CASE("an initializer that could be overridden counts as constant, and inference leaves the graph as it was",
          "[qonnx]") {
  onnx::ModelProto proto;
  {
    Builder b(13);
    b.import(qonnx::domain, 1);
    Value& x = b.input("x", DType::f32, {2});
    b.output(b.op("qonnx.custom_op.general::Quant",
                  {&x, &b.constant(Tensor::scalar(1.0F), "scale"), &b.constant(Tensor::scalar(0.0F), "zero"),
                   &b.constant(Tensor::scalar(3.0F), "bits")}),
             "y");
    proto = b.build().commit();
    proto.mutable_graph()->mutable_output(0)->clear_type();
    for (const char* const name : {"scale", "bits"}) {
      onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
      input.set_name(name);
      *input.mutable_type() = tensor_type(DType::f32, Shape(Dims{}));
    }
  }
  Model model(proto);
  const std::uint64_t changes = model.change_count();
  CHECK(to_string(qonnx::infer_data_types(model.graph()).of(*model.graph().find("y"))) == "INT3");
  CHECK(model.change_count() == changes);
  CHECK(model.graph().find("y")->dtype() == DType::undefined);
  CHECK(model.serialize() == proto.SerializeAsString());
}

TEST_CASE("the pass provides what the function infers", "[qonnx]") {
  Builder b(13);
  b.output(b.op("Sign", {&b.input("x", DType::f32, {2})}), "y");
  Model model = b.build();
  Context context;
  const Report report = qonnx::infer_data_types().run(model, context);
  CHECK(report.changes == 0);
  REQUIRE(context.facts.find<qonnx::DataTypes>() != nullptr);
  CHECK(context.facts.find<qonnx::DataTypes>()->of(*model.graph().find("y")) == DataType::ternary());
  CHECK(context.facts.find<qonnx::DataTypes>()->find(*model.graph().find("x")) == nullptr);
}
