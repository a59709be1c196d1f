#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// An error in the input. what() reads "file: pass 'p': node 'n': field: message", with the known parts only.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string message) : std::runtime_error(""), message_(std::move(message)) { compose(); }

  Error& file(std::string_view name) { return set(file_, name); }
  Error& pass(std::string_view name) { return set(pass_, name); }
  Error& node(std::string_view name) { return set(node_, name); }
  Error& field(std::string_view name) { return set(field_, name); }
  Error& append(std::string_view text);  ///< to the message
  /// Identifies the kind of error for programs: for example "not_finite". The text must be a literal.
  Error& code(std::string_view literal) { return code_ = literal, *this; }

  const std::string& message() const { return message_; }
  const std::string& file() const { return file_; }
  const std::string& pass() const { return pass_; }
  const std::string& node() const { return node_; }
  const std::string& field() const { return field_; }
  std::string_view code() const { return code_; }  ///< empty for most errors
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  /// Sets a part unless it is set: the innermost thrower knows best.
  Error& set(std::string& part, std::string_view value);
  void compose();

  std::string message_, file_, pass_, node_, field_, text_;
  std::string_view code_{};
};

/// An error for a tensor whose contents cannot be read. A rule that needs them declines; a pass that needs them fails.
class UnreadableTensor : public Error {
 public:
  explicit UnreadableTensor(Error error) : Error(std::move(error)) {}
};

namespace detail {

/// Throws the error. Headers call this, so that programs without exceptions can include them.
[[noreturn]] void raise(const Error& error);

/// Calls f(). An Error that it throws gets a part, such as &Error::file, and passes on. Other exceptions pass, too.
void with_part(Error& (Error::*part)(std::string_view), std::string_view value, const std::function<void()>& f);

}  // namespace detail

}  // namespace graft::inline v1
