#include <graft/quantize/place/commute_deferred.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/explain.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// Conv -> pair -> activation -> pair, the last with these q-params.
Model chain(std::string_view activation, const QParams& behind, const Attributes& attributes = {}) {
  Net net(14);
  Value& y = net.conv(*net.x);
  Value& a = net.op(activation, {&y}, "a", attributes);
  Model model = net.build({&a});
  insert_qdq(y, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, behind, true);
  return model;
}

Report commute_for(Model& model, const Target& runtime) {
  return pass("commute", sweep(commute::past_deferred), commute::target = runtime).run(model);
}

constexpr std::string_view moved = "Conv Relu QuantizeLinear DequantizeLinear";

}  // namespace

TEST_CASE("the pair in front of a fused activation goes", "[quantize]") {
  Model model = chain("Relu", {0.05f, 0, DType::u8});
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 1);
  CHECK(ops(model.graph()) == moved);
  CHECK(model.graph().output(0)->name() == "a");
  CHECK(qparams_of(*model.graph().last_node()) == QParams{0.05f, 0, DType::u8});
  CHECK(model.graph().initializers().size() == 4);  // weight, bias, scale and zero point
}

TEST_CASE("the activation keeps its attributes and its further inputs", "[quantize]") {
  Model leaky = chain("LeakyRelu", {0.05f, 10, DType::u8}, {{"alpha", 0.3f}});
  CHECK(commute_for(leaky, targets::paper).changes == 1);
  CHECK(first(leaky.graph(), "LeakyRelu").attr<float>("alpha") == 0.3f);

  Net net;
  Value& y = net.conv(*net.x);
  Value& a = net.clip(y, 0, 6, "a");
  Model model = net.build({&a});
  insert_qdq(y, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, {6.0f / 255, 0, DType::u8}, true);
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 1);
  CHECK(first(model.graph(), "Clip").input(2)->name() == "a_max");
}

TEST_CASE("a pair stays where the target does not defer the activation", "[quantize]") {
  Model shifted = chain("Relu", {0.05f, 3, DType::u8});
  CHECK(commute_for(shifted, targets::ort_cpu_x64).changes == 0);
  CHECK(commute_for(shifted, targets::onednn).changes == 1);
  Model sigmoid = chain("Sigmoid", {0.004f, 0, DType::u8});
  CHECK(commute_for(sigmoid, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("a pair stays behind what the target does not compute in integers", "[quantize]") {
  Net net;
  Value& sum = net.op("Add", {net.x, net.x}, "sum");
  Value& a = net.op("Relu", {&sum}, "a");
  Model model = net.build({&a});
  insert_qdq(sum, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, {0.05f, 0, DType::u8}, true);
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("a pair stays that someone else reads, or that is two scales", "[quantize]") {
  {
    Net net;
    Value& y = net.conv(*net.x);
    Value& a = net.op("Relu", {&y}, "a");
    Model model = net.build({&a, &net.op("Neg", {&y}, "b")});
    insert_qdq(y, {0.1f, 128, DType::u8}, true);
    insert_qdq(a, {0.05f, 0, DType::u8}, true);
    CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
  }
  Model model = chain("Relu", {0.05f, 0, DType::u8});
  Node& inner = *first(model.graph(), "Relu").input(0)->producer();
  REQUIRE(model.graph().set_input(inner, 1, &model.graph().add_initializer(Tensor::scalar(0.2f), "other_scale")));
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("why a pair stays is explained", "[quantize]") {
  Model model = chain("Relu", {0.05f, 3, DType::u8});
  Context context;
  context.refusals = true;
  const Report report =
      pass("commute", sweep(commute::past_deferred), commute::target = targets::ort_cpu_x64).run(model, context);
  bool found = false;
  for (const Refusal& refusal : report.refusals)
    found = found || refusal.why.find("what Q can represent reaches beyond its bounds") != std::string::npos;
  CHECK(found);
}
