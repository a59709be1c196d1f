#pragma once
#include <graft/qonnx/detail/node_sweep.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/qonnx/ops/definitions.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE Node& clone_with(const Node& node, std::span<Value* const> inputs, const Attributes& attributes,
                              Rewriter& rewriter) {
  onnx::NodeProto payload = node.proto();
  for (const Attribute& attribute : attributes) {
    auto& list = *payload.mutable_attribute();
    const auto same = [&](const onnx::AttributeProto& own) { return own.name() == attribute.name(); };
    const auto found = std::find_if(list.begin(), list.end(), same);
    (found != list.end() ? *found : *list.Add()) = attribute.proto();
  }
  return rewriter.node_from(std::move(payload), inputs, node.output_count(), &node);
}

GRAFT_INLINE Pass knowing_qonnx(const Pass& pass) {
  return around(pass, [](const Pass& inner, Graph& graph, Context& context) {
    struct Scope {
      Context& shared;
      Operators before;
      ~Scope() { shared.operators = std::move(before); }
    } scope{context, context.operators};
    context.operators = operators().without_kernels();
    context.operators.add(graph.model().operators()).add(scope.before);  // the user's have precedence
    return inner.run(graph, context);
  });
}

inline Pass sweep(std::string name, NotedNodeEdit edit, bool repeats, std::string_view values) {
  const auto run = [name, edit = std::move(edit), repeats, values](Graph& graph, Context& context) {
    constexpr std::size_t max_rounds = 1000;
    Report report;
    infer_shapes(graph, context.infer_options());
    Rewriter rewriter(graph, context, {.values = values});
    for (std::size_t round = 0; round < max_rounds; ++round) {
      const std::size_t before = report.changes;
      report.refusals.clear();
      for (Graph* const scope : scopes_of(graph)) {
        for (Node& node : scope->nodes()) {
          if (context.is_cancelled()) {
            report.outcome = Outcome::cancelled;
            return report;
          }
          Verdict done = Verdict::yes();
          std::string why, note;
          const std::string called = context.refusals ? display_name(node) : "";
          rewriter.at(node);
          try {
            done = edit(node, rewriter, note);
            if (done) done = rewriter.accept();
            if (!done) why = to_string(done.reason());
          } catch (const UnreadableTensor&) {
            done = Verdict::no("");
            why = "a constant cannot be read";
          } catch (const Error& error) {
            done = Verdict::no("");
            why = error.what();
          }
          if (done) {
            ++report.changes;
            if (!note.empty()) report.notes.push_back(std::move(note));
          } else {
            rewriter.rollback();
            if (context.refusals && !why.empty()) report.refusals.push_back({name, called, why, done.reason().code});
          }
        }
      }
      if (report.changes == before || !repeats) return report;
    }
    report.outcome = Outcome::budget;
    return report;
  };
  const Pass swept = pass(name, run);
  return knowing_qonnx(values.empty() ? swept.preserves_all() : swept);
}

inline NotedNodeEdit without_note(NodeEdit edit) {
  return [edit = std::move(edit)](Node& node, Rewriter& rewriter, std::string&) { return edit(node, rewriter); };
}

GRAFT_INLINE Pass node_sweep(std::string name, NodeEdit edit, std::string_view values) {
  return sweep(std::move(name), without_note(std::move(edit)), false, values);
}

GRAFT_INLINE Pass node_sweep(std::string name, NotedNodeEdit edit, std::string_view values) {
  return sweep(std::move(name), std::move(edit), false, values);
}

GRAFT_INLINE Pass repeated_node_sweep(std::string name, NodeEdit edit) {
  return sweep(std::move(name), without_note(std::move(edit)), true, {});
}

}  // namespace graft::inline v1::qonnx::detail
