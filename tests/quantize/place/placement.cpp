#include <graft/quantize/place/placement.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/transaction.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// A range for every name that the tests use.
Ranges ranges() {
  Ranges known;
  for (const char* const name : {"x", "y", "a", "b", "c", "d", "sum", "z"}) known.set(name, {-3, 5});
  return known;
}

Report place(Model& model, Placement placement, const Target& target = targets::ort_cpu_x64) {
  return inject_qdq(ranges(), target, placement).run(model);
}

std::size_t pairs(const Model& model) {
  CHECK(count(model.graph(), "QuantizeLinear") == count(model.graph(), "DequantizeLinear"));
  return count(model.graph(), "QuantizeLinear");
}

bool is_quantized(const Value& value) { return value.producer() != nullptr && is_dequantize(*value.producer()); }

}  // namespace

TEST_CASE("naive placement puts a pair behind Conv and one behind its activation", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  const Report report = place(model, Placement::naive);
  CHECK(ops(model.graph()) ==
        "QuantizeLinear DequantizeLinear Conv QuantizeLinear DequantizeLinear Relu QuantizeLinear DequantizeLinear");
  CHECK(report.changes == 3);
  CHECK(model.graph().output(0)->name() == "a");
  CHECK(is_quantized(*model.graph().output(0)));
  CHECK(model.graph().opset() == 13);
}

TEST_CASE("fusion-aware placement leaves out the pair before an activation that fuses", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  place(model, Placement::fusion_aware);
  CHECK(ops(model.graph()) == "QuantizeLinear DequantizeLinear Conv Relu QuantizeLinear DequantizeLinear");
  const QParams q = *qparams_of(*model.graph().last_node());
  CHECK(q == choose_qparams({0, 5}, DType::u8));
}

TEST_CASE("an activation that the target does not fuse keeps both pairs", "[quantize]") {
  for (const Target* const target : targets::all) {
    Net net;
    Model model = net.build({&net.op("LeakyRelu", {&net.conv(*net.x)}, "a")});
    place(model, Placement::fusion_aware, *target);
    INFO(target->name);
    CHECK(pairs(model) == (detail::has_entry(target->activations, "LeakyRelu") ? 2 : 3));
  }
}

TEST_CASE("activations in a row are deferred as far as the target fuses them, and the audit agrees", "[quantize]") {
  struct Case {
    std::vector<const char*> row;
    // How many pairs: behind x, and behind y and activations.
    std::map<const Target*, std::size_t> aware, naive;
  };
  const auto pairs_for = [](std::size_t ort, std::size_t onednn, std::size_t openvino, std::size_t paper) {
    return std::map<const Target*, std::size_t>{{&targets::ort_cpu_x64, ort},
                                                {&targets::onednn, onednn},
                                                {&targets::openvino_cpu, openvino},
                                                {&targets::paper, paper}};
  };
  const Case cases[] = {
      {{"Relu", "Relu"}, pairs_for(2, 2, 2, 2), pairs_for(3, 4, 4, 3)},
      {{"Relu", "Relu6"}, pairs_for(2, 2, 2, 2), pairs_for(4, 4, 4, 3)},
      // From -1 on, and the range behind it begins there.
      {{"Relu", "Clip"}, pairs_for(2, 2, 2, 2), pairs_for(3, 4, 4, 3)},
      {{"Clip", "Relu"}, pairs_for(2, 2, 2, 2), pairs_for(3, 4, 4, 3)},
      {{"LeakyRelu", "Relu"}, pairs_for(3, 2, 2, 2), pairs_for(3, 4, 4, 3)},
      {{"Relu", "Softsign"}, pairs_for(2, 2, 2, 2), pairs_for(3, 3, 3, 3)},
      {{"Relu", "LeakyRelu", "Sigmoid", "Tanh", "Elu", "Relu"}, pairs_for(2, 2, 2, 2), pairs_for(3, 5, 8, 3)},
  };
  for (const Case& test : cases) {
    for (const Target* const target : targets::all) {
      const auto quantized = [&](Placement placement) {
        Net net;
        Value* value = &net.conv(*net.x);
        const char* const results[] = {"a", "b", "c", "d", "sum", "z"};
        for (std::size_t k = 0; k < test.row.size(); ++k)
          if (const std::string_view op = test.row[k]; op == "Clip" || op == "Relu6")
            value = &net.clip(*value, op == "Clip" ? -1 : 0, 6, results[k]);
          else
            value = &net.op(op, {value}, results[k]);
        Model model = net.build({value});
        (inject_qdq(ranges(), *target, placement) | quantize_weights(Granularity::per_channel, *target)).run(model);
        return model;
      };
      const Model aware = quantized(Placement::fusion_aware), naive = quantized(Placement::naive);
      INFO(target->name << ": " << test.row[0] << " " << test.row[1] << ": " << ops(aware.graph()));
      if (test.aware.count(target) != 0) {
        CHECK(count(aware.graph(), "QuantizeLinear") == test.aware.at(target));
        CHECK(count(naive.graph(), "QuantizeLinear") == test.naive.at(target));
      }
      for (const Model* const model : {&aware, &naive}) {
        const Audit found = audit(model->graph(), *target).of("Conv");
        REQUIRE(found.findings.size() == 1);
        CHECK(found.findings[0].fused());
        const std::string_view code = found.findings[0].code;
        const bool is_split = model == &naive && code == "split_chain";
        CHECK((found.findings[0].severity == Severity::none || code == "small" || is_split));
      }
    }
  }
}

TEST_CASE("a row ends where the range of its next activation is not known", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.op("Relu", {&net.conv(*net.x)}, "a")}, "unknown")});
  place(model, Placement::fusion_aware, targets::onednn);
  CHECK(ops(model.graph()) == "QuantizeLinear DequantizeLinear Conv Relu QuantizeLinear DequantizeLinear Relu");
}

TEST_CASE("a Clip whose bounds no quantized range fits keeps both pairs", "[quantize]") {
  Net net;
  Model model = net.build({&net.clip(net.conv(*net.x), 0.5f, 6, "a")});
  place(model, Placement::fusion_aware);
  CHECK(pairs(model) == 3);
}

TEST_CASE("a tensor has one pair, which all its users share", "[quantize]") {
  Net net;
  Value& a = net.conv(*net.x, "a");
  Value& b = net.conv(*net.x, "b");
  Value& sum = net.op("Add", {&a, &b}, "sum");
  Model model = net.build({&net.conv(sum, "y"), &net.op("Neg", {&sum}, "z")});
  place(model, Placement::naive);
  CHECK(pairs(model) == 5);  // x, a, b, sum, y
  CHECK(node_making(model, "z").input(0) ==
        node_making(model, "y").input(0)->producer()->input(0)->producer()->input(0));
  CHECK(is_quantized(*node_making(model, "z").input(0)));
}

TEST_CASE("a Conv with two users, one an activation, has its pair in front of both", "[quantize]") {
  for (const Placement placement : {Placement::naive, Placement::fusion_aware}) {
    Net net;
    Value& y = net.conv(*net.x);
    Value& a = net.op("Relu", {&y}, "a");
    Model model = net.build({&net.op("Add", {&y, &a}, "sum")});
    place(model, placement);
    CHECK(pairs(model) == 3);
    CHECK(node_making(model, "sum").input(0) ==
          node_making(model, "sum").input(1)->producer()->input(0)->producer()->input(0)->producer()->input(0));
  }
}

TEST_CASE("a Conv whose output is an output of the graph keeps its pair, and the name", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Value& a = net.op("Relu", {&y}, "a");
  Model model = net.build({&y, &a});
  place(model, Placement::fusion_aware);
  CHECK(pairs(model) == 3);
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(is_quantized(*model.graph().output(0)));
  CHECK(model.commit().graph().output(1).name() == "a");
}

TEST_CASE("an output of the graph that no Conv makes stays in float", "[quantize]") {
  Net net;
  Value& sum = net.op("Add", {net.x, net.x}, "sum");
  Model model = net.build({&sum, &net.conv(sum)});
  place(model, Placement::naive);
  CHECK(model.graph().output(0)->producer()->is("Add"));
  CHECK(is_quantized(*first(model.graph(), "Conv").input(0)));
}

TEST_CASE("pairs that are there are kept, and shared with a Conv that reads the float", "[quantize]") {
  Net net;
  Value& first_user = net.op("Neg", {net.x}, "first_user");
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a"), &first_user});
  const QParams q{0.125f, 7, DType::u8};
  Value& shared = insert_qdq(*net.x, q, false);
  REQUIRE(model.graph().set_input(first(model.graph(), "Conv"), 0, net.x));
  place(model, Placement::fusion_aware);
  CHECK(pairs(model) == 2);
  CHECK(first(model.graph(), "Conv").input(0) == &shared);
  CHECK(qparams_of(*shared.producer()) == q);
  const std::string before = ops(model.graph());
  CHECK(place(model, Placement::fusion_aware).changes == 0);
  CHECK(ops(model.graph()) == before);
}

TEST_CASE("a pair behind an activation decides by its own q-params whether the activation is deferred", "[quantize]") {
  for (const std::int32_t zero_point : {0, 1}) {
    Net net;
    Value& a = net.op("Relu", {&net.conv(*net.x)}, "a");
    Model model = net.build({&net.op("Neg", {&a}, "z")});
    insert_qdq(a, {0.1f, zero_point, DType::u8}, false);
    place(model, Placement::fusion_aware);
    CHECK(pairs(model) == (zero_point == 0 ? 2u : 3u));
  }
}

TEST_CASE("users inside a subgraph read the dequantized tensor too, and Convs there stay in float", "[quantize]") {
  Net net;
  net.conv(*net.x);
  onnx::GraphProto body;
  body.set_name("body");
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type("Conv");
  node.add_input("y");
  node.add_input("y_w");
  node.add_output("inner");
  body.add_output()->set_name("inner");
  Value& condition = net.builder.input("condition", DType::boolean, {});
  Value& z = net.op("If", {&condition}, "z", {{"then_branch", body}, {"else_branch", body}});
  Model model = net.build({&z});
  const Report report = place(model, Placement::fusion_aware);
  CHECK(pairs(model) == 2);
  const Graph& inside = *node_making(model, "z").bodies()[0].graph;
  CHECK(ops(inside) == "Conv");
  CHECK(is_quantized(*inside.first_node()->input(0)));
  CHECK(report.notes == std::vector<std::string>{"2 operators in bodies and functions stay in float"});
}

TEST_CASE("a body that hands out an outer tensor hands out the dequantized one, and the graph its own", "[quantize]") {
  Net net;
  net.conv(*net.x);
  onnx::GraphProto body;
  body.set_name("body");
  body.add_output()->set_name("y");
  Value& condition = net.builder.input("condition", DType::boolean, {});
  Value& z = net.op("If", {&condition}, "z", {{"then_branch", body}, {"else_branch", body}});
  Model model = net.build({&z});
  place(model, Placement::fusion_aware);
  CHECK(model.graph().output(0)->producer()->is("If"));
  for (const Body& branch : model.graph().output(0)->producer()->bodies())
    CHECK(is_quantized(*branch.graph->output(0)));
}

TEST_CASE("a Conv that cannot be quantized is left, and the report says why", "[quantize]") {
  Net net;
  Value& weight = net.builder.input("given", DType::f32, {2, 2, 1, 1});
  Model model = net.build({&net.op("Conv", {net.x, &weight}, "y")});
  const Report report = place(model, Placement::naive);
  CHECK(ops(model.graph()) == "Conv");
  CHECK(report.notes == std::vector<std::string>{"'y_node' stays in float: its weight is not constant"});
}

TEST_CASE("a range that is missing is an error that names the tensor, and nothing is done", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x, "unknown")});
  CHECK_THROWS_WITH(place(model, Placement::naive),
                    Catch::StartsWith("pass 'inject_qdq': unknown: its range is not known"));
  CHECK(ops(model.graph()) == "Conv");
}

TEST_CASE("what cannot be quantized after all leaves the graph as it was", "[quantize]") {
  Net net;
  Value& y = net.op("Conv", {net.x, &net.weight(), &net.constant("bad", {NAN, 1}, {2})}, "y");
  Model model = net.build({&y});
  quantize_weights(Granularity::per_channel, targets::ort_cpu_x64).run(model);
  CHECK_THROWS_WITH(place(model, Placement::naive), Catch::Contains("bad: has a value that is not finite"));
  CHECK(ops(model.graph()) == "DequantizeLinear Conv");
  CHECK_THROWS_WITH(inject_qdq(Ranges{{"x", {0, INFINITY}}, {"y", {0, 1}}}, targets::ort_cpu_x64).run(model),
                    "pass 'inject_qdq': x: the range is not finite");
}

TEST_CASE("a symbolic batch and tensors of unknown type are quantized", "[quantize]") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {"batch", 2, 4, 4});
  Value& w = builder.constant(Tensor::of<float>({1, 2, 1, 1}, {1, 2}), "w");
  Value& a = builder.op("Abs", {&x});
  builder.graph().rename(a, "a");
  builder.output(builder.op("Conv", {&a, &w}), "y");
  Model model = builder.build();
  place(model, Placement::naive);
  CHECK(pairs(model) == 2);
  CHECK(model.graph().inputs()[0]->shape()[0].symbol() == "batch");
}

TEST_CASE("the work of a placement is undone with the transaction around it", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  const std::string before = model.serialize();
  {
    Transaction transaction(model.graph());
    place(model, Placement::naive);
    quantize_weights(Granularity::per_channel, targets::ort_cpu_x64).run(model);
  }
  CHECK(model.serialize() == before);
}

namespace {

/// Quantized whole, for ONNX Runtime on x86-64.
Model quantized_whole(Net& net, std::initializer_list<Value*> outputs, Placement placement = Placement::all_supported) {
  Model model = net.build(outputs);
  (inject_qdq(ranges(), targets::ort_cpu_x64, placement) |
   quantize_weights(Granularity::per_channel, targets::ort_cpu_x64))
      .run(model);
  return model;
}

std::size_t fused(const Model& model) {
  const Audit found = audit(model.graph(), targets::ort_cpu_x64);
  for (const OperatorOutcome& finding : found.findings) {
    INFO(to_string(finding));
    CHECK(finding.severity == Severity::none);
  }
  CHECK(found.fused() == found.findings.size());
  return found.fused();
}

}  // namespace

TEST_CASE("everything with an integer kernel gets pairs, its constant operands too", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Value& offset = net.constant("offset", {-1, 3}, {2, 1, 1});
  Value& sum = net.op("Relu", {&net.op("Add", {&y, &offset}, "a")}, "sum");
  Value& z = net.op("Mul", {&sum, &offset}, "z");
  const Model model = quantized_whole(net, {&z});
  CHECK(fused(model) == 3);
  CHECK(count(model.graph(), "QuantizeLinear") == 4);  // of x, y, sum and z
  const Value& operand = *first(model.graph(), "Add").input(1);
  CHECK(*qparams_of(*operand.producer()) == choose_qparams({-1, 3}, DType::u8));
  CHECK(first(model.graph(), "Mul").input(1)->producer()->input(0) == operand.producer()->input(0));
  CHECK(model.graph().find("offset") == nullptr);
}

TEST_CASE("what moves values keeps their q-params, before and behind what is quantized", "[quantize]") {
  Net net;
  Value& y = net.conv(net.op("Transpose", {net.x}, "a", {{"perm", Ints{0, 1, 3, 2}}}));
  Value& pooled = net.op("MaxPool", {&y}, "b", {{"kernel_shape", Ints{2, 2}}});
  const Model model = quantized_whole(net, {&net.conv(pooled, "z")}, Placement::conv_only);
  CHECK(fused(model) == 4);
  const auto around = [&](const char* op) {
    const Node& node = first(model.graph(), op);
    return std::pair(*qparams_of(*node.input(0)->producer()),
                     *qparams_of(*node.output(0)->uses().front().user()));
  };
  for (const char* const op : {"Transpose", "MaxPool"}) CHECK(around(op).first == around(op).second);
}

TEST_CASE("a product at the end stays float where its kernel can", "[quantize]") {
  Net net;
  Value& flat = net.op("Flatten", {&net.conv(*net.x)}, "a");
  Value& w = net.constant("w", std::vector<float>(64, 0.5f), {32, 2});
  Value& b = net.constant("b", {1, 2}, {2});
  const Model model = quantized_whole(net, {&net.op("Gemm", {&flat, &w, &b}, "z", {{"alpha", 2.0f}})});
  CHECK(fused(model) == 3);
  CHECK(model.graph().output(0)->producer()->is("Gemm"));
}

TEST_CASE("everything leaves alone what the runtime would refuse, and says so", "[quantize]") {
  Net net(19);
  Value& y = net.op("AveragePool", {net.x}, "y", {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{1, 1}}});
  Model model = net.build({&y});
  const Report report = place(model, Placement::all_supported);
  CHECK(ops(model.graph()) == "AveragePool");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("'y_node' stays in float: its integer kernel lacks its dilations") == 0);
}

TEST_CASE("what its integer kernel cannot do is kept from it between quantizers too", "[quantize]") {
  for (const Placement placement : {Placement::naive, Placement::fusion_aware, Placement::all_supported}) {
    Net net(19);
    Value& pooled = net.op("Relu", {&net.op("AveragePool", {&net.conv(*net.x)}, "b", {{"kernel_shape", Ints{2, 2}},
                                                                                     {"dilations", Ints{2, 2}}})}, "a");
    Model model = net.build({&net.conv(pooled, "z")});
    place(model, placement);
    INFO(ops(model.graph()));
    const Audit found = audit(model.graph(), targets::ort_cpu_x64);
    CHECK(found.of("AveragePool").fused() == 0);
    CHECK(found.of("AveragePool").findings.at(0).severity < Severity::error);
    CHECK(found.of("Conv").fused() == 2);
    CHECK(node_making(model, "b").output(0)->uses().front().user()->is("Max"));
  }
}

TEST_CASE("beside quantizers it stays as it is", "[quantize]") {
  Net net(19);
  const Attributes dilated{{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 2}}};
  Model model = net.build({&net.conv(net.op("AveragePool", {net.x}, "a", dilated), "y"),
                           &net.op("AveragePool", {&net.conv(*net.x, "c")}, "b", dilated)});
  place(model, Placement::all_supported);
  CHECK(count(model.graph(), "Max") == 0);
}

TEST_CASE("a Resize of some axes stays in float, as does what has no kernel for the target's dtype", "[quantize]") {
  for (const Placement placement : {Placement::all_supported, Placement::min_cost}) {
    Net net(18);
    Value& resized = net.op("Resize", {&net.conv(*net.x), nullptr, &net.constant("twice", {2, 2}, {2})}, "a",
                            {{"mode", "nearest"}, {"axes", Ints{2, 3}}});
    Model model = net.build({&net.conv(resized, "z")});
    place(model, placement);
    CHECK(audit(model.graph(), targets::ort_cpu_x64).of("Resize").fused() == 0);
  }
  Net net;
  Value& wide = net.op("DepthToSpace", {&net.builder.input("a", DType::f32, {1, 8, 4, 4})}, "b",
                       {{"blocksize", std::int64_t{2}}});
  Model model = net.build({&wide});
  place(model, Placement::all_supported, targets::ort_cpu_arm64);
  CHECK(ops(model.graph()) == "DepthToSpace");
}

TEST_CASE("a linear Resize, whose integer kernel rounds down, stays in float", "[quantize]") {
  for (const Placement placement : {Placement::naive, Placement::fusion_aware, Placement::conv_only,
                                    Placement::all_supported, Placement::min_cost}) {
    Net net;
    Value& resized = net.op("Resize", {&net.conv(*net.x), nullptr, &net.constant("twice", {1, 1, 2, 2}, {4})}, "a",
                            {{"mode", "linear"}});
    Model model = net.build({&net.conv(resized, "z")});
    place(model, placement);
    for (const OperatorOutcome& found : audit(model.graph(), targets::ort_cpu_x64).of("Resize").findings)
      CHECK_FALSE(found.fused());
  }
}

TEST_CASE("i8 on a target without such a kernel is not quantized for what lies between", "[quantize]") {
  Net net;
  net.x = &net.builder.input("c", DType::f32, {1, 2, 64, 64});
  Value& joined = net.op("Concat", {&net.conv(*net.x, "y"), &net.conv(*net.x, "z")}, "a", {{"axis", std::int64_t{1}}});
  Value& w = net.constant("sum_w", std::vector<float>(8, 0.5f), {2, 4, 1, 1});
  Value& last = net.op("Concat", {&net.op("Conv", {&joined, &w}, "sum"), net.x}, "b", {{"axis", std::int64_t{1}}});
  Model model = net.build({&last});
  place(model, Placement::min_cost, with_activations(targets::ort_cpu_x64, DType::i8));
  for (const Node& node : model.graph().nodes())
    if (node.is("Conv")) CHECK_FALSE(is_quantized(*node.input(0)));
}

TEST_CASE("constant operands that are not finite, and indices of what is moved, stay as they are", "[quantize]") {
  Net net;
  Value& mask = net.builder.input("mask", DType::boolean, {4});
  Value& kept = net.op("Where", {&mask, net.x, &net.scalar("nothing", -INFINITY)}, "y");
  const Model masked = quantized_whole(net, {&kept});
  CHECK(ops(masked.graph()) == "Where");

  Net pooled;
  Node& pool = pooled.builder.node("MaxPool", {&pooled.conv(*pooled.x)}, 2, {{"kernel_shape", Ints{2, 2}}});
  pooled.builder.graph().rename(*pool.output(0), "a");
  Value& z = pooled.conv(*pool.output(0), "z");
  const Model model = quantized_whole(pooled, {&z, pool.output(1)});
  CHECK(model.graph().output(1)->producer()->is("MaxPool"));
  CHECK(audit(model.graph(), targets::ort_cpu_x64).of("Conv").fused() == 2);
}

TEST_CASE("other operators stay in float unless everything is to be quantized", "[quantize]") {
  for (const Placement placement : {Placement::fusion_aware, Placement::conv_only}) {
    Net net;
    const Model model = quantized_whole(net, {&net.op("Sigmoid", {&net.conv(*net.x)}, "a")}, placement);
    CHECK(audit(model.graph(), targets::ort_cpu_x64).of("Sigmoid").fused() ==
          (placement == Placement::fusion_aware ? 1u : 0u));
  }
}

namespace {

constexpr std::array u8{KernelDTypes{DType::u8}};
constexpr std::array u8_i8{KernelDTypes{DType::u8, DType::i8}};
constexpr std::array priced_kernels{
    IntegerKernel{.op = "Conv", .dtypes = u8_i8, .in_float = {.product = 1}, .in_integers = {.product = 0.1f}},
    IntegerKernel{.op = "Softmax", .dtypes = u8, .form = KernelForm::elementwise, .in_float = {1}, .in_integers = {9}},
    IntegerKernel{.op = "Concat", .dtypes = u8, .form = KernelForm::elementwise, .operands = all_operands,
                  .quirks = {KernelQuirk::requantizes}},
    IntegerKernel{.op = "MaxPool", .dtypes = u8, .form = KernelForm::passthrough}};
/// A Conv of 64 products gains 57.6, one of 4 gains 3.6.
constexpr Target priced() {
  Target target = targets::ort_cpu_x64;
  target.kernels = priced_kernels;
  target.quantize = target.dequantize = {20};
  return target;
}
constexpr Target priced_target = priced();

}  // namespace

TEST_CASE("the whole graph leaves in float what is slower in integers, or not worth the conversions", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Value& small = net.op("ReduceSum", {&y, &net.builder.constant(Tensor::of<std::int64_t>({2}, {2, 3}), "axes")}, "a");
  Model model = net.build({&net.op("Softmax", {&net.conv(y, "z")}, "b"), &net.conv(small, "c")});
  Context context;
  context.facts.provide(KeptInFloat{{{{"elsewhere", "why"}}}});
  const Report report = (inject_qdq(ranges(), priced_target, Placement::min_cost) |
                         quantize_weights(Granularity::per_channel, priced_target))
                            .run(model, context);
  CHECK(report.steps[0].notes ==
        std::vector<std::string>{
            "'b_node' stays in float: its integer kernel is slower",
            "'c_node' stays in float: conversions would take more than its integer kernel gains"});
  CHECK(node_making(model, "b").input(0)->producer()->is("DequantizeLinear"));
  for (const std::size_t input : {0u, 1u, 2u}) CHECK_FALSE(is_quantized(*node_making(model, "c").input(input)));
  CHECK(audit(model.graph(), priced_target).of("Conv").fused() == 2);
  CHECK(context.facts.find<KeptInFloat>()->reasons ==
        std::map<std::string, std::string_view, std::less<>>{{"c_node", "it gains nothing in integers"},
                                                             {"elsewhere", "why"}});
  const FloatOutcomes& in_float = *context.facts.find<FloatOutcomes>();
  REQUIRE(in_float.size() == 2);
  CHECK(in_float.find("b_node")->code == "slower");
  CHECK(in_float.find("c_node")->code == "conversions");
}

TEST_CASE("what was made in float is read in float where it can be", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x), &net.op("Exp", {net.x}, "a")});
  place(model, Placement::min_cost, priced_target);
  CHECK(node_making(model, "a").input(0) == model.graph().inputs()[0]);
}

TEST_CASE("a Conv without a name gets one, by which it is kept in float", "[quantize]") {
  Net net;
  Value& axes = net.builder.constant(Tensor::of<std::int64_t>({2}, {2, 3}), "axes");
  Value& small = net.op("ReduceSum", {net.x, &axes}, "a");
  Value& y = net.conv(small);
  net.builder.graph().rename(*y.producer(), "");
  Model model = net.build({&y});
  const Pass inject = inject_qdq(ranges(), priced_target, Placement::min_cost);
  (inject | quantize_weights(Granularity::per_channel, priced_target)).run(model);
  const Node& conv = *model.graph().outputs()[0]->producer();
  CHECK_FALSE(conv.name().empty());
  CHECK_FALSE(is_quantized(*conv.input(1)));
}

TEST_CASE("what is joined has the q-params of the result at once, if nothing else reads it", "[quantize]") {
  const auto join = [](Net& net, Value& a, Value& b) -> Value& {
    return net.conv(net.op("Concat", {&a, &b}, "sum", {{"axis", 2}}), "z");
  };
  const auto scales = [](Net& net, std::initializer_list<Value*> outputs, Range of_a = {-1, 1}) {
    Model model = net.build(outputs);
    Ranges known = ranges();
    known.set("a", of_a);
    known.set("b", {0, 2});
    inject_qdq(known, priced_target, Placement::all_supported).run(model);
    const Audit pools = audit(model.graph(), priced_target).of("MaxPool");
    CHECK(pools.fused() == pools.findings.size());
    std::vector<float> found;
    for (const Value* const operand : first(model.graph(), "Concat").inputs())
      found.push_back(qparams_of(*operand->producer())->scale);
    found.push_back(qparams_of(*first(model.graph(), "Concat").output(0)->uses().front().user())->scale);
    return found;
  };
  const float wide = 8.0f / 255;
  SECTION("convolutions") {
    Net net;
    CHECK(scales(net, {&join(net, net.conv(*net.x, "a"), net.conv(*net.x, "c"))}) == std::vector{wide, wide, wide});
  }
  SECTION("one of them is read elsewhere too") {
    Net net;
    Value& a = net.conv(*net.x, "a");
    CHECK(scales(net, {&join(net, a, net.conv(*net.x, "c")), &net.op("Exp", {&a}, "d")}) ==
          std::vector{2.0f / 255, wide, wide});
  }
  SECTION("one that is read elsewhere too gives its own, where these span the result with steps not much larger") {
    const auto kept_scales = [&](Range of_a) {
      Net net;
      Value& a = net.conv(*net.x, "a");
      Value& joined = net.op("Concat", {&a, &net.conv(*net.x, "c")}, "sum", {{"axis", 2}});
      Value& moved = net.op("Transpose", {&joined}, "b", {{"perm", Ints{0, 1, 3, 2}}});
      return scales(net, {&net.conv(moved, "z"), &net.op("Exp", {&a}, "d")}, of_a);
    };
    CHECK(kept_scales({-4, 6}) == std::vector{10.0f / 255, 10.0f / 255, 10.0f / 255});
    CHECK(kept_scales({-5, 7}) == std::vector{12.0f / 255, wide, wide});
    CHECK(kept_scales({-2, 8}) == std::vector{10.0f / 255, wide, wide});
  }
  SECTION("behind what moves values, and at its source") {
    Net net;
    Value& pooled = net.op("MaxPool", {&net.conv(*net.x, "a")}, "b", {{"kernel_shape", Ints{1, 1}}});
    CHECK(scales(net, {&join(net, pooled, net.conv(*net.x, "c"))}) == std::vector{wide, wide, wide});
  }
  SECTION("but not where results would be lost") {
    Net net;
    Model model = net.build({&join(net, net.op("Softmax", {&net.conv(*net.x)}, "a"), net.conv(*net.x, "c"))});
    Ranges known = ranges();
    known.set("a", {0, 0.2f});
    known.set("sum", {0, 0.3f});
    inject_qdq(known, targets::ort_cpu_x64, Placement::all_supported).run(model);
    CHECK(qparams_of(*first(model.graph(), "Concat").input(0)->producer())->range().max == Approx(1));
  }
  SECTION("but not where an activation would not vanish any more") {
    Net net;
    Value& clipped = net.op("Relu", {&net.conv(*net.x, "a")}, "b");
    CHECK(scales(net, {&join(net, clipped, net.conv(*net.x, "c"))}) == std::vector{2.0f / 255, wide, wide});
  }
}

TEST_CASE("pairs are left out where the runtime carries the next one to their place", "[quantize]") {
  using Names = std::set<std::string>;
  const auto quantized = [](Net& net, std::initializer_list<Value*> outputs, const Target& target) {
    Model model = net.build(outputs);
    Ranges known = ranges();
    known.set("a", {-1, 1});
    inject_qdq(known, target, Placement::all_supported).run(model);
    Names found;
    for (const Node& node : model.graph().nodes())
      if (node.is("QuantizeLinear")) found.emplace(node.input(0)->name());
    return found;
  };
  const auto joined = [](Net& net, Value& a, Value& b) -> Value& {
    return net.conv(net.op("Concat", {&a, &b}, "sum", {{"axis", 2}}), "z");
  };
  const auto moved = [&](const Target& target) {
    Net net;
    Value& pooled = net.op("MaxPool", {&net.conv(*net.x, "a")}, "b", {{"kernel_shape", Ints{1, 1}}});
    return quantized(net, {&net.conv(pooled, "z")}, target);
  };
  const auto alike = [&](const Target& target) {
    Net net;
    return quantized(net, {&joined(net, net.conv(*net.x, "b"), net.conv(*net.x, "c"))}, target);
  };
  const auto different = [&](const Target& target) {
    Net net;
    Value& a = net.conv(*net.x, "a");
    return quantized(net, {&joined(net, a, net.conv(*net.x, "c")), &net.conv(a, "y")}, target);
  };
  const auto multiplied = [&](const Target& target) {
    Net net;
    Value& turned = net.op("Transpose", {&net.conv(*net.x, "a")}, "b", {{"perm", Ints{0, 1, 3, 2}}});
    Value& w = net.constant("w", std::vector<float>(16, 1), {4, 4});
    return quantized(net, {&net.op("MatMul", {&turned, &w}, "z")}, target);
  };
  CHECK(moved(targets::openvino_cpu) == Names{"x", "a"});
  CHECK(multiplied(targets::openvino_cpu) == Names{"x", "a", "b"});  // whose weight is quantized because of it
  CHECK(alike(targets::openvino_cpu) == Names{"x", "b", "c"});
  CHECK(different(targets::openvino_cpu) == Names{"x", "a", "sum"});
  CHECK(moved(targets::ort_cpu_x64).size() == 4);  // and what is moved or joined, and results
  CHECK(alike(targets::ort_cpu_x64).size() == 5);
  CHECK(different(targets::ort_cpu_x64).size() == 6);
}

TEST_CASE("a MatMul that the runtime would merge with an Add in float ends in integers", "[quantize]") {
  for (const bool merges : {true, false}) {
    Net net;
    Value& product = net.op("MatMul", {net.x, &net.constant("w", std::vector<float>(12, 0.5f), {4, 3})}, "a");
    Value& addend = net.builder.input("y", DType::f32, {3});
    Model model = net.build({merges ? &net.op("Add", {&addend, &product}, "b") : &product});
    IntegerKernel kernel = *integer_kernel(*product.producer(), targets::ort_cpu_x64);
    Target target = targets::ort_cpu_x64;
    target.kernels = {&kernel, 1};
    const auto quantize = [&] {
      Model copy(model.proto());
      (inject_qdq(ranges(), target, Placement::all_supported) | quantize_weights(Granularity::per_tensor, target))
          .run(copy);
      return copy;
    };
    CHECK(count(quantize().graph(), "QuantizeLinear") == (merges ? 2 : 1));
    kernel.quirks = kernel.quirks.without(KernelQuirk::merges_with_add);
    const Model left = quantize();
    CHECK(count(left.graph(), "QuantizeLinear") == 1);
    const Audit found = audit(left.graph(), targets::ort_cpu_x64).of("MatMul");
    CHECK(found.findings.front().fused() != merges);
    if (merges) CHECK(found.findings.front().code == "merged_with_add");
  }
}

TEST_CASE("a MatMul of a batch of unknown extent, which the runtime does not merge, may give float", "[quantize]") {
  for (const bool known : {true, false}) {
    Builder builder(17);
    Value& x = builder.input("x", DType::f32, {known ? Dim(1) : Dim("N"), 2, 4});
    Value& w = builder.constant(Tensor::of(DType::f32, {4, 3}, std::vector<float>(12, 0.5f)), "w");
    Value& bias = builder.constant(Tensor::of(DType::f32, {3}, std::vector<float>(3, 0.5f)), "bias");
    Value& product = builder.op("MatMul", {&x, &w});
    builder.graph().rename(product, "a");
    builder.graph().rename(*product.producer(), "product");
    builder.output(builder.op("Add", {&product, &bias}), "b");
    builder.graph().rename(*builder.graph().last_node(), "sum");
    Model model = builder.build();
    (exclude_nodes({"sum"}) | inject_qdq(ranges(), targets::ort_cpu_x64, Placement::all_supported) |
     quantize_weights(Granularity::per_tensor, targets::ort_cpu_x64))
        .run(model);
    CHECK(count(model.graph(), "QuantizeLinear") == (known ? 2 : 1));
    CHECK(audit(model.graph(), targets::ort_cpu_x64).of("MatMul").fused() == 1);
  }
}

TEST_CASE("a range that was not observed follows from how the tensor is made, or is missing", "[quantize]") {
  Net net;
  Value& clipped = net.op("Clip", {&net.op("Exp", {net.x}, "p"), &net.scalar("min", -1), &net.scalar("max", 2)}, "q");
  Value& pooled = net.op("MaxPool", {&net.conv(clipped)}, "r", {{"kernel_shape", Ints{1, 1}}});
  Value& z = net.conv(net.op("GlobalAveragePool", {&pooled}, "s"), "z");
  Model model = net.build({&z});
  place(model, Placement::all_supported);
  const auto q = [&](const char* name) {
    return *qparams_of(*model.graph().find(name)->uses().front().user());
  };
  CHECK(q("q") == choose_qparams({-1, 2}, DType::u8));
  CHECK(q("s") == choose_qparams({-3, 5}, DType::u8));

  Net unknown;
  Model left = unknown.build({&unknown.conv(unknown.op("Exp", {unknown.x}, "p"))});
  CHECK_THROWS_WITH(place(left, Placement::all_supported),
                    Catch::StartsWith("pass 'inject_qdq': p: its range is not known"));

  Net moved;
  Value& flat = moved.op("MaxPool", {&moved.op("Exp", {moved.x}, "p")}, "q", {{"kernel_shape", Ints{1, 1}}});
  Model behind = moved.build({&moved.conv(flat, "z")});
  inject_qdq(Ranges{{"q", {0, 6}}, {"z", {-1, 1}}}, targets::ort_cpu_x64, Placement::all_supported).run(behind);
  CHECK(*qparams_of(*behind.graph().find("p")->uses().front().user()) == choose_qparams({0, 6}, DType::u8));
}

TEST_CASE("where a target shares no DequantizeLinear, each kernel and each sum that it fuses gets its own",
          "[quantize]") {
  for (const Placement placement : {Placement::naive, Placement::fusion_aware, Placement::all_supported}) {
    Net net;
    Value& a = net.conv(*net.x, "a");
    Value& sum = net.op("Add", {&a, net.x}, "sum");
    Model model = net.build({&net.op("Relu", {&sum}, "z"), &net.op("Neg", {net.x}, "b")});
    (inject_qdq(Ranges{{"x", {-1, 1}}, {"a", {-3, 5}}, {"sum", {-4, 6}}, {"z", {0, 6}}}, targets::onednn, placement) |
     quantize_weights(Granularity::per_channel, targets::onednn))
        .run(model);
    const Value& quantized = *first(model.graph(), "QuantizeLinear").output(0);
    const bool shares = placement != Placement::all_supported;  // with Neg, which is in float
    CHECK(quantized.use_count() == (shares ? 3 : 2));
    for (const Use& use : quantized.uses()) CHECK(use.user()->output(0)->use_count() == 1);
    const OperatorOutcome finding = audit(model.graph(), targets::onednn).of("Conv").findings.at(0);
    CHECK(finding.fused());
    CHECK_FALSE(finding.float_result);
    CHECK(count(model.graph(), "QuantizeLinear") == (placement == Placement::naive ? 4 : 2));
  }
}

TEST_CASE("min-cost placement infers the shapes that it needs", "[quantize]") {
  Net net;
  net.builder.output(net.conv(net.conv(*net.x), "z"));
  Model model = net.builder.build();  // of no inner value is a shape known
  place(model, Placement::min_cost, priced_target);
  CHECK(pairs(model) == 3);
}

TEST_CASE("a kept product does not put a masked sum in front of it into integers", "[quantize]") {
  Net net;
  Value& scores = net.op("Exp", {net.x}, "p");
  Value& sum = net.op("Add", {&scores, &net.builder.input("mask", DType::f32, {1, 2, 4, 4})}, "sum");
  Model model = net.build({&net.conv(sum, "z")});
  Context context;
  context.facts.provide(KeptInFloat{{{{"z_node", "why"}}}});
  Ranges known{{"x", {-1, 1}}, {"p", {0, 3}}, {"mask", {-10000, 0}}, {"sum", {-10000, 3}}, {"z", {-10000, 3}}};
  inject_qdq(known, targets::ort_cpu_x64, Placement::all_supported).run(model, context);
  CHECK(count(model.graph(), "QuantizeLinear") == 0);
}

TEST_CASE("min-cost placement gives nothing to a kernel that does not take the target's weights", "[quantize]") {
  constexpr std::array signed_weights{KernelDTypes{DType::u8, DType::i8}};
  const std::array kernels{IntegerKernel{.op = "Conv", .dtypes = signed_weights}};
  Target target{.name = "npu", .kernels = kernels};
  for (const DType weight : {DType::i8, DType::u8}) {
    target.weight = weight;
    Net net;
    Model model = net.build({&net.op("Relu", {&net.conv(*net.x, "y")}, "a")});
    const Report report = place(model, Placement::min_cost, target);
    CHECK(pairs(model) == (weight == DType::i8 ? 2 : 0));
    if (weight == DType::u8)
      CHECK(report.notes == std::vector<std::string>{
                                "'y_node' stays in float: there is no integer kernel for u8 with weights of u8"});
  }
}

TEST_CASE("nodes without results are passed over", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Model model = net.build({&net.op("Neg", {&y}, "a")});
  onnx::ModelProto proto = model.proto();
  for (const char* const op : {"Relu", "Conv", "Add"}) {
    onnx::NodeProto& node = *proto.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(op);
    node.add_input("y");
    if (node.op_type() == "Conv") node.add_input("y_w");
  }
  for (const Placement placement : {Placement::naive, Placement::all_supported, Placement::min_cost}) {
    Model copy{onnx::ModelProto(proto)};
    place(copy, placement);
    CHECK_FALSE(audit(copy.graph(), targets::ort_cpu_x64).findings.empty());
  }
}

TEST_CASE("activations of 16 bits are placed alike, at opset 21, and no kernel takes them", "[quantize]") {
  for (const DType dtype : {DType::i16, DType::u16}) {
    const Target wide = with_activations(targets::ort_cpu_x64, dtype);
    for (const auto& [placement, number] :
         {std::pair(Placement::naive, 3), std::pair(Placement::fusion_aware, 2), std::pair(Placement::conv_only, 2),
          std::pair(Placement::all_supported, 2)}) {
      Net net(21);
      Model model = net.build({&net.op("Relu", {&net.conv(*net.x, "y")}, "a")});
      place(model, placement, wide);
      quantize_weights(Granularity::per_channel, wide).run(model);
      CHECK(count(model.graph(), "QuantizeLinear") == static_cast<std::size_t>(number));
      const QParams q = *qparams_of(*model.graph().last_node());
      CHECK(q.dtype == dtype);
      CHECK(q.zero_point == q.lowest());
      CHECK(q.range().max == Approx(5));
      const OperatorOutcome finding = audit(model.graph(), targets::ort_cpu_x64).of("Conv").findings.at(0);
      CHECK_FALSE(finding.fused());
      CHECK(finding.code == "dtypes");
      CHECK(finding.text == "there is no integer kernel for " + std::string(to_string(dtype)) + " with weights of i8");
    }
  }
}

TEST_CASE("ONNX quantizes to 16 bits since opset 21", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(place(model, Placement::all_supported, with_activations(targets::onednn, DType::u16)),
                    Catch::Contains("opset 21"));
  CHECK(count(model.graph(), "QuantizeLinear") == 0);
}

TEST_CASE("min-cost placement gains nothing of activations that no kernel takes, and says so", "[quantize]") {
  Net net(21);
  Model model = net.build({&net.op("Sigmoid", {&net.conv(net.conv(*net.x), "z")}, "a")});
  const Report report = place(model, Placement::min_cost, with_activations(targets::ort_cpu_x64, DType::i16));
  CHECK(pairs(model) == 0);
  CHECK(report.notes == std::vector<std::string>{"'y_node' stays in float: there is no integer kernel for i16",
                                                 "'z_node' stays in float: there is no integer kernel for i16",
                                                 "'a_node' stays in float: there is no integer kernel for i16"});
}

TEST_CASE("what computes shapes stays in float, and what is scaled by a size does not", "[quantize]") {
  for (const Placement placement : {Placement::all_supported, Placement::min_cost}) {
    Net net;
    Value& y = net.conv(*net.x);
    Value& dims = net.op("Cast", {&net.op("Shape", {net.x}, "shape")}, "a", {{"to", std::int64_t{1}}});
    Value& scales = net.op("Mul", {&dims, &net.constant("half", {1, 0.5f, 0.5f, 0.25f}, {4})}, "b");
    Value& resized = net.op("Resize", {&y, nullptr, &scales}, "c", {{"mode", "nearest"}});
    Value& given = net.builder.input("d", DType::f32, {4});
    Value& list = net.op("Cast", {&net.op("Add", {&given, &given}, "sum")}, "list", {{"to", std::int64_t{7}}});
    Value& size = net.op("Cast", {&net.op("Size", {net.x}, "size")}, "z", {{"to", std::int64_t{1}}});
    Ranges known = ranges();
    known.set("scaled", {-3, 5});
    Value& scaled = net.op("Mul", {&y, &size}, "scaled");
    Model model = net.build({&resized, &net.op("Reshape", {net.x, &list}, "reshaped"), &scaled});
    const Report report = inject_qdq(known, targets::ort_cpu_x64, placement).run(model);
    CHECK_FALSE(is_quantized(*node_making(model, "b").input(0)));
    CHECK(first(model.graph(), "Resize").input(2) == model.graph().find("b"));
    CHECK_FALSE(is_quantized(*node_making(model, "sum").input(0)));
    if (placement == Placement::all_supported) CHECK(is_quantized(*model.graph().find("scaled")));
    if (placement == Placement::all_supported)
      CHECK(report.notes.front() == "'b_node' stays in float: it computes shapes");
  }
}

TEST_CASE("a kept Conv is guarded from the runtime behind what quantizers pass, too", "[quantize]") {
  for (const char* const op : {"Transpose", "MaxPool"}) {
    Net net;
    Value& y = net.conv(*net.x);
    Value& moved = op == std::string("MaxPool") ? net.op(op, {&y}, "a", {{"kernel_shape", Ints{2, 2}}})
                                                : net.op(op, {&y}, "a", {{"perm", Ints{0, 1, 3, 2}}});
    Model model = net.build({&net.conv(moved, "z")});
    Context context;
    context.facts.provide(KeptInFloat{{{{"z_node", "why"}}}});
    inject_qdq(ranges(), targets::ort_cpu_x64, Placement::fusion_aware).run(model, context);
    INFO(op);
    CHECK_FALSE(is_quantized(*node_making(model, "z").input(0)));
    CHECK(is_quantized(*node_making(model, "z").input(2)));
  }
}

TEST_CASE("what stays in float in bodies is counted as the placement would quantize it", "[quantize]") {
  for (const Placement placement : {Placement::fusion_aware, Placement::all_supported}) {
    Net net;
    onnx::GraphProto body;
    body.set_name("body");
    for (const char* const op : {"Sigmoid", "MaxPool"}) {
      onnx::NodeProto& node = *body.add_node();
      node.set_op_type(op);
      node.add_input("x");
      node.add_output(std::string("inner_") + op);
    }
    body.add_output()->set_name("inner_Sigmoid");
    Value& condition = net.builder.input("condition", DType::boolean, {});
    net.builder.output(net.op("If", {&condition}, "z", {{"then_branch", body}, {"else_branch", body}}));
    Model model = net.builder.build();
    const Report report = place(model, placement);
    using Notes = std::vector<std::string>;
    CHECK(report.notes == (placement == Placement::all_supported
                               ? Notes{"2 operators in bodies and functions stay in float"}
                               : Notes()));
  }
}

TEST_CASE("injecting declares that it provides what is kept in float, and why", "[quantize]") {
  for (const Pass& inject : {inject_qdq(ranges(), targets::ort_cpu_x64, Placement::min_cost),
                             inject_qdq(targets::ort_cpu_x64)}) {
    const auto provides = [&](const Need& need) {
      return std::ranges::any_of(inject.provides(), [&](const Provision& one) { return one.serves(need); });
    };
    CHECK(inject.provides().size() == 2);
    CHECK(provides(needs_fact<KeptInFloat>()));
    CHECK(provides(needs_fact<FloatOutcomes>()));
  }
}

TEST_CASE("an operator of which a tensor was empty on all samples stays in float", "[quantize]") {
  for (const Placement placement : {Placement::all_supported, Placement::min_cost, Placement::fusion_aware}) {
    Model model = graph("p: f32[1,N,4]; x: f32[1,2,4]; c = Concat(p, x) {axis=1}; y = Concat(c, c) {axis=1}");
    const Ranges seen{{"p", {}}, {"x", {-1, 1}}, {"c", {-1, 1}}, {"y", {-1, 1}}};
    const Report report = inject_qdq(seen, targets::ort_cpu_x64, placement).run(model);
    CHECK_FALSE(is_quantized(*model.graph().find("p")));
    if (placement == Placement::all_supported)
      CHECK(report.notes.at(0).find("was empty on all samples") != std::string::npos);
  }
}

TEST_CASE("what IsNaN or IsInf reads stays in float", "[quantize]") {
  const std::string softmax = "x: f32[1,2,4,8]; w: f32[1,2,8,8]; p = Softmax(x) {axis=-1}; ";
  for (const std::string_view test : {"IsNaN", "IsInf"}) {
    for (const Placement placement : {Placement::all_supported, Placement::min_cost}) {
      const std::string text = softmax + (test == "IsNaN"
                                              ? "t = Transpose(p) {perm=[0,1,2,3]}; "
                                              : "t = ReverseSequence(p, i64[2] 4) {batch_axis=1, time_axis=2}; ");
      Model model = graph(text + "n = " + std::string(test) + "(t); k = Where(n, f32[] 0, t); y = MatMul(k, w)");
      const Ranges seen{{"x", {-1, 1}}, {"w", {-1, 1}}, {"p", {0, 1}}, {"t", {0, 1}}, {"k", {0, 1}}, {"y", {-1, 1}}};
      const Report report = inject_qdq(seen, targets::ort_cpu_x64, placement).run(model);
      const auto is_kept = [](const std::string& note) {
        return note.find("stays in float: IsNaN or IsInf reads a tensor of it") != std::string::npos;
      };
      CHECK(std::ranges::count_if(report.notes, is_kept) > 0);
      CHECK_FALSE(is_quantized(*node_making(model, "t").input(0)));
      CHECK_FALSE(is_quantized(*node_making(model, "n").input(0)));
      if (placement == Placement::all_supported) CHECK(is_quantized(*node_making(model, "y").input(0)));
    }
  }
}

TEST_CASE("an average whose result has a scale far from its operand's stays in float", "[quantize]") {
  const std::string text =
      "x: f32[1,2,4,4]; w = f32[2,2,1,1] random; g = GlobalAveragePool(Conv(x, w)); y = Conv(g, w)";
  for (const float most : {1.0f, 1e-8f}) {
    Model model = graph(text);
    Ranges seen{{"x", {-1, 1}}, {"g", {-most, most}}, {"y", {-1, 1}}};
    seen.set(model.graph().find("g")->producer()->input(0)->name(), {-1, 1});
    (inject_qdq(seen, targets::ort_cpu_x64, Placement::all_supported) |
     quantize_weights(Granularity::per_channel, targets::ort_cpu_x64)).run(model);
    const Audit found = audit(model.graph(), targets::ort_cpu_x64);
    CHECK_FALSE(found.has_errors());
    CHECK(found.of("GlobalAveragePool").fused() == (most == 1 ? 1 : 0));
  }
}

TEST_CASE("a copy keeps quantizers alike from what the runtime moves in float alone", "[quantize]") {
  const std::string text =
      "x: f32[1,4,2,2]; w = f32[4,4,1,1] random; v = f32[1,1,1,1] {1}; "
      "c = Relu(Conv(x, w)); d = DepthToSpace(c) {blocksize=2}; y = Conv(d, v)";
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_arm64}) {
    Model model = graph(text);
    Ranges seen;
    for (const Value* const value : observable(model.graph())) seen.set(value->name(), {0, 1});
    inject_qdq(seen, *target, Placement::all_supported).run(model);
    std::size_t copies = 0;
    for (const Node& node : model.graph().nodes()) copies += node.is("Max");
    CHECK(copies == (target == &targets::ort_cpu_arm64 ? 1 : 0));
  }
}

TEST_CASE("a pair is stated where the runtime would carry one, and fail", "[quantize]") {
  const auto pairs_of = [](const std::string& behind, const std::string& target = "ort-cpu-x64@1.27", int opset = 21,
                           DType dtype = DType::i8) {
    const Target chosen = with_activations(targets::named(target), dtype);
    std::set<std::size_t> counts;
    for (const Placement placement : {Placement::fusion_aware, Placement::all_supported}) {
      Model model = graph("opset " + std::to_string(opset) +
                          "; x: f32[1,4,4,4]; b: bool[]; w = f32[4,4,1,1] random; c = Conv(x, w); " + behind);
      Ranges seen;
      for (const Value* const value : observable(model.graph())) seen.set(value->name(), {-3, 5});
      inject_qdq(seen, chosen, placement).run(model);
      const Audit found = audit(model.graph(), chosen);
      const auto is_carried = [](const OperatorOutcome& one) { return one.code.starts_with("carried"); };
      CHECK(std::ranges::none_of(found.findings, is_carried));
      counts.insert(pairs(model));
    }
    REQUIRE(counts.size() == 1);
    return *counts.begin();
  };
  const std::string moved = "t = Transpose(c) {perm=[0,2,3,1]}; ";
  CHECK(pairs_of(moved + "y = Neg(t)") == 3);
  CHECK(pairs_of(moved) == 3);
  CHECK(pairs_of(moved + "u = Unsqueeze(t, i64[1] 0); y = Neg(u)") == 4);
  CHECK(pairs_of(moved + "y = Neg(t)", "ort-cpu-x64@1.27", 20) == 2);
  CHECK(pairs_of(moved + "y = Neg(t)", "ort-cpu-x64@1.27", 21, DType::u8) == 2);
  CHECK(pairs_of(moved + "y = Neg(t)", "ort-cpu-arm64@1.27") == 2);
  CHECK(pairs_of(moved + "y = Neg(t); z = Abs(t)") == 2);
  const std::string bodies = "y = If(b) {then_branch={ n = Neg(t) }, else_branch={ a = Abs(t) }}";
  CHECK(pairs_of(moved + bodies, "ort-cpu-x64", 17, DType::u8) == 3);
  CHECK(pairs_of(moved + "z = Exp(t); " + bodies, "ort-cpu-x64@1.32", 17, DType::u8) == 3);
}
