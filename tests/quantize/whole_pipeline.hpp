#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <graft/precision/convert_floats.hpp>
#include <graft/quantize.hpp>
#include <graft/quantize/run/detail/random_feeds.hpp>
#include <graft/simplify.hpp>

/// A model after prepare | calibrate | inject_qdq | quantize_weights, and how that changed its results.
struct Whole {
  graft::Model model;
  graft::Report report;
  graft::Audit audit;
  /// The greatest difference of a result, on what it was calibrated on, as a part of that output's greatest magnitude.
  double error = 0;

  /// Of quantizers whose scale is 0, denormal, infinite or NaN.
  std::string abnormal_scales() const {
    std::string names;
    for (const graft::Node& node : model.graph().nodes()) {
      if (!graft::is_quantize(node) && !graft::is_dequantize(node)) continue;
      for (const float scale : node.input(1)->constant()->to<float>())
        if (!(scale > 0) || !std::isnormal(scale)) names += std::string(node.name()) + " ";
    }
    return names;
  }
  std::string notes() const {
    std::string text;
    for (const graft::Report& step : report.steps) {
      if (step.pass == "calibrate") continue;
      for (const std::string& note : step.notes) text += note + "\n";
    }
    return text;
  }
  std::string findings() const {
    std::string text;
    for (const graft::OperatorOutcome& finding : audit.findings) text += to_string(finding) + "\n";
    return text;
  }
};

inline const graft::Placement both_placements[] = {graft::Placement::fusion_aware, graft::Placement::all_supported};

inline Whole quantize_whole(graft::Model model, graft::Placement placement,
                            const graft::Target& target = graft::targets::ort_cpu_x64,
                            graft::Granularity granularity = graft::Granularity::per_channel) {
  using namespace graft;
  std::vector<Feeds> samples;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) samples.push_back(detail::random_feeds(model.graph(), {}, 2, seed));
  const auto run = [&](const Graph& graph) {  // outputs of one sample behind those of the one before
    std::vector<Tensor> results;
    for (const Feeds& sample : samples)
      for (Tensor& result : Evaluator(graph).run(sample)) results.push_back(std::move(result));
    return results;
  };
  const std::vector<Tensor> wanted = run(model.graph());
  Whole whole{Model(model.commit()), {}, {}};
  whole.report = (raise_opset(13) | to_float32() | unique_node_names() | fold_constants() |
                  fixpoint(bn_into_conv, add_into_conv_bias, gemm_bias) | eliminate_dead_code() | calibrate(samples) |
                  inject_qdq(target, placement) | quantize_weights(granularity, target))
                     .run(whole.model);
  const std::vector<Tensor> results = run(whole.model.graph());
  const std::size_t outputs = model.graph().output_count();
  std::vector<double> differences(outputs), greatest(outputs, 1e-45);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto is = results[i].to<double>(), was = wanted[i].to<double>();
    for (std::size_t k = 0; k < was.size(); ++k) {
      const double difference = is[k] == was[k] ? 0 : std::abs(is[k] - was[k]);
      differences[i % outputs] = std::max(differences[i % outputs], std::isnan(difference) ? INFINITY : difference);
      greatest[i % outputs] = std::max(greatest[i % outputs], std::abs(was[k]));
    }
  }
  for (std::size_t i = 0; i < outputs; ++i) whole.error = std::max(whole.error, differences[i] / greatest[i]);
  whole.audit = graft::audit(whole.model.graph(), target);
  return whole;
}
