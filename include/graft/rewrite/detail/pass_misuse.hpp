#pragma once
// Mistaken arguments in place of a pass. Overloads in pass.hpp take them and fail to compile with one sentence.
#include <concepts>
#include <type_traits>

namespace graft::inline v1 {

struct Context;
class Graph;
class Model;
struct Report;

namespace detail {

/// A Rule or a RuleView. Their headers include more than a pass needs.
template <class T>
concept like_rule = requires(const T& rule) {
  rule.view();
  rule.intent;
};

template <class T>
concept function_of_graph = std::invocable<const T&, Graph&, Context&>;

/// A function that can be a pass.
template <class T>
concept pass_function =
    function_of_graph<T> && (std::is_void_v<std::invoke_result_t<const T&, Graph&, Context&>> ||
                             std::convertible_to<std::invoke_result_t<const T&, Graph&, Context&>, Report>);

template <class T>
concept has_run = requires { &T::run; } || requires(T& pass, Graph& graph, Context& context) {
  pass.run(graph, context);
};

/// A type that was probably meant as a pass.
template <class T>
concept meant_as_pass = like_rule<T> || function_of_graph<T> || has_run<T>;

template <meant_as_pass T>
void refuse_as_pass() {
  constexpr bool is_rule = like_rule<T>, is_function = !is_rule && function_of_graph<T>;
  static_assert(!is_rule, "graft: a rule is not a pass: fixpoint(rule) or sweep(rule) makes one of it");
  static_assert(!is_function, "graft: a function is not a pass: pass(name, function) makes one of it");
  static_assert(is_rule || is_function,
                "graft: a pass has name() and run(Graph&, Context&), both const; run returns a Report");
}

template <class T>
void refuse_as_function() {
  using Bare = std::decay_t<T>;
  static_assert(function_of_graph<Bare>,
                "graft: the function of a pass takes (Graph&, Context&); other and mutable functions do not fit");
  if constexpr (function_of_graph<Bare>) {
    static_assert(pass_function<Bare>, "graft: the function of a pass returns a Report, or nothing");
    static_assert(!pass_function<Bare>, "graft: a function that cannot be copied must be moved into its pass");
  }
}

/// Whether Pass::run() takes these arguments.
template <class... T>
inline constexpr bool can_run_on =
    std::is_invocable_v<void(Model&), T...> || std::is_invocable_v<void(Model&, Context&), T...> ||
    std::is_invocable_v<void(Graph&, Context&), T...>;

}  // namespace detail

}  // namespace graft::inline v1
