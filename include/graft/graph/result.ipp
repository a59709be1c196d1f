#pragma once
#include <graft/graph/result.hpp>

#include <exception>
#include <new>
#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Error caught_error() {
  try {
    throw;
  } catch (Error& error) {
    return std::move(error);
  } catch (const std::bad_alloc&) {
    return std::move(Error("there is not enough memory").code("out_of_memory"));
  } catch (const std::exception& other) {
    return std::move(Error(other.what()).code("foreign_exception"));
  } catch (...) {
    return std::move(Error("an exception of an unknown type").code("foreign_exception"));
  }
}

}  // namespace graft::inline v1::detail
