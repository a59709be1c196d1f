#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/detail/numbers.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {
class DeferredBytes;
}

static_assert(std::endian::native == std::endian::little, "ONNX stores tensors little end first, and so do we");
static_assert(sizeof(bool) == 1, "ONNX stores a bool in a byte");

/// A dense tensor: dtype, dims and bytes. The tensor owns the bytes, borrows them (from a proto), or reads them from a
/// file on first access. Copies share the bytes; a write copies shared or borrowed bytes first. Elements of 2 and 4
/// bits are packed, the first in the lowest bits. Access to elements throws UnreadableTensor if the file has changed.
class Tensor {
 public:
  /// No tensor: undefined dtype, no elements.
  Tensor() = default;

  /// A tensor of zeros. Throws Error for dims and dtypes that byte_count() rejects, and beyond the machine's memory.
  Tensor(DType dtype, Dims dims);

  /// A tensor in writable storage of at least its size, such as an allocator's. Throws Error if the storage is smaller
  /// or misaligned.
  Tensor(DType dtype, Dims dims, std::shared_ptr<void> storage, std::size_t storage_size);

  /// Takes ownership of bytes of exactly the tensor's size.
  static Tensor own(DType dtype, Dims dims, std::string bytes);

  /// A tensor over constant bytes of another owner, which must outlive every copy of the tensor. The tensor and its
  /// copies hold keep_alive, if given. Throws Error if the bytes are misaligned for the dtype.
  static Tensor borrow(DType dtype, Dims dims, const void* bytes, std::shared_ptr<const void> keep_alive = {});

  /// A tensor whose bytes are read on first access.
  static Tensor defer(DType dtype, Dims dims, std::shared_ptr<const detail::DeferredBytes> bytes);

  /// A tensor of row-major values, of the dtype that stores T. Throws Error if the dims need another number of values.
  template <Element T>
  static Tensor of(Dims dims, std::span<const T> values) {
    Tensor tensor(dtype_of<T>, std::move(dims), Unfilled{});
    tensor.check_count(values.size());
    tensor.hold(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    return tensor;
  }
  template <Element T>
  static Tensor of(Dims dims, const std::vector<T>& values) {
    if constexpr (std::same_as<T, bool>) {
      const std::vector<std::uint8_t> bytes(values.begin(), values.end());
      return of(DType::boolean, std::move(dims), std::span<const std::uint8_t>(bytes));
    } else {
      return of(std::move(dims), std::span<const T>(values));
    }
  }
  template <Element T>
  static Tensor of(Dims dims, std::initializer_list<T> values) {
    return of(std::move(dims), std::span<const T>(values.begin(), values.size()));
  }

  /// A tensor of row-major values, converted to any numeric dtype. Floats round to the nearest, half to even; floats to
  /// integers round towards zero. Values saturate, but overflow to infinity in f32, f64, f16 and bf16.
  template <Number T>
  static Tensor of(DType dtype, Dims dims, std::span<const T> values) {
    Tensor tensor(dtype, std::move(dims));
    tensor.check_count(values.size());
    detail::write_numbers(dtype, tensor.data_, values);
    return tensor;
  }
  template <Number T>
  static Tensor of(DType dtype, Dims dims, const std::vector<T>& values) {
    return of(dtype, std::move(dims), std::span<const T>(values));
  }
  template <Number T>
  static Tensor of(DType dtype, Dims dims, std::initializer_list<T> values) {
    return of(dtype, std::move(dims), std::span<const T>(values.begin(), values.size()));
  }

  /// A tensor of rank 0, of the dtype that stores T.
  template <Element T>
  static Tensor scalar(T value) {
    return of({}, std::span<const T>(&value, 1));
  }
  /// A tensor of rank 0, converted as in of().
  template <Number T>
  static Tensor scalar(DType dtype, T value) {
    return of(dtype, {}, std::span<const T>(&value, 1));
  }
  /// A tensor of rank 1, of the dtype that stores T.
  template <Element T>
  static Tensor list(std::span<const T> values) {
    return of({static_cast<std::int64_t>(values.size())}, values);
  }
  template <Element T>
  static Tensor list(const std::vector<T>& values) {
    return of({static_cast<std::int64_t>(values.size())}, values);
  }
  /// A tensor of rank 1, converted as in of().
  template <Number T>
  static Tensor list(DType dtype, const std::vector<T>& values) {
    return of(dtype, {static_cast<std::int64_t>(values.size())}, values);
  }

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  std::size_t rank() const { return dims_.size(); }
  std::int64_t size() const { return size_; }
  /// Whether the dtype is defined.
  explicit operator bool() const { return dtype_ != DType::undefined; }

  std::span<const std::byte> bytes() const { return {begin(), byte_count_}; }

  /// Whether another owner holds the bytes.
  bool borrows() const { return !writable_ && byte_count_ != 0; }
  /// Whether no other tensor shares these bytes: then mutable_bytes() copies nothing.
  bool sole() const { return writable_ && storage_.use_count() == 1; }

  /// The bytes for writing. Copies shared or borrowed bytes first.
  std::span<std::byte> mutable_bytes();

  /// The elements in place. Throws Error unless the dtype stores T; see stores().
  template <Element T>
  std::span<const T> data() const {
    check_stores<T>();
    return {reinterpret_cast<const T*>(begin()), byte_count_ / sizeof(T)};
  }
  template <Element T>
  std::span<T> mutable_data() {
    check_stores<T>();
    return {reinterpret_cast<T*>(mutable_bytes().data()), byte_count_ / sizeof(T)};
  }

  /// The elements, converted to another type as in of(). Throws Error for complex numbers.
  template <Number T>
  std::vector<T> to() const {
    const auto count = static_cast<std::size_t>(size_);
    if constexpr (std::same_as<T, bool>) {  // a vector of bool has no array of them
      const auto values = std::make_unique<bool[]>(count);
      detail::read_numbers(dtype_, begin(), std::span<bool>(values.get(), count));
      return std::vector<bool>(values.get(), values.get() + count);
    } else {
      std::vector<T> values(count);
      detail::read_numbers(dtype_, begin(), std::span<T>(values));
      return values;
    }
  }

  /// The only element, converted as in to(). Throws Error if the number of elements is not one.
  template <Number T>
  T item() const {
    if (size_ != 1) detail::raise(Error("expected one element, found " + describe()));
    T value{};
    detail::read_numbers(dtype_, begin(), std::span<T>(&value, 1));
    return value;
  }

  /// The same bytes with other dims. Throws Error if the number of elements differs.
  Tensor reshaped(Dims dims) const;

  /// Whether dtype, dims and bytes are equal.
  bool same_bytes(const Tensor& other) const;

  /// Returns the bytes as a string. Moves them if no other tensor shares them, else copies. The tensor becomes
  /// undefined.
  std::string release();

 private:
  struct Unfilled {};
  Tensor(DType dtype, Dims dims, Unfilled)
      : dtype_(dtype), dims_(std::move(dims)), size_(element_count(dims_)), byte_count_(byte_count(dtype_, dims_)) {}

  void hold(std::string bytes);

  const std::byte* begin() const { return deferred_ == nullptr ? data_ : read_deferred(); }
  const std::byte* read_deferred() const;
  const char* text() const { return reinterpret_cast<const char*>(begin()); }
  std::string describe() const { return to_string(dtype_, dims_); }

  Error wrong_size(std::size_t given) const {
    return Error(describe() + ": expected " + std::to_string(byte_count_) + " bytes, found " + std::to_string(given));
  }
  void check_count(std::size_t given) const;
  void check_alignment() const;
  template <Element T>
  void check_stores() const {
    if (stores<T>(dtype_)) return;
    detail::raise(Error(describe() + " is not stored as " + std::string(to_string(dtype_of<T>))));
  }

  DType dtype_ = DType::undefined;
  bool writable_ = false;
  Dims dims_;
  std::int64_t size_ = 0;
  std::size_t byte_count_ = 0;
  std::byte* data_ = nullptr;
  const detail::DeferredBytes* deferred_ = nullptr;  // the object in storage_, if it is of this type
  std::shared_ptr<void> storage_;
  std::string* owned_ = nullptr;  // the object in storage_, if it is a string
};

}  // namespace graft::inline v1
