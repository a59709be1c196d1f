#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/read.hpp>
#include <graft/pattern/slot.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

template <class F>
struct FunctionType : FunctionType<decltype(&F::operator())> {};
template <class R, class... P>
struct FunctionType<R (*)(P...)> {
  using parameters = std::tuple<P...>;
  using result = R;
};
template <class R, class... P>
struct FunctionType<R (*)(P...) noexcept> : FunctionType<R (*)(P...)> {};
template <class R, class F, class... P>
struct FunctionType<R (F::*)(P...) const> : FunctionType<R (*)(P...)> {};
template <class R, class F, class... P>
struct FunctionType<R (F::*)(P...) const noexcept> : FunctionType<R (*)(P...)> {};

/// The conversion of capture X to parameter P.
template <class P, class X>
struct Taken {
  static constexpr auto form = form_taken<P, kind_of(X::id)>();
  static_assert(form.has_value(),
                "graft: a function over captures takes a parameter of another type than its capture (values: "
                "Value&, Value*, span<Value* const>; constants also Tensor or an optional of it; nodes: Node&, Node*; "
                "attributes: their type or an optional of it)");
  static constexpr CaptureId id = with_form(X::id, form.value_or(Form::one));
  static decltype(auto) read(const Slot& slot) { return read_as<P, kind_of(X::id)>(slot); }
};
template <class P, class X>
  requires(kind_of(X::id) == Kind::arg)
struct Taken<P, X> {
  static_assert(std::is_same_v<std::remove_cvref_t<P>, typename X::type>,
                "graft: a function over captures takes an arg<> as another type than its declaration");
  static constexpr CaptureId id = X::id;
  static decltype(auto) read(const Slot& slot) { return *static_cast<const typename X::type*>(slot.data); }
};

/// The names of the arg<>s among captures, joined by '|' in static storage.
template <class... X>
struct ArgumentNames {
  template <class Y>
  static constexpr std::string_view name() {
    if constexpr (kind_of(Y::id) == Kind::arg) return Y::name;
    else return {};
  }
  static constexpr std::size_t length = (0 + ... + (name<X>().size() + (name<X>().empty() ? 0 : 1)));
  static constexpr auto text = [] {
    std::array<char, length> joined{};
    [[maybe_unused]] std::size_t at = 0;
    [[maybe_unused]] const auto put = [&](std::string_view name) {
      for (const char c : name) joined[at++] = c;
      if (!name.empty()) joined[at++] = '|';
    };
    (put(name<X>()), ...);
    return joined;
  }();
  static constexpr std::string_view view{text.data(), length == 0 ? 0 : length - 1};
};

/// F applied to the captures X...
template <auto F, class... X>
struct Applied {
  using parameters = typename FunctionType<decltype(F)>::parameters;
  static_assert(std::tuple_size_v<parameters> == sizeof...(X),
                "graft: a function over captures is given another number of captures than it has parameters");
  static_assert(sizeof...(X) <= max_arguments, "graft: a function takes at most eight captures");

  template <class Positions>
  struct At;
  template <std::size_t... I>
  struct At<std::index_sequence<I...>> {
    using captures = Join<Captures<Taken<std::tuple_element_t<I, parameters>, X>::id>...>;
    static decltype(auto) call([[maybe_unused]] const Slot* slots, [[maybe_unused]] const std::int64_t* which) {
      return F(Taken<std::tuple_element_t<I, parameters>, X>::read(slots[which[I]])...);
    }
  };
  using Positions = At<std::make_index_sequence<sizeof...(X)>>;
  using captures = typename Positions::captures;
  static constexpr std::string_view arguments = ArgumentNames<X...>::view;
};

template <class T>
Computed to_computed(T&& result) {
  using U = std::remove_cvref_t<T>;
  if constexpr (Unwrapped<U>::optional) {
    return result ? to_computed(*std::forward<T>(result)) : Computed();
  } else if constexpr (std::is_integral_v<U> || std::is_enum_v<U>) {
    return static_cast<std::int64_t>(result);
  } else if constexpr (std::is_floating_point_v<U>) {
    return static_cast<float>(result);
  } else if constexpr (std::is_convertible_v<U, std::string_view>) {
    return std::string(std::string_view(result));
  } else if constexpr (std::is_same_v<U, std::span<const std::int64_t>>) {
    return Ints(result.begin(), result.end());
  } else if constexpr (std::is_same_v<U, std::span<const float>>) {
    return Floats(result.begin(), result.end());
  } else {
    static_assert(std::is_constructible_v<Computed, U>,
                  "graft: call<f> and tensor<f> need a function that returns a number, string, Ints, Floats or "
                  "Tensor, or an optional of one");
    return Computed(std::forward<T>(result));
  }
}

/// Whether an attribute of that kind may be set to the result R of a function.
template <Kind K, class R>
consteval bool result_fits() {
  using T = typename Unwrapped<std::remove_cvref_t<R>>::type;
  if constexpr (K == Kind::f32) return std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  else if constexpr (K == Kind::ints || K == Kind::axes)
    return std::is_same_v<T, Ints> || std::is_same_v<T, std::span<const std::int64_t>>;
  else if constexpr (K == Kind::floats)
    return std::is_same_v<T, Floats> || std::is_same_v<T, std::span<const float>>;
  else if constexpr (K == Kind::tensor) return std::is_same_v<T, Tensor>;
  else return literal_fits<K, T>();
}

}  // namespace detail

/// A function of captures, computed when the replacement is built; it returns a Result.
template <std::size_t N, class C, class Result>
struct Call {
  using captures = C;
  Compute compute;
  std::array<std::int64_t, N> words;
  std::string_view arguments;
};

template <auto F>
struct CallOf {
  template <class... X>
  constexpr auto operator()(const X&...) const {
    using Applied = detail::Applied<F, X...>;
    using Result = typename detail::FunctionType<decltype(F)>::result;
    return Call<sizeof...(X), typename Applied::captures, Result>{
        [](const Slot* slots, const std::int64_t* which) {
          return detail::to_computed(Applied::Positions::call(slots, which));
        },
        {static_cast<std::int64_t>(X::id)...},
        Applied::arguments};
  }
};

/// call<f>(captures...): the result of the pure function f. If f returns an empty optional, the rule declines.
template <auto F>
inline constexpr CallOf<F> call{};

}  // namespace graft::inline v1
