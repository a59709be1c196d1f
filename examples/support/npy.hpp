#pragma once
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/whole_file.hpp>

static_assert(std::endian::native == std::endian::little,
              "numbers are copied from the file without a change of byte order");

/// The text behind 'key': in the header of a .npy file, up to the next key; empty if the key is missing.
inline std::string_view npy_field(std::string_view header, std::string_view key) {
  const std::size_t start = header.find("'" + std::string(key) + "':");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = header.substr(start + key.size() + 3);
  return rest.substr(0, rest.find("'", rest.find_first_not_of(" '")));
}

inline std::optional<graft::DType> npy_dtype(std::string_view descr) {
  using graft::DType;
  constexpr std::pair<std::string_view, DType> dtypes[] = {
      {"<f4", DType::f32}, {"<f8", DType::f64}, {"<f2", DType::f16}, {"<i8", DType::i64}, {"<i4", DType::i32},
      {"<i2", DType::i16}, {"|i1", DType::i8},  {"|u1", DType::u8},  {"<u2", DType::u16}, {"<u4", DType::u32},
      {"<u8", DType::u64}, {"|b1", DType::boolean}};
  for (const auto& [name, dtype] : dtypes)
    if (descr.find(name) != std::string_view::npos) return dtype;
  return std::nullopt;
}

/// Parses the bytes of a .npy file, in versions 1 to 3 of the format that numpy.lib.format describes. Throws
/// graft::Error for other formats, for arrays in Fortran's order, and for dtypes other than little-endian numbers and
/// bool.
inline graft::Tensor npy_array(std::string_view bytes) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (bytes.size() < 12 || !bytes.starts_with(magic)) throw graft::Error("is not an array in the .npy format");
  const bool is_first = bytes[6] == 1;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, is_first ? 2 : 4);
  const std::size_t start = is_first ? 10 : 12;
  if (length > bytes.size() - start) throw graft::Error("ends within its header");
  const std::string_view header = bytes.substr(start, length);

  const std::optional<graft::DType> dtype = npy_dtype(npy_field(header, "descr"));
  if (!dtype) throw graft::Error("holds no little-endian numbers");
  if (npy_field(header, "fortran_order").find("False") == std::string_view::npos)
    throw graft::Error("is in Fortran's order; save numpy.ascontiguousarray() of it");
  const std::string_view shape = npy_field(header, "shape");
  graft::Dims dims;
  std::size_t elements = 1;
  for (std::size_t at = shape.find('('); at < shape.size();) {
    at = shape.find_first_of("0123456789", at);
    if (at == std::string_view::npos) break;
    std::int64_t extent = 0;
    const auto [end, failure] = std::from_chars(shape.data() + at, shape.data() + shape.size(), extent);
    if (failure != std::errc()) throw graft::Error("has an extent that is not a number");
    at = static_cast<std::size_t>(end - shape.data());
    dims.push_back(extent);
    if (extent != 0 && elements > bytes.size() / static_cast<std::size_t>(extent)) throw graft::Error("is too short");
    elements *= static_cast<std::size_t>(extent);
  }
  graft::Tensor tensor(*dtype, dims);
  if (bytes.size() - start - length != tensor.bytes().size()) throw graft::Error("does not have the size of its shape");
  std::memcpy(tensor.mutable_bytes().data(), bytes.data() + start + length, tensor.bytes().size());
  return tensor;
}

/// Loads a .npy file. Throws the errors of npy_array(), with the name of the file.
inline graft::Tensor load_npy(const std::string& path) {
  const std::string bytes = graft::read_whole(path, graft::physical_memory());
  try {
    return npy_array(bytes);
  } catch (graft::Error& error) {
    throw error.file(path);
  }
}
