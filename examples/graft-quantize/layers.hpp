#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>

#include "graft-quantize/histograms.hpp"
#include "graft-quantize/options.hpp"
#include "graft-quantize/report.hpp"

inline bool is_quantizer(const graft::Node& node) { return graft::is_quantize(node) || graft::is_dequantize(node); }

/// The rows of the page's table: the inputs of the quantized graph, its nodes without quantizers and constants, and
/// nodes that were removed.
class Layers {
 public:
  Layers(const graft::Graph& graph, const Outcome& outcome, const graft::Ranges* ranges, const Options& options)
      : ranges_(ranges), target_(*options.target), weights_(options.quantize.static_options().weights) {
    for (const graft::OperatorOutcome& one : outcome.result.outcomes)
      if (one.scope.empty()) outcomes_.emplace(one.node, &one);
    if (const auto& analysis = outcome.result.analysis)
      for (const graft::TensorNoise& tensor : analysis->tensors) decibels_[tensor.tensor] = tensor.decibels;
    for (const graft::Value* const input : graph.inputs())
      if (input->initializer() == nullptr) add({{"op", "input"}, {"name", input->name()}, {"state", "end"}}, *input);
    for (const graft::Node& node : graph.nodes()) {
      if (is_quantizer(node) || node.output_count() == 0 || node.output(0)->is_constant()) continue;
      nlohmann::json row{{"op", node.op_type()}, {"name", node.name()}};
      judge(node, row);
      add_weight(node, row);
      add(std::move(row), *node.output(0));
    }
  }

  /// Adds the row of a node that earlier passes merged into the node of row `heir`, or removed. Returns its index.
  std::size_t add_merged(std::string_view op, std::string_view name, std::string_view tensor,
                         std::optional<std::size_t> heir) {
    nlohmann::json row{{"op", op}, {"name", name}, {"tensor", tensor}, {"state", "merged"}};
    if (heir) row["heir"] = *heir;
    rows_.push_back(std::move(row));
    return rows_.size() - 1;
  }

  const nlohmann::json& rows() const { return rows_; }
  std::optional<std::size_t> named(std::string_view name) const { return find(by_name_, name); }
  std::optional<std::size_t> making(std::string_view tensor) const { return find(by_tensor_, tensor); }

 private:
  using Places = std::map<std::string, std::size_t, std::less<>>;
  static std::optional<std::size_t> find(const Places& places, std::string_view name) {
    const auto place = places.find(name);
    return place != places.end() ? std::optional(place->second) : std::nullopt;
  }

  static bool is_of_product_form(graft::OperatorForm form) {
    return form == graft::OperatorForm::dynamic || form == graft::OperatorForm::weight_only;
  }

  void judge(const graft::Node& node, nlohmann::json& row) const {
    const auto place = outcomes_.find(graft::display_name(node));
    const graft::OperatorOutcome* const outcome =
        place != outcomes_.end() && place->second->op == node.op_type() ? place->second : nullptr;
    row["state"] = node.is("MatMulInteger") ? "integer" : "float";
    if (outcome != nullptr && outcome->fused()) {
      row["state"] = "integer";
    } else if (outcome != nullptr && outcome->is_kept) {
      row["state"] = "kept";
    } else if (outcome != nullptr && outcome->form == graft::OperatorForm::within) {
      row["state"] = "within";
      row["within"] = outcome->within;
    } else if (outcome != nullptr && !is_of_product_form(outcome->form)) {
      row["state"] = "refused";
    }
    if (outcome == nullptr) return;
    row["code"] = outcome->code;
    row["text"] = outcome->text;
    row["remedy"] = outcome->remedy;
  }

  void add_weight(const graft::Node& node, nlohmann::json& row) const {
    for (const graft::Value* const input : node.inputs()) {
      if (input == nullptr) continue;
      const graft::Node* const producer = input->producer();
      if (producer != nullptr && graft::is_dequantize(*producer)) {
        const std::optional<graft::QuantizedTensor> weight = graft::quantized_constant(*producer);
        const nlohmann::json counts = weight ? to_json(*weight, weights_.of(node).bits_of(node, target_)) : nullptr;
        if (!counts.is_null()) return void(row["weight"] = counts);
      } else if (const auto constant = input->constant();
                 constant && constant->dtype() == graft::DType::f32 && constant->rank() > 1) {
        if (const auto histogram = histogram_of(*constant)) return void(row["float_weight"] = to_json(*histogram));
      }
    }
  }

  /// If a graph output is dequantized, its name moved to the end of the pair.
  void add(nlohmann::json row, const graft::Value& value) {
    const graft::Value* const behind = graft::dequantized(value);
    const bool knows = ranges_ == nullptr || ranges_->find(value.name()) != nullptr || behind == nullptr;
    const std::string tensor(knows ? value.name() : behind->name());
    row["tensor"] = tensor;
    if (const graft::Range* const range = ranges_ != nullptr ? ranges_->find(tensor) : nullptr;
        range != nullptr && !range->empty())
      row["range"] = {range->min, range->max};
    if (const auto noise = decibels_.find(tensor); noise != decibels_.end()) row["decibels"] = noise->second;
    if (behind != nullptr) {
      const graft::QParams q = *graft::qparams_of(*behind->producer());
      row["activation"] = {{"tensor", tensor},  {"scale", q.scale},    {"zero_point", q.zero_point},
                           {"low", q.lowest()}, {"high", q.highest()}, {"dtype", graft::to_string(q.dtype)}};
    }
    const std::string& name = row["name"].get_ref<const std::string&>();
    if (!name.empty()) by_name_.emplace(name, rows_.size());
    by_tensor_.emplace(tensor, rows_.size());
    rows_.push_back(std::move(row));
  }

  const graft::Ranges* ranges_;
  const graft::Target& target_;
  graft::WeightForms weights_;
  std::map<std::string_view, const graft::OperatorOutcome*> outcomes_;
  std::map<std::string, double, std::less<>> decibels_;
  Places by_name_, by_tensor_;
  nlohmann::json rows_ = nlohmann::json::array();
};
