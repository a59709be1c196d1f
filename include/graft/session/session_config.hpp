#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

enum class SessionOptionType : std::uint8_t {
  execution_mode,      ///< sequential, parallel
  optimization_level,  ///< disabled, basic, extended, all
  count,               ///< a whole number of at least 0
  flag,                ///< 0, 1
  text,
};

/// An option of ONNX Runtime's sessions.
struct SessionOption {
  std::string_view name;  ///< an attribute of Python's SessionOptions, or the key of a config entry
  SessionOptionType type;
  std::string_view preset;  ///< the runtime's value if it is not set
  std::string_view summary;
  /// Config entries have dots in their names.
  constexpr bool is_config_entry() const { return name.find('.') != std::string_view::npos; }
};

/// The options that graft can set. Those of execution are for the CPU.
inline constexpr std::array session_options{
    SessionOption{"execution_mode", SessionOptionType::execution_mode, "sequential",
                  "whether independent nodes run at the same time"},
    SessionOption{"graph_optimization_level", SessionOptionType::optimization_level, "all",
                  "which optimizations the runtime makes when it loads the model"},
    SessionOption{"intra_op_num_threads", SessionOptionType::count, "0", "threads inside a node; 0: one for each core"},
    SessionOption{"inter_op_num_threads", SessionOptionType::count, "0",
                  "threads over nodes in parallel mode; 0: one for each core"},
    SessionOption{"enable_mem_pattern", SessionOptionType::flag, "1",
                  "whether memory is planned ahead for inputs of shapes that were seen before"},
    SessionOption{"enable_cpu_mem_arena", SessionOptionType::flag, "1", "whether freed memory is kept for reuse"},
    SessionOption{"session.intra_op.allow_spinning", SessionOptionType::flag, "1",
                  "whether idle threads inside nodes spin before they sleep"},
    SessionOption{"session.inter_op.allow_spinning", SessionOptionType::flag, "1",
                  "whether idle threads over nodes spin before they sleep"},
    SessionOption{"session.dynamic_block_base", SessionOptionType::count, "0",
                  "number of blocks of decreasing size for a thread's share of a loop; 0: one block"},
    SessionOption{"session.intra_op_thread_affinities", SessionOptionType::text, "",
                  "processors of each thread but the first, counted from 1: 2;3-4"},
    SessionOption{"session.set_denormal_as_zero", SessionOptionType::flag, "0", "whether denormals count as 0"},
    SessionOption{"session.qdqisint8allowed", SessionOptionType::flag, "0",
                  "whether pairs of int8 stay int8 on x86-64"},
    SessionOption{"session.x64quantprecision", SessionOptionType::flag, "0",
                  "whether weights become uint8, whose sums do not saturate without VNNI"},
    SessionOption{"optimization.disable_specified_optimizers", SessionOptionType::text, "",
                  "optimizers that do not run, by the runtime's names"},
};

/// Throws Error naming the option if it does not exist.
const SessionOption& session_option(std::string_view name);

/// Values of options by name; options that are not set have the runtime's preset. {} is the runtime's default.
using SessionConfig = std::map<std::string, std::string, std::less<>>;

/// Throws Error naming an option that does not exist or whose value has the wrong type.
void check_session_config(const SessionConfig& config);

/// "intra_op_num_threads=2, session.intra_op.allow_spinning=0", or "default".
std::string to_string(const SessionConfig& config);

/// The config with one option set to a value; removes the option if the value is its preset.
SessionConfig with_option(SessionConfig config, std::string_view name, std::string_view value);

}  // namespace graft::inline v1
