#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// One extent of a shape: known, a symbol, or unknown. The symbol is a view of the proto that it stands in.
class Dim {
 public:
  /// Unknown.
  constexpr Dim() = default;
  /// Known; unknown if negative, which exporters write for lack of a better word.
  constexpr Dim(std::int64_t value) : value_(value < 0 ? unknown_value : value) {}
  /// A symbol; unknown if it is empty.
  constexpr explicit Dim(std::string_view symbol) : symbol_(symbol) {}
  template <std::size_t N>
  constexpr Dim(const char (&symbol)[N]) : Dim(std::string_view(symbol, N - 1)) {}
  explicit Dim(const onnx::TensorShapeProto::Dimension& proto)
      : Dim(proto.has_dim_value() ? Dim(proto.dim_value()) : Dim(std::string_view(proto.dim_param()))) {}

  constexpr bool known() const { return value_ >= 0; }
  constexpr bool symbolic() const { return !symbol_.empty(); }
  /// Precondition: known().
  constexpr std::int64_t value() const { return value_; }
  /// Empty unless symbolic().
  constexpr std::string_view symbol() const { return symbol_; }

  /// Written alike; two unknown dims are, and may yet differ in size.
  friend constexpr bool operator==(const Dim&, const Dim&) = default;

 private:
  static constexpr std::int64_t unknown_value = -1;
  std::int64_t value_ = unknown_value;
  std::string_view symbol_{};
};

/// Whether two dims are known to be of one size: the same number, or the same symbol.
constexpr bool same_size(const Dim& a, const Dim& b) { return a == b && (a.known() || a.symbolic()); }

/// The shape of a tensor: of unknown rank, or a Dim for each axis. A view, cheap to copy, of a proto or of numbers
/// that must outlive it, or of dims that it shares with its copies.
class Shape {
 public:
  /// Of unknown rank.
  Shape() = default;
  explicit Shape(const onnx::TensorShapeProto& proto) : from_(From::proto), data_(&proto), rank_(count(proto.dim())) {}
  /// Of a tensor or sparse tensor type; of unknown rank for other types and where the shape is missing.
  explicit Shape(const onnx::TypeProto& type) {
    if (type.has_tensor_type() && type.tensor_type().has_shape()) *this = Shape(type.tensor_type().shape());
    if (type.has_sparse_tensor_type() && type.sparse_tensor_type().has_shape()) {
      *this = Shape(type.sparse_tensor_type().shape());
    }
  }
  explicit Shape(const onnx::TensorProto& tensor) : Shape(std::span(tensor.dims().data(), count(tensor.dims()))) {}
  explicit Shape(std::span<const std::int64_t> dims) : from_(From::numbers), data_(dims.data()), rank_(dims.size()) {}
  explicit Shape(std::vector<Dim> dims)
      : Shape(From::dims, std::make_shared<const std::vector<Dim>>(std::move(dims))) {}
  template <std::same_as<Dims> T>
  explicit Shape(T&& dims) : Shape(From::numbers, std::make_shared<const Dims>(std::move(dims))) {}
  template <std::derived_from<google::protobuf::Message> T>
  explicit Shape(T&& proto) = delete;  // it would dangle

  /// Whether the rank is known.
  bool known() const { return from_ != From::nowhere; }
  /// 0 if it is not known.
  std::size_t rank() const { return rank_; }
  /// Precondition: axis < rank().
  Dim operator[](std::size_t axis) const {
    switch (from_) {
      case From::proto: return Dim(static_cast<const onnx::TensorShapeProto*>(data_)->dim(static_cast<int>(axis)));
      case From::numbers: return Dim(static_cast<const std::int64_t*>(data_)[axis]);
      case From::dims: return static_cast<const Dim*>(data_)[axis];
      case From::nowhere: break;
    }
    return {};
  }

  /// The extents, if the rank and all of them are known.
  std::optional<Dims> dims() const {
    if (!known()) return std::nullopt;
    Dims values(rank_);
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      const Dim dim = (*this)[axis];
      if (!dim.known()) return std::nullopt;
      values[axis] = dim.value();
    }
    return values;
  }

  /// Written alike, as for Dim.
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.known() != b.known() || a.rank_ != b.rank_) return false;
    for (std::size_t axis = 0; axis < a.rank_; ++axis) {
      if (a[axis] != b[axis]) return false;
    }
    return true;
  }

 private:
  enum class From : std::uint8_t { nowhere, proto, numbers, dims };

  template <class T>
  Shape(From from, std::shared_ptr<const std::vector<T>> owned)
      : from_(from), data_(owned->data()), rank_(owned->size()), owned_(std::move(owned)) {}

  static std::size_t count(const auto& repeated) { return static_cast<std::size_t>(repeated.size()); }

  From from_ = From::nowhere;
  const void* data_ = nullptr;
  std::size_t rank_ = 0;
  std::shared_ptr<const void> owned_;
};

/// Whether two shapes are known to be the same: of known, equal rank, and same_size() in every dim.
inline bool same_size(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known() || a.rank() != b.rank()) return false;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    if (!same_size(a[axis], b[axis])) return false;
  }
  return true;
}

/// "32", "N", "?"
inline std::string to_string(const Dim& dim) {
  if (dim.known()) return std::to_string(dim.value());
  return dim.symbolic() ? std::string(dim.symbol()) : "?";
}
inline std::ostream& operator<<(std::ostream& out, const std::same_as<Dim> auto& dim) { return out << to_string(dim); }

/// "[1,N,?]"; nothing if the rank is unknown.
inline std::string to_string(const Shape& shape) {
  if (!shape.known()) return "";
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) text += (axis ? "," : "") + to_string(shape[axis]);
  return text + "]";
}
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

/// The dtype of a tensor or sparse tensor type; undefined for other types.
inline DType elem_type(const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return static_cast<DType>(type.tensor_type().elem_type());
  if (type.has_sparse_tensor_type()) return static_cast<DType>(type.sparse_tensor_type().elem_type());
  return DType::undefined;
}

/// "f32[1,N,?]"; "f32[]" for a scalar, "f32" for an unknown rank; "sequence(f32[2])", "optional(f32)",
/// "sparse(f32[2])", "map(i64, f32)".
inline std::string to_string(const onnx::TypeProto& type) {
  const auto tensor = [&] { return std::string(to_string(elem_type(type))) + to_string(Shape(type)); };
  if (type.has_tensor_type()) return tensor();
  if (type.has_sparse_tensor_type()) return "sparse(" + tensor() + ")";
  if (type.has_sequence_type()) return "sequence(" + to_string(type.sequence_type().elem_type()) + ")";
  if (type.has_optional_type()) return "optional(" + to_string(type.optional_type().elem_type()) + ")";
  if (type.has_map_type()) {
    return "map(" + std::string(to_string(static_cast<DType>(type.map_type().key_type()))) + ", " +
           to_string(type.map_type().value_type()) + ")";
  }
  return "undefined";
}

/// The type of a dense tensor, for set_type() and the like.
inline onnx::TypeProto tensor_type(DType dtype, const Shape& shape = {}) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(dtype));
  if (!shape.known()) return type;
  onnx::TensorShapeProto& proto = *type.mutable_tensor_type()->mutable_shape();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    onnx::TensorShapeProto::Dimension& dim = *proto.add_dim();
    if (shape[axis].known()) dim.set_dim_value(shape[axis].value());
    if (shape[axis].symbolic()) dim.set_dim_param(std::string(shape[axis].symbol()));
  }
  return type;
}

}  // namespace graft::inline v1
