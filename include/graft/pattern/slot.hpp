#pragma once
#include <cstddef>
#include <cstdint>

namespace graft::inline v1 {

/// The content of one capture during and after matching. The capture's kind decides which members are valid:
///
///   value, constant        data: Value*              node                 data: Node*
///   the same as a list     data: Value**, size       nodes as a list      data: Node**, size
///   operands (rest)        data: Value**, size       tensor               data: const Tensor*
///   i64, boolean, dtype, axis   i                    f32                  f
///   ints, axes             data: int64_t*, size      floats               data: float*, size
///   str                    data: char*, size         arg                  data: const T*
///   i64, axis as a list    data: int64_t*, size      f32 as a list        data: float*, size
///
/// A list of values has nullptr for an absent one.
struct Slot {
  enum class State : std::uint8_t { unset, absent, bound };

  State state = State::unset;
  float f = 0;
  std::int64_t i = 0;
  const void* data = nullptr;
  std::size_t size = 0;

  bool bound() const { return state == State::bound; }
};

}  // namespace graft::inline v1
