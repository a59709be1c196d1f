#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/bindings.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/explain.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/query.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// Whether a pattern matched, with its bindings or the reason.
template <class C>
class Match : public Bindings<C> {
 public:
  /// `owner` keeps the object behind `pattern` alive, if the caller does not.
  Match(bool matched, std::unique_ptr<detail::MatchState> state, const RulePattern& pattern,
        std::shared_ptr<const void> owner = {})
      : Bindings<C>(*state), matched_(matched), state_(std::move(state)), pattern_(pattern), owner_(std::move(owner)) {}

  explicit operator bool() const { return matched_; }

  const Failure& failure() const { return state_->best; }
  /// The reason why it did not match; "" if it did. Call it before the graph or the query changes.
  std::string reason() const { return matched_ ? "" : explain(pattern_, failure()); }

 private:
  bool matched_;
  std::unique_ptr<detail::MatchState> state_;
  RulePattern pattern_;
  std::shared_ptr<const void> owner_;
};

namespace detail {

template <class C, class Subject>
Match<C> match(const RulePattern& pattern, Subject& subject, std::span<const Argument> arguments,
               std::shared_ptr<const void> owner = {}) {
  const Linked linked(pattern, std::as_const(subject.graph().model()), arguments);
  Matcher matcher;
  const bool matched = matcher.run(linked, subject);
  return {matched, std::make_unique<MatchState>(matcher.take()), pattern, std::move(owner)};
}

template <class T>
concept subject = std::same_as<T, Node> || std::same_as<T, Value>;

}  // namespace detail

/// match(query, node): matches a query with this node as its root; match(query, value): with this value as the output
/// of its root. The query must outlive the match. Throws Error if an arg<> is missing.
template <std::size_t N, std::size_t A, std::size_t W, std::size_t K, class C, detail::subject Subject,
          std::same_as<Argument>... Arguments>
Match<C> match(const Query<N, A, W, K, C>& query, Subject& subject, const Arguments&... arguments) {
  const std::array<Argument, sizeof...(Arguments)> given{arguments...};
  return detail::match<C>(query, subject, given);
}

/// The same for a pattern on its own.
template <pattern P, detail::subject Subject>
auto match(const P& p, Subject& subject) {
  auto made = std::make_shared<const decltype(query<"">(p))>(query<"">(p));
  const RulePattern table = *made;
  return detail::match<typename P::captures>(table, subject, {}, std::move(made));
}

/// Every match of a query in one graph, by root in topological order; bodies are separate graphs.
template <std::size_t N, std::size_t A, std::size_t W, std::size_t K, class C, std::same_as<Argument>... Arguments>
std::vector<Match<C>> find_all(const Query<N, A, W, K, C>& query, Graph& graph, const Arguments&... arguments) {
  const std::array<Argument, sizeof...(Arguments)> given{arguments...};
  const RulePattern table = query;
  const Linked linked(table, std::as_const(graph.model()), given);
  Matcher matcher;
  std::vector<Match<C>> found;
  for (Node& node : graph.nodes()) {
    if (!linked.may_be_root(node.op()) || !matcher.run(linked, node)) continue;
    found.emplace_back(true, std::make_unique<detail::MatchState>(matcher.take()), table);
  }
  return found;
}

}  // namespace graft::inline v1
