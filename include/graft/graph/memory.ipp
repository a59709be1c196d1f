#pragma once
#include <graft/graph/memory.hpp>

#include <string>

#include <unistd.h>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t physical_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

GRAFT_INLINE std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims) {
  const std::size_t bytes = byte_count(dtype, dims);
  if (bytes <= physical_memory()) return bytes;
  throw Error(to_string(dtype, dims) + " needs " + std::to_string(bytes) + " bytes, the machine has " +
              std::to_string(physical_memory()));
}

}  // namespace graft::inline v1
