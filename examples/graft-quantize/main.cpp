// graft-quantize: a float model in, an 8-bit model out that the runtime computes in integers.
#include <cstdio>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/simplify.hpp>

#include "graft-quantize/options.hpp"
#include "graft-quantize/progress.hpp"
#include "graft-quantize/report.hpp"
#include "support/calibration_data.hpp"
#include "support/writable.hpp"

namespace {

graft::Pass ranges_of(const Options& options, const graft::Model& model) {
  if (!options.ranges.empty()) return graft::with_ranges(graft::load_ranges(options.ranges));
  return graft::calibrate(calibration_samples(options.calibration, model, options.preprocessing, options.channels_last)
                              .telling(CalibrationProgress()));
}

graft::Pass pipeline(const Options& options, const graft::Model& model) {
  using namespace graft;
  Pass passes = raise_opset(13);
  if (options.freeze_inputs) passes = freeze_inputs() | passes;
  passes =
      passes | unique_node_names() | fold_constants() | fixpoint(bn_into_conv, add_into_conv_bias) | drop_dead_code();
  passes = passes | ranges_of(options, model) | inject_qdq(*options.target, options.placement);
  if (options.commute) passes = passes | commute_dq_past_activation(*options.target);
  return passes | quantize_weights(options.weights, *options.target);
}

void run(const Options& options) {
  graft::Model model = graft::Model::load(options.model);
  graft::check_initializers(model);
  if (!options.dry_run) check_replaceable(options.output);
  if (!options.save_ranges.empty()) check_replaceable(options.save_ranges);
  if (!options.report.empty()) check_writable(options.report);
  Outcome outcome;
  outcome.model = options.model.string();
  outcome.target = options.target->name;
  outcome.bytes_before = model.proto().ByteSizeLong();
  outcome.nodes_before = model.graph().node_count();
  graft::Context context;
  context.refusals = options.explain;
  outcome.passes = pipeline(options, model).run(model, context);
  for (const graft::Value* const value : model.graph().inputs())
    outcome.overridable += !options.freeze_inputs && value->initializer() != nullptr && !value->is_constant();
  outcome.nodes_after = model.graph().node_count();
  outcome.pairs = count(model.graph(), "QuantizeLinear");
  outcome.audit = graft::audit(model.graph(), *options.target);
  outcome.bytes_after = model.commit().ByteSizeLong();
  if (!options.save_ranges.empty()) graft::save_ranges(*context.facts.find<graft::Ranges>(), options.save_ranges);
  if (!options.dry_run) model.save(options.output);
  if (!options.report.empty()) save_report(outcome, options.report);  // last: it tells of what is there
  print_table(outcome, options.explain);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-quantize: %s\n", error.what());
    return 1;
  }
}
