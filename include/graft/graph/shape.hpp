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

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

/// One extent of a shape: known, a symbol, or unknown. The symbol refers to the memory of its proto.
class Dim {
 public:
  /// An unknown extent.
  constexpr Dim() = default;
  /// A known extent. A negative value means unknown, as some exporters write it.
  constexpr Dim(std::int64_t value) : value_(value < 0 ? unknown_value : value) {}
  /// A symbolic extent; unknown if the symbol is empty.
  constexpr explicit Dim(std::string_view symbol) : symbol_(symbol) {}
  template <std::size_t N>
  constexpr Dim(const char (&symbol)[N]) : Dim(std::string_view(symbol, N - 1)) {}
  explicit Dim(const onnx::TensorShapeProto::Dimension& proto)
      : Dim(proto.has_dim_value() ? Dim(proto.dim_value()) : Dim(std::string_view(proto.dim_param()))) {}

  constexpr bool known() const { return value_ >= 0; }
  constexpr bool symbolic() const { return !symbol_.empty(); }
  /// Precondition: known().
  constexpr std::int64_t value() const { return value_; }
  /// The symbol; empty unless symbolic().
  constexpr std::string_view symbol() const { return symbol_; }

  /// Compares the notation. Two unknown dims are equal here, although their sizes may differ.
  friend constexpr bool operator==(const Dim&, const Dim&) = default;

 private:
  static constexpr std::int64_t unknown_value = -1;
  std::int64_t value_ = unknown_value;
  std::string_view symbol_{};
};

/// Whether two dims certainly have one size: the same number, or the same symbol.
constexpr bool same_size(const Dim& a, const Dim& b) { return a == b && (a.known() || a.symbolic()); }

/// The shape of a tensor: of unknown rank, or one Dim for each axis. A cheap view of a proto or of numbers, which must
/// outlive it, or of dims that its copies share.
class Shape {
 public:
  /// A shape of unknown rank.
  Shape() = default;
  explicit Shape(const onnx::TensorShapeProto& proto) : from_(From::proto), data_(&proto), rank_(count(proto.dim())) {}
  /// The shape of a tensor or sparse tensor type. Of unknown rank for other types and for a missing shape.
  explicit Shape(const onnx::TypeProto& type);
  explicit Shape(const onnx::TensorProto& tensor) : Shape(std::span(tensor.dims().data(), count(tensor.dims()))) {}
  explicit Shape(std::span<const std::int64_t> dims) : from_(From::numbers), data_(dims.data()), rank_(dims.size()) {}
  explicit Shape(std::vector<Dim> dims)
      : Shape(From::dims, std::make_shared<const std::vector<Dim>>(std::move(dims))) {}
  template <std::same_as<Dims> T>
  explicit Shape(T&& dims) : Shape(From::numbers, std::make_shared<const Dims>(std::move(dims))) {}
  template <std::derived_from<google::protobuf::MessageLite> T>
  explicit Shape(T&& proto) = delete;  // it would dangle

  /// Whether the rank is known.
  bool known() const { return from_ != From::nowhere; }
  /// The rank; 0 if it is unknown.
  std::size_t rank() const { return rank_; }
  /// Precondition: axis < rank().
  Dim operator[](std::size_t axis) const;

  /// Whether the shape is a view of this type's shape. Extents are not compared.
  bool is_view_of(const onnx::TypeProto& type) const {
    return from_ == From::proto && type.has_tensor_type() && data_ == &type.tensor_type().shape();
  }

  /// The extents; nullopt unless the rank and all extents are known.
  std::optional<Dims> dims() const;

  /// Compares the notation, as Dim does.
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

/// Whether two shapes are certainly the same: known, equal ranks, and same_size() for every dim.
bool same_size(const Shape& a, const Shape& b);

/// "32", "N", "?"
std::string to_string(const Dim& dim);
inline std::ostream& operator<<(std::ostream& out, const std::same_as<Dim> auto& dim) { return out << to_string(dim); }

/// The shape as "[1,N,?]"; "" if the rank is unknown.
std::string to_string(const Shape& shape);
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

/// The dtype of a tensor or sparse tensor type; undefined for other types.
DType elem_type(const onnx::TypeProto& type);

/// "f32[1,N,?]"; "f32[]" for a scalar, "f32" for an unknown rank; "sequence(f32[2])", "optional(f32)",
/// "sparse(f32[2])", "map(i64, f32)".
std::string to_string(const onnx::TypeProto& type);

/// The type of a dense tensor, for set_type() and similar calls.
onnx::TypeProto tensor_type(DType dtype, const Shape& shape = {});

}  // namespace graft::inline v1
