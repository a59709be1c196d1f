#pragma once
#include <concepts>
#include <string_view>

namespace graft::inline v1 {

/// Something that a pass learns about a model, or decides, and later passes use: value ranges, histograms, the nodes
/// that stay in float. A fact names itself for messages. These members are optional:
///
///     static constexpr std::string_view fact_maker = "calibrate";      the pass that a message suggests
///     static constexpr bool is_decision = true;                        no change of the graph makes it untrue: it is
///                                                                      what a pass or its user chose for a name
///     void erase(std::string_view tensor);                             forgets a tensor
///     void rename(std::string_view from, std::string_view to);         a tensor has another name
///     void join(std::string_view tensor, std::span<const std::string> parts);
///                                                                      a tensor has the channels of several others
///     void rename_node(std::string_view from, std::string_view to);
///     void copy_node(std::string_view from, std::string_view to);      of two nodes of one name, one has another now
template <class T>
concept Fact = std::copyable<T> && requires {
  { T::fact_name } -> std::convertible_to<std::string_view>;
};

/// The pass that provides the fact; empty if the fact names none.
template <Fact T>
constexpr std::string_view fact_maker() {
  if constexpr (requires { T::fact_maker; }) return T::fact_maker;
  return {};
}

}  // namespace graft::inline v1
