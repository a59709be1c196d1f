#include "evaluate/backward/gradient_faults.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <graft/evaluate/backward.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/model.hpp>
#include <graft/testing/text.hpp>

#include "evaluate/detail/random.hpp"

using namespace graft;

namespace {

Tensor random_tensor(const Dims& dims, std::uint32_t seed) {
  return Tensor::of(dims, random_floats(element_count(dims), seed));
}

std::vector<Tensor> inputs_of(const Node& node) {
  std::vector<Tensor> inputs(node.input_count());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value* const value = node.input(i);
    if (value == nullptr) continue;
    if (std::optional<Tensor> constant = value->constant()) {
      inputs[i] = *std::move(constant);
    } else {
      inputs[i] = random_tensor(*value->shape().dims(), static_cast<std::uint32_t>(7 * i + 1));
    }
  }
  return inputs;
}

/// The sum of all outputs times their gradients, computed in f64.
double weighted(const Node& node, std::vector<Tensor> inputs, const std::vector<Tensor>& gradients) {
  double total = 0;
  const std::vector<Tensor> outputs = evaluate(node, std::move(inputs));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    const std::vector<double> y = outputs[i].to<double>(), g = gradients[i].to<double>();
    for (std::size_t k = 0; k < y.size(); ++k) total += y[k] * g[k];
  }
  return total;
}

Tensor central_differences(const Node& node, const std::vector<Tensor>& inputs, std::size_t input,
                           const std::vector<Tensor>& gradients) {
  constexpr double step = 1e-5;
  std::vector<double> slopes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(inputs[input].size()); ++k) {
    const auto moved = [&](double by) {
      std::vector<Tensor> changed = inputs;
      changed[input].mutable_data<double>()[k] += by;
      return weighted(node, std::move(changed), gradients);
    };
    slopes.push_back((moved(step) - moved(-step)) / (2 * step));
  }
  return Tensor::of<double>(inputs[input].dims(), slopes);
}

std::string difference(const Tensor& actual, const Tensor& expected) {
  if (actual.dtype() != DType::f32 || actual.dims() != expected.dims())
    return to_string(actual.dtype(), actual.dims()) + " for an input of " + to_string(expected.dims());
  const std::vector<double> a = actual.to<double>(), b = expected.to<double>();
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(std::abs(a[k] - b[k]) <= 2e-5 * (1 + std::abs(b[k]))))
      return "element " + std::to_string(k) + " is " + std::to_string(a[k]) + ", not " + std::to_string(b[k]);
  }
  return "";
}

}  // namespace

std::string gradient_faults(std::string_view text, std::size_t inputs_with_gradients) {
  const Model model = graph(text);
  const Node& node = *model.graph().last_node();
  const std::vector<Tensor> inputs = inputs_of(node);
  const std::vector<Tensor> outputs = evaluate(node, inputs);
  std::vector<Tensor> gradients(outputs.size()), wide = inputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype() == DType::f32)
      gradients[i] = random_tensor(outputs[i].dims(), static_cast<std::uint32_t>(5 * i + 3));
  }
  for (Tensor& input : wide) {
    if (input.dtype() == DType::f32) input = Tensor::of(DType::f64, input.dims(), input.to<double>());
  }
  ThreadPool pool(3);
  const ParallelFor threads = std::ref(pool);
  const std::vector<Tensor> all = backward(node, inputs, outputs, gradients, std::vector<bool>(inputs.size(), true));
  const std::vector<Tensor> by_threads =
      backward(node, inputs, outputs, gradients, std::vector<bool>(inputs.size(), true), &threads);
  std::string faults;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto report = [&](const std::string& fault) {
      if (!fault.empty()) faults += "input " + std::to_string(i) + ": " + fault + "\n";
    };
    std::vector<bool> only(inputs.size(), false);
    only[i] = true;
    const std::vector<Tensor> alone = backward(node, inputs, outputs, gradients, only);
    if (inputs[i].dtype() != DType::f32 || i >= inputs_with_gradients) {
      if (all[i] || alone[i]) report("a gradient of " + std::string(to_string(inputs[i].dtype())));
      continue;
    }
    report(difference(all[i], central_differences(node, wide, i, gradients)));
    if (!all[i].same_bytes(by_threads[i])) report("depends on threads");
    if (!all[i].same_bytes(alone[i])) report("depends on other gradients");
    for (std::size_t other = 0; other < inputs.size(); ++other) {
      if (other != i && alone[other]) report("input " + std::to_string(other) + " was not wanted");
    }
  }
  return faults;
}
