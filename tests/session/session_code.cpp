#include <graft/session/session_code.hpp>

#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

#include "support/data.hpp"
#include "support/folder.hpp"

using namespace graft;

namespace {

const SessionConfig config{{"enable_cpu_mem_arena", "0"},
                           {"enable_mem_pattern", "0"},
                           {"execution_mode", "parallel"},
                           {"graph_optimization_level", "disabled"},
                           {"inter_op_num_threads", "3"},
                           {"intra_op_num_threads", "2"},
                           {"session.intra_op.allow_spinning", "0"}};

}  // namespace

TEST_CASE("options as statements of C++") {
  CHECK(to_cpp(config) ==
        "Ort::SessionOptions options;\n"
        "options.DisableCpuMemArena();\n"
        "options.DisableMemPattern();\n"
        "options.SetExecutionMode(ORT_PARALLEL);\n"
        "options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);\n"
        "options.SetInterOpNumThreads(3);\n"
        "options.SetIntraOpNumThreads(2);\n"
        "options.AddConfigEntry(\"session.intra_op.allow_spinning\", \"0\");\n");
  CHECK(to_cpp({}) == "Ort::SessionOptions options;\n");
  CHECK_THROWS_AS(to_cpp({{"nothing", "1"}}), Error);
}

TEST_CASE("options as statements of Python") {
  CHECK(to_python(config) ==
        "options = onnxruntime.SessionOptions()\n"
        "options.enable_cpu_mem_arena = False\n"
        "options.enable_mem_pattern = False\n"
        "options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL\n"
        "options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL\n"
        "options.inter_op_num_threads = 3\n"
        "options.intra_op_num_threads = 2\n"
        "options.add_session_config_entry(\"session.intra_op.allow_spinning\", \"0\")\n");
  CHECK(to_python({{"session.intra_op_thread_affinities", "2\"\\"}}).find("\"2\\\"\\\\\"") != std::string::npos);
}

TEST_CASE("the runtime in Python takes the statements", "[runtime]") {
  TEST_PYTHON(python);
  const Folder folder;
  write_file(folder / "code.py", "import onnxruntime\n" + to_python(config) + R"(
assert options.enable_cpu_mem_arena is False
assert options.enable_mem_pattern is False
assert options.execution_mode == onnxruntime.ExecutionMode.ORT_PARALLEL
assert options.graph_optimization_level == onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
assert options.inter_op_num_threads == 3
assert options.intra_op_num_threads == 2
assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
)");
  CHECK(std::system((python.string() + " " + (folder / "code.py").string()).c_str()) == 0);
}
