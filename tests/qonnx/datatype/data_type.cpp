#include <cmath>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/qonnx/datatype/data_type.hpp>

using graft::qonnx::DataType;

TEST_CASE("data types read the names that they write", "[qonnx]") {
  for (const char* const name : {"FLOAT32", "FLOAT16", "INT1", "INT8", "INT33", "UINT2", "BINARY", "BIPOLAR", "TERNARY",
                                 "FIXED<8,4>", "FIXED<6,-2>", "SCALEDINT<3>", "FLOAT<5,2,15>", "FLOAT<4,3,-1>"}) {
    INFO(name);
    const std::optional<DataType> type = DataType::parse(name);
    REQUIRE(type);
    CHECK(to_string(*type) == name);
    CHECK(DataType::parse(to_string(*type)) == type);
  }
  CHECK(DataType::parse("UINT1") == DataType::binary());
  CHECK(DataType::parse("FLOAT<4, 3>") == DataType::minifloat(4, 3, 7));
  CHECK(DataType::parse("FIXED<16, 8>") == DataType::fixed(16, 8));
  for (const char* const name : {"", "INT", "INT0", "INT-3", "INT8 x", "UINT", "FIXED<4,4>", "FIXED<4>", "SCALEDINT<>",
                                 "FLOAT<1>", "FLOAT<1,2,3,4>", "FLOAT<9,2>", "FLOAT", "int8", "SCALEDINT<8"}) {
    INFO(name);
    CHECK_FALSE(DataType::parse(name));
  }
}

TEST_CASE("data types know their ranges, and how many values they have", "[qonnx]") {
  struct Facts {
    const char* name;
    int bits;
    double min, max, count;
  };
  for (const Facts& facts : {Facts{"INT4", 4, -8, 7, 16}, {"INT1", 1, -1, 0, 2}, {"UINT4", 4, 0, 15, 16},
                             {"BINARY", 1, 0, 1, 2}, {"BIPOLAR", 1, -1, 1, 2}, {"TERNARY", 2, -1, 1, 3},
                             {"FIXED<8,4>", 8, -8, 7.9375, 256}, {"FLOAT<4,3,7>", 8, -480, 480, 256},
                             {"FLOAT<5,2,15>", 8, -114688, 114688, 256}}) {
    INFO(facts.name);
    const DataType type = DataType::parse(facts.name).value();
    CHECK(type.bits() == facts.bits);
    CHECK(type.min() == facts.min);
    CHECK(type.max() == facts.max);
    CHECK(type.value_count() == facts.count);
    CHECK(type.is_signed() == (facts.min < 0));
  }
  CHECK(DataType().bits() == 32);
  CHECK(DataType::float16().max() == 65504);
  CHECK_FALSE(DataType().value_count());
  CHECK_THROWS_AS(DataType::scaled_integer(4).max(), graft::Error);
  CHECK_THROWS_AS(DataType::scaled_integer(4).min(), graft::Error);
}

TEST_CASE("data types know which kind of numbers they have", "[qonnx]") {
  for (const char* const name : {"INT4", "UINT4", "BINARY", "BIPOLAR", "TERNARY"}) {
    CHECK(DataType::parse(name)->is_integer());
    CHECK(DataType::parse(name)->is_scaled_integer());
  }
  for (const char* const name : {"FIXED<8,4>", "SCALEDINT<4>"}) {
    CHECK_FALSE(DataType::parse(name)->is_integer());
    CHECK(DataType::parse(name)->is_scaled_integer());
    CHECK_FALSE(DataType::parse(name)->is_float());
  }
  for (const char* const name : {"FLOAT32", "FLOAT16", "FLOAT<4,3,7>"}) CHECK(DataType::parse(name)->is_float());
}

TEST_CASE("data types know their values", "[qonnx]") {
  const auto allows = [](const char* name, float value) { return DataType::parse(name).value().allows(value); };
  CHECK(allows("INT3", -4));
  CHECK_FALSE(allows("INT3", 4));
  CHECK_FALSE(allows("INT3", 0.5F));
  CHECK_FALSE(allows("UINT3", -1));
  CHECK(allows("BIPOLAR", -1));
  CHECK_FALSE(allows("BIPOLAR", 0));
  CHECK(allows("TERNARY", 0));
  CHECK(allows("FIXED<8,4>", -7.9375F));
  CHECK_FALSE(allows("FIXED<8,4>", 0.03125F));
  CHECK(allows("FLOAT<4,3,7>", 15));
  CHECK_FALSE(allows("FLOAT<4,3,7>", 17));  // 5 bits
  CHECK_FALSE(allows("FLOAT<4,3,7>", 512));
  CHECK(allows("FLOAT<4,3,7>", std::ldexp(1.0F, -9)));   // the smallest subnormal number
  CHECK(allows("FLOAT<4,3,7>", std::ldexp(7.0F, -9)));
  CHECK_FALSE(allows("FLOAT<4,3,7>", std::ldexp(1.0F, -10)));
  CHECK(allows("FLOAT16", 2050));
  CHECK_FALSE(allows("FLOAT16", 2049));
  CHECK(allows("FLOAT32", 2049));
  CHECK_THROWS_AS(allows("SCALEDINT<4>", 1), graft::Error);
}

TEST_CASE("the smallest type of a range holds it, and the next smaller does not", "[qonnx]") {
  const auto smallest = [](double min, double max) { return to_string(DataType::smallest(min, max)); };
  CHECK(smallest(0, 0) == "BINARY");
  CHECK(smallest(0, 1) == "BINARY");
  CHECK(smallest(3, 4) == "UINT3");
  CHECK(smallest(0, 255) == "UINT8");
  CHECK(smallest(0, 256) == "UINT9");
  CHECK(smallest(-1, 0) == "INT1");
  CHECK(smallest(-1, 1) == "INT2");
  CHECK(smallest(-128, 127) == "INT8");
  CHECK(smallest(-129, 0) == "INT9");
  CHECK(smallest(-1, 128) == "INT9");
  CHECK_THROWS_AS(smallest(0, 0.5), graft::Error);
  CHECK_THROWS_AS(smallest(2, 1), graft::Error);
  CHECK_THROWS_AS(smallest(-INFINITY, 0), graft::Error);
}

TEST_CASE("widths that no arithmetic holds make no type", "[qonnx]") {
  for (const char* const name : {"FLOAT<8,2147483647>", "FIXED<2147483647,-2147483648>", "FIXED<8,-2147483648>",
                                 "FLOAT<5,10,2147483647>", "FLOAT<5,10,-2147483648>", "INT2147483647"}) {
    INFO(name);
    CHECK_FALSE(DataType::parse(name));
  }
  CHECK(DataType::parse("FIXED<8,-20>")->max() == std::ldexp(127.0, -28));
}
