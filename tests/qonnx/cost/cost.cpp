#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <graft/qonnx/cost/cost.hpp>

using namespace graft::qonnx;

TEST_CASE("costs add up by data type", "[qonnx]") {
  const Operands small{DataType::integer(4), DataType::bipolar()}, large{DataType(), DataType::integer(8)};
  Cost cost{{{small, 10}}, {{DataType::bipolar(), 5}}, {{DataType(), 2}}, 100};
  cost += Cost{{{small, 1}, {large, 3}}, {{DataType::integer(8), 7}}, {{DataType(), 1}}, 11};
  CHECK(cost.total_macs() == 14);
  CHECK(cost.total_bops() == 11 * 4 * 1 + 3 * 32 * 8);
  CHECK(cost.weight_elements() == 12);
  CHECK(cost.weight_bits() == 5 * 1 + 7 * 8);
  CHECK(cost.output_elements() == 3);
  CHECK(cost.output_bits() == 3 * 32);
  CHECK(cost.accumulated_bops == 111);
  CHECK(to_map(cost) == std::map<std::string, double>{{"op_mac_INT4_BIPOLAR", 11},
                                                      {"op_mac_FLOAT32_INT8", 3},
                                                      {"mem_w_BIPOLAR", 5},
                                                      {"mem_w_INT8", 7},
                                                      {"mem_o_FLOAT32", 3},
                                                      {"total_macs", 14},
                                                      {"total_bops", 812},
                                                      {"total_mem_w_bits", 61},
                                                      {"total_mem_w_elems", 12},
                                                      {"total_mem_o_bits", 96},
                                                      {"total_mem_o_elems", 3}});
}

TEST_CASE("Eq. 5 counts additions and the accumulator too", "[qonnx]") {
  // 64 channels of 3 * 3 * 64 = 2^6 * 9 products, of 2 and 4 bits
  CHECK(accumulated_bops(64, 64, 9, 2, 4) == Approx(64.0 * 576 * (8 + 2 + 4 + 9.169925)));
  CHECK(accumulated_bops(1, 1, 1, 3, 5) == 3 * 5 + 3 + 5);
}
