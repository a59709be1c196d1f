#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/run_limits.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The external data that a run reads: each tensor takes memory of the budget once.
class ExternalReads {
 public:
  /// Throws Error naming the file if the budget is too small for the unread data at that place.
  void add(const ExternalLocation& where, std::size_t bytes) {
    std::size_t& known = bytes_[where.location][where.offset];
    if (bytes <= known) return;
    graft::detail::with_part(&Error::file, where.location, [&] { reservations_.emplace_back(bytes - known); });
    known = bytes;
  }

 private:
  std::map<std::string, std::map<std::uint64_t, std::size_t>> bytes_;  // by file and offset
  std::vector<Reservation> reservations_;
};

/// The state that a run and the runs of its bodies share.
class RunControl {
 public:
  RunControl(const ParallelFor* parallel, const RunLimits& limits) : parallel_(parallel), limits_(limits) {}

  const ParallelFor* parallel() const { return parallel_; }
  ExternalReads& external() { return external_; }

  /// Called before each node. Throws Error if the run is cancelled.
  void enter(const Node& node) const {
    if (is_cancelled()) graft::detail::raise(cancellation().node(display_name(node)));
  }
  /// Called before each run of a body. Throws Error if the limit is reached; the caller adds the node.
  void enter_body() {
    if (bodies_ == limits_.max_bodies)
      graft::detail::raise(Error("bodies have run " + std::to_string(bodies_) + " times, which is the limit"));
    ++bodies_;
    if (is_cancelled()) graft::detail::raise(cancellation());
  }

 private:
  bool is_cancelled() const { return limits_.cancelled && limits_.cancelled(); }
  static Error cancellation() { return Error("the run was cancelled"); }

  const ParallelFor* parallel_;
  const RunLimits& limits_;
  std::uint64_t bodies_ = 0;
  ExternalReads external_;
};

/// A scope ready to run: nodes with their kernels, values numbered as slots, constants loaded. Runs do not change it,
/// so that several can run at the same time.
class Plan {
 public:
  using Slot = std::size_t;
  static constexpr Slot absent = static_cast<Slot>(-1);

  Plan(const Graph& graph, const Kernels& kernels);

  /// Holds no constant in a file, if those of the scope and its bodies have more bytes together: each step reads its
  /// own, and drops them.
  void stream_beyond(std::size_t max_bytes);

  /// `absent` for a value that the scope does not use.
  Slot find(const Value& value) const;
  const std::vector<Slot>& outputs() const { return outputs_; }

  /// Shows the observer the wanted slots as soon as they are computed. Given slots are not computed.
  void run(std::vector<std::pair<Slot, Tensor>> given, std::span<const Slot> wanted, const Observer& observer,
           RunControl& control) const;

 private:
  struct Body {
    std::string_view attribute;
    std::unique_ptr<Plan> plan;
    std::vector<Slot> captures;  // the slots of this scope that the body captures
  };
  struct Step {
    const Node* node;
    Kernel kernel;  // empty if no kernel exists
    std::vector<Slot> inputs, outputs;
    std::vector<Body> bodies;
    std::optional<Clamp> clamp;  // set if the kernel only clamps
  };
  struct External {
    const onnx::TensorProto* proto;
    ExternalLocation where;
    std::size_t bytes;
  };
  class Run;

  Slot slot(const Value* value);
  /// The proto in a file that holds a constant or a default; nullptr if there is none.
  const onnx::TensorProto* external_proto(const Value& value) const;
  void add_external(std::map<std::string, std::map<std::uint64_t, std::size_t>>& bytes) const;
  void stream();
  bool has_constant(Slot slot) const { return constants_[slot] || (streams_ && external_.contains(slot)); }
  Tensor constant(Slot slot) const;

  void add(const Node& node, const Kernels& kernels);

  const Graph* graph_;
  std::unordered_map<const Value*, Slot> slots_;
  std::vector<const Value*> values_;   // by slot, as are the next two
  std::vector<Tensor> constants_;      // undefined if the value is not constant, or streamed
  std::vector<bool> computed_;         // whether a step computes the slot
  std::map<Slot, External> external_;  // constants in files
  bool streams_ = false;               // whether these are read by each step
  std::vector<const Value*> captures_;
  std::vector<Slot> outputs_;
  std::vector<Step> steps_;
  std::unordered_map<Slot, std::size_t> clamps_;  // the step that clamps a slot
};

/// The state of one run: the needed steps, the live values, and the number of remaining readers of each.
class Plan::Run {
 public:
  Run(const Plan& plan, std::vector<std::pair<Slot, Tensor>> given, std::span<const Slot> wanted,
      const Observer& observer, RunControl& control);

  void execute();

 private:
  using Wanted = std::pair<Slot, std::size_t>;  // a slot, and its index among the fetches

  /// Finds the needed steps, from the wanted values backward. Throws before the run if a kernel or an input is missing.
  void select();

  void read(Slot slot);
  /// Takes memory of the budget for constants in files, which `reads` holds.
  void reserve_external(Slot slot, ExternalReads& reads) const;
  static std::string why_missing(const Value& value);

  std::vector<Wanted>::const_iterator first_wanted(Slot slot) const;
  bool is_wanted(Slot slot) const;
  bool is_computed(Slot slot) const { return plan_.computed_[slot] && !given_[slot]; }

  Tensor at(Slot slot) const {
    return given_[slot] || plan_.computed_[slot] ? values_[slot] : plan_.constant(slot);
  }

  /// The value for one reader. The last reader gets the value itself, and may change it in place.
  Tensor take(Slot slot);

  /// The step that only clamps this step's first output, if it is the only reader; `absent` if there is none.
  std::size_t clamping(const Step& step) const;

  void execute(const Step& step);

  /// Shows an output to the observer if it is wanted, and keeps it as long as it has readers.
  void keep(const Step& step, std::size_t i, Tensor tensor);

  static std::vector<Tensor> run_body(const Plan& body, std::vector<Tensor> arguments,
                                      const std::vector<Tensor>& captures, RunControl& control);

  const Plan& plan_;
  const Observer& observer_;
  RunControl& control_;
  std::vector<Tensor> values_;  // by slot, as are the next two
  std::vector<std::uint32_t> readers_;
  std::vector<bool> given_;
  std::vector<Wanted> wanted_;  // by slot
  std::vector<bool> needed_;    // by step
};

}  // namespace graft::inline v1::standard_kernels::detail
