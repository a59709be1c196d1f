#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/infer.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

// Before:  f(constants); a Constant node
// After:   an initializer
//
// f is deterministic, without bodies, and one that the executor has; its result is small, used by nodes only, and no
// quantizer's unless asked for; not for a Constant in a function, which has no initializers.

namespace graft::inline v1 {

struct FoldOptions {
  /// Outputs of more bytes than this, and than the node's inputs, are left to be computed: an Expand is smaller than
  /// what it makes.
  std::size_t most_bytes = 1 << 20;
  /// Dequantized constants are what a runtime computes in integers: they stay unless asked for.
  bool quantizers = false;
  /// What computes. Operators that graft has no schema of fold if they have a kernel here, which is then taken to make
  /// the same of the same each time, and if the Context has their shape function. Must outlive the pass.
  const Kernels* kernels = &Kernels::standard();
};

namespace detail {

/// Whether the node makes the same of the same constants each time. A Constant stays where there are no initializers.
inline bool may_fold(const Node& node, const FoldOptions& options) {
  if (node.is("Constant") ? node.graph().is_function() : node.input_count() == 0) return false;
  if (!node.bodies().empty()) return false;
  for (const Value* const input : node.inputs())  // first, as it is quick and nearly always decides
    if (input != nullptr && !input->is_constant()) return false;
  if (!options.quantizers && (node.is("QuantizeLinear") || node.is("DequantizeLinear"))) return false;
  const schema::Operator* const facts = node.schema();
  if (facts == nullptr ? node.domain().empty() : !facts->deterministic()) return false;
  if (options.kernels->find(node) == nullptr) return false;
  for (const Value& output : node.outputs())
    if (output.is_graph_output()) return false;  // its name has to be computed by something
  return true;
}

inline bool is_small(const Node& node, std::size_t most_bytes) {
  if (node.is("Constant")) return true;  // it is there already
  std::size_t in = 0, out = 0;
  const auto bytes = [](const Value& value) -> std::size_t {
    const auto dims = value.shape().dims();
    return dims && is_known(value.dtype()) ? byte_count(value.dtype(), *dims) : ~std::size_t{0} / 16;
  };
  for (const Value* const input : node.inputs())
    if (input != nullptr) in += bytes(*input);
  for (const Value& output : node.outputs())
    if (!output.name().empty()) out += bytes(output);
  return out <= most_bytes || out <= in;
}

/// What the folding of a model has noted already: a fixpoint folds again and again.
struct FoldingNotes {
  const Model* model = nullptr;
  std::uint64_t edits = 0;  ///< of the model then; that of another one in its place begins at 0
  std::set<std::string> told;
};

inline FoldingNotes& folding_notes(const Graph& graph, Context& context) {
  const Model& model = graph.model();
  FoldingNotes* const known = context.facts.find<FoldingNotes>();
  if (known != nullptr && known->model == &model && known->edits <= model.edit_count()) return *known;
  return context.facts.provide(FoldingNotes{&model, 0, {}});
}

}  // namespace detail

/// Computes what depends on constants alone, in the main graph, bodies and functions; Constant nodes become
/// initializers, which functions have not. Operators that the executor lacks, random ones, those with bodies and those
/// whose result would be large stay; the report notes, once in a run, those that fail. Once the Context is cancelled,
/// what is left stays as it is. Throws Error for constants that shapes depend on and that cannot be read.
inline Pass fold_constants(FoldOptions options = {}) {
  return pass("fold_constants", [options](Graph& graph, Context& context) {
    Report report;
    detail::FoldingNotes& notes = detail::folding_notes(graph, context);
    Inference inference({.custom = context.shape_functions});
    inference.run(graph);
    Rewriter rewriter(graph, context);
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        if (context.is_cancelled()) {
          report.outcome = Outcome::cancelled;
          return report;
        }
        if (!detail::may_fold(node, options)) continue;
        const std::string name = detail::describe(node.proto());
        try {
          // A declared shape that the node does not have says nothing of its size.
          if (!detail::is_small(node, options.most_bytes) || !inference.check(node)) continue;
          std::vector<Tensor> inputs;
          for (const Value* const input : node.inputs())
            inputs.push_back(input ? input->constant().value_or(Tensor()) : Tensor());
          std::vector<Tensor> outputs = evaluate(node, std::move(inputs), *options.kernels);
          rewriter.at(node);
          std::vector<Value*> successors;
          for (std::size_t i = 0; i < outputs.size(); ++i)
            successors.push_back(node.output(i)->use_count() == 0
                                     ? nullptr
                                     : &rewriter.constant(std::move(outputs[i]), node.output(i)->name()));
          static_cast<void>(rewriter.replace(node, successors));
        } catch (const Error& error) {
          rewriter.rollback();
          const std::string note = "left " + name + ": " + error.what();
          if (notes.told.insert(note).second) report.notes.push_back(note);
          continue;
        }
        if (rewriter.commit()) ++report.changes;
      }
    }
    notes.edits = graph.model().edit_count();
    return report;
  });
}

}  // namespace graft::inline v1
