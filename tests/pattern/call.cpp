#include <graft/pattern/call.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

/// What a function over captures gives, once the captures stand in slots 0, 1, ...
template <std::size_t N, class C, class Result>
Computed made(const Call<N, C, Result>& call_, std::span<const Slot> slots) {
  std::array<std::int64_t, N> which{};
  for (std::size_t i = 0; i < N; ++i) which[i] = static_cast<std::int64_t>(i);
  return call_.compute(slots.data(), which.data());
}

Slot number(std::int64_t i) {
  Slot slot;
  slot.state = Slot::State::bound;
  slot.i = i;
  return slot;
}

}  // namespace

TEST_CASE("call computes what its function returns") {
  const Slot slots[] = {number(3), number(4)};
  constexpr auto sum = call<[](std::int64_t p, std::int64_t q) { return p + q; }>(axis, attr<"group", std::int64_t>);
  CHECK(std::get<std::int64_t>(made(sum, slots)) == 7);
  CHECK(std::get<std::int64_t>(made(call<[](std::int64_t p) { return p == 4; }>(axis), slots)) == 0);
  CHECK(std::get<std::int64_t>(made(call<[](std::int64_t) { return DType::u8; }>(axis), slots)) == 2);
  CHECK(std::get<float>(made(call<[](std::int64_t p) { return 0.5 * static_cast<double>(p); }>(axis), slots)) == 1.5f);
  CHECK(std::get<std::string>(made(call<[](std::int64_t) { return "edge"; }>(axis), slots)) == "edge");
  CHECK(std::get<Ints>(made(call<[](std::int64_t p) { return Ints{p}; }>(axis), slots)) == Ints{3});
  CHECK(std::get<Floats>(made(call<[](std::int64_t) { return Floats{2}; }>(axis), slots)) == Floats{2});
  CHECK(std::get<Tensor>(made(call<[](std::int64_t p) { return Tensor::scalar(p); }>(axis), slots)).item<int>() == 3);
}

TEST_CASE("an empty optional declines") {
  const Slot slots[] = {number(3)};
  constexpr auto odd = call<[](std::int64_t p) { return p == 3 ? std::nullopt : std::optional(p); }>(axis);
  CHECK(std::holds_alternative<std::monostate>(made(odd, slots)));
  const Slot others[] = {number(5)};
  CHECK(std::get<std::int64_t>(made(odd, others)) == 5);
}

TEST_CASE("an absent capture is an empty optional, a constant its tensor") {
  Builder build(17);
  Value& two = build.constant(Tensor::scalar(2.0f), "two");
  Slot constant = number(0);
  constant.data = &two;
  const Slot slots[] = {Slot{}, constant};
  constexpr auto p = call<[](std::optional<std::int64_t> i, const Tensor& t) {
    return i ? 0.0f : t.item<float>();
  }>(axis, w);
  CHECK(std::get<float>(made(p, slots)) == 2);
  constexpr auto q = call<[](const std::optional<Tensor>& t) { return t.has_value(); }>(w);
  CHECK(std::get<std::int64_t>(made(q, slots)) == 0);
}
