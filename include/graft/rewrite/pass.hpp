#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/detail/pass_misuse.hpp>
#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/preserved.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// A type with a name that rewrites a graph: a model's main graph with its bodies and functions, or one body. Optional
/// members are needs(), provides() and preserved(), with the results of those of Pass.
template <class P>
concept pass_like = requires(const P& pass, Graph& graph, Context& context) {
  { pass.name() } -> std::convertible_to<std::string_view>;
  { pass.run(graph, context) } -> std::same_as<Report>;
};

class Pass;

namespace detail {

/// The interface of the object in a Pass.
struct PassBody {
  virtual ~PassBody() = default;
  virtual std::string name() const = 0;
  virtual Report run(Graph& graph, Context& context) const = 0;
  virtual std::vector<Need> needs() const = 0;
  virtual std::vector<Provision> provides() const = 0;
  virtual Preserved preserved() const = 0;
  virtual std::span<const Pass> steps() const = 0;
};

}  // namespace detail

/// A pass as a value, which is cheap to copy.
class Pass {
 public:
  template <class P>
    requires(!std::same_as<std::remove_cvref_t<P>, Pass> && pass_like<std::remove_cvref_t<P>>)
  Pass(P&& body) : body_(held(std::forward<P>(body))), name_(body_->name()) {
    for (Need& need : body_->needs()) add(std::move(need));
    provisions_ = body_->provides();
    preserved_ = body_->preserved();
  }
  const std::string& name() const { return name_; }
  /// The name, such as "a | fixpoint(b | c)".
  friend std::string to_string(const Pass& pass) { return pass.name(); }
  friend std::ostream& operator<<(std::ostream& out, const Pass& pass) { return out << pass.name(); }

  const std::vector<Need>& needs() const { return needs_; }
  const std::vector<Provision>& provides() const { return provisions_; }
  const Preserved& preserved() const { return preserved_; }
  /// A copy with one more need or provision: pass("shrink", f).needs<Ranges>().provides<Clipped>().
  template <Fact T>
  Pass needs() const {
    return needs(needs_fact<T>());
  }
  template <Fact T>
  Pass provides() const {
    return provides(provides_fact<T>());
  }
  Pass needs(Need need) const;
  Pass provides(Provision provision) const;
  /// A copy that preserves exactly these facts when it changes the graph. By default a function preserves no facts.
  /// Passes of rules preserve all facts, unless a rule declares changes_values().
  template <Fact... T>
  Pass preserves() const {
    return preserves(Preserved::of<T...>());
  }
  Pass preserves(Preserved preserved) const;
  Pass preserves_all() const { return preserves(Preserved::all()); }
  Pass named(std::string name) const;
  /// The steps of a pipeline. Empty for other passes, and for a pipeline with its own name or needs.
  std::span<const Pass> steps() const { return is_bare_ ? body_->steps() : std::span<const Pass>(); }

  /// Runs the pass. Throws Error and leaves the graph unchanged if a need is not met. An Error of the pass gets the
  /// model's file, unless it names another file. If the pass changed the graph, facts that it does not preserve are
  /// dropped.
  Report run(Graph& graph, Context& context) const;
  Report run(Model& model, Context& context) const;
  Report run(Model& model) const;
  /// Rejects other arguments at compile time, with the reason.
  template <class... T>
    requires(!detail::can_run_on<T...>)
  Report run(T&&...) const {
    static_assert(detail::can_run_on<T...>,
                  "graft: a pass runs on (Model&), (Model&, Context&) or (Graph&, Context&), not on temporaries");
    return {};
  }

 private:
  template <class P>
  struct Holder final : detail::PassBody {
    explicit Holder(P p) : pass(std::move(p)) {}
    std::string name() const override { return std::string(std::string_view(pass.name())); }
    Report run(Graph& graph, Context& context) const override { return pass.run(graph, context); }
    std::vector<Need> needs() const override {
      if constexpr (requires { pass.needs(); }) return pass.needs();
      return {};
    }
    std::vector<Provision> provides() const override {
      if constexpr (requires { pass.provides(); }) return pass.provides();
      return {};
    }
    Preserved preserved() const override {
      if constexpr (requires { pass.preserved(); }) return pass.preserved();
      return {};
    }
    std::span<const Pass> steps() const override {
      if constexpr (requires { pass.steps(); }) return pass.steps();
      return {};
    }
    P pass;
  };

  template <class P>
  static std::shared_ptr<const detail::PassBody> held(P&& body) {
    using Bare = std::remove_cvref_t<P>;
    constexpr bool can_be_held = std::constructible_from<Bare, P>;
    static_assert(can_be_held, "graft: a pass that cannot be copied must be moved into a Pass");
    if constexpr (can_be_held) return std::make_shared<Holder<Bare>>(std::forward<P>(body));
    return nullptr;
  }

  Report run_body(Graph& graph, Context& context) const;
  Pass altered() const;
  void add(Need need);
  static void check(const Need& need, const Graph& graph, const Context& context);

  std::shared_ptr<const detail::PassBody> body_;
  std::string name_;
  std::vector<Need> needs_;
  std::vector<Provision> provisions_;
  Preserved preserved_;
  bool is_bare_ = true;
};

namespace detail {

/// The edits of the graph's model so far, of all scopes.
std::uint64_t edit_count(const Graph& graph);

template <class F>
concept can_be_function = pass_function<std::decay_t<F>> && std::constructible_from<std::decay_t<F>, F>;

template <class F>
struct FunctionPass {
  std::string_view name() const { return title; }
  Report run(Graph& graph, Context& context) const {
    if constexpr (std::is_void_v<std::invoke_result_t<const F&, Graph&, Context&>>) {
      const std::uint64_t before = edit_count(graph);
      function(graph, context);
      Report report;
      report.changes = static_cast<std::size_t>(edit_count(graph) - before);
      return report;
    } else {
      return function(graph, context);
    }
  }
  std::string title;
  F function;
};

template <class F>
struct SurroundedPass {
  std::string_view name() const { return inner.name(); }
  Report run(Graph& graph, Context& context) const { return function(inner, graph, context); }
  std::vector<Need> needs() const { return inner.needs(); }
  std::vector<Provision> provides() const { return inner.provides(); }
  Preserved preserved() const { return Preserved::all(); }  // inner drops unpreserved facts itself
  Pass inner;
  F function;
};

}  // namespace detail

/// Makes a pass of a function (Graph&, Context&). The function returns a Report, or nothing: then its edits are
/// counted.
template <class F>
  requires detail::can_be_function<F>
Pass pass(std::string name, F&& function) {
  return Pass(detail::FunctionPass<std::decay_t<F>>{std::move(name), std::forward<F>(function)});
}
/// Rejects other arguments at compile time, with the reason.
template <class F>
  requires(!detail::can_be_function<F> && (detail::function_of_graph<std::decay_t<F>> || !std::convertible_to<F, Pass>))
Pass pass(std::string name, F&&) {
  if constexpr (detail::like_rule<std::remove_cvref_t<F>>)
    detail::refuse_as_pass<std::remove_cvref_t<F>>();
  else
    detail::refuse_as_function<F>();
  return Pass(detail::FunctionPass<void (*)(Graph&, Context&)>{std::move(name), nullptr});
}

/// Wraps a pass in a function (const Pass&, Graph&, Context&), which runs the pass and returns its Report. Use it to
/// log, to measure, or to set up the Context. Name, needs and provisions stay.
template <class F>
Pass around(const Pass& inner, F function) {
  constexpr bool fits = std::is_invocable_r_v<Report, const F&, const Pass&, Graph&, Context&>;
  static_assert(fits, "graft: the function around a pass takes (const Pass&, Graph&, Context&) and returns a Report");
  if constexpr (fits) return Pass(detail::SurroundedPass<F>{inner, std::move(function)});
  return inner;
}

namespace detail {

/// The pass, run with these arguments behind those of the Context.
Pass with_arguments(const Pass& inner, std::vector<Argument> arguments);

}  // namespace detail

/// Renames a pass and binds arguments of its rules: pass("commute", fixpoint(commute_dq), target = t).
template <class... A>
Pass pass(std::string name, const Pass& inner, A... arguments) {
  constexpr bool are_arguments = (std::same_as<A, Argument> && ...);
  static_assert(are_arguments, "graft: after a pass come arguments of its rules: capture = value");
  if constexpr (sizeof...(A) == 0 || !are_arguments) {
    return inner.named(std::move(name));
  } else {
    return detail::with_arguments(inner, {std::move(arguments)...}).named(std::move(name));
  }
}

/// Chains two passes: a | b | fixpoint(c | d). The pipeline needs everything that no earlier step provides. If a need
/// is not met, run() throws Error before the first step.
Pass operator|(const Pass& first, const Pass& second);

/// Rejects other operands at compile time, with the reason.
template <class T>
  requires(!std::convertible_to<T, Pass> && detail::meant_as_pass<std::remove_cvref_t<T>>)
Pass operator|(const Pass& first, T&&) {
  detail::refuse_as_pass<std::remove_cvref_t<T>>();
  return first;
}

/// Appends a pass: pipeline |= fixpoint(a, b).
inline Pass& operator|=(Pass& first, const Pass& second) {
  return first = first | second;
}

/// Repeats a pass until a round changes nothing, within the Context's budget of seconds and at most 100 rounds.
Pass fixpoint(const Pass& body);

}  // namespace graft::inline v1
