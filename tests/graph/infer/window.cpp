#include <graft/graph/infer/window.hpp>

#include <catch2/catch.hpp>

using graft::Dim;
using graft::infer::Window;

namespace {

Window window(std::int64_t kernel, std::int64_t stride, std::int64_t begin = 0, std::int64_t end = 0) {
  Window result;
  result.kernel = {Dim(kernel)};
  result.strides = {stride};
  result.dilations = {1};
  result.pads = {begin, end};
  return result;
}

}  // namespace

TEST_CASE("a window takes the places that fit") {
  CHECK(window(3, 1).output(0, 8) == Dim(6));
  CHECK(window(3, 2).output(0, 8) == Dim(3));
  CHECK(window(3, 2, 1, 0).output(0, 8) == Dim(4));
  CHECK(window(3, 1, -1, -1).output(0, 8) == Dim(4));
  CHECK_FALSE(window(3, 1).output(0, 2));
  CHECK(window(3, 2).output(0, Dim("H")) == Dim());
  CHECK(window(3, 1, 1, 1).output(0, Dim("H")) == Dim("H"));
}

TEST_CASE("a dilated window reaches further") {
  Window wide = window(3, 1);
  wide.dilations = {2};
  CHECK(wide.reach(0) == Dim(5));
  CHECK(wide.output(0, 8) == Dim(4));
}

TEST_CASE("ceil_mode adds a partial window that begins inside the input") {
  Window ceil = window(2, 2);
  ceil.ceil_mode = true;
  CHECK(ceil.output(0, 5) == Dim(3));
  CHECK(ceil.output(0, 4) == Dim(2));
  Window beyond = window(1, 2, 0, 2);  // a third place would begin in the padding behind
  beyond.ceil_mode = true;
  CHECK(beyond.output(0, 2) == Dim(2));
  CHECK(window(1, 2, 0, 2).output(0, 2) == Dim(2));
  Window last = window(2, 3, 1, 1);
  last.ceil_mode = true;
  CHECK(last.output(0, 2) == Dim(1));  // room for 2 more, but they begin at 3
}

TEST_CASE("same padding divides by the stride, rounding up") {
  Window same = window(5, 2);
  same.padding = Window::Padding::same;
  CHECK(same.output(0, 7) == Dim(4));
  CHECK(same.output(0, 8) == Dim(4));
  CHECK(same.output(0, Dim("H")) == Dim());
  same.strides = {1};
  CHECK(same.output(0, Dim("H")) == Dim("H"));
}

TEST_CASE("an unknown kernel leaves the extent unknown") {
  Window unknown = window(3, 1);
  unknown.kernel = {Dim()};
  CHECK(unknown.output(0, 8) == Dim());
}

TEST_CASE("absurd extents do not overflow") {
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(window(3, 1, 1, 0).output(0, huge) == Dim());
  CHECK(window(huge, 1).reach(0) == Dim());
  CHECK(window(3, 2).transposed_output(0, huge, 0) == Dim());
}
