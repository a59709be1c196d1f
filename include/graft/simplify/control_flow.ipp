#pragma once
#include <graft/simplify/control_flow.hpp>

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/detail/with_axis.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

/// The branch that an If always takes; nullptr if unknown, and for any other node.
inline const Graph* taken_branch(const Node& node) {
  const Value* const condition = node.is("If") ? node.input(0) : nullptr;
  if (condition == nullptr || condition->dtype() != DType::boolean || !condition->is_constant()) return nullptr;
  try {
    const std::optional<Tensor> contents = condition->constant();
    if (!contents || contents->size() != 1) return nullptr;
    return node.body(contents->item<bool>() ? "then_branch" : "else_branch");
  } catch (const Error&) {
    return nullptr;
  }
}

inline constexpr auto condition = cst<"condition">.scalar().dtype(DType::boolean);

inline constexpr auto constant_if = rule<"constant-if">(
    op<"If">(condition).as(outer),
    [](const auto& m, Rewriter& rewriter) { return rewriter.inline_bodies(m[outer], &taken_branch); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView constant_if = rules::constant_if.view();

namespace detail {

inline bool is_known_true(const Value& condition) {
  try {
    const std::optional<Tensor> contents = condition.constant();
    return contents && contents->dtype() == DType::boolean && contents->size() == 1 && contents->item<bool>();
  } catch (const Error&) {
    return false;
  }
}

/// One Loop that may be unrolled.
class UnrolledLoop {
 public:
  UnrolledLoop(Node& loop, Graph& body, Rewriter& rewriter)
      : loop_(loop), body_(body), rewriter_(rewriter), carried_(loop.input_count() < 2 ? 0 : loop.input_count() - 2) {}

  /// Unrolls the Loop, or says why not.
  Verdict run(const UnrollOptions& options) {
    const std::optional<std::int64_t> trips = known_trips();
    if (!trips || *trips < 0 || *trips > options.max_trips)
      return Verdict::no("its iterations are too many or not known");
    if (!goes_on_always()) return Verdict::no("its condition may end it early");
    if (body_.inputs().size() != carried_ + 2 || body_.output_count() < carried_ + 1)
      return Verdict::no("its body has other numbers of inputs or outputs");
    if (body_.proto()->sparse_initializer_size() != 0) return Verdict::no("its body has sparse initializers");
    const std::size_t scans = body_.output_count() - 1 - carried_;
    if (*trips == 0 && scans != 0) return Verdict::no("its scan outputs are empty");
    const std::size_t all = nodes_of(body_) + scans;
    if (all != 0 && static_cast<std::size_t>(*trips) > options.max_nodes / all)
      return Verdict::no("it would become too many nodes");
    return write_out(*trips, scans);
  }

 private:
  std::optional<std::int64_t> known_trips() {
    if (loop_.input(0) == nullptr) return std::nullopt;
    const std::optional<Ints> trips = rewriter_.known_contents().ints(*loop_.input(0));
    return trips && trips->size() == 1 ? std::optional(trips->front()) : std::nullopt;
  }

  bool goes_on_always() const {
    if (loop_.input(1) != nullptr && !is_known_true(*loop_.input(1))) return false;
    if (body_.output_count() == 0 || body_.inputs().size() < 2) return false;
    const Value* next = body_.output(0);
    while (next != nullptr && next->producer() != nullptr && next->producer()->is("Identity"))
      next = next->producer()->input(0);
    return next != nullptr && (next == body_.inputs()[1] || is_known_true(*next));
  }

  /// Whether an input of the body has readers besides the condition.
  bool is_read(const Value& input) const {
    for (const Use& use : input.uses())
      if (!use.is_graph_output() || &use.graph() != &body_ || use.index() != 0) return true;
    return false;
  }

  static std::size_t nodes_of(Graph& graph) {
    std::size_t count = 0;
    for (const Graph* const scope : with_bodies(graph)) count += scope->nodes().size();
    return count;
  }

  Verdict write_out(std::int64_t trips, std::size_t scans) {
    Transaction transaction(loop_.graph());
    rewriter_.at(loop_);
    const auto insert = [this](onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs) -> Node& {
      return rewriter_.node_from(std::move(payload), inputs, outputs);
    };
    Graph& scope = loop_.graph();
    std::vector<Value*> carried(carried_);
    for (std::size_t i = 0; i < carried_; ++i) carried[i] = loop_.input(i + 2);
    std::vector<std::vector<Value*>> slices(scans);
    Substitution shared;  // values that all iterations read
    if (is_read(*body_.inputs()[1]))
      shared.emplace(body_.inputs()[1], &rewriter_.constant(Tensor::scalar(true), "condition"));
    copy_initializers(body_, scope, shared);
    for (std::int64_t trip = 0; trip < trips; ++trip) {
      Substitution substitution = shared;
      if (is_read(*body_.inputs()[0]))
        substitution.emplace(body_.inputs()[0], &rewriter_.constant(Tensor::scalar(trip), "iteration"));
      for (std::size_t i = 0; i < carried_; ++i) substitution.emplace(body_.inputs()[i + 2], carried[i]);
      for (const Node& node : body_.nodes()) copy_node(node, scope, substitution, insert);
      for (std::size_t i = 0; i < carried_; ++i) carried[i] = substituted(body_.output(i + 1), substitution);
      for (std::size_t i = 0; i < scans; ++i)
        slices[i].push_back(
            &with_axis("Unsqueeze", *substituted(body_.output(1 + carried_ + i), substitution), 0, rewriter_));
    }
    std::vector<Value*> outputs = std::move(carried);
    for (const std::vector<Value*>& parts : slices)
      outputs.push_back(parts.size() == 1 ? parts.front() : &rewriter_.op("Concat", parts, {{"axis", 0}}));
    outputs.resize(loop_.output_count());
    if (Verdict replaced = rewriter_.replace(loop_, outputs); !replaced) {
      rewriter_.rollback();
      return replaced;
    }
    const Verdict done = rewriter_.accept();
    if (done) transaction.keep();
    return done;
  }

  Node& loop_;
  Graph& body_;
  Rewriter& rewriter_;
  std::size_t carried_;
};

}  // namespace detail

GRAFT_INLINE Pass unroll_loops(UnrollOptions options) {
  return pass("unroll_loops",
              [options](Graph& graph, Context& context) {
                infer_shapes(graph, context.infer_options());
                Report report;
                Rewriter rewriter(graph, context);
                const std::vector<Graph*> scopes = scopes_of(graph);
                for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
                  std::vector<Node*> loops;
                  for (Node& node : (*scope)->nodes())
                    if (node.is("Loop")) loops.push_back(&node);
                  for (Node* const loop : loops) {
                    Graph* const body = loop->body("body");
                    if (body != nullptr && detail::UnrolledLoop(*loop, *body, rewriter).run(options)) ++report.changes;
                  }
                }
                if (report.changes != 0) eliminate_dead_code().run(graph, context);  // unused results
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
