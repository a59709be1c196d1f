#pragma once
#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/rewrite/near_names.hpp>

namespace graft::inline v1 {

/// A table of passes, rules or targets by name.
template <class T>
class Registry {
 public:
  /// what: the kind of entry for messages, such as "pass".
  explicit Registry(std::string what) : what_(std::move(what)) {}

  /// Throws Error if the name is taken.
  Registry& add(std::string name, T thing) {
    const auto [place, fresh] = things_.try_emplace(std::move(name), std::move(thing));
    if (!fresh) detail::raise(Error("the " + what_ + " '" + place->first + "' is registered twice"));
    return *this;
  }
  template <std::convertible_to<T> U>
  Registry& add(const U& thing) {
    return add(std::string(std::string_view(thing.name())), T(thing));
  }

  /// The entry of that name; nullptr if there is none.
  const T* find(std::string_view name) const {
    const auto found = things_.find(name);
    return found == things_.end() ? nullptr : &found->second;
  }
  /// The entry of that name. Throws Error with all names and the most similar ones if there is none.
  const T& at(std::string_view name) const {
    if (const T* const thing = find(name)) return *thing;
    std::string known;
    for (const auto& [other, thing] : things_) known += (known.empty() ? "" : ", ") + other;
    detail::raise(Error("there is no " + what_ + " '" + std::string(name) + "'; there are: " + known +
                        did_you_mean(name, names())));
  }
  /// All names in alphabetical order.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const auto& [name, thing] : things_) all.push_back(name);
    return all;
  }

 private:
  std::string what_;
  std::map<std::string, T, std::less<>> things_;
};

}  // namespace graft::inline v1
