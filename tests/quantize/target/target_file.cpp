#include <graft/quantize/target/target_file.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

#include "support/folder.hpp"

using namespace graft;
using Catch::Contains;

namespace {

const IntegerKernel& kernel(const Target& target, std::string_view op) {
  return *std::find_if(target.kernels.begin(), target.kernels.end(),
                       [&](const IntegerKernel& entry) { return entry.op == op; });
}
bool same(const KernelCost& a, const KernelCost& b) {
  return a.call == b.call && a.element == b.element && a.product == b.product && a.weight == b.weight;
}
bool same(const KernelCosts& a, const KernelCosts& b) {
  return same(a.in_float, b.in_float) && same(a.in_integers, b.in_integers);
}
std::string with_kernel(const std::string& members) {
  return R"({"name": "mine", "base": "ort-cpu-x64", "kernels": [{)" + members + "}]}";
}

}  // namespace

TEST_CASE("a target of a file has its costs, and everything else of its base", "[quantize]") {
  const std::shared_ptr<const Target> target = target_from_json(R"({
    "comment": "measured today", "name": "mine", "base": "ort-cpu-x64",
    "quantize": {"call": 10, "element": 0.5}, "dynamic_quantize": {"call": 3},
    "block_products": {"8": {"call": 9, "weight": 0.5}},
    "kernels": [{"op": "Conv", "in_float": {"call": 7, "product": 0.25}, "narrow": {"in_integers": {"element": 3}},
                 "comment": ["any"]},
                {"op": "Add", "in_integers": {"element": 2}, "narrow": {"in_float": {"call": 1}}}]})");
  const Target& base = targets::ort_cpu_x64;
  CHECK(target->name == "mine");
  CHECK(same(target->quantize, {10, 0.5f}));
  CHECK(same(target->dequantize, base.dequantize));
  CHECK(same(target->dynamic_quantize, {3}));
  REQUIRE(target->block_costs.size() == base.block_costs.size());
  CHECK(target->block_costs[1].bits == 8);
  CHECK(same(target->block_costs[1].cost, {9, 0, 0, 0.5f}));
  CHECK(same(target->block_costs[0].cost, base.block_costs[0].cost));
  CHECK(target->quirks == base.quirks);
  CHECK(target->activations.data() == base.activations.data());
  REQUIRE(target->kernels.size() == base.kernels.size());
  const IntegerKernel& conv = kernel(*target, "Conv");
  CHECK(same(conv.in_float, {7, 0, 0.25f}));
  CHECK(same(conv.in_integers, kernel(base, "Conv").in_integers));
  CHECK(same(conv.few_channels->in_integers, {0, 3}));
  CHECK(same(conv.few_channels->in_float, kernel(base, "Conv").few_channels->in_float));
  CHECK(same(*conv.first_layer, *kernel(base, "Conv").first_layer));
  CHECK(conv.has(KernelQuirk::quantizes_constants));
  const IntegerKernel& add = kernel(*target, "Add");
  CHECK(same(add.in_integers, {0, 2}));
  CHECK(same(*add.few_channels, {{1}, {0, 2}}));
  CHECK(same(kernel(*target, "MaxPool").in_float, kernel(base, "MaxPool").in_float));
}

TEST_CASE("every shipped target comes back as it was written", "[quantize]") {
  for (const Target* const base : targets::all) {
    Target written = *base;
    written.name = "a \"name\"";
    const std::shared_ptr<const Target> read = target_from_json(to_json(written, *base));
    CHECK(read->name == written.name);
    CHECK(same(read->quantize, base->quantize));
    CHECK(same(read->dynamic_quantize, base->dynamic_quantize));
    REQUIRE(read->block_costs.size() == base->block_costs.size());
    for (std::size_t i = 0; i < base->block_costs.size(); ++i)
      CHECK(same(read->block_costs[i].cost, base->block_costs[i].cost));
    REQUIRE(read->kernels.size() == base->kernels.size());
    for (std::size_t i = 0; i < base->kernels.size(); ++i) {
      const IntegerKernel &one = base->kernels[i], &other = read->kernels[i];
      CAPTURE(base->name, one.op);
      CHECK(one.op == other.op);
      CHECK(same({one.in_float, one.in_integers}, {other.in_float, other.in_integers}));
      CHECK(one.few_channels.has_value() == other.few_channels.has_value());
      if (one.few_channels) CHECK(same(*one.few_channels, *other.few_channels));
      CHECK(one.first_layer.has_value() == other.first_layer.has_value());
      if (one.first_layer) CHECK(same(*one.first_layer, *other.first_layer));
      CHECK(same(one.guard_cost, other.guard_cost));
      CHECK(same(one.float_input_cost, other.float_input_cost));
    }
  }
}

TEST_CASE("what is wrong with a target's file is named", "[quantize]") {
  CHECK_THROWS_WITH(target_from_json("["), Contains("is not a JSON object"));
  CHECK_THROWS_WITH(target_from_json("{}"), "name: is missing");
  CHECK_THROWS_WITH(target_from_json(R"({"name": 1})"), "name: is not a text");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "", "base": "paper"})"), "name: is not a text");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x"})"), "base: is missing");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "gpu"})"),
                    Contains("base: there is no target 'gpu'; there are ort-cpu-x64"));
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "paper", "kernel": []})"),
                    "kernel: there is no such member");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "paper", "quantize": 1})"), "quantize: is not an object");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "paper", "kernels": {}})"), "kernels: is not a list");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "ort-cpu-x64", "block_products": {"2": {}}})"),
                    "block_products.2: there is no such member");
  CHECK_THROWS_WITH(target_from_json(R"({"name": "x", "base": "paper", "kernels": [1]})"),
                    "kernels[0]: is not an object");
  CHECK_THROWS_WITH(target_from_json(with_kernel("")), "kernels[0].op: is missing");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Twist")")),
                    "kernels[0].op: the base has no kernel 'Twist'");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Conv", "float": {})")),
                    "kernels[0].float: there is no such member");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Conv", "in_float": {"calls": 1})")),
                    "kernels[0].in_float.calls: there is no such member");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Conv", "in_float": {"call": "1"})")),
                    "kernels[0].in_float.call: is not a number");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Conv", "few_channels": {"in_float": {"element": -1}})")),
                    "kernels[0].few_channels.in_float.element: is negative or no finite float32");
  CHECK_THROWS_WITH(target_from_json(with_kernel(R"("op": "Conv", "first_layer": {"in_integers": {"element": 1e39}})")),
                    "kernels[0].first_layer.in_integers.element: is negative or no finite float32");
}

TEST_CASE("a target is written whole, read by name, and outlives its file", "[quantize]") {
  const Folder folder;
  const std::string path = folder / "t.json";
  Target mine = targets::onednn;
  mine.name = "mine";
  save_target(mine, targets::onednn, path);
  const std::shared_ptr<const Target> read = targets::named_or_loaded(path);
  std::filesystem::remove(path);
  CHECK(read->name == "mine");
  CHECK(read->kernels.front().op == targets::onednn.kernels.front().op);
  CHECK(targets::named_or_loaded("paper").get() == &targets::paper);
  CHECK_THROWS_WITH(targets::named_or_loaded("gpu"), Contains("there is no target 'gpu'"));
  CHECK_THROWS_WITH(targets::named_or_loaded(path), Contains("t.json: "));
  write_file(path, R"({"name": "mine"})");
  CHECK_THROWS_WITH(load_target(path), path + ": base: is missing");
  CHECK_THROWS_WITH(save_target(mine, targets::paper, path), Contains("is not a kernel of the base"));
  mine.quantize.call = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH(save_target(mine, targets::onednn, path), "quantize: is not finite");
}
