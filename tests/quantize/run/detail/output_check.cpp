#include <graft/quantize/run/detail/output_check.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "support/error_of.hpp"

using namespace graft;

namespace {

std::vector<Feeds> noise(std::size_t count, const Dims& dims) {
  Random random(7);
  std::vector<Feeds> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({{"x", random_tensor(DType::f32, dims, random, Interval{-1, 1})}});
  return samples;
}

struct Checked {
  std::optional<Error> error;
  Report report;
};

/// What the check says of a model that stands for the quantized form of another; without samples on random inputs.
Checked checked(const char* floats, const char* quantized, const std::vector<Feeds>& samples,
                bool may_exceed_ranges = true) {
  Model prepared = graph(floats), other = graph(quantized);
  Checked result;
  Context context;
  detail::OutputCheck check({}, may_exceed_ranges, context, result.report);
  if (samples.empty()) check.run_float(prepared.graph(), Ranges());
  else check.run_float(prepared.graph(), SampleSource(samples));
  check.remember(prepared);
  try {
    check.expect_sound(other.graph());
  } catch (const Error& error) {
    result.error = error;
  }
  return result;
}

/// Runs a graph, but one with integers gives NaN.
struct Failing {
  Evaluator evaluator;
  bool fails = false;

  explicit Failing(const Graph& graph) : evaluator(graph) {
    for (const Node& node : graph.nodes())
      fails =
          fails || node.op_type().find("Quantize") != std::string_view::npos || node.is("com.microsoft::MatMulNBits");
  }
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const {
    std::vector<Tensor> outputs = evaluator.run(feeds, fetches);
    for (Tensor& output : outputs) spoil(output);
    return outputs;
  }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const {
    evaluator.observe(feeds, fetches, [&](std::size_t i, Tensor tensor) { observer(i, (spoil(tensor), tensor)); });
  }
  void spoil(Tensor& tensor) const {
    if (fails && tensor.dtype() == DType::f32 && tensor.size() != 0)
      tensor.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

const Target& target = targets::ort_cpu_x64;

}  // namespace

TEST_CASE("NaN and infinity in place of numbers are an error that names the first node", "[quantize]") {
  const char* const floats = "x: f32[2,16]; a = Abs(x); b = Sqrt(Add(a, f32[] 2)); y = Neg(b)";
  const std::vector<Feeds> samples = noise(3, {2, 16});
  CHECK_FALSE(checked(floats, floats, samples).error);
  const Checked nan = checked(floats, "x: f32[2,16]; a = Abs(x); b = Sqrt(Sub(a, f32[] 2)); y = Neg(b)", samples);
  REQUIRE(nan.error);
  CHECK(nan.error->node() == "b");
  CHECK(nan.error->field() == "b");
  CHECK_THAT(nan.error->message(), Catch::Contains("the output 'y' holds NaN in the quantized model"));
  const Checked infinite = checked(floats, "x: f32[2,16]; a = Div(x, f32[] 0); b = Sqrt(Abs(a)); y = Neg(b)", samples);
  REQUIRE(infinite.error);
  CHECK(infinite.error->node() == "a");
  CHECK_THAT(infinite.error->message(), Catch::Contains("holds infinity"));
}

TEST_CASE("what is not finite in the float model may be so in the quantized one", "[quantize]") {
  const char* const nan = "x: f32[2,16]; y = Sqrt(x)";
  CHECK_FALSE(checked(nan, nan, noise(2, {2, 16})).error);
  const char* const mask = "x: f32[2,16]; y = Where(Less(x, f32[] 0), f32[] -inf, x)";
  CHECK_FALSE(checked(mask, mask, noise(2, {2, 16})).error);
  CHECK(checked(mask, "x: f32[2,16]; y = Neg(Where(Less(x, f32[] 0), f32[] -inf, x))", noise(2, {2, 16})).error);
}

TEST_CASE("an output that has nothing to do with that of the float model is an error", "[quantize]") {
  const char* const floats =
      "x: f32[2,16]; a = Abs(x); b = Mul(x, f32[16] {1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1});"
      "y = Add(b, f32[] 0.01); z = Neg(a)";
  const char* const wrong =
      "x: f32[2,16]; a = Abs(x); b = Mul(x, f32[16] {-1, 2, 3, -4, 5, 6, -7, -8, 8, 7, 6, -5, 4, 3, 2, 1});"
      "y = Add(b, f32[] 0.01); z = Neg(a)";
  const Checked found = checked(floats, wrong, noise(4, {2, 16}));
  REQUIRE(found.error);
  CHECK(found.error->node() == "b");
  CHECK_THAT(found.error->message(), Catch::Contains("the output 'y' has a cosine of 0."));
  // A poor one has something to do with it.
  CHECK_FALSE(checked(floats, "x: f32[2,16]; a = Abs(x); b = Mul(x, f32[16] 1); y = Add(b, f32[] 0.01); z = Neg(a)",
                      noise(4, {2, 16}))
                  .error);
}

TEST_CASE("zeros and a few values have no angle", "[quantize]") {
  CHECK_FALSE(
      checked("x: f32[2,16]; y = Mul(x, f32[] 0)", "x: f32[2,16]; y = Mul(x, f32[] 1e-3)", noise(2, {2, 16})).error);
  CHECK_FALSE(checked("x: f32[1,4]; y = Neg(x)", "x: f32[1,4]; y = Identity(x)", noise(2, {1, 4})).error);
  CHECK(checked("x: f32[1,4]; y = Neg(x)", "x: f32[1,4]; y = Identity(x)", noise(5, {1, 4})).error);
}

TEST_CASE("of integers the floats are compared that they are computed from", "[quantize]") {
  const char* const floats = "x: f32[2,16]; h = Neg(x); y = Squeeze(ArgMax(h), i64[1] {0})";
  const char* const wrong = "x: f32[2,16]; h = Sqrt(Sub(x, f32[] 2)); y = Squeeze(ArgMax(h), i64[1] {0})";
  CHECK_FALSE(checked(floats, floats, noise(2, {2, 16})).error);
  REQUIRE(checked(floats, wrong, noise(2, {2, 16})).error);
  CHECK(checked(floats, wrong, noise(2, {2, 16})).error->node() == "h");
}

TEST_CASE("without samples random inputs are run", "[quantize]") {
  const char* const floats =
      "ids: i64[N,S]; x: f32[N,S,4]; m: bool[N,1,1]; "
      "h = Gather(f32[9,4] random, ids); y = Where(m, Add(h, x), x)";
  const char* const nan =
      "ids: i64[N,S]; x: f32[N,S,4]; m: bool[N,1,1]; "
      "h = Gather(f32[9,4] random, ids); y = Where(m, Add(h, x), Sqrt(Sub(x, f32[] 2)))";
  const char* const wrong =
      "ids: i64[N,S]; x: f32[N,S,4]; m: bool[N,1,1]; "
      "h = Gather(f32[9,4] random, ids); y = Neg(Where(m, Add(h, x), x))";
  CHECK_FALSE(checked(floats, floats, {}).error);
  const Checked found = checked(floats, nan, {});
  REQUIRE(found.error);
  CHECK_THAT(found.error->message(), Catch::Contains("on random inputs"));
  // Ranges may be too narrow for random inputs; where there are none the model is wrong.
  const Checked warned = checked(floats, wrong, {});
  CHECK_FALSE(warned.error);
  REQUIRE(warned.report.warnings.size() == 1);
  CHECK_THAT(warned.report.warnings[0], Catch::Contains("give samples"));
  CHECK(checked(floats, wrong, {}, false).error);
}

TEST_CASE("a model with an operator that has no kernel is not compared, and that is reported", "[quantize]") {
  Model model = graph("x: f32[4,64]; y = com.example::Sort(MatMul(x, f32[64,64] random))");
  QuantizeOptions options;
  options.mode = DynamicOptions();
  Context context;
  const QuantizeResult result = quantize(model, target, options, context);
  CHECK(result.products == 1);
  REQUIRE(result.passes.warnings.size() == 1);
  CHECK_THAT(result.passes.warnings[0], Catch::Contains("no kernel runs com.example::Sort"));
}

TEST_CASE("no mode returns a model that gives NaN", "[quantize]") {
  const auto error = [](QuantizeOptions options, const std::vector<Feeds>& samples) {
    Model model = graph("x: f32[64,64]; h = Relu(MatMul(x, f32[64,64] random)); y = MatMul(h, f32[64,64] random)");
    options.make_executor = [](const Graph& graph) { return Failing(graph); };
    Context context;
    return error_of([&] {
      samples.empty() ? quantize(model, target, options, context) : quantize(model, samples, target, options, context);
    });
  };
  const std::vector<Feeds> samples = noise(4, {64, 64});
  QuantizeOptions fast = QuantizeOptions::fast(), known, dynamic, weights;
  fast.static_options().placement = known.static_options().placement = Placement::all_supported;
  known.static_options().ranges = Ranges{{"x", {-1, 1}}, {"MatMul_1", {-8, 8}}, {"h", {0, 8}}, {"y", {-30, 30}}};
  dynamic.mode = DynamicOptions();
  weights.mode = BlockwiseOptions();
  for (const QuantizeOptions& options : {fast, dynamic, weights})
    CHECK_THAT(error(options, samples), Catch::Contains("holds NaN in the quantized model"));
  for (const QuantizeOptions& options : {known, dynamic, weights})
    CHECK_THAT(error(options, {}), Catch::Contains("holds NaN in the quantized model"));
}

TEST_CASE("samples that can be gone through once are compared, too", "[quantize]") {
  Model model = graph("x: f32[64,64]; y = MatMul(x, f32[64,64] random)");
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().placement = Placement::all_supported;
  options.make_executor = [](const Graph& graph) { return Failing(graph); };
  const SampleStream stream([samples = noise(5, {64, 64}), i = std::size_t{0}]() mutable {
    return i == samples.size() ? std::nullopt : std::optional<Sample>(samples[i++]);
  });
  CHECK_THROWS_WITH(quantize(model, stream, target, options), Catch::Contains("holds NaN in the quantized model"));
}
