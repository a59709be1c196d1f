#include <graft/quantize/target/weight_forms.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;

/// Two Convs, each of the same values: y, z.
Model two(bool share = false) {
  Net net;
  Value& y = net.conv(*net.x, "y");
  Value& w = share ? *net.builder.graph().find("y_w") : net.weight("z_w");
  return net.build({&net.op("Conv", {&y, &w, &net.bias("z_b")}, "z")});
}

QuantizedTensor weight_of(const Model& model, std::string_view value) {
  return *quantized_constant(*node_making(model, value).input(1)->producer());
}
int greatest(const Model& model, std::string_view value) {
  const std::vector<int> codes = weight_of(model, value).data.to<int>();
  return *std::max_element(codes.begin(), codes.end());
}

}  // namespace

TEST_CASE("the last pattern that matches a node decides its form, the common one where none does", "[quantize]") {
  const Model model = two();
  const WeightForms forms({Granularity::per_tensor, 6},
                          {{"[yz]_node", {Granularity::per_channel, 4}}, {"z_node", {Granularity::per_tensor, 3}}});
  CHECK(forms.of(node_making(model, "y")).bits == 4);
  CHECK(forms.of(node_making(model, "z")).bits == 3);
  model.graph().rename(node_making(model, "y"), "");
  CHECK(forms.of(node_making(model, "y")).bits == 6);
  CHECK(forms.unmatched(model.graph()).empty());
  CHECK(WeightForms(Granularity::per_channel).of(node_making(model, "z")).bits == std::nullopt);
}

TEST_CASE("weights are stored in the form of their node", "[quantize]") {
  Model model = two();
  const WeightForms forms(WeightForm(Granularity::per_tensor),
                          {{"z_node", {Granularity::per_channel, 4}}, {"absent", {Granularity::per_tensor}}});
  const Report report = quantize_weights(forms, target).run(model);
  CHECK(report.changes == 2);
  CHECK(report.notes == std::vector<std::string>{"no node is called 'absent'"});
  CHECK(greatest(model, "y") == 127);
  CHECK(weight_of(model, "y").scale.size() == 1);
  CHECK(greatest(model, "z") == 7);
  CHECK(weight_of(model, "z").scale.size() == 2);
}

TEST_CASE("a weight that is shared has as many forms as its nodes ask for", "[quantize]") {
  Model model = two(true);
  quantize_weights(WeightForms(Granularity::per_tensor), target).run(model);
  CHECK(node_making(model, "y").input(1)->producer()->input(0) ==
        node_making(model, "z").input(1)->producer()->input(0));
  for (const WeightForm& form : {WeightForm(Granularity::per_tensor, 5), WeightForm(Granularity::per_channel),
                                 WeightForm(Granularity::per_tensor, 8, Clipping::squared_error)}) {
    Model apart = two(true);
    quantize_weights(WeightForms(Granularity::per_tensor, {{"z_node", form}}), target).run(apart);
    CHECK(node_making(apart, "y").input(1)->producer()->input(0) !=
          node_making(apart, "z").input(1)->producer()->input(0));
    CHECK(greatest(apart, "y") == 127);
    CHECK(apart.graph().find("y_w") == nullptr);
  }
}

TEST_CASE("one form with a scale for each channel makes opset 13 needed", "[quantize]") {
  for (const Granularity granularity : {Granularity::per_tensor, Granularity::per_channel}) {
    Net net(12);
    Model model = net.build({&net.conv(*net.x)});
    const Pass weights = quantize_weights(WeightForms(Granularity::per_tensor, {{"other", granularity}}), target);
    if (granularity == Granularity::per_tensor) {
      CHECK(weights.run(model).changes == 1);
    } else {
      CHECK_THROWS_WITH(weights.run(model), Catch::Contains("needs opset 13"));
    }
  }
}

// Where every channel is constant the correction is exact if it knows the form that the weight will have.
TEST_CASE("biases are corrected by the form of their node", "[quantize]") {
  const Feeds sample{{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 0.7f))}};
  const WeightForms forms(Granularity::per_tensor, {{"z_node", {Granularity::per_tensor, 3}}});
  const auto moved = [&](const WeightForms& corrected) {
    const Model before = two();
    Model after = two();
    (observe_channel_means(std::vector<Feeds>{sample}) | correct_biases(corrected, target) |
     quantize_weights(forms, target))
        .run(after);
    const std::vector<float> wanted = Evaluator(before.graph()).run(sample)[0].to<float>(),
                             given = Evaluator(after.graph()).run(sample)[0].to<float>();
    float most = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) most = std::max(most, std::abs(wanted[i] - given[i]));
    return most;
  };
  CHECK(moved(forms) < 1e-5f);
  CHECK(moved(Granularity::per_tensor) > 1e-2f);
}
