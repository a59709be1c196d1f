#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>

/// Prints the worst tensors and the worst layers.
inline void print_analysis(const graft::Analysis& analysis) {
  const std::size_t most = 10;
  std::printf("%-24s %s\n", "outputs", to_string(analysis.outputs).c_str());
  std::printf("%-24s of %zu; signal to noise, range in float and quantized\n", "worst tensors",
              analysis.tensors.size());
  for (std::size_t i = 0; i < std::min(most, analysis.tensors.size()); ++i) {
    const graft::TensorNoise& tensor = analysis.tensors[i];
    std::printf("  %6.1f dB  %s%s%s%s  %g to %g, %g to %g\n", tensor.decibels, tensor.tensor.c_str(),
                tensor.node.empty() ? "" : " (", tensor.node.c_str(), tensor.node.empty() ? "" : ")",
                static_cast<double>(tensor.floats.min), static_cast<double>(tensor.floats.max),
                static_cast<double>(tensor.quantized.min), static_cast<double>(tensor.quantized.max));
  }
  std::printf(
      "%-24s of %zu; the outputs if only this layer is quantized, if only it is in float, if it and all above it are "
      "in float\n",
      "worst layers", analysis.layers.size());
  for (std::size_t i = 0; i < std::min(most, analysis.layers.size()); ++i) {
    const graft::LayerEffect& layer = analysis.layers[i];
    std::printf("  %6.1f, %.1f dB, %s  %s\n", layer.quantized_alone.decibels, layer.in_float_alone->decibels,
                to_string(*layer.in_float_together).c_str(), layer.node.c_str());
  }
}

inline nlohmann::json to_json(const graft::Fidelity& fidelity) {
  return {{"agreement", fidelity.agreement},
          {"cosine", fidelity.cosine},
          {"decibels", fidelity.decibels},
          {"least_cosine", fidelity.least_cosine}};
}

/// Writes infinite decibels as null.
inline nlohmann::json to_json(const graft::Analysis& analysis) {
  nlohmann::json tensors = nlohmann::json::array(), layers = nlohmann::json::array();
  for (const graft::TensorNoise& tensor : analysis.tensors) {
    tensors.push_back({{"tensor", tensor.tensor}, {"node", tensor.node}, {"decibels", tensor.decibels},
                       {"float", {tensor.floats.min, tensor.floats.max}},
                       {"quantized", {tensor.quantized.min, tensor.quantized.max}}});
  }
  for (const graft::LayerEffect& layer : analysis.layers) {
    layers.push_back({{"node", layer.node}, {"quantized_alone", to_json(layer.quantized_alone)},
                      {"in_float_alone", to_json(*layer.in_float_alone)},
                      {"in_float_together", to_json(*layer.in_float_together)}});
  }
  return {{"outputs", to_json(analysis.outputs)}, {"tensors", tensors}, {"layers", layers}};
}
