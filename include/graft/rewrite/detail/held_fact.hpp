#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/rewrite/fact.hpp>

namespace graft::inline v1::detail {

/// What happened to a tensor or a node. A fact follows it with the member that is called like it.
struct TensorChanged {
  std::string_view tensor;
};
struct TensorRenamed {
  std::string_view from, to;
};
struct TensorJoined {
  std::string_view tensor;
  std::span<const std::string> parts;
};
struct NodeRenamed {
  std::string_view from, to;
};
struct NodeCopied {
  std::string_view from, to;
};

template <class T>
concept follows_changes = requires(T& fact, const TensorChanged& edit) { fact.erase(edit.tensor); };
template <class T>
concept follows_renames = requires(T& fact, const TensorRenamed& edit) { fact.rename(edit.from, edit.to); };
template <class T>
concept follows_joins = requires(T& fact, const TensorJoined& edit) { fact.join(edit.tensor, edit.parts); };
template <class T>
concept follows_node_renames = requires(T& fact, const NodeRenamed& edit) { fact.rename_node(edit.from, edit.to); };
template <class T>
concept follows_node_copies = requires(T& fact, const NodeCopied& edit) { fact.copy_node(edit.from, edit.to); };

/// A fact of any type. What it has no member for does not concern it, and needs no copy of a shared one.
struct HeldFact {
  virtual ~HeldFact() = default;
  virtual std::shared_ptr<HeldFact> clone() const = 0;
  virtual bool is_decision() const = 0;

  virtual bool concerns(const TensorChanged&) const = 0;
  virtual bool concerns(const TensorRenamed&) const = 0;
  virtual bool concerns(const TensorJoined&) const = 0;
  virtual bool concerns(const NodeRenamed&) const = 0;
  virtual bool concerns(const NodeCopied&) const = 0;
  virtual void follow(const TensorChanged& edit) = 0;
  virtual void follow(const TensorRenamed& edit) = 0;
  virtual void follow(const TensorJoined& edit) = 0;
  virtual void follow(const NodeRenamed& edit) = 0;
  virtual void follow(const NodeCopied& edit) = 0;
};

template <Fact T>
struct FactHolder final : HeldFact {
  explicit FactHolder(T f) : fact(std::move(f)) {}

  std::shared_ptr<HeldFact> clone() const override { return std::make_shared<FactHolder>(fact); }
  bool is_decision() const override {
    if constexpr (requires { T::is_decision; }) return T::is_decision;
    return false;
  }

  bool concerns(const TensorChanged&) const override { return follows_changes<T>; }
  bool concerns(const TensorRenamed&) const override { return follows_renames<T>; }
  bool concerns(const TensorJoined&) const override { return follows_joins<T>; }
  bool concerns(const NodeRenamed&) const override { return follows_node_renames<T>; }
  bool concerns(const NodeCopied&) const override { return follows_node_copies<T>; }
  void follow([[maybe_unused]] const TensorChanged& edit) override {
    if constexpr (follows_changes<T>) fact.erase(edit.tensor);
  }
  void follow([[maybe_unused]] const TensorRenamed& edit) override {
    if constexpr (follows_renames<T>) fact.rename(edit.from, edit.to);
  }
  void follow([[maybe_unused]] const TensorJoined& edit) override {
    if constexpr (follows_joins<T>) fact.join(edit.tensor, edit.parts);
  }
  void follow([[maybe_unused]] const NodeRenamed& edit) override {
    if constexpr (follows_node_renames<T>) fact.rename_node(edit.from, edit.to);
  }
  void follow([[maybe_unused]] const NodeCopied& edit) override {
    if constexpr (follows_node_copies<T>) fact.copy_node(edit.from, edit.to);
  }

  T fact;
};

}  // namespace graft::inline v1::detail
