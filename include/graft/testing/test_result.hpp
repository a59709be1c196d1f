#pragma once
#include <ostream>
#include <string>
#include <utility>

namespace graft::inline v1 {

/// The result of a check of the kit: whether it holds, and a message if it does not. It works with every test framework
/// that asserts a condition and prints with <<: CHECK(given(g).rule(r).becomes(e)).
class [[nodiscard]] TestResult {
 public:
  static TestResult pass() { return TestResult(true, {}); }
  static TestResult fail(std::string why) { return TestResult(false, std::move(why)); }

  explicit operator bool() const { return holds_; }
  /// Empty if the check holds.
  const std::string& message() const { return message_; }
  friend std::ostream& operator<<(std::ostream& out, const TestResult& result) {
    return out << (result.holds_ ? "holds" : result.message_);
  }

 private:
  TestResult(bool holds, std::string message) : holds_(holds), message_(std::move(message)) {}

  bool holds_;
  std::string message_;
};

}  // namespace graft::inline v1
