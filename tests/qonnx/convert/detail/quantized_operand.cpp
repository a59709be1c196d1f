#include <graft/qonnx/convert/detail/quantized_operand.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>

using namespace graft;

TEST_CASE("a bias of one number adds to the sums of each channel", "[qonnx]") {
  constexpr std::size_t rows = 66000;  // sums to 255 * 127 * 66000, which int32 just holds
  std::vector<std::int32_t> integers(2 * rows);
  for (std::size_t i = 1; i < integers.size(); i += 2) integers[i] = 127;
  Builder b(13);
  qonnx::detail::QuantizedOperand w;
  w.data = &b.constant(Tensor::of<std::int32_t>(DType::i8, {rows, 2}, integers), "w");
  w.zero_point = Tensor(DType::i8, {});
  CHECK(qonnx::detail::fit_int32(w, 1));
  CHECK_FALSE(qonnx::detail::fit_int32(w, 1, Tensor::of<std::int32_t>({1}, {20000000})));
  CHECK(qonnx::detail::fit_int32(w, 1, Tensor::of<std::int32_t>({2}, {20000000, 0})));
}
