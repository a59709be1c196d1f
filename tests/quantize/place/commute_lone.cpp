#include <graft/quantize/place/commute_lone.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/target/targets.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// Every value of an 8 bit dtype.
template <class Q>
Tensor all_codes() {
  std::vector<Q> values;
  for (int i = 0; i < 256; ++i) values.push_back(static_cast<Q>(i));
  return Tensor::of<Q>({1, 2, 8, 16}, values);
}

/// q -> DQ(0.1, zero point) -> what is made of it.
template <class Q>
struct Lone : Net {
  explicit Lone(int zero_point, int opset = 14) : Net(opset) {
    codes = &builder.input("q", dtype_of<Q>, {1, 2, 8, 16});
    value = &op("DequantizeLinear",
                {codes, &scalar("s", 0.1f), &builder.constant(Tensor::scalar(static_cast<Q>(zero_point)), "z")}, "v");
    builder.graph().set_type(*value, tensor_type(DType::f32, codes->shape()));
  }
  Value* codes;
  Value* value;
};

/// Runs the commutation and compares all codes before and after. Returns the operators, and how far any value moved.
template <class Q>
std::pair<std::string, float> moved(Model model) {
  const auto run = [&] {
    return Evaluator(model.graph()).run({{"q", all_codes<Q>()}, {"x", Tensor(DType::f32, {1, 2, 4, 4})}})[0];
  };
  const std::vector<float> before = run().template to<float>();
  commute_dq_past_activation(targets::ort_cpu_x64).run(model);
  const std::vector<float> after = run().template to<float>();
  float most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) most = std::max(most, std::abs(after[i] - before[i]));
  return {ops(model.graph()), most};
}

using Moved = std::pair<std::string, float>;

/// Names that a user may have.
namespace mine {
constexpr int q = 1, s = 2, z = 4, dq = 8, s1 = 16;
}

}  // namespace

TEST_CASE("the captures of the rules do not meet a user's names", "[quantize]") {
  using namespace mine;
  using namespace graft::commute;
  CHECK(q + s + z + dq + s1 == 31);
}

TEST_CASE("behind unsigned numbers from 0 on, Relu does nothing", "[quantize]") {
  Lone<std::uint8_t> net(0);
  CHECK(moved<std::uint8_t>(net.build({&net.op("Relu", {net.value}, "r")})) == Moved("DequantizeLinear", 0));
}

TEST_CASE("Relu of signed numbers around 0 is Relu of the integers, since opset 14", "[quantize]") {
  Lone<std::int8_t> net(0);
  CHECK(moved<std::int8_t>(net.build({&net.op("Relu", {net.value}, "r")})) == Moved("Relu DequantizeLinear", 0));
  Lone<std::int8_t> older(0, 13);
  CHECK(moved<std::int8_t>(older.build({&older.op("Relu", {older.value}, "r")})) == Moved("Clip DequantizeLinear", 0));
}

TEST_CASE("Relu of other integers is a Clip at the zero point, since opset 12", "[quantize]") {
  Lone<std::uint8_t> net(7, 12);
  CHECK(moved<std::uint8_t>(net.build({&net.op("Relu", {net.value}, "r")})) == Moved("Clip DequantizeLinear", 0));
  Lone<std::int8_t> low(-128);
  CHECK(moved<std::int8_t>(low.build({&low.op("Relu", {low.value}, "r")})) == Moved("Clip DequantizeLinear", 0));
  Lone<std::uint8_t> older(7, 11);
  CHECK(moved<std::uint8_t>(older.build({&older.op("Relu", {older.value}, "r")})) == Moved("DequantizeLinear Relu", 0));
}

TEST_CASE("Clip is a Clip of the integers, off by half a step at most", "[quantize]") {
  Lone<std::uint8_t> net(7);
  const auto [nodes, most] = moved<std::uint8_t>(net.build({&net.clip(*net.value, -0.33f, 6.04f, "c")}));
  CHECK(nodes == "Clip DequantizeLinear");
  CHECK(most > 0.02f);
  CHECK(most <= 0.05f);
  Lone<std::uint8_t> open(7);
  CHECK(moved<std::uint8_t>(open.build({&open.op("Clip", {open.value, nullptr, &open.scalar("hi", 100)}, "c")})) ==
        Moved("Clip DequantizeLinear", 0));
}

TEST_CASE("a Clip to what no integer stands for stays", "[quantize]") {
  Lone<std::uint8_t> above(0);
  CHECK(moved<std::uint8_t>(above.build({&above.clip(*above.value, 1e6f, 2e6f, "c")})) ==
        Moved("DequantizeLinear Clip", 0));
  Lone<std::uint8_t> below(0);
  CHECK(moved<std::uint8_t>(below.build({&below.clip(*below.value, -9, -8, "c")})) ==
        Moved("DequantizeLinear Clip", 0));
}

TEST_CASE("data movement takes integers as they are", "[quantize]") {
  Lone<std::uint8_t> net(7);
  Value& shape = net.builder.constant(Tensor::of<std::int64_t>({2}, {16, 16}), "shape");
  Value& t = net.op("Transpose", {net.value}, "t", {{"perm", Ints{0, 2, 3, 1}}});
  Value& r = net.op("Reshape", {&t, &shape}, "r");
  CHECK(moved<std::uint8_t>(net.build({&net.op("Relu", {&r}, "a")})) ==
        Moved("Transpose Reshape Clip DequantizeLinear", 0));
}

TEST_CASE("LeakyRelu has no form in integers", "[quantize]") {
  Lone<std::int8_t> net(0);
  CHECK(moved<std::int8_t>(net.build({&net.op("LeakyRelu", {net.value}, "l")})) ==
        Moved("DequantizeLinear LeakyRelu", 0));
}

TEST_CASE("what the target does not compute in the dtype stays behind the DequantizeLinear", "[quantize]") {
  const auto refused = [](Model model, const Target& runtime = targets::ort_cpu_x64) {
    const std::string before = ops(model.graph());
    Context context;
    context.refusals = true;
    const Report report = commute_dq_past_activation(runtime).run(model, context);
    CHECK((report.changes == 0) == (ops(model.graph()) == before));
    return report.changes == 0 ? to_string(report) : ops(model.graph());
  };
  const auto contains = [](const std::string& words) { return Catch::Contains(words); };
  Lone<std::int16_t> relu(0, 21), clip(7, 21);
  CHECK_THAT(refused(relu.build({&relu.op("Relu", {relu.value}, "r")})), contains("no Clip of that dtype"));
  CHECK_THAT(refused(clip.build({&clip.clip(*clip.value, -0.33f, 6.04f, "c")})), contains("no Clip of that dtype"));
  Lone<std::uint16_t> shifted(7, 21), from_0(0, 21);
  CHECK_THAT(refused(shifted.build({&shifted.op("Relu", {shifted.value}, "r")})), contains("no Clip of that dtype"));
  CHECK(refused(from_0.build({&from_0.op("Relu", {from_0.value}, "r")})) == "DequantizeLinear");
  Lone<std::int8_t> depth(0);
  Value& deep = depth.op("SpaceToDepth", {depth.value}, "d", {{"blocksize", 2}});
  CHECK_THAT(refused(depth.build({&deep})), contains("does not compute it in that dtype"));

  // By default a target computes what ONNX defines.
  for (const Target& other : {targets::onednn, targets::paper}) {
    Lone<std::int8_t> deeper(0);
    Value& moved = deeper.op("SpaceToDepth", {deeper.value}, "d", {{"blocksize", 2}});
    CHECK(refused(deeper.build({&moved}), other) == "SpaceToDepth DequantizeLinear");
    Lone<std::int16_t> signed_relu(0, 21);
    CHECK(refused(signed_relu.build({&signed_relu.op("Relu", {signed_relu.value}, "r")}), other) ==
          "Relu DequantizeLinear");
  }
  static constexpr std::array sixteen{DType::i16};
  static constexpr std::array operators{IntegerOperator{"Relu", sixteen}};
  Target wide = targets::ort_cpu_x64;
  wide.integer_operators = operators;
  Lone<std::int16_t> computed(0, 21);
  CHECK(refused(computed.build({&computed.op("Relu", {computed.value}, "r")}), wide) == "Relu DequantizeLinear");
}

TEST_CASE("an absent zero point is 0", "[quantize]") {
  Net net(14);
  Value& codes = net.builder.input("q", DType::i8, {1, 2, 8, 16});
  Value& value = net.op("DequantizeLinear", {&codes, &net.scalar("s", 0.1f)}, "v");
  CHECK(moved<std::int8_t>(net.build({&net.op("Relu", {&value}, "r")})) == Moved("Relu DequantizeLinear", 0));
}

TEST_CASE("a DequantizeLinear behind a QuantizeLinear, of several scales, or with other users stays", "[quantize]") {
  Net paired(14);
  Value& r = paired.op("Relu", {paired.x}, "r");
  Model model = paired.build({&r});
  insert_qdq(*paired.x, {0.1f, 3, DType::u8}, false);
  CHECK(commute_dq_past_activation(targets::ort_cpu_x64).run(model).changes == 0);

  Net axis(14);
  Value& codes = axis.builder.input("q", DType::i8, {1, 2, 8, 16});
  Value& two = axis.op("DequantizeLinear", {&codes, &axis.constant("s", {1, 2}, {2})}, "v");
  CHECK(moved<std::int8_t>(axis.build({&axis.op("Transpose", {&two}, "t", {{"perm", Ints{0, 2, 3, 1}}})})) ==
        Moved("DequantizeLinear Transpose", 0));

  Lone<std::int8_t> shared(0);
  Value& relu = shared.op("Relu", {shared.value}, "r");
  Value& other = shared.op("Neg", {shared.value}, "n");
  CHECK(moved<std::int8_t>(shared.build({&relu, &other})) == Moved("DequantizeLinear Relu Neg", 0));
}
