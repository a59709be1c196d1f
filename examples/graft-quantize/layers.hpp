#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>

#include "graft-quantize/histograms.hpp"
#include "graft-quantize/options.hpp"
#include "graft-quantize/report.hpp"

inline bool is_quantizer(const graft::Node& node) { return graft::is_quantize(node) || graft::is_dequantize(node); }

/// The rows of the page's table: the inputs of the quantized graph, and its nodes but for quantizers and constants.
class Layers {
 public:
  Layers(const graft::Graph& graph, const Outcome& outcome, const graft::Ranges* ranges, const Options& options)
      : ranges_(ranges), weights_(options.weight_forms()), finding_(outcome.audit.findings.begin()),
        last_(outcome.audit.findings.end()) {
    if (outcome.analysis)
      for (const graft::TensorNoise& tensor : outcome.analysis->tensors) decibels_[tensor.tensor] = tensor.decibels;
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

  const nlohmann::json& rows() const { return rows_; }
  /// The row of a node, or of an input; null if there is none.
  nlohmann::json row_of(std::string_view name, std::string_view tensor) const {
    if (const auto place = by_name_.find(name); !name.empty() && place != by_name_.end()) return place->second;
    const auto place = by_tensor_.find(tensor);
    return place != by_tensor_.end() ? nlohmann::json(place->second) : nullptr;
  }

 private:
  /// An operator of which the audit says nothing may go into the kernel of the one in front, before that rounds.
  void judge(const graft::Node& node, nlohmann::json& row) {
    row["state"] = "float";
    const std::string told = graft::detail::describe(node.proto());
    if (finding_ != last_ && finding_->op == node.op_type() && finding_->node == told) {
      const graft::Finding& finding = *finding_++;
      row["state"] = finding.fused ? "integer" : "refused";
      row["code"] = finding.code;
      row["text"] = finding.text;
      row["mend"] = finding.mend;
      if (finding.fused && !finding.float_result) unrounded_[node.output(0)] = told;
      return;
    }
    const auto front = node.inputs().empty() ? unrounded_.end() : unrounded_.find(node.input(0));
    if (front == unrounded_.end() || graft::dequantized(*node.input(0)) != nullptr) return;
    row["state"] = "within";
    row["within"] = front->second;
  }

  void add_weight(const graft::Node& node, nlohmann::json& row) const {
    for (const graft::Value* const input : node.inputs()) {
      if (input == nullptr) continue;
      const graft::Node* const producer = input->producer();
      if (producer != nullptr && graft::is_dequantize(*producer)) {
        const std::optional<graft::QuantizedTensor> weight = graft::quantized_constant(*producer);
        const nlohmann::json counts = weight ? to_json(*weight, weights_.of(node).bits) : nullptr;
        if (!counts.is_null()) return void(row["weight"] = counts);
      } else if (const auto constant = input->constant();
                 constant && constant->dtype() == graft::DType::f32 && constant->rank() > 1) {
        if (const auto histogram = histogram_of(*constant)) return void(row["float_weight"] = to_json(*histogram));
      }
    }
  }

  /// Of a graph output that is dequantized, the name went to the end of its pair.
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
      row["activation"] = {{"tensor", tensor},    {"scale", q.scale},          {"zero_point", q.zero_point},
                           {"low", q.lowest()}, {"high", q.highest()}, {"dtype", graft::to_string(q.dtype)}};
    }
    if (!row["name"].get_ref<const std::string&>().empty())
      by_name_.emplace(row["name"].get_ref<const std::string&>(), rows_.size());
    by_tensor_.emplace(tensor, rows_.size());
    rows_.push_back(std::move(row));
  }

  const graft::Ranges* ranges_;
  graft::WeightForms weights_;
  std::vector<graft::Finding>::const_iterator finding_, last_;
  std::map<std::string, double, std::less<>> decibels_;
  std::map<const graft::Value*, std::string> unrounded_;  // what a kernel with integers behind it makes, and its name
  std::map<std::string, std::size_t, std::less<>> by_name_, by_tensor_;
  nlohmann::json rows_ = nlohmann::json::array();
};
