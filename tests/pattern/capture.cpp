#include <graft/pattern/capture.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("an id tells name, kind and form apart") {
  constexpr CaptureId id = capture_id("x", Kind::axes, Form::maybe);
  STATIC_REQUIRE(kind_of(id) == Kind::axes);
  STATIC_REQUIRE(form_of(id) == Form::maybe);
  STATIC_REQUIRE(name_of(id) == name_of(capture_id("x", Kind::axes)));
  STATIC_REQUIRE(name_of(id) != name_of(capture_id("y", Kind::axes)));
  STATIC_REQUIRE(form_of(with_form(id, Form::list)) == Form::list);
  STATIC_REQUIRE(kind_of(with_form(id, Form::list)) == Kind::axes);
  STATIC_REQUIRE(id != 0);
}

TEST_CASE("values, nodes, attributes and arguments have separate name spaces") {
  STATIC_REQUIRE(name_of(capture_id("x", Kind::value)) == name_of(capture_id("x", Kind::constant)));
  STATIC_REQUIRE(name_of(capture_id("x", Kind::value)) == name_of(capture_id("x", Kind::operands)));
  STATIC_REQUIRE(name_of(capture_id("x", Kind::value)) != name_of(capture_id("x", Kind::node)));
  STATIC_REQUIRE(name_of(capture_id("x", Kind::value)) != name_of(capture_id("x", Kind::i64)));
  STATIC_REQUIRE(name_of(capture_id("x", Kind::i64)) == name_of(capture_id("x", Kind::tensor)));
  STATIC_REQUIRE(name_of(capture_id("x", Kind::node)) != name_of(capture_id("x", Kind::arg)));
}

TEST_CASE("errors spell a capture's name") {
  using detail::Capture;
  using detail::Spelling;
  STATIC_REQUIRE(std::is_same_v<Spelling<capture_id("w", Kind::constant)>, Capture<'w'>>);
  STATIC_REQUIRE(std::is_same_v<Spelling<capture_id("Conv_bn10", Kind::node)>,
                                Capture<'C', 'o', 'n', 'v', '_', 'b', 'n', '1', '0'>>);
  STATIC_REQUIRE(std::is_same_v<Spelling<capture_id("running_mean", Kind::value)>,
                                Capture<'r', 'u', 'n', 'n', '.', '.', '.'>>);
}

TEST_CASE("long names that begin alike are distinguished") {
  STATIC_REQUIRE(name_of(capture_id("running_mean", Kind::value)) != name_of(capture_id("running_var", Kind::value)));
  STATIC_REQUIRE(name_of(capture_id("runn", Kind::value)) != name_of(capture_id("running_var", Kind::value)));
}

TEST_CASE("a fixed string is its literal") {
  constexpr FixedString text("scale");
  STATIC_REQUIRE(text.view() == "scale");
}
