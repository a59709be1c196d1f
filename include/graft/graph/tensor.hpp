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

/// A dense tensor: dtype, dims, and bytes that are owned, borrowed from elsewhere (a proto), or read from a file when
/// they are first asked for. Copies share the bytes; writing to shared or borrowed bytes copies them first. 2 and 4 bit
/// elements are packed, the first lowest. What looks at the elements of one in a file throws UnreadableTensor if that
/// has changed.
class Tensor {
 public:
  /// No tensor: dtype undefined, no elements.
  Tensor() = default;

  /// Zero-filled. Throws Error for dims and dtypes that byte_count() refuses, and for more than the machine's memory.
  Tensor(DType dtype, Dims dims);

  /// Over writable storage of at least the tensor's size, such as an allocator's. Throws Error if it is smaller or
  /// misaligned.
  Tensor(DType dtype, Dims dims, std::shared_ptr<void> storage, std::size_t storage_size);

  /// Takes over bytes of exactly the tensor's size.
  static Tensor own(DType dtype, Dims dims, std::string bytes);

  /// Over bytes that someone else holds, that nobody writes and that outlive every copy of the tensor; keep_alive,
  /// if given, is held to see to that. Throws Error if they are misaligned for the dtype.
  static Tensor borrow(DType dtype, Dims dims, const void* bytes, std::shared_ptr<const void> keep_alive = {});

  /// Over bytes that are read when they are first asked for.
  static Tensor defer(DType dtype, Dims dims, std::shared_ptr<const detail::DeferredBytes> bytes);

  /// Row-major values, of the dtype that T is stored as. Throws Error if their number is not that of the dims.
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

  /// Row-major values, converted to any numeric dtype: floats to the nearest, half to even; from floats to integers
  /// towards zero; saturating, except for overflow to infinity in f32, f64, f16 and bf16.
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

  /// Of rank 0, of the dtype that T is stored as.
  template <Element T>
  static Tensor scalar(T value) {
    return of({}, std::span<const T>(&value, 1));
  }
  /// Of rank 0, converted as by of().
  template <Number T>
  static Tensor scalar(DType dtype, T value) {
    return of(dtype, {}, std::span<const T>(&value, 1));
  }
  /// Of rank 1, of the dtype that T is stored as.
  template <Element T>
  static Tensor list(std::span<const T> values) {
    return of({static_cast<std::int64_t>(values.size())}, values);
  }
  template <Element T>
  static Tensor list(const std::vector<T>& values) {
    return of({static_cast<std::int64_t>(values.size())}, values);
  }
  /// Of rank 1, converted as by of().
  template <Number T>
  static Tensor list(DType dtype, const std::vector<T>& values) {
    return of(dtype, {static_cast<std::int64_t>(values.size())}, values);
  }

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  std::size_t rank() const { return dims_.size(); }
  /// Number of elements.
  std::int64_t size() const { return size_; }
  /// Whether there is a tensor at all.
  explicit operator bool() const { return dtype_ != DType::undefined; }

  std::span<const std::byte> bytes() const { return {begin(), byte_count_}; }

  /// Whether the bytes are someone else's.
  bool borrows() const { return !writable_ && byte_count_ != 0; }
  /// Whether no other tensor has these bytes: then mutable_bytes() copies nothing.
  bool sole() const { return writable_ && storage_.use_count() == 1; }

  /// The bytes for writing; copied first if another tensor shares them or if they are borrowed.
  std::span<std::byte> mutable_bytes();

  /// The elements in place. Throws Error unless T is what the dtype is stored as; see stores().
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

  /// The elements as numbers of another type: as of() converts. Throws Error for complex numbers.
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

  /// The only element, converted as by to(). Throws Error if there is not exactly one.
  template <Number T>
  T item() const {
    if (size_ != 1) throw Error("one element wanted, got " + describe());
    T value{};
    detail::read_numbers(dtype_, begin(), std::span<T>(&value, 1));
    return value;
  }

  /// The same bytes under other dims. Throws Error if the number of elements differs.
  Tensor reshaped(Dims dims) const;

  /// Equal dtype, dims and bytes.
  bool same_bytes(const Tensor& other) const;

  /// The bytes as a string: moved out if this tensor alone owns them, else copied. The tensor is left undefined.
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
    return Error(describe() + " wants " + std::to_string(byte_count_) + " bytes, got " + std::to_string(given));
  }
  void check_count(std::size_t given) const;
  void check_alignment() const;
  template <Element T>
  void check_stores() const {
    if (stores<T>(dtype_)) return;
    throw Error(describe() + " is not stored as " + std::string(to_string(dtype_of<T>)));
  }

  DType dtype_ = DType::undefined;
  bool writable_ = false;
  Dims dims_;
  std::int64_t size_ = 0;
  std::size_t byte_count_ = 0;
  std::byte* data_ = nullptr;
  const detail::DeferredBytes* deferred_ = nullptr;  // what storage_ holds, if that is such
  std::shared_ptr<void> storage_;
  std::string* owned_ = nullptr;  // what storage_ holds, if that is a string
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/tensor.ipp>
#endif
