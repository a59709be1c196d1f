#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <graft/rewrite/detail/held_fact.hpp>
#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/preserved.hpp>
#include <graft/rewrite/type_key.hpp>

namespace graft::inline v1 {

class Pass;

/// The facts about a model while passes run on it: one of each type. Copies share their facts until one of them
/// changes its own. Shared objects that hide their symbols do not find each other's facts (TypeKey).
///
/// A pass that changes the graph loses the facts that it does not preserve, except for decisions. A pass that preserves
/// facts about tensors calls tensor_changed(), tensor_renamed() or tensor_joined() for the tensors of the main graph
/// that it changes: every fact follows. Rewriter::rename() makes the call when it commits.
class Facts {
 public:
  /// Replaces the fact of that type, if there is one.
  template <Fact T>
  T& provide(T fact) {
    auto holder = std::make_shared<detail::FactHolder<T>>(std::move(fact));
    T& provided = holder->fact;
    facts_.insert_or_assign(TypeKey::of<T>(), Entry{std::move(holder), ++provided_});
    absent_.erase(TypeKey::of<T>());
    return provided;
  }
  /// nullptr if no pass has provided it, or if it was dropped.
  template <Fact T>
  const T* find() const {
    const auto entry = facts_.find(TypeKey::of<T>());
    return entry == facts_.end() ? nullptr
                                 : &static_cast<const detail::FactHolder<T>&>(*entry->second.held).fact;
  }
  /// A copy of the fact; one that is made by default if there is none.
  template <Fact T>
  T value_or_default() const {
    const T* const known = find<T>();
    return known != nullptr ? *known : T();
  }
  /// The same as find(), to change it.
  template <Fact T>
  T* edit() {
    const auto entry = facts_.find(TypeKey::of<T>());
    return entry == facts_.end() ? nullptr : &static_cast<detail::FactHolder<T>&>(own(entry->second)).fact;
  }
  /// The same; provides one, made by default, if there is none.
  template <Fact T>
  T& edit_or_provide() {
    T* const known = edit<T>();
    return known != nullptr ? *known : provide(T());
  }
  template <Fact T>
  void withdraw() {
    facts_.erase(TypeKey::of<T>());
  }

  /// The tensor has other values under its name: it was rescaled, say. What was known of it is forgotten.
  void tensor_changed(std::string_view tensor);
  /// What was known of the tensor is known of its new name.
  void tensor_renamed(std::string_view from, std::string_view to);
  /// A new tensor holds the channels of the parts, one part behind the other. Its facts are made of theirs.
  void tensor_joined(std::string_view tensor, std::span<const std::string> parts);
  void node_renamed(std::string_view from, std::string_view to);
  /// One of several nodes of this name has another now. What was known of all of them is known of both names.
  void node_copied(std::string_view from, std::string_view to);

 private:
  friend class Pass;

  /// How often a fact was provided.
  std::uint64_t provided() const { return provided_; }
  /// Drops what `pass` does not preserve, except for decisions and what was provided later than `since`.
  void drop_unpreserved(const Preserved& preserved, std::uint64_t since, const std::string& pass);
  /// Remembers that `pass` declares to provide the fact of this type, for the case that it is not there.
  void expect(TypeKey type, const std::string& pass);

  /// Why a fact is not there.
  struct Absence {
    enum class Why : std::uint8_t { dropped, not_provided } why;
    std::string pass;
  };
  /// nullptr if no pass had to do with the fact.
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

#ifndef GRAFT_COMPILED
#include <graft/rewrite/facts.ipp>
#endif
