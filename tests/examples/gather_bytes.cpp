// For mpirun: gathers bytes of several lengths in pieces of several sizes. Prints whether each rank has got all.
#include "support/gather_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

/// Other bytes of each rank; none of rank 1.
std::string bytes_of(int rank, std::size_t size) {
  std::string bytes(rank == 1 ? 0 : size * static_cast<std::size_t>(rank + 1), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>((i * 7 + i / 251 + 31 * bytes.size()) % 256);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int own = 0, ranks = 1, differs = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{400}}) {
    std::vector<std::string> expected;
    for (int rank = 0; rank < ranks; ++rank) expected.push_back(bytes_of(rank, size));
    for (const std::uint64_t piece : {std::uint64_t{5}, std::uint64_t{300}, std::uint64_t{1} << 28})
      if (gather_bytes(expected[static_cast<std::size_t>(own)], ranks, piece) != expected) differs = 1;
  }
  std::printf("rank %d has got %s\n", own, differs == 0 ? "all" : "other bytes");
  MPI_Finalize();
  return differs;
}
