#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1::detail {

constexpr std::uint32_t dtype_bit(DType dtype) { return std::uint32_t{1} << static_cast<std::uint32_t>(dtype); }

/// The requirements of an operand's value.
struct Want {
  std::size_t least_rank = 0, max_rank = 5;
  schema::TypeSet dtypes{0xffffffff};
  bool numeric = false;        // all extents are numbers
  bool exact = false;          // prefer values that no operator has rounded
  bool positive = false;       // for constants
  std::optional<Dims> dims{};  // exactly these

  Want of(std::uint32_t bits) const {
    Want want = *this;
    want.dtypes.bits &= bits;
    return want;
  }
};

inline constexpr std::uint32_t float_bits =
    dtype_bit(DType::f32) | dtype_bit(DType::f16) | dtype_bit(DType::bf16) | dtype_bit(DType::f64);
inline constexpr std::uint32_t index_bits = dtype_bit(DType::i64) | dtype_bit(DType::i32);

/// Thrown if the drawn values do not fit the operator; nothing is added.
struct Unfit {};

class NodeMaker;

}  // namespace graft::inline v1::detail
