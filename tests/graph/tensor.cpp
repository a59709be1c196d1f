#include <graft/graph/tensor.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <catch2/catch.hpp>

using graft::DType;
using graft::Tensor;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::uint16_t code(Eigen::half value) { return Eigen::numext::bit_cast<std::uint16_t>(value); }
std::uint16_t code(Eigen::bfloat16 value) { return Eigen::numext::bit_cast<std::uint16_t>(value); }

}  // namespace

TEST_CASE("a default tensor is undefined") {
  const Tensor tensor;
  CHECK_FALSE(tensor);
  CHECK(tensor.dtype() == DType::undefined);
  CHECK(tensor.size() == 0);
  CHECK(tensor.bytes().empty());
  CHECK_THROWS_AS(tensor.data<float>(), graft::Error);
  CHECK_THROWS_AS(tensor.to<float>(), graft::Error);
}

TEST_CASE("a tensor of a dtype and dims is zero") {
  const Tensor tensor(DType::i32, {2, 3});
  CHECK(tensor);
  CHECK(tensor.rank() == 2);
  CHECK(tensor.dims() == graft::Dims{2, 3});
  CHECK(tensor.size() == 6);
  CHECK(tensor.bytes().size() == 24);
  CHECK(tensor.to<int>() == std::vector<int>(6));
  CHECK_THROWS_AS(Tensor(DType::f32, {-1}), graft::Error);
  CHECK_THROWS_AS(Tensor(DType::string, {1}), graft::Error);
}

TEST_CASE("tensors from values") {
  const Tensor matrix = Tensor::of({2, 2}, {1.5f, 2.f, 3.f, 4.f});
  CHECK(matrix.dtype() == DType::f32);
  CHECK(matrix.data<float>()[3] == 4.f);
  CHECK(Tensor::of<std::int64_t>({2}, {1, -2}).to<int>() == std::vector<int>{1, -2});
  CHECK(Tensor::of({3}, std::vector<std::uint8_t>{1, 2, 255}).dtype() == DType::u8);
  CHECK(Tensor::of({2}, std::vector<bool>{false, true}).to<bool>() == std::vector<bool>{false, true});
  CHECK(Tensor::of({2}, {true, false}).data<bool>()[0]);
  CHECK(Tensor::of({1}, {std::complex<double>(1, 2)}).data<std::complex<double>>()[0].imag() == 2);
  CHECK(Tensor::of({0}, std::vector<float>{}).size() == 0);

  const Tensor scalar = Tensor::scalar(7.0);
  CHECK(scalar.dtype() == DType::f64);
  CHECK(scalar.rank() == 0);
  CHECK(scalar.item<int>() == 7);
  const Tensor half = Tensor::scalar(DType::f16, 1.5);
  CHECK(half.dtype() == DType::f16);
  CHECK(half.rank() == 0);
  CHECK(half.item<float>() == 1.5f);
  CHECK(Tensor::list(std::vector<std::int64_t>{4, 5}).same_bytes(Tensor::of<std::int64_t>({2}, {4, 5})));
  CHECK(Tensor::list(DType::u8, std::vector<double>{4, 300}).same_bytes(Tensor::of<std::uint8_t>({2}, {4, 255})));
  CHECK(Tensor::list(std::vector<float>{}).dims() == graft::Dims{0});

  CHECK_THROWS_WITH(Tensor::of({3}, {1.f}), "f32[3]: expected 3 values, found 1");
}

TEST_CASE("elements are read as what they are stored as, and as nothing else") {
  const Tensor tensor = Tensor::of({2}, {1.f, 2.f});
  CHECK_THROWS_WITH(tensor.data<double>(), "f32[2] is not stored as f64");
  CHECK_THROWS_AS(tensor.data<std::int32_t>(), graft::Error);
  CHECK_THROWS_AS(Tensor(tensor).mutable_data<std::uint8_t>(), graft::Error);
  CHECK(Tensor(DType::f8e5m2, {3}).data<std::uint8_t>().size() == 3);
  CHECK(Tensor(DType::i4, {3}).data<std::uint8_t>().size() == 2);
}

TEST_CASE("packed elements begin in the lowest bits") {
  const auto packed = [](DType dtype, std::initializer_list<int> values) {
    const Tensor tensor = Tensor::of(dtype, {static_cast<std::int64_t>(values.size())}, values);
    const auto data = tensor.data<std::uint8_t>();
    CHECK(tensor.to<int>() == std::vector<int>(values));
    return std::vector<int>(data.begin(), data.end());
  };
  CHECK(packed(DType::i4, {1, -2, 7}) == std::vector<int>{0xE1, 0x07});
  CHECK(packed(DType::u4, {1, 15, 8, 2}) == std::vector<int>{0xF1, 0x28});
  CHECK(packed(DType::i2, {1, -1, -2, 0, 1}) == std::vector<int>{0x2D, 0x01});
  CHECK(packed(DType::u2, {0, 1, 2, 3}) == std::vector<int>{0xE4});
  CHECK(packed(DType::f4e2m1, {1, -6, 4}) == std::vector<int>{0xF2, 0x06});
}

TEST_CASE("16-bit floats round half to even, from f32 and in one step from f64") {
  // Codes by numpy and ml_dtypes 0.6.
  const std::vector<float> values{1.0009765625f, 1.00048828125f, 1.00146484375f, 3.1415927f, 65519.f,
                                  65520.f,       -1e-8f,         6e-8f,          2.98e-8f};
  const std::vector<std::uint16_t> halves{0x3C01, 0x3C00, 0x3C02, 0x4248, 0x7BFF, 0x7C00, 0x8000, 0x0001, 0x0000};
  const std::vector<std::uint16_t> bfloats{0x3F80, 0x3F80, 0x3F80, 0x4049, 0x4780, 0x4780, 0xB22C, 0x3381, 0x3300};
  const Tensor half = Tensor::of(DType::f16, {9}, values), bfloat = Tensor::of(DType::bf16, {9}, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(values[i]);
    CHECK(code(half.data<Eigen::half>()[i]) == halves[i]);
    CHECK(code(bfloat.data<Eigen::bfloat16>()[i]) == bfloats[i]);
  }
  CHECK(std::isnan(Tensor::of(DType::f16, {1}, {not_a_number}).item<float>()));
  CHECK(std::isnan(Tensor::of(DType::bf16, {1}, {not_a_number}).item<double>()));

  // Through f32 these would be ties, and go the other way.
  const double above = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  CHECK(code(Tensor::of(DType::f16, {1}, {above}).data<Eigen::half>()[0]) == 0x3C01);
  CHECK(code(Tensor::of(DType::f16, {1}, {-above}).data<Eigen::half>()[0]) == 0xBC01);
  const double odd = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -23) - std::ldexp(1.0, -30);
  CHECK(code(Tensor::of(DType::f16, {1}, {odd}).data<Eigen::half>()[0]) == 0x3C01);
  const double below = 1 + 3 * std::ldexp(1.0, -8) - std::ldexp(1.0, -40);
  CHECK(code(Tensor::of(DType::bf16, {1}, {below}).data<Eigen::bfloat16>()[0]) == 0x3F81);
}

TEMPLATE_TEST_CASE("16-bit floats are converted as Eigen converts them", "", Eigen::half, Eigen::bfloat16) {
  constexpr DType dtype = graft::dtype_of<TestType>;
  Tensor all(dtype, {65536});  // each code once
  for (std::uint32_t i = 0; i < 65536; ++i) {
    all.mutable_data<TestType>()[i] = Eigen::numext::bit_cast<TestType>(static_cast<std::uint16_t>(i));
  }
  const std::vector<float> values = all.to<float>();
  std::vector<float> near;  // each value, the middle between it and the next, and the floats beside these
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto expected = static_cast<float>(all.data<TestType>()[i]);
    const bool same =
        Eigen::numext::bit_cast<std::uint32_t>(values[i]) == Eigen::numext::bit_cast<std::uint32_t>(expected);
    if (!same && !std::isnan(expected)) FAIL_CHECK("code " << i << " is " << values[i] << ", expected " << expected);
    if (std::isnan(expected) != std::isnan(values[i])) FAIL_CHECK("code " << i << " is " << values[i]);
    const float next = i % 32768 == 32767 ? values[i] : values[i + 1];
    for (const float value : {values[i], values[i] + (next - values[i]) / 2}) {
      near.insert(near.end(), {std::nextafter(value, -infinity), value, std::nextafter(value, infinity)});
    }
  }
  const Tensor rounded = Tensor::of(dtype, {static_cast<std::int64_t>(near.size())}, near);
  const auto codes = rounded.template data<TestType>();
  for (std::size_t i = 0; i < near.size(); ++i) {
    const TestType expected(near[i]);
    if (code(codes[i]) != code(expected) && !std::isnan(near[i])) {
      FAIL_CHECK(near[i] << " has code " << code(codes[i]) << ", expected " << code(expected));
    }
  }
}

TEST_CASE("conversion to integers truncates and saturates") {
  const std::vector<float> values{1.9f, -1.9f, 300.f, -300.f, 1e20f, -1e20f, infinity, -infinity, not_a_number};
  const Tensor tensor = Tensor::of({9}, values);
  CHECK(tensor.to<std::int8_t>() == std::vector<std::int8_t>{1, -1, 127, -128, 127, -128, 127, -128, 0});
  CHECK(tensor.to<std::uint8_t>() == std::vector<std::uint8_t>{1, 0, 255, 0, 255, 0, 255, 0, 0});
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(tensor.to<std::int64_t>() == std::vector<std::int64_t>{1, -1, 300, -300, most, least, most, least, 0});
  CHECK(tensor.to<std::uint64_t>()[6] == std::numeric_limits<std::uint64_t>::max());

  CHECK(Tensor::of({2}, {most, least}).to<std::int32_t>() ==
        std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()});
  CHECK(Tensor::of({2}, {-1, 70000}).to<std::uint16_t>() == std::vector<std::uint16_t>{0, 65535});
  CHECK(Tensor::scalar(std::numeric_limits<std::uint64_t>::max()).item<std::int64_t>() == most);
  CHECK(Tensor::of(DType::i4, {4}, {100.f, -100.f, 6.9f, -1.5f}).to<int>() == std::vector<int>{7, -8, 6, -1});
}

TEST_CASE("conversion to bool asks for anything but zero") {
  CHECK(Tensor::of({4}, {0.f, -0.f, 0.25f, not_a_number}).to<bool>() == std::vector<bool>{false, false, true, true});
  CHECK(Tensor::of(DType::boolean, {2}, {0, 256}).to<int>() == std::vector<int>{0, 1});
}

TEST_CASE("every real dtype converts to every other and back") {
  const std::vector<float> values{0.f, 1.f};
  for (std::int32_t from = 1; is_known(DType{from}); ++from) {
    const DType dtype{from};
    if (bits(dtype) == 0 || is_complex(dtype)) continue;
    INFO(to_string(dtype));
    const std::vector<float> held = dtype == DType::f8e8m0 ? std::vector<float>{2.f, 1.f} : values;
    const Tensor tensor = Tensor::of(dtype, {2}, held);
    CHECK(tensor.dtype() == dtype);
    CHECK(tensor.to<float>() == held);
    CHECK(tensor.to<std::int64_t>()[1] == 1);
    CHECK(Tensor::of(dtype, {2}, tensor.to<double>()).same_bytes(tensor));
    CHECK(Tensor::of(dtype, {2}, tensor.to<Eigen::half>()).same_bytes(tensor));
  }
  CHECK_THROWS_AS(Tensor(DType::c64, {1}).to<float>(), graft::Error);
}

TEST_CASE("item needs exactly one element, whatever its rank") {
  CHECK(Tensor::of({1, 1}, {2.5f}).item<double>() == 2.5);
  CHECK(Tensor::of(DType::i4, {1}, {-3}).item<int>() == -3);
  CHECK_THROWS_WITH(Tensor::of({2}, {1.f, 2.f}).item<float>(), "expected one element, found f32[2]");
  CHECK_THROWS_AS(Tensor(DType::f32, {0}).item<float>(), graft::Error);
}

TEST_CASE("copies share their bytes until one is written") {
  Tensor first = Tensor::of({2}, {1, 2});
  Tensor second = first;
  CHECK(second.bytes().data() == first.bytes().data());
  second.mutable_data<int>()[0] = 5;
  CHECK(first.to<int>() == std::vector<int>{1, 2});
  CHECK(second.to<int>() == std::vector<int>{5, 2});

  const void* place = second.bytes().data();
  second.mutable_data<int>()[1] = 6;
  CHECK(second.bytes().data() == place);
}

TEST_CASE("borrowed bytes are read in place, kept alive, and copied before they are written") {
  auto numbers = std::make_shared<std::vector<float>>(std::vector<float>{1.f, 2.f});
  const std::weak_ptr<std::vector<float>> watch = numbers;
  const float* place = numbers->data();
  Tensor tensor = Tensor::borrow(DType::f32, {2}, place, std::move(numbers));
  CHECK(tensor.data<float>().data() == place);
  CHECK_FALSE(watch.expired());
  Tensor copy = tensor;
  copy.mutable_data<float>()[0] = 9.f;
  CHECK(place[0] == 1.f);
  tensor.mutable_data<float>()[0] = 9.f;
  CHECK(watch.expired());
  CHECK(tensor.same_bytes(copy));

  alignas(8) const char bytes[16] = {};
  CHECK_THROWS_WITH(Tensor::borrow(DType::f32, {1}, bytes + 1), "the bytes of f32[1] are misaligned");
  CHECK_NOTHROW(Tensor::borrow(DType::i8, {1}, bytes + 1));
}

TEST_CASE("an allocator's storage is written in place while it is not shared") {
  auto storage = std::make_shared<std::vector<std::int64_t>>(4);
  const std::vector<std::int64_t>* numbers = storage.get();
  std::shared_ptr<void> memory(storage, storage->data());
  storage.reset();
  Tensor tensor(DType::i64, {3}, std::move(memory), 32);
  tensor.mutable_data<std::int64_t>()[2] = 8;
  CHECK((*numbers)[2] == 8);
  CHECK(tensor.bytes().size() == 24);
  CHECK(tensor.release() == std::string("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0", 24));

  CHECK_THROWS_WITH(Tensor(DType::f32, {2}, std::make_shared<float>(), 4), "f32[2]: expected 8 bytes, found 4");
}

TEST_CASE("strings go in and out without a copy") {
  std::string bytes(1000, 'x');
  const void* place = bytes.data();
  Tensor tensor = Tensor::own(DType::u8, {1000}, std::move(bytes));
  CHECK(tensor.bytes().data() == place);
  const std::string released = tensor.release();
  CHECK(released.data() == place);
  CHECK_FALSE(tensor);
  CHECK_THROWS_WITH(Tensor::own(DType::f32, {2}, "short"), "f32[2]: expected 8 bytes, found 5");
}

TEST_CASE("a tensor knows whether its bytes are borrowed, shared, or its own") {
  const float number = 1;
  const Tensor borrowed = Tensor::borrow(DType::f32, {}, &number);
  CHECK((borrowed.borrows() && !borrowed.sole()));
  Tensor own = Tensor::scalar(1.0F);
  CHECK((!own.borrows() && own.sole()));
  const Tensor shares = own;
  CHECK((!own.borrows() && !own.sole()));
  own.mutable_bytes();
  CHECK((own.sole() && shares.sole()));
}

TEST_CASE("releasing shared bytes leaves the others theirs") {
  Tensor first = Tensor::of({100}, std::vector<float>(100, 1.f));
  const Tensor second = first;
  const std::string released = first.release();
  CHECK(released.size() == 400);
  CHECK(static_cast<const void*>(released.data()) != second.bytes().data());
  CHECK(second.data<float>()[99] == 1.f);
}

TEST_CASE("a reshaped tensor shares the bytes") {
  const Tensor tensor = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor flat = tensor.reshaped({6});
  CHECK(flat.bytes().data() == tensor.bytes().data());
  CHECK(flat.dims() == graft::Dims{6});
  CHECK_THROWS_WITH(tensor.reshaped({5}), "i32[2,3] cannot take the dims [5]");
  CHECK_THROWS_AS(tensor.reshaped({-1, 6}), graft::Error);
}

TEST_CASE("same_bytes compares dtype, dims and bytes") {
  const Tensor tensor = Tensor::of({2}, {1.f, not_a_number});
  CHECK(tensor.same_bytes(Tensor::of({2}, {1.f, not_a_number})));
  CHECK_FALSE(tensor.same_bytes(Tensor::of({2}, {1.f, 2.f})));
  CHECK_FALSE(tensor.same_bytes(tensor.reshaped({1, 2})));
  CHECK_FALSE(Tensor::of({1}, {0.f}).same_bytes(Tensor::of({1}, {-0.f})));
  CHECK_FALSE(Tensor(DType::f32, {2}).same_bytes(Tensor(DType::i32, {2})));
  CHECK(Tensor().same_bytes(Tensor()));
}
