#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Transpose reverses the axes unless told otherwise") {
  const Tensor x = counting({2, 3});
  CHECK(same(run(13, "Transpose", {x}), Tensor::of<float>({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(same(run(13, "Transpose", {counting({1, 2, 3})}, {{"perm", Ints{2, 0, 1}}}),
             Tensor::of<float>({3, 1, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(same(run(13, "Transpose", {Tensor::of<std::uint8_t>({2, 2}, {1, 2, 3, 4})}),
             Tensor::of<std::uint8_t>({2, 2}, {1, 3, 2, 4})));
  CHECK(failure_of(13, "Transpose", {x}, {{"perm", Ints{0, 0}}}).find("perm") != std::string::npos);
}

TEST_CASE("Expand broadcasts both ways") {
  CHECK(same(run(13, "Expand", {Tensor::of<float>({2, 1}, {1, 2}), ints({2, 1, 2})}),
             Tensor::of<float>({2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2})));
  CHECK(same(run(13, "Expand", {floats({1, 2}), ints({1})}), floats({1, 2})));
  CHECK(run(13, "Expand", {floats({1}), ints({0})}).dims() == Dims{0});
  CHECK(failure_of(13, "Expand", {floats({1, 2}), ints({3})}) != "");
}

TEST_CASE("Tile repeats each axis") {
  CHECK(same(run(13, "Tile", {Tensor::of<float>({1, 2}, {1, 2}), ints({2, 2})}),
             Tensor::of<float>({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})));
  CHECK(run(13, "Tile", {floats({1}), ints({0})}).dims() == Dims{0});
  CHECK(failure_of(13, "Tile", {floats({1}), ints({1, 1})}) != "");
}

TEST_CASE("DepthToSpace undoes SpaceToDepth") {
  const Tensor x = counting({1, 2, 4, 2});
  const Tensor deep = run(13, "SpaceToDepth", {x}, {{"blocksize", 2}});
  CHECK(deep.dims() == Dims{1, 8, 2, 1});
  CHECK(same(run(13, "DepthToSpace", {deep}, {{"blocksize", 2}}), x));
  const Tensor blocks = run(13, "DepthToSpace", {counting({1, 4, 1, 1})}, {{"blocksize", 2}, {"mode", "CRD"}});
  CHECK(same(blocks, Tensor::of<float>({1, 1, 2, 2}, {0, 1, 2, 3})));
  CHECK(failure_of(13, "DepthToSpace", {x}, {{"blocksize", 2}}) != "");
}

TEST_CASE("DepthToSpace knows two modes") {
  CHECK(failure_of(13, "DepthToSpace", {counting({1, 4, 1, 1})}, {{"blocksize", 2}, {"mode", "RCD"}}) != "");
}
