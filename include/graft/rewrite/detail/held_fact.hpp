#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <graft/rewrite/fact.hpp>

namespace graft::inline v1::detail {

/// The changes of a tensor or node. Each corresponds to an optional member of a fact.
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

using FactEdit = std::variant<TensorChanged, TensorRenamed, TensorJoined, NodeRenamed, NodeCopied>;

template <class T>
auto follow(T& fact, const TensorChanged& edit) -> decltype(fact.erase(edit.tensor)) {
  return fact.erase(edit.tensor);
}
template <class T>
auto follow(T& fact, const TensorRenamed& edit) -> decltype(fact.rename(edit.from, edit.to)) {
  return fact.rename(edit.from, edit.to);
}
template <class T>
auto follow(T& fact, const TensorJoined& edit) -> decltype(fact.join(edit.tensor, edit.parts)) {
  return fact.join(edit.tensor, edit.parts);
}
template <class T>
auto follow(T& fact, const NodeRenamed& edit) -> decltype(fact.rename_node(edit.from, edit.to)) {
  return fact.rename_node(edit.from, edit.to);
}
template <class T>
auto follow(T& fact, const NodeCopied& edit) -> decltype(fact.copy_node(edit.from, edit.to)) {
  return fact.copy_node(edit.from, edit.to);
}

template <class T, class Edit>
concept follows = requires(T& fact, const Edit& edit) { detail::follow(fact, edit); };

/// A fact of any type. A change without a corresponding member does not affect it, and needs no copy of a shared fact.
struct HeldFact {
  virtual ~HeldFact() = default;
  virtual std::shared_ptr<HeldFact> clone() const = 0;
  virtual bool is_decision() const = 0;
  virtual bool concerns(const FactEdit& edit) const = 0;
  virtual void follow(const FactEdit& edit) = 0;
};

template <Fact T>
struct FactHolder final : HeldFact {
  explicit FactHolder(T f) : fact(std::move(f)) {}

  std::shared_ptr<HeldFact> clone() const override { return std::make_shared<FactHolder>(fact); }
  bool is_decision() const override {
    if constexpr (requires { T::is_decision; }) return T::is_decision;
    return false;
  }
  bool concerns(const FactEdit& edit) const override {
    return std::visit([]<class Edit>(const Edit&) { return follows<T, Edit>; }, edit);
  }
  void follow(const FactEdit& edit) override {
    std::visit(
        [this]<class Edit>(const Edit& one) {
          if constexpr (follows<T, Edit>) detail::follow(fact, one);
        },
        edit);
  }

  T fact;
};

}  // namespace graft::inline v1::detail
