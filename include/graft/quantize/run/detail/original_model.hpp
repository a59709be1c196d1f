#pragma once
#include <optional>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/to_inference.hpp>

namespace graft::inline v1::detail {

/// The model as quantize() was given it. The edits of a view are in the view alone, so that it cannot be restored if it
/// has any.
class OriginalModel {
 public:
  explicit OriginalModel(Model& model) : is_lost_(model.is_view() && model.change_count() != 0) {
    if (!model.is_view()) copy_ = model.clone();
  }

  void restore(Model& model) {
    if (copy_) model = *std::exchange(copy_, std::nullopt);
    else if (!is_lost_) model.revert();
  }
  /// Restores it in inference mode, freezes its inputs if that is asked for, and makes integers of the tables that were
  /// integers in the quantized model. Only pairs and integer products need a newer opset, where some fusions of
  /// runtimes do not match: ONNX Runtime 1.24 recognizes the mask of an attention below opset 13 alone.
  void restore_but_tables(QuantizeCall& call) {
    if (is_lost_) return;
    restore(call.model);
    Context scratch;
    if (call.options.freeze_inputs) freeze_inputs().run(call.model, scratch);
    to_inference().run(call.model, scratch);
    if (std::exchange(call.result.tables, 0) == 0 || call.model.opset() < 7) return;
    (inline_functions() | exclude_nodes(call.options.exclude)).run(call.model, scratch);
    const Pass tables = quantize_embeddings(call.static_options().weights.for_tables(), call.target);
    call.result.tables = tables.run(call.model, scratch).changes;
  }

 private:
  std::optional<Model> copy_{};
  bool is_lost_;
};

}  // namespace graft::inline v1::detail
