// graft-inspect: prints a model, its problems, the operators that will fuse, and why a rule does not apply.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/lower.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>
#include <graft/transformer.hpp>

#include "support/option_values.hpp"
#include "support/standard_output.hpp"

namespace {

struct Options {
  std::string model, explain;
  std::vector<std::string> audit;
  bool dot = false, verify = false;
};

graft::Registry<graft::RuleView> graft_rules() {
  graft::Registry<graft::RuleView> rules = graft::simplify_rules();
  for (const auto& more : {graft::lower_rules(), graft::transformer_rules()})
    for (const std::string_view name : more.names()) rules.add(more.at(name));
  return rules;
}

/// Returns the message of the Error that `lookup` throws, for CLI11; empty if it throws none.
template <class Lookup>
CLI::Validator found_by(Lookup lookup) {
  return CLI::Validator(
      [lookup](std::string& name) {
        try {
          lookup(name);
          return std::string();
        } catch (const graft::Error& error) {
          return error.file().empty() ? error.message() : error.what();
        }
      },
      "");
}

/// The targets of these names, or of their files; of "all" the shipped ones.
std::vector<std::shared_ptr<const graft::Target>> targets_called(const std::vector<std::string>& names) {
  using graft::targets::named_or_loaded;
  std::vector<std::shared_ptr<const graft::Target>> found;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const graft::Target* const one : graft::targets::all)
        found.push_back(named_or_loaded(std::string(one->name)));
    } else {
      found.push_back(named_or_loaded(name));
    }
  }
  return found;
}

std::string_view short_form(const graft::OperatorOutcome& outcome) {
  switch (outcome.form) {
    case graft::OperatorForm::refused: return "refused";
    case graft::OperatorForm::within: return "within";
    case graft::OperatorForm::in_float: return "float";
    case graft::OperatorForm::left_out: return "left out";
    case graft::OperatorForm::dynamic: return "dynamic";
    case graft::OperatorForm::weight_only: return "weight-only";
    case graft::OperatorForm::integers: break;
  }
  return outcome.severity == graft::Severity::error ? "wrong" : "integers";
}

/// Prints a table: a line for each operator that a target says something of, a column for each target, and the first
/// remedy. Returns whether a target would refuse or miscompute the model.
bool print_audits(const graft::Graph& graph, const std::vector<std::shared_ptr<const graft::Target>>& targets,
                  std::ostream& out) {
  using namespace graft;
  std::vector<Audit> audits;
  std::map<std::string, std::vector<const OperatorOutcome*>> by_node;
  for (const auto& target : targets) audits.push_back(audit(graph, *target));
  for (std::size_t column = 0; column < audits.size(); ++column)
    for (const std::vector<OperatorOutcome>* const outcomes : {&audits[column].findings, &audits[column].within})
      for (const OperatorOutcome& one : *outcomes) {
        std::vector<const OperatorOutcome*>& cells = by_node[one.op + " " + one.node];
        cells.resize(audits.size());
        cells[column] = &one;
      }
  std::vector<std::string> names;
  std::size_t widest = 0;
  for (const Node& node : graph.nodes()) {
    names.push_back(std::string(node.op_type()) + " " + display_name(node));
    if (by_node.contains(names.back())) widest = std::max(widest, names.back().size());
  }
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  };
  out << padded("", widest);
  for (const auto& target : targets) out << "  " << target->name;
  out << "  first remedy\n";
  for (const std::string& name : names) {
    const auto cells = by_node.find(name);
    if (cells == by_node.end()) continue;
    out << padded(name, widest);
    std::string_view remedy;
    for (std::size_t column = 0; column < audits.size(); ++column) {
      const OperatorOutcome* const cell = cells->second[column];
      out << "  " << padded(cell != nullptr ? std::string(short_form(*cell)) : "-", targets[column]->name.size());
      if (remedy.empty() && cell != nullptr) remedy = cell->remedy;
    }
    out << "  " << remedy << "\n";
  }
  return std::ranges::any_of(audits, &Audit::has_errors);
}

/// Prints a line for each operator, with the reason and the remedy. Returns whether the target would refuse or
/// miscompute the model.
bool print_audit(const graft::Graph& graph, const graft::Target& target, std::ostream& out) {
  const graft::Audit findings = audit(graph, target);
  out << findings.fused() << " of " << findings.findings.size() << " will fuse\n";
  for (const graft::OperatorOutcome& finding : findings.findings) {
    out << finding.op << " " << finding.node << ": " << (finding.fused() ? "fused" : "not fused");
    if (!finding.code.empty()) out << ": " << finding.code << ": " << finding.text;
    if (!finding.remedy.empty()) out << " (" << finding.remedy << ")";
    out << "\n";
  }
  for (const graft::OperatorOutcome& one : findings.within)
    out << one.op << " " << one.node << ": within " << one.within << "\n";
  return findings.has_errors();
}

/// Returns 1 if the model has problems.
int run(const Options& options) {
  using namespace graft;
  Model model = Model::load(options.model);
  infer_shapes(model.graph(), {.operators = qonnx::operators()});
  bool shown = options.dot;
  int result = 0;
  if (options.dot) std::cout << to_dot(model.graph());
  std::ostream& out = options.dot ? std::cerr : std::cout;  // standard output is for Graphviz only
  if (options.verify) {
    shown = true;
    std::vector<Problem> problems = verify(model);
    for (Problem& problem : qonnx::verify_quantizers(model.graph())) problems.push_back(std::move(problem));
    for (const Problem& problem : problems) out << to_string(problem) << "\n";
    if (problems.empty()) out << "no problems found\n";
    result = problems.empty() ? 0 : 1;
  }
  if (!options.audit.empty()) {
    shown = true;
    const auto targets = targets_called(options.audit);
    const bool has_errors = targets.size() == 1 ? print_audit(model.graph(), *targets.front(), out)
                                                : print_audits(model.graph(), targets, out);
    if (has_errors) result = 1;
  }
  if (!options.explain.empty()) {
    shown = true;
    Context context;
    const auto explanations = explain(graft_rules().at(options.explain), model.graph(), context);
    for (const RuleExplanation& one : explanations) out << one.text << "\n";
    if (explanations.empty()) out << "no node is of an operator that " << options.explain << " looks for\n";
  }
  if (!shown) std::cout << to_string(model.graph());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Prints, checks, draws or audits an ONNX model.", "graft-inspect");
  app.add_option("MODEL", options.model)->required();
  app.add_flag("--dot", options.dot, "print the graph for Graphviz");
  app.add_flag("--verify", options.verify, "print the problems of the model");
  add_repeatable(app, "--audit", options.audit, "NAME,...",
                 "print the operators that the target will compute in integers: ort-cpu-x64, onednn, ..., FILE.json. "
                 "Several with commas, or all: a table of these targets")
      ->delimiter(',')
      ->check(found_by([](const std::string& name) { targets_called({name}); }));
  app.add_option("--explain", options.explain, "print for each node that the rule might match why it does not")
      ->check(found_by([](const std::string& name) { graft_rules().at(name); }));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const int code = run(options);
    flush_standard_output();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-inspect: %s\n", error.what());
    return 1;
  }
}
