#pragma once
#include <graft/precision/convert_floats.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/detail/float_facts.hpp>
#include <graft/precision/detail/float_plan.hpp>
#include <graft/precision/detail/float_trials.hpp>
#include <graft/precision/detail/float_types.hpp>
#include <graft/precision/detail/float_writer.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/fewest.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/rewrite/unmatched_name.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/raise_opset.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a type of a version permits the dtype.
inline bool permits(const schema::Operator& version, DType dtype) {
  const std::span<const schema::TypeSet> types = version.types();
  return std::any_of(types.begin(), types.end(), [&](const schema::TypeSet& set) { return set.contains(dtype); });
}

/// The first version of the main domain in which Cast takes the dtype, named by a number.
constexpr int opset_of_cast(DType dtype) { return dtype == DType::bf16 ? 13 : 6; }

/// The least version of the main domain in which every operator takes the dtype that ever takes it.
inline int opset_for(Model& model, const FloatOptions& options, DType dtype) {
  int wanted = std::max(model.opset(), opset_of_cast(dtype));
  for (Graph* const scope : with_bodies(model.graph())) {
    for (const Node& node : scope->nodes()) {
      const schema::Operator* const now = node.schema();
      if (now == nullptr || !node.domain().empty() || permits(*now, dtype)) continue;
      if (has_float_scales(node) && !takes_scales_of(node, dtype)) continue;
      if (!options.target.computes(node, dtype)) continue;
      if (!permits(*now, DType::f32)) continue;
      const auto& kept = options.keep_operators;
      if (std::find(kept.begin(), kept.end(), node.op_type()) != kept.end()) continue;
      for (const schema::Operator& version : node.schemas()) {
        if (version.since_version <= now->since_version || !permits(version, dtype)) continue;
        wanted = std::max<int>(wanted, version.since_version);
        break;
      }
    }
  }
  return wanted;
}

/// Converts the model, and reports what was converted and what stays.
inline Report convert_floats(Model& model, Context& context, DType to, const FloatPlanOptions& options) {
  const FloatConversion conversion{to};
  Graph& graph = model.graph();
  infer_shapes(graph, context.infer_options());
  Transaction transaction(graph);
  const FloatPlan plan(model, conversion, options);
  FloatWriter writer(model, conversion);
  writer.write(plan);
  Report report;
  report.changes = writer.changes();
  if (report.changes != 0) {
    const std::string name(to_string(to));
    report.notes.push_back(std::to_string(plan.converted_nodes()) + " nodes compute in " + name + ", " +
                           std::to_string(writer.tensors()) + " tensors are stored in it, " +
                           std::to_string(writer.casts()) + " Casts were inserted");
    report.changes += fixpoint(remove_cast, remove_cast_like).run(graph, context).changes;
    for (Value* const output : graph.outputs())
      if (output != nullptr && output->type() != nullptr) graph.declare_type(*output, onnx::TypeProto(*output->type()));
  }
  for (const auto& [why, count] : plan.kept())
    report.notes.push_back(std::to_string(count) + " nodes are not converted: " + std::string(why));
  transaction.keep();
  return report;
}

/// Raises the opset, as far as the model permits it.
inline void raise_for_floats(Model& model, Context& context, const FloatOptions& options, DType to, Report& report) {
  const int opset = options.raise_opset ? opset_for(model, options, to) : opset_of_cast(to);
  if (opset <= model.opset()) return;
  try {
    report.changes += raise_opset(opset).run(model.graph(), context).changes;
    report.notes.push_back("the opset was raised to " + std::to_string(opset) + ", where all operators take " +
                           std::string(to_string(to)));
  } catch (const Error& error) {
    if (model.opset() < opset_of_cast(to)) throw;
    report.notes.push_back("the opset stays: " + std::string(error.what()));
  }
}

/// Raises the scales of weights that are too small for the type, so that these convert too.
inline void raise_weight_scales(Model& model, const FloatOptions& options, DType to, Report& report) {
  FloatFacts facts(options, to);
  std::vector<Node*> weights;
  for (Graph* const scope : with_bodies(model.graph()))
    for (Node& node : scope->nodes())
      if (is_dequantize(node) && facts.why_kept(node) == small_scale_reason) weights.push_back(&node);
  std::size_t raised = 0;
  for (Node* const node : weights)
    raised += raise_scales(*node, static_cast<float>(FloatRange::of(to).smallest_normal)) ? 1 : 0;
  if (raised == 0) return;
  report.changes += raised;
  report.notes.push_back(std::to_string(raised) + " quantized constants were rounded to scales of normal numbers");
}

/// Converts a model to a 16-bit type, again and again with more nodes in float32, until the samples agree.
class FloatNarrowing {
 public:
  FloatNarrowing(Model& model, Context& context, const FloatOptions& options, DType to)
      : model_(model), context_(context), options_(options), to_(to), facts_(options, to), edits_(model.graph()) {
    if (options.samples) trials_.emplace(model.graph(), options, context, to);
  }

  Report run() {
    if (!context_.is_cancelled()) convert();
    if (trials_ && !context_.is_cancelled()) {
      FloatTrial trial = keep_finite();
      if (trial.cosine < options_.min_cosine) trial = keep_more();
      notes_.push_back("the least cosine of an output on samples is " + std::to_string(trial.cosine));
    }
    if (context_.is_cancelled()) {
      Report cancelled;
      cancelled.outcome = Outcome::cancelled;
      return cancelled;
    }
    edits_.keep();
    report_.notes.insert(report_.notes.end(), notes_.begin(), notes_.end());
    return report_;
  }

 private:
  void convert() {
    edits_.restart();
    report_ = convert_floats(model_, context_, to_,
                             {.keep_io = options_.keep_io,
                              .cast_cost = options_.cast_cost,
                              .why_kept = [this](const Node& node) { return why_kept(node); },
                              .why_returned = [this](const Value& constant, const Value* result) {
                                return facts_.why_returned(constant, result);
                              }});
  }

  std::string_view why_kept(const Node& node) {
    const std::string_view why = facts_.why_kept(node);  // it also tells what the node computes
    if (!why.empty()) return why;
    if (const auto found = kept_.find(&node); found != kept_.end()) return found->second;
    return trials_ ? trials_->why_kept(node) : std::string_view();
  }

  FloatTrial keep_finite() {
    for (;;) {
      const FloatTrial trial = trials_->run(model_.graph());
      if (trial.first_bad == nullptr) return trial;
      const std::string what = "'" + display_name(*trial.first_bad) + "' computes an infinity or NaN on samples, ";
      bool any = false;
      for (const Node* const node : trials_->narrow_sources(*trial.first_bad)) {
        if (!kept_.try_emplace(node, "not finite on samples").second) continue;
        any = true;
        notes_.push_back(what + "so " + (node == trial.first_bad ? "it" : "'" + display_name(*node) + "'") +
                         " stays in float32");
      }
      if (!any) {
        notes_.push_back(what + "though it is in float32");
        return trial;
      }
      convert();
    }
  }

  /// Keeps few of the nodes that add most to the error: the first that are enough, without those that are not needed.
  FloatTrial keep_more() {
    edits_.restart();
    trials_->remember(model_.graph());
    convert();
    const std::vector<const Node*> nodes = trials_->ranked(model_.graph());
    const auto before = kept_;
    const auto keep = [&](const std::vector<const Node*>& some) {
      kept_ = before;
      for (const Node* const node : some) kept_.try_emplace(node, "for the cosine");
      convert();
    };
    const auto run = [&](const std::vector<const Node*>& some) { return (keep(some), trials_->run(model_.graph())); };
    const auto first = [&](std::size_t count) {
      return std::vector(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
    };
    const auto is_met = [&](const FloatTrial& trial) { return trial.cosine >= options_.min_cosine; };
    const auto may_go_on = [&] { return !context_.is_cancelled(); };
    std::vector<const Node*> chosen = first(shortest_prefix(
        nodes.size(), [&](std::size_t count) { return is_met(run(first(count))); }, may_go_on));
    FloatTrial found = run(chosen);
    const bool is_reached = is_met(found);
    const auto without = [&](std::size_t begin, std::size_t end) {
      std::vector<const Node*> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin), fewer.begin() + static_cast<std::ptrdiff_t>(end));
      const FloatTrial trial = run(fewer);
      if (!is_met(trial)) return;
      chosen = std::move(fewer);
      found = trial;
    };
    if (is_reached && !chosen.empty()) drop_needless(chosen.size() - 1, without, may_go_on);
    keep(chosen);
    notes_.push_back(std::to_string(chosen.size()) + " of " + std::to_string(nodes.size()) +
                     " nodes stay in float32 for the cosine" + (is_reached ? "" : ", which is not reached"));
    return found;
  }

  Model& model_;
  Context& context_;
  const FloatOptions& options_;
  DType to_;
  FloatFacts facts_;
  std::optional<FloatTrials> trials_;
  std::unordered_map<const Node*, std::string_view> kept_;  // by the outcome of trials
  Transaction edits_;
  Report report_;  // of the last conversion
  std::vector<std::string> notes_;
};

/// The limit of a Cast's cost, so that the costs of a million Casts have a sum.
inline constexpr std::int64_t max_cast_cost = std::int64_t{1} << 36;

inline void check_float_options(const FloatOptions& options) {
  const auto found = [](const std::string& option, auto value, const std::string& expected) {
    return Error("FloatOptions: " + option + " is " + std::to_string(value) + "; expected " + expected);
  };
  if (options.cast_cost < 0 || options.cast_cost > max_cast_cost)
    throw found("cast_cost", options.cast_cost, "0 to " + std::to_string(max_cast_cost));
  if (!(options.min_cosine <= 1)) throw found("min_cosine", options.min_cosine, "at most 1");
  if (std::isnan(options.max_vanished)) throw found("max_vanished", options.max_vanished, "a number");
}

inline void warn_of_unmatched(Model& model, const Context& context, const FloatOptions& options, Report& report) {
  std::vector<std::string> names;
  if (!options.keep.empty())
    for (const Graph* const scope : with_bodies(model.graph()))
      for (const Node& node : scope->nodes()) names.push_back(display_name(node));
  for (const NamePattern& pattern : options.keep) {
    const auto matches = [&](const std::string& name) { return pattern.matches(name); };
    if (std::any_of(names.begin(), names.end(), matches)) continue;
    report.warnings.push_back(no_node_called(pattern, model.graph()));
    context.write_log(report.warnings.back());
  }
}

inline Pass narrow_floats(std::string name, const FloatOptions& options, DType to) {
  check_float_options(options);
  const auto run = [options, to](Graph& graph, Context& context) {
    Model& model = graph.model();
    Transaction transaction(model.graph());
    Report report = inline_functions().run(model.graph(), context);
    warn_of_unmatched(model, context, options, report);
    infer_shapes(model.graph(), context.infer_options());
    raise_for_floats(model, context, options, to, report);
    raise_weight_scales(model, options, to, report);
    infer_shapes(model.graph(), context.infer_options());
    const Report conversion = FloatNarrowing(model, context, options, to).run();
    if (conversion.outcome == Outcome::cancelled) return conversion;
    report.changes += conversion.changes;
    report.notes.insert(report.notes.end(), conversion.notes.begin(), conversion.notes.end());
    transaction.keep();
    return report;
  };
  return pass(std::move(name), run).preserves_all();
}

}  // namespace detail

GRAFT_INLINE Pass to_float16(const FloatOptions& options) {
  return detail::narrow_floats("to_float16", options, DType::f16);
}

GRAFT_INLINE Pass to_bfloat16(const FloatOptions& options) {
  return detail::narrow_floats("to_bfloat16", options, DType::bf16);
}

GRAFT_INLINE Pass to_float32() {
  return pass("to_float32",
              [](Graph& graph, Context& context) {
                Model& model = graph.model();
                Transaction transaction(model.graph());
                Report report = inline_functions().run(model.graph(), context);
                const Report conversion = detail::convert_floats(model, context, DType::f32, {});
                report.changes += conversion.changes;
                report.notes.insert(report.notes.end(), conversion.notes.begin(), conversion.notes.end());
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
