#include <graft/session/searched_option.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

using Values = std::vector<std::string>;

Values values(const std::vector<SearchedOption>& options, const std::string& name, const SessionConfig& config = {}) {
  for (const SearchedOption& option : options)
    if (option.name == name) return option.values(config);
  return {};
}

}  // namespace

TEST_CASE("options are searched where they have an effect") {
  const Model model = graph("x: f32[4]; y = Relu(x)");
  const auto options = usual_session_options(model.graph(), 6);
  CHECK(values(options, "intra_op_num_threads") == Values{"1", "2", "4", "6"});
  const SessionConfig parallel{{"execution_mode", "parallel"}}, one{{"intra_op_num_threads", "1"}},
      three{{"intra_op_num_threads", "3"}};
  CHECK(values(options, "inter_op_num_threads").empty());
  CHECK(values(options, "inter_op_num_threads", parallel) == Values{"1", "2", "4", "6"});
  CHECK(values(options, "session.inter_op.allow_spinning", parallel) == Values{"0"});
  CHECK(values(options, "session.intra_op.allow_spinning") == Values{"0"});
  CHECK(values(options, "session.intra_op.allow_spinning", one).empty());
  CHECK(values(options, "session.dynamic_block_base", one).empty());
  CHECK(values(options, "session.intra_op_thread_affinities").empty());
  CHECK(values(options, "session.intra_op_thread_affinities", one).empty());
  CHECK(values(options, "session.intra_op_thread_affinities", three) == Values{"2;3"});
  CHECK(values(options, "optimization.disable_specified_optimizers") == Values{"TransposeOptimizer"});
  CHECK(values(options, "session.qdqisint8allowed").empty());
}

TEST_CASE("a model decides which options are searched") {
  const Model quantized = graph(R"(
    x: f32[1,1,4,4]
    w = f32[1,1,1,1] {1}
    s = f32[] {0.5}
    z = u8[] {3}
    y = Conv(DequantizeLinear(QuantizeLinear(x, s, z), s, z), w)
  )");
  const auto options = usual_session_options(quantized.graph(), 1);
  CHECK(values(options, "session.qdqisint8allowed") == Values{"1"});
  CHECK(values(options, "session.x64quantprecision") == Values{"1"});
  CHECK(values(options, "optimization.disable_specified_optimizers").size() == 3);
  CHECK(values(options, "intra_op_num_threads") == Values{"1"});
  CHECK(values(options, "execution_mode").empty());
  CHECK(values(options, "session.dynamic_block_base").empty());
  for (const SearchedOption& option : options)
    for (const std::string& value : option.values({})) CHECK_NOTHROW(check_session_config({{option.name, value}}));
}

TEST_CASE("values that an option cannot have are refused") {
  CHECK_THROWS_AS(SearchedOption::of("enable_mem_pattern", {"2"}), Error);
  CHECK_THROWS_AS(SearchedOption::of("nothing", {"2"}), Error);
}
