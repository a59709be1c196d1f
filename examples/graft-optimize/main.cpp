// graft-optimize: simplifies a model, and performs the surgeries that the user names.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>

#include "graft-optimize/check.hpp"
#include "graft-optimize/options.hpp"
#include "graft-optimize/orders.hpp"
#include "graft-optimize/problem_groups.hpp"
#include "graft-optimize/report.hpp"
#include "support/data_files.hpp"
#include "support/freed_memory.hpp"
#include "support/inlined.hpp"
#include "support/model_size.hpp"
#include "support/overridable.hpp"
#include "support/problems.hpp"
#include "support/random_feeds.hpp"
#include "support/scratch.hpp"
#include "support/standard_output.hpp"
#include "support/test_data.hpp"
#include "support/writable.hpp"

namespace {

/// Prints each warning once.
class Warnings {
 public:
  void operator()(std::string_view text) {
    if (told_.emplace(text).second)
      std::fprintf(stderr, "graft-optimize: warning: %.*s\n", static_cast<int>(text.size()), text.data());
  }

  /// Prints the first few of them.
  void few(const std::vector<std::string>& texts) {
    const std::size_t most = 5;
    for (std::size_t i = 0; i < texts.size() && i < most; ++i) (*this)(texts[i]);
    if (texts.size() > most) std::fprintf(stderr, "graft-optimize: and %zu more\n", texts.size() - most);
    told_.insert(texts.begin(), texts.end());
  }

 private:
  std::set<std::string, std::less<>> told_;
};

/// Returns all of them as text.
std::vector<std::string> warn_of(const Problems& problems, Warnings& warn) {
  ProblemGroups groups;
  for (const graft::Problem& problem : problems.found) groups.add(problem);
  warn.few(groups.lines());
  warn.few(texts_of(problems.types));
  return problems.texts();
}

/// Warns of --dim with names that no input has.
void warn_of_unused_sizes(const graft::Model& model, const std::map<std::string, std::int64_t>& sizes, Warnings& warn) {
  std::set<std::string> symbols;
  for (const graft::Value* const input : required_inputs(model.graph())) {
    const graft::Shape shape = input->shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) symbols.emplace(shape[axis].symbol());
  }
  for (const auto& [name, size] : sizes)
    if (symbols.count(name) == 0) warn("--dim " + name + ": no input has a dim of that name");
}

/// Returns the written files: weights may go to a second file beside the model.
std::vector<std::filesystem::path> save(graft::Model& model, const std::filesystem::path& output) {
  const auto time_of = [](const std::filesystem::path& file) {
    std::error_code missing;
    return std::filesystem::last_write_time(file, missing);
  };
  std::vector<std::filesystem::path> candidates{output.string() + ".data"};
  for (int i = 1; std::filesystem::exists(candidates.back()); ++i)
    candidates.push_back(output.string() + "." + std::to_string(i) + ".data");
  std::vector<std::filesystem::file_time_type> times;
  for (const std::filesystem::path& file : candidates) times.push_back(time_of(file));
  model.save(output.string());
  std::vector<std::filesystem::path> written{output};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (std::filesystem::exists(candidates[i]) && time_of(candidates[i]) != times[i]) written.push_back(candidates[i]);
  return written;
}

/// The surgeries and the passes that follow them; each surgery is a step of the report. Reasons why a surgery skipped a
/// node are always reported.
graft::Pass pipeline_of(const std::vector<Order>& orders, const Options& options,
                        const std::optional<Samples>& samples) {
  std::vector<graft::Pass> passes;
  if (!orders.empty() && !options.keep_duplicates) passes.push_back(duplicate_initializers());
  if (options.pass) passes.push_back(*options.pass);
  if (options.to) {
    graft::FloatOptions floats = options.floats;
    if (samples)
      floats.samples = [&samples](const auto& visit) {
        for (std::size_t i = 0; i < samples->size(); ++i) visit((*samples)[i].feeds);
      };
    passes.push_back(converting_pass(*options.to, floats));
  }
  return graft::pass("optimize", [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    context.refusals = true;
    for (const Order& order : orders) report.add(order.pass.run(graph, context));
    context.refusals = options.explains_all;
    for (const graft::Pass& pass : passes) report.add(pass.run(graph, context));
    return report;
  });
}

void explain(const std::string& rule, graft::Model& model) {
  graft::infer_shapes(model.graph());
  graft::Context context;
  context.executor = graft::node_executor();
  const std::vector<Choice> all = choices();
  const auto explanations = graft::explain(named(all, rule, is_rule).rule, model.graph(), context);
  for (const graft::RuleExplanation& one : explanations) std::printf("  %s: %s\n", rule.c_str(), one.text.c_str());
  if (explanations.empty()) std::printf("  no node is of an operator that %s looks for\n", rule.c_str());
}

/// Whether the outputs differ by at most the tolerance, and the result has no problems that the model did not have.
bool run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Order> orders;
  if (!options.surgeries.empty()) orders = load_orders(options.surgeries);
  orders.insert(orders.end(), options.orders.begin(), options.orders.end());
  // Never freed: the process ends here, and freeing a large graph takes as long as parsing it.
  static graft::Model& model =
      *new graft::Model(
          graft::Model::load(options.model.string(), scratch_beside(options.dry_run ? "" : options.output)));
  graft::check_initializers(model);
  Warnings warn;
  const Problems problems = problems_of(model);
  const KnownProblems known(problems);
  warn_of(problems, warn);
  warn_of_unused_sizes(model, options.sizes, warn);
  check_apart(options.output, {options.surgeries});
  check_apart(options.report, {options.model, options.output, options.surgeries});
  for (const std::filesystem::path& written : {options.output, options.report}) check_apart(written, data_files(model));
  if (!options.dry_run) check_replaceable(options.output);
  if (!options.report.empty()) check_replaceable(options.report);
  std::optional<Samples> samples;
  if (!options.inputs.empty()) {
    if (!std::filesystem::is_directory(options.inputs))
      throw graft::Error("is not a folder").file(options.inputs.string());
    samples = test_data_samples(options.inputs, model);
    if (samples->size() == 0)
      throw graft::Error("holds no ONNX test data for this model").file(options.inputs.string());
  }

  Outcome outcome;
  outcome.model = options.model.string();
  outcome.bytes_before = size_of(model);
  outcome.before = count_operators(model);
  for (const Order& order : orders) outcome.surgeries.emplace_back(order.surgeon->name);
  graft::Context context;
  context.executor = graft::node_executor();
  context.log = [&warn](std::string_view text) { warn(text); };
  outcome.passes = pipeline_of(orders, options, samples).run(model, context);
  outcome.after = count_operators(model);
  outcome.bytes_after = size_of(model);
  outcome.overridable = count_overridable(model.graph());
  outcome.problems = warn_of(known.new_among(problems_of(model)), warn);
  if (options.checks != 0) {
    const graft::Model original = inlined(graft::Model::load(options.model.string()));
    const auto compare_with = [&](const graft::Model& result) {
      return check(original.graph(), result.graph(), options.checks, samples, options.sizes);
    };
    outcome.check = model.functions().empty() ? compare_with(model) : compare_with(inlined(model.clone()));
  }
  const bool is_near = !options.tolerance || (outcome.check->failure.empty() &&
                                              outcome.check->difference.largest <= *options.tolerance);
  const bool writes = !options.dry_run && is_near;
  if (!is_near) warn("the outputs differ by more than the tolerance, or cannot be compared: no model is written");
  std::vector<std::filesystem::path> written;
  if (writes) written = save(model, options.output);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.report.empty()) save_report(outcome, options.report);
  print_table(outcome, options);
  for (const std::string& rule : options.explain) explain(rule, model);
  for (const std::filesystem::path& file : written) print_line(file == written.front() ? "wrote" : "", file.string());
  return is_near && outcome.problems.empty();
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  try {
    const Options options = parse_options(argc, argv);
    bool is_good = true;
    if (options.list) print_list();
    else is_good = run(options);
    flush_standard_output();
    return is_good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-optimize: %s\n", error.what());
    return 1;
  }
}
