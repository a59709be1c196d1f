#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// The limits of a driver.
struct Budget {
  /// The number of rules to apply. Default: proportional to the graph, and far more than shrinking rules need.
  std::optional<std::size_t> steps{};
  double seconds = std::numeric_limits<double>::infinity();
};

struct Progress {
  std::string_view pass;
  std::size_t done = 0, total = 0;
};

/// Runs one node on constants, with Tensor() for an absent input. Returns its outputs, or nullopt if it cannot.
using NodeExecutor =
    std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)>;

/// The shared settings and results of the passes of one run. The library never prints: messages go to callbacks and
/// reports.
struct Context {
  Budget budget{};
  NodeExecutor executor{};  // for folded(...) and other folding; see node_executor() of evaluate/
  std::function<void(std::string_view)> log{};
  std::function<void(const Progress&)> progress{};
  std::function<bool()> cancelled{};
  std::size_t threads = 1;  // the most that a pass may run at a time
  bool refusals = false;    // report why candidates stayed unchanged
  bool provenance = false;  // record in metadata_props which rule made a node, and from which nodes
  Facts facts{};
  std::vector<Argument> arguments{};  // of rules and passes
  Operators operators{};              // custom operators; a pass adds them to its model

  /// The last value of an argument; nullptr if it was not given.
  template <FixedString Name, class T>
  const T* find_argument(const ArgCapture<Name, T>& wanted) const {
    for (auto given = arguments.rbegin(); given != arguments.rend(); ++given)
      if (given->id == wanted.id) return static_cast<const T*>(given->value.get());
    return nullptr;
  }
  /// The last value of an argument. Throws Error naming the argument if it was not given.
  template <FixedString Name, class T>
  const T& argument(const ArgCapture<Name, T>& wanted) const {
    if (const T* const given = find_argument(wanted)) return *given;
    detail::raise(Error("the argument '" + std::string(Name.view()) + "' is not given with that type"));
  }

  void write_log(std::string_view message) const {
    if (log) log(message);
  }
  void report_progress(const Progress& at) const {
    if (progress) progress(at);
  }
  [[deprecated("use write_log()")]] void tell(std::string_view message) const { write_log(message); }
  [[deprecated("use report_progress()")]] void tell(const Progress& at) const { report_progress(at); }
  bool is_cancelled() const { return cancelled && cancelled(); }

  /// The inference options of a pass: these options and the operators above. Each declared type that does not hold
  /// becomes a warning in the log and, if given, in the report.
  InferOptions infer_options(InferOptions options = {}, Report* report = nullptr) const {
    options.operators = operators;
    options.contradiction = [this, report](const Contradiction& one) {
      std::string warning = to_string(one);
      write_log(warning);
      if (report != nullptr) report->warnings.push_back(std::move(warning));
    };
    return options;
  }
};

}  // namespace graft::inline v1
