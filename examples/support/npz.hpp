#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zip.h>

#include <graft/graph/error.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/tensor.hpp>

#include "support/npy.hpp"

/// Loads the arrays of a .npz file with their names, as written by numpy.savez() and savez_compressed(). Throws
/// graft::Error with the file, and with the entry as the field.
inline std::vector<std::pair<std::string, graft::Tensor>> load_npz(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw graft::Error("is not a .npz file: " + why).file(path);
  }
  std::vector<std::pair<std::string, graft::Tensor>> arrays;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t found;
    if (zip_stat_index(archive.get(), index, 0, &found) != 0 || (found.valid & ZIP_STAT_SIZE) == 0)
      throw graft::Error("entry " + std::to_string(i) + " cannot be read: " + zip_strerror(archive.get())).file(path);
    std::string name = found.name;
    const auto refused = [&](const std::string& why) { return graft::Error(why).file(path).field(name); };
    constexpr std::string_view extension = ".npy";
    if (name.ends_with(extension)) name.resize(name.size() - extension.size());
    if (found.size > graft::physical_memory()) throw refused("is larger than the memory");
    std::string bytes(found.size, '\0');
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(zip_fopen_index(archive.get(), index, 0), zip_fclose);
    if (entry == nullptr) throw refused(std::string("cannot be read: ") + zip_strerror(archive.get()));
    char beyond = 0;  // the checksum is compared at the end
    if (zip_fread(entry.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()) ||
        zip_fread(entry.get(), &beyond, 1) != 0)
      throw refused(std::string("cannot be read: ") + zip_file_strerror(entry.get()));
    try {
      arrays.emplace_back(name, npy_array(bytes));
    } catch (const graft::Error& error) {
      throw refused(error.message());
    }
  }
  return arrays;
}
