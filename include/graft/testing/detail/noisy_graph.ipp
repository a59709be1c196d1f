#pragma once
#include <graft/testing/detail/noisy_graph.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/testing/detail/grow/rounding.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// Four times the largest relative error of one rounding; 16 times in f16 and bf16, where rules may round more often.
constexpr double noise_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return 0x1p-7;
    case DType::bf16: return 0x1p-4;
    case DType::f64: return 0x1p-51;
    default: return 0x1p-22;
  }
}

/// A value may underflow in one order of operations and not in another. In f16, numbers as small as 2^-14 are rounded
/// to multiples of 2^-24; this is 16 times half of that.
constexpr double least_noise_of(DType dtype) { return dtype == DType::f16 ? 0x1p-21 : 1e-30; }

struct NoisyGraph::Parts {
  Parts(const Graph& graph, const Kernels& standard, std::uint64_t seed)
      : model(graph.model().proto(), graph.model()), kernels(standard), random(seed) {
    infer_shapes(model.graph());
    model.set_opset(1, "graft.testing");
    kernels.add("graft.testing::Noise", [this](KernelContext& context) {
      const Tensor& exact = context.input(0);
      std::vector<double> numbers = exact.to<double>();
      for (double& number : numbers) {
        number *= 1 + noise_of(exact.dtype()) * (2 * random.unit() - 1);
        number += least_noise_of(exact.dtype()) * (2 * random.unit() - 1);
      }
      context.set_output(0, Tensor::of(exact.dtype(), exact.dims(), numbers));
    });
    for (Graph* const scope : model.scopes()) add_noise(*scope);
    for (const Value* const output : model.graph().outputs()) {
      const auto is_it = [&](const auto& pair) { return pair.first == output; };
      const auto found = std::find_if(noisy.begin(), noisy.end(), is_it);
      fetches.emplace_back(found == noisy.end() ? *output : *found->second);
    }
    evaluator.emplace(model.graph(), kernels);
  }

  void add_noise(Graph& scope) {
    const auto is_noisy = [](const Value* value) {
      return value != nullptr && !value->name().empty() && is_float(value->dtype()) && bits(value->dtype()) >= 16;
    };
    std::vector<Node*> nodes;
    for (Node& node : scope.nodes())
      if (rounds(node) && !node.is("Constant")) nodes.push_back(&node);
    for (Node* const node : nodes) {
      for (std::size_t i = 0; i < node->input_count(); ++i) {
        // Rules do not change how extents are computed.
        if (!is_noisy(node->input(i)) || facts_of(*node).takes_shape(i)) continue;
        Node& before = scope.insert("graft.testing::Noise", {node->input(i)}, 1, {}, node);
        static_cast<void>(scope.set_input(*node, i, before.output(0)));
      }
      for (Value& output : node->outputs()) {
        if (!is_noisy(&output)) continue;
        Node& behind = scope.insert("graft.testing::Noise", {&output}, 1, {}, node->next());
        for (Use& use : output.uses())
          if (use.user() != nullptr && use.user() != &behind)
            static_cast<void>(use.graph().set_input(use, behind.output(0)));
        noisy.emplace_back(&output, behind.output(0));
      }
    }
  }

  Model model;
  Kernels kernels;
  Random random;
  std::vector<std::pair<const Value*, const Value*>> noisy;
  Fetches fetches;
  std::optional<Evaluator> evaluator;
};

GRAFT_INLINE NoisyGraph::NoisyGraph(const Graph& graph, const Kernels& kernels, std::uint64_t seed)
    : parts_(std::make_unique<Parts>(graph, kernels, seed)) {}
GRAFT_INLINE NoisyGraph::NoisyGraph(NoisyGraph&&) noexcept = default;
GRAFT_INLINE NoisyGraph::~NoisyGraph() = default;

GRAFT_INLINE std::vector<Tensor> NoisyGraph::run(const Feeds& feeds) const {
  Feeds own;
  for (const auto& [name, tensor] : feeds) own.emplace_back(name.name(), tensor);
  return parts_->evaluator->run(own, parts_->fetches);
}

GRAFT_INLINE std::vector<double> NoisyGraph::spread(const Feeds& feeds, std::size_t i, const Tensor& exact,
                                                    std::size_t runs) const {
  const std::vector<double> was = exact.to<double>();
  std::vector<double> most(was.size(), 0);
  for (std::size_t run = 0; run < runs; ++run) {
    Tensor noisy;
    try {
      noisy = this->run(feeds)[i];
    } catch (const Error&) {
      return {};  // extents that no longer fit
    }
    if (noisy.dims() != exact.dims()) return {};
    const std::vector<double> numbers = noisy.to<double>();
    for (std::size_t k = 0; k < was.size(); ++k) {
      const double off = std::abs(numbers[k] - was[k]);
      most[k] = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(most[k], off);
    }
  }
  return most;
}

}  // namespace graft::inline v1::detail
