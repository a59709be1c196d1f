#include <graft/quantize/place/detail/least_cost.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/kernel/target.hpp>

using namespace graft;

namespace {

constexpr std::array u8{KernelDTypes{DType::u8}};
constexpr std::array i8{DType::i8};
constexpr std::array integer_products{DynamicKernel{"MatMulInteger", i8}};
constexpr std::array relu{FusedActivation{"Relu", Fuses::when_redundant}};

IntegerKernel kernel(const char* op, std::size_t operands, KernelForm form, float in_float, float in_integers) {
  IntegerKernel made{.op = op, .dtypes = u8, .form = form, .operands = operands};
  made.in_float = {in_float};
  made.in_integers = {in_integers};
  return made;
}

IntegerKernel apart(IntegerKernel kernel, float cost) {
  kernel.float_input_cost = {cost};
  return kernel;
}

IntegerKernel guarded(IntegerKernel kernel, float cost) {
  kernel.quirks = {KernelQuirk::quantizes_constants};
  kernel.guard_cost = {cost};
  return kernel;
}

/// A net of sums, sigmoids, identities and products, which all have kernels, and exponentials, which have none.
Model random_net(std::mt19937& random, std::size_t size) {
  Builder builder(13);
  std::vector<Value*> values{&builder.input("x", DType::f32, {2, 3}), &builder.input("y", DType::f32, {2, 3})};
  const auto any = [&] { return values[random() % values.size()]; };
  Value& weight = builder.constant(Tensor(DType::f32, {3, 3}), "w");
  for (std::size_t i = 0; i < size; ++i) {
    switch (random() % 6) {
      case 0: values.push_back(&builder.op("Sigmoid", {any()})); break;
      case 1: values.push_back(&builder.op("Identity", {any()})); break;
      case 2: values.push_back(&builder.op("Exp", {any()})); break;
      case 3: values.push_back(&builder.op("Relu", {any()})); break;
      case 4: values.push_back(&builder.op("MatMul", {any(), &weight})); break;
      default: values.push_back(&builder.op("Add", {any(), any()}));
    }
  }
  for (Value* const value : values)
    if (value->producer() != nullptr && (value->use_count() == 0 || random() % 5 == 0))
      builder.output(*value, "out_" + std::string(value->name()));
  return builder.build();
}

/// By the definition: what kernels take, and the conversions between them, less what weight-only products gain, and
/// dynamic ones beyond that.
double cost_of(const std::vector<detail::Unit>& units, const std::vector<bool>& selected, const Target& target,
               const std::vector<detail::DynamicInput>& dynamic = {},
               const std::vector<detail::BlockProduct>& weight_only = {}) {
  const auto at = [&](const Node* node) {
    const auto place = std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.node == node; });
    return place != units.end() && selected[static_cast<std::size_t>(place - units.begin())];
  };
  const auto makes = [&](const Value* value) {
    for (std::size_t u = 0; u < units.size(); ++u) {
      bool made_here = false;
      units[u].for_each_result([&](const Value& result) { made_here = made_here || &result == value; });
      if (made_here && selected[u]) return true;
    }
    return false;
  };
  const auto weight_only_gain = [&](const Node* node) {
    const auto place = std::ranges::find(weight_only, node, &detail::BlockProduct::node);
    return place != weight_only.end() ? place->gain : 0;
  };
  double cost = 0;
  for (const detail::BlockProduct& product : weight_only)
    if (!at(product.node)) cost -= product.gain;
  for (const detail::DynamicInput& input : dynamic) {
    double gained = -double{target.dynamic_quantize.call};
    for (const Node* const reader : input.readers)
      if (!at(reader)) gained += std::max(detail::product_gain(*reader, target) - weight_only_gain(reader), 0.0);
    cost -= std::max(gained, 0.0);
  }
  std::vector<std::pair<const Value*, const detail::Unit*>> made;
  std::vector<const Value*> quantized;
  for (std::size_t u = 0; u < units.size(); ++u) {
    cost += double{selected[u] ? units[u].kernel->in_integers.call : units[u].kernel->in_float.call};
    if (!selected[u]) {
      if (units[u].kernel->has(KernelQuirk::quantizes_constants) && makes(units[u].node->input(0)))
        cost += double{units[u].kernel->guard_cost.call};
      continue;
    }
    if (!makes(units[u].node->input(0))) cost += double{units[u].kernel->float_input_cost.call};
    units[u].for_each_result([&](const Value& result) {
      made.emplace_back(&result, &units[u]);
      bool in_float = false;
      for (const Use& use : result.uses()) in_float = in_float || use.is_graph_output() || !at(use.user());
      if (in_float && !units[u].may_end_in_float) cost += double{target.dequantize.call};
    });
  }
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (!selected[u]) continue;
    units[u].for_each_operand([&](std::size_t i) {
      const Value* const operand = units[u].node->input(i);
      for (const auto& [result, unit] : made)
        if (result == operand) return;
      if (std::find(quantized.begin(), quantized.end(), operand) != quantized.end()) return;
      quantized.push_back(operand);
      cost += double{target.quantize.call};
    });
  }
  return cost;
}

}  // namespace

TEST_CASE("no selection of units costs less than the one that is made", "[quantize]") {
  std::mt19937 random(3);
  const auto cost = [&] { return static_cast<float>(random() % 10); };
  std::size_t partial = 0, dynamic_products = 0, weight_only_products = 0;
  for (int round = 0; round < 300; ++round) {
    const std::array kernels{kernel("Add", 2, KernelForm::elementwise, cost(), cost()),
                             apart(kernel("Sigmoid", 1, KernelForm::elementwise, cost(), cost()), cost() / 2),
                             kernel("Identity", 1, KernelForm::passthrough, cost(), cost()),
                             guarded(kernel("MatMul", 2, KernelForm::weighted, cost(), cost()), cost())};
    const bool is_dynamic = round % 2 == 1;
    Target target{.name = "test", .kernels = kernels, .activations = relu};
    if (is_dynamic) target.dynamic_kernels = integer_products;
    target.dynamic_quantize = {cost() / 2};
    target.quantize = {cost() / 2};
    target.dequantize = {cost() / 2};
    Model model = random_net(random, 8);
    Ranges ranges;
    for (const Node& node : model.graph().nodes()) ranges.set(node.output(0)->name(), {-1, 1});
    const ActivationDTypes dtypes;
    const detail::PairQParams qparams(ranges, target, dtypes);
    const std::vector<detail::Unit> units = detail::find_units(model.graph(), qparams, target, {}).units;
    const std::vector<detail::DynamicInput> dynamic = detail::dynamic_inputs(model.graph(), target, {});
    std::vector<detail::BlockProduct> weight_only;
    for (Node& node : model.graph().nodes())
      if (round % 3 == 1 && node.is("MatMul") && random() % 2 == 0) weight_only.push_back({&node, double{cost()}});
    detail::LeastCost costs(units, dtypes, target, dynamic, weight_only);
    const std::vector<bool> chosen = costs.least();
    const std::vector<Node*> dynamic_ones = costs.dynamic(), weight_only_ones = costs.weight_only();
    for (const Node* const node : weight_only_ones) CHECK(std::ranges::count(dynamic_ones, node) == 0);
    weight_only_products += weight_only_ones.size();
    std::vector<Node*> others = dynamic_ones;
    others.insert(others.end(), weight_only_ones.begin(), weight_only_ones.end());
    dynamic_products += dynamic_ones.size();
    for (const Node* const node : others) {
      const auto is_it = [&](const detail::Unit& unit) { return unit.node == node; };
      const auto place = std::find_if(units.begin(), units.end(), is_it) - units.begin();
      CHECK_FALSE(chosen[static_cast<std::size_t>(place)]);
    }
    partial += std::count(chosen.begin(), chosen.end(), true) % std::max<std::ptrdiff_t>(std::ssize(chosen), 1) != 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t mask = 0; mask < std::size_t{1} << units.size(); ++mask) {
      std::vector<bool> selected;
      for (std::size_t u = 0; u < units.size(); ++u) selected.push_back((mask >> u & 1) != 0);
      least = std::min(least, cost_of(units, selected, target, dynamic, weight_only));
    }
    CHECK(cost_of(units, chosen, target, dynamic, weight_only) == Approx(least));
  }
  CHECK(partial > 50);
  CHECK(dynamic_products > 25);
  CHECK(weight_only_products > 25);
}

TEST_CASE("operators between selected units alone are selected, too, but no products", "[quantize]") {
  const std::array kernels{kernel("Add", 2, KernelForm::elementwise, 9, 1),
                           kernel("Sigmoid", 1, KernelForm::elementwise, 1, 2),
                           kernel("Softmax", 1, KernelForm::elementwise, 1, 20)};
  Target target{.name = "test", .kernels = kernels};
  target.quantize = target.dequantize = {1};
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {2, 3});
  Value& a = builder.op("Add", {&x, &x});
  Value& b = builder.op("Softmax", {&a});
  Value& c = builder.op("Add", {&b, &b});
  builder.output(builder.op("Softmax", {&c}), "y");
  Model model = builder.build();
  const Ranges ranges;
  const ActivationDTypes dtypes;
  const detail::PairQParams qparams(ranges, target, dtypes);
  const std::vector<detail::Unit> units = detail::find_units(model.graph(), qparams, target, {}).units;
  detail::LeastCost costs(units, dtypes, target);
  CHECK(costs.least() == std::vector<bool>{true, false, true, false});
  CHECK(costs.selected() == std::vector<bool>{true, true, true, false});
  CHECK(costs.gain(units[0]) == 8);
}

TEST_CASE("a transposed convolution makes its products of input channels, by strides", "[quantize]") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {1, 4, 5, 5});
  Value& w = builder.constant(Tensor(DType::f32, {4, 3, 2, 2}), "w");
  Value& dense = builder.op("ConvTranspose", {&x, &w}, {{"group", std::int64_t{2}}});
  Value& spread = builder.op("ConvTranspose", {&x, &w}, {{"strides", std::vector<std::int64_t>{2, 2}}});
  for (Value* const output : {&dense, &spread}) builder.output(*output);
  const Model model = builder.build();
  CHECK(detail::products_of(*model.graph().output(0)->producer()) == 8);  // of 2 channels, 4 taps
  CHECK(detail::products_of(*model.graph().output(1)->producer()) == 4);  // of 4 channels, one tap of 4
}
