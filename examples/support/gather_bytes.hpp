#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

/// Returns the bytes of each rank, by rank. MPI counts bytes in int, so they are gathered in pieces, of so many bytes
/// of all ranks.
inline std::vector<std::string> gather_bytes(std::string_view own, int ranks, std::uint64_t max_piece = 1 << 28) {
  const std::uint64_t size = own.size(), piece = std::max<std::uint64_t>(max_piece / static_cast<unsigned>(ranks), 1);
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks));
  MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<std::string> result(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) result[i].reserve(sizes[i]);
  std::string all;
  for (std::uint64_t done = 0; done < std::ranges::max(sizes); done += piece) {
    const auto rest = [&](std::uint64_t of) { return static_cast<int>(std::min(of - std::min(of, done), piece)); };
    std::vector<int> counts, offsets;
    int sum = 0;
    for (const std::uint64_t one : sizes) {
      counts.push_back(rest(one));
      offsets.push_back(sum);
      sum += counts.back();
    }
    all.resize(static_cast<std::size_t>(sum));
    MPI_Allgatherv(own.data() + std::min(size, done), rest(size), MPI_BYTE, all.data(), counts.data(), offsets.data(),
                   MPI_BYTE, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result[i].append(all, static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(counts[i]));
  }
  return result;
}
