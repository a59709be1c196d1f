#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/cost/inference_cost.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing.hpp>

using namespace graft;
using qonnx::Cost;
using qonnx::DataType;
using qonnx::InferenceCost;

namespace {

/// A model whose constants get names by themselves.
class Net {
 public:
  explicit Net(int opset = 13) : b_(opset) { b_.import(qonnx::domain, 1); }

  Value& input(std::vector<Dim> dims) {
    return b_.input("x" + std::to_string(b_.graph().inputs().size()), DType::f32, std::move(dims));
  }
  Value& constant(Tensor tensor) { return b_.constant(std::move(tensor), "c" + std::to_string(constants_++)); }
  Value& quant(Value& x, float bits, float scale = 1) {
    return op("qonnx.custom_op.general::Quant", {&x, &constant(Tensor::scalar(scale)), &constant(Tensor::scalar(0.0F)),
                                                 &constant(Tensor::scalar(bits))});
  }
  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return b_.op(name, inputs, attributes);
  }
  InferenceCost cost(const qonnx::InferenceCostOptions& options = {}) {
    return qonnx::inference_cost(b_.graph(), options);
  }

 private:
  Builder b_;
  int constants_ = 0;
};

/// 0, 1, 2, 3, 0, 1 ...
Tensor counting(Dims dims) {
  Tensor tensor(DType::f32, std::move(dims));
  float next = 0;
  for (float& number : tensor.mutable_data<float>()) {
    number = next;
    next = next == 3 ? 0 : next + 1;
  }
  return tensor;
}

constexpr qonnx::InferenceCostOptions dense{.discount_sparsity = false};

}  // namespace

TEST_CASE("a Conv costs what its groups, kernel and output say", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input({2, 4, 8, 8}), 4);
  Value& w = net.quant(net.constant(counting({6, 2, 3, 3})), 3);
  net.op("Conv", {&x, &w}, {{"group", 2}, {"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}, {"kernel_shape", {3, 3}}});
  const InferenceCost all = net.cost(dense);
  const double outputs = 2 * 6 * 4 * 4;
  const qonnx::Operands types{DataType::integer(4), DataType::integer(3)};
  CHECK(all.total.macs == std::map<qonnx::Operands, double>{{types, outputs * 18}});
  CHECK(all.total.weights == std::map<DataType, double>{{DataType::integer(3), 108}});
  CHECK(all.total.outputs == std::map<DataType, double>{{DataType::integer(32), outputs}});
  CHECK(all.total.total_bops() == outputs * 18 * 12);
  CHECK(all.total.accumulated_bops == Approx(qonnx::accumulated_bops(6, 2, 9, 4, 3) * 2 * 4 * 4));
  CHECK(all.uncounted.empty());

  // A quarter of the weights is 0. The weight is computed by the Quant.
  CHECK(net.cost().total.total_macs() == outputs * 18 * 3 / 4);
  CHECK(net.cost().total.weight_elements() == 81);
  CHECK(net.cost().total.output_elements() == outputs);
}

TEST_CASE("weights that become 0 are discounted, not those that were", "[qonnx]") {
  Net net;
  Value& x = net.input({1, 4});
  Value& w = net.quant(net.constant(Tensor::of<float>({4, 1}, {0.4F, 0.6F, -0.4F, 0})), 4);
  net.op("MatMul", {&x, &w});
  CHECK(net.cost().total.total_macs() == 1);
  CHECK(net.cost(dense).total.total_macs() == 4);
}

TEST_CASE("a matrix product has a weight on either side, or on none", "[qonnx]") {
  const auto cost_of = [](bool is_first_constant, bool is_second_constant) {
    Net net;
    Value& a = net.quant(is_first_constant ? net.constant(counting({3, 5})) : net.input({3, 5}), 2);
    Value& b = net.quant(is_second_constant ? net.constant(counting({5, 7})) : net.input({5, 7}), 3);
    net.op("MatMul", {&a, &b});
    return net.cost(dense);
  };
  const DataType two = DataType::integer(2), three = DataType::integer(3);
  using Macs = std::map<qonnx::Operands, double>;
  using Counts = std::map<DataType, double>;
  CHECK(cost_of(false, true).total.macs == Macs{{{two, three}, 105}});
  CHECK(cost_of(false, true).total.weights == Counts{{three, 35}});
  CHECK(cost_of(true, false).total.macs == Macs{{{three, two}, 105}});
  CHECK(cost_of(true, false).total.weights == Counts{{two, 15}});
  CHECK(cost_of(false, false).total.macs == Macs{{{two, three}, 105}});
  CHECK(cost_of(false, false).total.weight_bits() == 0);
  CHECK(cost_of(true, true).nodes.empty());  // nothing is left to run time
}

TEST_CASE("a Gemm sums over the rows of a transposed input", "[qonnx]") {
  Net net;
  net.op("Gemm", {&net.input({5, 3}), &net.constant(counting({7, 5}))}, {{"transA", 1}, {"transB", 1}});
  CHECK(net.cost(dense).total.total_macs() == 3 * 5 * 7);
  CHECK(net.cost(dense).total.total_bops() == 3 * 5 * 7 * 32 * 32);
}

TEST_CASE("an Upsample costs two products for each axis that it scales, if it is linear", "[qonnx]") {
  for (const char* const mode : {"linear", "nearest"}) {
    Net net(9);
    net.op("Upsample", {&net.input({1, 2, 4, 4}), &net.constant(Tensor::of<float>({4}, {1, 1, 2, 2}))},
           {{"mode", mode}});
    CHECK(net.cost().total.total_macs() == (std::string(mode) == "linear" ? 2 * 2 * 2 * 8 * 8 : 0));
    CHECK(net.cost().total.output_elements() == 2 * 8 * 8);
    CHECK(net.cost().total.weight_elements() == 0);
  }
}

TEST_CASE("activations with a scale count as integers, or as the floats that hold them", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input({1, 4}), 4, 0.5F);
  net.op("MatMul", {&x, &net.quant(net.constant(counting({4, 2})), 3, 0.5F)});
  CHECK(net.cost(dense).total.total_bops() == 8 * 4 * 3);
  CHECK(net.cost({.discount_sparsity = false, .scaled_activations_as_float = true}).total.total_bops() == 8 * 32 * 3);
}

TEST_CASE("operators on integers count as those on floats do, in the bits of their dtypes", "[qonnx]") {
  const DataType u8 = DataType::unsigned_integer(8), i8 = DataType::integer(8), i32 = DataType::integer(32);
  using Macs = std::map<qonnx::Operands, double>;
  const auto cost_of = [](const std::string& text, const qonnx::InferenceCostOptions& options = {}) {
    Model model = graph(text);
    const InferenceCost cost = qonnx::inference_cost(model.graph(), options);
    CHECK(cost.uncounted.empty());
    CHECK(cost.other_operators.empty());
    return cost.total;
  };
  const std::string conv = "x: u8[1,2,3,3]; w = i8[3,2,1,1] {0, 1, 2, 0, 1, 2}; ";
  const double places = 3 * 3 * 3;
  const Cost linear = cost_of(conv + "y = QLinearConv(x, f32[] 1, u8[] 0, w, f32[] 1, i8[] 1, f32[] 1, u8[] 0)");
  CHECK(linear.macs == Macs{{{u8, i8}, places * 2 * 2 / 3}});  // a third of the weight is its zero point
  CHECK(linear.weights == std::map<DataType, double>{{i8, 4}});
  CHECK(linear.outputs == std::map<DataType, double>{{u8, places}});
  CHECK(cost_of(conv + "y = ConvInteger(x, w)").macs == Macs{{{u8, i8}, places * 2 * 2 / 3}});
  CHECK(cost_of(conv + "y = ConvInteger(x, w)").outputs == std::map<DataType, double>{{i32, places}});
  CHECK(cost_of(conv + "y = ConvInteger(x, w, u8[] 0, i8[3] {0, 1, 2})").total_macs() == places * 2);
  const std::string product = "x: i8[2,4]; w = i8[4,3] 1; ";
  CHECK(cost_of(product + "y = QLinearMatMul(x, f32[] 1, i8[] 0, w, f32[] 1, i8[] 0, f32[] 1, i8[] 0)").macs ==
        Macs{{{i8, i8}, 24}});
  CHECK(cost_of(product + "y = MatMulInteger(x, w)").total_bops() == 24 * 64);
  CHECK(cost_of("x: u8[4,2]; w = i8[3,4] 1; y = com.microsoft::QGemm(x, f32[] 1, u8[] 0, w, f32[] 1, i8[] 0, _,"
                "f32[] 1, u8[] 0) {transA=1, transB=1}")
            .total_macs() == 24);
  const std::string shifted = "x: u8[2,4]; w = u8[4,1] {5, 6, 5, 6}; y = MatMulInteger(x, w, u8[] 0, u8[] 5)";
  CHECK(cost_of(shifted).total_macs() == 4);
  CHECK(cost_of(shifted, dense).total_macs() == 8);
}

TEST_CASE("what cannot be counted is reported", "[qonnx]") {
  Net net;
  Value& x = net.input({"batch", 4});
  Value& y = net.op("MatMul", {&net.op("Relu", {&x}), &net.constant(counting({4, 2}))});
  net.op("Softmax", {&y});
  Value& target = net.constant(Tensor::of<std::int64_t>({2}, {2, 2}));
  net.op("ReduceSum", {&net.op("Tanh", {&net.op("Expand", {&y, &target})})});
  net.op("Einsum", {&y}, {{"equation", "ij->ji"}});
  const InferenceCost cost = net.cost();
  CHECK(cost.nodes.empty());
  REQUIRE(cost.uncounted.size() == 1);
  CHECK(cost.uncounted[0].why == "the shape of its first input is not known");
  CHECK(cost.other_operators == std::map<std::string, std::size_t>{{"Einsum", 1}, {"Softmax", 1}});
  CHECK(to_string(cost).find("not counted: Softmax, 1 of them") != std::string::npos);
}

TEST_CASE("bodies count, and a shape that rests on an overridable initializer", "[qonnx]") {
  Builder branch(13);
  branch.output(branch.op("MatMul", {&branch.constant(counting({1, 3}), "a"),
                                     &branch.op("RandomNormal", {}, {{"shape", {3, 2}}})}),
                "r");
  Builder other(13);
  other.output(other.op("RandomNormal", {}, {{"shape", {1, 2}}}), "r");
  Builder b(13);
  b.output(b.op("If", {&b.input("condition", DType::boolean, {})}, {{"then_branch", branch.build().commit().graph()},
                                                                    {"else_branch", other.build().commit().graph()}}),
           "y");
  Value& shape = b.constant(Tensor::of<std::int64_t>({2}, {1, 4}), "shape");
  b.output(b.op("MatMul", {&b.op("Reshape", {&b.input("x", DType::f32, {"a", "b"}), &shape}),
                           &b.constant(counting({4, 5}), "w")}),
           "z");
  onnx::ModelProto proto = b.build().commit();
  onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
  input.set_name("shape");
  *input.mutable_type() = tensor_type(DType::i64, Shape(Dims{2}));
  Model model(proto);
  const InferenceCost cost = qonnx::inference_cost(model.graph(), dense);
  CHECK(cost.uncounted.empty());
  REQUIRE(cost.nodes.size() == 2);
  CHECK(cost.total.total_macs() == 1 * 3 * 2 + 1 * 4 * 5);
}

TEST_CASE("the table has a line for each node, and the total", "[qonnx]") {
  Net net;
  net.op("MatMul", {&net.quant(net.input({1, 4}), 4), &net.quant(net.constant(counting({4, 2})), 3)});
  const std::string text = to_string(net.cost());
  CHECK(text.find("INT4    INT3     6    72           18") != std::string::npos);
  CHECK(text.find("\ntotal") != std::string::npos);
}
