// The statements that to_cpp() writes are compiled here, with the runtime's C++ API.
#include <regex>
#include <string>

#include <catch2/catch.hpp>
#include <onnxruntime_cxx_api.h>

#include <graft/session/session_code.hpp>

using namespace graft;

/// Statements, and their text on one line.
#define STATEMENTS(text, ...) \
  __VA_ARGS__                 \
  const std::string text = #__VA_ARGS__

TEST_CASE("statements for every option compile, and reach the runtime") {
  STATEMENTS(code, Ort::SessionOptions options;
             options.DisableCpuMemArena();
             options.DisableMemPattern();
             options.SetExecutionMode(ORT_PARALLEL);
             options.SetGraphOptimizationLevel(ORT_ENABLE_EXTENDED);
             options.SetInterOpNumThreads(3);
             options.SetIntraOpNumThreads(2);
             options.AddConfigEntry("session.intra_op.allow_spinning", "0"););
  const std::string written = to_cpp({{"enable_cpu_mem_arena", "0"},
                                      {"enable_mem_pattern", "0"},
                                      {"execution_mode", "parallel"},
                                      {"graph_optimization_level", "extended"},
                                      {"inter_op_num_threads", "3"},
                                      {"intra_op_num_threads", "2"},
                                      {"session.intra_op.allow_spinning", "0"}});
  CHECK(std::regex_replace(written, std::regex("\n"), " ") == code + " ");
  CHECK(options.GetConfigEntry("session.intra_op.allow_spinning") == "0");
}
