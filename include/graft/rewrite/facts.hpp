#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <graft/config.hpp>
#include <graft/rewrite/detail/held_fact.hpp>
#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/preserved.hpp>
#include <graft/rewrite/type_key.hpp>

namespace graft::inline v1 {

class Pass;

/// The facts about a model while passes run on it, at most one of each type. Copies share their facts until one of them
/// changes. Shared objects with hidden symbols do not find each other's facts (TypeKey).
///
/// If a pass changes the graph, the facts that it does not preserve are dropped, except decisions. A pass that
/// preserves facts about tensors reports each tensor of the main graph that it changes by tensor_changed(),
/// tensor_renamed() or tensor_joined(). Every fact follows these calls. Rewriter::rename() makes the call in accept().
class Facts {
 public:
  /// Sets the fact of its type, replacing an earlier one.
  template <Fact T>
  T& provide(T fact) {
    auto holder = std::make_shared<detail::FactHolder<T>>(std::move(fact));
    T& provided = holder->fact;
    facts_.insert_or_assign(TypeKey::of<T>(), Entry{std::move(holder), ++provided_});
    absent_.erase(TypeKey::of<T>());
    return provided;
  }
  /// The fact of type T; nullptr if no pass has provided it, or if it was dropped.
  template <Fact T>
  const T* find() const {
    const auto entry = facts_.find(TypeKey::of<T>());
    return entry == facts_.end() ? nullptr
                                 : &static_cast<const detail::FactHolder<T>&>(*entry->second.held).fact;
  }
  /// A copy of the fact; a default constructed one if there is none.
  template <Fact T>
  T value_or_default() const {
    const T* const known = find<T>();
    return known != nullptr ? *known : T();
  }
  /// The fact for writing; nullptr as in find().
  template <Fact T>
  T* edit() {
    const auto entry = facts_.find(TypeKey::of<T>());
    return entry == facts_.end() ? nullptr : &static_cast<detail::FactHolder<T>&>(own(entry->second)).fact;
  }
  /// The fact for writing. Provides a default constructed one if there is none.
  template <Fact T>
  T& edit_or_provide() {
    T* const known = edit<T>();
    return known != nullptr ? *known : provide(T());
  }
  template <Fact T>
  void withdraw() {
    facts_.erase(TypeKey::of<T>());
  }

  /// Call it if a tensor keeps its name but has new values, for example after rescaling. Facts forget the tensor.
  void tensor_changed(std::string_view tensor);
  /// Call it if a tensor has a new name. Facts move to that name.
  void tensor_renamed(std::string_view from, std::string_view to);
  /// Call it for a new tensor that concatenates the channels of the parts in order. Facts combine those of the parts.
  void tensor_joined(std::string_view tensor, std::span<const std::string> parts);
  void node_renamed(std::string_view from, std::string_view to);
  /// Call it if one of several nodes with this name gets a new name. Facts about the old name then hold for both.
  void node_copied(std::string_view from, std::string_view to);

 private:
  friend class Pass;

  /// The number of calls that provided a fact.
  std::uint64_t provided() const { return provided_; }
  /// Drops the facts that `pass` does not preserve, except decisions and facts provided after `since`.
  void drop_unpreserved(const Preserved& preserved, std::uint64_t since, const std::string& pass);
  /// Records that `pass` declares to provide a fact of this type, for the message if the fact is missing.
  void expect(TypeKey type, const std::string& pass);

  /// The reason why a fact is missing.
  struct Absence {
    enum class Why : std::uint8_t { dropped, not_provided } why;
    std::string pass;
  };
  /// The reason why a fact is missing; nullptr if no pass was concerned with it.
  const Absence* absence(TypeKey type) const;

  struct Entry {
    std::shared_ptr<detail::HeldFact> held;
    std::uint64_t provided;
  };

  void follow(const detail::FactEdit& edit);

  static detail::HeldFact& own(Entry& entry) {
    if (entry.held.use_count() != 1) entry.held = entry.held->clone();
    return *entry.held;
  }

  std::unordered_map<TypeKey, Entry, TypeKey::Hash> facts_;
  std::unordered_map<TypeKey, Absence, TypeKey::Hash> absent_;
  std::uint64_t provided_ = 0;
};

}  // namespace graft::inline v1
