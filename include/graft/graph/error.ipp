#pragma once
#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Error& Error::set(std::string& part, std::string_view value) {
  if (part.empty()) part = value;
  compose();
  return *this;
}

GRAFT_INLINE Error& Error::append(std::string_view text) {
  message_ += text;
  compose();
  return *this;
}

GRAFT_INLINE void Error::compose() {
  text_.clear();
  if (!file_.empty()) text_ += file_ + ": ";
  if (!pass_.empty()) text_ += "pass '" + pass_ + "': ";
  if (!node_.empty()) text_ += "node '" + node_ + "': ";
  if (!field_.empty()) text_ += field_ + ": ";
  text_ += message_;
}

namespace detail {

GRAFT_INLINE void raise(const Error& error) { throw error; }

GRAFT_INLINE void with_part(Error& (Error::*part)(std::string_view), std::string_view value,
                            const std::function<void()>& f) {
  try {
    f();
  } catch (Error& error) {
    (error.*part)(value);
    throw;
  }
}

}  // namespace detail

}  // namespace graft::inline v1
