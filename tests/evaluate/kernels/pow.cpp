#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Pow has the type of its base") {
  CHECK(same(run(13, "Pow", {floats({2, 3}), floats({2, 3})}), floats({4, 27})));
  CHECK(same(run(13, "Pow", {floats({2, 9}), ints({3, 1})}), floats({8, 9})));
  CHECK(same(run(13, "Pow", {ints({2, 9}), floats({3, 0.5F})}), ints({8, 3})));
  CHECK(same(run(13, "Pow", {floats({4, 9}), Tensor::scalar(0.5F)}), floats({2, 3})));
}

TEST_CASE("Pow of integers is exact, and wraps") {
  CHECK(same(run(13, "Pow", {ints({3, -1, 2, 7}), ints({39, 5, -1, 0})}), ints({4052555153018976267, -1, 0, 1})));
  CHECK(same(run(13, "Pow", {ints({2}), ints({64})}), ints({0})));
  CHECK(failure_of(13, "Pow", {ints({0}), ints({-1})}).find("negative power") != std::string::npos);
}
