#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/testing/random.hpp>

#include "graft-tune/made_up_kernels.hpp"
#include "graft-tune/profile.hpp"
#include "support/random_feeds.hpp"
#include "support/table.hpp"

/// How a kernel computes.
enum class Numbers { floats, integers };

/// The times of one kind of kernel.
struct KernelTimesKey {
  std::string op;
  graft::KernelWidth width;
  Numbers numbers;
  bool operator<(const KernelTimesKey& other) const {
    return std::tie(op, width, numbers) < std::tie(other.op, other.width, other.numbers);
  }
};

/// The times of the runtime's kernels, by the target's operators.
class KernelTimes {
 public:
  KernelTimes(const graft::Target& target, int runs) : target_(target), runs_(runs) {}

  /// Measures the nodes that are named "timed.N.", or all nodes.
  void measure(graft::Model& model, const graft::Feeds& feeds, bool all) {
    Timed timed;
    for (graft::Node& node : model.graph().nodes()) {
      if (all) model.graph().rename(node, "timed." + std::to_string(timed.by_name.size()) + ".");
      if (!is_timed(node.name())) continue;
      timed.by_name.emplace(node.name(), &node);
      if (node.output(0) != nullptr) timed.by_output.emplace(node.output(0)->name(), &node);
    }
    const std::filesystem::path folder = std::filesystem::path(model.file()).parent_path();
    const Profile profile(model.commit().SerializeAsString(), folder, feeds, runs_);
    for (const auto& [name, times] : profile.nodes())
      if (const graft::Node* const node = timed.find(name, times.op)) add(*node, times);
  }
  /// Measures the costs of quantizing and dequantizing, from several sizes, including the changes of layout that come
  /// with them.
  void measure_conversions() {
    for (const graft::Dims& dims : feature_maps()) {
      std::map<std::string, double> took = times_by_operator(model_of_conversions(target_, dims));
      const double dynamic =
          times_by_operator(model_of_dynamic_quantizer(target_, dims))["DynamicQuantizeLinear"];
      const auto elements = static_cast<double>(graft::element_count(dims));
      // The float ends of the model change layouts too. Half of the changes belongs to the conversions, a half to each.
      quantize_.push_back({elements, 0, took["QuantizeLinear"] + (took["ReorderOutput"] + took["Transpose"]) / 2});
      dequantize_.push_back({elements, 0, took["DequantizeLinear"] + (took["ReorderInput"] + took["Transpose"]) / 2});
      dynamic_quantize_.push_back({elements, 0, dynamic + (took["ReorderOutput"] + took["Transpose"]) / 2});
    }
  }
  graft::KernelCost quantize() const { return graft::fit_kernel_cost(quantize_); }
  graft::KernelCost dequantize() const { return graft::fit_kernel_cost(dequantize_); }
  graft::KernelCost dynamic_quantize() const { return graft::fit_kernel_cost(dynamic_quantize_); }

  /// nullptr if there are too few times for a cost.
  const std::vector<graft::KernelTime>* find(const std::string& op, graft::KernelWidth width, Numbers numbers) const {
    const auto found = times_.find({op, width, numbers});
    return found != times_.end() && found->second.size() >= fewest ? &found->second : nullptr;
  }

 private:
  /// The nodes to be timed.
  struct Timed {
    std::map<std::string, const graft::Node*, std::less<>> by_name, by_output;

    /// The timed node behind a name in the runtime's profile. The runtime derives names from the node's, as in
    /// "timed.3._token_7", or from the output's in its layout of blocks of channels, as in "y_nchwc". In that layout, a
    /// convolution may contain an activation.
    const graft::Node* find(std::string_view name, std::string_view op) const {
      const auto named = by_name.find(name.substr(0, name.rfind('.') + 1));
      if (named != by_name.end()) return named->second;
      const auto made = by_output.find(name.substr(0, name.rfind("_nchwc")));
      if (made == by_output.end()) return nullptr;
      const graft::Node* const node = made->second;
      const graft::Value* const before = node->input(0);
      if (node->op_type() == op || before == nullptr || before->producer() == nullptr) return node;
      const auto joined = by_name.find(before->producer()->name());
      return joined == by_name.end() ? node : joined->second;
    }
  };

  std::map<std::string, double> times_by_operator(graft::Model model) const {
    graft::Random random(1);
    const graft::Feeds feeds = random_feeds(model.graph(), {}, random);
    const Profile profile(model.commit().SerializeAsString(), {}, feeds, runs_);
    std::map<std::string, double> times;
    for (const auto& [name, node] : profile.nodes()) times[node.op] += node.time();
    return times;
  }

  static constexpr std::size_t fewest = 4;  // to fit three numbers; products have four and are timed at more sizes
  static bool is_timed(std::string_view name) { return name.substr(0, 6) == "timed."; }

  void add(const graft::Node& node, const NodeTimes& times) {
    const graft::IntegerKernel* const kernel = graft::integer_kernel(node, target_);
    const std::string_view op = node.op_type();
    if (kernel == nullptr || times.op.find(op) == std::string::npos || times.input_dtypes.empty()) return;
    const graft::KernelWork work = graft::kernel_work(node, *kernel);
    if (!(work.results > 0)) return;
    // The run has fixed the symbolic dims; scale the work by the results that it computed.
    const double ratio = times.results / work.results;
    const std::size_t operand = std::min(kernel->first_operand, times.input_dtypes.size() - 1);
    const bool is_other = times.op != op && (times.op.front() == 'Q' || times.op.find("Integer") != std::string::npos);
    const bool is_integer = is_other || times.input_dtypes[operand] == "uint8" || times.input_dtypes[operand] == "int8";
    if (!is_integer && times.input_dtypes[operand] != "float") return;
  // With few rows, reading the weight takes most of the time; a convolution has many.
    const double weights = op == "MatMul" || op == "Gemm" ? work.weights : 0;
    times_[{std::string(op), work.width, is_integer ? Numbers::integers : Numbers::floats}].push_back(
        {work.elements * ratio, work.products * ratio, times.time(), weights});
  }

  const graft::Target& target_;
  int runs_;
  std::map<KernelTimesKey, std::vector<graft::KernelTime>> times_;
  std::vector<graft::KernelTime> quantize_, dequantize_, dynamic_quantize_;
};

/// A measured cost beside that of the base.
struct MeasuredCost {
  std::string op;
  graft::KernelCosts before, after;
  double speedup = 0;  // over all measured work
};

/// The time of this work by the costs.
inline double expected(const std::vector<graft::KernelTime>& works, const graft::KernelCost& cost) {
  double result = 0;
  for (const graft::KernelTime& work : works)
    result += graft::time_of(
        graft::KernelWork{.elements = work.elements, .products = work.products, .weights = work.weights}, cost);
  return result;
}

/// Fits the costs of kernels that were measured in float and in integers. Multiplies all other costs by the median
/// factor of the measured ones, so that all costs describe one machine.
inline std::vector<MeasuredCost> fit(const KernelTimes& times, std::vector<graft::IntegerKernel>& kernels,
                                     std::vector<graft::BlockCost>& block_costs) {
  std::vector<MeasuredCost> measured;
  std::vector<graft::KernelCost*> others;
  std::vector<double> factors;
  const auto fit_one = [&](const std::string& op, graft::KernelWidth width, const char* suffix,
                           graft::KernelCost& in_float, graft::KernelCost& in_integers) {
    const auto* const floats = times.find(op, width, Numbers::floats);
    const auto* const integers = times.find(op, width, Numbers::integers);
    if (floats == nullptr || integers == nullptr) {
      others.insert(others.end(), {&in_float, &in_integers});
      return;
    }
    const graft::KernelCosts before{in_float, in_integers};
    in_float = graft::fit_kernel_cost(*floats);
    in_integers = graft::fit_kernel_cost(*integers);
    std::vector<graft::KernelTime> all = *floats;
    all.insert(all.end(), integers->begin(), integers->end());
    measured.push_back({op + suffix, before, {in_float, in_integers},
                        expected(all, in_float) / expected(all, in_integers)});
    const double shipped = expected(*floats, before.in_float) + expected(*integers, before.in_integers);
    if (shipped > 0) factors.push_back((expected(*floats, in_float) + expected(*integers, in_integers)) / shipped);
  };
  for (graft::IntegerKernel& kernel : kernels) {
    const std::string op(kernel.op);
    fit_one(op, graft::KernelWidth::usual, "", kernel.in_float, kernel.in_integers);
    if (auto& costs = kernel.few_channels)
      fit_one(op, graft::KernelWidth::few_channels, " narrow", costs->in_float, costs->in_integers);
    if (auto& costs = kernel.first_layer)
      fit_one(op, graft::KernelWidth::first_layer, " image", costs->in_float, costs->in_integers);
    others.insert(others.end(), {&kernel.guard_cost, &kernel.float_input_cost});
  }
  for (graft::BlockCost& one : block_costs) others.push_back(&one.cost);
  if (factors.empty()) return measured;
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  const auto here = static_cast<float>(*middle);
  for (graft::KernelCost* const cost : others)
    *cost = {cost->call * here, cost->element * here, cost->product * here, cost->weight * here};
  return measured;
}

inline std::string to_text(const graft::KernelCost& cost) {
  return "{" + fixed(double{cost.call}, 0) + ", " + fixed(double{cost.element}, 2) + ", " +
         fixed(double{cost.product}, 4) + ", " + fixed(double{cost.weight}, 4) + "}";
}

inline void print_costs(const std::vector<MeasuredCost>& measured, const graft::Target& target,
                        const graft::Target& base) {
  std::printf("nanoseconds {a call, an element, a product, an element of a weight} on one thread; "
              "ratio: of float to integers\n");
  std::printf("%-22s %-32s %-32s %-32s %-32s %s\n", "", "float", "before", "integers", "before", "ratio");
  for (const MeasuredCost& one : measured)
    std::printf("%-22s %-32s %-32s %-32s %-32s %.2f\n", one.op.c_str(), to_text(one.after.in_float).c_str(),
                to_text(one.before.in_float).c_str(), to_text(one.after.in_integers).c_str(),
                to_text(one.before.in_integers).c_str(), one.speedup);
  for (const auto& [name, after, before] : {std::tuple("QuantizeLinear", target.quantize, base.quantize),
                                            std::tuple("DequantizeLinear", target.dequantize, base.dequantize),
                                            std::tuple("DynamicQuantizeLinear", target.dynamic_quantize,
                                                       base.dynamic_quantize)})
    std::printf("%-22s %-32s %s\n", name, to_text(after).c_str(), to_text(before).c_str());
}

/// Measures the kernels of the built-in models and of these models, and writes the target: `base` with these costs.
inline void measure_costs(std::vector<graft::Model>& models, const std::map<std::string, std::int64_t>& sizes,
                          const graft::Target& base, const std::filesystem::path& output, int runs) {
  KernelTimes times(base, runs);
  const auto measure = [&](graft::Model& model, bool all) {
    graft::Random random(1);
    const graft::Feeds feeds = random_feeds(model.graph(), sizes, random);
    times.measure(model, feeds, all);
  };
  graft::Target target = base;
  const std::string name = std::string(base.name) + "-measured";
  target.name = name;
  times.measure_conversions();
  target.quantize = times.quantize();
  target.dequantize = times.dequantize();
  target.dynamic_quantize = times.dynamic_quantize();
  for (const MadeUpKernel& kernel : made_up_kernels()) {
    for (const bool is_quantized : {false, true}) {
      graft::Model model = model_of(kernel, base, is_quantized);
      measure(model, false);
    }
  }
  for (graft::Model& model : models) {
    graft::infer_shapes(model.graph());
    measure(model, true);
  }
  std::vector<graft::IntegerKernel> kernels(base.kernels.begin(), base.kernels.end());
  std::vector<graft::BlockCost> block_costs(base.block_costs.begin(), base.block_costs.end());
  const std::vector<MeasuredCost> measured = fit(times, kernels, block_costs);
  target.kernels = kernels;
  target.block_costs = block_costs;
  graft::save_target(target, base, output);
  print_costs(measured, target, base);
  print_line("wrote", output.string());
}
