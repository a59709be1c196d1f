#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/rewrite/fact.hpp>

namespace graft::inline v1::detail {

/// A fact of any type. What a fact has no member for leaves it as it is.
struct HeldFact {
  virtual ~HeldFact() = default;
  virtual std::shared_ptr<HeldFact> clone() const = 0;
  virtual bool is_decision() const = 0;
  virtual void erase(std::string_view tensor) = 0;
  virtual void rename(std::string_view from, std::string_view to) = 0;
  virtual void join(std::string_view tensor, std::span<const std::string> parts) = 0;
  virtual void rename_node(std::string_view from, std::string_view to) = 0;
};

template <Fact T>
struct FactHolder final : HeldFact {
  explicit FactHolder(T f) : fact(std::move(f)) {}

  std::shared_ptr<HeldFact> clone() const override { return std::make_shared<FactHolder>(fact); }
  bool is_decision() const override {
    if constexpr (requires { T::is_decision; }) return T::is_decision;
    return false;
  }
  void erase(std::string_view tensor) override {
    if constexpr (requires { fact.erase(tensor); }) fact.erase(tensor);
  }
  void rename(std::string_view from, std::string_view to) override {
    if constexpr (requires { fact.rename(from, to); }) fact.rename(from, to);
  }
  void join(std::string_view tensor, std::span<const std::string> parts) override {
    if constexpr (requires { fact.join(tensor, parts); }) fact.join(tensor, parts);
  }
  void rename_node(std::string_view from, std::string_view to) override {
    if constexpr (requires { fact.rename_node(from, to); }) fact.rename_node(from, to);
  }

  T fact;
};

}  // namespace graft::inline v1::detail
