#include <graft/quantize/place/commute.hpp>

#include <array>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "support/data.hpp"

using namespace graft;

namespace {

Ranges ranges() {
  Ranges known{{"a", {0, 5.9999995f}}};
  for (const char* const name : {"x", "y", "b", "c", "d", "sum", "z"}) known.set(name, {-3, 5});
  return known;
}

/// Small graphs around a Conv and activations. Each returns the model.
const std::vector<std::pair<std::string, std::function<Model(Net&)>>> nets{
    {"no activation", [](Net& net) { return net.build({&net.conv(*net.x)}); }},
    {"Relu", [](Net& net) { return net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")}); }},
    {"Clip", [](Net& net) { return net.build({&net.clip(net.conv(*net.x), 0, 6, "a")}); }},
    {"Clip around 0", [](Net& net) { return net.build({&net.clip(net.conv(*net.x), -1, 1, "a")}); }},
    {"Clip away from 0", [](Net& net) { return net.build({&net.clip(net.conv(*net.x), 1, 6, "a")}); }},
    {"LeakyRelu",
     [](Net& net) {
       return net.build({&net.op("LeakyRelu", {&net.conv(*net.x)}, "a", {{"alpha", 0.1f}})});
     }},
    {"HardSwish", [](Net& net) { return net.build({&net.op("HardSwish", {&net.conv(*net.x)}, "a")}); }},
    {"Sigmoid", [](Net& net) { return net.build({&net.op("Sigmoid", {&net.conv(*net.x)}, "a")}); }},
    {"Tanh", [](Net& net) { return net.build({&net.op("Tanh", {&net.conv(*net.x)}, "a")}); }},
    {"Softsign", [](Net& net) { return net.build({&net.op("Softsign", {&net.conv(*net.x)}, "a")}); }},
    {"SiLU",
     [](Net& net) {
       Value& y = net.conv(*net.x);
       return net.build({&net.op("Mul", {&y, &net.op("Sigmoid", {&y}, "a")}, "z")});
     }},
    {"Conv with two users",
     [](Net& net) {
       Value& y = net.conv(*net.x);
       return net.build({&net.op("Add", {&y, &net.op("Relu", {&y}, "a")}, "sum")});
     }},
    {"Conv read twice by one activation",
     [](Net& net) {
       Value& y = net.conv(*net.x);
       return net.build(
           {&net.op("Clip", {&y, &net.scalar("lo", 0), &net.scalar("hi", 6)}, "a"), &net.op("Relu", {&y}, "b")});
     }},
    {"Conv output that is a graph output",
     [](Net& net) {
       Value& y = net.conv(*net.x);
       return net.build({&y, &net.op("Relu", {&y}, "a")});
     }},
    {"activation output that is a graph output and read",
     [](Net& net) {
       Value& a = net.op("Relu", {&net.conv(*net.x)}, "a");
       return net.build({&a, &net.conv(a, "z")});
     }},
    {"activation with several users",
     [](Net& net) {
       Value& a = net.op("Relu", {&net.conv(*net.x)}, "a");
       return net.build({&net.op("Add", {&net.conv(a, "b"), &net.conv(a, "c")}, "sum"), &net.op("Neg", {&a}, "z")});
     }},
    {"two activations in a row",
     [](Net& net) { return net.build({&net.op("LeakyRelu", {&net.op("Relu", {&net.conv(*net.x)}, "a")}, "b")}); }},
    {"two activations in a row before a Conv",
     [](Net& net) {
       return net.build({&net.conv(net.op("Relu", {&net.op("Relu", {&net.conv(*net.x)}, "a")}, "b"), "z")});
     }},
    {"three activations in a row",
     [](Net& net) {
       Value& b = net.op("LeakyRelu", {&net.op("Relu", {&net.conv(*net.x)}, "a")}, "b");
       return net.build({&net.op("HardSwish", {&b}, "c")});
     }},
    {"five activations in a row before a Conv",
     [](Net& net) {
       Value& b = net.op("LeakyRelu", {&net.op("Relu", {&net.conv(*net.x)}, "a")}, "b");
       Value& d = net.op("LeakyRelu", {&net.op("HardSwish", {&b}, "c")}, "d");
       return net.build({&net.conv(net.op("Relu", {&d}, "sum"), "z")});
     }},
    {"Relu before Clip",
     [](Net& net) { return net.build({&net.clip(net.op("Relu", {&net.conv(*net.x)}, "b"), -1, 6, "a")}); }},
    {"a row of which the first is read twice",
     [](Net& net) {
       Value& a = net.op("Relu", {&net.conv(*net.x)}, "a");
       return net.build({&net.op("Add", {&a, &net.op("HardSwish", {&a}, "b")}, "sum")});
     }},
    {"an activation behind an Add",
     [](Net& net) {
       Value& sum = net.op("Add", {&net.conv(*net.x, "b"), net.x}, "sum");
       return net.build({&net.conv(net.op("Relu", {&sum}, "a"), "z")});
     }},
    {"a residual, its tensor read three times",
     [](Net& net) {
       Value& sum = net.op("Add", {&net.conv(*net.x), net.x}, "sum");
       Value& a = net.op("Relu", {&sum}, "a");
       return net.build({&net.conv(a, "b"), &net.conv(a, "c"), &net.op("Neg", {net.x}, "z")});
     }},
    {"two kernels that are added",
     [](Net& net) {
       Value& sum = net.op("Add", {&net.conv(*net.x, "b"), &net.conv(*net.x, "c")}, "sum");
       return net.build({&net.op("Relu", {&sum}, "a")});
     }},
    {"a chain", [](Net& net) {
       Value& a = net.op("Relu", {&net.conv(*net.x, "y")}, "a");
       Value& c = net.clip(net.conv(a, "b"), 0, 6, "c");
       return net.build({&net.conv(c, "d")});
     }}};

void check_corollary(const std::string& name, const std::function<Model()>& make, const Ranges& known) {
  for (const Target* const target : targets::all) {
    for (const Granularity granularity : {Granularity::per_tensor, Granularity::per_channel}) {
      INFO(name << " for " << target->name);
      Model moved = make(), placed = make();
      const Pass weights = quantize_weights(granularity, *target);
      (weights | inject_qdq(known, *target, Placement::naive) | commute_dq_past_activation(*target)).run(moved);
      (weights | inject_qdq(known, *target, Placement::fusion_aware)).run(placed);
      const TestResult same = isomorphic(moved, placed, {"naive and commuted", "fusion-aware"});
      INFO(same.message());
      REQUIRE(same);
    }
  }
}

}  // namespace

TEST_CASE("naive placement and commutation give fusion-aware placement, on every target", "[quantize]") {
  for (const auto& [name, make] : nets) {
    check_corollary(
        name,
        [&make = make] {
          Net net(14);
          return make(net);
        },
        ranges());
  }
}

TEST_CASE("naive placement and commutation give fusion-aware placement on whole nets", "[quantize][slow][data]") {
  struct Case {
    const char* name;
    std::size_t fewer;  // nodes of fusion-aware than of naive placement
  };
  TEST_DATA(folder, "models");
  for (const Case& test : {Case{"mobilenetv2", 70}, Case{"squeezenet", 52}, Case{"ultraface_rfb320_simplified", 72},
                           Case{"mnist", 0}, Case{"resnet50v2", 0}}) {
    const auto path = folder / (std::string(test.name) + ".onnx");
    if (!std::filesystem::exists(path)) continue;
    const auto load = [&path] {
      Model model = Model::load(path);
      (freeze_inputs() | raise_opset(13)).run(model);
      return model;
    };
    Model model = load();
    const Value& input = *model.graph().inputs()[0];
    Dims dims;
    for (std::size_t axis = 0; axis < input.shape().rank(); ++axis)
      dims.push_back(input.shape()[axis].known() ? input.shape()[axis].value() : 1);
    Tensor noise(DType::f32, dims);
    std::mt19937 random(7);
    for (float& value : noise.mutable_data<float>()) value = static_cast<float>(random() % 1000) / 500 - 1;
    Context context;
    calibrate(std::vector<Feeds>{{{&input, noise}}}).run(model, context);
    const Ranges& known = *context.facts.find<Ranges>();
    check_corollary(test.name, load, known);

    Model naive = load(), aware = load();
    inject_qdq(known, targets::ort_cpu_x64, Placement::naive).run(naive);
    inject_qdq(known, targets::ort_cpu_x64, Placement::fusion_aware).run(aware);
    INFO(test.name);
    CHECK(naive.graph().nodes().size() - aware.graph().nodes().size() == test.fewer);
  }
}

TEST_CASE("the report of the commutation says how far values may move", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  inject_qdq(Ranges{{"x", {-1, 1}}, {"y", {-40, 11}}, {"a", {0, 10.2f}}}, targets::ort_cpu_x64, Placement::naive)
      .run(model);
  const Report report = commute_dq_past_activation(targets::ort_cpu_x64).run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes == std::vector<std::string>{"bounded: 1 pairs gone, values within their ranges move by at most 3 "
                                                 "steps of the scale behind the activation"});
}

TEST_CASE("the bound takes the attributes of the activation for what they are", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("LeakyRelu", {&net.conv(*net.x)}, "a", {{"alpha", -4.0f}})});
  inject_qdq(Ranges{{"x", {-1, 1}}, {"y", {-40, 11}}, {"a", {0, 51}}}, targets::paper, Placement::naive).run(model);
  CHECK(commute_dq_past_activation(targets::paper).run(model).notes ==
        std::vector<std::string>{"bounded: 1 pairs gone, values within their ranges move by at most 3 steps of the "
                                 "scale behind the activation"});
}

TEST_CASE("where several pairs of a row go, the bound is that of the whole row", "[quantize]") {
  Net net;
  Value& a = net.op("LeakyRelu", {&net.conv(*net.x)}, "a", {{"alpha", 4.0f}});
  Model model = net.build({&net.op("LeakyRelu", {&a}, "b", {{"alpha", 2.0f}})});
  const Ranges known{{"x", {-1, 1}}, {"y", {-25.5f, 25.5f}}, {"a", {-102, 51}}, {"b", {-51, 51}}};
  inject_qdq(known, targets::onednn, Placement::naive).run(model);
  const Report report = commute_dq_past_activation(targets::onednn).run(model);
  CHECK(ops(model.graph()) ==
        "QuantizeLinear DequantizeLinear Conv LeakyRelu LeakyRelu QuantizeLinear DequantizeLinear");
  // 0.2 / 2 in front, 4 times as much behind the first, and 0.6 / 2; twice as much behind the second, in steps of 0.4.
  CHECK(report.notes == std::vector<std::string>{"bounded: 2 pairs gone, values within their ranges move by at most "
                                                 "4 steps of the scale behind the activation"});
}

TEST_CASE("pairs that go in a body count as well", "[quantize]") {
  Model model = graph(
      "opset 13; x: f32[1,2,4,4]; c: bool[]; w = f32[2,2,1,1] 1; s = f32[] 0.3; z = u8[] 9;"
      "t = f32[] 0.1; o = u8[] 0;"
      "y = If(c) {then_branch={ p = DequantizeLinear(QuantizeLinear(Conv(x, w), s, z), s, z);"
      "r = DequantizeLinear(QuantizeLinear(Relu(p), t, o), t, o) }, else_branch={ e = Abs(x) }}");
  const Report report = commute_dq_past_activation(targets::ort_cpu_x64).run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes == std::vector<std::string>{"bounded: 1 pairs gone, values within their ranges move by at most "
                                                 "2 steps of the scale behind the activation"});
}

TEST_CASE("the report of the commutation says which moves are exact", "[quantize]") {
  Net net(14);
  Value& codes = net.builder.input("q", DType::u8, {1, 2, 8, 16});
  Value& one = net.op("DequantizeLinear", {&codes, &net.scalar("s", 0.1f)}, "one");
  Value& two = net.op("DequantizeLinear", {&codes, &net.scalar("t", 0.1f)}, "two");
  Model model = net.build({&net.op("Relu", {&one}, "r"), &net.clip(two, 0, 6.03f, "c")});
  CHECK(commute_dq_past_activation(targets::ort_cpu_x64).run(model).notes ==
        std::vector<std::string>{"exact: commute-dq-past-relu-unsigned 1",
                                 "bounded by half a step at the bounds: commute-dq-past-clip 1"});
}

TEST_CASE("the commutation is done once", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  inject_qdq(ranges(), targets::ort_cpu_x64, Placement::naive).run(model);
  commute_dq_past_activation(targets::ort_cpu_x64).run(model);
  CHECK(commute_dq_past_activation(targets::ort_cpu_x64).run(model).changes == 0);
}

TEST_CASE("a commutation that is cancelled before it begins changes nothing", "[quantize]") {
  Net net;
  Model model = net.build({&net.op("Relu", {&net.conv(*net.x)}, "a")});
  Context context;
  context.cancelled = [] { return true; };
  CHECK(commute_dq_past_activation(targets::ort_cpu_x64).run(model, context).changes == 0);
}

TEST_CASE("where the inner pair has several scales no bound is known", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Value& scales = net.constant("s1", {0.1f, 0.1f}, {2});
  Value& zeros = net.builder.constant(Tensor::of<std::int32_t>(DType::u8, {2}, {3, 3}), "z1");
  Value& inner = net.op("QuantizeLinear", {&y, &scales, &zeros}, "q1");
  Value& relu = net.op("Relu", {&net.op("DequantizeLinear", {&inner, &scales, &zeros}, "d1")}, "a");
  Value& scale = net.scalar("s2", 0.1f);
  Value& zero = net.builder.constant(Tensor::of<std::int32_t>(DType::u8, {}, {0}), "z2");
  Value& outer = net.op("QuantizeLinear", {&relu, &scale, &zero}, "q2");
  Model model = net.build({&net.op("DequantizeLinear", {&outer, &scale, &zero}, "d2")});
  const Report report = commute_dq_past_activation(targets::ort_cpu_x64).run(model);
  CHECK(report.changes == 1);
  CHECK(ops(model.graph()) == "Conv Relu QuantizeLinear DequantizeLinear");
  CHECK(report.notes == std::vector<std::string>{"bounded: 1 pairs gone, values within their ranges move by at most "
                                                 "inf steps of the scale behind the activation"});
}
