#pragma once
#include <graft/lower/channel_shuffle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/channel_view.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// The shuffles of one scope.
class ChannelShuffles {
 public:
  explicit ChannelShuffles(Graph& scope) {
    for (Node& node : scope.nodes()) follow(node);
    for (auto made = order_.rbegin(); made != order_.rend(); ++made) look_at_readers(**made);
  }

  struct Shuffled {
    Value* value;
    const ChannelView* view;
  };
  /// The values of shuffles with other readers, in topological order.
  std::vector<Shuffled> found() const {
    std::vector<Shuffled> result;
    for (Value* const value : order_) {
      const ChannelView& view = views_.at(value);
      if (view.is_settled() && view.is_transposed() && is_read_.contains(value)) result.push_back({value, &view});
    }
    return result;
  }
  /// Whether a Transpose between the source and the view has to stay.
  bool stays(const ChannelView& view) const { return kept_.contains(&view.source()); }

 private:
  void follow(Node& node) {
    if (!node.domain().empty() || node.input(0) == nullptr || node.output_count() == 0) return;
    const ChannelView* const input = view_of(*node.input(0));
    if (input == nullptr) return;
    std::vector<ChannelView> made = moved_channels(node, *input);
    if (made.empty()) return;
    moves_.insert(&node);
    for (std::size_t i = 0; i < made.size(); ++i) {
      views_.emplace(node.output(i), std::move(made[i]));
      order_.push_back(node.output(i));
    }
  }

  const ChannelView* view_of(Value& value) {
    if (const auto made = views_.find(&value); made != views_.end()) return &made->second;
    const auto [place, fresh] = sources_.try_emplace(&value);
    if (fresh && !value.is_constant()) place->second = ChannelView::of(value);
    return place->second ? &*place->second : nullptr;
  }

  void look_at_readers(Value& value) {
    const UseRange uses = value.uses();
    const auto moves_on = [this](const Use& use) {
      return !use.is_graph_output() && use.index() == 0 && moves_.contains(use.user());
    };
    if (std::all_of(uses.begin(), uses.end(), moves_on)) return;
    const ChannelView& view = views_.at(&value);
    is_read_.insert(&value);
    if (!view.is_settled() && view.is_transposed()) kept_.insert(&view.source());
  }

  std::unordered_map<const Value*, ChannelView> views_;  // of moved values
  std::unordered_map<const Value*, std::optional<ChannelView>> sources_;
  std::vector<Value*> order_;
  std::unordered_set<const Node*> moves_;
  std::unordered_set<const Value*> is_read_, kept_;
};

inline bool has_transpose(const Graph& scope) {
  const NodeRange nodes = scope.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.is("Transpose"); });
}

inline bool is_all_of(const ChannelView& view) {
  Ints all(static_cast<std::size_t>(view.source().shape()[1].value()));
  std::iota(all.begin(), all.end(), 0);
  return view.channels() == all;
}

inline Verdict gather_channels(Value& value, const ChannelView& view, Rewriter& rewriter) {
  rewriter.at(*value.producer());
  Value* by = &view.source();
  if (!is_all_of(view)) {
    by = &rewriter.op("Gather", {by, &rewriter.ints(view.channels(), "channels")}, {{"axis", 1}});
  }
  return rewriter.replace(value, *by);
}

inline void gather_channels(Graph& scope, Context& context, Report& report) {
  const ChannelShuffles shuffles(scope);
  Rewriter rewriter(scope, context);
  for (const auto& [value, view] : shuffles.found()) {
    Verdict done = shuffles.stays(*view) ? Verdict::no("a reader between its nodes needs its Transpose")
                                         : gather_channels(*value, *view, rewriter);
    if (done) done = rewriter.accept();
    if (done) {
      ++report.changes;
    } else if (context.refusals) {
      report.refuse("channel_shuffles_to_gathers", display_name(*value->producer()), done.reason());
    }
  }
}

}  // namespace detail

GRAFT_INLINE Pass channel_shuffles_to_gathers() {
  return pass("channel_shuffles_to_gathers",
              [](Graph& graph, Context& context) {
                Report report;
                std::vector<Graph*> found;
                for (Graph* const scope : scopes_of(graph))
                  if (detail::has_transpose(*scope)) found.push_back(scope);
                if (found.empty()) return report;
                infer_shapes(graph, context.infer_options());
                for (Graph* const scope : found) detail::gather_channels(*scope, context, report);
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
