#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/rewrite.hpp>
#include <graft/surgery.hpp>

#include "support/data_files.hpp"
#include "support/operators.hpp"
#include "support/problems.hpp"
#include "support/refusals.hpp"
#include "support/table.hpp"
#include "support/writable.hpp"

struct Files {
  std::filesystem::path model, output;
};

/// A context with the shape functions of QONNX's operators. Without kernels, folding leaves quantizers of constants.
inline graft::Context qonnx_context() {
  graft::Context context;
  context.executor = graft::node_executor();
  context.operators = graft::qonnx::operators().without_kernels();
  context.refusals = true;
  return context;
}

/// Rewrites a reason in terms of the program's options.
inline std::string in_options(const graft::Refusal& refusal) {
  std::string why = refusal.why;
  const std::string frozen = "freeze_inputs() makes it constant", opset = "needs opset ";
  if (const auto at = why.find(frozen); at != std::string::npos)
    why.replace(at, frozen.size(), "leave out --keep-overridable");
  if (const auto at = why.find(opset); at != std::string::npos) {
    const auto number = at + opset.size();
    why += "; add --opset " + why.substr(number, why.find_first_not_of("0123456789", number) - number);
  }
  if (refusal.code == graft::qonnx::thresholds_are_ties) why += "; add --any-ties";
  if (why.find("would round otherwise") != std::string::npos)
    why += refusal.rule == "qdq_to_quant" ? "; add --zero-points any" : "; add --zero-points any or --lower-rest";
  return why;
}

/// Prints the skipped nodes by reason; nodes with the same reason share a line.
inline void print_refusals(const graft::Report& report) {
  std::vector<graft::Refusal> refusals;
  add_refusals(report, refusals);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> nodes;
  for (const graft::Refusal& refusal : refusals) {
    if (refusal.rule == "remove-transpose") continue;  // a note has the number of remaining ones
    const bool moves = refusal.rule == "sink_transposes" || refusal.rule == "absorb_transposes";
    nodes[{moves ? "a Transpose stops at" : "left as it was", in_options(refusal)}].push_back(refusal.node);
  }
  const std::size_t most = 4;
  for (const auto& [key, names] : nodes) {
    const auto& [label, why] = key;
    std::string text = counted(names.size(), "node") + ": " + why + " (";
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
    print_line(label.c_str(), text + (names.size() > most ? ", ...)" : ")"));
  }
}

inline void print_notes(const graft::Report& report) {
  for (const std::string& note : report.notes) print_line("note", note);
  for (const graft::Report& step : report.steps) print_notes(step);
}

inline Problems qonnx_problems(graft::Model& model, const graft::Context& context) {
  Problems problems = problems_of(model, context.operators);
  for (graft::Problem& problem : graft::qonnx::verify_quantizers(model.graph()))
    problems.found.push_back(std::move(problem));
  return problems;
}

/// Runs the pass and writes the result. New values get types if the model declares types for its own. Returns false,
/// after writing, if the result has problems that the model did not have, or quantizers that no kernel computes.
inline bool rewrite(const Files& files, const graft::Pass& pass) {
  const auto start = std::chrono::steady_clock::now();
  graft::Model model = graft::Model::load(files.model.string());
  check_apart(files.output, data_files(model));
  check_replaceable(files.output);
  const OperatorCounts before = count_operators(model);
  const graft::qonnx::Format format = graft::qonnx::format_of(model.graph());
  const bool declares_types = model.graph().proto()->value_info_size() != 0;
  graft::Context context = qonnx_context();
  context.log = [](std::string_view text) {
    std::fprintf(stderr, "graft-qonnx: warning: %.*s\n", static_cast<int>(text.size()), text.data());
  };
  const KnownProblems known(problems_of(model, context.operators));
  const graft::Report report = pass.run(model, context);
  if (declares_types) graft::infer_shapes().run(model, context);
  const std::vector<std::string> texts = known.new_among(qonnx_problems(model, context)).texts();
  model.save(files.output.string());
  print_line("model", files.model.string());
  print_line("format", std::string(to_string(format)) + " -> " +
                           std::string(to_string(graft::qonnx::format_of(model.graph()))));
  print_operators(before, count_operators(model));
  print_notes(report);
  print_refusals(report);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  print_line("time", fixed(seconds.count(), 2) + " s");
  for (const std::string& text : texts) std::fprintf(stderr, "graft-qonnx: warning: %s\n", text.c_str());
  print_line("wrote", files.output.string());
  return texts.empty();
}
