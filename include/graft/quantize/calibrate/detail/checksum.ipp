#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/checksum.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

GRAFT_INLINE std::uint64_t summable_checksum(std::uint64_t index, std::string_view name) {
  std::uint64_t hash = checksum(name) + (index + 1) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

}  // namespace graft::inline v1::detail
