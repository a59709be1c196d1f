#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>

#include "graft-quantize/analysis.hpp"
#include "graft-quantize/decoding.hpp"
#include "support/model_size.hpp"
#include "support/table.hpp"

/// What becomes of the model on one of several runtimes.
struct RuntimeAudit {
  std::string target;
  graft::Audit audit;
};

/// The results of a run of the program.
struct Outcome {
  std::string model, target;
  std::string preprocessing;  // of samples; empty if there are none
  bool has_samples = false;
  graft::QuantizeResult result;
  std::vector<RuntimeAudit> runtimes;            // if there are several
  std::vector<graft::TargetConflict> conflicts;  // of their tables, about operators of the model
  std::size_t nodes_before = 0, nodes_after = 0, pairs_before = 0;
  std::size_t bytes_before = 0, bytes_after = 0;
  std::size_t float_products = 0;
  bool commutes = false;                       // pairs that the model has already move behind activations
  std::optional<std::size_t> integer_forms{};  // operators that another tool quantized; for static quantization
  std::size_t overridable = 0;                 // initializers of the input model that callers may override
  bool keeps_overridable = false;
  bool is_dynamic = false;
  std::optional<graft::BlockwiseOptions> blocks{};  // of weight-only quantization
  std::optional<DecoderComparison> decoder;
  bool is_static = true;  // if false, there are no ranges, pairs and audit
  graft::qonnx::Format format = graft::qonnx::Format::qdq;
  double seconds = 0;  // up to the writing of the model
};

inline std::size_t count(const graft::Graph& graph, std::string_view op) {
  std::size_t result = 0;
  for (const graft::Node& node : graph.nodes()) result += node.is(op);
  return result;
}

/// "a, b, c, ...": the first few.
inline std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string joined;
  for (std::size_t i = 0; i < texts.size() && i < most; ++i) joined += (i == 0 ? "" : ", ") + texts[i];
  return texts.size() > most ? joined + ", ..." : joined;
}

/// "52 Conv, 10 Add": the most frequent first.
inline std::string counts_by_operator(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [op, number] : sorted) texts.push_back(std::to_string(number) + " " + op);
  return first_of(texts, 6);
}

/// Prints the reasons why operators stay in float, one line for each.
inline void print_left_in_float(const Outcome& outcome) {
  const char* label = "left in float";
  const auto tell = [&](const std::string& text) { print_line(std::exchange(label, ""), text); };
  struct Group {
    std::map<std::string, std::size_t> operators{};
    std::size_t count = 0;
    const graft::OperatorOutcome* first = nullptr;
  };
  std::map<std::string, std::vector<std::string>> by_reason;
  std::map<std::string, Group> by_code;
  for (const graft::OperatorOutcome& one : outcome.result.outcomes) {
    if (one.is_kept) by_reason[one.text].push_back(one.node);
    if (one.is_kept || one.severity < graft::Severity::warning || one.fused()) continue;
    Group& group = by_code[std::string(one.code)];
    ++group.operators[one.op];
    if (group.count++ == 0) group.first = &one;
  }
  for (const auto& [reason, nodes] : by_reason)
    tell(counted(nodes.size(), "operator") + ": " + reason + " (" + first_of(nodes, 3) + ")");
  for (const auto& [code, group] : by_code) {
    const std::string which = group.count == 1 ? " " + group.first->node : "";
    tell(counts_by_operator(group.operators) + which + ": " + group.first->text +
         (group.first->remedy.empty() ? "" : "; " + std::string(group.first->remedy)));
  }
  if (outcome.float_products != 0)
    tell(std::to_string(outcome.float_products) + " Gemm and MatMul, which --placement all-supported quantizes");
  if (outcome.overridable != 0 && outcome.keeps_overridable)
    tell(counted(outcome.overridable, "initializer") + " that callers may override, kept so by --keep-overridable");
}

/// The form of a product by a constant: "static" in integers.
inline std::string_view product_form(const graft::OperatorOutcome& product) {
  return product.fused() ? "static" : to_string(product.form);
}

/// "6 static, 2 dynamic": the forms of products by constants.
inline void print_product_forms(const Outcome& outcome) {
  std::vector<std::string> texts;
  for (const std::string_view form : {"float", "static", "dynamic", "weight-only"}) {
    const auto number = std::ranges::count_if(outcome.result.outcomes, [&](const graft::OperatorOutcome& one) {
      return one.is_product && product_form(one) == form;
    });
    if (number != 0) texts.push_back(std::to_string(number) + " " + std::string(form));
  }
  if (!texts.empty()) print_line("Gemm and MatMul", first_of(texts, texts.size()));
}

/// Prints each product by a constant, and each operator that stays in float or has a warning of the audit.
inline void explain(const Outcome& outcome) {
  for (const graft::OperatorOutcome& one : outcome.result.outcomes)
    if (one.is_product && one.form != graft::OperatorForm::in_float)
      std::printf("  %s: %s: %s\n", one.node.c_str(), std::string(product_form(one)).c_str(), one.text.c_str());
  for (const graft::OperatorOutcome& one : outcome.result.outcomes) {
    if (one.is_kept) {
      const std::string op = outcome.is_static ? one.op + " " : "";
      std::printf("  %s%s: left in float: %s\n", op.c_str(), one.node.c_str(), one.text.c_str());
    } else if (one.severity != graft::Severity::none) {
      const std::string remedy = one.remedy.empty() ? "" : " (" + std::string(one.remedy) + ")";
      std::printf("  %s %s: %s: %s%s\n", one.op.c_str(), one.node.c_str(), std::string(one.code).c_str(),
                  one.text.c_str(), remedy.c_str());
    }
  }
}

inline void print_passes(const Outcome& outcome) {
  for (const graft::Report& step : outcome.result.passes.steps) {
    std::printf("  %-24s %7.3f s, %zu change%s\n", step.pass.c_str(), step.seconds, step.changes,
                step.changes == 1 ? "" : "s");
    for (const std::string& note : step.notes) std::printf("    %s\n", note.c_str());
  }
  for (const graft::QuantizeTrial& trial : outcome.result.trials) std::printf("  tried %s\n", to_string(trial).c_str());
}

/// Prints what each of several runtimes does with the model, and why operators are in integers on some alone.
inline void print_runtimes(const Outcome& outcome) {
  for (const RuntimeAudit& one : outcome.runtimes) {
    std::string text = std::to_string(one.audit.fused()) + " of " +
                       counted(one.audit.findings.size(), "operator") + " in integers on " + one.target;
    for (const graft::OperatorOutcome& finding : one.audit.findings)
      if (finding.severity == graft::Severity::error) {
        text += "; " + to_string(finding);
        break;
      }
    print_line(&one == &outcome.runtimes.front() ? "runtimes" : "", text);
  }
  std::map<std::string, std::vector<std::string>> operators;
  for (const graft::TargetConflict& conflict : outcome.conflicts) operators[conflict.text].push_back(conflict.op);
  const char* label = "not on all";
  for (const auto& [text, ops] : operators)
    print_line(std::exchange(label, ""), first_of(ops, 6) + ": " + text);
}

inline void print_quantized(const Outcome& outcome) {
  const graft::QuantizeResult& result = outcome.result;
  if (outcome.pairs_before != 0 && !outcome.commutes)
    print_line("quantized already", counted(outcome.pairs_before, "Q/DQ pair") + ", which stay as they are");
  const std::size_t integer_forms = outcome.integer_forms.value_or(0);
  if (integer_forms != 0) print_line("in integers already", counted(integer_forms, "operator") + ", left as they are");
  std::map<std::string, std::size_t> fused, within;
  for (const graft::OperatorOutcome& one : result.audit.findings)
    if (one.fused()) ++fused[one.op];
  for (const graft::OperatorOutcome& one : result.audit.within) ++within[one.op];
  print_line("in integers", std::to_string(result.audit.fused()) + " of " +
                                counted(result.audit.findings.size(), "operator") +
                                (fused.empty() ? "" : ": " + counts_by_operator(fused)));
  if (!within.empty()) print_line("within their kernels", counts_by_operator(within));
  if (outcome.format == graft::qonnx::Format::qonnx)
    print_line("format", "QONNX, which ONNX Runtime does not load; this table describes Q/DQ on the target");
  print_line("Q/DQ pairs", std::to_string(result.pairs));
  if (result.tables != 0) print_line("tables in 8 bits", std::to_string(result.tables) + " that Gather reads");
  print_product_forms(outcome);
  print_left_in_float(outcome);
}

/// Prints the results of a quantization without pairs and audit.
inline void print_products(const Outcome& outcome) {
  const graft::QuantizeResult& result = outcome.result;
  print_line(outcome.is_dynamic ? "in integers" : "weights in integers",
             counted(result.products, "product") +
                 (outcome.is_dynamic ? ", activations quantized as the model runs" : ", activations in float"));
  if (result.tables != 0) print_line("tables in integers", std::to_string(result.tables) + " that Gather reads");
  print_product_forms(outcome);
  if (outcome.blocks && result.products != 0)
    print_line("speed", outcome.blocks->weights.bits == 2
                            ? "far below float in ONNX Runtime, whose kernel of 2 bits is not optimized"
                            : "not estimated: few rows at a time gain, many may be slower than in float");
  print_left_in_float(outcome);
}

/// Names the samples on which a figure was measured.
inline std::string measured_on(const Outcome& outcome, std::size_t samples, bool are_unseen) {
  const graft::QuantizeResult& result = outcome.result;
  const std::string counted_samples = ", on " + counted(samples, "sample");
  if (!are_unseen) return counted_samples + " of the calibration";
  if (result.calibration_samples == 0 || outcome.is_dynamic) return counted_samples;
  return counted_samples + " that " + (outcome.is_static ? "ranges were found" : "weights were rounded") + " without";
}

/// Prints the accuracy of the written model, and then that of earlier versions.
inline void print_accuracy(const Outcome& outcome) {
  const graft::QuantizeResult& result = outcome.result;
  const bool is_quantized = result.pairs + result.tables + result.products != 0;
  if (is_quantized && result.pairs != 0 && !result.trials.empty()) print_line("ranges", result.trials.front().name);
  if (is_quantized && result.accuracy) {
    const graft::MeasuredFidelity& accuracy = *result.accuracy;
    const bool is_of_check = result.trials.empty() && !result.goal;
    print_line("accuracy", to_string(accuracy.fidelity) + (is_of_check ? ", in the last check" : "") +
                               measured_on(outcome, accuracy.samples, accuracy.are_unseen));
  } else if (is_quantized && !outcome.has_samples) {
    print_line("accuracy", "not measured: --calibration gives samples for it");
  }
  if (result.bit_widths) {
    print_line("bit widths", to_string(*result.bit_widths));
    std::vector<std::string> fixed;
    for (const graft::ChosenBitWidths::Layer& layer : result.bit_widths->fixed)
      fixed.push_back("'" + layer.name + "' (" + std::to_string(layer.weight_bits) + " bits)");
    if (!fixed.empty()) print_line("", "fixed: " + first_of(fixed, 8));
  }
  if (result.reconstructed) print_line("reconstruction", to_string(*result.reconstructed));
  if (result.refined && !result.refined->changed.empty()) {
    const std::string where = result.held_out_samples != 0 ? measured_on(outcome, result.held_out_samples, true) : "";
    print_line("before refining ranges", to_string(result.trials.front().fidelity) + where);
    print_line("", to_string(*result.refined));
  }
  if (const auto& poor = result.poor_layers; poor && poor->found.outcome > graft::GoalOutcome::met_by_all) {
    print_line("with none in float", to_string(poor->found.with_none_in_float) + ", expected speed " +
                                         fixed(poor->speedup_before, 2) + "x: poor");
    print_line("", "therefore " + to_string(*poor));
    for (const auto* const layers : {&poor->found.in_float, &poor->found.dynamic, &poor->found.weight_only})
      if (!layers->empty()) print_line("", first_of(*layers, 8));
  }
  if (!result.goal) return;
  print_line("goal", to_string(*result.goal));
  for (const std::string& layer : result.goal->in_float) print_line("", "'" + layer + "' stays in float for it");
  for (const std::string& layer : result.goal->dynamic) print_line("", "'" + layer + "' is dynamic for it");
  for (const std::string& layer : result.goal->weight_only) print_line("", "'" + layer + "' is weight-only for it");
  if (result.goal->nameless != 0 && !result.goal->met)
    print_line("", counted(result.goal->nameless, "quantized operator") +
                       " without a name, which could not be tried in float");
}

/// Whether an expected time exists: this run placed pairs, and the runtime can load the format.
inline bool is_estimated(const Outcome& outcome) {
  return outcome.result.pairs > outcome.pairs_before && outcome.format != graft::qonnx::Format::qonnx;
}

inline std::string megabytes(std::size_t bytes) { return fixed(static_cast<double>(bytes) / 1e6, 2); }

/// "; --weight-only 8 or --method gptq loses less": the options that are not in use yet.
inline std::string finer_blocks(const graft::BlockwiseOptions& blocks) {
  std::vector<std::string> remedies;
  if (blocks.bits_per_weight) remedies.emplace_back("a greater --bits-per-weight");
  else if (blocks.weights.bits < 8) remedies.emplace_back("--weight-only 8");
  if (blocks.weights.block_size > 16) remedies.emplace_back("a smaller --block");
  if (blocks.method != graft::BlockMethod::gptq) remedies.emplace_back("--method gptq");
  if (blocks.accuracy_level == 4) remedies.emplace_back("--accuracy-level 1");
  std::string text;
  for (std::size_t i = 0; i < remedies.size(); ++i)
    text += (i == 0 ? "; " : i + 1 == remedies.size() ? " or " : ", ") + remedies[i];
  return text.empty() ? text : text + " loses less";
}

/// Prints a first line if the model is hardly usable.
inline void print_warning(const Outcome& outcome) {
  const graft::QuantizeResult& result = outcome.result;
  if (!result.nothing_quantized.empty()) print_line("warning", "nothing is quantized: " + result.nothing_quantized);
  if (const auto poor = result.poor_fidelity())
    print_line("warning",
               "outputs are far from float: cosine " + fixed(poor->cosine, 3) + ", and " +
                   fixed(poor->least_cosine, 3) + " on one sample" +
                   (poor == result.fidelity() ? "" : ", in the last check") +
                   (outcome.blocks ? finer_blocks(*outcome.blocks) : "; --analyze reports what loses most") +
                   (outcome.is_static ? ", --min-cosine 0.99 leaves it in float" : ""));
}

/// Prints what a decoder loses and gains.
inline void print_decoder(const DecoderComparison& decoder) {
  const DecoderFigures &before = decoder.before, &after = decoder.after;
  print_line("cross-entropy", fixed(before.loss, 4) + " -> " + fixed(after.loss, 4) + " nats per token, on " +
                                  counted(decoder.tokens, "token") + " without those of the samples");
  const auto speed = [](const char* label, double one, double other, const std::string& where) {
    print_line(label, fixed(one, 1) + " -> " + fixed(other, 1) + " tokens a second" + where);
  };
  speed("prompt", before.prompt, after.prompt,
        ", of " + counted(decoder.prompt, "token") + ", in " + decoder.executor);
  speed("generation", before.generation, after.generation, ", behind that prompt");
  if (before.peak && after.peak)
    print_line("peak memory", megabytes(*before.peak) + " -> " + megabytes(*after.peak) + " MB");
}

/// Prints one screen about the run.
inline void print_table(const Outcome& outcome, bool explains, bool verbose) {
  print_warning(outcome);
  print_line("model", outcome.model + ", for " + outcome.target);
  const graft::Target& here = graft::targets::ort_cpu_here();
  const std::string_view of_any_release = std::string_view(outcome.target).substr(0, outcome.target.find('@'));
  if (of_any_release == graft::targets::ort_cpu_x64.name && &here == &graft::targets::ort_cpu_avx2)
    print_line("this machine",
               "has no VNNI: 8-bit sums may saturate, and accuracy be lower than reported; use --target " +
                   std::string(here.name));
  if (of_any_release == graft::targets::ort_cpu_x64.name && &here == &graft::targets::ort_cpu_amx)
    print_line("this machine", "has AMX: ONNX Runtime before 1.25 computes some 8-bit products wrong; use --target " +
                                   std::string(here.name));
  if (outcome.overridable != 0 && !outcome.keeps_overridable)
    print_line("constants", counted(outcome.overridable, "initializer") +
                                " that callers could override are constants now; --keep-overridable leaves them");
  if (const graft::Report* const switched = outcome.result.passes.step("to_inference"))
    for (const std::string& note : switched->notes) print_line("inference", note);
  print_line("nodes", std::to_string(outcome.nodes_before) + " -> " + std::to_string(outcome.nodes_after));
  print_line("size", megabytes(outcome.bytes_before) + " -> " + megabytes(outcome.bytes_after) + " MB");
  outcome.is_static ? print_quantized(outcome) : print_products(outcome);
  print_runtimes(outcome);
  print_accuracy(outcome);
  if (outcome.result.caches != 0)
    print_line("cache", "integers in " + counted(outcome.result.caches, "GroupQueryAttention") +
                            ": inputs and outputs changed; the accuracy is that of a float cache");
  if (outcome.decoder) print_decoder(*outcome.decoder);
  if (is_estimated(outcome))
    print_line("expected speed",
               fixed(outcome.result.expected_time.speedup(), 2) + "x that of float, by the target's costs");
  if (outcome.result.analysis && !outcome.result.analysis->layers.empty()) print_analysis(*outcome.result.analysis);
  print_line("time", fixed(outcome.seconds, 1) + " s");
  if (explains) explain(outcome);
  if (verbose) print_passes(outcome);
  if (!explains) return;
  for (const graft::Report& step : outcome.result.passes.steps)
    for (const graft::Refusal& refusal : step.refusals)
      std::printf("  %s left %s: %s\n", refusal.rule.c_str(), refusal.node.c_str(), refusal.why.c_str());
}
