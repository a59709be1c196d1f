#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/lower.hpp>
#include <graft/precision.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>
#include <graft/surgery/optimizations.hpp>
#include <graft/transformer.hpp>

/// A pass or a rule that --only and --skip can name.
struct Choice {
  std::string name, summary;
  graft::Intent changes{};
  std::optional<graft::Pass> pass{};  // a pass over whole graphs; a rule if empty
  graft::RuleView rule{};
  bool is_usual = true;                  // runs by default, without --only
  std::vector<graft::RuleView> parts{};  // rules that the pass applies, if another tool has this name for them
  std::string_view title{};              // a second name
};

/// Merges equal initializers, but no nodes. A note says so, because a surgery may have made them two.
inline graft::Pass duplicate_initializers() {
  const auto run = [merge = graft::eliminate_common_subexpressions({.nodes = false})](graft::Graph& graph,
                                                                                      graft::Context& context) {
    graft::Report report = merge.run(graph, context);
    if (report.changes != 0)
      report.notes.push_back(std::to_string(report.changes) +
                             " merged with equal ones after the surgeries; --keep-duplicates keeps them");
    return report;
  };
  return graft::pass("eliminate_duplicate_initializers", run);
}

inline std::vector<Choice> choices() {
  std::vector<Choice> all;
  const auto add = [&](const graft::Pass& pass, std::string summary, bool is_usual = true, graft::Intent changes = {}) {
    all.push_back({pass.name(), std::move(summary), changes, pass, {}, is_usual});
  };
  add(graft::fold_constants(), "computes nodes whose inputs are all constants");
  add(graft::eliminate_common_subexpressions(), "merges nodes that compute the same, and equal initializers");
  add(graft::eliminate_dead_code(), "removes nodes and initializers that nothing uses");
  add(graft::flush_denormals(), "sets denormal weights, which slow products down, to 0", true,
      graft::flushes_denormals);
  add(graft::transformer_fusions(), "makes the fused operators of transformers of ONNX Runtime's CPU provider", false);
  add(graft::decompose_fused_operators(), "takes fused operators of transformers apart", false);
  add(graft::decompose_fused_products(), "turns products that ONNX Runtime fused into standard operators", false);
  add(graft::unroll_loops(), "unrolls Loops of at most 8 known iterations", false);
  add(graft::merge_matmuls(), "merges MatMuls of one value by several weights into one MatMul and a Split", false);
  add(graft::to_float16(), "computes in float16 what permits it, inputs and outputs too", false,
      {.values = "by rounding to 16 bits"});
  add(graft::to_bfloat16(), "computes in bfloat16 what permits it, inputs and outputs too", false,
      {.values = "by rounding to 16 bits"});
  add(graft::to_float32(), "computes 16-bit floats in float32, except inputs and outputs", false,
      {.values = "by not rounding to 16 bits"});
  const std::vector<graft::RuleView> usual = graft::shrinking_rules();
  const auto add_rule = [&](const graft::RuleView& rule) {
    const auto is_it = [&](const graft::RuleView& other) { return other.rule == rule.rule; };
    all.push_back({std::string(rule.name()), to_string(rule.before), rule.intent, {}, rule,
                   std::any_of(usual.begin(), usual.end(), is_it)});
  };
  for (const graft::RuleView& rule : usual) add_rule(rule);
  const graft::Registry<graft::RuleView> simplifications = graft::simplify_rules(), lowerings = graft::lower_rules(),
                                         fusions = graft::transformer_rules();
  for (const std::string_view name : simplifications.names()) {
    const auto has_it = [&](const Choice& one) { return one.name == name; };
    if (std::none_of(all.begin(), all.end(), has_it)) add_rule(simplifications.at(name));
  }
  for (const std::string_view name : lowerings.names()) add_rule(lowerings.at(name));
  for (const std::string_view name : fusions.names()) add_rule(fusions.at(name));
  const graft::Registry<graft::Optimization> optimizations = graft::optimizations();
  for (const std::string_view name : optimizations.names()) {
    const graft::Optimization& one = optimizations.at(name);
    add(one.pass, std::string(one.summary), false);
    all.back().parts = one.rules;
    all.back().title = one.title;
  }
  return all;
}

/// Whether `name` is its name or its title.
inline bool is_called(const Choice& one, const std::string& name) {
  return graft::same_plain_name(name, one.name) || (!one.title.empty() && graft::same_plain_name(name, one.title));
}

inline bool is_pass(const Choice& one) { return one.pass.has_value(); }
inline bool is_rule(const Choice& one) { return !one.pass; }
inline bool is_usual(const Choice& one) { return one.is_usual; }

/// Returns the pass or rule of that name; if both exist, the preferred kind. Throws Error if neither exists.
inline const Choice& named(const std::vector<Choice>& all, const std::string& name, bool (*prefers)(const Choice&)) {
  const Choice* found = nullptr;
  for (const Choice& one : all) {
    if (!is_called(one, name)) continue;
    if (found == nullptr || (prefers(one) && !prefers(*found))) found = &one;
  }
  if (found != nullptr) return *found;
  std::vector<std::string_view> names;
  for (const Choice& one : all)
    for (const std::string_view each : {std::string_view(one.name), std::string_view(one.title)})
      if (!each.empty()) names.push_back(each);
  const std::string meant = graft::did_you_mean(name, names);
  throw graft::Error("there is no pass or rule '" + name + "'" +
                     (meant.empty() ? "; --list prints those that there are" : meant));
}

/// Runs passes and rules again and again until nothing changes: rules after the passes, dead code last. The rules see
/// types that are inferred once, because they keep shapes.
inline graft::Pass until_nothing_changes(const std::vector<Choice>& chosen) {
  std::vector<graft::Pass> passes;
  std::vector<graft::RuleView> rules;
  std::optional<graft::Pass> last;
  for (const Choice& one : chosen) {
    if (!one.pass) rules.push_back(one.rule);
    else if (one.name == graft::eliminate_dead_code().name()) last = one.pass;
    else passes.push_back(*one.pass);
  }
  if (!rules.empty()) passes.push_back(graft::fixpoint(rules).named("rules"));
  if (last) passes.push_back(*last);
  if (passes.empty()) throw graft::Error("--skip leaves nothing to do");
  graft::Pass all = passes.front();
  for (auto pass = passes.begin() + 1; pass != passes.end(); ++pass) all |= *pass;
  return graft::on_typed_graph("simplify", graft::fixpoint(all));
}

/// Returns the pass or rule as the default pipeline runs it: itself, or its rules. Throws Error if the pipeline has
/// neither.
inline std::vector<std::string_view> usual_parts(const Choice& whole, const std::vector<Choice>& all) {
  if (whole.is_usual) return {whole.name};
  std::vector<std::string_view> names;
  for (const graft::RuleView& part : whole.parts)
    for (const Choice& one : all)
      if (one.is_usual && one.rule.rule == part.rule) names.push_back(one.name);
  if (names.empty()) throw graft::Error("'" + whole.name + "' is not part of what --skip could leave out");
  return names;
}

/// simplify() and flush_denormals(), or the passes of --only, or those without the ones of --skip. Throws Error for an
/// unknown name.
inline graft::Pass chosen_pass(const std::vector<std::string>& only, const std::vector<std::string>& skipped) {
  if (only.empty() && skipped.empty()) return graft::simplify() | graft::flush_denormals();
  const std::vector<Choice> all = choices();
  std::vector<Choice> chosen;
  for (const std::string& name : only) chosen.push_back(named(all, name, is_pass));
  if (only.empty()) {
    std::vector<std::string_view> names;
    for (const std::string& name : skipped)
      for (const std::string_view part : usual_parts(named(all, name, is_usual), all)) names.push_back(part);
    for (const Choice& one : all)
      if (one.is_usual && std::find(names.begin(), names.end(), one.name) == names.end()) chosen.push_back(one);
  }
  return until_nothing_changes(chosen);
}

/// simplify(), the fused operators of a runtime, and flush_denormals(). Throws Error for an unknown runtime.
inline graft::Pass fusing_pass(const std::string& runtime) {
  return graft::transformer_fusions(graft::fused_operators::tables().at(runtime)) | graft::flush_denormals();
}

/// The conversion of a model's floats to a 16-bit type, or of 16-bit floats to float32.
inline graft::Pass converting_pass(graft::DType to, const graft::FloatOptions& options) {
  if (to == graft::DType::f32) return graft::to_float32();
  return to == graft::DType::f16 ? graft::to_float16(options) : graft::to_bfloat16(options);
}

/// Runs the pass after unrolling Loops of at most this many known iterations. Repeats both while that makes more
/// iteration counts known.
inline graft::Pass with_unrolled_loops(const graft::Pass& pass, std::int64_t trips) {
  return graft::fixpoint(graft::simplify() | graft::unroll_loops({.max_trips = trips})) | pass;
}
