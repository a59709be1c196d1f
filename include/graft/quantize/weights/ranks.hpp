#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace graft::inline v1 {

/// Processes that share work, such as the ranks of MPI. All run the same passes on the same model and samples.
struct Ranks {
  std::size_t rank = 0;   ///< of this process
  std::size_t count = 1;  ///< of all
  /// Gives this rank's bytes to the others, and returns those of all, by rank. Each rank calls it equally often. A rank
  /// that throws calls it no more: the program then ends the other ranks, which wait in it, as by MPI_Abort.
  std::function<std::vector<std::string>(std::string own)> exchange{};
};

}  // namespace graft::inline v1
