#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/memory.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor row(std::vector<float> values) {
  return Tensor::of({1, 1, static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("ConvTranspose lays a kernel at each input") {
  const Tensor x = row({1, 2});
  const Tensor w = row({1, 10, 100});
  const auto at = [&](const Attributes& attributes) { return run(11, "ConvTranspose", {x, w}, attributes); };
  CHECK(same(at({}), row({1, 12, 120, 200})));
  CHECK(same(at({{"strides", Ints{2}}}), row({1, 10, 102, 20, 200})));
  CHECK(same(at({{"dilations", Ints{2}}}), row({1, 2, 10, 20, 100, 200})));
  CHECK(same(at({{"pads", Ints{1, 0}}}), row({12, 120, 200})));
  CHECK(same(at({{"strides", Ints{2}}, {"output_padding", Ints{1}}}), row({1, 10, 102, 20, 200, 0})));
  CHECK(same(at({{"strides", Ints{2}}, {"output_shape", Ints{4}}}), row({10, 102, 20, 200})));
  CHECK(same(at({{"strides", Ints{2}}, {"auto_pad", "SAME_UPPER"}}), row({1, 10, 102, 20})));
  CHECK(same(at({{"strides", Ints{2}}, {"auto_pad", "SAME_LOWER"}}), row({10, 102, 20, 200})));
  CHECK(same(at({{"auto_pad", "VALID"}}), row({1, 12, 120, 200})));
}

TEST_CASE("ConvTranspose works in no more memory than it may allocate") {
  const Tensor x = row(std::vector<float>(64, 1));
  const Tensor w = Tensor::of<float>({1, 2, 64}, std::vector<float>(128, 1));
  const Attributes cropped{{"pads", Ints{63, 63}}};  // to two elements, of 128 columns of 64
  const AllocationLimit limit(128 * 64 * sizeof(float) - 1);
  CHECK_THAT(failure_of(11, "ConvTranspose", {x, w}, cropped), Catch::Contains("the limit is 32767"));
}

TEST_CASE("ConvTranspose with groups and biases") {
  const Tensor x = Tensor::of<float>({1, 2, 1, 1}, {1, 2});
  const Tensor w = Tensor::of<float>({2, 1, 1, 2}, {3, 4, 5, 6});
  CHECK(same(run(11, "ConvTranspose", {x, w}), Tensor::of<float>({1, 1, 1, 2}, {13, 16})));
  CHECK(same(run(11, "ConvTranspose", {x, w, floats({100, 200})}, {{"group", 2}}),
             Tensor::of<float>({1, 2, 1, 2}, {103, 104, 210, 212})));
  CHECK(failure_of(11, "ConvTranspose", {x, w}, {{"group", 3}}) != "");
  CHECK(failure_of(11, "ConvTranspose", {x, w, floats({1, 2})}) != "");
  CHECK(failure_of(11, "ConvTranspose", {x, w}, {{"pads", Ints{9, 9, 9, 9}}}) != "");
}

TEST_CASE("Col2Im adds up what overlaps") {
  const Tensor columns = Tensor::of<float>({1, 2, 2}, {1, 2, 10, 20});
  CHECK(same(run(18, "Col2Im", {columns, ints({3}), ints({2})}), row({1, 12, 20})));
  CHECK(same(run(18, "Col2Im", {columns, ints({4}), ints({2})}, {{"strides", Ints{2}}}), row({1, 10, 2, 20})));
  CHECK(failure_of(18, "Col2Im", {columns, ints({4}), ints({2})}) != "");
  CHECK(failure_of(18, "Col2Im", {columns, ints({3, 1}), ints({2})}) != "");
}
