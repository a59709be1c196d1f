#pragma once
#include <concepts>
#include <string_view>

namespace graft::inline v1 {

/// A type of results that a pass provides and later passes use, such as value ranges, histograms, or the nodes that
/// stay in float. fact_name is its name in messages. These members are optional:
///
///     static constexpr std::string_view fact_maker = "calibrate";      the pass that messages suggest
///     static constexpr bool is_decision = true;                        a choice of a pass or its user, which changes
///                                                                      of the graph do not make untrue
///     void erase(std::string_view tensor);                             forgets a tensor
///     void rename(std::string_view from, std::string_view to);         a tensor has a new name
///     void join(std::string_view tensor, std::span<const std::string> parts);
///                                                                      a tensor concatenates the channels of others
///     void rename_node(std::string_view from, std::string_view to);
///     void copy_node(std::string_view from, std::string_view to);      one of two nodes of one name has a new name
template <class T>
concept Fact = std::copyable<T> && requires {
  { T::fact_name } -> std::convertible_to<std::string_view>;
};

/// The pass that provides the fact; empty if the fact does not name one.
template <Fact T>
constexpr std::string_view fact_maker() {
  if constexpr (requires { T::fact_maker; }) return T::fact_maker;
  return {};
}

}  // namespace graft::inline v1
