#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <graft/graph/verdict.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/slot.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A predicate applied to captures.
template <class C>
struct Condition {
  using captures = C;
  CheckRow row;
};

template <auto F, bool HasText>
struct Predicate {
  std::string_view text{};

  template <class... X>
  constexpr auto operator()(const X&...) const {
    using Applied = detail::Applied<F, X...>;
    static_assert(HasText || !std::same_as<typename detail::FunctionType<decltype(F)>::result, bool>,
                  "graft: a predicate that returns bool needs a text: predicate<f>(\"why not\")(captures...)");
    Condition<typename Applied::captures> condition;
    condition.row.holds = [](const Slot* slots, const std::int64_t* which) -> Verdict {
      using R = decltype(Applied::Positions::call(slots, which));
      static_assert(std::same_as<R, bool> || std::same_as<R, Verdict>, "graft: a predicate returns bool or Verdict");
      if constexpr (std::same_as<R, bool>) {
        return Applied::Positions::call(slots, which) ? Verdict::yes() : Verdict::no(std::string_view());
      } else {
        return Applied::Positions::call(slots, which);
      }
    };
    condition.row.text = text;
    condition.row.arguments = Applied::arguments;
    condition.row.slot_count = sizeof...(X);
    condition.row.slots = {static_cast<std::int64_t>(X::id)...};
    return condition;
  }
};

/// predicate<f>("why not")(captures...): f is a pure function that returns bool, or a Verdict with its own reason:
/// predicate<f>()(captures...) if the reason is always there. A constant parameter that cannot be read is a reason,
/// too; any other Error reaches the caller.
template <auto F>
constexpr Predicate<F, true> predicate(std::string_view why_not) {
  return {why_not};
}
template <auto F>
constexpr Predicate<F, false> predicate() {
  return {};
}

template <std::size_t N, class C>
struct Where {
  using captures = C;
  std::array<CheckRow, N> rows;
};

/// Conditions on a whole match, checked in this order after all captures are bound.
template <class... C>
constexpr auto where(const Condition<C>&... conditions) {
  return Where<sizeof...(C), detail::Join<C...>>{{conditions.row...}};
}

}  // namespace graft::inline v1
