#include <graft/session/session_config.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

using namespace graft;

TEST_CASE("values of session options are checked by type") {
  CHECK_NOTHROW(check_session_config({{"execution_mode", "parallel"},
                                      {"graph_optimization_level", "extended"},
                                      {"intra_op_num_threads", "16"},
                                      {"enable_mem_pattern", "0"},
                                      {"session.intra_op_thread_affinities", "2;3-4"}}));
  const auto refused = [](const char* name, const char* value) {
    try {
      check_session_config({{name, value}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("execution_mode", "both") == "execution_mode: expected sequential or parallel, found 'both'");
  CHECK(refused("graph_optimization_level", "1") ==
        "graph_optimization_level: expected disabled, basic, extended or all, found '1'");
  CHECK(refused("intra_op_num_threads", "-1") ==
        "intra_op_num_threads: expected a whole number of at least 0, found '-1'");
  CHECK_FALSE(refused("session.dynamic_block_base", "4x").empty());
  CHECK_FALSE(refused("session.dynamic_block_base", "").empty());
  CHECK(refused("enable_cpu_mem_arena", "2") == "enable_cpu_mem_arena: expected 0 or 1, found '2'");
  CHECK_FALSE(refused("optimization.disable_specified_optimizers", "").empty());
  CHECK(refused("session.nothing", "1") == "session.nothing: there is no such option of a session");
}

TEST_CASE("an option that is set to its preset is not set") {
  const SessionConfig config = with_option({}, "session.intra_op.allow_spinning", "0");
  CHECK(to_string(config) == "session.intra_op.allow_spinning=0");
  CHECK(with_option(config, "session.intra_op.allow_spinning", "1").empty());
  CHECK(to_string(with_option(config, "intra_op_num_threads", "2")) ==
        "intra_op_num_threads=2, session.intra_op.allow_spinning=0");
  CHECK(to_string(SessionConfig()) == "default");
}
