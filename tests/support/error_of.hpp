#pragma once
#include <string>

#include <graft/graph/error.hpp>

/// What an Error says that f() throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const graft::Error& error) {
    return error.what();
  }
  return "";
}
