#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/reservation.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// What a run reads of files: memory of its budget, once for all tensors at one place.
class ExternalReads {
 public:
  /// Throws Error naming the file if the budget has not enough left for what was not yet read at that place.
  void add(const ExternalLocation& where, std::size_t bytes) {
    std::size_t& known = bytes_[where.location][where.offset];
    if (bytes <= known) return;
    try {
      reservations_.emplace_back(bytes - known);
    } catch (Error& error) {
      throw error.file(where.location);
    }
    known = bytes;
  }

 private:
  std::map<std::string, std::map<std::uint64_t, std::size_t>> bytes_;  // by file and offset
  std::vector<Reservation> reservations_;
};

}  // namespace graft::inline v1::standard_kernels::detail
