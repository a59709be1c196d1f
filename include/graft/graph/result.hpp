#pragma once
#include <optional>
#include <utility>
#include <variant>

#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// A value, or the Error that prevented it. Functions with names such as try_load() return it and never throw, so that
/// programs without exceptions can call them.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// The value. There must be one.
  T& operator*() & noexcept { return *std::get_if<0>(&held_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
  T* operator->() noexcept { return std::get_if<0>(&held_); }
  const T* operator->() const noexcept { return std::get_if<0>(&held_); }
  /// The error. There must be no value.
  const Error& error() const noexcept { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, Error> held_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// The error. There must be one.
  const Error& error() const noexcept { return *error_; }

 private:
  std::optional<Error> error_;
};

namespace detail {

/// The exception in flight as an Error. One that is not an Error gets the code "out_of_memory" or "foreign_exception".
Error caught_error();

}  // namespace detail

}  // namespace graft::inline v1
