#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A part of a message. Holds views: kernels throw in many places, and code that concatenates strings in each would be
/// larger than the kernels.
class Piece {
 public:
  Piece(const char* text) : text_(text) {}
  Piece(std::string_view text) : text_(text) {}
  Piece(DType dtype) : text_(to_string(dtype)) {}
  Piece(std::integral auto number) : kind_(Kind::number), number_(static_cast<std::int64_t>(number)) {}
  Piece(const Dims& dims) : kind_(Kind::dims), dims_(dims) {}
  Piece(const Tensor& tensor) : kind_(Kind::tensor), text_(to_string(tensor.dtype())), dims_(tensor.dims()) {}

  std::string text() const {
    switch (kind_) {
      case Kind::text: return std::string(text_);
      case Kind::number: return std::to_string(number_);
      case Kind::dims: return to_string(dims_);
      case Kind::tensor: break;
    }
    return std::string(text_) + to_string(dims_);
  }

 private:
  enum class Kind { text, number, dims, tensor };
  Kind kind_ = Kind::text;
  std::string_view text_{};
  std::int64_t number_ = 0;
  std::span<const std::int64_t> dims_{};
};

/// failure({"weights of ", w, " on an input of ", x})
inline Error failure(std::initializer_list<Piece> pieces) {
  std::string message;
  for (const Piece& piece : pieces) message += piece.text();
  return Error(std::move(message));
}

}  // namespace graft::inline v1::standard_kernels::detail
