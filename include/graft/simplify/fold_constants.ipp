#pragma once
#include <graft/simplify/fold_constants.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether the node is deterministic and depends on constants alone. A Constant stays where there are no initializers.
inline bool may_fold(const Node& node, const FoldOptions& options) {
  if (options.only_constants && !node.is("Constant")) return false;
  if (node.is("Constant") ? node.graph().is_function() : node.input_count() == 0) return false;
  if (!node.bodies().empty()) return false;
  for (const Value* const input : node.inputs())  // first: it is quick and nearly always decides
    if (input != nullptr && !input->is_constant()) return false;
  if (!options.quantizers && (node.is("QuantizeLinear") || node.is("DequantizeLinear"))) return false;
  const schema::Operator* const facts = node.schema();
  if (facts == nullptr ? node.domain().empty() : !facts->deterministic()) return false;
  if (options.kernels->find(node) == nullptr) return false;
  for (const Value& output : node.outputs())
    if (output.is_graph_output()) return false;  // a graph output needs a producer
  return true;
}

/// The number of bytes by which folded constants let the model grow.
struct FoldedConstants {
  static constexpr std::string_view fact_name = "folded_constants", fact_maker = "fold_constants";
  static constexpr bool is_decision = true;  // total() counts those that the model still has

  std::unordered_map<std::string, std::size_t> growth{};
  bool left_large = false;  ///< the last fold left results for their size alone: FoldOptions::leaves_large

  std::size_t of(const Value& constant) const {
    const auto known = growth.find(std::string(constant.name()));
    return known == growth.end() ? 0 : known->second;
  }
  /// Of the constants that the model still has.
  std::size_t total(Graph& graph) const {
    std::size_t sum = 0;
    if (growth.empty()) return sum;
    for (const Graph* const scope : scopes_of(graph))
      for (const Value* const constant : scope->initializers()) sum += of(*constant);
    return sum;
  }
};

/// The bytes of a node's results, of its inputs, and of the inputs that folding frees.
struct FoldedBytes {
  FoldedBytes(const Node& node, const FoldedConstants& folded) {
    if (node.is("Constant")) return;  // it exists already
    const auto bytes = [](const Value& value) -> std::size_t {
      const auto dims = value.shape().dims();
      return dims && is_known(value.dtype()) ? byte_count(value.dtype(), *dims) : ~std::size_t{0} / 16;
    };
    const std::set<const Value*> inputs(node.inputs().begin(), node.inputs().end());
    for (const Value* const input : inputs) {
      if (input == nullptr) continue;
      const std::size_t size = bytes(*input);
      in += size;
      const auto uses = input->uses();
      const auto is_own = [&](const Use& use) { return use.user() == &node; };
      const bool is_stored = input->initializer() != nullptr || input->producer()->is("Constant");
      if (!is_stored || !std::all_of(uses.begin(), uses.end(), is_own)) continue;
      freed += size;
      carried += folded.of(*input);
    }
    for (const Value& output : node.outputs())
      if (!output.name().empty()) out += bytes(output);
  }
  bool are_few(const FoldOptions& options) const {
    return out <= in ? out <= freed + options.max_copied_bytes : out <= options.max_bytes;
  }
  /// The number of bytes by which the results let the model grow, the earlier growth of freed inputs included.
  std::size_t growth() const { return out + carried > freed ? out + carried - freed : 0; }

  std::size_t out = 0, in = 0, freed = 0;
  std::size_t carried = 0;  ///< the growth by freed inputs that were folded before
};

}  // namespace detail

GRAFT_INLINE Pass fold_constants(FoldOptions options) {
  return pass("fold_constants",
              [options](Graph& graph, Context& context) {
                Report report;
                detail::FoldedConstants& folded = context.facts.edit_or_provide<detail::FoldedConstants>();
                std::size_t growth = folded.total(graph);
                folded.left_large = false;
                std::set<std::string> told;
                Inference inference(context.infer_options({}, &report));
                inference.run(graph);
                Rewriter rewriter(graph, context);
                const auto tell = [&](std::string note) {
                  if (told.insert(note).second) report.notes.push_back(std::move(note));
                };
                for (Graph* const scope : scopes_of(graph)) {
                  for (Node& node : scope->nodes()) {
                    if (context.is_cancelled()) {
                      report.outcome = Outcome::cancelled;
                      return report;
                    }
                    if (!detail::may_fold(node, options)) continue;
                    const std::string name = display_name(node);
                    try {
                      // A wrong declared shape does not show the true size.
                      const detail::FoldedBytes bytes(node, folded);
                      if (!bytes.are_few(options) || !inference.check(node)) continue;
                      const bool is_large = bytes.out > options.max_bytes;
                      if (is_large && node.is("Identity")) continue;  // it copies a constant
                      if (is_large && options.leaves_large) {
                        folded.left_large = true;
                        continue;
                      }
                      const std::size_t grown = growth - std::min(growth, bytes.carried) + bytes.growth();
                      if (grown > growth && grown > options.max_growth) {
                        tell("left constants unfolded: they would grow by more than " +
                             std::to_string(options.max_growth) + " bytes in all");
                        continue;
                      }
                      std::vector<Tensor> inputs;
                      for (const Value* const input : node.inputs())
                        inputs.push_back(input ? input->constant().value_or(Tensor()) : Tensor());
                      const AllocationLimit limit(std::max(options.max_working_bytes, bytes.in + bytes.out));
                      std::vector<Tensor> outputs = evaluate(node, std::move(inputs), *options.kernels);
                      rewriter.at(node);
                      std::vector<Value*> successors;
                      for (std::size_t i = 0; i < outputs.size(); ++i)
                        successors.push_back(node.output(i)->use_count() == 0
                                                 ? nullptr
                                                 : &rewriter.constant(std::move(outputs[i]), node.output(i)->name()));
                      static_cast<void>(rewriter.replace(node, successors));
                      if (!rewriter.accept()) continue;
                      ++report.changes;
                      growth = grown;
                      const auto made =
                          std::ranges::find_if(successors, [](const Value* value) { return value != nullptr; });
                      if (made != successors.end())
                        folded.growth.insert_or_assign(std::string((*made)->name()), bytes.growth());
                    } catch (const Error& error) {
                      rewriter.rollback();
                      tell("left " + name + ": " + error.what());
                    }
                  }
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
