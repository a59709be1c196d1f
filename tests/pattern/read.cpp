#include <graft/pattern/read.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;
using graft::detail::form_taken;
using graft::detail::read_as;

namespace {

Slot list_of(const Ints& ints) {
  Slot slot;
  slot.state = Slot::State::bound;
  slot.data = ints.data();
  slot.size = ints.size();
  return slot;
}

}  // namespace

TEST_CASE("a parameter's type says in which form it takes a capture") {
  STATIC_REQUIRE(form_taken<const Value&, Kind::value>() == Form::one);
  STATIC_REQUIRE(form_taken<Value*, Kind::constant>() == Form::maybe);
  STATIC_REQUIRE(form_taken<std::span<Value* const>, Kind::value>() == Form::list);
  STATIC_REQUIRE(form_taken<const Tensor&, Kind::constant>() == Form::one);
  STATIC_REQUIRE(form_taken<std::optional<Tensor>, Kind::constant>() == Form::maybe);
  STATIC_REQUIRE_FALSE(form_taken<const Tensor&, Kind::value>().has_value());
  STATIC_REQUIRE(form_taken<const Node&, Kind::node>() == Form::ref);
  STATIC_REQUIRE(form_taken<std::int64_t, Kind::axis>() == Form::one);
  STATIC_REQUIRE(form_taken<std::optional<float>, Kind::f32>() == Form::maybe);
  STATIC_REQUIRE(form_taken<std::span<const float>, Kind::f32>() == Form::list);
  STATIC_REQUIRE(form_taken<std::span<const float>, Kind::floats>() == Form::one);
  STATIC_REQUIRE_FALSE(form_taken<int, Kind::i64>().has_value());
  STATIC_REQUIRE_FALSE(form_taken<const Value&, Kind::node>().has_value());
}

TEST_CASE("a slot is read as the parameter's type") {
  const Ints ints{4, 5};
  const Slot slot = list_of(ints);
  CHECK(read_as<const Ints&, Kind::ints>(slot) == ints);
  CHECK(read_as<std::span<const std::int64_t>, Kind::axes>(slot)[1] == 5);
  CHECK(read_as<std::optional<Ints>, Kind::ints>(slot) == ints);
  CHECK_FALSE(read_as<std::optional<Ints>, Kind::ints>(Slot{}).has_value());
  CHECK_FALSE(read_as<std::optional<std::string>, Kind::str>(Slot{}).has_value());
  CHECK_FALSE(read_as<std::optional<Tensor>, Kind::constant>(Slot{}).has_value());
  CHECK(read_as<Value*, Kind::value>(Slot{}) == nullptr);
}
