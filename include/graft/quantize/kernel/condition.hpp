#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/quirk_set.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// Of which model a condition is asked.
enum class ConditionStage : std::uint8_t {
  planned,    ///< a float model: what will be quantized is assumed, and asked where PlannedTensors are given
  /// Its pairs are in place, its weights in float. A row needs this stage if the runtime takes the kernel although the
  /// row fails: placement then keeps the quantizers of neighbours away from the operator.
  placed,
  quantized,  ///< a quantized model, in which operators in float are asked what planned ones are
};

/// What follows where a condition fails. A planned operator stays in float, whatever the effect. kernel_refused and
/// kernel_left_out do not apply to operators in float.
enum class ConditionEffect : std::uint8_t {
  in_float,      ///< the kernel is not used
  computed,      ///< nor is the operator: its result is known when the model is loaded
  refused,       ///< the runtime refuses the model, even if not all operands of the operator are quantized
  kernel_refused,   ///< the runtime takes the operator for one of integers, and refuses the model
  left_out,         ///< the backend leaves the operator to another, even if not all operands are quantized
  kernel_left_out,  ///< the backend takes the operator for one of integers, and leaves it to another
  float_result,  ///< the kernel is not used, unless it can output float
  float_before,  ///< the same, unless it gives a float result to the activation behind it
  info,          ///< these three are remarks on a kernel that is used
  warning,
  error,  ///< the kernel fails or computes something else; Quirk::falls_back_to_float: it is not used
};

/// The tensors of a planned model, as they will be quantized.
class PlannedTensors {
 public:
  virtual ~PlannedTensors() = default;
  /// The range of a tensor on samples; nullptr if it is not known.
  virtual const Range* range(const Value& value) const = 0;
  /// The scale that follows from the range; 0 if it is not known, or the tensor is dequantized already.
  virtual double scale(const Value& value) const = 0;
};

/// What conditions read of a node: its kernel, where its operands come from, and what follows its results. Each is
/// found when it is first asked for. The graph must stay as it is meanwhile.
class KernelView {
 public:
  /// around: shared by the views of one graph. planned: of stage planned; without it, the rows that need it hold.
  KernelView(const Node& node, const Target& target, ConditionStage stage, detail::Surroundings& around,
             const PlannedTensors* planned = nullptr);

  const Node& node;
  const Target& target;
  const ConditionStage stage;
  const IntegerKernel& kernel;  ///< for any opset; its form is KernelForm::none if the target has none for the operator
  const PlannedTensors* const planned;

  /// Whether quantized operands are assumed: of a planned node, and of one in float in a quantized model.
  bool is_planned() const { return stage == ConditionStage::planned || is_float(); }
  /// Whether an operand of a quantized model is not dequantized, nor will be by the quantizer behind.
  bool is_float() const;
  /// The view of another node of the graph.
  KernelView of(const Node& other) const { return {other, target, stage, around_, planned}; }

  bool is_weighted() const { return kernel.form == KernelForm::weighted; }
  bool moves_values() const { return kernel.form == KernelForm::passthrough; }
  std::size_t first_operand() const { return is_weighted() ? 0 : kernel.first_operand; }
  std::size_t operand_end() const { return is_weighted() ? 1 : detail::operand_end(node, kernel); }

  /// What dequantizes each operand, weight and bias aside; nullptr where nothing does. Without those that are quantized
  /// by the quantizer behind.
  const std::vector<const Node*>& operands() const;
  /// What dequantizes these; nullptr where nothing does.
  const Node* weight() const { return dequantizer_of(1); }
  const Node* bias() const { return dequantizer_of(2); }
  /// Those of operands and weight that there are.
  std::vector<const Node*> dequantizers() const;
  /// Whether a value is dequantized, be it in front of nodes that the runtime moves quantizers past.
  bool is_dequantized(const Value& value) const { return around_.sources.of(&value).dequantize != nullptr; }
  /// Whether the parts of its input have several q-params.
  bool has_joined_qparams() const;

  /// What follows its results: where it moves values, all that are named; else the first.
  const std::vector<detail::OutputChain>& results() const;
  const detail::OutputChain& result() const { return results().front(); }
  bool is_quantized(const detail::OutputChain& chain) const;
  /// Whether a quantizer stands behind it, before merged_with() is taken into account.
  bool quantizes_own_result() const;
  /// The Add with which the runtime makes a Gemm of it; nullptr if there is none.
  const Node* merged_with() const;
  /// Whether the kernel gives this result in float because nothing quantizes it.
  bool gives_float(const detail::OutputChain& chain) const;
  /// Whether its operands become those of the quantizer behind it, which the runtime takes to them.
  bool takes_quantizer_behind() const;
  /// Of what moves values: whether the runtime takes the quantizer behind it to its front.
  bool is_quantized_early() const;
  /// Whether the runtime looks at the results: not those of what moves values, if its quantizers are moved past it.
  bool looks_at_results() const;

  /// The dtype of its operands, when the runtime chooses kernels; undefined if nothing dequantizes the first.
  DType dtype() const;
  /// Of the operand of what moves values, those with which the runtime chooses.
  std::optional<QParams> moved_qparams() const;

  /// No, with a text that lives as long as this view. A condition of stage planned gives texts of static storage.
  Verdict no(std::string text) const;

 private:
  void find_results() const;
  const Node* dequantizer_of(std::size_t input) const;

  detail::Surroundings& around_;
  mutable std::optional<std::vector<const Node*>> operands_{};
  mutable std::vector<detail::OutputChain> results_{};
  mutable const Node* merged_with_ = nullptr;
  mutable bool quantizes_own_result_ = false;
  mutable std::string text_{};
};

/// A fact about kernels: a condition for one to be used, or to compute what the graph says. A row of the table.
struct KernelCondition {
  std::string_view code;
  QuirkSet<KernelForm> kernels;  ///< which it is asked of
  QuirkSet<ConditionStage> stages;
  ConditionEffect effect;
  Verdict (*check)(const KernelView&);  ///< may rely on the rows above it that would have ended the walk
  std::string_view remedy;

  bool concerns(const KernelView& view) const { return kernels.contains(view.kernel.form); }
  /// The outcome of a node that fails it, if it fails nothing else.
  OperatorOutcome failed_by(const KernelView& view, const Reason& why) const;
};

/// The text of the row "no_kernel".
inline constexpr std::string_view no_kernel_text = "the target does not compute it in integers";

/// The table. A quirk of a runtime is a row of it and a bit in the target; a kernel that refuses the model where others
/// fall back, or one that needs a signed operand, is no more.
std::span<const KernelCondition> kernel_conditions();

/// The first row of a stage that a node fails, and the verdict with its code; nullptr and yes if there is none.
struct FailedCondition {
  const KernelCondition* row = nullptr;
  Verdict verdict = Verdict::yes();
};
FailedCondition first_failed(const KernelView& view, ConditionStage stage);

/// Walks the table for a node of a quantized model. An operator in float gets the first row of stage `planned` that
/// fails. For others, the first row that keeps the kernel from being used decides; if there is none, the most severe of
/// the remarks, the first of equals.
OperatorOutcome outcome_of(const KernelView& view);

/// The nodes that vanish into this kernel, which is used: the activations behind it that it computes or that the
/// quantizer makes redundant, and what only moves its result to the quantizer. Some of the latter have kernels of their
/// own in a quantized model.
std::vector<const Node*> nodes_within(const KernelView& view);

}  // namespace graft::inline v1
