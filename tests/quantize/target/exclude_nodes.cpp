#include <graft/quantize/target/exclude_nodes.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;
using Reasons = std::map<std::string, std::string_view, std::less<>>;

/// Four Convs in a row: y, a, b, z.
Model row() {
  Net net;
  Value* value = net.x;
  for (const char* const name : {"y", "a", "b", "z"}) value = &net.conv(*value, name);
  return net.build({value});
}

const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"a", {-3, 3}}, {"b", {-3, 3}}, {"z", {-3, 3}}};

/// The results of the Convs whose weights are quantized.
std::string quantized(const Model& model) {
  std::string text;
  for (const Node& node : model.graph().nodes())
    if (node.is("Conv") && node.input(1)->producer() != nullptr) text += std::string(node.name()) + " ";
  return text;
}

}  // namespace

TEST_CASE("nodes that are kept in float are as if the target had no kernel for them", "[quantize]") {
  for (const Placement placement : {Placement::fusion_aware, Placement::naive}) {
    Model model = row();
    const Report report = (exclude_nodes({"y_node", "[ab]_n.*"}) | inject_qdq(ranges, target, placement) |
                           quantize_weights(Granularity::per_channel, target))
                              .run(model);
    CHECK(report.steps[0].changes == 3);
    CHECK(report.steps[0].notes.empty());
    CHECK(report.steps[1].changes == 2);  // before and behind the last one
    CHECK(report.steps[1].notes[0] == "'y_node' stays in float: it is excluded by name");
    CHECK(quantized(model) == "z_node ");
    CHECK(model.graph().find("y_w") != nullptr);
    CHECK(model.graph().find("y_b") != nullptr);
  }
}

TEST_CASE("nodes without a name go by operator and first output, which becomes their name", "[quantize]") {
  Model model = row();
  for (Node& node : model.graph().nodes()) model.graph().rename(node, "");
  Context context;
  CHECK(exclude_nodes({"Conv(a)", "Conv.z."}).run(model, context).notes.empty());
  CHECK(node_making(model, "y").name().empty());
  CHECK(node_making(model, "a").name() == "Conv(a)");
  CHECK(node_making(model, "z").name() == "Conv(z)");
  quantize_weights(Granularity::per_channel, target).run(model, context);
  CHECK(node_making(model, "a").input(1)->is_constant());
  CHECK_FALSE(node_making(model, "b").input(1)->is_constant());
}

TEST_CASE("the order does not matter in which weights and tensors are quantized", "[quantize]") {
  Model model = row();
  const Pass weights = quantize_weights(Granularity::per_channel, target);
  (exclude_nodes({"y_node"}) | weights | inject_qdq(ranges, target)).run(model);
  CHECK(quantized(model) == "a_node b_node z_node ");
}

TEST_CASE("a pattern that matches nothing is reported, and others count", "[quantize]") {
  Model model = row();
  const Report report = exclude_nodes({"y_nod", "z_node", "z_.*"}).run(model);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::StartsWith("no node is called 'y_nod'; did you mean 'y_node'"));
  CHECK(report.changes == 1);
}

TEST_CASE("the name of a tensor is answered with the node that makes it", "[quantize]") {
  Model model = row();
  CHECK(exclude_nodes({"a"}).run(model).notes ==
        std::vector<std::string>{"no node is called 'a'; the tensor of that name is an output of the node 'a_node'"});
  model.graph().rename(node_making(model, "a"), "");
  CHECK_THAT(exclude_nodes({"a"}).run(model).notes.at(0), Catch::EndsWith("of the node 'Conv(a)'"));
  CHECK(exclude_nodes({"Conv(a)"}).run(model).changes == 1);
}

TEST_CASE("a node that is gone by the time it is looked for again is reported", "[quantize]") {
  Model model = row();
  const Pass rename = pass("rename", [](Graph& graph, Context&) { graph.rename(*graph.find("a")->producer(), "b"); });
  const Report report = (exclude_nodes({"a_node"}) | rename | exclude_nodes({"a_node", "c_node"})).run(model);
  CHECK(report.steps[0].notes.empty());
  REQUIRE(report.steps[2].notes.size() == 2);
  CHECK(report.steps[2].notes[0] == "no node is called 'a_node' any more: rewriting took it");
  CHECK_THAT(report.steps[2].notes[1], Catch::StartsWith("no node is called 'c_node'"));
}

TEST_CASE("the first and the last operator with a kernel can be kept in float", "[quantize]") {
  Model model = row();
  const Pass weights = quantize_weights(Granularity::per_channel, target);
  (exclude_nodes({"a_node"}) | keep_ends_in_float(target) | weights).run(model);
  CHECK(quantized(model) == "b_node ");
  Model unnamed = row();
  unnamed.graph().rename(node_making(unnamed, "z"), "");
  (keep_ends_in_float(target) | weights).run(unnamed);
  CHECK(quantized(unnamed) == "a_node b_node ");
  Net net;
  Model empty = net.build({&net.op("Relu", {net.x}, "y")});
  CHECK(keep_ends_in_float(target).run(empty).changes == 0);
}

TEST_CASE("the first and the last operator that stay in float have weights", "[quantize]") {
  Net net;
  Value& turned = net.op("Transpose", {net.x}, "t", {{"perm", Ints{0, 1, 3, 2}}});
  Value& a = net.conv(net.conv(turned, "y"), "a");
  Model model = net.build({&net.op("Softmax", {&net.conv(a, "z")}, "b")});
  Context context;
  keep_ends_in_float(target).run(model, context);
  const std::string_view why = "it is the first or the last";
  CHECK(context.facts.value_or_default<KeptInFloat>().reasons == Reasons{{"y_node", why}, {"z_node", why}});
}

TEST_CASE("nodes of one name all stay in float", "[quantize]") {
  Model model = row();
  for (const char* const value : {"y", "a", "z"}) model.graph().rename(node_making(model, value), "same");
  const Pass weights = quantize_weights(Granularity::per_channel, target);
  CHECK((exclude_nodes({"same"}) | weights).run(model).steps[0].changes == 3);
  CHECK(quantized(model) == "b_node ");
}

TEST_CASE("what stays in float keeps its bias", "[quantize]") {
  Model model = row();
  const Feeds sample{{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 0.3f))}};
  const Report report = (exclude_nodes({"[ab]_node"}) | observe_channel_means(std::vector<Feeds>{sample}) |
                         correct_biases(Granularity::per_tensor, target))
                            .run(model);
  CHECK(report.steps[2].changes == 2);
  CHECK(node_making(model, "a").input(2) == model.graph().find("a_b"));
  CHECK(node_making(model, "z").input(2) != model.graph().find("z_b"));
}

TEST_CASE("a Conv kept in float between quantizers has a bias that keeps the runtime off it", "[quantize]") {
  for (const bool has_bias : {true, false}) {
    Net net;
    Value& y = net.conv(*net.x, "y");
    Value& a = net.op("Conv", {&y, &net.weight("a_w"), has_bias ? &net.bias("a_b") : nullptr}, "a");
    Model model = net.build({&net.conv(a, "z")});
    (exclude_nodes({"a_node"}) | inject_qdq(ranges, target) | quantize_weights(Granularity::per_channel, target))
        .run(model);
    const Node* kept = nullptr;
    for (const Node& node : model.graph().nodes())
      if (node.name() == "a_node") kept = &node;
    REQUIRE(kept != nullptr);
    CHECK(kept->input(1)->is_constant());
    REQUIRE(kept->input(2) != nullptr);
    REQUIRE(kept->input(2)->producer() != nullptr);
    const QuantizedTensor bias = *quantized_constant(*kept->input(2)->producer());
    CHECK(bias.data.dtype() == DType::i32);
    const std::vector<int> codes = bias.data.to<int>();
    CHECK(static_cast<float>(codes[0]) * bias.scale.item<float>() == (has_bias ? 0.5f : 0));
    CHECK(static_cast<float>(codes[1]) * bias.scale.item<float>() == Approx(has_bias ? -0.2f : 0));
    CHECK(audit(model.graph(), target).fused() == 2);
  }
}

TEST_CASE("a target that does not quantize constants gets the bias as it is", "[quantize]") {
  Model model = row();
  (exclude_nodes({"a_node"}) | inject_qdq(ranges, targets::onednn)).run(model);
  CHECK(model.graph().find("a_b")->use_count() == 1);
}
