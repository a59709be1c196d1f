#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

inline bool are_bools(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    if (byte > std::byte{1}) return false;
  }
  return true;
}

/// A tensor over the bytes of a file or a proto: in place if possible, else a copy.
inline Tensor tensor_over(DType dtype, Dims dims, std::span<const std::byte> bytes,
                          std::shared_ptr<const void> keep_alive) {
  const bool valid = dtype != DType::boolean || are_bools(bytes);
  if (valid && is_aligned(dtype, bytes.data())) {
    return Tensor::borrow(dtype, std::move(dims), bytes.data(), std::move(keep_alive));
  }
  std::string copy(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!valid) {
    for (char& byte : copy) byte = static_cast<char>(byte != 0);
  }
  return Tensor::own(dtype, std::move(dims), std::move(copy));
}

/// Reads the typed field that ONNX prescribes for a dtype without raw_data.
struct TypedData {
  const onnx::TensorProto& proto;
  DType dtype;
  Dims dims;
  std::shared_ptr<const void> keep_alive;

  Tensor read() {
    switch (dtype) {
      case DType::f32: return in_place("float_data", proto.float_data());
      case DType::c64: return in_place("float_data", proto.float_data(), 2);
      case DType::f64: return in_place("double_data", proto.double_data());
      case DType::c128: return in_place("double_data", proto.double_data(), 2);
      case DType::i64: return in_place("int64_data", proto.int64_data());
      case DType::u64: return in_place("uint64_data", proto.uint64_data());
      case DType::u32: return narrowed<std::uint32_t>("uint64_data", proto.uint64_data());
      case DType::i32: return in_place("int32_data", proto.int32_data());
      default: break;
    }
    // An entry holds one element, or for 2 and 4 bits one byte of packed elements.
    if (bits(dtype) == 16) return narrowed<std::uint16_t>("int32_data", proto.int32_data());
    return narrowed<std::uint8_t>("int32_data", proto.int32_data());
  }

 private:
  template <class Field>
  void check_length(const char* name, const Field& field, std::size_t wanted) const {
    const auto got = static_cast<std::size_t>(field.size());
    if (got == wanted) return;
    throw Error(std::string(name) + " of " + to_string(dtype, dims) + ": expected " + std::to_string(wanted) +
                " entries, found " + std::to_string(got));
  }

  /// Reads entries in place: each entry, or `parts` entries together, are one element.
  template <class Field>
  Tensor in_place(const char* name, const Field& field, std::size_t parts = 1) {
    check_length(name, field, static_cast<std::size_t>(element_count(dims)) * parts);
    return tensor_over(dtype, std::move(dims), std::as_bytes(std::span(field.data(), field.data() + field.size())),
                       std::move(keep_alive));
  }

  /// Copies the low bits of each entry as a T of the tensor's bytes.
  template <class T, class Field>
  Tensor narrowed(const char* name, const Field& field) {
    const std::size_t size = byte_count(dtype, dims);
    check_length(name, field, size / sizeof(T));
    std::string bytes(size, '\0');
    char* out = bytes.data();
    for (const auto entry : field) {
      const auto element = dtype == DType::boolean ? static_cast<T>(entry != 0) : static_cast<T>(entry);
      std::memcpy(out, &element, sizeof(T));
      out += sizeof(T);
    }
    return Tensor::own(dtype, std::move(dims), std::move(bytes));
  }
};

}  // namespace graft::inline v1::detail
